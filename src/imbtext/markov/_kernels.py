"""The compiled loops of the chain: rows of P, alias tables, and drawing. Nothing else.

They trust what they are given: ids within the vocabulary, sorted columns, rows that are not empty,
lengths whose sum is the size of the array to fill. :mod:`imbtext.markov._chain` sees to it.
"""

import numpy as np
from numpy.typing import NDArray

from imbtext._compilation import compiled
from imbtext._counters import STEP, document_key, mix

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@compiled
def count_pairs(
    ids: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Count the pairs of neighbours in each document: row ends, columns and counts, in order.

    A pair is a number, its first word in the high bits. A radix sort puts equal ones together in
    as many passes as the vocabulary's size has digits: the time is linear in the tokens.
    """
    half = 1
    while (np.int64(1) << half) < n_words:
        half += 1
    cells = np.empty(len(ids), np.uint64)
    n = 0
    for d in range(len(offsets) - 1):
        for t in range(offsets[d] + 1, offsets[d + 1]):
            cells[n] = (np.uint64(ids[t - 1]) << np.uint64(half)) | np.uint64(ids[t])
            n += 1
    cells = radix_sorted(cells[:n], 2 * half)
    n_distinct = 0
    for t in range(n):
        if t == 0 or cells[t] != cells[t - 1]:
            n_distinct += 1
    indptr = np.zeros(n_words + 1, np.int64)
    columns = np.empty(n_distinct, np.int32)
    counts = np.zeros(n_distinct, np.int64)
    low = (np.uint64(1) << np.uint64(half)) - np.uint64(1)
    end = 0
    for t in range(n):
        if t == 0 or cells[t] != cells[t - 1]:
            columns[end] = np.int32(cells[t] & low)
            indptr[np.int64(cells[t] >> np.uint64(half)) + 1] += 1
            end += 1
        counts[end - 1] += 1
    for i in range(n_words):
        indptr[i + 1] += indptr[i]
    return indptr, columns, counts


@compiled
def radix_sorted(cells: NDArray[np.uint64], n_bits: int) -> NDArray[np.uint64]:
    """Sort numbers of `n_bits` bits, in place or beside it, in linear time."""
    n_passes = (n_bits + 10) // 11
    width = np.uint64((n_bits + n_passes - 1) // n_passes)
    low = (np.uint64(1) << width) - np.uint64(1)
    ends = np.zeros((n_passes, np.int64(low) + 1), np.int64)
    for cell in cells:
        for p in range(n_passes):
            ends[p, np.int64((cell >> (np.uint64(p) * width)) & low)] += 1
    other = np.empty_like(cells)
    for p in range(n_passes):
        before = 0
        for digit in range(ends.shape[1]):
            size = ends[p, digit]
            ends[p, digit] = before
            before += size
        for cell in cells:
            place = np.int64((cell >> (np.uint64(p) * width)) & low)
            other[ends[p, place]] = cell
            ends[p, place] += 1
        cells, other = other, cells
    return cells


@compiled
def extrapolated_rows(
    word_ids: NDArray[np.int64],
    total_indptr: NDArray[np.integer],
    total_indices: NDArray[np.integer],
    total_data: NDArray[np.int64],
    minority_indptr: NDArray[np.integer],
    minority_indices: NDArray[np.integer],
    minority_data: NDArray[np.int64],
    ending: NDArray[np.int64],
    gamma: float,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    """Return the rows of P for the minority words, whose ids in the whole are `word_ids`.

    ``P(i, j) = C_min + gamma (C - C_min)`` off the diagonal, and ``P(i, <stop>) = E_min``; both
    counts are read in the order of their sorted columns, C_min's being among C's.
    """
    stop = len(total_indptr) - 1
    size = 0
    for i in word_ids:
        size += total_indptr[i + 1] - total_indptr[i] + 1
    indptr = np.zeros(len(word_ids) + 1, np.int64)
    words = np.empty(size, np.int32)
    weights = np.empty(size, np.float64)
    end = 0
    for r in range(len(word_ids)):
        i = word_ids[r]
        k = minority_indptr[r]
        last = minority_indptr[r + 1]
        for t in range(total_indptr[i], total_indptr[i + 1]):
            j = total_indices[t]
            minority = 0
            if k < last and word_ids[minority_indices[k]] == j:
                minority = minority_data[k]
                k += 1
            weight = minority + gamma * (total_data[t] - minority)
            if j != i and weight > 0.0:
                words[end] = j
                weights[end] = weight
                end += 1
        if ending[r] > 0:
            words[end] = stop
            weights[end] = ending[r]
            end += 1
        indptr[r + 1] = end
    return indptr, words[:end], weights[:end]


@compiled
def alias_tables(
    indptr: NDArray[np.int64],
    words: NDArray[np.int32],
    following: NDArray[np.int32],
    weights: NDArray[np.float64],
) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """Return Vose's alias table of each row: a cut, and the two outcomes on its sides.

    Slot t holds (word, next state) below the cut and (word, next state) above it, side by side,
    so that one draw reads one place in memory.
    """
    n = len(weights)
    cut = np.empty(n, np.uint32)
    outcome = np.empty((n, 4), np.int32)
    widest = 0  # by a loop: numba compiles np.diff for seconds
    for r in range(len(indptr) - 1):
        widest = max(widest, indptr[r + 1] - indptr[r])
    scaled = np.empty(widest, np.float64)
    small = np.empty(widest, np.int64)
    large = np.empty(widest, np.int64)
    for r in range(len(indptr) - 1):
        start = indptr[r]
        width = indptr[r + 1] - start
        total = 0.0
        for k in range(width):
            total += weights[start + k]
        n_small = 0
        n_large = 0
        for k in range(width):
            scaled[k] = weights[start + k] * width / total
            outcome[start + k, 0] = words[start + k]
            outcome[start + k, 1] = following[start + k]
            if scaled[k] < 1.0:
                small[n_small] = k
                n_small += 1
            else:
                large[n_large] = k
                n_large += 1
        while n_small > 0 and n_large > 0:
            n_small -= 1
            low = small[n_small]
            high = large[n_large - 1]
            cut[start + low] = np.uint32(scaled[low] * 4294967296.0)
            outcome[start + low, 2] = words[start + high]
            outcome[start + low, 3] = following[start + high]
            scaled[high] -= 1.0 - scaled[low]
            if scaled[high] < 1.0:
                n_large -= 1
                small[n_small] = high
                n_small += 1
        # What is left is a whole slot, or one by rounding: both sides are the same outcome.
        for k in range(n_large):
            small[n_small + k] = large[k]
        for k in range(n_small + n_large):
            slot = start + small[k]
            cut[slot] = np.uint32(4294967295)
            outcome[slot, 2] = words[slot]
            outcome[slot, 3] = following[slot]
    return cut, outcome


@compiled
def draw_lengths(
    n: int,
    first: int,
    seed: np.uint64,
    stream: np.uint64,
    lengths: NDArray[np.int64],
    cumulative: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Draw the length of each document from the lengths of the class's documents."""
    drawn = np.empty(n, np.int64)
    n_documents = np.uint64(cumulative[-1])
    for d in range(n):
        u = mix(document_key(seed, stream, np.uint64(first + d)))
        pick = np.int64(((u >> _HALF) * n_documents) >> _HALF)
        drawn[d] = lengths[np.searchsorted(cumulative, pick, side="right")]
    return drawn


@compiled
def draw_documents(
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    first: int,
    seed: np.uint64,
    stream: np.uint64,
    indptr: NDArray[np.int64],
    cut: NDArray[np.uint32],
    outcome: NDArray[np.int32],
    stop: int,
    stop_state: int,
) -> None:
    """Fill each document, none of them empty, with one random walk of the chain (Algorithm 1).

    A walk begins at ``<stop>`` and passes through it without writing it. Each step waits for the
    memory that the last one named, so several documents take turns: while one waits, the
    others continue.
    """
    n = len(offsets) - 1
    lanes = min(n, 8)
    document = np.arange(lanes)
    counter = np.empty(lanes, np.uint64)
    state = np.full(lanes, stop_state, np.int64)
    position = offsets[:lanes].copy()
    for lane in range(lanes):
        counter[lane] = document_key(seed, stream, np.uint64(first + lane))
    begun = lanes
    while lanes > 0:
        lane = 0
        while lane < lanes:
            counter[lane] += STEP
            u = mix(counter[lane])
            start = indptr[state[lane]]
            width = np.uint64(indptr[state[lane] + 1] - start)
            slot = start + np.int64(((u >> _HALF) * width) >> _HALF)
            side = 2 * np.int64(np.uint32(u & _LOW) >= cut[slot])
            word = outcome[slot, side]
            state[lane] = outcome[slot, side + 1]
            # A <stop> is written too, and the next word over it: cheaper than a branch.
            ids[position[lane]] = word
            position[lane] += np.int64(word != stop)
            if position[lane] < offsets[document[lane] + 1]:
                lane += 1
            elif begun < n:
                document[lane] = begun
                counter[lane] = document_key(seed, stream, np.uint64(first + begun))
                state[lane] = stop_state
                position[lane] = offsets[begun]
                begun += 1
                lane += 1
            else:
                lanes -= 1
                document[lane] = document[lanes]
                counter[lane] = counter[lanes]
                state[lane] = state[lanes]
                position[lane] = position[lanes]
