"""Easy data augmentation (Wei and Zou, 2019) on encoded documents.

Words become ids and their synonyms a table, once; the four operations then run in compiled code.
This room knows nothing of samplers: see :class:`imbtext.oversampling.eda.EDA` for that.
"""

from imbtext.augmentation.operations import Rates, augment
from imbtext.augmentation.published import (
    AugmentedTexts,
    augment_texts_as_published,
    published_copies,
)
from imbtext.augmentation.synonyms import ENGLISH_STOPWORDS, SynonymTable, synonym_lookup

__all__ = [
    "ENGLISH_STOPWORDS",
    "AugmentedTexts",
    "Rates",
    "SynonymTable",
    "augment",
    "augment_texts_as_published",
    "published_copies",
    "synonym_lookup",
]
