"""RareTextClassifier: find the documents of a rare class."""

from imbtext.rare._classifier import RareTextClassifier
from imbtext.rare._expectation import Expectation

__all__ = ["Expectation", "RareTextClassifier"]
