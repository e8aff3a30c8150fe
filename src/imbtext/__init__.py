"""Find the rare class in text.

Names load on first use, so that ``import imbtext`` and ``imbtext --help`` answer at once:
scikit-learn alone takes two seconds to import.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from imbtext._names import no_attribute

if TYPE_CHECKING:
    from imbtext.comparison import compare
    from imbtext.labelling import Labelling, safe_to_stop
    from imbtext.methods import MethodClassifier
    from imbtext.neural import LanguageModelSampler as LanguageModelSampler
    from imbtext.neural import SeqGAN as SeqGAN
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
        PromptedSampler,
        minority_share,
    )
    from imbtext.rare import RareTextClassifier, mislabelled
    from imbtext.thresholds import ThresholdClassifier

__version__ = "0.2.0.dev0"

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
    "Labelling",
    "MethodClassifier",
    "PromptedSampler",
    "RareTextClassifier",
    "ThresholdClassifier",
    "__version__",
    "compare",
    "minority_share",
    "mislabelled",
    "safe_to_stop",
]

# The room of each name. Those of `neural` need an extra, so ``from imbtext import *`` leaves them.
_HOMES = {
    **{name: "oversampling" for name in __all__ if name != "__version__"},
    "Labelling": "labelling",
    "LanguageModelSampler": "neural",
    "MethodClassifier": "methods",
    "RareTextClassifier": "rare",
    "SeqGAN": "neural",
    "ThresholdClassifier": "thresholds",
    "compare": "comparison",
    "mislabelled": "rare",
    "safe_to_stop": "labelling",
}
_ROOMS = (
    "comparison",
    "datasets",
    "distributed",
    "documents",
    "files",
    "labelling",
    "markov",
    "methods",
    "metrics",
    "neural",
    "oversampling",
    "quality",
    "rare",
    "statistics",
    "testing",
    "thresholds",
    "web",
)


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"imbtext.{name}")
    if name not in _HOMES:
        no_attribute(__name__)(name)
    value = getattr(import_module(f"imbtext.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*_HOMES, *_ROOMS, "__version__"})
