"""Find the rare class in text.

Names load on first use, so that ``import imbtext`` and ``imbtext --help`` answer at once:
scikit-learn alone takes two seconds to import.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from imbtext._names import no_attribute
from imbtext.oversampling._names import public_classes

if TYPE_CHECKING:
    from imbtext.comparison import compare as compare
    from imbtext.labelling import Labelling as Labelling
    from imbtext.labelling import safe_to_stop as safe_to_stop
    from imbtext.methods import ResampledClassifier as ResampledClassifier
    from imbtext.neural import LanguageModelSampler as LanguageModelSampler
    from imbtext.neural import SeqGAN as SeqGAN
    from imbtext.oversampling import DECOM as DECOM
    from imbtext.oversampling import DRO as DRO
    from imbtext.oversampling import EDA as EDA
    from imbtext.oversampling import EMCO as EMCO
    from imbtext.oversampling import MCO as MCO
    from imbtext.oversampling import ROS as ROS
    from imbtext.oversampling import FallbackWarning as FallbackWarning
    from imbtext.oversampling import PromptedSampler as PromptedSampler
    from imbtext.oversampling import minority_share as minority_share
    from imbtext.quality import mislabelled as mislabelled
    from imbtext.rare import RareTextClassifier as RareTextClassifier
    from imbtext.thresholds import ThresholdClassifier as ThresholdClassifier

__version__ = "0.2.0"

# The package of each name. The samplers come from the table of names.
_HOMES = {
    **{name: home.rpartition("._")[0] or home for name, home in public_classes("imbtext").items()},
    "FallbackWarning": "imbtext.oversampling",
    "Labelling": "imbtext.labelling",
    "RareTextClassifier": "imbtext.rare",
    "ResampledClassifier": "imbtext.methods",
    "ThresholdClassifier": "imbtext.thresholds",
    "compare": "imbtext.comparison",
    "minority_share": "imbtext.oversampling",
    "mislabelled": "imbtext.quality",
    "safe_to_stop": "imbtext.labelling",
}
# Those of `neural` need an extra, so ``from imbtext import *`` leaves them.
__all__ = [  # noqa: PLE0604
    "__version__",
    *sorted(name for name, home in _HOMES.items() if home != "imbtext.neural"),
]
_PACKAGES = (
    "comparison",
    "datasets",
    "distributed",
    "documents",
    "features",
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
    if name in _PACKAGES:
        return import_module(f"imbtext.{name}")
    if name not in _HOMES:
        no_attribute(__name__)(name)
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*_HOMES, *_PACKAGES, "__version__"})
