"""The compiled loops of the ranking: training and scoring.

Each class scales the terms by factors of its own. No scaled copy of the documents is made: with
``g`` the gain of a term (its idf times the class's factor) and ``w`` its weight in the scaled
space, only ``v = g w`` is kept. The score of a document is then a sum over its terms as they are,
and a step of the training adds a multiple of ``g^2`` times the document to ``v``.

Several classes are trained side by side, one per lane, see :mod:`imbtext.rare._lanes`:
``squares`` and ``v`` have a row per term and a column per lane.

Vectors beside the terms (``dense``: a row per document, of no columns where there are none) are
taken as they are: no gains, no factors. Their weights are the last rows of ``v``.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext._compilation import compiled
from imbtext._counters import mix
from imbtext.rare._lanes import add_row, move_row

# The terms of documents: where each block of a document begins, the terms, their values.
Entries = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]
_MAX_EPOCHS: Final = 1000
# The number of documents that a class looks at once it has converged.
_ENDED: Final = -1


@compiled
def unit_factors(
    entries: Entries,
    scales: NDArray[np.float64],
    squares: NDArray[np.float32],
    rows: NDArray[np.int64],
    n_blocks: int,
    lanes: tuple[int, ...],
) -> NDArray[np.float32]:
    """Return the factor of each block of the `rows` that gives a document unit length."""
    indptr, indices, values = entries
    factors = np.zeros((len(rows), n_blocks, len(lanes)), np.float32)
    length, part = np.empty(len(lanes)), np.empty(len(lanes), np.float32)
    for k in range(len(rows)):
        length[:] = 0.0
        for b in range(n_blocks):
            segment = rows[k] * n_blocks + b
            part[:] = np.float32(0.0)
            for p in range(indptr[segment], indptr[segment + 1]):
                add_row(part, values[p] * values[p], squares, indices[p], lanes)
            for c in range(len(lanes)):
                length[c] += part[c] * scales[segment] * scales[segment]
        for b in range(n_blocks):
            for c in range(len(lanes)):
                if length[c] > 0:
                    factors[k, b, c] = scales[rows[k] * n_blocks + b] / np.sqrt(length[c])
    return factors


@compiled
def _copy(values: NDArray[np.float64], into: NDArray[np.float64]) -> None:
    """Write values into another array; numba compiles ``into[:] = values`` for seconds."""
    for c in range(len(values)):
        into[c] = values[c]


@compiled
def _score(
    entries: Entries,
    dense: NDArray[np.float32],
    factors: NDArray[np.float32],
    v: NDArray[np.float32],
    row: int,
    part: NDArray[np.float32],
    score: NDArray[np.float64],
    lanes: tuple[int, ...],
) -> None:
    """Add to `score` what a document gives: its blocks, times `factors`, and its vector."""
    indptr, indices, values = entries
    n_blocks = len(factors)
    for b in range(n_blocks):
        segment = row * n_blocks + b
        part[:] = np.float32(0.0)
        for p in range(indptr[segment], indptr[segment + 1]):
            add_row(part, values[p], v, indices[p], lanes)
        for c in range(len(lanes)):
            score[c] += part[c] * factors[b, c]
    width = dense.shape[1]
    if width > 0:
        part[:] = np.float32(0.0)
        for j in range(width):
            add_row(part, dense[row, j], v, len(v) - width + j, lanes)
        for c in range(len(lanes)):
            score[c] += part[c]


@compiled
def _move(
    entries: Entries,
    dense: NDArray[np.float32],
    factors: NDArray[np.float32],
    squares: NDArray[np.float32],
    v: NDArray[np.float32],
    row: int,
    steps: NDArray[np.float64],
    sizes: NDArray[np.float32],
    lanes: tuple[int, ...],
) -> None:
    """Add `steps` times a document, its terms scaled twice, to the weights."""
    indptr, indices, values = entries
    n_blocks = len(factors)
    for b in range(n_blocks):
        segment = row * n_blocks + b
        for c in range(len(lanes)):
            sizes[c] = np.float32(steps[c] * factors[b, c])
        for p in range(indptr[segment], indptr[segment + 1]):
            move_row(v, indices[p], values[p], sizes, squares, lanes)
    width = dense.shape[1]
    if width > 0:
        for c in range(len(lanes)):
            sizes[c] = np.float32(steps[c])
        for j in range(width):
            add_row(v[len(v) - width + j], dense[row, j], sizes, 0, lanes)


@compiled
def _shuffle(places: NDArray[np.int64], state: np.uint64) -> np.uint64:
    """Shuffle in place; return the state that the next shuffle starts from."""
    for s in range(len(places) - 1):
        state += np.uint64(1)
        other = s + int(mix(state) % np.uint64(len(places) - s))
        places[s], places[other] = places[other], places[s]
    return state


@compiled
def _look(active: NDArray[np.bool_], n_looking: NDArray[np.int64], at_all: bool) -> None:
    """Let a class look at every document, or at none."""
    for k in range(len(active)):
        if active[k] != at_all:
            active[k] = at_all
            n_looking[k] += 1 if at_all else -1


@compiled
def _start(
    entries: Entries,
    dense: NDArray[np.float32],
    factors: NDArray[np.float32],
    squares: NDArray[np.float32],
    rows: NDArray[np.int64],
    signed: NDArray[np.float64],
    v: NDArray[np.float32],
    constants: NDArray[np.float64],
    lanes: tuple[int, ...],
) -> None:
    """Add to weights and constants what the dual variables, each with its sign, stand for."""
    steps, sizes = np.zeros(len(lanes)), np.empty(len(lanes), np.float32)
    for k in range(len(signed)):
        if signed[k].any():
            for c in range(signed.shape[1]):
                steps[c] = signed[k, c]
                constants[c] += steps[c]
            _move(entries, dense, factors[k], squares, v, rows[k], steps, sizes, lanes)


@compiled
def _squared_lengths(dense: NDArray[np.float32], rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the squared length of the vectors of the `rows`."""
    lengths = np.zeros(len(rows))
    for k in range(len(rows)):
        for j in range(dense.shape[1]):
            lengths[k] += dense[rows[k], j] * dense[rows[k], j]
    return lengths


@compiled
def train(
    entries: Entries,
    dense: NDArray[np.float32],
    factors: NDArray[np.float32],
    squares: NDArray[np.float32],
    rows: NDArray[np.int64],
    signs: NDArray[np.int8],
    penalties: NDArray[np.float64],
    tolerance: float,
    alpha: NDArray[np.float64],
    v: NDArray[np.float32],
    lanes: tuple[int, ...],
) -> NDArray[np.float64]:
    """Minimise half the squared weights plus the sum of penalties times squared hinge losses.

    Dual coordinate descent with shrinking (Hsieh et al. 2008), as in liblinear: one step per
    document, documents that are surely on the right side set aside until the end. The constant
    term is one more weight, as in scikit-learn's LinearSVC. All classes go through the documents in
    the same order; each sets aside documents, and ends, on its own. `signs` has a column per class;
    lanes beyond are idle. `alpha` are the dual variables to start from, zeros or those of a similar
    problem; it is overwritten. Fills `v`, which holds zeros, and returns the constants.
    """
    n, n_classes = signs.shape
    constants = np.zeros(len(lanes))
    active = np.ones((n, n_classes), np.bool_)
    # How many classes still look at each document, and how many documents each class looks at.
    n_looking, n_active = np.full(n, n_classes), np.full(n_classes, n)
    bound = np.full(n_classes, np.inf)
    largest, smallest = np.empty(n_classes), np.empty(n_classes)
    part, sizes = np.empty(len(lanes), np.float32), np.empty(len(lanes), np.float32)
    score, steps = np.empty(len(lanes)), np.zeros(len(lanes))
    _start(entries, dense, factors, squares, rows, alpha * signs, v, constants, lanes)
    vector_lengths = _squared_lengths(dense, rows)
    order = np.arange(n)
    state = np.uint64(0)
    for _ in range(_MAX_EPOCHS):
        state = _shuffle(order, state)
        largest[:] = -np.inf
        smallest[:] = np.inf
        for k in order:
            if n_looking[k] == 0:
                continue
            _copy(constants, score)
            _score(entries, dense, factors[k], v, rows[k], part, score, lanes)
            diagonal = 0.5 / penalties[k]
            for c in range(n_classes):
                steps[c] = 0.0
                if not active[k, c]:
                    continue
                slope = signs[k, c] * score[c] - 1.0 + alpha[k, c] * diagonal
                if alpha[k, c] == 0 and slope > bound[c]:
                    active[k, c] = False
                    n_looking[k] -= 1
                    n_active[c] -= 1
                    continue
                projected = min(slope, 0.0) if alpha[k, c] == 0 else slope
                largest[c] = max(largest[c], projected)
                smallest[c] = min(smallest[c], projected)
                if abs(projected) > 1e-12:
                    # The terms have length 1, or 0 if none is known; the constant adds 1.
                    length = vector_lengths[k] + (1.0 if factors[k, :, c].max() > 0 else 0.0)
                    new = max(alpha[k, c] - slope / (length + 1.0 + diagonal), 0.0)
                    steps[c] = (new - alpha[k, c]) * signs[k, c]
                    alpha[k, c] = new
                    constants[c] += steps[c]
            if steps.any():
                _move(entries, dense, factors[k], squares, v, rows[k], steps, sizes, lanes)
        for c in range(n_classes):
            if largest[c] - smallest[c] > tolerance:
                bound[c] = largest[c] if largest[c] > 0 else np.inf
            elif n_active[c] != _ENDED:
                # Converged on what it looks at: look at all once more or, having seen all, end.
                again = n_active[c] < n
                n_active[c] = n if again else _ENDED
                bound[c] = np.inf
                _look(active[:, c], n_looking, again)
        if not n_looking.any():
            break
    return constants


@compiled
def score_rows(
    entries: Entries,
    dense: NDArray[np.float32],
    factors: NDArray[np.float32],
    v: NDArray[np.float32],
    constants: NDArray[np.float64],
    rows: NDArray[np.int64],
    lanes: tuple[int, ...],
) -> NDArray[np.float64]:
    """Return the score of each of the `rows`, one column per lane."""
    scores = np.empty((len(rows), len(lanes)))
    part = np.empty(len(lanes), np.float32)
    for k in range(len(rows)):
        _copy(constants, scores[k])
        _score(entries, dense, factors[k], v, rows[k], part, scores[k], lanes)
    return scores
