"""The threshold of a class: the one that serves a goal best on held-out scores.

There are two rules. "pooled" takes the scores of all folds together, and between two scores the
threshold lies half way (:class:`Cuts`). "mean of folds" is the rule of scikit-learn's
``TunedThresholdClassifierCV`` (:class:`FoldCurves`): the value of the goal at a hundred thresholds
of each fold, averaged over the folds. For goals, see :mod:`imbtext.metrics`.

For balanced accuracy and for costs, one found or missed document of a small class would move the
threshold far. There the recall at a threshold is counted as if two more documents of the class had
been seen, ranked as a modest classifier ranks them: recall ``FPR ** 0.2``. The same prior is used
if a class has a single document, which cannot be held out and learnt from at once.
"""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from imbtext.metrics import Confusion, Goal
from imbtext.thresholds._held_out import ClassScores

Rule = Literal["pooled", "mean of folds"]
POOLED: Final = "pooled"
MEAN_OF_FOLDS: Final = "mean of folds"
RULES: Final = (POOLED, MEAN_OF_FOLDS)
# As many as TunedThresholdClassifierCV tries by default.
_N_THRESHOLDS: Final = 100

_PRIOR_DOCUMENTS: Final = 2.0
_PRIOR_EXPONENT: Final = 0.2


@dataclass(frozen=True, eq=False)
class Cuts:
    """Every threshold that makes a difference, for scores that are sorted once.

    Choosing again with other weights then costs two sums and no sorting.

    Attributes
    ----------
    thresholds : ndarray of float64
        One above all scores, one half way between each score and the next, one below all.
    is_class : ndarray of bool
        Whether each document belongs to the class, the highest score first.
    last : ndarray of int64
        The last document above each threshold but the first.
    """

    thresholds: NDArray[np.float64]
    is_class: NDArray[np.bool_]
    last: NDArray[np.int64]

    @classmethod
    def of(cls, scores: NDArray[np.float64], is_class: NDArray[np.bool_]) -> "Cuts":
        """Take scores, the highest first."""
        if not len(scores):
            return cls(np.zeros(1), is_class, np.empty(0, np.int64))
        last = np.append(np.flatnonzero(np.diff(scores)), len(scores) - 1)
        distinct = scores[last]
        between = (distinct[:-1] + distinct[1:]) / 2
        thresholds = np.concatenate([distinct[:1] + 1.0, between, distinct[-1:] - 1.0])
        return cls(thresholds, is_class, last)

    def confusion(self, weights: NDArray[np.float64] | None = None) -> Confusion:
        """Return what each threshold gives."""
        counts = np.ones(len(self.is_class)) if weights is None else weights
        inside = np.where(self.is_class, counts, 0.0)
        zero = np.zeros(1)
        n_found = np.concatenate([zero, np.cumsum(inside)[self.last]])
        n_put = np.concatenate([zero, np.cumsum(counts)[self.last]])
        return Confusion(n_found, n_put - n_found, n_found[-1], n_put[-1] - n_found[-1])

    def choose(self, goal: Goal, weights: NDArray[np.float64] | None = None) -> float:
        """Return the threshold that serves a goal best; 0 without documents."""
        best = _best_index(goal, self.confusion(weights), float(self.is_class.sum()))
        return float(self.thresholds[best])

    def thinned(self, most: int = 300) -> NDArray[np.int64]:
        """Return the indices of some thresholds, fine where alarms are few: a chart needs no more.

        Examples
        --------
        >>> scores = np.arange(1000.0)[::-1]
        >>> Cuts.of(scores, scores > 990).thinned(5).tolist()
        [0, 1, 6, 32, 178, 1000]
        """
        n = len(self.last)
        if n <= most:
            return np.arange(n + 1)
        indices = np.rint(np.geomspace(1, n, most)).astype(np.int64)
        return np.unique(np.append(0, indices))


@dataclass(frozen=True, eq=False)
class FoldCurves:
    """What thresholds give in each fold, for the rule of ``TunedThresholdClassifierCV``.

    Attributes
    ----------
    is_class : ndarray of bool
        Whether each document belongs to the class.
    indices : list of ndarray of int64
        The documents of each fold, the highest score first.
    thresholds : list of ndarray of float64
        The thresholds of each fold, rising.
    n_above : list of ndarray of int64
        How many documents of the fold score as high as each threshold, or higher.
    """

    is_class: NDArray[np.bool_]
    indices: list[NDArray[np.int64]]
    thresholds: list[NDArray[np.float64]]
    n_above: list[NDArray[np.int64]]

    @classmethod
    def of(cls, held: ClassScores) -> "FoldCurves":
        """Take scores, the highest first."""
        curves = cls(held.is_class, [], [], [])
        for fold in np.unique(held.folds).tolist():
            indices = np.flatnonzero(held.folds == fold)
            rising = held.scores[indices][::-1]
            thresholds = np.linspace(rising[0], rising[-1], _N_THRESHOLDS)
            curves.indices.append(indices)
            curves.thresholds.append(thresholds)
            curves.n_above.append(len(indices) - np.searchsorted(rising, thresholds))
        return curves

    def choose(self, goal: Goal, weights: NDArray[np.float64] | None = None) -> float:
        """Return the threshold above which documents are put into the class; 0 without documents.

        A score that equals scikit-learn's threshold is above it there. So this is the next smaller
        number.
        """
        if not self.indices:
            return 0.0
        counts = np.ones(len(self.is_class)) if weights is None else weights
        inside = np.where(self.is_class, counts, 0.0)
        values = []
        for indices, n_above in zip(self.indices, self.n_above, strict=True):
            found, put = (np.append(0.0, np.cumsum(of[indices])) for of in (inside, counts))
            false_alarms = put[n_above] - found[n_above]
            n_class, n_rest = found[-1], put[-1] - found[-1]
            values.append(goal.value(Confusion(found[n_above], false_alarms, n_class, n_rest)))
        ends = np.concatenate([thresholds[[0, -1]] for thresholds in self.thresholds])
        common = np.linspace(ends.min(), ends.max(), _N_THRESHOLDS)
        curves = map(np.interp, [common] * len(values), self.thresholds, values)
        best = int(np.mean(list(curves), axis=0).argmax())
        return float(np.nextafter(common[best], -np.inf))


def chooser(held: ClassScores, rule: Rule) -> Cuts | FoldCurves:
    """Return what chooses thresholds on the scores of a class by a rule."""
    return FoldCurves.of(held) if rule == MEAN_OF_FOLDS else Cuts.of(held.scores, held.is_class)


def threshold_for(alarms: int, scores: NDArray[np.float64]) -> float:
    """Return the threshold above which at most this many documents lie; ties lie below it.

    Examples
    --------
    >>> threshold_for(2, np.array([0.0, 3.0, 1.0, 2.0]))
    1.5
    """
    falling = np.sort(scores)[::-1]
    if len(falling) <= alarms:
        return float(falling[-1]) - 1.0 if len(falling) else 0.0
    above = falling[:alarms][falling[:alarms] > falling[alarms]]
    highest = float(falling[alarms])
    return (highest + float(above[-1])) / 2 if len(above) else highest


def _best_index(goal: Goal, confusion: Confusion, n_class: float) -> int:
    """Return which of several thresholds, the highest first, serves a goal best.

    `n_class` is how many documents of the class say so.
    """
    if goal.smoothed or n_class == 0:
        confusion = _smoothed(confusion, n_class)
    # If values are equal, the first: it puts the fewest documents into the class.
    return int(np.argmax(goal.value(confusion)))


def _smoothed(confusion: Confusion, n_class: float) -> Confusion:
    false_alarms = np.asarray(1.0 - confusion.tnr)
    recall = np.nan_to_num(np.asarray(confusion.recall))
    prior = _PRIOR_DOCUMENTS * false_alarms**_PRIOR_EXPONENT
    smoothed = (n_class * recall + prior) / (n_class + _PRIOR_DOCUMENTS)
    size = max(float(confusion.n_class), 1.0)
    return Confusion(size * smoothed, confusion.false_alarms, size, confusion.n_rest)
