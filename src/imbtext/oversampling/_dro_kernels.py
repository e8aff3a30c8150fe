"""The compiled loops of DRO, which draw latent features, nothing else."""

import numpy as np
from numpy.typing import NDArray

from imbtext._compilation import compiled
from imbtext._counters import STEP, document_key, mix, unit


@compiled
def accumulate(indptr: NDArray[np.int64], data: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum up along each column."""
    cumulative = np.empty_like(data)
    for w in range(len(indptr) - 1):
        total = 0.0
        for t in range(indptr[w], indptr[w + 1]):
            total += data[t]
            cumulative[t] = total
    return cumulative


@compiled
def row_keys(n: int, seed: np.uint64, stream: np.uint64) -> NDArray[np.uint64]:
    """Return where the random numbers of each row begin."""
    keys = np.empty(n, np.uint64)
    for d in range(n):
        keys[d] = document_key(seed, stream, np.uint64(d))
    return keys


@compiled
def content_keys(
    indptr: NDArray[np.int64],
    words: NDArray[np.int64],
    bits: NDArray[np.uint64],
    start: np.uint64,
) -> NDArray[np.uint64]:
    """Return where the random numbers of each row begin, from its words and weights."""
    keys = np.empty(len(indptr) - 1, np.uint64)
    for d in range(len(keys)):
        key = start
        for t in range(indptr[d], indptr[d + 1]):
            key = mix(key ^ mix(np.uint64(words[t]) + STEP))
            key = mix(key ^ bits[t])
        keys[d] = key
    return keys


@compiled
def draw_documents(
    indptr: NDArray[np.int64],
    words: NDArray[np.int64],
    weights: NDArray[np.float64],
    keys: NDArray[np.uint64],
    gain: NDArray[np.float64],
    column_indptr: NDArray[np.int64],
    column_documents: NDArray[np.int32],
    column_cumulative: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Draw for each row as many training documents as the integer part of its sum."""
    n = len(indptr) - 1
    offsets = np.zeros(n + 1, np.int64)
    # A word without a column has no training document to lead to.
    mass = np.zeros(len(words))
    for d in range(n):
        total = 0.0
        weighted = 0.0
        for t in range(indptr[d], indptr[d + 1]):
            total += weights[t]
            if column_indptr[words[t] + 1] > column_indptr[words[t]]:
                weighted += weights[t] * gain[words[t]]
            mass[t] = weighted
        offsets[d + 1] = offsets[d] + (np.int64(total) if weighted > 0.0 else 0)
    drawn = np.empty(offsets[n], np.int32)
    for d in range(n):
        counter = keys[d]
        first = indptr[d]
        last = indptr[d + 1] - 1
        for position in range(offsets[d], offsets[d + 1]):
            counter += STEP
            u = unit(counter) * mass[last]
            t = first
            while t < last and mass[t] <= u:
                t += 1
            start = column_indptr[words[t]]
            end = column_indptr[words[t] + 1]
            counter += STEP
            v = unit(counter) * column_cumulative[end - 1]
            slot = start + np.searchsorted(column_cumulative[start:end], v, side="right")
            drawn[position] = column_documents[min(slot, end - 1)]
    return offsets, drawn
