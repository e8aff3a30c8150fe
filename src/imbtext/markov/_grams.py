"""How often each context of several words is followed by each word; transitions in a file."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext._archive import Arrays
from imbtext._typing import Array
from imbtext.documents import Corpus

_MOST_BITS = 64


@dataclass(frozen=True, eq=False)
class NGramCounts:
    """The contexts of k words, each with an id that follows, and how often it does.

    Rows are distinct and in lexicographic order; the id ``n_words`` stands for ``<stop>``. The
    counts of documents that are counted by similarity are weights.
    """

    grams: NDArray[np.int32]
    counts: Array

    @classmethod
    def of_rows(cls, grams: NDArray[np.int32], counts: Array) -> Self:
        """Add up equal rows; rows that come to zero are dropped."""
        if not len(grams):
            return cls(grams, counts)
        n_bits = _bits(grams)
        if n_bits * grams.shape[1] <= _MOST_BITS:
            # Sorted rows that were joined are merged in one pass by a stable sort.
            order = np.argsort(_packed(grams, n_bits), kind="stable")
        else:
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
    has_words = corpus.lengths > 0
    bounds = np.concatenate([corpus.offsets[:-1][has_words], corpus.offsets[1:][has_words]])
    padded = np.insert(corpus.ids, bounds, corpus.n_words)
    if len(padded) <= k:
        return NGramCounts(np.empty((0, k + 1), np.int32), np.empty(0, np.int64))
    windows = np.lib.stride_tricks.sliding_window_view(padded, k + 1)
    # Only a window over two documents has a <stop> inside it.
    inside = ~(windows[:, 1:-1] == corpus.n_words).any(axis=1)
    rows = windows[inside]
    if units is not None:
        repeated = np.repeat(units[has_words], corpus.lengths[has_words] + 2)
        return NGramCounts.of_rows(rows, repeated[: len(windows)][inside])
    n_bits = _bits(rows)
    if not len(rows) or n_bits * (k + 1) > _MOST_BITS:
        return NGramCounts.of_rows(rows, np.ones(len(rows), dtype=np.int64))
    from imbtext.markov._kernels import radix_sorted

    # As pairs are counted: in time linear in the tokens.
    cells = radix_sorted(_packed(rows, n_bits), n_bits * (k + 1))
    first = np.flatnonzero(np.concatenate([[True], cells[1:] != cells[:-1]]))
    return NGramCounts(
        _unpacked(cells[first], n_bits, k + 1), np.diff(np.append(first, len(cells)))
    )


def transition_arrays(
    pairs: sparse.csr_array, longer: tuple[NGramCounts, ...], others: Arrays
) -> Arrays:
    """Return transitions and others as plain arrays by name, for a file."""
    arrays = {f"pairs_{part}": getattr(pairs, part) for part in ("indptr", "indices", "data")}
    arrays |= others
    for k, level in enumerate(longer, start=2):
        arrays |= {f"grams_{k}": level.grams, f"gram_counts_{k}": level.counts}
    return arrays


def read_transitions(
    arrays: Arrays, order: int, shape: tuple[int, int]
) -> tuple[sparse.csr_array, tuple[NGramCounts, ...]]:
    """Return transitions from the arrays of a file, checked."""
    data, indices, indptr = (arrays[f"pairs_{part}"] for part in ("data", "indices", "indptr"))
    # scipy does not look at indptr where nothing is stored, and then writes wherever it points.
    if (
        indptr.shape != (shape[0] + 1,)
        or indptr[0] != 0
        or (indptr[:-1] > indptr[1:]).any()
        or indptr[-1] != len(indices)
    ):
        raise ValueError("the ends of its rows of transitions are not in order")
    pairs = sparse.csr_array((data, indices, indptr), shape=shape)
    pairs.check_format(full_check=True)
    pairs.sum_duplicates()
    longer = []
    for k in range(2, order + 1):
        grams, counts = arrays[f"grams_{k}"], arrays[f"gram_counts_{k}"]
        if grams.shape != (len(counts), k + 1) or np.any(grams > shape[1]):
            raise ValueError(f"the contexts of {k} words do not fit the vocabulary")
        longer.append(NGramCounts.of_rows(grams.astype(np.int32), counts))
    return pairs, tuple(longer)


def count_arrays(arrays: Arrays, order: int, others: Iterable[str]) -> Arrays:
    """Return the arrays of a file, which must be transitions and these others, all of counts."""
    plain = {name: values.astype(np.int64) for name, values in arrays.items()}
    for name, values in arrays.items():  # those above 2**63 are negative now
        if values.dtype.kind not in "iu" or plain[name].min(initial=0) < 0:
            raise ValueError(f"{name!r} holds something other than counts")
    if order > len(arrays):  # before as many names are made
        raise ValueError(f"it has no arrays for contexts of {order} words")
    kinds = ("grams", "gram_counts")
    expected = {*others, "pairs_indptr", "pairs_indices", "pairs_data"}
    expected |= {f"{kind}_{k}" for k in range(2, order + 1) for kind in kinds}
    if set(arrays) != expected:
        raise ValueError(f"expected the arrays {sorted(expected)}, got {sorted(arrays)}")
    return plain


def _bits(grams: NDArray[np.int32]) -> int:
    return max(int(grams.max(initial=0)).bit_length(), 1)


def _packed(grams: NDArray[np.int32], n_bits: int) -> NDArray[np.uint64]:
    """Make one number of each row, in the order of the rows."""
    cells = np.zeros(len(grams), dtype=np.uint64)
    for column in grams.T:
        cells = (cells << np.uint64(n_bits)) | column.astype(np.uint64)
    return cells


def _unpacked(cells: NDArray[np.uint64], n_bits: int, width: int) -> NDArray[np.int32]:
    low = np.uint64((1 << n_bits) - 1)
    places = [np.uint64(n_bits * place) for place in reversed(range(width))]
    return np.stack([(cells >> place) & low for place in places], axis=1).astype(np.int32)
