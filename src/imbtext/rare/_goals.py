"""What the decision is to be good at: the metrics that an operating point can be chosen for.

Written as methods are: ``f2``, ``cost(10, 1)``, ``recall_at_precision(0.9)``.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from imbtext.metrics import Confusion, get_metric

_WRITTEN: Final = re.compile(r"\s*([a-z_]+)\s*\(([^()]*)\)\s*")
_CHOICES: Final = (
    "balanced_accuracy, f1, f2 (or f with any beta, such as f0.5), cost(miss, alarm), "
    "recall_at_precision(p), precision_at_recall(r) or alarms(n) per thousand documents"
)


@dataclass(frozen=True)
class Goal:
    """A value to be made as large as possible by the choice of a threshold.

    The name is as users type it, the title as a sentence says it. `smoothed` helps few documents of
    the class out by a prior on recall, see `imbtext.rare._operating_point`.
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
    if isinstance(metric, tuple | list) and len(metric) == 2:
        return _cost(*metric)
    unknown = f"metric is {metric!r:.60}; choose {_CHOICES}"
    if not isinstance(metric, str):
        raise ValueError(unknown)
    written = _WRITTEN.fullmatch(metric)
    if written is None:
        try:
            known = get_metric(metric.strip(), among=("balanced_accuracy", "f1", "f2"))
        except ValueError:
            raise ValueError(unknown) from None
        value: Any = known.of_confusion
        return Goal(known.name, known.title, value, known.name == "balanced_accuracy")
    makers: dict[str, Callable[..., Goal]] = {
        "cost": _cost,
        "recall_at_precision": partial(_most_at, "recall", "precision"),
        "precision_at_recall": partial(_most_at, "precision", "recall"),
        "alarms": _alarms,
    }
    try:
        return makers[written[1]](*(float(part.strip()) for part in written[2].split(",")))
    except (KeyError, TypeError):
        raise ValueError(unknown) from None
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


def _most_at(most: str, reached: str, share: float) -> Goal:
    """As much of one share as can be where another is reached; else what comes nearest to it."""
    if not 0 < share <= 1:
        raise ValueError(f"the {reached} is {share:g}; give a number above 0, up to 1")

    def value(confusion: Confusion) -> NDArray[np.float64]:
        there = getattr(confusion, reached)
        return np.where(there >= share, getattr(confusion, most), there - 2)

    return Goal(f"{most}_at_{reached}({share:g})", f"{most} at a {reached} of {share:g}", value)


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
