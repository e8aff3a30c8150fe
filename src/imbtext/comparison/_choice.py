"""The rule that chooses a method, from averages and tests.

Free remedies come first. Class weights, a tuned threshold and the like cost nothing but a setting,
so the best of them is chosen if it is better on average than the plain classifier. Oversampling
changes the training documents, so it is chosen only if it is credibly better than that: by at least
0.01, with a p-value below 0.05 after Holm's correction for all the methods that were tried. So if
no method truly helps, the rule advises oversampling for at most one class in twenty, however many
methods were tried. Random oversampling stays the choice unless another oversampler credibly beats
it. If no method ranks documents better than chance, the plain classifier stays, and also if too few
folds were run to say whether one does.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Final, Literal

import polars as pl

from imbtext._typing import Record
from imbtext.comparison._settings import PLAIN
from imbtext.methods._registry import get_method
from imbtext.metrics import Confusion

CLEAR_GAIN: Final = 0.01
LEVEL: Final = 0.05
# Less than this is the same number as printed.
SAME: Final = 0.0005
# Up to this average of ROC AUC an interval that holds 0.5 means chance; above it, too little data.
_ABOUT_CHANCE: Final = 0.6
Strength = Literal["clear", "on average", "none"]
Ranking = Literal["better", "chance", "unclear"]


class Effort(IntEnum):
    """The effort that a method takes, from none to synthetic documents.

    Examples
    --------
    >>> [Effort.of(name).name for name in ("plain", "threshold(f1)", "ros", "threshold(emco(0.1))")]
    ['NOTHING', 'SETTING', 'COPIES', 'SYNTHESIS']
    >>> Effort.COPIES.oversamples, Effort.SETTING.oversamples
    (True, False)
    """

    NOTHING = 0  # the plain classifier
    SETTING = 1  # class weights, a threshold, or another classifier; the documents stay
    COPIES = 2  # random oversampling
    SYNTHESIS = 3  # any other oversampling

    @classmethod
    def of(cls, method: str) -> "Effort":
        """Return the effort that a method takes."""
        definition = get_method(method)
        if definition.estimator is not None:
            return cls.SETTING
        if definition.sampler is None:
            is_plain = definition.class_weight is None and definition.scoring is None
            return cls.NOTHING if is_plain else cls.SETTING
        return cls.COPIES if definition.family == "ros" else cls.SYNTHESIS

    @property
    def oversamples(self) -> bool:
        """Whether it adds training documents."""
        return self >= Effort.COPIES


def simple_baselines(methods: Sequence[str]) -> list[str]:
    """Return the methods that others have to beat: free remedies and random oversampling."""
    return [method for method in methods if Effort.of(method) in (Effort.SETTING, Effort.COPIES)]


@dataclass(frozen=True, eq=False)
class Evidence:
    """The averages and tests of one class, or of the mean of classes, by metric and method.

    `summary` and `tests` are those of a comparison. `counts` says what each method finds in one
    pass through the folds, on average over the passes; it is empty for the mean of classes.
    `n_rounds` is the number of folds of all repeats that were finished; None is all that were asked
    for.
    """

    name: str
    summary: pl.DataFrame
    tests: pl.DataFrame
    counts: Mapping[str, Confusion] = field(default_factory=dict)
    n_rounds: int | None = None

    @cached_property
    def _averages(self) -> dict[tuple[str, str], Record]:
        rows = self.summary.filter(pl.col("class") == self.name).to_dicts()
        return {(row["metric"], row["method"]): row for row in rows}

    @cached_property
    def _tests(self) -> dict[tuple[str, str, str], Record]:
        rows = self.tests.filter(pl.col("class") == self.name).to_dicts()
        return {(row["metric"], row["method"], row["reference"]): row for row in rows}

    @property
    def methods(self) -> list[str]:
        """The methods that have numbers."""
        rows = self._averages.values()
        return list(dict.fromkeys(row["method"] for row in rows if not math.isnan(row["mean"])))

    def mean(self, metric: str, method: str) -> float:
        """Return the average of a measure."""
        return float(self._averages[metric, method]["mean"])

    def limits(self, metric: str, method: str) -> tuple[float, float]:
        """Return the limits of the 95% interval; NaN if there is none."""
        row = self._averages[metric, method]
        return row["lower"], row["upper"]

    def best(self, metric: str, methods: Sequence[str]) -> str:
        """Return the method with the largest average, the first of equals."""
        # Rounded, so that the first of equals wins whatever the last bit says.
        return max(methods, key=lambda method: round(self.mean(metric, method), 9))

    def test(self, metric: str, method: str, reference: str) -> Record | None:
        """Return the test of one method against another, if there is one."""
        return self._tests.get((metric, method, reference))

    def strength(self, metric: str, method: str, reference: str) -> Strength:
        """Return how sure it is that a method is better than another."""
        test = self.test(metric, method, reference)
        if test is None:
            return "none"
        p = test["p_holm"]
        if not math.isnan(p) and p < LEVEL and test["difference"] >= CLEAR_GAIN:
            return "clear"
        return "on average" if test["difference"] >= SAME else "none"

    def ranking(self) -> Ranking:
        """Return whether most methods rank documents better than chance.

        Among many methods, one may seem better by chance. If averages are well above chance and
        intervals reach down to it, the folds are too few, or too different, to say.
        """
        rows = [self._averages["roc_auc", method] for method in self.methods]
        # A single fold has no intervals, so the mean has to do.
        limits = [row["mean"] if math.isnan(row["lower"]) else row["lower"] for row in rows]
        if sum(bool(limit > 0.5) for limit in limits) > len(limits) / 2:
            return "better"
        n_above = sum(bool(row["mean"] > _ABOUT_CHANCE) for row in rows)
        return "unclear" if n_above > len(rows) / 2 else "chance"


def choose(evidence: Evidence, metric: str, methods: Sequence[str] | None = None) -> str:
    """Return the method to use, among `methods` or all that have numbers.

    The head of this module explains the rule.
    """
    if evidence.ranking() != "better":
        return PLAIN
    allowed = [m for m in evidence.methods if methods is None or m in methods]
    choice = PLAIN
    free = [method for method in allowed if Effort.of(method) is Effort.SETTING]
    if free:
        best = evidence.best(metric, free)
        if evidence.mean(metric, best) - evidence.mean(metric, PLAIN) >= SAME:
            choice = best
    for effort in (Effort.COPIES, Effort.SYNTHESIS):
        better = [
            method
            for method in allowed
            if Effort.of(method) is effort and evidence.strength(metric, method, choice) == "clear"
        ]
        if better:
            choice = evidence.best(metric, better)
    return choice


def rivals_of(chosen: str, evidence: Evidence, metric: str) -> list[str]:
    """Return the methods that a headline compares the chosen one with.

    They are the best other free remedy and the plain classifier. A variant of `RareTextClassifier`
    is no rival of it.
    """
    if chosen == PLAIN:
        return []
    is_rare = get_method(chosen).family == "rare"
    free = [
        method
        for method in evidence.methods
        if Effort.of(method) is Effort.SETTING
        and method != chosen
        and not (is_rare and get_method(method).family == "rare")
    ]
    best = [evidence.best(metric, free)] if free else []
    return [*best, PLAIN]
