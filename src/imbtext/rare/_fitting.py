"""Training all classes over shared terms and folds: rankings, and scores of held-out documents.

Folds are shared by all classes: each spread evenly, near-duplicates kept together.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score

from imbtext.features import TrainingVectors, WeighedVectors
from imbtext.rare._ranking import MOST_CLASSES, Rankings, fit_rankings

if TYPE_CHECKING:
    from imbtext.parallel import Pool

N_FOLDS: Final = 5
# Shares of the best other class's score that are tried, and what a share must gain.
RIVALRIES: Final = (0.0, 0.1, 0.2, 0.3)
_LEAST_GAIN: Final = 0.001
# The fold that holds nothing out.
ALL_DOCUMENTS: Final = -1
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
        is_class = np.zeros(len(column), bool)
        is_class[members] = True
        counts = None if weights is None else weights[rows]
        return column[rows].astype(np.float64), is_class[rows], counts, self.folds[rows]

    def rivalry(self, members: Sequence[NDArray[np.int64]]) -> float:
        """Return the share of the best other class's score whose taking away ranks best.

        One share for all classes, by their mean average precision on held-out documents; 0 unless
        another gains.
        """
        precisions = {share: self.less_rivals(share)._precision(members) for share in RIVALRIES}
        best = max(precisions, key=lambda share: precisions[share])
        return best if precisions[best] > precisions[0.0] + _LEAST_GAIN else 0.0

    def less_rivals(self, share: float) -> "HeldOut":
        """Return the scores less a share of the best other class's."""
        return replace(self, scores=less_rivals(self.scores, share))

    def _precision(self, members: Sequence[NDArray[np.int64]]) -> float:
        found = []
        for c, rows in enumerate(members):
            scores, is_class, _, _ = self.evidence(c, rows, None)
            if is_class.any():
                found.append(average_precision_score(is_class, scores))
        return float(np.mean(found)) if found else 0.0


def less_rivals(scores: NDArray[Any], share: float) -> NDArray[Any]:
    """Take a share of the best other class's score from the score of each class.

    Examples
    --------
    >>> less_rivals(np.array([[3.0, 1.0, 0.0]]), 0.1).round(2).tolist()
    [[2.9, 0.7, -0.3]]
    """
    if share == 0 or scores.shape[1] < 2:
        return scores
    known = np.where(np.isnan(scores), -np.inf, scores)
    rows, first = np.arange(len(scores)), known.argmax(axis=1)
    best = known[rows, first]
    known[rows, first] = -np.inf
    second = known.max(axis=1)
    is_first = first[:, None] == np.arange(scores.shape[1])
    others = np.where(is_first, second[:, None], best[:, None])
    return scores - np.asarray(share * np.where(np.isfinite(others), others, 0.0), scores.dtype)


@dataclass(frozen=True, eq=False)
class Training:
    """What training takes: vectors, the documents of each class, folds, and what counts how much.

    Weights None count all documents once.
    """

    training: TrainingVectors
    members: Sequence[NDArray[np.int64]]
    folds: NDArray[np.int8]
    weights: NDArray[np.float64] | None

    def run(
        self, workers: "int | Pool", advance: Callable[[int], Any] = lambda _: None
    ) -> tuple[HeldOut, list[Rankings]]:
        """Score every document by rankings trained without its fold, and train on all documents.

        Workers are threads of this process, or what runs tasks elsewhere; the result does not
        depend on them. `advance` hears how many classes were trained on a fold, or on all.
        """
        scores = np.full((len(self.folds), len(self.members)), np.nan, np.float32)
        rankings: dict[int, Rankings] = {}

        def take(fold: int, first: int, result: Any) -> None:
            if fold == ALL_DOCUMENTS:
                rankings[first] = result
            else:
                scores[self.folds == fold, first : first + MOST_CLASSES] = result
            advance(min(MOST_CLASSES, len(self.members) - first))

        if isinstance(workers, int):
            self._in_threads(workers, take)
        else:
            tasks = [(fold, first) for fold in self._folds for first in self._firsts]
            for (fold, first), result in workers.completed(_part, tasks, self):
                take(fold, first, result)
        return HeldOut(scores, self.folds), [rankings[first] for first in self._firsts]

    def _in_threads(self, n_jobs: int, take: Callable[[int, int, Any], None]) -> None:
        def one(fold: int) -> None:
            seen = self.seen(fold)
            _each(
                lambda first: take(fold, first, self.part(fold, first, seen)), self._firsts, inner
            )

        # Threads go where there is most to share out: classes, or the folds of a few classes.
        outer, inner = (n_jobs, 1) if len(self._firsts) < n_jobs else (1, n_jobs)
        _each(one, self._folds, outer)

    @property
    def _folds(self) -> list[int]:
        """The folds that can be held out, and the training on all documents."""
        return [
            *(fold for fold in np.unique(self.folds).tolist() if (self.folds != fold).any()),
            ALL_DOCUMENTS,
        ]

    @property
    def _firsts(self) -> range:
        """The first class of each batch that is trained side by side."""
        return range(0, len(self.members), MOST_CLASSES)

    def seen(self, fold: int) -> WeighedVectors:
        """Return the vectors of all documents for one who has not seen a fold."""
        if fold == ALL_DOCUMENTS:
            return self.training.seen_by()
        return self.training.seen_by(np.flatnonzero(self.folds != fold))

    def part(self, fold: int, first: int, seen: WeighedVectors) -> Any:
        """Train some classes without a fold and return the scores of its documents.

        A class that the other folds lack, or have nothing besides, has no scores. Trained on all
        documents, the rankings themselves are returned.
        """
        vectors, frequencies = seen
        members = self.members[first : first + MOST_CLASSES]
        rows = np.flatnonzero(self.folds != fold)
        rankings = fit_rankings(
            vectors, rows, members, frequencies=frequencies, weights=self.weights
        )
        if fold == ALL_DOCUMENTS:
            return rankings
        scores = rankings.scores(vectors, np.flatnonzero(self.folds == fold))
        n_class = np.array([(self.folds[each] != fold).sum() for each in members])
        scores[:, (n_class == 0) | (n_class == len(rows))] = np.nan
        return scores


def _part(training: Training, task: tuple[int, int]) -> Any:
    fold, first = task
    return training.part(fold, first, training.seen(fold))


def _each(function: Callable[[Any], None], tasks: Sequence[Any], n_jobs: int) -> None:
    # Threads, because the compiled loops let go of the interpreter's lock.
    Parallel(n_jobs, backend="threading")(delayed(function)(task) for task in tasks)
