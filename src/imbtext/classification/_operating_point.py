"""The operating point: the threshold that serves a goal best on scores of held-out documents.

The scores of all folds are pooled. Between two scores the threshold lies half way.

For balanced accuracy and for costs, one found or missed document of a small class would move the
threshold far. There the recall at a threshold is counted as if two more documents of the class had
been seen, ranked as a modest classifier ranks them: recall ``FPR ** 0.2``. The same prior stands in
where a class has a single document, which cannot be held out and learnt from at once.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext.classification._goals import Goal
from imbtext.evaluation.metrics import Confusion

_PRIOR_DOCUMENTS: Final = 2.0
_PRIOR_EXPONENT: Final = 0.2


def choose_threshold(
    goal: Goal,
    scores: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weights: NDArray[np.float64] | None = None,
) -> float:
    """Return the threshold above which a document is put into the class, by held-out documents.

    Without any of them, 0: where the classifier itself decides.

    Examples
    --------
    >>> from imbtext.classification._goals import get_goal
    >>> scores, positive = np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, True, False, False])
    >>> choose_threshold(get_goal("f1"), scores, positive)
    1.5
    """
    if not len(scores):
        return 0.0
    thresholds, confusion = curve(scores, positive, weights)
    n_class = float(positive.sum())
    if goal.smoothed or n_class == 0:
        confusion = _smoothed(confusion, n_class)
    # Of equal values the first: the fewest documents put into the class.
    return float(thresholds[np.argmax(goal.value(confusion))])


def curve(
    scores: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weights: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], Confusion]:
    """Return every threshold that makes a difference, the highest first, and what each gives."""
    order = np.argsort(-scores, kind="stable")
    sorted_scores = scores[order]
    counts = np.ones(len(scores)) if weights is None else weights[order]
    inside = np.where(positive[order], counts, 0.0)
    last = np.append(np.flatnonzero(np.diff(sorted_scores)), len(scores) - 1)
    zero = np.zeros(1)
    found = np.concatenate([zero, np.cumsum(inside)[last]])
    put = np.concatenate([zero, np.cumsum(counts)[last]])
    distinct = sorted_scores[last]
    between = (distinct[:-1] + distinct[1:]) / 2
    thresholds = np.concatenate([distinct[:1] + 1.0, between, distinct[-1:] - 1.0])
    confusion = Confusion(found, put - found, found[-1], put[-1] - found[-1])
    return thresholds, confusion


def _smoothed(confusion: Confusion, n_class: float) -> Confusion:
    false_alarms = np.asarray(1.0 - confusion.tnr)
    recall = np.nan_to_num(np.asarray(confusion.recall))
    prior = _PRIOR_DOCUMENTS * false_alarms**_PRIOR_EXPONENT
    smoothed = (n_class * recall + prior) / (n_class + _PRIOR_DOCUMENTS)
    size = max(float(confusion.n_class), 1.0)
    return Confusion(size * smoothed, confusion.alarms, size, confusion.n_rest)
