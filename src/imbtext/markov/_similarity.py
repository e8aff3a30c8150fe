"""Other documents counted by how similar they are to a class.

Extrapolation treats all documents of the other classes alike. Here each counts the more, the closer
its words are to those of the class: the cosine of the two, every word weighted by its rarity
(log of all tokens over its own), raised to a power. One as similar as the class's own documents are
on average counts 1. All that is needed beforehand are counts of words. Units are whole numbers, so
that sums do not depend on their order.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext._archive import Arrays
from imbtext.documents import Corpus
from imbtext.markov._counts import ClassCounts, TransitionCounts
from imbtext.markov._grams import (
    NGramCounts,
    count_arrays,
    count_grams,
    read_transitions,
    transition_arrays,
)

# A document whose words are in the proportions of the class counts so many units.
_UNITS = 2.0**30


@dataclass(frozen=True, eq=False)
class SimilarCounts:
    """The transitions of the other documents, counted by similarity to one class.

    Attributes
    ----------
    pairs : sparse array of int64, shape (words of the class, n_words)
        Units of each transition from a word of the class.
    longer : tuple of NGramCounts
        Units of the longer contexts, for an order above 1.
    own : int
        Units of the class's own documents together: their mean is what counts 1.

    Examples
    --------
    >>> corpus = Corpus.from_tokens([["oil", "up"], ["oil", "price", "up"], ["oil", "is", "art"]])
    >>> total, own = TransitionCounts.of(corpus), ClassCounts.of(corpus, np.array([0]))
    >>> similar = SimilarCounts.of(corpus, np.array([0]), total, own, power=1)
    >>> similar.total(total, own).pairs.toarray()[2].round(2).tolist()  # oil: art is price up
    [0.0, 0.18, 0.0, 0.63, 1.0]
    """

    pairs: sparse.csr_array
    longer: tuple[NGramCounts, ...]
    own: int

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        rows: NDArray[np.int64],
        total: TransitionCounts,
        own: ClassCounts,
        power: float,
    ) -> Self:
        """Count the documents of `corpus` but `rows`, those of the class.

        `total` and `own` are the counts of all documents and of the class; `power` is how fast a
        document counts less with its distance from the class.
        """
        units = _units(corpus, total.words, own, power)
        of_class = int(units[rows].sum())
        units[rows] = 0
        place = np.full(corpus.n_words, -1, dtype=np.int64)
        place[own.word_ids] = np.arange(len(own.word_ids))
        by_token = np.repeat(units, corpus.lengths)
        follows = np.ones(corpus.n_tokens, dtype=bool)
        follows[corpus.offsets[:-1][corpus.lengths > 0]] = False
        second = np.flatnonzero(follows & (by_token > 0))
        second = second[place[corpus.ids[second - 1]] >= 0]
        pairs = sparse.coo_array(
            (by_token[second], (place[corpus.ids[second - 1]], corpus.ids[second])),
            shape=(len(own.word_ids), corpus.n_words),
        ).tocsr()
        longer = tuple(count_grams(corpus, k, units) for k in range(2, total.order + 1))
        return cls(pairs, longer, of_class)

    def total(self, total: TransitionCounts, own: ClassCounts) -> TransitionCounts:
        """Return what stands in for the counts of all documents, those of the class counted 1."""
        unit = own.counts.n_documents / self.own if self.own else 0.0
        alone = own.counts.relabel(own.word_ids, total.n_words)
        row_ends = np.zeros(total.n_words + 1, dtype=self.pairs.indptr.dtype)
        row_ends[own.word_ids + 1] = np.diff(self.pairs.indptr)
        others = sparse.csr_array(
            (self.pairs.data * unit, self.pairs.indices, np.cumsum(row_ends)),
            shape=alone.pairs.shape,
        )
        pairs = sparse.csr_array(others + alone.pairs)
        pairs.sort_indices()
        longer = tuple(
            replace(level, counts=level.counts * unit).merge(mine, 1)
            for level, mine in zip(self.longer, alone.longer, strict=True)
        )
        return replace(total, pairs=pairs, longer=longer)

    def to_arrays(self) -> Arrays:
        """Return the units as plain arrays by name, for a file."""
        return transition_arrays(self.pairs, self.longer, {"own": np.array([self.own])})

    @classmethod
    def from_arrays(cls, arrays: Arrays, own: ClassCounts, n_words: int) -> Self:
        """Rebuild the units from :meth:`to_arrays`, checking that they fit the counts."""
        plain = count_arrays(arrays, own.counts.order, ["own"])
        large = any(values.sum(dtype=float) >= 2.0**62 for values in plain.values())
        if large or plain["own"].shape != (1,):
            raise ValueError("its similarities are no units of counts")
        shape = (len(own.word_ids), n_words)
        return cls(*read_transitions(plain, own.counts.order, shape), int(plain["own"][0]))


def _units(
    corpus: Corpus, words: NDArray[np.int64], own: ClassCounts, power: float
) -> NDArray[np.int64]:
    """Return what each document counts: the power of its cosine to the class, in whole units."""
    # A word that the documents lack, or that is all they consist of, tells nothing.
    rarity = np.log(max(int(words.sum()), 1) / np.maximum(words, 1))
    direction = np.zeros(corpus.n_words)
    direction[own.word_ids] = own.counts.words
    direction *= rarity
    bags = corpus.counts()
    norms = np.sqrt(bags.power(2) @ rarity**2) * np.linalg.norm(direction)
    with np.errstate(invalid="ignore"):
        cosines = (bags @ (direction * rarity)) / norms
    return np.rint(_UNITS * np.nan_to_num(cosines) ** power).astype(np.int64)
