"""The held-out scores that a model keeps, so that its thresholds can move without training.

A fitted model keeps the held-out score of every training document. A loaded one keeps them in bins:
one curve per class (``_curve.py``). If classes are exclusive, it has a second curve per class to
choose thresholds on, and cells and relative curves to say what these bring (``_exclusive.py``).
:class:`KeptScores` answers alike for both. :meth:`KeptScores.choose` gives
every class the threshold that serves a goal best, and :meth:`KeptScores.move` moves the thresholds
of some classes while the others stay where they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from imbtext._typing import Label
from imbtext.metrics import Goal
from imbtext.rare._curve import ScoreCurve
from imbtext.rare._exclusive import ExclusiveScores, RelativeCurves
from imbtext.rare._expectation import AlarmRate, Expectation, alarm_rates, expect
from imbtext.rare._held_out import ClassScores
from imbtext.rare._operating_point import choose_threshold


class OperatingPoint(NamedTuple):
    """Where a model stands: one threshold per class, and what to expect there."""

    thresholds: NDArray[np.float64]
    expectation: list[Expectation]
    alarm_rates: list[AlarmRate]


@dataclass
class KeptScores:
    """Held-out scores of all classes: each of them, or in bins.

    Attributes
    ----------
    labels : list
        The classes.
    exclusive : bool
        Whether a document is put into exactly one of several classes.
    seed : int
        What resamples documents.
    held_out : list of ClassScores
        The score of every document, one entry per class; empty if the model was loaded.
    """

    labels: list[Label]
    exclusive: bool
    seed: int
    held_out: list[ClassScores]
    # Made from `held_out` when first asked for. A loaded model has nothing else.
    _curves: list[ScoreCurve] | None = None
    _corner_curves: list[ScoreCurve] | None = None
    _cells: ExclusiveScores | None = None
    _relative: RelativeCurves | None = None

    def of_moving_model(self) -> "KeptScores":
        """Return the scores for a model that is about to move its thresholds.

        Cells and relative curves belong to the thresholds they were made at. A fitted model makes
        them anew; a loaded one has nothing to make them of, and keeps its own.
        """
        return replace(self, _cells=None, _relative=None) if self.held_out else self

    @property
    def curves(self) -> list[ScoreCurve]:
        """The scores in bins, one curve per class."""
        if self._curves is None:
            self._curves = [ScoreCurve.of(held) for held in self.held_out]
        return self._curves

    @property
    def corner_curves(self) -> list[ScoreCurve] | None:
        """The same in bins that end at corners; None in a model file that lacks them."""
        if self._corner_curves is None and self.held_out:
            self._corner_curves = [ScoreCurve.of(held, at_corners=True) for held in self.held_out]
        return self._corner_curves

    def cells(self, thresholds: NDArray[np.float64]) -> ExclusiveScores:
        """Return the scores of exclusive classes in cells, made at the thresholds of the model."""
        if self._cells is None:
            self._cells = ExclusiveScores.of(self.held_out, thresholds)
        return self._cells

    def relative(self, thresholds: NDArray[np.float64]) -> RelativeCurves:
        """Return the scores of exclusive classes, each above the best of the others."""
        if self._relative is None:
            self._relative = RelativeCurves.of(self.held_out, thresholds)
        return self._relative

    def curve_among_others(self, c: int, thresholds: NDArray[np.float64]) -> ScoreCurve:
        """Return the curve by which a class is decided while the others stay where they are."""
        if not self.exclusive:
            return self.curves[c]
        relative = self.relative(thresholds)
        if relative.hold_at(thresholds, c):
            # How well the class itself is ranked stays what it was.
            precision = self.curves[c].average_precision
            return replace(relative.curves[c], average_precision=precision)
        return self.cells(thresholds).curve_of(c, self.curves, thresholds)

    def choose(self, goal: Goal) -> OperatingPoint:
        """Return the thresholds that serve a goal best, and what to expect there."""
        if self.held_out:
            return self._choose_by_scores(goal)
        labels = self.labels
        curves = (self.corner_curves if self.exclusive else None) or self.curves
        thresholds = np.array([curve.choose(goal) for curve in curves])
        if self.exclusive:
            expected = self.cells(thresholds).expect(labels, goal, curves, self.seed)
        else:
            expected = [
                curve.expect(label, goal, self.seed)
                for label, curve in zip(labels, curves, strict=True)
            ]
        expectation, rates = map(list, zip(*expected, strict=True))
        return OperatingPoint(thresholds, expectation, rates)

    def _choose_by_scores(self, goal: Goal) -> OperatingPoint:
        thresholds = np.array(
            [
                choose_threshold(goal, held.scores, held.is_class, held.weights)
                for held in self.held_out
            ]
        )
        exclusive = self.exclusive
        expectation = expect(self.labels, goal, self.held_out, exclusive=exclusive, seed=self.seed)
        rates = alarm_rates(self.labels, self.held_out, thresholds, exclusive=exclusive)
        return OperatingPoint(thresholds, expectation, rates)

    def move(
        self,
        point: OperatingPoint,
        moved: Mapping[int, float],
        expected: Mapping[int, tuple[Expectation, AlarmRate]] | None = None,
    ) -> OperatingPoint:
        """Move the thresholds of some classes; say what to expect wherever documents change class.

        `expected` has what is known already.
        """
        thresholds = point.thresholds.copy()
        thresholds[list(moved)] = list(moved.values())
        expectation, rates = [*point.expectation], [*point.alarm_rates]
        for c, label in enumerate(self.labels):
            if c not in moved and not self.exclusive:
                continue
            known = (expected or {}).get(c)
            if known is None:
                curve = self.curve_among_others(c, thresholds)
                known = curve.expect_at(label, float(thresholds[c]))
            expectation[c], rates[c] = known
        return OperatingPoint(thresholds, expectation, rates)
