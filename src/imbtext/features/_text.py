"""TextFeatures: from documents to tf-idf blocks of words, pairs of words and character grams."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext.documents import Documents
from imbtext.features._blocks import Block, Found, GramBlock, WordBlock
from imbtext.features._given import FEATURES, Kind
from imbtext.features._terms import Terms, idf_weights
from imbtext.features._words import languages


class TextFeatures:
    """Sublinear tf-idf vectors in one or two blocks.

    Words are runs of two letters or more, stemmed; neighbours become pairs.
    Character grams have four characters within what stands between white space. A pair must
    be in two documents. Each block has unit length, and so have two blocks together.

    Parameters
    ----------
    kind : {"auto", "words", "words+pairs", "characters"}, default="auto"
        The blocks; ``auto`` is words and pairs in one, characters in the other.
    language : str or None, default="english"
        Whose stems; None takes words as they are. Token lists are taken as they are.

    Examples
    --------
    >>> features = TextFeatures("words")
    >>> features.fit_transform(["Oil prices", "OIL price", "rain"]).toarray().round(3).tolist()
    [[0.707, 0.707, 0.0], [0.707, 0.707, 0.0], [0.0, 0.0, 1.0]]
    >>> features.get_feature_names_out().tolist()
    ['oil', 'price', 'rain']
    """

    def __init__(self, kind: Kind = "auto", language: str | None = "english") -> None:
        if kind not in FEATURES:
            raise ValueError(f"features is {kind!r}; choose one of {', '.join(FEATURES)}")
        if language is not None and language not in languages():
            raise ValueError(
                f"language is {language!r}, whose stems are not known; choose one of "
                f"{', '.join(languages())}, or None for words as they are"
            )
        self.kind = kind
        self.language = language
        self.reads_tokens = False
        self.blocks: list[Block] = []
        if kind != "characters":
            self.blocks.append(WordBlock(language, pairs=kind != "words"))
        if kind in ("auto", "characters"):
            self.blocks.append(GramBlock())

    @property
    def least(self) -> NDArray[np.int64]:
        """In how many documents each term must be to be known."""
        return np.concatenate([block.least for block in self.blocks])

    def learn(self, documents: Documents) -> Terms:
        """Take terms and idf of the documents as the known ones; return the documents in terms."""
        self.reads_tokens = documents.is_tokens
        terms = Terms.of_blocks([block.learn(documents) for block in self.blocks])
        self.weigh(terms.frequencies(), terms.n_documents)
        return terms

    def read(self, documents: Documents) -> Terms:
        """Return other documents in the known terms."""
        if documents.is_tokens != self.reads_tokens and len(documents):
            given, expected = ("token lists", "texts")[:: 1 if documents.is_tokens else -1]
            raise TypeError(f"X holds {given}, and what was learnt from were {expected}")
        return Terms.of_blocks([block.read(documents) for block in self.blocks])

    def weigh(self, frequencies: NDArray[np.int64], n_documents: int) -> None:
        """Take the weights of the terms from the number of documents that they are in."""
        self.frequencies = frequencies
        self.n_documents = n_documents
        self.weights = idf_weights(frequencies, n_documents, self.least)

    def fit_transform(self, X: Any) -> sparse.csr_array:
        """Learn terms and idf from documents, and return their vectors."""
        return self.learn(Documents.of(X)).vectors(self.weights).matrix()

    def fit(self, X: Any) -> Self:
        """Learn terms and idf from documents."""
        self.fit_transform(X)
        return self

    def transform(self, X: Any) -> sparse.csr_array:
        """Return the vectors of documents."""
        return self.read(Documents.of(X)).vectors(self.weights).matrix()

    def get_feature_names_out(self, *, spelt: bool = False) -> NDArray[np.object_]:
        """Return each term as text, in the order of the columns."""
        names = [name for block in self.blocks for name in block.names(spelt=spelt)]
        return np.array(names, dtype=object)

    def find(self, documents: Sequence[Any]) -> list[list[Found]]:
        """Return the occurrences of known terms in each document, with the words they stand in."""
        found: list[list[Found]] = [[] for _ in documents]
        first = 0
        for block in self.blocks:
            for here, more in zip(found, block.find(documents), strict=True):
                here += [(first + term, words) for term, words in more]
            first += len(block.least)
        return found
