"""What is left: how many documents of the class nobody has read yet, and when to stop.

Documents are read in the order of a ranking, so the class's documents come early. Nobody knows how
much earlier, and no rule can stop without assuming something. The assumption here is modest: at any
time, an unread document of the class comes up at least 1.5 times as readily as another unread one
(`READINESS`). So if ``m`` documents of the class were still unread, the finds since some moment
would be at least a binomial share of them. If fewer were found, ``m`` is too many.

:func:`surprise` is the probability of finding as few as were found, since the moment that gives the
clearest evidence. ``results/labelling/`` says how often the limits that follow from it held.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from imbtext._typing import Label
from imbtext.statistics import CONFIDENCE, Interval

# How much more readily than others we assume a document of the class to come up. Of 1, 1.25, 1.5,
# 1.75, 2 and 2.5 it is the largest that kept the promises of 80 and 95% in 97.5% of the reviews of
# the development half, see `results/labelling/`.
READINESS: Final = 1.5
TARGET: Final = 0.95
_HUNDRED: Final = 100


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

    def surprise(self, n_missing: int) -> float:
        """Return how unlikely a sample with so few is if `n_missing` are still unread."""
        n_class = min(n_missing + self.n_found_since, self.n_unread)
        return float(stats.hypergeom.cdf(self.n_found, self.n_unread, n_class, self.n_sampled))


@dataclass(frozen=True, eq=False, repr=False)
class Progress:
    """How far the reading is; printed, it says so in plain words.

    Attributes
    ----------
    label : object
        The class.
    n_documents, n_read, n_found : int
        Documents in the pool, those that were read, and those of the class among them.
    curve : ndarray of int64
        Documents of the class found after each document that was read.
    remaining : Interval
        Documents of the class that are still unread: an estimate and its 95% interval.
    next_hundred : float
        How many of the next hundred documents are likely of the class.
    target : float
        The share of the class to find before stopping.
    confidence : float
        How certain it is that the target is reached. Reading may stop at .95.
    sample : RandomSample or None
        What was read of a random sample, see `Labelling.sample`.
    reading_needed, sample_needed : int
        How many more documents to read, as they come or drawn at random: if none of them is of the
        class, reading may stop. 0 if it may stop already, or if nothing is found yet.

    Examples
    --------
    >>> from imbtext import Labelling
    >>> loop = Labelling(["oil price", "crude oil", "rain"] * 5)
    >>> loop.add([0, 2], ["yes", "no"])
    >>> loop.progress().n_found
    1
    >>> loop.progress().sentences()[0]
    '2 of 15 documents read, 1 of "yes" found.'
    """

    label: Label
    n_documents: int
    n_read: int
    n_found: int
    curve: NDArray[np.int64]
    remaining: Interval
    next_hundred: float
    target: float
    confidence: float
    sample: RandomSample | None = None
    reading_needed: int = 0
    sample_needed: int = 0

    def __repr__(self) -> str:
        return (
            f"Progress({self.label!r}: {self.n_read:,} of {self.n_documents:,} documents read, "
            f"{self.n_found:,} found. {self.summary()})"
        )

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    @property
    def may_stop(self) -> bool:
        """Whether the target is reached with a confidence of 95%."""
        return self.confidence >= CONFIDENCE

    @property
    def recall(self) -> Interval:
        """The share of the class that was found, as the estimate of what remains implies."""
        found = float(self.n_found)
        limits = (self.remaining.mean, self.remaining.upper, self.remaining.lower)
        return Interval(*(found / (found + left) if found + left else 1.0 for left in limits))

    def summary(self) -> str:
        """Return what is left in one sentence, or two."""
        if self.n_read >= self.n_documents:
            return "Everything was read."
        if not self.n_found:
            return "None is found yet. The estimate of how many are left starts with the first."
        if self.may_stop:
            return self._stop
        left = self.remaining
        return (
            f"Still unread: about {left.mean:,.0f} of the class, at most {left.upper:,.0f}. If "
            f"none of the next {self.reading_needed:,} documents is of the class, you may stop."
        )

    @property
    def _stop(self) -> str:
        return (
            f"You may stop: at least {self.target:.0%} of the class is found, with "
            f"{CONFIDENCE:.0%} confidence."
        )

    def sentences(self) -> list[str]:
        """Return how far the reading is, in plain words."""
        left = self.remaining
        lines = [
            f"{self.n_read:,} of {self.n_documents:,} documents read, {self.n_found:,} of "
            f'"{self.label}" found.'
        ]
        if self.n_read >= self.n_documents:
            return [*lines, "Everything was read."]
        if not self.n_found:
            return [*lines, "The estimate of how many are left starts after the first is found."]
        lines.append(
            f"Still unread: about {left.mean:,.0f} of the class, between {left.lower:,.0f} and "
            f"{left.upper:,.0f}. Another hundred documents would bring about "
            f"{self.next_hundred:.0f}."
        )
        if self.may_stop:
            lines.append(self._stop)
        else:
            lines.append(
                f"Keep reading: it is only {self.confidence:.0%} certain that {self.target:.0%} of "
                "the class is found."
            )
        return lines + self._needed_in_words()

    def _needed_in_words(self) -> list[str]:
        lines = []
        if self.reading_needed:
            lines.append(
                f"If none of the next {self.reading_needed:,} documents is of the class, you may "
                f"stop. Or read {self.sample_needed:,} at random: that does not depend on the "
                "ranking."
            )
        if self.sample is not None:
            lines.append(
                f"{self.sample.n_sampled:,} read at random so far, {self.sample.n_found:,} of "
                "them of the class."
            )
            if self.sample.gap is not None:
                lines.append(
                    f"The random sample counts only up to row {self.sample.gap}, which has no "
                    "label. Decide on it, and those drawn after it count, too."
                )
        return lines


@dataclass(frozen=True, eq=False)
class ReadingEvidence:
    """What was found by rank, and a random sample if there is one.

    `is_class` says whether each document that was read by rank is of the class, in that order.
    """

    is_class: NDArray[np.bool_]
    n_unread: int
    sample: RandomSample | None

    def surprise(self, n_missing: int) -> float:
        """Return how unlikely the evidence is if `n_missing` are still unread."""
        by_rank = surprise(self.is_class, self.n_unread, n_missing)
        if self.sample is None:
            return by_rank
        # Two chances to be surprised count double (Bonferroni).
        return min(1.0, 2 * min(by_rank, self.sample.surprise(n_missing)))

    def confidence(self, n_found: int, target: float) -> float:
        """Return how certain it is that `n_found` is at least a share of the class."""
        allowed = int(np.floor(n_found / target - n_found + 1e-9))
        if n_found == 0 and self.n_unread:
            return 0.0
        return 1.0 - self.surprise(allowed + 1) if self.n_unread > allowed else 1.0

    def needed(self, n_found: int, target: float) -> tuple[int, int]:
        """Return how many documents without a find are enough: as they come, and at random."""
        if not n_found or self.confidence(n_found, target) >= CONFIDENCE:
            return 0, 0
        n_missing = int(np.floor(n_found / target - n_found + 1e-9)) + 1
        sample = self.sample or RandomSample(self.n_unread, 0, 0, 0)

        def by_rank(n_more: int) -> ReadingEvidence:
            came = np.concatenate([self.is_class, np.zeros(n_more, bool)])
            return replace(self, is_class=came, n_unread=self.n_unread - n_more)

        def at_random(n_more: int) -> ReadingEvidence:
            return replace(self, sample=replace(sample, n_sampled=sample.n_sampled + n_more))

        def fewest(after: Callable[[int], ReadingEvidence]) -> int:
            return bisect_left(
                range(self.n_unread),
                -(1 - CONFIDENCE),
                lo=1,
                key=lambda n_more: -after(n_more).surprise(n_missing),
            )

        return fewest(by_rank), fewest(at_random)

    def most_remaining(self, level: float) -> int:
        """Return the largest number of unread documents of the class that would not surprise."""
        low, high = 0, self.n_unread
        while low < high:
            middle = (low + high + 1) // 2
            if self.surprise(middle) > level:
                low = middle
            else:
                high = middle - 1
        return low


def check_target(target: float) -> None:
    """Raise unless the target is a share."""
    if not 0 < target <= 1:
        raise ValueError(f"target is {target!r}; expected a share above 0 and up to 1")


def progress_of(
    label: Label, is_class: NDArray[np.bool_], evidence: ReadingEvidence, target: float = TARGET
) -> Progress:
    """Say how far the reading is.

    `is_class` says whether each document is of the class, in the order of reading.
    """
    n_found, n_read = int(is_class.sum()), len(is_class)
    upper = evidence.most_remaining(1 - CONFIDENCE)
    mean = min(evidence.most_remaining(0.5), upper)
    recent = evidence.is_class[-_HUNDRED:]
    rate = float(recent.mean()) if len(recent) else 0.0
    reading_needed, sample_needed = evidence.needed(n_found, target)
    return Progress(
        label=label,
        n_documents=n_read + evidence.n_unread,
        n_read=n_read,
        n_found=n_found,
        curve=np.cumsum(is_class),
        remaining=Interval(float(mean), 0.0, float(upper)),
        next_hundred=min(rate * min(_HUNDRED, evidence.n_unread), float(mean)),
        target=target,
        confidence=evidence.confidence(n_found, target),
        sample=evidence.sample,
        reading_needed=reading_needed,
        sample_needed=sample_needed,
    )


def surprise(is_class: NDArray[np.bool_], n_unread: int, n_missing: int) -> float:
    """Return how unlikely it is to have found so few if `n_missing` were still unread.

    `is_class` says whether each document is of the class, in the order of reading.

    Examples
    --------
    >>> came = np.array([True] * 20 + [False] * 180)
    >>> round(surprise(came, 800, 20), 3), round(surprise(came, 800, 5), 3)
    (0.002, 0.218)
    """
    # Only the start and the moments just after a find matter: between two finds, a later moment has
    # less reading for as many finds. For each, last to first: documents found and read since.
    moments = np.concatenate([[0], np.flatnonzero(is_class) + 1])[::-1]
    found, read = np.arange(len(moments)), len(is_class) - moments
    unread = np.maximum(read + n_unread, 1)
    coming = 1 - (1 - read / unread) ** READINESS
    # The distribution function of the binomial distribution, without the checks of `scipy.stats`.
    return float(np.min(special.bdtr(found, n_missing + found, coming)))
