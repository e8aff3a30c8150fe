"""Training all classes over shared terms and folds: rankings, and scores of held-out documents."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from imbtext.classification._ranking import BLEND, Ranking, fit_ranking
from imbtext.classification._sources import Source

Result = TypeVar("Result")
# Of the documents that could be held out: score, membership, weight (None: all once) and fold.
Evidence = tuple[
    NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64] | None, NDArray[np.int8]
]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Scores of documents by rankings that have not seen them; not a number where none could be."""

    scores: NDArray[np.float32]
    folds: NDArray[np.int8]

    def evidence(
        self, c: int, members: NDArray[np.int64], weights: NDArray[np.float64] | None
    ) -> Evidence:
        """Return what is known of the documents that could be held out for a class."""
        column = self.scores[:, c]
        rows = np.flatnonzero(~np.isnan(column))
        positive = mask(members, len(column))[rows]
        counts = None if weights is None else weights[rows]
        return column[rows].astype(np.float64), positive, counts, self.folds[rows]


def hold_out(
    source: Source,
    positives: Sequence[NDArray[np.int64]],
    folds: NDArray[np.int8],
    weights: NDArray[np.float64] | None,
    n_jobs: int,
    blend: float = BLEND,
    advance: Callable[[], Any] = lambda: None,
) -> HeldOut:
    """Score every document by rankings trained without its fold.

    A fold whose training documents lack the class, or have nothing else, leaves no score.
    """
    n = len(folds)
    scores = np.full((n, len(positives)), np.nan, np.float32)
    for fold in range(int(folds.max()) + 1):
        test, rows = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        if not len(test) or not len(rows):
            continue
        vectors, frequencies = source.training(rows)

        def one(members: NDArray[np.int64]) -> NDArray[np.float64] | None:
            positive = mask(members, n)
            advance()
            if positive[rows].all() or not positive[rows].any():  # noqa: B023
                return None
            ranking = fit_ranking(
                vectors,  # noqa: B023
                rows,  # noqa: B023
                positive,
                frequencies=frequencies,  # noqa: B023
                weights=weights,
                blend=blend,
            )
            return ranking.scores(vectors, test)  # noqa: B023

        for c, found in enumerate(in_threads(one, positives, n_jobs)):
            if found is not None:
                scores[test, c] = found
    return HeldOut(scores, folds)


def fit_rankings(
    source: Source,
    positives: Sequence[NDArray[np.int64]],
    n_documents: int,
    weights: NDArray[np.float64] | None,
    n_jobs: int,
    blend: float = BLEND,
    advance: Callable[[], Any] = lambda: None,
) -> list[Ranking]:
    """Train each class on all documents."""
    vectors, frequencies = source.training()
    everything = np.arange(n_documents)

    def one(members: NDArray[np.int64]) -> Ranking:
        advance()
        return fit_ranking(
            vectors,
            everything,
            mask(members, n_documents),
            frequencies=frequencies,
            weights=weights,
            blend=blend,
        )

    return in_threads(one, positives, n_jobs)


def mask(members: NDArray[np.int64], n: int) -> NDArray[np.bool_]:
    """Return which of `n` documents are members."""
    inside = np.zeros(n, bool)
    inside[members] = True
    return inside


def in_threads(
    function: Callable[[Any], Result], tasks: Sequence[Any], n_jobs: int
) -> list[Result]:
    """Return the results in order; the compiled loops let go of the interpreter's lock."""
    if n_jobs == 1 or len(tasks) == 1:
        return [function(task) for task in tasks]
    with ThreadPoolExecutor(n_jobs) as pool:
        return list(pool.map(function, tasks))
