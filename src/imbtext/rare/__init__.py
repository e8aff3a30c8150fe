"""RareTextClassifier: find the documents of a rare class."""

from imbtext.rare._classifier import RareTextClassifier
from imbtext.rare._expectation import Expectation
from imbtext.rare._goals import get_goal as get_goal

__all__ = ["Expectation", "RareTextClassifier"]
