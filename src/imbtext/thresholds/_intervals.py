"""Intervals of shares, from held-out documents.

The documents that were found are hits and those that were missed are misses; or the right alarms
and the false ones, or the alarms and all other documents. :func:`share_of_hits` turns two such
tallies (:class:`Tally`) into a share with a 95% interval. It counts groups rather than
documents, weighs them, and knows that the threshold was chosen on the same documents. Where folds
are periods that follow one another, the share is that of the next period (:class:`Level`).

Nothing here knows of scores: ``_expectation.py`` makes the tallies.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import brentq
from scipy.special import expit, ndtr

from imbtext.statistics import CONFIDENCE, Interval

# How many groups say what the next hit or miss will weigh.
N_TYPICAL_GROUPS: Final = 10
# How far log odds may move from one period to the next: standard deviations, and how plausible each
# is before any document is seen. Half of the moves are taken to be below 0.5: odds that grow or
# shrink by two thirds.
_MOVES: Final = np.append(0.0, np.geomspace(0.02, 3.0, 40))
_PLAUSIBLE_MOVES: Final = np.gradient(_MOVES) / (1 + (_MOVES / 0.5) ** 2)


@dataclass(frozen=True, eq=False)
class Tally:
    """Documents of one outcome, such as those that were found.

    Attributes
    ----------
    of_groups : ndarray of float64
        Their weight in each group.
    typical : float
        What a group of them weighs.
    of_periods : ndarray of float64
        Their weight in each period that was tested, in order; empty if folds are no periods.
    """

    of_groups: NDArray[np.float64]
    typical: float
    of_periods: NDArray[np.float64]


def share_of_hits(
    hits: Tally,
    misses: Tally,
    hits_resampled: NDArray[np.float64],
    misses_resampled: NDArray[np.float64],
) -> Interval:
    """Return the share of the hits among hits and misses, with a 95% interval.

    Without weights and groups it is Jeffreys' interval. With them, in the manner of Korn and
    Graubard (Survey Methodology 24, 1998):

    * Hits and misses are counted in effective documents, their weight by what a group of them
      weighs. Hits and misses may weigh differently, as they do if the rest was sampled down and
      weighted up. So the two are counted apart, and the odds turn the share of counts back.
    * That assumes that the documents of a group share one outcome. If groups have both hits and
      misses, :func:`_group_effect` says how far that is so.
    * The threshold would be another with other documents. `hits_resampled` and `misses_resampled`
      are what resampled thresholds give. How far they take the share from its estimate, squared, is
      added to its variance.
    """
    hit, missed = float(hits.of_groups.sum()), float(misses.of_groups.sum())
    if hit + missed == 0:
        return Interval(np.nan, 0.0, 1.0)
    effect = _group_effect(hits, misses)
    n_hits, n_misses = hit / hits.typical / effect, missed / misses.typical / effect
    n = n_hits + n_misses
    smoothed = (n_hits + 0.5) / (n + 1)
    drawn = smoothed * (1 - smoothed) / n
    resampled = np.stack([hits_resampled / hits.typical, misses_resampled / misses.typical])
    resampled = resampled[:, resampled.sum(axis=0) > 0]
    shares = resampled[0] / resampled.sum(axis=0)
    spread = float(np.mean((shares - n_hits / n) ** 2)) if resampled.size else 0.0
    if len(hits.of_periods) > 1:
        return _of_next_period(hits, misses, effect, spread)
    kept = drawn / (drawn + spread)
    tail, odds = (1 - CONFIDENCE) / 2, hits.typical / misses.typical
    lower, upper = (
        odds * limit / (odds * limit + 1 - limit)
        for limit in (
            float(stats.beta.ppf(quantile, kept * n_hits + 0.5, kept * n_misses + 0.5))
            for quantile in (tail, 1 - tail)
        )
    )
    share = hit / (hit + missed)
    return Interval(
        share,
        0.0 if hit == 0 else min(lower, share),
        1.0 if missed == 0 else max(upper, share),
    )


def _group_effect(hits: Tally, misses: Tally) -> float:
    """Return by what to divide effective documents, 1 if a group shares one outcome.

    It is the linearised variance of the log odds over groups, as if one more group had been seen
    whose documents share one outcome. With few groups this variance is itself uncertain, and a
    quantile of Student's t replaces the normal one.
    """
    hit, missed = hits.of_groups.sum(), misses.of_groups.sum()
    sizes = hits.of_groups / hits.typical + misses.of_groups / misses.typical
    n_groups = np.count_nonzero(sizes)
    if hit == 0 or missed == 0 or n_groups < 2:
        return 1.0
    deviations = hits.of_groups / hit - misses.of_groups / missed
    variance = deviations @ deviations * n_groups / (n_groups - 1)
    effect = min(1.0, variance / (hits.typical / hit + misses.typical / missed))
    n_seen = min(np.count_nonzero(hits.of_groups), np.count_nonzero(misses.of_groups))
    effect = (n_seen * effect + 1) / (n_seen + 1)
    n_even = sizes.sum() ** 2 / (sizes @ sizes)
    of_groups, of_documents = (
        float(stats.t.ppf((1 + CONFIDENCE) / 2, max(n, 2.0) - 1))
        for n in (n_even, sizes.sum() / effect)
    )
    return float(effect * max(1.0, of_groups / of_documents) ** 2)


@dataclass(frozen=True, eq=False)
class Level:
    """Where the log odds of a share will stand in the period that follows.

    They are taken to move from period to period by chance: the local level model, a random walk
    that is seen through sampling errors. Few periods say little about how far they move. So the
    level is estimated for each standard deviation of the moves (`_MOVES`), weighted by its
    plausibility: by a half Cauchy distribution at first, and then by how well Kalman's filter
    foretells each period. The filter also says how much a document of each period still counts: all
    alike without moves, the last ones more if moves are large. The level is the log odds of the
    documents counted so.

    Attributes
    ----------
    levels, variances : ndarray of float64
        The log odds of hits to misses in the next period, and how well they are known.
    plausible : ndarray of float64
        The probability of each standard deviation.
    """

    levels: NDArray[np.float64]
    variances: NDArray[np.float64]
    plausible: NDArray[np.float64]

    @classmethod
    def of(cls, hits: Tally, misses: Tally, effect: float = 1.0) -> "Level":
        """Take hits and misses; `effect` is by what to divide effective documents."""
        seen = hits.of_periods + misses.of_periods > 0
        of_hits, of_misses = hits.of_periods[seen], misses.of_periods[seen]
        hit_weight, miss_weight = hits.typical * effect, misses.typical * effect
        # Half a document more on either side, as a period may have none.
        n_hits, n_misses = of_hits / hit_weight + 0.5, of_misses / miss_weight + 0.5
        observed, errors = np.log(n_hits / n_misses), 1 / n_hits + 1 / n_misses
        level, variance = np.full(len(_MOVES), observed[0]), np.full(len(_MOVES), errors[0])
        hit, missed = variance * of_hits[0], variance * of_misses[0]
        surprise = np.zeros(len(_MOVES))
        for period in range(1, len(observed)):
            foretold = variance + _MOVES**2
            total = foretold + errors[period]
            deviation, gain = observed[period] - level, foretold / total
            surprise += np.log(total) + deviation**2 / total
            level, variance = level + gain * deviation, gain * errors[period]
            hit = (1 - gain) * hit + variance * of_hits[period]
            missed = (1 - gain) * missed + variance * of_misses[period]
        hit, missed = hit / variance, missed / variance  # a document of the last period counts 1
        if not hit.any() or not missed.any():
            hit, missed = hit + 0.5 * hit_weight, missed + 0.5 * miss_weight
        plausible = _PLAUSIBLE_MOVES * np.exp((surprise.min() - surprise) / 2)
        return cls(np.log(hit / missed), variance + _MOVES**2, plausible / plausible.sum())

    @property
    def share(self) -> float:
        """The share of the hits."""
        return float(expit(self.levels @ self.plausible))

    def limits(self, variance: float = 0.0) -> tuple[float, float]:
        """Return the limits of the log odds; `variance` is added to what is known of them."""
        spreads = np.sqrt(self.variances + variance)

        def excess(limit: float, probability: float) -> float:
            return float(self.plausible @ ndtr((limit - self.levels) / spreads)) - probability

        tail, width = (1 - CONFIDENCE) / 2, 10 * float(spreads.max())
        bounds = float(self.levels.min()) - width, float(self.levels.max()) + width
        lower, upper = (brentq(excess, *bounds, args=(part,)) for part in (tail, 1 - tail))
        return float(lower), float(upper)


def _of_next_period(hits: Tally, misses: Tally, effect: float, spread: float) -> Interval:
    """Return the share of the hits in the period that follows, with a 95% interval.

    `effect` is that of groups, and `spread` the variance that resampled thresholds add.
    """
    following = Level.of(hits, misses, effect)
    share = following.share
    lower, upper = expit(following.limits(spread / (share * (1 - share)) ** 2)).tolist()
    if not hits.of_periods.any():
        return Interval(0.0, 0.0, upper)
    if not misses.of_periods.any():
        return Interval(1.0, lower, 1.0)
    return Interval(share, lower, upper)
