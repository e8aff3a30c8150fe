"""Held-out scores: the scores of documents by rankings that have not seen them.

:class:`HeldOutScores` has those of all classes, as training gives them. :class:`ClassScores` has
those of one class, with all that decides what they mean: the truth, weights, folds and groups.
Thresholds, probabilities and expectations are chosen on them, and none of these knows how the
scores were made.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score

from imbtext._typing import Array

# Shares of the best other class's score that are tried, and what a share must gain.
SHARES_OF_BEST_OTHER: Final = (0.0, 0.1, 0.2, 0.3)
_LEAST_GAIN: Final = 0.001


@dataclass(frozen=True, eq=False)
class ClassScores:
    """The held-out scores of one class, one entry for each document that could be held out.

    Attributes
    ----------
    scores : ndarray of float64
        The score of each document.
    is_class : ndarray of bool
        Whether the document belongs to the class.
    weights : ndarray of float64 or None
        How much each document counts; None counts each once.
    folds : ndarray of int8
        The fold that held the document out.
    groups : ndarray of int64
        The group of each document, numbered from 0 over all documents.
    rows : ndarray of int64
        The place of each document among all that were given.
    n_class, n_documents : int
        Documents of the class and of all that were given, held out or not.
    in_time : bool
        Whether the folds are periods that follow one another, each scored by what came before it.
    """

    scores: NDArray[np.float64]
    is_class: NDArray[np.bool_]
    weights: NDArray[np.float64] | None
    folds: NDArray[np.int8]
    groups: NDArray[np.int64]
    rows: NDArray[np.int64]
    n_class: int
    n_documents: int
    in_time: bool = False


def relative_weights(held: ClassScores) -> NDArray[np.float64]:
    """Return the weights as shares of the largest, which no sum or square can overflow."""
    if held.weights is None or not held.weights.any():
        return np.ones(len(held.scores))
    return held.weights / float(held.weights.max())


def ranking_precision(held: ClassScores) -> float:
    """Return the average precision of held-out scores; not a number without documents to find."""
    weights = relative_weights(held)
    if not (held.is_class & (weights > 0)).any():
        return np.nan
    return float(average_precision_score(held.is_class, held.scores, sample_weight=weights))


@dataclass(frozen=True, eq=False)
class HeldOutScores:
    """Scores of documents by rankings that have not seen them, NaN where there is none."""

    scores: NDArray[np.float32]
    folds: NDArray[np.int8]
    in_time: bool = False

    def of_class(
        self,
        c: int,
        members: NDArray[np.int64],
        weights: NDArray[np.float64] | None,
        groups: NDArray[np.int64],
    ) -> ClassScores:
        """Return the scores of the documents that could be held out for a class.

        `groups` numbers the documents that are held out together.
        """
        column = self.scores[:, c]
        rows = np.flatnonzero(~np.isnan(column))
        # Most often all of them, and classes then share their arrays.
        kept = slice(None) if len(rows) == len(column) else rows
        is_class = np.zeros(len(column), bool)
        is_class[members] = True
        return ClassScores(
            scores=column[kept].astype(np.float64),
            is_class=is_class[kept],
            weights=None if weights is None else weights[kept],
            folds=self.folds[kept],
            groups=groups[kept],
            rows=rows,
            n_class=len(members),
            n_documents=len(column),
            in_time=self.in_time,
        )

    def best_share(
        self, members: Sequence[NDArray[np.int64]], weights: NDArray[np.float64] | None = None
    ) -> float:
        """Return which share of the best other class's score to subtract.

        It is the share with the largest mean average precision over all classes, on held-out
        documents; 0 unless another share gains enough.
        """
        precisions = {
            share: self.less_best_other(share)._precision(members, weights)
            for share in SHARES_OF_BEST_OTHER
        }
        best = max(precisions, key=lambda share: precisions[share])
        return best if precisions[best] > precisions[0.0] + _LEAST_GAIN else 0.0

    def less_best_other(self, share: float) -> "HeldOutScores":
        """Return the scores less a share of the best other class's."""
        return replace(self, scores=less_best_other(self.scores, share))

    def _precision(
        self, members: Sequence[NDArray[np.int64]], weights: NDArray[np.float64] | None
    ) -> float:
        precisions = []
        counted = np.ones(len(self.folds)) if weights is None else weights
        for c, rows in enumerate(members):
            held = self.of_class(c, rows, counted, np.arange(len(counted)))
            if counted[rows].any() and held.is_class.any():
                precisions.append(
                    average_precision_score(held.is_class, held.scores, sample_weight=held.weights)
                )
        return float(np.mean(precisions)) if precisions else 0.0


def less_best_other(scores: Array, share: float) -> Array:
    """Subtract a share of the best other class's score from the score of each class.

    Where a document has one class only, resembling another class is evidence against this one.

    Examples
    --------
    >>> less_best_other(np.array([[3.0, 1.0, 0.0]]), 0.1).round(2).tolist()
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
    taken = np.asarray(share * np.where(np.isfinite(others), others, 0.0), scores.dtype)
    return np.asarray(scores - taken)
