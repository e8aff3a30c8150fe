"""The held-out scores of a class in bins: what a model file keeps, so that a threshold can move.

A fitted model has the held-out score of every training document (:class:`ClassScores`). A file must
not hold documents, so it keeps a :class:`ScoreCurve`: the documents are sorted by score and counted
in bins. The highest bins hold three documents each, and further down a bin holds 2% of all
documents above it, so that thresholds are fine where alarms are few. Each bin knows how many
documents of the class and of the rest it holds in each fold, their weight, and how many groups they
make.

That is enough to choose a threshold for any goal and to say what to expect there, by the same rules
as :mod:`imbtext.rare._expectation`: each fold is judged at a threshold that the other folds
chose, resampled groups say how far the threshold would move, and groups are counted, not documents.
The documents of a group are taken to share one fate, wherever they score. So the intervals of a
loaded model are those of the fitted one, or a little wider where documents belong together.

If classes are exclusive, a document moves from class to class as thresholds move, and the bins of
one class do not know the scores of the others; ``_exclusive.py`` does. A threshold that is a little
off then moves documents all over the scores, not only those beside it. So thresholds of exclusive
classes are chosen on bins that also end at the corners of each class (:func:`_corners`), where the
best threshold for any cost or F-score lies.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

from imbtext._typing import Label
from imbtext.metrics import Confusion, Goal
from imbtext.randomness import keyed_generator
from imbtext.rare._expectation import N_RESAMPLES, STREAM, AlarmRate, Expectation
from imbtext.rare._held_out import ClassScores, ranking_precision, relative_weights
from imbtext.rare._intervals import N_TYPICAL_GROUPS, Tally, share_of_hits
from imbtext.rare._operating_point import best_place
from imbtext.statistics import Interval

_LEAST_IN_BIN: Final = 3
_GROWTH: Final = 0.02
# Places in the last axis of the cells.
_REST: Final = 0
_CLASS: Final = 1
_ALL: Final = (_REST, _CLASS)

Cells = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ScoreCurve:
    """Held-out scores of a class, counted in bins from the highest score down.

    Attributes
    ----------
    cuts : ndarray of float64
        Thresholds: one above all scores, one between each bin and the next, one below all.
    counts, weights, groups : ndarray of float64, one entry per bin, fold and kind
        How many documents the bin holds, what they weigh, and how many groups they make. A group
        whose documents lie in several bins is shared out over these. The kinds are rest and class.
    n_class, n_documents : int
        Documents of the class and of all that were given, held out or not.
    average_precision : float
        How well the documents were ranked before they were put into bins.
    in_time : bool
        Whether the folds are periods that follow one another.
    """

    cuts: NDArray[np.float64]
    counts: Cells
    weights: Cells
    groups: Cells
    n_class: int
    n_documents: int
    average_precision: float
    in_time: bool = False

    @classmethod
    def of(cls, held: ClassScores, *, at_corners: bool = False) -> "ScoreCurve":
        """Put held-out scores into bins, which may end at the corners of the class."""
        order = np.argsort(-held.scores, kind="stable")
        scores = held.scores[order]
        kinds = held.is_class[order].astype(np.int64)
        weights = relative_weights(held)[order]
        ends = _bin_ends(scores, _corners(scores, kinds, weights) if at_corners else [])
        bins = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
        n_folds = int(held.folds.max(initial=0)) + 1
        shape = (len(ends), n_folds, 2)
        cells = np.ravel_multi_index((bins, held.folds[order].astype(np.int64), kinds), shape)
        # What share of its group, among those of its kind, a document is.
        keys = 2 * held.groups[order] + kinds
        of_groups = np.bincount(keys, weights)[keys]
        shares = np.divide(weights, of_groups, out=np.zeros_like(weights), where=of_groups > 0)

        def in_cells(values: NDArray[np.float64]) -> Cells:
            return np.bincount(cells, values, math.prod(shape)).reshape(shape).astype(np.float64)

        return cls(
            mean_cuts(scores[ends - 1], scores[np.append(0, ends[:-1])[: len(ends)]]),
            in_cells(np.ones(len(scores))),
            in_cells(weights),
            in_cells(shares),
            n_class=held.n_class,
            n_documents=held.n_documents,
            average_precision=ranking_precision(held),
            in_time=held.in_time,
        )

    def confusion(self) -> Confusion:
        """Return what each of the thresholds gives."""
        return _confusion(self.weights.sum(axis=1))

    def score_shares(self) -> NDArray[np.float64]:
        """Return for each threshold the share of held-out documents above it."""
        above = _cumulated(self.weights.sum(axis=(1, 2)))
        return np.asarray(above / above[-1] if above[-1] else above)

    def choose(self, goal: Goal) -> float:
        """Return the threshold that serves a goal best."""
        if not len(self.counts):
            return 0.0
        return float(self.cuts[self._place(goal, self.counts, self.weights)])

    def expect(self, label: Label, goal: Goal, seed: int) -> tuple[Expectation, AlarmRate]:
        """Say what to expect at the threshold that serves a goal best."""
        is_put = self.cuts[1:, None] >= self.fold_thresholds(goal)
        whole = self.confusion()
        # At which cut each resampled threshold lies; there are none where it is not a number.
        thresholds = self.resampled_thresholds(goal, seed)
        known = ~np.isnan(thresholds)
        places = np.searchsorted(-self.cuts, -thresholds[known])
        resampled = np.full((len(thresholds), 2), np.nan)
        resampled[known, 0] = whole.found[places]
        resampled[known, 1] = np.add(whole.found, whole.alarms)[places]
        return self.expect_put(label, is_put, self.choose(goal), resampled)

    def expect_put(
        self,
        label: Label,
        is_put: NDArray[np.bool_],
        threshold: float,
        resampled: NDArray[np.float64],
    ) -> tuple[Expectation, AlarmRate]:
        """Say what to expect if each fold puts some bins into the class.

        `threshold` is that of all folds together, and `resampled` has the weight of the documents
        that resampled thresholds would find, and of all that they would put into the class.
        """
        # Alarms vary from period to period, and thresholds that differ would add to that.
        is_alarm = self._is_put(threshold) if self.in_time else is_put
        expectation = self._expectation(label, is_put, is_alarm, resampled)
        return expectation, self.alarm_rate(label, threshold)

    def expect_at(self, label: Label, threshold: float) -> tuple[Expectation, AlarmRate]:
        """Say what to expect at a threshold that was not chosen on these scores."""
        is_put, nothing = self._is_put(threshold), np.empty((0, 2))
        expectation = self._expectation(label, is_put, is_put, nothing)
        return expectation, self.alarm_rate(label, threshold)

    def alarm_rate(self, label: Label, threshold: float) -> AlarmRate:
        """Return how many held-out documents are put into the class at a threshold."""
        is_put, whole = self._is_put(threshold), float(self.weights.sum())
        share = float(self.weights[is_put].sum()) / whole if whole else 0.0
        n_alarms = int(np.ceil(float(self.groups[is_put].sum()) - 1e-6))
        rate = AlarmRate(label, share, n_alarms, round(float(self.counts.sum())))
        if not self.in_time:
            return rate
        alarms, others = (self._tally(_ALL, is_put, above=above) for above in (True, False))
        return rate.of_next_period(alarms, others)

    def _is_put(self, threshold: float) -> NDArray[np.bool_]:
        """Return which cells lie above a threshold; where it cuts a bin, its nearer end counts."""
        is_put = np.zeros(self.counts.shape[:2], bool)
        is_put[: int(np.argmin(np.abs(self.cuts - threshold)))] = True
        return is_put

    def _place(self, goal: Goal, counts: Cells, weights: Cells) -> int:
        n_class = float(counts[..., _CLASS].sum())
        return best_place(goal, _confusion(weights.sum(axis=1)), n_class)

    def fold_thresholds(self, goal: Goal) -> NDArray[np.float64]:
        """Return the threshold that the other folds choose, for each fold."""
        n_folds = self.counts.shape[1]
        places = np.zeros(n_folds, np.int64)
        for fold in range(n_folds if len(self.counts) else 0):
            others = np.arange(n_folds) != fold
            places[fold] = self._place(goal, self.counts[:, others], self.weights[:, others])
        return self.cuts[places]

    def resampled_thresholds(self, goal: Goal, seed: int) -> NDArray[np.float64]:
        """Return thresholds chosen on resampled groups, NaN where these lack the class."""
        generator = keyed_generator(seed, STREAM)
        thresholds = np.full(N_RESAMPLES, np.nan)
        each = np.divide(
            self.weights, self.groups, out=np.zeros_like(self.weights), where=self.groups > 0
        )
        for i in range(N_RESAMPLES):
            drawn = generator.poisson(self.groups).astype(np.float64) * each
            if drawn[..., _CLASS].any():
                thresholds[i] = self.cuts[self._place(goal, self.counts, drawn)]
        return thresholds

    def _expectation(
        self,
        label: Label,
        is_put: NDArray[np.bool_],
        is_alarm: NDArray[np.bool_],
        resampled: NDArray[np.float64],
    ) -> Expectation:
        """Say what it means to put some cells, one per bin and fold, into the class.

        `is_alarm` are the cells by which alarms are counted.
        """
        found, missed = (self._tally([_CLASS], is_put, above=above) for above in (True, False))
        alarms, others = (self._tally(_ALL, is_alarm, above=above) for above in (True, False))
        false_alarms = self._tally([_REST], is_put, above=True)
        found_resampled, put_resampled = resampled.T
        n_class, n_all = float(self.weights[..., _CLASS].sum()), float(self.weights.sum())
        share = share_of_hits(alarms, others, put_resampled, n_all - put_resampled)
        return Expectation(
            label=label,
            n_class=self.n_class,
            n_documents=self.n_documents,
            n_found=int(self.counts[is_put][:, _CLASS].sum()),
            n_alarms=int(self.counts[is_put].sum()),
            recall=share_of_hits(found, missed, found_resampled, n_class - found_resampled),
            precision=share_of_hits(
                found, false_alarms, found_resampled, put_resampled - found_resampled
            ),
            alarms=Interval(1000 * share.mean, 1000 * share.lower, 1000 * share.upper),
            average_precision=self.average_precision,
            n_tested=int(self.counts[..., _CLASS].sum()) if self.in_time else None,
        )

    def _tally(self, kinds: Sequence[int], is_put: NDArray[np.bool_], *, above: bool) -> Tally:
        """Weigh the documents of some kinds above their threshold, or not above.

        Where there are few, the bins nearest to the threshold on its other side say what a group of
        them weighs, too.
        """
        weights = self.weights[..., kinds].sum(axis=-1).ravel()
        groups = self.groups[..., kinds].sum(axis=-1).ravel()
        bins = np.repeat(np.arange(len(self.counts)), self.counts.shape[1])
        hit = is_put.ravel() == above
        order = np.lexsort((bins if above else -bins, ~hit))
        order = order[groups[order] > 0]
        enough = max(float(groups[hit].sum()), N_TYPICAL_GROUPS) - 1e-6
        near = order[: int(np.searchsorted(np.cumsum(groups[order]), enough)) + 1]
        total = float(weights[near].sum())
        typical = float((weights[near] ** 2 / groups[near]).sum()) / total if total else 1.0
        of_periods = np.empty(0)
        if self.in_time:
            of_folds = np.where(hit, weights, 0.0).reshape(is_put.shape).sum(axis=0)
            of_periods = of_folds[self.counts.sum(axis=(0, 2)) > 0]
        return Tally(np.array([weights[hit].sum()]), typical, of_periods)


def mean_cuts(lowest: NDArray[np.float64], highest: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return thresholds around and half way between bins, the highest bin first.

    Examples
    --------
    >>> mean_cuts(np.array([4.0, 1.0]), np.array([5.0, 2.0])).tolist()
    [6.0, 3.0, 0.0]
    """
    if not len(lowest):
        return np.array([1.0])
    return np.concatenate([highest[:1] + 1.0, (lowest[:-1] + highest[1:]) / 2, lowest[-1:] - 1.0])


def _confusion(weights: NDArray[np.float64]) -> Confusion:
    """Return what each threshold gives, of the weights of rest and class in each bin."""
    above = _cumulated(weights)
    return Confusion(above[:, _CLASS], above[:, _REST], above[-1, _CLASS], above[-1, _REST])


def _cumulated(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate([np.zeros_like(values[:1]), np.cumsum(values, axis=0)])


def _bin_ends(scores: NDArray[np.float64], corners: Sequence[int] = ()) -> NDArray[np.int64]:
    """Return where the bins of falling scores end; equal scores stay together.

    Bins end at `corners`, too, unless a bin would then hold fewer than three documents.

    Examples
    --------
    >>> _bin_ends(np.array([9.0, 8.0, 7.0, 7.0, 6.0, 5.0, 4.0, 3.0])).tolist()
    [4, 8]
    >>> _bin_ends(np.arange(20.0)[::-1], corners=[1, 7, 9, 18]).tolist()
    [3, 7, 10, 13, 16, 20]
    """
    n, stops, ends = len(scores), [0], [0]
    for corner in corners:
        if min(corner - stops[-1], n - corner) >= _LEAST_IN_BIN:
            stops.append(corner)
    for stop in (*stops[1:], n):
        while stop - ends[-1] > 0:
            end = ends[-1] + max(_LEAST_IN_BIN, int(_GROWTH * ends[-1]))
            if stop - end < _LEAST_IN_BIN:
                end = stop
            else:
                end += int(np.searchsorted(-scores[end:], -scores[end - 1], side="right"))
            ends.append(end if stop - end >= _LEAST_IN_BIN else stop)
    return np.array(ends[1:], np.int64)


def _corners(
    scores: NDArray[np.float64], kinds: NDArray[np.int64], weights: NDArray[np.float64]
) -> list[int]:
    """Return how many documents lie above each threshold that is best for some cost or F-score.

    These thresholds are the corners of the convex hull of the ROC curve. They lie where isotonic
    regression of the class on falling scores steps down (Fawcett and Niculescu-Mizil, Machine
    Learning 68, 2007).

    Examples
    --------
    >>> _corners(np.arange(6.0)[::-1], np.array([1, 1, 0, 1, 0, 0]), np.ones(6))
    [2, 4]
    """
    if not len(scores):
        return []
    # Documents of equal scores are on the same side of every threshold.
    starts = np.append(0, np.flatnonzero(np.diff(scores)) + 1)
    of_scores, of_class = (np.add.reduceat(values, starts) for values in (weights, weights * kinds))
    heavy = np.flatnonzero(of_scores > 0)
    shares = isotonic_regression(
        of_class[heavy] / of_scores[heavy], sample_weight=of_scores[heavy], increasing=False
    )
    corners: list[int] = starts[heavy[1:]][np.diff(shares) < 0].tolist()
    return corners
