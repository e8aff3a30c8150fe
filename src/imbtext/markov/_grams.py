"""How often each context of several words is followed by each word."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from imbtext.corpus import Corpus


@dataclass(frozen=True, eq=False)
class NGramCounts:
    """How often each context is followed by each word.

    Attributes
    ----------
    grams : ndarray of int32, shape (n_grams, k + 1)
        The k ids of a context and the id that follows; ``n_words`` stands for ``<stop>``. Rows are
        distinct and in lexicographic order.
    counts : ndarray, shape (n_grams,)
        Occurrences; of documents counted by similarity, a weight.
    """

    grams: NDArray[np.int32]
    counts: NDArray[Any]

    @classmethod
    def of_rows(cls, grams: NDArray[np.int32], counts: NDArray[Any]) -> Self:
        """Add up equal rows; rows that come to zero are dropped."""
        if not len(grams):
            return cls(grams, counts)
        order = np.lexsort(grams.T[::-1])
        grams, counts = grams[order], counts[order]
        starts = np.flatnonzero(np.concatenate([[True], np.any(grams[1:] != grams[:-1], axis=1)]))
        sums = np.add.reduceat(counts, starts)
        kept = sums != 0
        return cls(grams[starts[kept]], sums[kept])

    def merge(self, other: "NGramCounts", sign: int) -> Self:
        """Return these counts plus `sign` times the other ones."""
        return self.of_rows(
            np.concatenate([self.grams, other.grams]),
            np.concatenate([self.counts, sign * other.counts]),
        )


def count_grams(corpus: Corpus, k: int, units: NDArray[np.int64] | None = None) -> NGramCounts:
    """Count all runs of k + 1 ids, each document with a ``<stop>`` before and behind it.

    With `units`, each document counts as often as they say.
    """
    lengths = corpus.lengths[corpus.lengths > 0]
    starts = corpus.offsets[:-1][corpus.lengths > 0]
    padded = np.full(corpus.n_tokens + 2 * len(lengths), corpus.n_words, dtype=np.int32)
    padded_starts = starts + 2 * np.arange(len(starts))
    positions = np.arange(corpus.n_tokens) + np.repeat(padded_starts + 1 - starts, lengths)
    padded[positions] = corpus.ids
    if len(padded) <= k:
        return NGramCounts(np.empty((0, k + 1), np.int32), np.empty(0, np.int64))
    windows = np.lib.stride_tricks.sliding_window_view(padded, k + 1)
    # Only a window over two documents has a <stop> inside it.
    inside = ~(windows[:, 1:-1] == corpus.n_words).any(axis=1)
    if units is None:
        counts = np.ones(int(inside.sum()), dtype=np.int64)
    else:
        counts = np.repeat(units[corpus.lengths > 0], lengths + 2)[: len(windows)][inside]
    return NGramCounts.of_rows(windows[inside], counts)
