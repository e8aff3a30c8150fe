"""Every measure that this package knows, once: its name, its title and how it is computed.

Balanced accuracy, F1, F2, recall, true negative rate and precision of hard predictions are the
paper's (its appendix A). Average precision and ROC AUC are additions of this package: they judge
the ranking by the decision function and need no threshold.

Precision and the F-scores are 0 where they are undefined because nothing was put into the class, as
in the paper. A measure that needs a class which the test documents lack is not a number.
"""

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.utils import check_consistent_length

__all__ = [
    "METRICS",
    "METRIC_TABLE",
    "PAPER_METRICS",
    "RANKING_METRICS",
    "Confusion",
    "Metric",
    "balanced_accuracy",
    "binary_scores",
    "f_beta",
    "get_metric",
]


@dataclass(frozen=True, eq=False)
class Confusion:
    """How many documents of the class were found, missed, and so on; numbers, or arrays of them.

    Examples
    --------
    >>> one = Confusion.of(np.array([True, True, False]), np.array([True, False, False]))
    >>> float(one.recall), float(one.tnr), float(one.precision)
    (0.5, 1.0, 1.0)
    >>> many = Confusion(found=np.array([1, 2]), alarms=np.array([0, 3]), n_class=2, n_rest=6)
    >>> many.tnr.tolist()
    [1.0, 0.5]
    """

    found: Any
    alarms: Any
    n_class: Any
    n_rest: Any

    @classmethod
    def of(cls, true: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> "Confusion":
        """Count one classification."""
        n_class = int(np.count_nonzero(true))
        found = int(np.count_nonzero(true & predicted))
        alarms = int(np.count_nonzero(predicted)) - found
        return cls(found, alarms, n_class, true.size - n_class)

    def divided(self, n: int) -> "Confusion":
        """Return the average of `n` classifications that were counted together."""
        return Confusion(self.found / n, self.alarms / n, self.n_class / n, self.n_rest / n)

    @property
    def recall(self) -> NDArray[np.float64]:
        """Share of the class that was found."""
        return _ratio(self.found, self.n_class, undefined=math.nan)

    @property
    def tnr(self) -> NDArray[np.float64]:
        """Share of the rest that raised no alarm: the true negative rate."""
        return _ratio(np.subtract(self.n_rest, self.alarms), self.n_rest, undefined=math.nan)

    @property
    def precision(self) -> NDArray[np.float64]:
        """Share of the documents put into the class that belong there."""
        return _ratio(self.found, np.add(self.found, self.alarms), undefined=0.0)


@dataclass(frozen=True)
class Metric:
    """One measure: as users type it and columns are called, and as a sentence says it.

    It is computed from a `Confusion`, or from membership and scores where it judges the ranking.
    """

    name: str
    title: str
    of_confusion: Callable[[Confusion], NDArray[np.float64]] | None = None
    of_ranking: Callable[[NDArray[np.bool_], NDArray[np.float64]], float] | None = None


def balanced_accuracy(confusion: Confusion) -> NDArray[np.float64]:
    """Return the mean of recall and true negative rate."""
    balanced: NDArray[np.float64] = (confusion.recall + confusion.tnr) / 2
    return balanced


def f_beta(confusion: Confusion, beta: float) -> NDArray[np.float64]:
    """Return the F-score, where `beta` says how many times recall outweighs precision.

    Examples
    --------
    >>> float(f_beta(Confusion(found=2, alarms=2, n_class=2, n_rest=9), beta=2.0))
    0.8333333333333334
    >>> float(f_beta(Confusion(found=0, alarms=0, n_class=2, n_rest=9), beta=1.0))
    0.0
    """
    precision, recall = confusion.precision, confusion.recall
    weighted = beta**2 * precision + recall
    return _ratio((1 + beta**2) * precision * recall, weighted, undefined=0.0)


def _average_precision(true: NDArray[np.bool_], decision: NDArray[np.float64]) -> float:
    return float(average_precision_score(true, decision)) if true.any() else math.nan


def _roc_auc(true: NDArray[np.bool_], decision: NDArray[np.float64]) -> float:
    both = bool(true.any()) and not bool(true.all())
    return float(roc_auc_score(true, decision)) if both else math.nan


_HARD: Final = (
    Metric("balanced_accuracy", "balanced accuracy", balanced_accuracy),
    Metric("f1", "F1", partial(f_beta, beta=1.0)),
    Metric("f2", "F2", partial(f_beta, beta=2.0)),
    Metric("recall", "recall", attrgetter("recall")),
    Metric("tnr", "true negative rate", attrgetter("tnr")),
    Metric("precision", "precision", attrgetter("precision")),
)
_RANKING: Final = (
    Metric("average_precision", "average precision", of_ranking=_average_precision),
    Metric("roc_auc", "ROC AUC", of_ranking=_roc_auc),
)
METRIC_TABLE: Final = {metric.name: metric for metric in (*_HARD, *_RANKING)}
PAPER_METRICS: Final = tuple(metric.name for metric in _HARD)
RANKING_METRICS: Final = tuple(metric.name for metric in _RANKING)
METRICS: Final = PAPER_METRICS + RANKING_METRICS


def get_metric(name: str, among: Iterable[str] = METRICS) -> Metric:
    """Return a measure by its name; "f0.5", "f3" and the like are F-scores of that beta.

    `among` are the names that make sense to the caller. Any F-score does where one is among them.

    Examples
    --------
    >>> get_metric("f0.5").title
    'F0.5'
    >>> get_metric("accuracy", among=("recall", "f1"))
    Traceback (most recent call last):
    ...
    ValueError: metric is 'accuracy'; choose from recall, f1, or f with any beta, such as f0.5
    """
    known = tuple(among)
    if name in known and name in METRIC_TABLE:
        return METRIC_TABLE[name]
    parts = re.fullmatch(r"f(\d+(?:\.\d+)?)", name) if isinstance(name, str) else None
    any_f = any(re.fullmatch(r"f\d", other) for other in known)
    if parts and any_f and float(parts[1]) > 0:
        beta = float(parts[1])
        return Metric(f"f{beta:g}", f"F{beta:g}", partial(f_beta, beta=beta))
    and_f = ", or f with any beta, such as f0.5" if any_f else ""
    raise ValueError(f"metric is {name!r}; choose from {', '.join(known)}{and_f}")


def binary_scores(
    y_true: ArrayLike, y_pred: ArrayLike, decision: ArrayLike | None = None
) -> dict[str, float]:
    """Score hard predictions, and the ranking too where a decision function is given.

    True and predicted are membership of the class. Returns an entry for each of `PAPER_METRICS`,
    and of `RANKING_METRICS` where there is a decision.

    Examples
    --------
    >>> scores = binary_scores([True, True, False, False], [True, False, False, False])
    >>> scores["recall"], scores["tnr"], scores["balanced_accuracy"]
    (0.5, 1.0, 0.75)
    >>> binary_scores([True, False], [False, False])["precision"]
    0.0
    """
    check_consistent_length(y_true, y_pred, decision)
    true = np.asarray(y_true, dtype=np.bool_)
    confusion = Confusion.of(true, np.asarray(y_pred, dtype=np.bool_))
    scores = {m.name: float(m.of_confusion(confusion)) for m in _HARD if m.of_confusion}
    if decision is not None:
        values = np.asarray(decision, dtype=np.float64)
        scores |= {m.name: m.of_ranking(true, values) for m in _RANKING if m.of_ranking}
    return scores


def _ratio(part: Any, whole: Any, *, undefined: float) -> NDArray[np.float64]:
    part, whole = np.broadcast_arrays(np.asarray(part, float), np.asarray(whole, float))
    ratio = np.full(part.shape, undefined)
    np.divide(part, whole, out=ratio, where=whole != 0)
    return ratio
