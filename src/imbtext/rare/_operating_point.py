"""From held-out scores to decisions: the threshold of a class, and the probability of a score.

* :func:`choose_threshold` finds the operating point: the threshold that serves a goal best (see
  :mod:`imbtext.metrics`), over the scores of all folds together. Between two scores the threshold
  lies half way.
* :func:`calibrate` fits a logistic curve from scores to probabilities.

For balanced accuracy and for costs, one found or missed document of a small class would move the
threshold far. There the recall at a threshold is counted as if two more documents of the class had
been seen, ranked as a modest classifier ranks them: recall ``FPR ** 0.2``. The same prior is used
if a class has a single document, which cannot be held out and learnt from at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

from imbtext.metrics import Confusion, Goal
from imbtext.rare._held_out import ClassScores

_PRIOR_DOCUMENTS: Final = 2.0
_PRIOR_EXPONENT: Final = 0.2
# Where a class cannot be held out, its documents are taken to lie at the margin.
_MARGIN: Final = 1.0


def choose_threshold(
    goal: Goal,
    scores: NDArray[np.float64],
    is_class: NDArray[np.bool_],
    weights: NDArray[np.float64] | None = None,
) -> float:
    """Return the threshold above which a document is put into the class, by held-out documents.

    Without held-out documents it is 0, where the classifier itself decides.

    Examples
    --------
    >>> from imbtext.metrics import get_goal
    >>> scores, is_class = np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, True, False, False])
    >>> choose_threshold(get_goal("f1"), scores, is_class)
    1.5
    """
    if not len(scores):
        return 0.0
    thresholds, confusion = curve(scores, is_class, weights)
    return float(thresholds[best_place(goal, confusion, float(is_class.sum()))])


def best_place(goal: Goal, confusion: Confusion, n_class: float) -> int:
    """Return which of several thresholds, the highest first, serves a goal best.

    `n_class` is how many documents of the class say so.
    """
    if goal.smoothed or n_class == 0:
        confusion = _smoothed(confusion, n_class)
    # If values are equal, the first: it puts the fewest documents into the class.
    return int(np.argmax(goal.value(confusion)))


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


def curve(
    scores: NDArray[np.float64],
    is_class: NDArray[np.bool_],
    weights: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], Confusion]:
    """Return every threshold that makes a difference, the highest first, and what each gives."""
    order = np.argsort(-scores, kind="stable")
    sorted_scores = scores[order]
    counts = np.ones(len(scores)) if weights is None else weights[order]
    inside = np.where(is_class[order], counts, 0.0)
    last = np.append(np.flatnonzero(np.diff(sorted_scores)), len(scores) - 1)
    zero = np.zeros(1)
    n_found = np.concatenate([zero, np.cumsum(inside)[last]])
    n_put = np.concatenate([zero, np.cumsum(counts)[last]])
    distinct = sorted_scores[last]
    between = (distinct[:-1] + distinct[1:]) / 2
    thresholds = np.concatenate([distinct[:1] + 1.0, between, distinct[-1:] - 1.0])
    confusion = Confusion(n_found, n_put - n_found, n_found[-1], n_put[-1] - n_found[-1])
    return thresholds, confusion


def _smoothed(confusion: Confusion, n_class: float) -> Confusion:
    false_alarms = np.asarray(1.0 - confusion.tnr)
    recall = np.nan_to_num(np.asarray(confusion.recall))
    prior = _PRIOR_DOCUMENTS * false_alarms**_PRIOR_EXPONENT
    smoothed = (n_class * recall + prior) / (n_class + _PRIOR_DOCUMENTS)
    size = max(float(confusion.n_class), 1.0)
    return Confusion(size * smoothed, confusion.alarms, size, confusion.n_rest)


Numbers = TypeVar("Numbers", float, NDArray[np.float64])


@dataclass(frozen=True)
class Calibration(Generic[Numbers]):
    """The probability is ``expit(slope * score + constant)``, of a class or arrays of several."""

    slope: Numbers
    constant: Numbers

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability for each score."""
        return np.asarray(expit(self.slope * scores + self.constant))


def calibrate_classes(held_out: Sequence[ClassScores]) -> Calibration[NDArray[np.float64]]:
    """Fit a curve to the held-out scores of each class."""
    curves = [calibrate(h.scores, h.is_class, h.weights, h.groups) for h in held_out]
    return Calibration(*np.transpose([(curve.slope, curve.constant) for curve in curves]))


def calibrate(
    scores: NDArray[np.float64],
    is_class: NDArray[np.bool_],
    weights: NDArray[np.float64] | None = None,
    groups: NDArray[np.int64] | None = None,
) -> Calibration[float]:
    """Fit Platt's curve to scores of held-out documents.

    The two targets are not 0 and 1 but what one more document on either side would suggest, so that
    a class which is told apart without a fault gets no infinite slope. Documents of the same group
    count as one there; None leaves every document on its own.

    Examples
    --------
    >>> scores = np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    >>> calibration = calibrate(scores, np.array([True, True, False, False, False, False]))
    >>> calibration.probabilities(np.array([-1.0, 1.0])).round(1).tolist()
    [0.2, 0.6]
    """
    counts = np.ones(len(scores))
    if weights is not None and weights.any():
        counts = weights / weights.mean()
    if groups is None:
        groups = np.arange(len(scores))
    inside = _n_independent(counts[is_class], groups[is_class])
    outside = _n_independent(counts[~is_class], groups[~is_class])
    if inside == 0 or outside == 0:
        share = (inside + 1) / (inside + outside + 2)
        centre = float(np.average(scores, weights=counts)) if counts.sum() else 0.0
        slope = abs(float(logit(share))) / max(_MARGIN - centre, 1e-6)
        return Calibration(slope, float(logit(share)) - slope * centre)
    targets = np.where(is_class, (inside + 1) / (inside + 2), 1 / (outside + 2))
    centre, width = float(scores.mean()), float(scores.std()) or 1.0
    x = (scores - centre) / width

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        z = parameters[0] * x + parameters[1]
        error = counts * (expit(z) - targets)
        value = float(counts @ (np.logaddexp(0, z) - targets * z))
        return value, np.array([float(error @ x), float(error.sum())])

    start = np.array([1.0, np.log((inside + 1) / (outside + 1))])
    # Never falling: a higher score is never a lower probability.
    optimum = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None), (None, None)])
    slope = float(optimum.x[0]) / width
    return Calibration(slope, float(optimum.x[1]) - slope * centre)


def _n_independent(weights: NDArray[np.float64], groups: NDArray[np.int64]) -> float:
    """Return how many documents of equal weight, each on its own, would tell as much (Kish)."""
    of_groups = np.bincount(groups, weights)
    squares = float(of_groups @ of_groups)
    return float(of_groups.sum()) ** 2 / squares if squares else 0.0
