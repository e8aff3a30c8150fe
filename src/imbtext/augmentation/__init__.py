"""Easy data augmentation (Wei and Zou, 2019) on encoded documents.

Words become ids and their synonyms a table, once; the four operations then run in compiled code.
This room knows nothing of samplers: see :class:`imbtext.EDA` for that.
"""

from imbtext.augmentation._operations import Rates, augment
from imbtext.augmentation._published import (
    AugmentedTexts,
    augment_texts_as_published,
)
from imbtext.augmentation._synonyms import ENGLISH_STOPWORDS, SynonymTable, synonym_lookup
from imbtext.augmentation._wordnet import WordNet, find_wordnet

__all__ = [
    "ENGLISH_STOPWORDS",
    "AugmentedTexts",
    "Rates",
    "SynonymTable",
    "WordNet",
    "augment",
    "augment_texts_as_published",
    "find_wordnet",
    "synonym_lookup",
]
