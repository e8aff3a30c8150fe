"""The ranking of a pool for one class, from the few documents that somebody has read.

It is a linear SVM with squared hinge loss, as in :mod:`imbtext.rare`, and runs in the same compiled
training. Three things differ, because the documents that were read are few and were chosen:

* Each term is scaled by how much more often the class's documents have it than the *pool* does
  (:func:`pool_factors`). Negatives that were read lie near the class and would mislead here.
* The documents of the class together weigh 9.8 times what the others do, at a small cost.
* Only what a new label changes is computed again. The scale of the terms changes with a find alone.
  After any other label the weights move by a vector of some length, and no score can move
  farther than that length, since documents have length one. So only those documents are scored
  again that could now be among the first (:meth:`PoolRanking.best`). The result is exact.

It stands alone: it knows vectors and rows, while `_labelling` knows what a user calls them.

The constants come from the development half of ``benchmarks/labelling_tasks.py``.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext.features import Vectors
from imbtext.labelling._pool import DocumentPool, followed_by
from imbtext.rare import fit_scaled

COST: Final = 0.11
# What the documents of the class weigh together, those outside weighing 1.
BALANCE: Final = 9.8
# What every term keeps of its weight.
BLEND: Final = 0.3
_TOLERANCE: Final = 0.01
# Documents that are scored again at first, to know what the others must reach.
_N_PROBES: Final = 512


def pool_factors(
    inside: NDArray[np.int64], n_inside: int, frequencies: NDArray[np.int64], n_documents: int
) -> NDArray[np.float64]:
    """Return the factor of each term: ``.3 + .7 r / max(r)``.

    ``r`` is the absolute log of the ratio between the share of the class's documents that have the
    term and the share of the rest of the pool.

    Examples
    --------
    >>> pool_factors(np.array([2, 0]), 2, np.array([4, 50]), 100).round(2).tolist()
    [1.0, 0.46]
    """
    outside = np.maximum(frequencies - inside, 0)
    share_inside = (inside + 1.0) / (n_inside + 2.0)
    share_outside = (outside + 1.0) / (max(n_documents - n_inside, 0) + 2.0)
    r = np.abs(np.log(share_inside / share_outside))
    largest = float(r.max(initial=0.0))
    if largest == 0:
        return np.ones(len(r))
    return np.asarray(BLEND + (1 - BLEND) * r / largest)


class PoolRanking:
    """Scores of a pool's documents for one class.

    Call `learn` with what was read, then `best` or `scores`.
    """

    def __init__(self, pool: DocumentPool) -> None:
        self._pool = pool
        n_terms = pool.terms.n_terms
        # What a term adds to a score, and its squared gain; see `_kernels.score_documents`.
        self._table = np.zeros((n_terms, 2), np.float32)
        self._found: bytes | None = None
        self.constant = 0.0
        # The dual variable of each document, with the sign of its label.
        self._duals = np.zeros(len(pool))
        self._scores = np.zeros(len(pool), np.float32)
        # By how much the weights have moved so far, and had when each document was scored.
        self._moved = 0.0
        self._moved_before = np.full(len(pool), -np.inf)

    def learn(
        self, found: NDArray[np.int64], others: NDArray[np.int64], queries: Vectors | None = None
    ) -> None:
        """Train on the documents found and on the others that were read.

        `queries` count as documents of the class.
        """
        n_queries = 0 if queries is None else queries.terms.n_documents
        if len(found) + n_queries == 0:
            raise ValueError("nothing is known of the class: there is no document and no query")
        stretched = self._stretch(np.sort(found), queries)
        before = self._table[:, 0].copy()
        self._train(np.sort(found), np.sort(others), queries)
        if stretched:
            self._moved_before[:] = -np.inf
        else:
            moves, squares = self._table[:, 0] - before, self._table[:, 1]
            known = squares > 0
            self._moved += float(np.sqrt(np.sum(moves[known] ** 2 / squares[known])))

    def _stretch(self, found: NDArray[np.int64], queries: Vectors | None) -> bool:
        """Scale the terms by what was found; return whether that has changed."""
        pool = self._pool
        key = found.tobytes() + (b"" if queries is None else queries.terms.indices.tobytes())
        if key == self._found:
            return False
        self._found = key
        inside, n_inside = pool.terms.frequencies(found), len(found)
        if queries is not None:
            inside = inside + queries.terms.frequencies()
            n_inside += queries.terms.n_documents
        factors = pool_factors(inside, n_inside, pool.frequencies, len(pool))
        self._table[:, 1] = (pool.weights * factors) ** 2
        return True

    def _train(
        self, found: NDArray[np.int64], others: NDArray[np.int64], queries: Vectors | None
    ) -> None:
        rows = np.concatenate([found, others])
        read = self._pool.vectors(rows)
        if queries is not None:
            read = followed_by(queries, read)
        n, n_others = read.terms.n_documents, len(others)
        n_inside = n - n_others
        costs = np.full(n, COST * n / (1 + BALANCE) / max(n_others, 1))
        costs[:n_inside] = COST * n * BALANCE / (1 + BALANCE) / n_inside
        signs = np.where(np.arange(n) < n_inside, 1, -1).astype(np.int8)[:, None]
        squares = np.ascontiguousarray(self._table[:, 1:])
        # Where the last training ended; a document whose label has changed starts from 0.
        alpha = np.zeros((n, 1))
        alpha[n - len(rows) :, 0] = np.maximum(self._duals[rows] * signs[n - len(rows) :, 0], 0)
        weights, constants = fit_scaled(
            read, squares, np.arange(n), signs, costs, _TOLERANCE, alpha
        )
        self._duals[rows] = (alpha * signs)[n - len(rows) :, 0]
        self._table[:, 0] = weights[:, 0]
        self.constant = float(constants[0])

    def scores(self, rows: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Return the scores of all documents or some, higher where the class is likelier."""
        rows = np.arange(len(self._pool)) if rows is None else rows
        stale = rows[self._moved_before[rows] < self._moved]
        self._score_into(stale, self._scores)
        self._moved_before[stale] = self._moved
        return self._scores[rows].astype(np.float64) + self.constant

    def best(self, n: int, candidates: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the `n` candidates with the highest scores, the first of equal ones first."""
        rows = np.flatnonzero(candidates)
        if len(rows) > n:
            highest = self._highest(rows)
            probes = np.argpartition(-highest, min(_N_PROBES + n, len(rows)) - 1)
            probes = probes[: _N_PROBES + n]
            reached = np.partition(self.scores(rows[probes]), -n)[-n] - self.constant
            # A little more than what rounding may hide.
            rows = rows[self._highest(rows) >= reached - 1e-4]
        scores = self.scores(rows)
        return rows[np.lexsort((rows, -scores))[:n]]

    def _highest(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return what each score can be at most."""
        return np.asarray(self._scores[rows] + (self._moved - self._moved_before[rows]))

    def _score_into(self, rows: NDArray[np.int64], scores: NDArray[np.float32]) -> None:
        from imbtext.labelling._kernels import score_documents

        pool = self._pool
        score_documents(
            pool.terms.entries, pool.scales, self._table, rows, pool.terms.n_blocks, scores
        )

    def contributions(self, row: int) -> dict[int, float]:
        """Return what each term of a document adds to its score."""
        terms, n_blocks = self._pool.terms, self._pool.terms.n_blocks
        ends = terms.indptr[row * n_blocks : (row + 1) * n_blocks + 1]
        here = slice(ends[0], ends[-1])
        values = terms.values[here] * np.repeat(
            self._pool.scales[row * n_blocks : (row + 1) * n_blocks], np.diff(ends)
        )
        table = self._table[terms.indices[here]]
        length = float(np.sqrt(np.sum(values**2 * table[:, 1])))
        added = values * table[:, 0] / (length or 1.0)
        return dict(zip(terms.indices[here].tolist(), added.tolist(), strict=True))
