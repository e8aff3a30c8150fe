"""Vectors of documents for finding a class: words, pairs of words and parts of words. Internal."""

from imbtext.features._given import FEATURES
from imbtext.features._terms import Terms, Vectors
from imbtext.features._text import TextFeatures

__all__ = ["FEATURES", "Terms", "TextFeatures", "Vectors"]
