"""Where a ranking is cut: one threshold per class, and what to expect there.

:meth:`OperatingPoint.best` gives every class the threshold that serves a goal best. Thresholds of
some classes can move while the others stay where they are, to a number
(:meth:`OperatingPoint.with_thresholds`) or to another goal (:meth:`OperatingPoint.serving`).
Nothing is trained: all answers come from the held-out scores.

:func:`move_point` is the verb `at` of both classifiers. A metric, costs or a rate of alarms choose
thresholds on the held-out scores. A number of alarms among documents that the user has is
different: these documents are scored, and the threshold lies below as many of them.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from imbtext._messages import check_whole_number, listed
from imbtext._typing import Label, MetricLike
from imbtext.metrics import Goal, alarms_goal, get_goal, read_cost
from imbtext.thresholds._choosing import POOLED, Rule, chooser, threshold_for
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

# What a class gets that a dict of metrics does not name.
DEFAULT_METRIC: Final = "f2"


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

    def with_thresholds(
        self, held_out: HeldOut, labels: Sequence[Label], thresholds: Mapping[int, float]
    ) -> "OperatingPoint":
        """Return the point with other thresholds for some classes.

        Expectations are computed again wherever documents change class.
        """
        moved = self.thresholds.copy()
        moved[list(thresholds)] = list(thresholds.values())
        expectation, rates = [*self.expectation], [*self.alarm_rates]
        for c, expected in enumerate(expect_at(labels, held_out, moved)):
            if c in thresholds or held_out.exclusive:
                expectation[c], rates[c] = expected
        return OperatingPoint(moved, expectation, rates)

    def serving(
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
        point = self.with_thresholds(held_out, labels, {c: threshold})
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


class Moved(NamedTuple):
    """A point that was moved as a user asked.

    Attributes
    ----------
    point : OperatingPoint
        The new point.
    metric : str, pair of numbers or dict
        The metric that it serves.
    report : str
        How the thresholds were chosen, in words.
    c : int or None
        The class whose threshold moved; None if all did.
    """

    point: OperatingPoint
    metric: Any
    report: str
    c: int | None


def move_point(
    point: OperatingPoint,
    held_out: HeldOut,
    labels: Sequence[Label],
    score: Callable[[Any], NDArray[np.float64]],
    *,
    metric: MetricLike | Mapping[Any, MetricLike] | None,
    cost: MetricLike | None,
    alarms: int | None,
    of: Any,
    label: Label,
    rule: Rule = POOLED,
) -> Moved:
    """Move thresholds as a user asks; the parameters are those of `RareTextClassifier.at`.

    `score` returns the scores of documents, one column per class.
    """
    if sum(wish is not None for wish in (metric, cost, alarms)) != 1:
        raise ValueError("metric, cost and alarms each set the operating point; give one of them")
    if (alarms is None) != (of is None):
        raise ValueError(
            "`alarms` needs the number of documents it is a budget for: pass both, as in "
            "alarms=200, of=10_000"
        )
    c = None if label is None else place_of(label, labels)
    if len(labels) == 1:
        c = None  # there is no other threshold that could stay
    if cost is not None:
        metric = get_goal(read_cost(cost)).name
    if alarms is not None:
        _check_alarms(alarms, of, held_out, labels, c)
        if not isinstance(of, Integral):
            batches = of if isinstance(of, Iterator) else iter([of])
            return _move_to_alarms(point, held_out, labels, map(score, batches), alarms, c)
        metric = alarms_goal(alarms, int(of))
    if c is None:
        goals = class_goals(metric, labels)
        moved = OperatingPoint.best(goals, held_out, labels, rule)
    else:
        goals = [get_goal(metric)]
        moved = point.serving(goals[0], c, held_out, labels, rule)
    return Moved(moved, metric, goals[0].chosen_on_held_out, c)


def place_of(label: Label, labels: Sequence[Label]) -> int:
    """Return the place of a label among the classes; None names the only one."""
    if label is None and len(labels) == 1:
        return 0
    if not isinstance(label, Hashable) or label not in labels:
        raise ValueError(f"label is {label!r}; choose one of {listed(labels)}")
    return labels.index(label)


def class_goals(metric: object, labels: Sequence[Label]) -> list[Goal]:
    """Return the goal of each class; `metric` is that of all, or a dict that has one for some.

    Classes that the dict does not name get `DEFAULT_METRIC`.

    Examples
    --------
    >>> [goal.name for goal in class_goals({"spam": "f1"}, ["fraud", "spam"])]
    ['f2', 'f1']
    """
    if not isinstance(metric, Mapping):
        return [get_goal(metric)] * len(labels)
    unknown = [label for label in metric if label not in labels]
    if unknown and len(labels) == 1:
        raise ValueError(
            f"metric names {listed(unknown)}, but two classes have one threshold, that of "
            f"{labels[0]!r}; give its metric alone, or choose the class with pos_label"
        )
    if unknown:
        raise ValueError(f"metric names {listed(unknown)}; the classes are {listed(labels)}")
    return [get_goal(metric.get(label, DEFAULT_METRIC)) for label in labels]


def _check_alarms(
    alarms: object, of: object, held_out: HeldOut, labels: Sequence[Label], c: int | None
) -> None:
    check_whole_number("alarms", alarms, least=1)
    if c is None and held_out.exclusive:
        raise ValueError(
            "each document is put into one of several classes, so alarms are those of one class; "
            f"say which, as label (--class): {listed(labels)}"
        )
    if isinstance(of, Real) and (isinstance(of, bool) or not isinstance(of, Integral)):
        raise ValueError(
            f"of is {of!r:.40}; give documents, or how many there will be as a whole number"
        )


def _move_to_alarms(
    point: OperatingPoint,
    held_out: HeldOut,
    labels: Sequence[Label],
    batches: Iterator[NDArray[np.float64]],
    alarms: int,
    c: int | None,
) -> Moved:
    """Move the threshold of class `c`, or all; at most `alarms` of the documents lie above it."""
    places = range(len(labels)) if c is None else [c]
    # The highest scores of each class: one more than there may be alarms.
    n_documents, highest = 0, {place: np.empty(0) for place in places}
    for scores in batches:
        n_documents += len(scores)
        for place, kept in highest.items():
            column = scores[:, place]
            if held_out.rule is not None:
                column = held_out.rule.among_others(scores, point.thresholds, place)
            highest[place] = np.sort(np.concatenate([kept, column]))[-(alarms + 1) :]
    metric = alarms_goal(alarms, n_documents)
    thresholds = {place: threshold_for(alarms, highest[place]) for place in places}
    moved = point.with_thresholds(held_out, labels, thresholds)
    return Moved(moved, metric, f"{get_goal(metric).title}, of documents that were given", c)
