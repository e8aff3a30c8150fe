"""What to do about a class, in words and in code, from the numbers of a comparison. Internal."""

from imbtext.advice._applying import Application
from imbtext.advice._choice import Numbers, choose, effort, simple_baselines, titled
from imbtext.advice._wording import Recommendation, recommend, with_exceptions

__all__ = [
    "Application",
    "Numbers",
    "Recommendation",
    "choose",
    "effort",
    "recommend",
    "simple_baselines",
    "titled",
    "with_exceptions",
]
