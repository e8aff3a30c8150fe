"""How much does a model find now? The statistics of an audit, in which a few documents are read.

A rare class makes a random sample hopeless: of 60 documents, none may be of the class. So an audit
reads a quarter of its budget at random among the alarms (the documents that the model puts into the
class) and the rest at random among the others. Both are shuffled once and read from the front, so
an audit can be continued with a larger budget.

Precision follows from the alarms that were read, with exact limits. For recall there are two
intervals, because one document found among a thousand unread ones changes everything:

* *Guaranteed*: two exact confidence distributions of hypergeometric counts, melded. It assumes
  nothing but that the documents were drawn at random and read correctly.
* *Model-assisted*: the model's probabilities, recalibrated by the labels: a level, a slope above
  and one below the threshold, and a leak of the class everywhere. It is narrower, and as good as
  the assumption that probabilities still rank documents; with few labels it mostly repeats what the
  model says of itself.

``benchmarks/audit.py`` measures how often both contain the truth.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import signal, stats
from scipy.special import expit, logit, ndtr, ndtri

from imbtext._messages import check_whole_number
from imbtext.randomness import keyed_generator
from imbtext.statistics import CONFIDENCE, Interval

# The share of the budget that is read among the alarms.
_SHARE_OF_ALARMS: Final = 0.25
_STEPS: Final = 60  # of bisection, which then is exact to the last bits
# The prior of the recalibration: mean and deviation of the level and of the logarithms of the
# slopes above and below the threshold; the leak is between these multiples of the mean probability.
_LEVEL: Final = (-0.2, 1.5)
_SLOPE_ABOVE: Final = (-0.1, 0.4)
_SLOPE_BELOW: Final = (0.15, 0.6)
_LEAK: Final = (0.003, 5.0)
_DRAWS: Final = 2048
_ROUNDS: Final = 3
_WIDENED: Final = 1.5
_LOWEST_PROBABILITY: Final = 1e-6
_BINS: Final = 200


@dataclass(frozen=True)
class Stratum:
    """Documents of which some were drawn at random and read, and how many are of the class."""

    n_documents: int
    n_read: int
    n_class: int

    @property
    def n_unread(self) -> int:
        """How many documents were not read."""
        return self.n_documents - self.n_read

    def estimate(self) -> float:
        """Return how many documents are of the class, if the unread are like the read.

        It is not a number if there are documents and none was read.
        """
        if self.n_read:
            return self.n_documents * self.n_class / self.n_read
        return np.nan if self.n_documents else 0.0

    def least(self) -> NDArray[np.float64]:
        """Return the distribution of how many documents are of the class, on the low side."""
        a, b = self.n_class, self.n_read - self.n_class + 1
        return self._distribution(a, b) if a else _certain(0, self.n_documents)

    def most(self) -> NDArray[np.float64]:
        """Return the distribution of how many documents are of the class, on the high side."""
        a, b = self.n_class + 1, self.n_read - self.n_class
        return self._distribution(a, b) if b else _certain(self.n_documents, self.n_documents)

    def _distribution(self, a: int, b: int) -> NDArray[np.float64]:
        weights = np.zeros(self.n_documents + 1)
        unread = stats.betabinom.pmf(np.arange(self.n_unread + 1), self.n_unread, a, b)
        weights[self.n_class : self.n_class + self.n_unread + 1] = unread
        total: NDArray[np.float64] = weights / weights.sum()
        return total


@dataclass(frozen=True)
class AuditEstimates:
    """Recall, precision and the number of documents of the class.

    Each is an estimate with its limits, NaN where nothing is known.
    """

    recall: Interval
    precision: Interval
    n_class: Interval


def split_budget(budget: int, n_alarms: int, n_others: int) -> tuple[int, int]:
    """Return how many alarms and how many others to read.

    Examples
    --------
    >>> split_budget(60, 500, 10_000), split_budget(60, 3, 10_000), split_budget(60, 500, 10)
    ((15, 45), (3, 57), (50, 10))
    """
    check_whole_number("budget", budget, least=2)
    of_alarms = min(max(1, round(budget * _SHARE_OF_ALARMS)), n_alarms)
    of_others = min(budget - of_alarms, n_others)
    return min(budget - of_others, n_alarms), of_others


def reading_order(
    is_alarm: NDArray[np.bool_], seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the alarms and the other documents, each shuffled: they are read from the front."""
    shuffled = keyed_generator(seed, 0).permutation(len(is_alarm))
    return shuffled[is_alarm[shuffled]], shuffled[~is_alarm[shuffled]]


def guaranteed(alarms: Stratum, others: Stratum, confidence: float = CONFIDENCE) -> AuditEstimates:
    """Return recall and so on with limits that assume nothing about the documents.

    Examples
    --------
    >>> found = guaranteed(Stratum(200, 15, 12), Stratum(9_800, 45, 0))
    >>> round(found.recall.mean, 2), round(found.recall.lower, 2), round(found.recall.upper, 2)
    (1.0, 0.16, 1.0)
    >>> found.n_class
    Interval(mean=160.0, lower=106.0, upper=932.0)
    """
    tail = (1 - confidence) / 2
    found, missed = alarms.estimate(), others.estimate()
    lower = _quantile_of_share(alarms.least(), others.most(), tail, 0.0)
    upper = _quantile_of_share(alarms.most(), others.least(), 1 - tail, 1.0)
    recall = Interval(found / (found + missed) if found + missed else np.nan, lower, upper)
    least = _quantile(signal.fftconvolve(alarms.least(), others.least()), tail)
    most = _quantile(signal.fftconvolve(alarms.most(), others.most()), 1 - tail)
    n_class = Interval(found + missed, float(least), float(most))
    return AuditEstimates(recall, _precision(alarms, tail), n_class)


def _precision(alarms: Stratum, tail: float) -> Interval:
    n = alarms.n_documents
    if not n or not alarms.n_read:
        return Interval(np.nan, 0.0, 1.0)
    least, most = _quantile(alarms.least(), tail), _quantile(alarms.most(), 1 - tail)
    return Interval(alarms.n_class / alarms.n_read, least / n, most / n)


def _quantile(weights: NDArray[np.float64], level: float) -> int:
    """Return the smallest count whose cumulative probability reaches the level."""
    return min(int(np.searchsorted(np.cumsum(weights), level)), len(weights) - 1)


def _certain(value: int, most: int) -> NDArray[np.float64]:
    weights = np.zeros(most + 1)
    weights[value] = 1.0
    return weights


def _quantile_of_share(
    found: NDArray[np.float64], missed: NDArray[np.float64], level: float, of_none: float
) -> float:
    """Return the smallest share r such that found / (found + missed) <= r has this probability.

    Both are independent counts, given by the probabilities of 0, 1, 2 and so on. The share of no
    documents is `of_none`.
    """
    numbers = np.flatnonzero(found)
    weights = found[numbers]
    # The probability of at least m missed, for m from 0 to one more than possible.
    at_least = np.append(np.cumsum(missed[::-1])[::-1], 0.0)

    def below(share: float) -> float:
        least = np.maximum(np.ceil(numbers * (1 - share) / share - 1e-9), 1.0)
        least[numbers == 0] = of_none
        return float(weights @ at_least[np.minimum(least, len(missed)).astype(np.int64)])

    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if below(middle) >= level else (middle, high)
    return round(high, 9)


def model_assisted(
    probabilities: NDArray[np.float64],
    is_alarm: NDArray[np.bool_],
    read: NDArray[np.int64],
    is_class: NDArray[np.bool_],
    seed: int = 0,
    confidence: float = CONFIDENCE,
    within: NDArray[np.bool_] | None = None,
) -> Interval:
    """Return recall by the model's probabilities, recalibrated by what was read.

    Parameters
    ----------
    probabilities, is_alarm : arrays of shape (n_documents,)
        The model's probability of the class, and whether it puts the document into it.
    read : array of shape (n_read,)
        The documents that were read.
    is_class : array of shape (n_read,)
        Whether they are of the class.
    within : array of bool, optional
        The documents whose recall is asked for, such as those of a week; by default all. What was
        read of the others says how to recalibrate, too.
    """
    counted = np.ones(len(probabilities), bool) if within is None else within
    shown = np.clip(probabilities, _LOWEST_PROBABILITY, 1 - _LOWEST_PROBABILITY)
    margins = logit(shown)
    threshold = float(margins[is_alarm].min() if is_alarm.any() else margins.max())
    margins -= threshold
    recalibration = _Recalibration(threshold, float(shown.mean()))
    points, weights = recalibration.posterior(margins[read], is_class)
    unread = np.ones(len(margins), bool)
    unread[read] = False
    generator = keyed_generator(seed, 1)
    counts = []
    for stratum in (is_alarm, ~is_alarm):
        known = int(is_class[(stratum & counted)[read]].sum())
        unknown = margins[stratum & unread & counted]
        counts.append(known + recalibration.counts(points, unknown, generator))
    found, missed = counts
    return _weighted_interval(found, found + missed, weights, confidence)


class _Recalibration:
    """p' = s + u (1 - s), s = expit(t + a + b margin), with a slope b above and below t.

    The threshold t is the log odds of the least likely alarm, and a margin is how far the log odds
    of a document lie above it. A point has four standard normal coordinates: the level a, the
    logarithms of both slopes, and the leak u.
    """

    def __init__(self, threshold: float, mean_probability: float) -> None:
        self.threshold, self.mean_probability = threshold, mean_probability

    def probabilities(
        self, points: NDArray[np.float64], margins: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the probability of every margin at every point."""
        level = self.threshold + _LEVEL[0] + _LEVEL[1] * points[:, 0, None]
        above = np.exp(_SLOPE_ABOVE[0] + _SLOPE_ABOVE[1] * points[:, 1, None])
        below = np.exp(_SLOPE_BELOW[0] + _SLOPE_BELOW[1] * points[:, 2, None])
        low, high = np.log(_LEAK)
        leak = self.mean_probability * np.exp(low + (high - low) * ndtr(points[:, 3, None]))
        share = expit(level + np.where(margins >= 0, above, below) * margins)
        probabilities = share + np.minimum(leak, 1.0) * (1 - share)
        return np.asarray(np.clip(probabilities, 1e-12, 1 - 1e-12))

    def posterior(
        self, margins: NDArray[np.float64], is_class: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return points with weights, drawn around where the labels are likely."""
        uniform = stats.qmc.Sobol(4, seed=0).random(_DRAWS)
        normal = ndtri(np.clip(uniform, 1e-9, 1 - 1e-9))
        mean, root = np.zeros(4), np.eye(4)
        for _ in range(_ROUNDS):
            points = mean + normal @ root.T
            shown = self.probabilities(points, margins)
            likelihood = np.log(np.where(is_class, shown, 1 - shown)).sum(axis=1)
            # The prior over the density that the points were drawn from.
            weights = likelihood - (points**2).sum(axis=1) / 2 + (normal**2).sum(axis=1) / 2
            weights = np.exp(weights - weights.max())
            weights /= weights.sum()
            mean = weights @ points
            spread = (points - mean).T @ ((points - mean) * weights[:, None])
            root = np.linalg.cholesky(_WIDENED * spread + 0.01 * np.eye(4))
        return points, weights

    def counts(
        self,
        points: NDArray[np.float64],
        margins: NDArray[np.float64],
        generator: np.random.Generator,
    ) -> NDArray[np.int64]:
        """Draw how many of these documents are of the class at every point.

        A sum of unequal chances is drawn as the binomial number with its mean and variance.
        """
        if not len(margins):
            return np.zeros(len(points), np.int64)
        edges = np.linspace(margins.min(), margins.max() + 1e-9, _BINS + 1)
        bins = np.clip(np.searchsorted(edges, margins, side="right") - 1, 0, _BINS - 1)
        sizes = np.bincount(bins, minlength=_BINS)
        centres = np.bincount(bins, margins, minlength=_BINS)[sizes > 0] / sizes[sizes > 0]
        shown = self.probabilities(points, centres)
        means = shown @ sizes[sizes > 0]
        chances = np.clip((shown**2) @ sizes[sizes > 0] / means, 1e-12, 1.0)
        trials = np.clip(means / chances, 1, len(margins))
        return generator.binomial(np.rint(trials).astype(np.int64), np.minimum(means / trials, 1))


def _weighted_interval(
    numbers: NDArray[np.int64],
    totals: NDArray[np.int64],
    weights: NDArray[np.float64],
    confidence: float,
) -> Interval:
    """Return the mean and the central interval of numbers over totals, where there are any."""
    some = totals > 0
    if not some.any():
        return Interval(np.nan, 0.0, 1.0)
    shares, weights = numbers[some] / totals[some], weights[some] / weights[some].sum()
    order = np.argsort(shares, kind="stable")
    cumulative = np.cumsum(weights[order])
    tail = (1 - confidence) / 2
    limits = np.searchsorted(cumulative, [tail, 1 - tail]).clip(max=len(order) - 1)
    lower, upper = shares[order][limits].tolist()
    return Interval(float(shares @ weights), lower, upper)
