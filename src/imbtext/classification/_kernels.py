"""The compiled loops of the ranking: training a linear classifier on shared terms, and scoring.

A class stretches the terms by factors of its own. No stretched copy of the documents is made: with
``g`` the gain of a term (its idf times the class's factor) and ``w`` its weight in the stretched
space, only ``v = g w`` is kept. The score of a document is then a sum over its terms as they are,
and a step of the training adds a multiple of ``g^2`` times the document to ``v``.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from imbtext._compilation import compiled
from imbtext.randomness.counters import mix

# Sums may be reordered, which lets them use vector instructions.
_compiled = partial(compiled, fastmath={"reassoc", "contract", "nsz", "arcp"})


@_compiled
def unit_factors(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    values: NDArray[np.float32],
    n_blocks: int,
    scales: NDArray[np.float64],
    squares: NDArray[np.float32],
    rows: NDArray[np.int64],
) -> NDArray[np.float32]:
    """Return the factor of each block of the `rows` that gives a document unit length."""
    factors = np.zeros((len(rows), n_blocks), np.float32)
    for k in range(len(rows)):
        whole = 0.0
        for b in range(n_blocks):
            segment = rows[k] * n_blocks + b
            part = 0.0
            for p in range(indptr[segment], indptr[segment + 1]):
                part += values[p] * values[p] * squares[indices[p]]
            whole += part * scales[segment] * scales[segment]
        if whole > 0:
            for b in range(n_blocks):
                factors[k, b] = scales[rows[k] * n_blocks + b] / np.sqrt(whole)
    return factors


@_compiled
def _score(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    values: NDArray[np.float32],
    factors: NDArray[np.float32],
    v: NDArray[np.float32],
    row: int,
) -> float:
    """Return the score of a document, its blocks multiplied by `factors`, less the constant."""
    n_blocks = len(factors)
    score = 0.0
    for b in range(n_blocks):
        segment = row * n_blocks + b
        part = np.float32(0.0)
        for p in range(indptr[segment], indptr[segment + 1]):
            part += values[p] * v[indices[p]]
        score += part * factors[b]
    return score


@_compiled
def _move(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    values: NDArray[np.float32],
    factors: NDArray[np.float32],
    squares: NDArray[np.float32],
    v: NDArray[np.float32],
    row: int,
    step: float,
) -> None:
    """Add `step` times a document, stretched twice, to the weights."""
    n_blocks = len(factors)
    for b in range(n_blocks):
        segment = row * n_blocks + b
        size = np.float32(step * factors[b])
        for p in range(indptr[segment], indptr[segment + 1]):
            v[indices[p]] += size * values[p] * squares[indices[p]]


@_compiled
def _shuffle(places: NDArray[np.int64], state: np.uint64) -> np.uint64:
    """Shuffle in place; return the state that the next shuffle starts from."""
    for s in range(len(places) - 1):
        state += np.uint64(1)
        other = s + int(mix(state) % np.uint64(len(places) - s))
        places[s], places[other] = places[other], places[s]
    return state


@_compiled
def train(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    values: NDArray[np.float32],
    factors: NDArray[np.float32],
    squares: NDArray[np.float32],
    rows: NDArray[np.int64],
    signs: NDArray[np.float64],
    costs: NDArray[np.float64],
    tolerance: float,
    max_epochs: int,
) -> tuple[NDArray[np.float32], float]:
    """Minimise half the squared weights plus the sum of costs times squared hinge losses.

    Dual coordinate descent with shrinking (Hsieh et al. 2008), as in liblinear: one step per
    document, documents that are surely on the right side set aside until the end. The constant
    term is one more weight, as in scikit-learn's LinearSVC.
    """
    n = len(rows)
    v = np.zeros(len(squares), np.float32)
    constant = 0.0
    alpha = np.zeros(n)
    diagonal = 0.5 / costs
    active = np.arange(n)
    n_active = n
    bound = np.inf
    state = np.uint64(0)
    for _ in range(max_epochs):
        state = _shuffle(active[:n_active], state)
        largest, smallest = -np.inf, np.inf
        s = 0
        while s < n_active:
            k = active[s]
            score = constant + _score(indptr, indices, values, factors[k], v, rows[k])
            slope = signs[k] * score - 1.0 + alpha[k] * diagonal[k]
            if alpha[k] == 0 and slope > bound:
                n_active -= 1
                active[s], active[n_active] = active[n_active], active[s]
                continue
            projected = min(slope, 0.0) if alpha[k] == 0 else slope
            largest, smallest = max(largest, projected), min(smallest, projected)
            if abs(projected) > 1e-12:
                # A document has length 1, or 0 if it has no known term; the constant adds 1.
                length = 1.0 if factors[k].max() > 0 else 0.0
                new = max(alpha[k] - slope / (length + 1.0 + diagonal[k]), 0.0)
                step = (new - alpha[k]) * signs[k]
                alpha[k] = new
                constant += step
                _move(indptr, indices, values, factors[k], squares, v, rows[k], step)
            s += 1
        if largest - smallest > tolerance:
            bound = largest if largest > 0 else np.inf
        elif n_active == n:
            break
        else:  # Converged on what is left: look at every document once more.
            n_active = n
            bound = np.inf
    return v, constant


@_compiled
def score_rows(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    values: NDArray[np.float32],
    factors: NDArray[np.float32],
    v: NDArray[np.float32],
    constant: float,
    rows: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the score of each of the `rows`."""
    scores = np.empty(len(rows))
    for k in range(len(rows)):
        scores[k] = constant + _score(indptr, indices, values, factors[k], v, rows[k])
    return scores


@compiled
def deal(
    groups: NDArray[np.int64],
    n_here: NDArray[np.int64],
    sizes: NDArray[np.int64],
    fold_of: NDArray[np.int8],
    totals: NDArray[np.int64],
) -> None:
    """Give each group without a fold to the fold with the fewest documents of a class.

    ``n_here`` counts a group's documents of the class, ``sizes`` all its documents. `fold_of` and
    `totals` are filled in place.
    """
    here = np.zeros(len(totals), np.int64)
    for g in range(len(groups)):
        if fold_of[groups[g]] >= 0:
            here[fold_of[groups[g]]] += n_here[g]
    for g in range(len(groups)):
        if fold_of[groups[g]] < 0:
            best = 0
            for fold in range(1, len(totals)):
                if here[fold] < here[best] or (
                    here[fold] == here[best] and totals[fold] < totals[best]
                ):
                    best = fold
            fold_of[groups[g]] = best
            here[best] += n_here[g]
            totals[best] += sizes[groups[g]]
