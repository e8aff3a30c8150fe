"""What is left: how far the reading is, in numbers and in plain words.

:mod:`imbtext.labelling._stopping` estimates how many documents of the class nobody has read yet,
and decides whether to stop.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext._typing import Label
from imbtext.labelling._stopping import ESTIMATE, RandomSample, Reading, Unread
from imbtext.statistics import CONFIDENCE, Interval

_HUNDRED: Final = 100
# An estimate is shown from this many finds on, if its upper limit is at most `_WIDEST` times
# these.
_LEAST_FOUND: Final = 5
_WIDEST: Final = 5


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
        Documents of the class that are still unread: the median and the 95% interval.
    is_early : bool
        Whether it is too early to tell what is left: `remaining` is then too wide to plan by.
    next_hundred : float
        How many of the next hundred documents are likely of the class.
    target : float
        The share of the class to find before stopping.
    confidence : float
        How certain it is that the target is reached.
    may_stop : bool
        Whether the rule says to stop, with a confidence of 95%.
    sample : RandomSample or None
        What was read of a random sample, see `Labelling.sample`.
    reading_needed, sample_needed : int
        How many more documents to read, as they come or drawn at random: if none of them is of the
        class, reading may stop. 0 if it may stop already, or if it is too early to tell.

    Examples
    --------
    >>> from imbtext import Labelling
    >>> loop = Labelling(["oil price", "crude oil", "rain"] * 5)
    >>> loop.add([0, 2], ["yes", "no"])
    >>> loop.progress()
    Progress('yes': 2 of 15 documents read, 1 found. It is too early to tell how many are left.)
    """

    label: Label
    n_documents: int
    n_read: int
    n_found: int
    curve: NDArray[np.int64]
    remaining: Interval
    is_early: bool
    next_hundred: float
    target: float
    confidence: float
    may_stop: bool
    sample: RandomSample | None = None
    reading_needed: int = 0
    sample_needed: int = 0

    def __repr__(self) -> str:
        read = f"{self.n_read:,} of {self.n_documents:,} documents read, {self.n_found:,} found."
        return f"Progress({self.label!r}: {' '.join(filter(None, [read, self.summary()]))})"

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    @property
    def recall(self) -> Interval:
        """The share of the class that was found, as the estimate of what remains implies."""
        found = float(self.n_found)
        limits = (self.remaining.mean, self.remaining.upper, self.remaining.lower)
        return Interval(*(found / (found + left) if found + left else 1.0 for left in limits))

    def summary(self) -> str:
        """Return what stopping now would miss, in a sentence or two; nothing before a find."""
        if self.n_read >= self.n_documents:
            return "Everything was read."
        if not self.n_found:
            return ""
        left = [] if self.is_early else [self._left]
        if self.may_stop:
            return " ".join([self._stop, *left])
        return "".join(left) or "It is too early to tell how many are left."

    @property
    def _left(self) -> str:
        left = self.remaining
        return (
            f"Stopping now would miss about {left.mean:,.0f} of the class (at most "
            f"{left.upper:,.0f}), and the next hundred documents would bring about "
            f"{self.next_hundred:.0f}."
        )

    @property
    def _stop(self) -> str:
        return (
            f"You may stop: at least {self.target:.0%} of the class is found, with "
            f"{CONFIDENCE:.0%} confidence."
        )

    def sentences(self) -> list[str]:
        """Return how far the reading is, in plain words."""
        read = (
            f"{self.n_read:,} of {self.n_documents:,} documents read, {self.n_found:,} of "
            f'"{self.label}" found.'
        )
        return list(filter(None, [read, self.summary(), *self.advice()]))

    def advice(self) -> list[str]:
        """Return how much reading would be enough, and what a random sample showed."""
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


def progress_of(
    label: Label, is_class: NDArray[np.bool_], n_documents: int, reading: Reading, target: float
) -> Progress:
    """Say how far the reading is.

    `is_class` says whether each document is of the class, in the order of reading.
    """
    n_found, n_read = int(is_class.sum()), len(is_class)
    n_unread = n_documents - n_read
    left = reading.left(ESTIMATE)
    remaining, is_early = documents_left(reading, left, n_unread)
    n_next = min(_HUNDRED, n_unread)
    reading_needed, sample_needed = (0, 0) if is_early else reading.needed(target)
    return Progress(
        label=label,
        n_documents=n_documents,
        n_read=n_read,
        n_found=n_found,
        curve=np.cumsum(is_class),
        remaining=remaining,
        is_early=is_early,
        next_hundred=min(left.found_in(n_next) * reading.copies + reading.n_near, float(n_next)),
        target=target,
        confidence=reading.certainty(target),
        may_stop=reading.may_stop(target),
        sample=reading.sample,
        reading_needed=reading_needed,
        sample_needed=sample_needed,
    )


def documents_left(reading: Reading, left: Unread, n_unread: int) -> tuple[Interval, bool]:
    """Return the single documents of the class that are left, and whether it is too early to tell.

    `left` is the posterior by the prior `ESTIMATE`, which counts near-duplicates once.
    """
    median, lower, upper = (
        float(min(round(left.quantile(level) * reading.copies) + reading.n_near, n_unread))
        for level in (0.5, 0.025, 0.975)
    )
    n_by_rank = int(reading.is_class.sum())
    is_early = n_by_rank < _LEAST_FOUND or upper > _WIDEST * reading.n_found
    return Interval(median, lower, upper), is_early
