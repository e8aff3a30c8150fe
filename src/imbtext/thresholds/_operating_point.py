"""Where a ranking is cut: one threshold per class, and what to expect there.

:meth:`OperatingPoint.best` gives every class the threshold that serves a goal best. Thresholds of
some classes can move while the others stay where they are, to a number
(:meth:`OperatingPoint.with_thresholds`) or to another goal (:meth:`OperatingPoint.serving`).
Nothing is trained: all answers come from the held-out scores.

:meth:`ThresholdState.moved` is the verb `at` of both classifiers. A metric, costs or a rate of
alarms choose thresholds on the held-out scores. A number of alarms among documents that the user
has is different: these documents are scored, and the threshold lies below as many of them.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from imbtext._messages import check_whole_number, listed
from imbtext._typing import Label, MetricLike
from imbtext.metrics import Goal, alarms_goal, get_goal, read_cost
from imbtext.thresholds._calibration import Calibration
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
from imbtext.thresholds._prevalence import Prevalence, prevalence

# What a class gets that a dict of metrics does not name.
DEFAULT_METRIC: Final = "f2"


@dataclass(frozen=True, eq=False)
class OperatingPoint:
    """Where a ranking is cut: one threshold per class, and what to expect there.

    Attributes
    ----------
    thresholds : ndarray of float64
        The score above which a document is put into a class.
    expectation : tuple of Expectation
        What to expect of new documents.
    alarm_rates : tuple of AlarmRate
        How many held-out documents are put into each class.
    """

    thresholds: NDArray[np.float64]
    expectation: tuple[Expectation, ...]
    alarm_rates: tuple[AlarmRate, ...]

    def __post_init__(self) -> None:
        if not len(self.thresholds) == len(self.expectation) == len(self.alarm_rates):
            raise ValueError("thresholds, expectations and alarms are of different classes")

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
        return cls(thresholds, tuple(expect(labels, goal, held_out, rule)), tuple(rates))

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
        return OperatingPoint(moved, tuple(expectation), tuple(rates))

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
        expectation = [*point.expectation]
        expectation[c] = replace(expected, average_precision=precision)
        return replace(point, expectation=tuple(expectation))


def best_thresholds(
    goal: Goal | Sequence[Goal], held_out: HeldOut, rule: Rule = POOLED
) -> NDArray[np.float64]:
    """Return for each class the threshold that serves a goal best."""
    views = [held_out.of_class(c) for c in range(held_out.n_classes)]
    chosen = zip(goals_of(goal, len(views)), views, strict=True)
    return np.array([chooser(held, rule).choose(one, held.weights) for one, held in chosen])


class MovedPoint(NamedTuple):
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


@dataclass(frozen=True, eq=False)
class ThresholdState:
    """The thresholds of a classifier, and what it takes to move them.

    Attributes
    ----------
    point : OperatingPoint
        Its thresholds, and what to expect there.
    held_out : HeldOut
        The held-out scores.
    labels : list of label
        The classes that are looked for.
    scores_of : callable
        From documents to scores, one column per class.
    calibration : Calibration
        From scores to probabilities.
    rule : {"pooled", "mean of folds"}
        How thresholds are chosen.
    """

    point: OperatingPoint
    held_out: HeldOut
    labels: list[Label]
    scores_of: Callable[[Any], NDArray[np.float64]]
    calibration: Calibration
    rule: Rule = POOLED

    def class_index(self, label: Label) -> int:
        """Return the index of a label among the classes; None names the only one."""
        return class_index(label, self.labels)

    def prevalence(self, probabilities: NDArray[np.float64], c: int) -> Prevalence:
        """Estimate how many of some documents are of class `c`, from their probabilities."""
        held = self.held_out.of_class(c)
        shown = self.calibration.of_class(c).probabilities(held.scores)
        total = float(probabilities.sum())
        return prevalence(self.labels[c], held, shown, total, len(probabilities))

    def moved(
        self,
        metric: MetricLike | Mapping[Any, MetricLike] | None,
        *,
        cost: MetricLike | None,
        alarms: int | None,
        of: Any,
        label: Label,
    ) -> MovedPoint:
        """Move thresholds as a user asks; the parameters are those of `RareTextClassifier.at`."""
        if sum(wish is not None for wish in (metric, cost, alarms)) != 1:
            raise ValueError(
                "metric, cost and alarms each set the operating point; give one of them"
            )
        if (alarms is None) != (of is None):
            raise ValueError(
                "`alarms` needs the number of documents it is a budget for: pass both, as in "
                "alarms=200, of=10_000"
            )
        c = None if label is None else self.class_index(label)
        if len(self.labels) == 1:
            c = None  # there is no other threshold that could stay
        if cost is not None:
            metric = get_goal(read_cost(cost)).name
        if alarms is not None:
            self._check_alarms(alarms, of, c)
            if not isinstance(of, Integral):
                return self._moved_to_alarms(of if isinstance(of, Iterator) else [of], alarms, c)
            metric = alarms_goal(alarms, int(of))
        if c is None:
            goals = class_goals(metric, self.labels)
            moved = OperatingPoint.best(goals, self.held_out, self.labels, self.rule)
        else:
            goals = [get_goal(metric)]
            moved = self.point.serving(goals[0], c, self.held_out, self.labels, self.rule)
        return MovedPoint(moved, metric, goals[0].chosen_on_held_out, c)

    def _check_alarms(self, alarms: object, of: object, c: int | None) -> None:
        check_whole_number("alarms", alarms, least=1)
        if c is None and self.held_out.exclusive:
            raise ValueError(
                "each document is put into one of several classes, so alarms are those of one "
                f"class; say which, as label (--class): {listed(self.labels)}"
            )
        if isinstance(of, Real) and (isinstance(of, bool) or not isinstance(of, Integral)):
            raise ValueError(
                f"of is {of!r:.40}; give documents, or how many there will be as a whole number"
            )

    def _moved_to_alarms(self, batches: Iterable[Any], alarms: int, c: int | None) -> MovedPoint:
        """Move the threshold of class `c`, or all; at most `alarms` documents lie above it."""
        moving = range(len(self.labels)) if c is None else [c]
        # The highest scores of each class: one more than there may be alarms.
        n_documents, highest = 0, {k: np.empty(0) for k in moving}
        for scores in map(self.scores_of, batches):
            n_documents += len(scores)
            for k, kept in highest.items():
                column = scores[:, k]
                if self.held_out.rule is not None:
                    rule, thresholds = self.held_out.rule, self.point.thresholds
                    column = rule.among_others(scores, thresholds, k)
                highest[k] = np.sort(np.concatenate([kept, column]))[-(alarms + 1) :]
        metric = alarms_goal(alarms, n_documents)
        cuts = {k: threshold_for(alarms, highest[k]) for k in moving}
        moved = self.point.with_thresholds(self.held_out, self.labels, cuts)
        return MovedPoint(
            moved, metric, f"{get_goal(metric).title}, of documents that were given", c
        )


def class_index(label: Label, labels: Sequence[Label]) -> int:
    """Return the index of a label among the classes; None names the only one."""
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
