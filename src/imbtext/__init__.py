"""Oversampling for imbalanced text classification: the text counterpart of imbalanced-learn."""

from typing import TYPE_CHECKING, Any

from imbtext.methods import MethodClassifier
from imbtext.oversampling import (
    ADASYN,
    DECOM,
    DRO,
    EDA,
    EMCO,
    MCO,
    ROS,
    SMOTE,
    BorderlineSMOTE,
    FallbackWarning,
    GeometricSMOTE,
    PromptedSampler,
    minority_share,
)
from imbtext.rare import RareTextClassifier

if TYPE_CHECKING:
    from imbtext.comparison import compare
    from imbtext.neural import LanguageModelSampler as LanguageModelSampler
    from imbtext.neural import SeqGAN as SeqGAN

__version__ = "0.1.0"

__all__ = [
    "ADASYN",
    "DECOM",
    "DRO",
    "EDA",
    "EMCO",
    "MCO",
    "ROS",
    "SMOTE",
    "BorderlineSMOTE",
    "FallbackWarning",
    "GeometricSMOTE",
    "MethodClassifier",
    "PromptedSampler",
    "RareTextClassifier",
    "__version__",
    "compare",
    "minority_share",
]


def __getattr__(name: str) -> Any:
    # Loaded when asked for: it brings compiled code that the samplers do without.
    if name == "compare":
        from imbtext.comparison import compare

        return compare
    if name in ("LanguageModelSampler", "SeqGAN"):  # these need the extra neural
        from imbtext import neural

        return getattr(neural, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
