"""The ranking of a pool for one class, from the few documents read.

It is a linear SVM with squared hinge loss, trained by the same compiled code as in
:mod:`imbtext.rare`. Three things differ, because the documents that were read are few and were
chosen:

* Each term is scaled by how much more often the class's documents have it than the *pool* does
  (:func:`pool_factors`). Negatives that were read lie near the class and would mislead here.
* The documents of the class together weigh 9.8 times what the others do, at a small cost.
* Only what a new label changes is computed again. Weights and gains of terms move a little with
  each label. Documents have length one, so the distance that the weights moved and the largest
  change of a gain bound the new score of a document (:meth:`PoolRanking.learn`). Only documents
  whose bound puts them among the first are scored again (:meth:`PoolRanking.best`). The result is
  exact.

With a sentence encoder there is a second SVM of the same kind, on what the documents mean
(:class:`PoolMeaning`). It is trained and scored in full after each label, because its vectors are
short. The score of a document is the mean of both, each divided by its standard deviation over a
sample of the pool.

It knows vectors and rows; `_labelling` knows what a user calls them.

The constants come from the development half of ``benchmarks/labelling_tasks.py``.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext.features._terms import Terms, Vectors
from imbtext.labelling._pool import PoolMeaning, PoolTerms, followed_by
from imbtext.rare._ranking import fit_scaled

SVM_C: Final = 0.11
# What the documents of the class weigh together, those outside weighing 1.
BALANCE: Final = 9.8
# The share of its weight that every term keeps.
BLEND: Final = 0.3
_TOLERANCE: Final = 0.01
# How many documents are scored first, to know what the others must reach.
_N_PROBES: Final = 512
# How many documents say how much scores differ.
_N_SAMPLED: Final = 2048
# Scores are sums of numbers of 32 bits.
_ROUNDING: Final = 1e-4


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
    # Few different whole numbers stand in two long arrays.
    logs = np.log(np.arange(1, max(n_documents, n_inside) + 2))
    shift = np.log((max(n_documents - n_inside, 0) + 2.0) / (n_inside + 2.0))
    r = np.abs(logs[inside] - logs[outside] + shift)
    largest = float(r.max(initial=0.0))
    if largest == 0:
        return np.ones(len(r))
    return np.asarray(BLEND + (1 - BLEND) * r / largest)


class PoolRanking:
    """Scores of a pool's documents for one class.

    Call `learn` with what was read, then `best` or `scores`.

    Parameters
    ----------
    pool : PoolTerms
        The terms of the documents.
    meaning : PoolMeaning, optional
        What the documents mean, if an encoder has read them.
    """

    def __init__(self, pool: PoolTerms, meaning: PoolMeaning | None = None) -> None:
        self._pool = pool
        n_terms, n = pool.terms.n_terms, len(pool)
        # What a term adds to a score, and its squared gain; see `_kernels.score_documents`.
        self._table = np.zeros((n_terms, 2), np.float32)
        self.constant = 0.0
        # What the gains were computed from: documents of the class, queries, terms in them.
        self._found: NDArray[np.int64] = np.empty(0, np.int64)
        self._queries: Vectors | None = None
        self._inside = np.zeros(n_terms, np.int64)
        # The dual variable of each document, with the sign of its label: by terms, by meaning.
        self._duals = np.zeros((2, n))
        # The most that a document's terms can add to its score, and whether that is exact.
        self._limits = np.full(n, np.inf)
        self._known = np.zeros(n, bool)
        # What a document's meaning adds to its score.
        self._meaning = meaning
        self._by_meaning = np.zeros(n)
        self._sample = np.linspace(0, n - 1, min(n, _N_SAMPLED)).astype(np.int64)

    def learn(
        self, found: NDArray[np.int64], others: NDArray[np.int64], queries: Vectors | None = None
    ) -> None:
        """Train on the documents found and on the others that were read.

        `queries` count as documents of the class; `dense` is what they mean.

        A document ``x`` has length one after its terms were multiplied by gains ``g``. Its score is
        the product with weights ``w``; the table holds ``v = g w``. With new gains ``g'`` and new
        ``v'``, its score is ``|x g| / |x g'|`` times the product with ``v' / g``. That product is
        at most ``|v' - v| / g`` above the score before, and the ratio of the lengths lies between
        the ratios of gains.
        """
        n_queries = 0 if queries is None else queries.terms.n_documents
        if len(found) + n_queries == 0:
            raise ValueError("nothing is known of the class; give a document of it or a query")
        before = self._table[:, 1].copy()
        least, largest = self._stretch(np.sort(found), queries)
        moved = self._train_terms(np.sort(found), np.sort(others), queries, before)
        if np.isinf(largest):
            self._limits[:] = np.inf
        else:
            self._limits += moved
            self._limits /= np.where(self._limits > 0, least, largest)
        self._known[:] = False
        if self._meaning is not None:
            self._train_meaning(self._meaning, np.sort(found), np.sort(others), queries)

    def _stretch(self, found: NDArray[np.int64], queries: Vectors | None) -> tuple[float, float]:
        """Scale the terms by what was found; return the least and the largest change of a gain."""
        from imbtext.labelling._kernels import add_occurrences, stretch_terms

        pool, queries_before = self._pool, self._queries
        if np.array_equal(found, self._found) and queries is queries_before:
            return 1.0, 1.0
        for rows, sign in (
            (np.setdiff1d(found, self._found), 1),
            (np.setdiff1d(self._found, found), -1),
        ):
            add_occurrences(pool.terms.entries, rows, pool.terms.n_blocks, sign, self._inside)
        self._found, self._queries = found, queries
        inside, n_inside = self._inside, len(found)
        if queries is not None:
            inside = inside + queries.terms.frequencies()
            n_inside += queries.terms.n_documents
        factors = pool_factors(inside, n_inside, pool.frequencies, len(pool))
        return stretch_terms(factors, pool.weights, self._table)

    def _train_terms(
        self,
        found: NDArray[np.int64],
        others: NDArray[np.int64],
        queries: Vectors | None,
        squares_before: NDArray[np.float32],
    ) -> float:
        """Train; return how far the weights of terms moved, measured with the gains before."""
        from imbtext.labelling._kernels import replace_weights

        rows = np.concatenate([found, others])
        read = self._pool.vectors(rows)
        if queries is not None:
            read = followed_by(queries, read)
        squares = np.ascontiguousarray(self._table[:, 1:])
        weights, self.constant = _fit(read, squares, rows, len(others), self._duals[0])
        return replace_weights(weights, squares_before, self._table)

    def _train_meaning(
        self,
        meaning: PoolMeaning,
        found: NDArray[np.int64],
        others: NDArray[np.int64],
        queries: Vectors | None,
    ) -> None:
        """Train on what documents mean, and score all documents."""
        from imbtext.labelling._kernels import score_dense

        rows = np.concatenate([found, others])
        dense = meaning.vectors[rows]
        if queries is not None:
            dense = np.concatenate([queries.dense, dense])
        no_terms = np.empty((0, 1), np.float32)
        weights, _ = _fit(_without_terms(dense), no_terms, rows, len(others), self._duals[1])
        score_dense(meaning.vectors, weights, self._by_meaning)
        deviation = float(self._by_meaning[self._sample].std())
        if deviation > 0:
            self._score_terms(self._sample)
            self._by_meaning *= float(self._limits[self._sample].std()) / deviation

    def scores(self, rows: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Return the scores of all documents or some, higher where the class is likelier."""
        rows = np.arange(len(self._pool)) if rows is None else rows
        self._score_terms(rows)
        return self._at_most(rows) + self.constant

    def _score_terms(self, rows: NDArray[np.int64]) -> None:
        """Make the bounds of some documents exact."""
        from imbtext.labelling._kernels import score_documents

        pool, stale = self._pool, rows[~self._known[rows]]
        score_documents(
            pool.terms.entries, pool.scales, self._table, stale, pool.terms.n_blocks, self._limits
        )
        self._known[stale] = True

    def best(self, n: int, candidates: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the `n` candidates with the highest scores, the first of equal ones first."""
        rows = np.flatnonzero(candidates)
        if len(rows) > n:
            first = np.argpartition(-self._at_most(rows), min(_N_PROBES + n, len(rows)) - 1)
            self.scores(rows[first[: _N_PROBES + n]])
            rows = self._at_least_as_good(rows, n)
            self.scores(rows)
            rows = self._at_least_as_good(rows, n)
        scores = self.scores(rows)
        return rows[np.lexsort((rows, -scores))[:n]]

    def _at_least_as_good(self, rows: NDArray[np.int64], n: int) -> NDArray[np.int64]:
        """Return the rows whose scores may be among the `n` highest."""
        limits = self._at_most(rows)
        reached = np.partition(limits[self._known[rows]], -n)[-n]
        # A little less than what was reached, for rounding.
        return np.asarray(rows[limits >= reached - _ROUNDING])

    def _at_most(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the bounds of scores, without the constant."""
        return np.asarray(self._limits[rows] + self._by_meaning[rows])

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


def _fit(
    read: Vectors,
    squares: NDArray[np.float32],
    rows: NDArray[np.int64],
    n_others: int,
    duals: NDArray[np.float64],
) -> tuple[NDArray[np.float32], float]:
    """Train on the documents that were read; return the weights and the constant.

    Queries come first in `read`, then the documents of the class, then `n_others` others; `rows`
    are those of the documents. `duals` are where the last training ended, and this one begins; a
    document whose label has changed starts from 0.
    """
    n = read.terms.n_documents
    n_inside, n_queries = n - n_others, n - len(rows)
    penalties = np.full(n, SVM_C * n / (1 + BALANCE) / max(n_others, 1))
    penalties[:n_inside] = SVM_C * n * BALANCE / (1 + BALANCE) / n_inside
    signs = np.where(np.arange(n) < n_inside, 1, -1).astype(np.int8)[:, None]
    alpha = np.zeros((n, 1))
    alpha[n_queries:, 0] = np.maximum(duals[rows] * signs[n_queries:, 0], 0)
    weights, constants = fit_scaled(
        read, squares, np.arange(n), signs, penalties, _TOLERANCE, alpha
    )
    duals[rows] = (alpha * signs)[n_queries:, 0]
    return weights[:, 0], float(constants[0])


def _without_terms(dense: NDArray[np.float32]) -> Vectors:
    n = len(dense)
    terms = Terms(np.zeros(n + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32), 0, 1)
    return Vectors(terms, np.empty(0), np.ones(n), dense=np.ascontiguousarray(dense))
