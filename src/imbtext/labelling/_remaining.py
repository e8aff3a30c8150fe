"""What is left: how far the reading is, in numbers and in plain words.

:mod:`imbtext.labelling._stopping` estimates how many documents of the class nobody has read yet,
and decides whether to stop.
"""

from dataclasses import dataclass
from functools import cached_property
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
    n_documents : int
        Documents in the pool.
    curve : ndarray of int64
        Documents of the class found after each document that was read.
    target : float
        The share of the class to find before stopping.
    reading : Reading
        What was read, as the rules to stop see it.

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
    curve: NDArray[np.int64]
    target: float
    reading: Reading

    def __repr__(self) -> str:
        read = f"{self.n_read:,} of {self.n_documents:,} documents read, {self.n_found:,} found."
        return f"Progress({self.label!r}: {' '.join(filter(None, [read, self.summary()]))})"

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    @property
    def n_read(self) -> int:
        """How many documents were read."""
        return len(self.curve)

    @property
    def n_found(self) -> int:
        """How many of them are of the class."""
        return int(self.curve[-1]) if len(self.curve) else 0

    @cached_property
    def _unread(self) -> Unread:
        return self.reading.left(ESTIMATE)

    @cached_property
    def _left(self) -> tuple[Interval, bool]:
        return documents_left(self.reading, self._unread, self.n_documents - self.n_read)

    @property
    def remaining(self) -> Interval:
        """Documents of the class that are still unread: the median and the 95% interval."""
        return self._left[0]

    @property
    def is_early(self) -> bool:
        """Whether it is too early to tell what is left: `remaining` is too wide to plan by."""
        return self._left[1]

    @property
    def next_hundred(self) -> float:
        """How many of the next hundred documents are likely of the class, of those that remain."""
        n_next = min(_HUNDRED, self.n_documents - self.n_read)
        found = self._unread.found_in(n_next) * self.reading.copies + self.reading.n_near
        return min(found, float(n_next), self.remaining.mean)

    @property
    def confidence(self) -> float:
        """How certain it is that the target is reached."""
        return self.reading.certainty(self.target)

    @cached_property
    def may_stop(self) -> bool:
        """Whether the rule says to stop, with a confidence of 95%."""
        return self.reading.may_stop(self.target)

    @property
    def sample(self) -> RandomSample | None:
        """What was read of a random sample, see `Labelling.sample`."""
        return self.reading.sample

    @cached_property
    def _needed(self) -> tuple[int, int]:
        return (0, 0) if self.is_early else self.reading.needed(self.target)

    @property
    def reading_needed(self) -> int:
        """How many more documents are enough to read, if none of them is of the class.

        It is 0 if reading may stop already, or if it is too early to tell.
        """
        return self._needed[0]

    @property
    def sample_needed(self) -> int:
        """How many would be enough if they were drawn at random."""
        return self._needed[1]

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
        lines = []
        if self.may_stop:
            lines.append(
                f"You may stop: at least {self.target:.0%} of the class is found, with "
                f"{CONFIDENCE:.0%} confidence."
            )
        if not self.is_early:
            lines.append(self._missed())
        return " ".join(lines) or "It is too early to tell how many are left."

    def _missed(self) -> str:
        """Return what stopping now would miss; where it may stop, not more than the rule allows."""
        left, n_unread = self.remaining, self.n_documents - self.n_read
        most = min(left.upper, self.reading.missed(self.target)) if self.may_stop else left.upper
        about = min(left.mean, most)
        missed = f"Stopping now would miss about {about:,.0f} of the class (at most {most:,.0f})"
        if n_unread <= _HUNDRED:
            return f"{missed}, among the {n_unread:,} unread documents."
        n_next = min(self.next_hundred, about)
        return f"{missed}, and the next hundred documents would bring about {n_next:.0f}."

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
