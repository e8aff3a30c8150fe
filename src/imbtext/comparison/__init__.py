"""An honest comparison of methods on your own documents."""

from typing import TYPE_CHECKING

from imbtext._names import no_attribute
from imbtext.comparison._advice import Recommendation
from imbtext.comparison._compare import compare
from imbtext.comparison._comparison import Comparison
from imbtext.comparison._kept_work import STORE_NAME as STORE_NAME
from imbtext.comparison._plan import Plan
from imbtext.comparison._settings import default_methods

__all__ = ["Comparison", "Plan", "Recommendation", "compare", "default_methods"]

if not TYPE_CHECKING:  # types know the names that exist
    __getattr__ = no_attribute(__name__)
