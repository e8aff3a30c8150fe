"""Where a ranking is cut: one threshold per class, and what to expect there.

:meth:`OperatingPoint.best` gives every class the threshold that serves a goal best. Thresholds of
some classes can move while the others stay where they are, to a number
(:meth:`OperatingPoint.moved`) or to another goal (:meth:`OperatingPoint.moved_to`). Nothing is
trained: all answers come from the held-out scores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from imbtext._typing import Label
from imbtext.metrics import Goal
from imbtext.thresholds._choosing import POOLED, Rule, chooser
from imbtext.thresholds._expectation import (
    AlarmRate,
    Expectation,
    alarm_rates,
    expect,
    expect_alone,
    expect_at,
    goals_of,
)
from imbtext.thresholds._held_out import HeldOut, ranking_precision


class OperatingPoint(NamedTuple):
    """Where a ranking is cut: one threshold per class, and what to expect there."""

    thresholds: NDArray[np.float64]
    expectation: list[Expectation]
    alarm_rates: list[AlarmRate]

    @classmethod
    def best(
        cls,
        goal: Goal | Sequence[Goal],
        held_out: HeldOut,
        labels: Sequence[Label],
        rule: Rule = POOLED,
    ) -> "OperatingPoint":
        """Return the thresholds that serve a goal best, or one goal for each class."""
        thresholds = best_thresholds(goal, held_out, rule)
        rates = alarm_rates(labels, held_out, thresholds)
        return cls(thresholds, expect(labels, goal, held_out, rule), rates)

    def moved(
        self, held_out: HeldOut, labels: Sequence[Label], thresholds: Mapping[int, float]
    ) -> "OperatingPoint":
        """Return the point with other thresholds for some classes.

        What to expect is said anew wherever documents change class.
        """
        moved = self.thresholds.copy()
        moved[list(thresholds)] = list(thresholds.values())
        expectation, rates = [*self.expectation], [*self.alarm_rates]
        for c, expected in enumerate(expect_at(labels, held_out, moved)):
            if c in thresholds or held_out.exclusive:
                expectation[c], rates[c] = expected
        return OperatingPoint(moved, expectation, rates)

    def moved_to(
        self,
        goal: Goal,
        c: int,
        held_out: HeldOut,
        labels: Sequence[Label],
        rule: Rule = POOLED,
    ) -> "OperatingPoint":
        """Return the point with the class `c` where a goal is served best, the others staying."""
        held = held_out.among_others(c, self.thresholds)
        threshold = chooser(held, rule).choose(goal, held.weights)
        point = self.moved(held_out, labels, {c: threshold})
        expected = expect_alone(labels[c], goal, held, held_out.copies, rule)
        # How well the class itself is ranked stays what it was.
        precision = ranking_precision(held_out.of_class(c))
        point.expectation[c] = replace(expected, average_precision=precision)
        return point


def best_thresholds(
    goal: Goal | Sequence[Goal], held_out: HeldOut, rule: Rule = POOLED
) -> NDArray[np.float64]:
    """Return for each class the threshold that serves a goal best."""
    views = [held_out.of_class(c) for c in range(held_out.n_classes)]
    chosen = zip(goals_of(goal, len(views)), views, strict=True)
    return np.array([chooser(held, rule).choose(one, held.weights) for one, held in chosen])
