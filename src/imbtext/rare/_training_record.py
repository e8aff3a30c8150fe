"""The record that a model keeps of its training documents: numbers only.

Besides counts, days and versions these are the length of the documents and how much of them are
everyday words, the commonest of the training documents. ``quality/_check.py`` compares new
documents.
"""

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Final

import numpy as np
import sklearn
from numpy.typing import NDArray

import imbtext
from imbtext._typing import Array, MayBeNaN
from imbtext.features._features import Features
from imbtext.features._terms import Terms, WordBlock
from imbtext.features._text_features import TextFeatures
from imbtext.thresholds._expectation import KnownWords

# How many of the commonest words are everyday words.
_N_EVERYDAY: Final = 50


@dataclass(frozen=True)
class TrainingRecord:
    """The training documents of a model, in numbers.

    Attributes
    ----------
    n_documents : int
        How many documents there were.
    class_sizes : tuple of int
        How many of them were of each class that the model looks for.
    day : str
        The day of training, in UTC. ``SOURCE_DATE_EPOCH`` replaces it, for files that must not
        depend on the day.
    versions : str
        The versions of Python and of the packages that matter.
    length : KnownWords
        Mean and spread of the logarithm of one more than a document's number of words.
    everyday : float
        Which share of all words are everyday words; not a number where features have no words.
    """

    n_documents: int
    class_sizes: tuple[int, ...]
    day: str
    versions: str
    length: KnownWords = field(default_factory=KnownWords)
    everyday: MayBeNaN = np.nan

    @classmethod
    def of(
        cls, n_documents: int, members: Sequence[Array], features: Features, terms: Terms | None
    ) -> "TrainingRecord":
        """Take the number of documents, those of each class, and the terms of the documents."""
        epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
        now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
        versions = (
            f"imbalanced-text {imbtext.__version__}, Python {platform.python_version()}, "
            f"NumPy {np.__version__}, scikit-learn {sklearn.__version__}"
        )
        record = cls(n_documents, tuple(map(len, members)), now.date().isoformat(), versions)
        counted = word_counts(features, terms)
        if counted is None or not counted[0].any():
            return record
        n_words, n_everyday = counted
        length = KnownWords.of(np.log1p(n_words))
        return replace(record, length=length, everyday=float(n_everyday.sum() / n_words.sum()))


def everyday_words(features: TextFeatures) -> NDArray[np.int64]:
    """Return the numbers of the commonest words, which every document of a language has."""
    n_words = len(features.blocks[0].words) if isinstance(features.blocks[0], WordBlock) else 0
    return np.argsort(-features.frequencies[:n_words], kind="stable")[:_N_EVERYDAY]


def word_counts(
    features: Features, terms: Terms | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return how many known words and how many everyday words each document has.

    None where the features have no words.
    """
    text = features.text_terms
    if text is None or terms is None:
        return None
    block = text.blocks[0]
    if not isinstance(block, WordBlock) or not len(block.words):
        return None
    documents = np.repeat(np.arange(len(terms.indptr) - 1) // terms.n_blocks, np.diff(terms.indptr))
    times = np.rint(np.exp(terms.values - 1.0))
    # Words are the first terms of the first block; pairs and grams have higher numbers.
    is_everyday = np.zeros(terms.n_terms, bool)
    is_everyday[everyday_words(text)] = True
    n_words, n_everyday = (
        np.bincount(documents[kind], times[kind], terms.n_documents).astype(np.float64)
        for kind in (terms.indices < len(block.words), is_everyday[terms.indices])
    )
    return n_words, n_everyday
