"""Other documents counted by how similar they are to a class.

Extrapolation treats all documents of the other classes alike. Here a document counts more, the
closer its words are to those of the class: the cosine of the two, every word weighted by its rarity
(log of all tokens over the tokens of the word), raised to a power. A document as similar to the
class as the documents of the class are on average counts 1. Only counts of words are needed
beforehand. Units are whole numbers, so that sums do not depend on their order.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext.documents._corpus import Corpus
from imbtext.markov._counts import ClassCounts, PairsRecord, TransitionCounts
from imbtext.records import StoredAs

# A document whose words are in the proportions of the class counts this many units.
_UNITS = 2.0**30


@dataclass(frozen=True, eq=False)
class SimilarCounts:
    """The transitions of the other documents, counted by similarity to one class.

    Attributes
    ----------
    pairs : sparse array of int64, shape (words of the class, n_words)
        Units of each transition from a word of the class.
    class_units : int
        Units of the documents of the class together; their mean is what counts 1.

    Examples
    --------
    >>> corpus = Corpus.from_tokens([["oil", "up"], ["oil", "price", "up"], ["oil", "is", "art"]])
    >>> total, oil = TransitionCounts.of(corpus), ClassCounts.of(corpus, np.array([0]))
    >>> similar = SimilarCounts.of(corpus, np.array([0]), total, oil, power=1)
    >>> similar.total(total, oil).pairs.toarray()[2].round(2).tolist()  # oil: art is price up
    [0.0, 0.18, 0.0, 0.63, 1.0]
    """

    pairs: Annotated[sparse.csr_array, StoredAs(PairsRecord)]
    class_units: int

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        members: NDArray[np.int64],
        total: TransitionCounts,
        class_counts: ClassCounts,
        power: float,
    ) -> Self:
        """Count the documents of `corpus` but `members`, those of the class.

        `total` and `class_counts` are the counts of all documents and of the class; `power` is how
        fast a document counts less with its distance from the class.
        """
        units = _units(corpus, total.words, class_counts, power)
        class_units = int(units[members].sum())
        units[members] = 0
        position = np.full(corpus.n_words, -1, dtype=np.int64)
        position[class_counts.word_ids] = np.arange(len(class_counts.word_ids))
        by_token = np.repeat(units, corpus.lengths)
        follows = np.ones(corpus.n_tokens, dtype=bool)
        follows[corpus.offsets[:-1][corpus.lengths > 0]] = False
        second = np.flatnonzero(follows & (by_token > 0))
        second = second[position[corpus.ids[second - 1]] >= 0]
        pairs = sparse.coo_array(
            (by_token[second], (position[corpus.ids[second - 1]], corpus.ids[second])),
            shape=(len(class_counts.word_ids), corpus.n_words),
        ).tocsr()
        return cls(pairs, class_units)

    def total(self, total: TransitionCounts, class_counts: ClassCounts) -> TransitionCounts:
        """Return what stands in for the counts of all documents, those of the class counted 1."""
        unit = class_counts.counts.n_documents / self.class_units if self.class_units else 0.0
        alone = class_counts.counts.relabel(class_counts.word_ids, total.n_words)
        row_ends = np.zeros(total.n_words + 1, dtype=self.pairs.indptr.dtype)
        row_ends[class_counts.word_ids + 1] = np.diff(self.pairs.indptr)
        others = sparse.csr_array(
            (self.pairs.data * unit, self.pairs.indices, np.cumsum(row_ends)),
            shape=alone.pairs.shape,
        )
        pairs = sparse.csr_array(others + alone.pairs)
        pairs.sort_indices()
        return replace(total, pairs=pairs)

    def check(self, class_counts: ClassCounts, n_words: int) -> None:
        """Raise unless these units, which a file holds, fit the counts of the class."""
        if self.pairs.shape != (len(class_counts.word_ids), n_words):
            raise ValueError("its similarities are those of other words")
        if self.class_units < 0 or self.pairs.data.sum(dtype=float) >= 2.0**62:
            raise ValueError("its similarities are not units of counts")


def _units(
    corpus: Corpus, words: NDArray[np.int64], class_counts: ClassCounts, power: float
) -> NDArray[np.int64]:
    """Return what each document counts: the power of its cosine to the class, in whole units."""
    # A word that the documents lack, or that is all they consist of, says nothing.
    rarity = np.log(max(int(words.sum()), 1) / np.maximum(words, 1))
    direction = np.zeros(corpus.n_words)
    direction[class_counts.word_ids] = class_counts.counts.words
    direction *= rarity
    bags = corpus.counts()
    norms = np.sqrt(bags.power(2) @ rarity**2) * np.linalg.norm(direction)
    with np.errstate(invalid="ignore"):
        cosines = (bags @ (direction * rarity)) / norms
    units: NDArray[np.int64] = np.rint(_UNITS * np.nan_to_num(cosines) ** power).astype(np.int64)
    return units
