"""Familiarity: are new documents like those a model was trained on.

A model of article bodies reads ticket subjects without complaint: it knows few of their words and
raises few alarms, and nobody notices. Two things can be compared without labels: how many of the
words are known, and how many alarms are raised. What to expect of both was measured on held-out
documents, so a file can be far from it by chance alone; :class:`NewDocuments` says how far.

* *Alarms.* The share of held-out documents above the threshold is known as well as their number
  allows, and a model trained on all documents is not quite the models that held some out: another
  20% are allowed for. So the rate of a new file is a gamma variable, and its number of alarms
  negative binomial.
* *Known words.* The mean over the file's documents is compared with that over held-out documents.
  Only fewer known words are odd. Besides chance, a tenth more unknown words are allowed for. Of
  few documents, such as those of a quiet day, one with hardly a known word moves the mean further
  than a normal distribution says: they are allowed what Bernstein's inequality adds to it.
* *Meaning*, if there is an encoder; only ``imbtext check`` looks at it. The mean of the vectors is
  compared with that of the training documents. Their squared distance by chance is a weighted sum
  of squared normal variables, about chi-squared with as many degrees of freedom as directions in
  which texts differ (Satterthwaite). A tenth of the spread of documents is allowed for.
* *Training documents.* Of these, every word is known. If far more documents have no unknown word
  than of the held-out ones, the rest of them were trained on, and their scores are too good. A
  tenth more is allowed for, because the model learnt from all documents; a fifth is worth saying.
  Short texts often have no unknown word, either, but their share of known words is no larger: it
  must have risen by at least half of what training documents would add.
* *Columns beside the text.* If a file writes its dates differently, all of them are missing to the
  model. The share of such cells may exceed that of the training rows by a half, and by as much as
  chance explains (Hoeffding's inequality).

A file of the same source leaves one of these ranges in at most 1% of cases by design;
``benchmarks/rare_familiarity.py`` counts how often on real headlines.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from imbtext._messages import DataWarning, listed
from imbtext._typing import Label
from imbtext.thresholds._expectation import FALSE_WARNINGS, AlarmRate, KnownWords

# How many more unknown words are allowed for.
_MORE_UNKNOWN: Final = 0.1
_MOST_CLASSES_NAMED: Final = 3
# How many more documents without an unknown word are allowed for, how many trained-on ones are
# worth a warning, and how much of what these add to the share of known words must be there.
_MORE_WHOLE, _WORTH_SAYING, _LEAST_RISE = 0.1, 0.2, 0.5
# How many more cells of a column beside the text may be missing or unreadable.
_MORE_UNREAD: Final = 0.5


# How far the means of vectors may be apart, in deviations of a document.
_MEANING_APART: Final = 0.1
# This many documents show in how many directions texts differ.
_ENOUGH: Final = 5000


@dataclass(frozen=True, eq=False)
class KnownMeaning:
    """The vectors of the training documents, in short.

    Attributes
    ----------
    mean : ndarray of float64
        The mean vector.
    variance : float
        The mean squared distance of a document from it.
    freedom : float
        In how many directions documents differ, as degrees of freedom.
    n_documents : float
        How many documents of equal weight are as many.

    Examples
    --------
    >>> vectors = np.random.default_rng(0).normal(size=(1000, 3)).astype(np.float32)
    >>> known = KnownMeaning.of(vectors)
    >>> [round(number, 1) for number in (known.variance, known.freedom, known.n_documents)]
    [3.0, 3.0, 1000.0]
    >>> distance, allowed = known.distance(np.array([0.6, 0.0, 0.0]), 1000, 0.01)
    >>> distance > allowed
    True
    """

    mean: NDArray[np.float64]
    variance: float
    freedom: float
    n_documents: float

    @classmethod
    def of(cls, vectors: NDArray[np.float32], weights: NDArray[np.float64] | None = None) -> Self:
        """Take the vectors of the training documents."""
        counts = np.ones(len(vectors)) if weights is None else weights
        mean = np.average(vectors, axis=0, weights=counts).astype(np.float64)
        rows = np.linspace(0, len(vectors) - 1, min(len(vectors), _ENOUGH)).astype(np.int64)
        apart, of_rows = vectors[rows] - mean, counts[rows] / counts[rows].sum()
        covariance = (apart * of_rows[:, None]).T @ apart
        variance, squared = float(np.trace(covariance)), float((covariance**2).sum())
        freedom = variance**2 / squared if squared > 0 else 1.0
        n = float(counts.sum() ** 2 / (counts**2).sum())
        return cls(mean, variance, freedom, n)

    def distance(
        self, mean: NDArray[np.float64], n_documents: int, level: float
    ) -> tuple[float, float]:
        """Return how far the mean of new vectors is from the known one, and how far it may be.

        Both are in deviations of a document. Documents of the same source exceed what is allowed in
        at most the share `level` of cases.
        """
        if self.variance == 0:
            return 0.0, _MEANING_APART
        squared = float(((mean - self.mean) ** 2).sum()) / self.variance
        chance = float(stats.chi2.isf(level, self.freedom)) / self.freedom
        allowed = chance * (1 / n_documents + 1 / self.n_documents) + _MEANING_APART**2
        return float(np.sqrt(squared)), float(np.sqrt(allowed))


class UnfamiliarTextWarning(DataWarning):
    """New documents are unlike those that a model was trained on."""


class NewDocuments:
    """The alarms and known words of documents that pass by, against what was expected.

    Parameters
    ----------
    alarm_rates : sequence of AlarmRate
        What to expect of each class.
    known_words : KnownWords
        What to expect of the words.
    moved : bool, default=False
        Whether the decisions were made elsewhere than at the model's own threshold, such as at so
        many alarms. The alarms that are counted here are then those of its own threshold.

    Examples
    --------
    >>> oil = AlarmRate("oil", 0.015, n_alarms=150, n_documents=10_000)
    >>> new = NewDocuments([oil], KnownWords(0.9, 0.1, 10_000))
    >>> new.add(20_000, np.array([290]), np.full(20_000, 0.9))
    >>> new.doubts()
    []
    >>> new.add(20_000, np.array([0]), np.full(20_000, 0.7))
    >>> for doubt in new.doubts():
    ...     print(doubt)
    80% of the words of a document are known, where 90% were expected
    290 documents were put into 'oil', where 295 to 1,039 of 40,000 were expected
    """

    def __init__(
        self, alarm_rates: Sequence[AlarmRate], known_words: KnownWords, *, moved: bool = False
    ) -> None:
        self.alarm_rates = alarm_rates
        self.known_words = known_words
        self.moved = moved
        self.n_documents = 0
        self.n_alarms = np.zeros(len(alarm_rates), np.int64)
        self._n_with_words, self._n_whole, self._sum_of_shares = 0, 0, 0.0
        # Uninformative cells of columns beside the text, and the share to expect.
        self._unread: dict[str, tuple[int, float]] = {}

    def add(
        self,
        n_documents: int,
        n_alarms: NDArray[np.int64],
        known_shares: NDArray[np.float64] | None,
        unread: Mapping[str, tuple[int, float]] | None = None,
    ) -> None:
        """Look at some more documents: alarms of each class, known words, cells that are not."""
        self._add_unread(unread or {})
        self.n_documents += n_documents
        self.n_alarms += n_alarms
        if known_shares is not None:
            self._n_with_words += int((~np.isnan(known_shares)).sum())
            self._n_whole += int((known_shares == 1).sum())
            self._sum_of_shares += float(np.nansum(known_shares))

    def merge(self, other: "NewDocuments") -> None:
        """Add what was seen elsewhere of other documents."""
        self.n_documents += other.n_documents
        self.n_alarms += other.n_alarms
        self._n_with_words += other._n_with_words
        self._n_whole += other._n_whole
        self._sum_of_shares += other._sum_of_shares
        self._add_unread(other._unread)

    def _add_unread(self, unread: Mapping[str, tuple[int, float]]) -> None:
        for name, (n, share) in unread.items():
            self._unread[name] = n + self._unread.get(name, (0, share))[0], share

    @property
    def are_training_documents(self) -> bool:
        """Whether all words are known, as those of the training documents are."""
        return self._sum_of_shares == self._n_with_words and self.known_words.mean < 1

    @property
    def n_trained_on(self) -> int:
        """About how many of the documents were trained on; 0 if they may all be new.

        It is 0 unless more documents have no unknown word than chance explains.
        """
        n, whole = self._n_with_words, self.known_words.whole
        if not n or not whole < 1:
            return 0
        allowed = whole + _MORE_WHOLE * (1 - whole)
        by_chance = stats.binom.sf(self._n_whole - 1, n, allowed)
        share = (self._n_whole / n - whole) / (1 - whole)
        if by_chance >= FALSE_WARNINGS or share < _WORTH_SAYING:
            return 0
        before = self.known_words.mean
        if self.known_share < before + _LEAST_RISE * share * (1 - before):
            return 0  # the texts are short
        # The model knows more words than those that held some out, so the estimate may be too high.
        return min(round(share * n), self.known_words.n_documents)

    @property
    def known_share(self) -> float:
        """The mean share of known words; not a number without words."""
        return self._sum_of_shares / self._n_with_words if self._n_with_words else np.nan

    def doubts(self, level: float = FALSE_WARNINGS) -> list[str]:
        """Return what is far from the expected, in words.

        `level` is how often documents of the same source may be far off in each of the two.
        """
        of_columns = list(self.unread_columns(level).values())
        return [*self.doubts_of_words(level), *of_columns, *self._doubts_of_alarms(level)]

    def unread_columns(self, level: float = FALSE_WARNINGS) -> dict[str, str]:
        """Return in words the columns with far more uninformative cells than in training."""
        chance = np.sqrt(np.log(1 / level) / (2 * max(self.n_documents, 1)))
        more = max(_MORE_UNREAD, chance)
        return {
            name: f"the column {name!r} is empty or cannot be read in {n:,} of "
            f"{self.n_documents:,} rows, where {100 * share:.0f}% were expected"
            for name, (n, share) in self._unread.items()
            if n > (share + more) * self.n_documents
        }

    def doubts_of_words(self, level: float) -> list[str]:
        """Return in words whether too few words are known; nothing if enough are."""
        expected = self.known_words
        if not expected.n_documents or not self._n_with_words:
            return []
        mean = self.known_share
        if expected.mean - mean <= self.fewer_known(level):
            return []
        return [
            f"{100 * mean:.0f}% of the words of a document are known, where "
            f"{100 * expected.mean:.0f}% were expected"
        ]

    def fewer_known(self, level: float) -> float:
        """Return by how much the share of known words may be lower than expected."""
        expected = self.known_words
        chance = expected.spread**2 * (1 / self._n_with_words + 1 / expected.n_documents)
        allowed = np.sqrt(chance + (_MORE_UNKNOWN * (1 - expected.mean)) ** 2)
        of_few = expected.mean * np.log(1 / level) / (3 * self._n_with_words)
        return float(stats.norm.isf(level) * allowed + of_few)

    def _doubts_of_alarms(self, level: float) -> list[str]:
        if self.are_training_documents or self.n_trained_on:
            return []  # the training documents themselves, on which a model is too good
        far = [count for count in self.alarm_counts(level) if count.is_far]
        doubts = [count.sentence for count in far]
        if len(doubts) > _MOST_CLASSES_NAMED:
            others = listed([count.label for count in far[_MOST_CLASSES_NAMED:]])
            doubts[_MOST_CLASSES_NAMED:] = [f"the numbers of {others} are far off, too"]
        return doubts

    def alarm_counts(self, level: float) -> list["AlarmCount"]:
        """Return the alarms of each class, and how many were expected."""
        counts = []
        for rate, n_alarms in zip(self.alarm_rates, self.n_alarms.tolist(), strict=True):
            lower, upper = rate.expected_alarms(self.n_documents, len(self.alarm_rates), level)
            alarms = f"{n_alarms:,} documents were put into {rate.label!r}"
            if self.moved:
                alarms = (
                    f"the model's own threshold would put {n_alarms:,} documents into "
                    f"{rate.label!r}"
                )
            expected = f"{lower:,} to {upper:,} of {self.n_documents:,} were expected"
            sentence = f"{alarms}, where {expected}"
            counts.append(AlarmCount(rate.label, n_alarms, lower, upper, sentence))
        return counts


class AlarmCount(NamedTuple):
    """The alarms of a class, between which numbers they were expected, and both in a sentence."""

    label: Label
    n_alarms: int
    lower: int
    upper: int
    sentence: str

    @property
    def is_far(self) -> bool:
        """Whether there are more or fewer than expected."""
        return not self.lower <= self.n_alarms <= self.upper
