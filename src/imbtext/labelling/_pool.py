"""The pool: all documents as vectors that never change.

Vectors are the sublinear tf-idf of :mod:`imbtext.features`: words with pairs in one block and grams
of four characters in another. The idf is that of the whole pool, since unread documents say as much
about how common a word is as read ones. A term that only one document has is left out: it says
nothing about other documents.

A sentence encoder may add a vector of what each document means (:class:`PoolMeaning`). It finds
documents of the class that share no word with those found so far, which is common among short
texts.

A query (words that a user typed, or an example) becomes vectors of the same kinds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from imbtext._typing import Array, Document
from imbtext.documents._documents import Documents
from imbtext.features._features import Features
from imbtext.features._terms import Occurrences, Terms, Vectors, idf_weights
from imbtext.features._text_features import TextFeatures
from imbtext.features.encoders import Encoder

_LEAST: Final = 2
# The squared share of a vector's length that character grams have; words and pairs have the rest.
GRAM_SHARE: Final = 0.5
_TINY: Final = 1e-12
# Texts between two steps of the encoding.
_AT_ONCE: Final = 128


class PoolTerms:
    """The documents of a labelling loop as terms.

    Attributes
    ----------
    documents : Documents
        The documents as they were given.
    terms : Terms
        The terms that at least two documents have, the commonest of each block first.
    weights, scales : ndarray
        The idf of each term, and a factor for each block of each document, see `Vectors`.
    frequencies : ndarray of int64
        How many documents have each term.
    """

    def __init__(self, documents: Documents, features: Features) -> None:
        self.documents = documents
        self.features = _text_features(features)
        blocks = [block.learn(documents) for block in self.features.blocks]
        of_blocks = [_frequencies(block) for block in blocks]
        self.features.weigh(np.concatenate(of_blocks), len(documents))
        self._places = [_by_frequency(frequencies) for frequencies in of_blocks]
        self.terms = self._terms(blocks)
        self.frequencies = self.terms.frequencies()
        self.weights = idf_weights(self.frequencies, len(documents))
        self._shares = np.sqrt(
            [1 - GRAM_SHARE, GRAM_SHARE] if self.terms.n_blocks == 2 else [1.0]
        ) * np.sqrt(self.terms.n_blocks)
        self.scales = self._scaled(self.terms)

    def __len__(self) -> int:
        return len(self.documents)

    def vectors(self, rows: NDArray[np.int64]) -> Vectors:
        """Return some documents as vectors of their own."""
        from imbtext.labelling._kernels import take_rows

        terms, n_blocks = self.terms, self.terms.n_blocks
        taken = Terms(*take_rows(terms.entries, rows, n_blocks), terms.n_terms, n_blocks)
        scales = self.scales.reshape(-1, n_blocks)[rows].ravel()
        return Vectors(taken, self.weights, scales.astype(np.float64))

    def query(self, documents: Sequence[Document]) -> Vectors:
        """Return new documents as vectors of the pool's terms."""
        new = Documents.of(documents, name="words or examples")
        terms = self._terms([block.read(new) for block in self.features.blocks])
        return Vectors(terms, self.weights, self._scaled(terms).astype(np.float64))

    def similarities(self, query: Vectors) -> NDArray[np.float64]:
        """Return the largest cosine of each document's terms to those of one of the query's."""
        from imbtext.labelling._kernels import score_documents

        largest = np.zeros(len(self))
        rows = np.arange(len(self))
        squares = (self.weights**2).astype(np.float32)
        for one in _dense_rows(query):
            table = np.stack([one.astype(np.float32), squares], axis=1)
            scores = np.zeros(len(self))
            score_documents(
                self.terms.entries, self.scales, table, rows, self.terms.n_blocks, scores
            )
            np.maximum(largest, scores, out=largest)
        return largest

    def words(self, row: int) -> list[tuple[int, str]]:
        """Return the terms of a document, and the words that each stands in."""
        occurrences = self.features.find(self.documents.select(np.array([row])))[0]
        n_before = np.cumsum([0, *((places >= 0).sum() for places in self._places)])
        numbers = np.concatenate(
            [
                np.where(places >= 0, places + first, -1)
                for places, first in zip(self._places, n_before, strict=False)
            ]
        )
        return [(int(numbers[term]), words) for term, words in occurrences if numbers[term] >= 0]

    def _terms(self, blocks: Sequence[Occurrences]) -> Terms:
        """Count the pool's terms in documents that were read in those of the features."""
        return Terms.of_blocks(
            [
                block._replace(columns=np.where(block.columns >= 0, places[block.columns], -1))
                for block, places in zip(blocks, self._places, strict=True)
            ]
        )

    def _scaled(self, terms: Terms) -> NDArray[np.float32]:
        scales = terms.vectors(self.weights).scales.reshape(-1, terms.n_blocks) * self._shares
        return np.asarray(scales.ravel(), np.float32)


@dataclass(frozen=True, eq=False)
class PoolMeaning:
    """What the documents of a pool mean, as vectors of a sentence encoder.

    Attributes
    ----------
    encoder : Encoder
        What made the vectors.
    centre : ndarray of float32
        The mean of all vectors, which is subtracted: what all documents have in common says nothing
        about a class.
    vectors : ndarray of float32
        The centred vector of each document, of length one.
    """

    encoder: Encoder
    centre: NDArray[np.float32]
    vectors: NDArray[np.float32]

    @classmethod
    def of(
        cls,
        encoder: Encoder,
        documents: Documents,
        advance: Callable[[int], object] = lambda _: None,
    ) -> Self:
        """Encode documents, the longest first.

        `advance` is called with the number of texts after each step; the steps are short, so that
        an exception that it raises ends the work soon.
        """
        encoder, texts = encoder.suited_to(documents), documents.strings()
        order = sorted(range(len(texts)), key=lambda row: -len(texts[row]))
        encoded = []
        for start in range(0, len(order), _AT_ONCE):
            some = [texts[row] for row in order[start : start + _AT_ONCE]]
            encoded.append(encoder.encode(some))
            advance(len(some))
        vectors = np.empty((len(texts), encoded[0].shape[1]), np.float32)
        vectors[order] = np.concatenate(encoded)
        centre = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
        return cls(encoder, centre, _centred(vectors, centre))

    def query(self, documents: Sequence[Document]) -> NDArray[np.float32]:
        """Return the vectors of new documents."""
        new = Documents.of(documents, name="words or examples")
        return _centred(self.encoder.encode(new.strings()), self.centre)

    def similarities(self, query: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the largest cosine of each document's vector to one of the query's."""
        return np.asarray((self.vectors @ query.T).max(axis=1), np.float64)


def _centred(vectors: NDArray[np.float32], centre: NDArray[np.float32]) -> NDArray[np.float32]:
    moved = vectors - centre
    lengths = np.linalg.norm(moved, axis=1, keepdims=True)
    return np.asarray(moved / np.maximum(lengths, _TINY), np.float32)


def _text_features(features: Features) -> TextFeatures:
    if not isinstance(features, TextFeatures):
        raise ValueError(
            "labelling needs the terms of the text; give features such as 'auto' or 'words', and "
            "a sentence encoder as encoder="
        )
    return features


def _frequencies(block: Occurrences) -> NDArray[np.int64]:
    """Return in how many documents each term is that has a column."""
    known = block.columns >= 0
    frequencies = np.zeros(int(known.sum()), np.int64)
    frequencies[block.columns[known]] = block.frequencies()[known]
    return frequencies


def _by_frequency(frequencies: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return a new number for each term, -1 if no two documents share it.

    The most common terms come first. The loops over documents then find them close together in
    memory, which made them a third faster.
    """
    order = np.argsort(-frequencies, kind="stable")[: int((frequencies >= _LEAST).sum())]
    places = np.full(len(frequencies), -1, np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places


def _dense_rows(vectors: Vectors) -> Array:
    """Return weights to score documents with: each vector's entries times the terms' weights."""
    matrix = Vectors(vectors.terms, vectors.weights, vectors.scales).matrix()
    return np.asarray(matrix.toarray()) * vectors.weights


def followed_by(first: Vectors, second: Vectors) -> Vectors:
    """Return vectors and then others of the same terms."""
    one, two = first.terms, second.terms
    terms = Terms(
        np.concatenate([one.indptr, two.indptr[1:] + one.indptr[-1]]),
        np.concatenate([one.indices, two.indices]),
        np.concatenate([one.values, two.values]),
        one.n_terms,
        one.n_blocks,
    )
    return Vectors(terms, first.weights, np.concatenate([first.scales, second.scales]))
