"""An honest comparison of methods on the user's own documents."""

from imbtext.advice import Recommendation
from imbtext.comparison._compare import compare
from imbtext.comparison._methods import default_methods
from imbtext.comparison._result import Comparison, Settings

__all__ = ["Comparison", "Recommendation", "Settings", "compare", "default_methods"]
