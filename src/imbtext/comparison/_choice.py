"""The rule from averages and tests to a method.

What is free comes first. Class weights, a tuned threshold and the like cost nothing but a setting,
so the best of them is taken where it is better on average than the plain classifier. Oversampling
changes the training documents, so it is taken only where it is credibly better than that choice: a
gain of at least 0.01, and a p-value below 0.05 after Holm's correction for all the methods that
were tried. Where no method truly helps, oversampling is then advised for at most one class in
twenty, however many methods were tried. Among oversamplers, random oversampling stays the choice
unless another credibly beats it. Where the ranking of documents is no better than chance there is
nothing to choose.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

import polars as pl

from imbtext.methods import get_method

CLEAR_GAIN: Final = 0.01
LEVEL: Final = 0.05
# Less than this is the same number as printed.
SAME: Final = 0.0005

Strength = Literal["clear", "on average", "none"]


def titled(method: str) -> str:
    """Say a method in words."""
    return get_method(method).title


def effort(method: str) -> int:
    """Rank a method by how much it asks of the user.

    0 is the plain classifier, 1 a setting of it or another classifier (no new documents), 2 random
    oversampling, 3 any other oversampling.

    Examples
    --------
    >>> [effort(name) for name in ("svm", "threshold(f1)", "ros", "threshold(emco(0.1))")]
    [0, 1, 2, 3]
    """
    made = get_method(method)
    if made.works_on == "documents":
        return 1
    if made.works_on == "classifier":
        return 0 if made.class_weight is None and made.scoring is None else 1
    return 2 if made.family == "ros" else 3


def simple_baselines(methods: Sequence[str]) -> list[str]:
    """Return the methods that others have to beat: free remedies and random oversampling."""
    return [method for method in methods if effort(method) in (1, 2)]


@dataclass(frozen=True, eq=False)
class Numbers:
    """The averages and tests of one class, or of the mean of classes, by metric and method.

    `plain` does nothing about the imbalance; `summary` and `tests` are those of a comparison.
    """

    name: str
    plain: str
    summary: pl.DataFrame
    tests: pl.DataFrame

    @cached_property
    def _averages(self) -> dict[tuple[str, str], dict[str, Any]]:
        rows = self.summary.filter(pl.col("class") == self.name).to_dicts()
        return {(row["metric"], row["method"]): row for row in rows}

    @cached_property
    def _tests(self) -> dict[tuple[str, str, str], dict[str, Any]]:
        rows = self.tests.filter(pl.col("class") == self.name).to_dicts()
        return {(row["metric"], row["method"], row["reference"]): row for row in rows}

    @property
    def methods(self) -> list[str]:
        """The methods that have numbers."""
        known = (row["method"] for row in self._averages.values() if not math.isnan(row["mean"]))
        return list(dict.fromkeys(known))

    def mean(self, metric: str, method: str) -> float:
        """Return the average of a measure."""
        return float(self._averages[metric, method]["mean"])

    def limits(self, metric: str, method: str) -> tuple[float, float]:
        """Return the limits of the 95 % interval; not numbers where there is none."""
        row = self._averages[metric, method]
        return row["lower"], row["upper"]

    def best(self, metric: str, methods: Sequence[str]) -> str:
        """Return the method with the largest average, the first of equals."""
        # Rounded, so that the first of equals wins whatever the last bit says.
        return max(methods, key=lambda method: round(self.mean(metric, method), 9))

    def test(self, metric: str, method: str, reference: str) -> Mapping[str, Any] | None:
        """Return the test of one method against another, if there is one."""
        return self._tests.get((metric, method, reference))

    def strength(self, metric: str, method: str, reference: str) -> Strength:
        """Say how sure it is that a method is better than another."""
        test = self.test(metric, method, reference)
        if test is None:
            return "none"
        p = test["p_holm"]
        if not math.isnan(p) and p < LEVEL and test["difference"] >= CLEAR_GAIN:
            return "clear"
        return "on average" if test["difference"] >= SAME else "none"

    def better_than_chance(self) -> bool:
        """Say whether most methods rank documents better than tossing coins would.

        One among many would now and then, by chance.
        """
        rows = [self._averages["roc_auc", method] for method in self.methods]
        # Without intervals (a single fold) the mean has to do.
        limits = [row["mean"] if math.isnan(row["lower"]) else row["lower"] for row in rows]
        return sum(limit > 0.5 for limit in limits) > len(limits) / 2


def choose(found: Numbers, metric: str, methods: Sequence[str] | None = None) -> str:
    """Return the method to use, among `methods` or all that have numbers.

    The rule is told at the top of this module.
    """
    if not found.better_than_chance():
        return found.plain
    allowed = [m for m in found.methods if methods is None or m in methods]
    choice = found.plain
    free = [method for method in allowed if effort(method) == 1]
    if free:
        best = found.best(metric, free)
        if found.mean(metric, best) - found.mean(metric, found.plain) >= SAME:
            choice = best
    for rank in (2, 3):
        better = [
            method
            for method in allowed
            if effort(method) == rank and found.strength(metric, method, choice) == "clear"
        ]
        if better:
            choice = found.best(metric, better)
    return choice
