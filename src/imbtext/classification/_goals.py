"""What the decision is to be good at: the metrics that an operating point can be chosen for.

Written as methods are: ``f2``, ``cost(10, 1)``, ``recall_at_precision(0.9)``.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from imbtext.evaluation.metrics import Confusion, get_metric

_WRITTEN: Final = re.compile(r"\s*([a-z_]+)\s*\(([^()]*)\)\s*")
_CHOICES: Final = (
    "balanced_accuracy, f1, f2 (or f with any beta, such as f0.5), cost(miss, alarm), "
    "recall_at_precision(p), precision_at_recall(r) or alarms(n) per thousand documents"
)


@dataclass(frozen=True)
class Goal:
    """A value to be made as large as possible by the choice of a threshold.

    Attributes
    ----------
    name : str
        As users type it.
    title : str
        As a sentence says it.
    value : callable
        From a `Confusion` of arrays, one entry per threshold.
    smoothed : bool
        Whether few documents of the class are helped out by a prior on recall, see
        `imbtext.classification._operating_point`.
    """

    name: str
    title: str
    value: Callable[[Confusion], NDArray[np.float64]]
    smoothed: bool = False


def get_goal(metric: Any) -> Goal:
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
    if isinstance(metric, Goal):
        return metric
    if isinstance(metric, tuple | list) and len(metric) == 2:
        return _cost(*metric)
    if not isinstance(metric, str):
        raise ValueError(f"metric is {metric!r:.60}; choose {_CHOICES}")
    written = _WRITTEN.fullmatch(metric)
    if written is None:
        try:
            known = get_metric(metric.strip(), among=("balanced_accuracy", "f1", "f2"))
        except ValueError:
            raise ValueError(f"metric is {metric!r:.60}; choose {_CHOICES}") from None
        if known.of_confusion is None:
            raise ValueError(f"metric is {metric!r:.60}; choose {_CHOICES}")
        return Goal(known.name, known.title, known.of_confusion, metric == "balanced_accuracy")
    name, arguments = written[1], [part.strip() for part in written[2].split(",")]
    makers: dict[str, Callable[..., Goal]] = {
        "cost": _cost,
        "recall_at_precision": _recall_at_precision,
        "precision_at_recall": _precision_at_recall,
        "alarms": _alarms,
    }
    try:
        numbers = [float(argument) for argument in arguments]
        return makers[name](*numbers)
    except (KeyError, TypeError):
        raise ValueError(f"metric is {metric!r:.60}; choose {_CHOICES}") from None
    except ValueError as error:
        if "could not convert" not in str(error):
            raise
        raise ValueError(f"metric is {metric!r:.60}, and {error}; choose {_CHOICES}") from None


def _cost(miss: Any, alarm: Any) -> Goal:
    """Lowest cost of missed documents and false alarms."""
    name = f"cost({_checked(miss, 'the cost of a miss')}, {_checked(alarm, 'that of an alarm')})"

    def value(confusion: Confusion) -> NDArray[np.float64]:
        missed = np.subtract(confusion.n_class, confusion.found)
        return np.asarray(-(miss * missed + alarm * np.asarray(confusion.alarms)), np.float64)

    title = f"low cost, a miss being {miss:g} and a false alarm {alarm:g}"
    return Goal(name, title, value, smoothed=True)


def _recall_at_precision(precision: float) -> Goal:
    """Most recall where precision is reached; else the precision that comes nearest."""
    _share(precision, "the precision")

    def value(confusion: Confusion) -> NDArray[np.float64]:
        reached = confusion.precision >= precision
        return np.where(reached, confusion.recall, confusion.precision - 2)

    return Goal(
        f"recall_at_precision({precision:g})", f"recall at a precision of {precision:g}", value
    )


def _precision_at_recall(recall: float) -> Goal:
    """Most precision where recall is reached."""
    _share(recall, "the recall")

    def value(confusion: Confusion) -> NDArray[np.float64]:
        return np.where(confusion.recall >= recall, confusion.precision, confusion.recall - 2)

    return Goal(f"precision_at_recall({recall:g})", f"precision at a recall of {recall:g}", value)


def _alarms(per_thousand: float) -> Goal:
    """As many documents put into the class as allowed: whoever reads them has the time."""
    if not 0 < per_thousand <= 1000:
        raise ValueError(f"alarms({per_thousand:g}): give a number per thousand, above 0")

    def value(confusion: Confusion) -> NDArray[np.float64]:
        put = np.add(confusion.found, confusion.alarms)
        share = put / np.add(confusion.n_class, confusion.n_rest)
        return np.where(share <= per_thousand / 1000, share, -share)

    name = f"alarms({per_thousand:g})"
    return Goal(name, f"at most {per_thousand:g} alarms per thousand documents", value)


def _checked(number: Any, what: str) -> str:
    if isinstance(number, bool) or not isinstance(number, int | float | np.number):
        raise ValueError(f"{what} is {number!r:.40}; give a number above 0")
    if not 0 < number < np.inf:
        raise ValueError(f"{what} is {number:g}; give a number above 0")
    return f"{number:g}"


def _share(number: float, what: str) -> None:
    if not 0 < number <= 1:
        raise ValueError(f"{what} is {number:g}; give a number above 0, up to 1")
