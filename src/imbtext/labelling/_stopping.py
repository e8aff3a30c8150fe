"""How many documents of the class are unread, and when to stop reading.

A ranking puts documents of the class early, and nobody knows how much earlier. Suppose that a
document of the class, still unread when ``n0`` of ``N`` documents were read, is found at position
``x`` with a density that falls like ``x ** -(1 + b)`` up to ``N``. With ``b = -1`` the ranking
would be no better than chance, and the larger ``b``, the sooner the class is found. The finds since
``n0`` say which ``b`` is likely, and so how many documents of the class are still to come: this is
Bayes' rule for both numbers at once, with the unread number ``m`` and ``b`` on a grid
(:func:`unread_of_class`).

The same posterior serves two ends with two priors (`ESTIMATE` and `STOP`). The estimate looks at
the second half of the reading. The rule to stop looks at the last four fifths, which is more
careful, and expects a ranking that gains less. It also looks for a knee, so that it does not stop
while finds still come steadily (:func:`knee`).

A second rule, the careful one, assumes less: at any time an unread document of the class comes up
at least 1.5 times as readily as another unread one (`READINESS`), a biased urn as in Buscar [1]_.
If more of the class were unread than the target allows, the finds since some moment would be at
least a binomial share of them; if fewer came, the target is reached (:func:`surprise`).

Reading may stop as soon as either rule says so; the careful mode waits for the careful rule. No
rule can stop early without assuming something about the ranking; ``results/labelling/`` says how
often both kept their promise.

References
----------
.. [1] M. W. Callaghan and F. Müller-Hansen. Statistical stopping criteria for automated screening
   in systematic reviews. Systematic Reviews 9, 273, 2020.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from imbtext.statistics import CONFIDENCE

_B: Final = np.linspace(-0.9, 3.0, 79)
# Up to here every number of unread documents counts by itself, above it in blocks of one per cent.
_EXACT: Final = 1024
_GROWTH: Final = 1.01
# How much more readily than others the careful rule assumes a document of the class to come up. Of
# 1, 1.25, 1.5, 1.75, 2 and 2.5 it is the largest that kept the promises of 80 and 95% in 97.5% of
# the reviews of the development half.
READINESS: Final = 1.5
TARGET: Final = 0.95
# The shorter rule needs this many finds, or this share of all documents read.
_LEAST_FOUND: Final = 5
_ENOUGH_READ: Final = 0.3
# How likely so few finds since the knee may be, and the first document after which one may be.
_KNEE: Final = 0.3
# Where documents of the class have this many near-duplicates, a promise needs more confidence.
_MANY_COPIES: Final = 1.5
_DOUBT_WITH_COPIES: Final = 0.6
_EARLIEST_KNEE: Final = 20


def safe_to_stop(
    labels_in_reading_order: Iterable[object],
    n_unread: int,
    target_recall: float = TARGET,
    confidence: float = CONFIDENCE,
    *,
    careful: bool = False,
) -> bool:
    """Return whether enough of a class is found to stop reading.

    Use it on any review whose documents were read in the order of a ranking, such as one made with
    ASReview. `Labelling.progress` asks the same question for you.

    Parameters
    ----------
    labels_in_reading_order : list of bool
        For each document that was read, the first one first, whether it is of the class. If
        documents have near-duplicates, count each group of them once.
    n_unread : int
        How many documents are not read yet.
    target_recall : float, default=0.95
        The share of the class to find.
    confidence : float, default=0.95
        How certain that must be.
    careful : bool, default=False
        Whether to assume less of the ranking, and read more. Choose it if the class has parts that
        have nothing in common, since finding one part then says little about the other.

    See Also
    --------
    Labelling : Chooses what to read next, and says what is left.

    Notes
    -----
    Ask while you read, for example after every ten documents. Nothing is proven: the results of the
    labelling loop say in how many recorded reviews the rule kept its promise.

    Examples
    --------
    >>> from imbtext import safe_to_stop
    >>> labels = [True] * 30 + [False] * 130
    >>> safe_to_stop(labels, n_unread=840), safe_to_stop(labels, n_unread=840, careful=True)
    (True, False)
    """
    came = np.asarray(list(labels_in_reading_order))
    if came.ndim != 1 or not np.isin(came, (0, 1)).all():
        raise ValueError(
            "labels_in_reading_order has something else than True and False; expected, for each "
            "document that was read, whether it is of the class"
        )
    if n_unread < 0:
        raise ValueError(f"n_unread is {n_unread!r}; expected 0 or more documents")
    check_target(target_recall)
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence!r}; expected a share above 0 and below 1")
    is_class = came.astype(bool)
    reading = Reading(is_class, n_unread, int(is_class.sum()), careful=careful)
    return reading.may_stop(target_recall, confidence)


def check_target(target: float) -> None:
    """Raise unless the target is a share."""
    if not 0 < target <= 1:
        raise ValueError(f"target is {target!r}; expected a share above 0 and up to 1")


@dataclass(frozen=True)
class Prior:
    """The assumptions before the finds are looked at.

    Attributes
    ----------
    since : float
        Finds count from this share of the reading on.
    mean, spread : float
        The normal distribution of ``b``.
    power : float
        A number of unread documents is likely in proportion to ``(m + k + 1/2) ** -power``, if
        ``k`` were found since.
    """

    since: float
    mean: float
    spread: float
    power: float


ESTIMATE: Final = Prior(1 / 2, 0.8, 0.8, 1.0)
STOP: Final = Prior(1 / 5, 0.0, 0.6, 2.5)


@dataclass(frozen=True, eq=False)
class Unread:
    """The posterior distribution of the number of unread documents of the class.

    Attributes
    ----------
    numbers, probabilities : ndarray
        Numbers from 0 up, the last of each block, and the probability of the block.
    n_read, n_documents : int
        Documents that were read, and all of them.
    by_speed : ndarray
        How many are unread by each ``b``, times the probability of that ``b``.
    """

    numbers: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    n_read: int
    n_documents: int
    by_speed: NDArray[np.float64]

    def at_most(self, number: float) -> float:
        """Return the probability that `number` or fewer are unread."""
        return float(self.probabilities[self.numbers <= number].sum())

    def quantile(self, level: float) -> float:
        """Return the smallest number that is not exceeded with a probability of `level`."""
        place = int(np.searchsorted(np.cumsum(self.probabilities), level - 1e-12))
        return float(self.numbers[min(place, len(self.numbers) - 1)])

    def found_in(self, n_more: int) -> float:
        """Return how many of the next `n_more` documents are of the class, on average."""
        n, n_all = self.n_read, self.n_documents
        if not n or n + n_more >= n_all:
            return float(self.by_speed.sum())
        return float(self.by_speed @ (1 - np.exp(_log_unread(n, n + n_more, n_all))))


def unread_of_class(
    is_class: NDArray[np.bool_],
    n_unread: int,
    prior: Prior,
    log_likelihood: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
) -> Unread:
    """Return how many of `n_unread` documents are of the class.

    `is_class` says whether each document that was read is of the class, in the order of reading.
    `log_likelihood` is what else is known of each number of unread documents.

    Examples
    --------
    >>> came = np.array([True] * 20 + [False] * 180)
    >>> left = unread_of_class(came, 800, STOP)
    >>> left.quantile(0.5), left.at_most(1) > 0.9
    (0.0, True)
    """
    n, n_all = len(is_class), len(is_class) + n_unread
    numbers, last = _blocks(n_unread)
    start = prior.since * n
    finds = np.flatnonzero(is_class) + 1.0
    finds = finds[finds > start]
    k = len(finds)
    of_b = -(((_B - prior.mean) / prior.spread) ** 2) / 2
    unread = np.zeros(len(_B))
    if n and n_unread:
        # The logs of each find's density, and of the chance to be still unread.
        of_b -= k * np.log(_mass(np.log(n_all / start))) + (1 + _B) * np.log(finds / start).sum()
        unread = _log_unread(start, n, n_all)
    of_m = special.gammaln(numbers + k + 1) - special.gammaln(numbers + 1)
    of_m -= prior.power * np.log(numbers + k + 0.5)
    of_m += np.log(np.diff(last, prepend=-1))
    if log_likelihood is not None:
        of_m += log_likelihood(numbers)
    logs = of_b[:, None] + unread[:, None] * numbers + of_m
    joint = np.exp(logs - logs.max())
    joint /= joint.sum()
    return Unread(last, joint.sum(axis=0), n, n_all, joint @ numbers)


def _log_unread(start: float, n: int, n_all: int) -> NDArray[np.float64]:
    """Return for each ``b`` the log of the chance to be unread at `n` if unread at `start`."""
    of_rest, of_all = _mass(np.log(n_all / n)), _mass(np.log(n_all / start))
    return np.asarray(np.log(of_rest) - np.log(of_all) - _B * np.log(n / start))


def _mass(log_ratio: float) -> NDArray[np.float64]:
    """Return ``(1 - exp(-b log_ratio)) / b`` for each ``b``; the limit at 0 is `log_ratio`."""
    is_zero = np.abs(_B) < 1e-9
    b = np.where(is_zero, 1.0, _B)
    return np.where(is_zero, log_ratio, -np.expm1(-b * log_ratio) / b)


def _blocks(most: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return numbers from 0 to `most` to compute at, and the last number that each stands for."""
    last = np.arange(min(most, _EXACT) + 1)
    if most > _EXACT:
        n_more = int(np.ceil(np.log(most / _EXACT) / np.log(_GROWTH)))
        last = np.append(last, np.unique(np.geomspace(_EXACT, most, n_more + 1).round())[1:])
    first = np.concatenate([[0], last[:-1] + 1])
    return (first + last) / 2, last.astype(np.int64)


def surprise(is_class: NDArray[np.bool_], n_unread: int, n_missing: int) -> float:
    """Return how unlikely it is to have found so few if `n_missing` were still unread.

    `is_class` says whether each document is of the class, in the order of reading.

    Examples
    --------
    >>> came = np.array([True] * 20 + [False] * 180)
    >>> round(surprise(came, 800, 20), 3), round(surprise(came, 800, 5), 3)
    (0.002, 0.218)
    """
    moments, found = _moments(is_class)
    unread = np.maximum(len(is_class) - moments + n_unread, 1)
    coming = 1 - (n_unread / unread) ** READINESS
    # The distribution function of the binomial distribution, without the checks of `scipy.stats`.
    return float(np.min(special.bdtr(found, n_missing + found, coming)))


def knee(is_class: NDArray[np.bool_], n_unread: int, n_missing: int) -> float:
    """Return how unlikely so few finds are if the class still came as steadily as before.

    "As steadily" means that a ranking finds in proportion to the square root of the reading. The
    least likely moment counts, as in :func:`surprise`.

    Examples
    --------
    >>> steady, ended = np.array([True, False] * 50), np.array([True] * 20 + [False] * 180)
    >>> knee(steady, 800, 3) > 0.5, knee(ended, 800, 2) < 0.3
    (True, True)
    """
    n = len(is_class)
    if not n:
        return 1.0
    moments, found = _moments(is_class)
    starts = np.minimum(np.maximum(moments, _EARLIEST_KNEE), n)
    unread = np.maximum(n - starts + n_unread, 1)
    coming = 1 - n_unread / unread * np.sqrt(starts / n)
    return float(np.min(special.bdtr(found, n_missing + found, coming)))


def _moments(is_class: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the moments that may give the clearest evidence, and the finds since each.

    These are the start and the moments just after a find: between two finds, a later moment has
    less reading for as many finds.
    """
    moments = np.concatenate([[0], np.flatnonzero(is_class) + 1])
    return moments, np.arange(len(moments))[::-1]


@dataclass(frozen=True)
class RandomSample:
    """Documents drawn at random from the unread ones at some moment.

    Attributes
    ----------
    n_unread, n_sampled, n_found : int
        Documents unread at that moment, those of them that were drawn and read, and those of the
        class among these.
    n_found_since : int
        Documents of the class found since, drawn or not.
    gap : int or None
        A row that was drawn, and skipped or left undecided. The rows drawn after it do not count.
    """

    n_unread: int
    n_sampled: int
    n_found: int
    n_found_since: int
    gap: int | None = None

    def surprise(self, n_missing: float) -> float:
        """Return how unlikely a sample with so few is if `n_missing` are still unread."""
        return float(stats.hypergeom.cdf(*self._drawn_if(np.array(n_missing))))

    def log_likelihood(self, n_missing: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the log of the chance of this sample for each number of unread documents."""
        return np.asarray(stats.hypergeom.logpmf(*self._drawn_if(n_missing)))

    def _drawn_if(self, n_missing: NDArray[np.float64]) -> tuple[Any, ...]:
        n_class = np.minimum(np.round(n_missing) + self.n_found_since, self.n_unread)
        return self.n_found, self.n_unread, n_class.astype(np.int64), self.n_sampled


@dataclass(frozen=True, eq=False)
class Reading:
    """The documents read so far, as a rule to stop needs them.

    Near-duplicates are one document here, and a find is counted when the first of them is read.
    Otherwise a class that stands three times in the pool would look three times as well known as it
    is.

    Attributes
    ----------
    is_class : ndarray of bool
        For each document that was read by rank, in that order, whether it is of the class.
    n_unread : int
        How many are unread.
    n_found : int
        Single documents of the class that were found, however they came up.
    sample : RandomSample or None
        What was read at random.
    careful : bool
        Whether the shorter rule does not count.
    copies : float
        How many near-duplicates a document of the class has in the pool, itself included.
    n_near : int
        Unread near-duplicates of documents of the class.
    """

    is_class: NDArray[np.bool_]
    n_unread: int
    n_found: int
    sample: RandomSample | None = None
    careful: bool = False
    copies: float = 1.0
    n_near: int = 0

    @classmethod
    def of(
        cls,
        read: NDArray[np.int64],
        is_class: NDArray[np.bool_],
        by_rank: NDArray[np.bool_],
        groups: NDArray[np.int64],
        *,
        sample: RandomSample | None = None,
        careful: bool = False,
    ) -> Self:
        """Count what was read.

        `read` has the rows in the order of reading; `is_class` and `by_rank` say of each whether it
        is of the class and whether the ranking offered it. `groups` has a number per document of
        the pool, which near-duplicates share.
        """
        sizes, of_read = np.bincount(groups), groups[read]
        of_class = np.unique(of_read[is_class])
        n_copies, n_found = int(sizes[of_class].sum()), int(is_class.sum())
        n_near = n_copies - int(np.isin(of_read, of_class).sum())
        counted = of_read[by_rank & ~np.isin(of_read, of_read[~by_rank])]
        in_order, first = np.unique(counted, return_index=True)
        came = np.isin(in_order[np.argsort(first)], of_class)
        n_unread = int((sizes > 0).sum()) - len(np.unique(of_read))
        copies = n_copies / len(of_class) if len(of_class) else 1.0
        return cls(came, n_unread, n_found, sample, careful, copies, n_near)

    def left(self, prior: Prior) -> Unread:
        """Return how many documents of the class are probably unread, near-duplicates as one."""
        sample, copies = self.sample, self.copies
        if sample is None or not sample.n_sampled:
            return unread_of_class(self.is_class, self.n_unread, prior)
        return unread_of_class(
            self.is_class, self.n_unread, prior, lambda n: sample.log_likelihood(n * copies)
        )

    def missed(self, target: float) -> int:
        """Return how many documents of the class may be unread if the target is reached."""
        return int(np.floor(self.n_found / target - self.n_found + 1e-9))

    def allowed(self, target: float) -> int:
        """Return how many of them, near-duplicates as one; -1 if those of finds are too many."""
        return int(np.floor((self.missed(target) - self.n_near) / self.copies + 1e-9))

    def surprise(self, n_missing: int) -> float:
        """Return how unlikely the reading is if `n_missing` are still unread."""
        by_rank = surprise(self.is_class, self.n_unread, n_missing)
        if self.sample is None:
            return by_rank
        # Two chances to be surprised count double (Bonferroni).
        return min(1.0, 2 * min(by_rank, self.sample.surprise(n_missing * self.copies)))

    def certainty(self, target: float) -> float:
        """Return how certain it is that a share of the class is found."""
        n_allowed = self.allowed(target)
        if not self.n_unread:
            return 1.0
        if not self.n_found or n_allowed < 0:
            return 0.0
        if self.n_unread <= n_allowed:
            return 1.0
        certain = 1 - self.surprise(n_allowed + 1)
        return certain if self.careful else max(certain, self.left(STOP).at_most(n_allowed))

    def may_stop(self, target: float, confidence: float = CONFIDENCE) -> bool:
        """Return whether a rule says to stop."""
        n_allowed = self.allowed(target)
        if self.copies >= _MANY_COPIES:  # .97 instead of .95
            confidence = 1 - _DOUBT_WITH_COPIES * (1 - confidence)
        if not self.n_unread:
            return True
        if not self.n_found or n_allowed < 0:
            return False
        if self.n_unread <= n_allowed or 1 - self.surprise(n_allowed + 1) >= confidence:
            return True
        return not self.careful and self._is_past_knee(n_allowed, confidence)

    def _is_past_knee(self, n_allowed: int, confidence: float) -> bool:
        n = len(self.is_class)
        return (
            (self.is_class.sum() >= _LEAST_FOUND or n >= _ENOUGH_READ * (n + self.n_unread))
            and knee(self.is_class, self.n_unread, n_allowed + 1) <= _KNEE
            and self.left(STOP).at_most(n_allowed) >= confidence
        )

    def needed(self, target: float) -> tuple[int, int]:
        """Return how many documents without a find are enough: as they come, and at random."""
        n_allowed = self.allowed(target)
        if not self.n_found or n_allowed < 0 or self.may_stop(target):
            return 0, 0
        sample = self.sample or RandomSample(self.n_unread, 0, 0, 0)

        def by_rank(n_more: int) -> bool:
            came = np.concatenate([self.is_class, np.zeros(n_more, bool)])
            return replace(self, is_class=came, n_unread=self.n_unread - n_more).may_stop(target)

        def at_random(n_more: int) -> bool:
            more = replace(sample, n_sampled=sample.n_sampled + n_more)
            return 2 * more.surprise((n_allowed + 1) * self.copies) <= 1 - CONFIDENCE

        def fewest(is_enough: Callable[[int], bool]) -> int:
            return bisect_left(range(self.n_unread), True, lo=1, key=is_enough)

        return fewest(by_rank), fewest(at_random)
