"""The card of any ranking: other thresholds, and whether probabilities hold.

The cards of `RareTextClassifier` and of `ThresholdClassifier` are made of these tables.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext.metrics import Goal, get_goal
from imbtext.pages._page import Table
from imbtext.thresholds._choosing import Rule, chooser
from imbtext.thresholds._expectation import EXPECTATION_COLUMNS, expect_alone
from imbtext.thresholds._held_out import HeldOut, relative_weights
from imbtext.thresholds._operating_point import OperatingPoint

# Operating points that people ask for.
_GOALS: Final = (
    "f1",
    "f2",
    "balanced_accuracy",
    "cost(10, 1)",
    "recall_at_precision(0.9)",
    "precision_at_recall(0.9)",
    "alarms_per_thousand(5)",
    "alarms_per_thousand(20)",
)
# Limits of the groups of probabilities that are compared with what came true.
_PROBABILITIES: Final = (0.0, 0.05, 0.2, 0.5, 0.8, 1.0)


def points_table(
    held_out: HeldOut, goal: Goal, point: OperatingPoint, rule: Rule, name: str = "metric"
) -> Table:
    """Return the operating point of the only class and others it could have, with what they bring.

    `name` is what the column of the metrics is called.
    """
    held = held_out.of_class(0)
    cuts = chooser(held, rule)
    points = [(goal.name, float(point.thresholds[0]), point.expectation[0])]
    for other in map(get_goal, _GOALS):
        if other.name != goal.name:
            expectation = expect_alone(None, other, held, held_out.copies, rule)
            points.append((other.name, cuts.choose(other, held.weights), expectation))
    points.sort(key=lambda one: -one[1])
    rows = [[metric, f"{cut:.3f}", *expected.cells()] for metric, cut, expected in points]
    marked = [metric for metric, _, _ in points].index(goal.name)
    return Table([name, "threshold", *EXPECTATION_COLUMNS], rows, marked)


def probability_table(
    held_out: HeldOut, probabilities: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> Table | None:
    """Return what was stated of held-out documents and what came true; None without documents."""
    held = held_out.of_class(0)
    weights, stated = relative_weights(held), probabilities(held.scores)
    rows = []
    for low, high in pairwise(_PROBABILITIES):
        here = (stated >= low) & ((stated < high) | (high == 1))
        if weights[here].any():
            true = np.average(held.is_class[here], weights=weights[here])
            mean = np.average(stated[here], weights=weights[here])
            n_documents = held.n(here)
            shares = (f"{100 * share:.1f}%" for share in (mean, true))
            rows.append([f"{100 * low:.0f} to {100 * high:.0f}%", f"{n_documents:,}", *shares])
    columns = ["probability", "held-out documents", "stated on average", "came true"]
    return Table(columns, rows) if rows else None
