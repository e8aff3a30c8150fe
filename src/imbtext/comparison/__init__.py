"""An honest comparison of methods on the user's own documents."""

from imbtext.comparison._applying import Application as Application
from imbtext.comparison._choice import Numbers as Numbers
from imbtext.comparison._choice import choose as choose
from imbtext.comparison._choice import effort as effort
from imbtext.comparison._choice import simple_baselines as simple_baselines
from imbtext.comparison._choice import titled as titled
from imbtext.comparison._compare import compare
from imbtext.comparison._methods import default_methods
from imbtext.comparison._result import Comparison, Settings
from imbtext.comparison._wording import Recommendation
from imbtext.comparison._wording import recommend as recommend
from imbtext.comparison._wording import with_exceptions as with_exceptions

__all__ = ["Comparison", "Recommendation", "Settings", "compare", "default_methods"]
