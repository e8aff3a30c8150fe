"""The ranking: how likely a document is of the class, by a linear classifier on stretched terms.

Terms that occur much more, or much less, in the class than elsewhere are stretched before the
classifier sees them, so that it needs fewer documents to find them. Squared hinge loss without
class weights; constants are those that ranked held-out *training* documents best, see
``benchmarks/rare_constants.py``.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext.features import Vectors

COST: Final = 0.3
# What all terms keep; the rest is shared out by how much a term tells the class.
BLEND: Final = 0.7
_TOLERANCE: Final = 0.01
_MAX_EPOCHS: Final = 1000


def stretched(
    inside: NDArray[np.int64], outside: NDArray[np.int64], known: NDArray[np.bool_], blend: float
) -> NDArray[np.float64]:
    """Return the factor of each known term: ``blend + (1 - blend) r / mean(r)``.

    ``r`` is the absolute log of the ratio of the term's share of all occurrences inside the class
    to its share outside, by document counts plus one.

    Examples
    --------
    >>> inside, outside = np.array([3, 0, 1]), np.array([0, 7, 3])
    >>> stretched(inside, outside, np.ones(3, bool), 0.7).round(2).tolist()
    [1.21, 1.07, 0.72]
    """
    p = np.where(known, inside + 1.0, 0.0)
    q = np.where(known, outside + 1.0, 0.0)
    ratio = np.ones(len(p))
    np.divide(p * q.sum(), q * p.sum(), out=ratio, where=known)
    r = np.abs(np.log(ratio))
    mean = float(r[known].mean()) if known.any() else 0.0
    factors = np.full(len(p), 1.0) if mean == 0 else blend + (1 - blend) * r / mean
    return np.where(known, factors, 0.0)


def squared_gains(
    weights: NDArray[np.float64],
    frequencies: NDArray[np.int64] | None,
    inside: NDArray[np.int64] | None,
    blend: float = BLEND,
) -> NDArray[np.float32]:
    """Return the square of each term's weight, stretched where its frequencies are known."""
    gains = weights
    if frequencies is not None and inside is not None and blend < 1:
        gains = gains * stretched(inside, frequencies - inside, gains > 0, blend)
    return (gains**2).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Ranking:
    """A fitted linear classifier of one class against the rest.

    Attributes
    ----------
    weights : ndarray of float32
        What each term adds to the score, times its value and the document's factor.
    squares : ndarray of float32
        The square of each term's gain (weight of the vectors times the class's stretch), which
        makes the length of a document.
    inside : ndarray of int64 or None
        In how many documents of the class each term occurs; None where nothing is stretched.
    constant : float
        What every document has.
    """

    weights: NDArray[np.float32]
    squares: NDArray[np.float32]
    inside: NDArray[np.int64] | None
    constant: float

    def scores(
        self, vectors: Vectors, rows: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """Return the scores of all documents or some, higher where the class is likelier."""
        from imbtext.classification._kernels import score_rows, unit_factors

        terms = vectors.terms
        if rows is None:
            rows = np.arange(terms.n_documents)
        shared = (terms.indptr, terms.indices, terms.values)
        factors = unit_factors(*shared, terms.n_blocks, vectors.scales, self.squares, rows)
        return score_rows(*shared, factors, self.weights, self.constant, rows)

    def contributions(self, vectors: Vectors, row: int = 0) -> NDArray[np.float64]:
        """Return what each term adds to the score of a document."""
        from imbtext.classification._kernels import unit_factors

        terms = vectors.terms
        shared = (terms.indptr, terms.indices, terms.values)
        rows = np.array([row])
        factors = unit_factors(*shared, terms.n_blocks, vectors.scales, self.squares, rows)[0]
        added = np.zeros(terms.n_terms)
        for b, factor in enumerate(factors.tolist()):
            segment = row * terms.n_blocks + b
            part = slice(terms.indptr[segment], terms.indptr[segment + 1])
            here = terms.indices[part]
            added[here] = factor * terms.values[part] * self.weights[here]
        return added


def fit_ranking(
    vectors: Vectors,
    rows: NDArray[np.int64],
    positive: NDArray[np.bool_],
    *,
    frequencies: NDArray[np.int64] | None,
    weights: NDArray[np.float64] | None = None,
    blend: float = BLEND,
    cost: float = COST,
    tolerance: float = _TOLERANCE,
) -> Ranking:
    """Train on some documents.

    Parameters
    ----------
    vectors : Vectors
        All documents, weighed by what `rows` know.
    rows : ndarray of int64
        The documents to train on.
    positive : ndarray of bool
        Which of all documents are of the class.
    frequencies : ndarray of int64 or None
        In how many of the `rows` each term occurs; None stretches no term (vectors that are not
        made of terms).
    weights : ndarray of float64, default=None
        How much an error on each of all documents costs; None counts all once.
    blend, cost, tolerance : float
        The constants.
    """
    from imbtext.classification._kernels import train, unit_factors

    terms = vectors.terms
    inside = None if frequencies is None else terms.frequencies(rows[positive[rows]])
    squares = squared_gains(vectors.weights, frequencies, inside, blend)
    shared = (terms.indptr, terms.indices, terms.values)
    factors = unit_factors(*shared, terms.n_blocks, vectors.scales, squares, rows)
    costs = np.full(len(rows), cost) if weights is None else cost * weights[rows]
    signs = np.where(positive[rows], 1.0, -1.0)
    trained, constant = train(*shared, factors, squares, rows, signs, costs, tolerance, _MAX_EPOCHS)
    return Ranking(trained, squares, inside, constant)
