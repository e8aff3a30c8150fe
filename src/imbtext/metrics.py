"""Every measure: its name, its title and how it is computed.

Balanced accuracy, F1, F2, recall, true negative rate and precision of hard predictions are the
paper's measures (its appendix A). This package adds average precision and ROC AUC, which judge the
ranking by the decision function and do not need a threshold.

A :class:`Goal` is what a decision should be good at: it chooses the threshold, and its metric
compares methods. Users write it like a method: ``f2``, ``cost(10, 1)``,
``recall_at_precision(0.9)``.

Precision and the F-scores are 0, as in the paper, if no document was put into the class. A measure
is NaN if the test documents lack a class that it needs.
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
    "GOAL_NAMES",
    "METRICS",
    "METRIC_TABLE",
    "PAPER_METRICS",
    "RANKING_METRICS",
    "Confusion",
    "Goal",
    "Metric",
    "alarms_goal",
    "balanced_accuracy",
    "binary_scores",
    "f_beta",
    "get_goal",
    "get_metric",
    "read_cost",
    "register_metric",
    "unregister_metric",
]


@dataclass(frozen=True, eq=False)
class Confusion:
    """How many documents of the class were found, how many alarms were false, and so on.

    Each is a number, or an array of them.

    Examples
    --------
    >>> one = Confusion.of(np.array([True, True, False]), np.array([True, False, False]))
    >>> float(one.recall), float(one.tnr), float(one.precision)
    (0.5, 1.0, 1.0)
    >>> many = Confusion(found=np.array([1, 2]), false_alarms=np.array([0, 3]), n_class=2, n_rest=6)
    >>> many.tnr.tolist()
    [1.0, 0.5]
    """

    found: Any
    false_alarms: Any
    n_class: Any
    n_rest: Any

    @classmethod
    def of(cls, true: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> "Confusion":
        """Count one classification."""
        n_class = int(np.count_nonzero(true))
        found = int(np.count_nonzero(true & predicted))
        false_alarms = int(np.count_nonzero(predicted)) - found
        return cls(found, false_alarms, n_class, true.size - n_class)

    def divided(self, n: int) -> "Confusion":
        """Return the average of `n` classifications that were counted together."""
        return Confusion(self.found / n, self.false_alarms / n, self.n_class / n, self.n_rest / n)

    @property
    def recall(self) -> NDArray[np.float64]:
        """Share of the class that was found."""
        return _ratio(self.found, self.n_class, undefined=math.nan)

    @property
    def tnr(self) -> NDArray[np.float64]:
        """Share of the rest that raised no alarm: the true negative rate."""
        return _ratio(np.subtract(self.n_rest, self.false_alarms), self.n_rest, undefined=math.nan)

    @property
    def precision(self) -> NDArray[np.float64]:
        """Share of the documents put into the class that belong to it."""
        return _ratio(self.found, np.add(self.found, self.false_alarms), undefined=0.0)


@dataclass(frozen=True)
class Metric:
    """One measure: its name, as users type it and columns are called, and its title.

    It is computed from a `Confusion`, or from membership and scores if it judges the ranking.
    """

    name: str
    title: str
    of_confusion: Callable[[Confusion], NDArray[np.float64]] | None = None
    of_ranking: Callable[[NDArray[np.bool_], NDArray[np.float64]], float] | None = None


# A goal with its numbers, such as "cost(10, 1)".
_CALL: Final = re.compile(r"\s*([a-z_]+)\s*\(([^()]*)\)\s*")
_CHOICES: Final = (
    "balanced_accuracy, f1, f2 (or f with any beta, such as f0.5), cost(miss, alarm), "
    "recall_at_precision(p), precision_at_recall(r), alarms_per_thousand(n), or a metric that "
    "register_metric was given"
)


def balanced_accuracy(confusion: Confusion) -> NDArray[np.float64]:
    """Return the mean of recall and true negative rate."""
    balanced: NDArray[np.float64] = (confusion.recall + confusion.tnr) / 2
    return balanced


def f_beta(confusion: Confusion, beta: float) -> NDArray[np.float64]:
    """Return the F-score, where `beta` says how many times recall outweighs precision.

    Examples
    --------
    >>> float(f_beta(Confusion(found=2, false_alarms=2, n_class=2, n_rest=9), beta=2.0))
    0.8333333333333334
    >>> float(f_beta(Confusion(found=0, false_alarms=0, n_class=2, n_rest=9), beta=1.0))
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
#: Every measure by its name.
METRIC_TABLE: Final = {metric.name: metric for metric in (*_HARD, *_RANKING)}
#: The names of the paper's measures, which judge decisions.
PAPER_METRICS: Final = tuple(metric.name for metric in _HARD)
#: The names of the measures that judge the ranking alone.
RANKING_METRICS: Final = tuple(metric.name for metric in _RANKING)
#: The names of all measures.
METRICS: Final = PAPER_METRICS + RANKING_METRICS


def get_metric(name: str, among: Iterable[str] = METRICS) -> Metric:
    """Return a measure by its name; "f0.5", "f3" and the like are F-scores of that beta.

    `among` are the names that make sense to the caller. If an F-score is among them, any F-score is
    accepted.

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


@dataclass(frozen=True)
class Goal:
    """A value that the choice of a threshold maximises.

    Attributes
    ----------
    name : str
        As users type it.
    title : str
        As a sentence says it.
    value : callable
        From the confusion at each threshold to the value there.
    metric : Metric
        The metric that compares classifiers with this goal. If the goal sets a limit, the metric
        counts in full within it and in proportion beyond it, so a near miss is not a zero.
    smoothed : bool
        Whether a prior on recall (see `imbtext.rare`) helps if the class has few documents.
    """

    name: str
    title: str
    value: Callable[[Confusion], NDArray[np.float64]]
    metric: Metric
    smoothed: bool = False

    @property
    def chosen_on_held_out(self) -> str:
        """How a threshold was chosen for it, in words."""
        return f"best {self.title} on held-out documents of all folds together"


def read_cost(cost: object) -> tuple[float, float]:
    """Return the two costs that a user gave as numbers, or as text such as ``"10:1"``.

    Examples
    --------
    >>> read_cost("10:1"), read_cost((10, 1))
    ((10.0, 1.0), (10, 1))
    """
    if not isinstance(cost, str):
        if isinstance(cost, tuple | list) and len(cost) == 2:
            return tuple(cost)
    elif re.fullmatch(r"\s*\d+(\.\d+)?\s*:\s*\d+(\.\d+)?\s*", cost):
        miss, alarm = map(float, cost.split(":"))
        return miss, alarm
    raise ValueError(
        f"cost is {cost!r:.40}; give what a missed document and a false alarm cost, such as 10:1"
    )


def alarms_goal(alarms: int, n_documents: int) -> str:
    """Return the metric that allows this many alarms among this many documents.

    Examples
    --------
    >>> alarms_goal(200, 10_000)
    'alarms_per_thousand(20)'
    """
    if n_documents < 1:
        raise ValueError(f"alarms are raised among documents, but there are {n_documents}")
    return f"alarms_per_thousand({min(1000.0, 1000 * int(alarms) / n_documents):.6g})"


# Metrics of users, by name.
_REGISTERED: Final[dict[str, Goal]] = {}


def register_metric(
    name: str, function: Callable[[Confusion], NDArray[np.float64]], title: str | None = None
) -> None:
    """Give a metric of your own a name, which then works wherever ``"f2"`` does.

    A threshold is chosen where its value is highest. A saved model remembers the name: register
    the metric again before you load the model.

    Parameters
    ----------
    name : str
        Small letters, digits and underscores.
    function : callable
        From a `Confusion`, whose counts are arrays with one entry per threshold, to the value at
        each of them; higher is better.
    title : str, default=None
        How a sentence calls it; by default its name.

    Examples
    --------
    >>> def found_per_alarm(confusion):
    ...     return confusion.found / np.maximum(confusion.found + confusion.false_alarms, 10)
    >>> register_metric("found_per_alarm", found_per_alarm)
    >>> get_goal("found_per_alarm").title
    'found per alarm'
    >>> unregister_metric("found_per_alarm")
    """
    if not isinstance(name, str) or not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise ValueError(
            f"the name of the metric is {name!r:.40}; use small letters, digits and underscores"
        )
    try:
        get_goal(name)
    except ValueError:
        is_taken = name in METRICS
    else:
        is_taken = name not in _REGISTERED
    if is_taken or name in _WITH_NUMBERS:
        raise ValueError(f"there is a metric {name!r} already; choose another name")
    if not callable(function):
        raise TypeError(f"the metric {name!r} is {function!r:.40}; give a function")

    def value(confusion: Confusion) -> NDArray[np.float64]:
        shape = np.shape(np.add(confusion.found, confusion.false_alarms))
        returned = function(confusion)
        try:
            values = np.asarray(returned, np.float64)
        except (TypeError, ValueError):
            values = np.empty((0, 0))
        if values.shape != shape:
            expected = "one number" if not shape else f"an array of {shape[0]:,} numbers"
            raise ValueError(
                f"the metric {name!r} returned {returned!r:.60}; it must return {expected}, one "
                "for each threshold"
            )
        return np.where(np.isnan(values), -np.inf, values)

    value(Confusion(np.arange(3), np.array([0, 2, 4]), 3, 5))  # a wrong return is said now
    title = title or name.replace("_", " ")
    _REGISTERED[name] = Goal(name, title, value, Metric(name, title, value))


def unregister_metric(name: str) -> None:
    """Forget a metric of your own.

    Examples
    --------
    >>> unregister_metric("mine")
    Traceback (most recent call last):
    ...
    ValueError: there is no metric of your own called 'mine'
    """
    if _REGISTERED.pop(name, None) is None:
        raise ValueError(f"there is no metric of your own called {name!r}")


def get_goal(metric: object) -> Goal:
    """Return the goal that a user named.

    Examples
    --------
    >>> get_goal("f2").title
    'F2'
    >>> get_goal((10, 1)).name
    'cost(10, 1)'
    >>> get_goal("recall_at_precision(0.9)").title
    'recall at a precision of 0.9'
    """
    if isinstance(metric, tuple | list) and len(metric) == 2:
        return _cost(*metric)
    unknown = f"metric is {metric!r:.60}; choose {_CHOICES}"
    if not isinstance(metric, str):
        raise ValueError(unknown)
    if metric.strip() in _REGISTERED:
        return _REGISTERED[metric.strip()]
    call = _CALL.fullmatch(metric)
    if call is None:
        try:
            named = get_metric(metric.strip(), among=("balanced_accuracy", "f1", "f2"))
        except ValueError:
            named = None
        if named is None or named.of_confusion is None:
            raise ValueError(unknown)
        is_smoothed = named.name == "balanced_accuracy"
        return Goal(named.name, named.title, named.of_confusion, named, is_smoothed)
    try:
        return _WITH_NUMBERS[call[1]](*(float(part.strip()) for part in call[2].split(",")))
    except (KeyError, TypeError):
        raise ValueError(unknown) from None
    except ValueError as error:
        if "could not convert" not in str(error):
            raise
        raise ValueError(f"metric is {metric!r:.60}, and {error}; choose {_CHOICES}") from None


def _cost(miss: float, alarm: float) -> Goal:
    """Lowest cost of missed documents and false alarms."""
    name = f"cost({_checked(miss, 'the cost of a miss')}, {_checked(alarm, 'that of an alarm')})"

    def value(confusion: Confusion) -> NDArray[np.float64]:
        missed = np.subtract(confusion.n_class, confusion.found)
        return np.asarray(-(miss * missed + alarm * np.asarray(confusion.false_alarms)), np.float64)

    def saved(confusion: Confusion) -> NDArray[np.float64]:
        # 1 is perfect, 0 what finding nothing costs; many false alarms cost more than that.
        return np.asarray(1.0 + value(confusion) / (miss * np.asarray(confusion.n_class)))

    title = f"low cost, a miss being {miss:g} and a false alarm {alarm:g}"
    metric = Metric(name, f"saved cost (miss {miss:g}, false alarm {alarm:g})", saved)
    return Goal(name, title, value, metric, smoothed=True)


def _most_at(maximised: str, limited: str, least: float) -> Goal:
    """The most recall at a precision of `least` or more, or the other way round."""
    if not 0 < least <= 1:
        raise ValueError(f"the {limited} is {least:g}; give a number above 0, up to 1")

    def value(confusion: Confusion) -> NDArray[np.float64]:
        share = getattr(confusion, limited)
        # Below the limit all values are negative, and the nearest to it is the best of them.
        return np.asarray(np.where(share >= least, getattr(confusion, maximised), share - 2))

    def discounted(confusion: Confusion) -> NDArray[np.float64]:
        discount = np.minimum(1.0, getattr(confusion, limited) / least)
        return np.asarray(getattr(confusion, maximised) * discount, np.float64)

    name, title = f"{maximised}_at_{limited}({least:g})", f"{maximised} at a {limited} of {least:g}"
    return Goal(name, title, value, Metric(name, title, discounted))


def _alarms(per_thousand: float) -> Goal:
    """As many alarms as allowed: whoever reads them has the time."""
    if not 0 < per_thousand <= 1000:
        raise ValueError(
            f"alarms_per_thousand({per_thousand:g}): give a number above 0, up to 1000"
        )

    def value(confusion: Confusion) -> NDArray[np.float64]:
        n_flagged = np.add(confusion.found, confusion.false_alarms)
        share = n_flagged / np.add(confusion.n_class, confusion.n_rest)
        return np.asarray(np.where(share <= per_thousand / 1000, share, -share))

    def recall_of_read(confusion: Confusion) -> NDArray[np.float64]:
        # If there are more alarms than time to read them, only the first ones are read.
        n_documents = np.add(confusion.n_class, confusion.n_rest)
        n_flagged = np.maximum(np.add(confusion.found, confusion.false_alarms), 1)
        share_read = np.minimum(1.0, per_thousand / 1000 * n_documents / n_flagged)
        return np.asarray(confusion.recall * share_read, np.float64)

    name = f"alarms_per_thousand({per_thousand:g})"
    metric = Metric(name, f"recall within {per_thousand:g} alarms per thousand", recall_of_read)
    return Goal(name, f"at most {per_thousand:g} alarms per thousand documents", value, metric)


def _checked(number: object, what: str) -> str:
    if isinstance(number, bool) or not isinstance(number, int | float | np.number):
        raise ValueError(f"{what} is {number!r:.40}; give a number above 0")
    if not 0 < number < np.inf:
        raise ValueError(f"{what} is {number:g}; give a number above 0")
    return f"{number:g}"


# Goals that are written with numbers.
_WITH_NUMBERS: Final[dict[str, Callable[..., Goal]]] = {
    "cost": _cost,
    "recall_at_precision": partial(_most_at, "recall", "precision"),
    "precision_at_recall": partial(_most_at, "precision", "recall"),
    "alarms_per_thousand": _alarms,
    "alarms": _alarms,  # how it was written before version 0.2, as in models trained then
}
#: The names of the goals that take a number, such as ``recall_at_precision(0.9)``.
GOAL_NAMES: Final = tuple(_WITH_NUMBERS)


def binary_scores(
    y_true: ArrayLike, y_pred: ArrayLike, decision: ArrayLike | None = None
) -> dict[str, float]:
    """Score hard predictions, and the ranking too where a decision function is given.

    `y_true` and `y_pred` say whether a document belongs to the class. The result has an entry for
    each of `PAPER_METRICS`, and with a decision for each of `RANKING_METRICS`.

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


def _ratio(part: ArrayLike, total: ArrayLike, *, undefined: float) -> NDArray[np.float64]:
    part, total = np.broadcast_arrays(np.asarray(part, float), np.asarray(total, float))
    ratio = np.full(part.shape, undefined)
    np.divide(part, total, out=ratio, where=total != 0)
    return ratio
