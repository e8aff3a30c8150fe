"""The held-out scores of exclusive classes in cells: what a model file keeps beside the curves.

A document of exclusive classes gets the one whose threshold its score exceeds most. If a threshold
moves, documents go from class to class, and the curve of one class (``_curve.py``) does not know
the scores of the others. So the file keeps :class:`ExclusiveScores` as well: documents that score
alike are put into cells of three or more, and a cell knows their mean score for every class. A cell
goes where its mean goes, and its documents go with it.

Thresholds for all classes are chosen on curves, each class on its own, as `fit` does it. To
move the threshold of one class alone is simpler: with the others where they are, a document is put
into the class if its score is more than the threshold above the best margin of the others. That
difference is one number, and :class:`RelativeCurves` has it in bins like any other score. If the
others have moved before, :meth:`ExclusiveScores.curve_of` makes such a curve of the cells. That is
coarser: with many classes, few documents have the same best two.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext._typing import Label
from imbtext.metrics import Goal
from imbtext.rare._curve import ScoreCurve, mean_cuts
from imbtext.rare._expectation import AlarmRate, Expectation
from imbtext.rare._held_out import ClassScores, relative_weights

LEAST_IN_CELL: Final = 3
_MOST_CELLS: Final = 20_000


@dataclass(frozen=True, eq=False)
class ExclusiveScores:
    """Held-out scores of exclusive classes, in cells of documents that score alike.

    Attributes
    ----------
    scores : ndarray of float32, one row per cell and one column per class
        The mean score of the documents in a cell.
    places : ndarray of int64, three columns
        A cell, a fold, and a class or -1, for documents of no class that was held out. Documents
        that share all three are counted together.
    counts, weights, groups : ndarray of float64, one entry per row of `places`
        How many documents there are, what they weigh, and how many groups they make.
    """

    scores: NDArray[np.float32]
    places: NDArray[np.int64]
    counts: NDArray[np.float64]
    weights: NDArray[np.float64]
    groups: NDArray[np.float64]

    @classmethod
    def of(
        cls, held_out: Sequence[ClassScores], thresholds: NDArray[np.float64]
    ) -> "ExclusiveScores":
        """Put the held-out scores of all classes into cells."""
        n, k = held_out[0].n_documents, len(held_out)
        scores, labels = np.full((n, k), np.nan), np.full(n, -1)
        folds, groups, weights = np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n)
        for c, held in enumerate(held_out):
            scores[held.rows, c] = held.scores
            labels[held.rows[held.is_class]] = c
            folds[held.rows], groups[held.rows] = held.folds, held.groups
            weights[held.rows] = relative_weights(held)
        rows = np.flatnonzero(~np.isnan(scores).all(axis=1))
        if len(rows) < LEAST_IN_CELL:
            empty = np.empty(0)
            return cls(np.empty((0, k), np.float32), np.empty((0, 3), np.int64), *[empty] * 3)
        scores, weights = scores[rows], weights[rows]
        labels, folds, groups = labels[rows], folds[rows], groups[rows]
        # A document that a class could not score is not put into it.
        scores = np.where(np.isnan(scores), np.nanmin(scores, axis=0), scores)
        cells = _cells(scores - thresholds)
        sizes = np.bincount(cells)
        means = np.stack([np.bincount(cells, column) / sizes for column in scores.T], axis=1)
        # What share of its group, among those of its class, a document is.
        keys = np.unique(np.stack([groups, labels]), axis=1, return_inverse=True)[1]
        of_groups = np.bincount(keys, weights)[keys]
        shares = np.divide(weights, of_groups, out=np.zeros_like(weights), where=of_groups > 0)
        places, entries = np.unique(
            np.stack([cells, folds, labels], axis=1), axis=0, return_inverse=True
        )
        counts, *others = (
            np.bincount(entries, values).astype(np.float64)
            for values in (np.ones(len(rows)), weights, shares)
        )
        return cls(means.astype(np.float32), places, counts, *others)

    def curve_of(
        self, c: int, curves: Sequence[ScoreCurve], thresholds: NDArray[np.float64]
    ) -> ScoreCurve:
        """Return the scores of a class above the best margin of the others, as a curve.

        The other classes stay at their thresholds. `curves` are those of each class on its own.
        """
        relative = above_others(self.scores - thresholds, c) + thresholds[c]
        return self._curve(c, curves[c], relative, np.argsort(-relative, kind="stable"))

    def _curve(
        self, c: int, curve: ScoreCurve, relative: NDArray[np.float64], order: NDArray[np.int64]
    ) -> ScoreCurve:
        n_cells, n_folds = len(relative), int(self.places[:, 1].max(initial=0)) + 1
        rank = np.empty(n_cells, np.int64)
        rank[order] = np.arange(n_cells)
        cells, folds, labels = self.places.T
        at = rank[cells], folds, (labels == c).astype(np.int64)

        def in_bins(values: NDArray[np.float64]) -> NDArray[np.float64]:
            bins = np.zeros((n_cells, n_folds, 2))
            np.add.at(bins, at, values)
            return bins

        return replace(
            curve,
            cuts=mean_cuts(relative[order], relative[order]),
            counts=in_bins(self.counts),
            weights=in_bins(self.weights),
            groups=in_bins(self.groups),
        )

    def expect(
        self, labels: Sequence[Label], goal: Goal, curves: Sequence[ScoreCurve], seed: int
    ) -> list[tuple[Expectation, AlarmRate]]:
        """Say of each class what to expect if each has the threshold that serves a goal best.

        The rules are those of :meth:`ScoreCurve.expect`.
        """
        thresholds = np.array([curve.choose(goal) for curve in curves])
        n_folds = int(self.places[:, 1].max(initial=0)) + 1
        of_folds = np.tile(thresholds, (n_folds, 1))
        for c, curve in enumerate(curves):
            chosen = curve.fold_thresholds(goal)
            of_folds[: len(chosen), c] = chosen
        resampled = np.stack([curve.resampled_thresholds(goal, seed) for curve in curves], axis=1)
        in_folds = np.stack([self._winners(row) for row in of_folds], axis=1)
        again = [self._winners(np.where(np.isnan(row), np.inf, row)) for row in resampled]
        cells = self.places[:, 0]
        expected = []
        for c, (label, curve) in enumerate(zip(labels, curves, strict=True)):
            relative = above_others(self.scores - thresholds, c) + thresholds[c]
            order = np.argsort(-relative, kind="stable")
            of_class = self._curve(c, curve, relative, order)
            inside = np.where(self.places[:, 2] == c, self.weights, 0.0)
            found_and_put = np.full((len(again), 2), np.nan)
            for i in np.flatnonzero(~np.isnan(resampled[:, c])).tolist():
                is_put = again[i][cells] == c
                found_and_put[i] = inside[is_put].sum(), self.weights[is_put].sum()
            is_put = in_folds[order] == c
            expected.append(of_class.expect_put(label, is_put, float(thresholds[c]), found_and_put))
        return expected

    def _winners(self, thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the class that each cell is put into."""
        return np.asarray(np.argmax(self.scores - thresholds, axis=1))


@dataclass(frozen=True, eq=False)
class RelativeCurves:
    """For each class, a curve of scores above the best of the others, which are at `thresholds`."""

    thresholds: NDArray[np.float64]
    curves: list[ScoreCurve]

    @classmethod
    def of(
        cls, held_out: Sequence[ClassScores], thresholds: NDArray[np.float64]
    ) -> "RelativeCurves":
        """Take the held-out scores of all classes."""
        margins = np.full((held_out[0].n_documents, len(held_out)), -np.inf)
        for c, held in enumerate(held_out):
            margins[held.rows, c] = held.scores - thresholds[c]
        curves = []
        for c, held in enumerate(held_out):
            best_other = np.delete(margins[held.rows], c, axis=1).max(axis=1)
            # Where no other class could score a document, the threshold alone decides.
            relative = held.scores - np.where(np.isfinite(best_other), best_other, 0.0)
            curves.append(ScoreCurve.of(replace(held, scores=relative)))
        return cls(thresholds, curves)

    def hold_at(self, thresholds: NDArray[np.float64], c: int) -> bool:
        """Return whether the others of a class are where they were."""
        return bool(np.delete(self.thresholds == thresholds, c).all())


def above_others(margins: NDArray[np.float64], c: int) -> NDArray[np.float64]:
    """Return by how much each document's margin for a class exceeds the best of the others.

    Examples
    --------
    >>> above_others(np.array([[3.0, 1.0, 0.0], [0.0, 2.0, 1.0]]), 1).tolist()
    [-2.0, 1.0]
    """
    others = np.delete(margins, c, axis=1)
    return np.asarray(margins[:, c] - others.max(axis=1), np.float64)


def _cells(margins: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the cell of each document: those of one best class, near one another in the rest.

    A cell has three documents or more. Documents of a best class that has fewer share cells.
    """
    rows = np.arange(len(margins))
    first = np.argmax(margins, axis=1)
    others = margins.copy()
    others[rows, first] = -np.inf
    second = np.argmax(others, axis=1)
    lead = margins[rows, first] - others[rows, second]
    is_lonely = (np.bincount(first) < LEAST_IN_CELL)[first]
    order = np.lexsort((lead, second, first, is_lonely))
    kinds = np.where(is_lonely, -1, first)[order]
    size = max(LEAST_IN_CELL, -(-len(rows) // _MOST_CELLS))
    cells, n_cells = np.empty(len(rows), np.int64), 0
    starts = np.flatnonzero(np.diff(kinds, prepend=kinds[0] - 1))
    for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(rows)], strict=True):
        # Documents left over are in the last cell of their class, or in the one before.
        n_full = (end - start) // size if end - start >= size else int(end - start >= LEAST_IN_CELL)
        places = np.arange(end - start) // size
        cells[order[start:end]] = n_cells + np.minimum(places, n_full - 1)
        n_cells += n_full
    return cells
