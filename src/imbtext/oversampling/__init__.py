"""The samplers: EMCO, MCO, EDA and ROS on documents, the others on vectors.

Classes are imported when somebody asks for them. Which there are stands in the table of names.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from imbtext._names import no_attribute
from imbtext.oversampling._names import public_classes

if TYPE_CHECKING:
    from imbtext._messages import FallbackWarning as FallbackWarning
    from imbtext.oversampling._counting import CountingSampler as CountingSampler
    from imbtext.oversampling._decom import DECOM as DECOM
    from imbtext.oversampling._dro import DRO as DRO
    from imbtext.oversampling._eda import EDA as EDA
    from imbtext.oversampling._emco import EMCO as EMCO
    from imbtext.oversampling._emco import MCO as MCO
    from imbtext.oversampling._foreign import Foreign as Foreign
    from imbtext.oversampling._openai_model import Answer as Answer
    from imbtext.oversampling._openai_model import OpenAIModel as OpenAIModel
    from imbtext.oversampling._openai_model import PromptingError as PromptingError
    from imbtext.oversampling._prompted import PromptedSampler as PromptedSampler
    from imbtext.oversampling._prompting import BudgetExceededError as BudgetExceededError
    from imbtext.oversampling._prompting import Usage as Usage
    from imbtext.oversampling._ros import ROS as ROS
    from imbtext.oversampling._sampler import New as New
    from imbtext.oversampling._sampler import Replaced as Replaced
    from imbtext.oversampling._sampler import Request as Request
    from imbtext.oversampling._sampler import Sampler as Sampler
    from imbtext.oversampling._strategy import minority_share as minority_share
    from imbtext.oversampling._wordnet import find_wordnet as find_wordnet
    from imbtext.oversampling.synonyms import synonym_lookup as synonym_lookup

_MODULES: Final = {
    **public_classes(__name__),
    "Answer": f"{__name__}._openai_model",
    "BudgetExceededError": f"{__name__}._prompting",
    "CountingSampler": f"{__name__}._counting",
    "FallbackWarning": "imbtext._messages",
    "Foreign": f"{__name__}._foreign",
    "New": f"{__name__}._sampler",
    "OpenAIModel": f"{__name__}._openai_model",
    "PromptingError": f"{__name__}._openai_model",
    "Replaced": f"{__name__}._sampler",
    "Request": f"{__name__}._sampler",
    "Sampler": f"{__name__}._sampler",
    "Usage": f"{__name__}._prompting",
    "find_wordnet": f"{__name__}._wordnet",
    "minority_share": f"{__name__}._strategy",
    "synonym_lookup": f"{__name__}.synonyms",
}
__all__ = [*sorted(_MODULES)]  # noqa: PLE0604

if not TYPE_CHECKING:  # types know the names that exist

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            no_attribute(__name__)(name)
        value = getattr(import_module(_MODULES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return __all__
