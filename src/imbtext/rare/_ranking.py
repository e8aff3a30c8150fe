"""The ranking: how likely a document is of the class, by a linear classifier on stretched terms.

Terms that occur much more, or much less, in the class than elsewhere are stretched before the
classifier sees them, so that it needs fewer documents to find them. Squared hinge loss without
class weights; constants are those that ranked held-out *training* documents best, see
``benchmarks/rare_constants.py``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext.features import Vectors

# What the terms of a document add to its score.
Added = dict[int, float]

COST: Final = 0.5
# What all terms keep; the rest is shared out by how much a term tells the class.
BLEND: Final = 0.85
_TOLERANCE: Final = 0.01
# Numbers in a line of the cache.
_LINE: Final = 16
# Lanes, see `imbtext.rare._lanes`: one class in four costs what it costs alone; many are
# best served by sixteen.
WIDTHS: Final = (4, 16)
# Classes that are trained side by side.
MOST_CLASSES: Final = WIDTHS[-1]


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
class Rankings:
    """Fitted linear classifiers of some classes, each against the rest, side by side.

    `weights` and `squares` have a row per term and a column per lane, of which those beyond the
    classes are idle: what the term adds to the score of a class, times its value and the document's
    factor; and the square of its gain (weight of the vectors times the class's stretch), which
    makes the length of a document. `inside` is in how many documents of each class, one per row,
    each term occurs (None: nothing is stretched), `constants` what every document has.
    """

    weights: NDArray[np.float32]
    squares: NDArray[np.float32]
    inside: NDArray[np.int64] | None
    constants: NDArray[np.float64]

    def scores(
        self, vectors: Vectors, rows: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """Return the scores of all documents or some, higher where a class is likelier."""
        from imbtext.rare._kernels import score_rows

        terms = vectors.terms
        if rows is None:
            rows = np.arange(terms.n_documents)
        factors = _unit_factors(vectors, self.squares, rows)
        n, lanes = len(self.constants), _lanes(self.weights)
        constants = np.zeros(len(lanes))
        constants[:n] = self.constants
        return score_rows(terms.entries, factors, self.weights, constants, rows, lanes)[:, :n]

    def contributions(self, vectors: Vectors, rows: NDArray[np.int64], c: int) -> list[Added]:
        """Return what the terms of each of the `rows` add to its score for class `c`."""
        terms = vectors.terms
        factors = _unit_factors(vectors, self.squares, rows)[:, :, c]
        added = []
        for row, of_blocks in zip(rows.tolist(), factors, strict=True):
            ends = terms.indptr[row * terms.n_blocks : (row + 1) * terms.n_blocks + 1]
            here = slice(ends[0], ends[-1])
            of_terms = terms.values[here] * self.weights[terms.indices[here], c]
            of_terms = of_terms * np.repeat(of_blocks, np.diff(ends))
            added.append(dict(zip(terms.indices[here].tolist(), of_terms.tolist(), strict=True)))
        return added


def fit_rankings(
    vectors: Vectors,
    rows: NDArray[np.int64],
    members: Sequence[NDArray[np.int64]],
    *,
    frequencies: NDArray[np.int64] | None,
    weights: NDArray[np.float64] | None = None,
    blend: float = BLEND,
    cost: float = COST,
    tolerance: float = _TOLERANCE,
) -> Rankings:
    """Train at most `MOST_CLASSES` classes side by side on some documents.

    The vectors are of all documents, weighed by what `rows` know, and `members` and `weights` (how
    much an error costs; None: all once) count in all of them. `frequencies` is in how many of the
    `rows` each term occurs; None stretches no term, for vectors that are not made of terms.
    """
    from imbtext.rare._kernels import train

    terms = vectors.terms
    is_class = np.zeros((terms.n_documents, len(members)), bool)
    for c, documents in enumerate(members):
        is_class[documents, c] = True
    inside = None
    if frequencies is not None:
        inside = np.stack([terms.frequencies(rows[of_class]) for of_class in is_class[rows].T])
    counts = [None] * len(members) if inside is None else list(inside)
    squares = in_lanes([squared_gains(vectors.weights, frequencies, n, blend) for n in counts])
    if weights is not None:  # What counts nothing teaches nothing.
        rows = rows[weights[rows] > 0]
    costs = np.full(len(rows), cost) if weights is None else cost * weights[rows]
    signs = np.where(is_class[rows], 1, -1).astype(np.int8)
    factors = _unit_factors(vectors, squares, rows)
    trained = _empty_lanes(terms.n_terms, len(members))
    constants = train(
        terms.entries, factors, squares, rows, signs, costs, tolerance, trained, _lanes(squares)
    )
    return Rankings(trained, squares, inside, constants[: len(members)])


def in_lanes(columns: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Return the numbers of each class as a table for the compiled loops."""
    table = _empty_lanes(len(columns[0]), len(columns))
    for c, column in enumerate(columns):
        table[:, c] = column
    return table


def _empty_lanes(n_terms: int, n_classes: int) -> NDArray[np.float32]:
    """Return a table of zeros; sixteen lanes begin where a line of the cache does."""
    width = next(width for width in WIDTHS if n_classes <= width)
    size = n_terms * width
    whole = np.zeros(size + _LINE, np.float32)
    first = -(whole.ctypes.data // whole.itemsize) % _LINE
    return whole[first : first + size].reshape(n_terms, width)


def _unit_factors(
    vectors: Vectors, squares: NDArray[np.float32], rows: NDArray[np.int64]
) -> NDArray[np.float32]:
    from imbtext.rare._kernels import unit_factors

    terms = vectors.terms
    return unit_factors(
        terms.entries, vectors.scales, squares, rows, terms.n_blocks, _lanes(squares)
    )


def _lanes(table: NDArray[np.float32]) -> tuple[int, ...]:
    """Return what tells compiled code the number of lanes: a tuple of that length."""
    return (0,) * table.shape[1]
