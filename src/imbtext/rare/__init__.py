"""RareTextClassifier: find the documents of a rare class."""

from imbtext.rare._classifier import Predictions as Predictions
from imbtext.rare._classifier import RareTextClassifier
from imbtext.rare._explanation import Explanation
from imbtext.rare._operating_point import Expectation

__all__ = ["Expectation", "Explanation", "RareTextClassifier"]
