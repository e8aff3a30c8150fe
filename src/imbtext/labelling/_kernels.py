"""The compiled loops of the labelling loop: scoring a pool for one class.

A label may change the scores of the whole pool. So a loop here does in one pass what
:mod:`imbtext.rare._kernels` does in two: the sum over a document's terms and the length of the
document. A term's weight and its squared gain lie side by side in memory.
"""

import numpy as np
from numpy.typing import NDArray

from imbtext._compilation import compiled

# Of the terms of documents: where each block of a document begins, the terms, their values.
Entries = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]
_N_SUMS = 16


@compiled
def score_documents(
    entries: Entries,
    scales: NDArray[np.float32],
    table: NDArray[np.float32],
    rows: NDArray[np.int64],
    n_blocks: int,
    scores: NDArray[np.float64],
) -> None:
    """Write the score of each of the `rows`, as if it had unit length, without the constant.

    `table` has a row per term: what it adds to the score, and the square of its gain.
    """
    indptr, indices, values = entries
    for row in rows:
        score, length = np.float32(0.0), np.float32(0.0)
        for segment in range(row * n_blocks, (row + 1) * n_blocks):
            added, squared = np.float32(0.0), np.float32(0.0)
            for p in range(indptr[segment], indptr[segment + 1]):
                x, term = values[p], indices[p]
                added += x * table[term, 0]
                squared += x * x * table[term, 1]
            score += added * scales[segment]
            length += squared * scales[segment] * scales[segment]
        scores[row] = score / np.sqrt(length) if length > 0 else np.float32(0.0)


@compiled
def score_dense(
    dense: NDArray[np.float32], weights: NDArray[np.float32], scores: NDArray[np.float64]
) -> None:
    """Write what dense vectors add to the score of each document.

    Sums run side by side, because one sum waits for each of its additions. The order of additions
    is always the same, which a library of linear algebra does not promise.
    """
    width = dense.shape[1]
    end_of_blocks = width - width % _N_SUMS
    for row in range(len(dense)):
        sums = np.zeros(_N_SUMS, np.float32)
        for first in range(0, end_of_blocks, _N_SUMS):
            for k in range(_N_SUMS):
                sums[k] += dense[row, first + k] * weights[first + k]
        for j in range(end_of_blocks, width):
            sums[0] += dense[row, j] * weights[j]
        scores[row] = sums.sum()


@compiled
def take_rows(
    entries: Entries, rows: NDArray[np.int64], n_blocks: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    """Return the entries of some documents, one document after the other."""
    indptr, indices, values = entries
    n_entries = 0
    for row in rows:
        n_entries += indptr[(row + 1) * n_blocks] - indptr[row * n_blocks]
    ends = np.zeros(len(rows) * n_blocks + 1, np.int64)
    taken, of_taken = np.empty(n_entries, np.int32), np.empty(n_entries, np.float32)
    end = 0
    for k in range(len(rows)):
        for b in range(n_blocks):
            segment = rows[k] * n_blocks + b
            for p in range(indptr[segment], indptr[segment + 1]):
                taken[end], of_taken[end] = indices[p], values[p]
                end += 1
            ends[k * n_blocks + b + 1] = end
    return ends, taken, of_taken


@compiled
def add_occurrences(
    entries: Entries, rows: NDArray[np.int64], n_blocks: int, sign: int, counts: NDArray[np.int64]
) -> None:
    """Add `sign` to the count of each term for each of the `rows` that has it."""
    indptr, indices, _ = entries
    for row in rows:
        for p in range(indptr[row * n_blocks], indptr[(row + 1) * n_blocks]):
            counts[indices[p]] += sign


@compiled
def stretch_terms(
    factors: NDArray[np.float64], weights: NDArray[np.float64], table: NDArray[np.float32]
) -> tuple[float, float]:
    """Write squared gains; return the least and the largest factor by which a gain has changed.

    A gain is a term's weight times its factor. Where a gain was 0 before, the largest is infinite.
    """
    if len(factors) == 0:
        return 1.0, 1.0
    least, largest = np.inf, 0.0
    for term in range(len(factors)):
        before = table[term, 1]
        table[term, 1] = (weights[term] * factors[term]) ** 2
        change = table[term, 1] / before if before > 0 else np.inf
        least, largest = min(least, change), max(largest, change)
    return float(np.sqrt(least)), float(np.sqrt(largest))


@compiled
def replace_weights(
    weights: NDArray[np.float32], squares: NDArray[np.float32], table: NDArray[np.float32]
) -> float:
    """Write what terms add to a score; return how far that is from before.

    The distance is that of weights without gains, whose squares are in `squares`. No score of a
    document of length one has changed by more than that.
    """
    distance = 0.0
    for term in range(len(weights)):
        move = weights[term] - table[term, 0]
        if move != 0 and squares[term] > 0:
            distance += move * move / squares[term]
        table[term, 0] = weights[term]
    return float(np.sqrt(distance))
