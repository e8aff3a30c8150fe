"""Training all classes over shared terms and folds: rankings, and scores of held-out documents."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from imbtext.classification._ranking import MOST_CLASSES, Rankings, fit_rankings
from imbtext.classification._sources import Seen, Source

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


@dataclass(frozen=True, eq=False)
class Training:
    """What training classes needs: where vectors come from, the classes, and what documents count.

    Attributes
    ----------
    source : Source
        Has learnt from the documents.
    members : sequence of ndarray of int64
        The documents of each class.
    n_documents : int
        Number of documents.
    weights : ndarray of float64 or None
        How much each document counts; None counts all once.
    n_jobs : int
        Threads; the result does not depend on it.
    advance : callable
        Called with the number of classes that were trained on a fold, or on all.
    """

    source: Source
    members: Sequence[NDArray[np.int64]]
    n_documents: int
    weights: NDArray[np.float64] | None
    n_jobs: int
    advance: Callable[[int], Any] = lambda _: None

    def hold_out(self, folds: NDArray[np.int8]) -> HeldOut:
        """Score every document by rankings trained without its fold.

        A fold whose training documents lack the class, or have nothing else, leaves no score.
        """
        scores = np.full((self.n_documents, len(self.members)), np.nan, np.float32)

        def one(fold: int, n_jobs: int) -> None:
            test, rows = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
            if not len(test) or not len(rows):
                return
            seen = self.source.training(rows)
            outside = folds == fold

            def some(first: int) -> None:
                rankings = self._fit(seen, rows, first)
                found = rankings.scores(seen[0], test)
                for c in range(rankings.n_classes):
                    n_class = int((~outside[self.members[first + c]]).sum())
                    if 0 < n_class < len(rows):
                        scores[test, first + c] = found[:, c]

            in_threads(some, self._firsts, n_jobs)

        # Threads go where there is most to share out: classes, or the folds of a few classes.
        over_folds = self.n_jobs if len(self._firsts) < self.n_jobs else 1
        over_classes = 1 if over_folds > 1 else self.n_jobs
        all_folds = range(int(folds.max()) + 1)
        in_threads(lambda fold: one(fold, over_classes), all_folds, over_folds)
        return HeldOut(scores, folds)

    def on_all(self) -> list[Rankings]:
        """Train each class on all documents."""
        seen = self.source.training()
        everything = np.arange(self.n_documents)
        return in_threads(
            lambda first: self._fit(seen, everything, first), self._firsts, self.n_jobs
        )

    @property
    def _firsts(self) -> range:
        """The first class of each batch that is trained side by side."""
        return range(0, len(self.members), MOST_CLASSES)

    def _fit(self, seen: Seen, rows: NDArray[np.int64], first: int) -> Rankings:
        vectors, frequencies = seen
        members = self.members[first : first + MOST_CLASSES]
        rankings = fit_rankings(
            vectors, rows, members, frequencies=frequencies, weights=self.weights
        )
        self.advance(len(members))
        return rankings


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
