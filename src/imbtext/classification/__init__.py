"""RareTextClassifier: find the documents of a rare class."""

from imbtext.classification._classifier import RareTextClassifier
from imbtext.classification._expectation import Expectation

__all__ = ["Expectation", "RareTextClassifier"]
