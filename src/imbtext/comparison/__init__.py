"""An honest comparison of methods on your own documents."""

from imbtext.comparison._advice import Recommendation
from imbtext.comparison._compare import compare
from imbtext.comparison._comparison import Comparison
from imbtext.comparison._settings import Settings, default_methods

__all__ = ["Comparison", "Recommendation", "Settings", "compare", "default_methods"]
