"""Vectors of documents: from words, columns, encoders, or the user's own."""

from imbtext.features._sources import get_features as get_features
from imbtext.features._text_features import TextFeatures
from imbtext.features.encoders import get_encoder

__all__ = ["TextFeatures", "get_encoder"]
