"""Which texts need no encoder: their words rule an alarm out.

To encode a text costs a hundred times what it costs to rank its words. Where only alarms are
wanted, words decide first: a document whose words score below a bound is not encoded.

The bound is chosen once, on held-out documents, and never on those that are predicted. It lies
where at most 0.5% of the class is lost: documents that meaning and words together find, and that
would not be read. Among n held-out documents of the class, a new one is as likely at each of n + 1
places. So a bound that loses k of n is expected to lose (k + 1) / (n + 1) of new ones.
That is at most 0.5% from 199 documents of the class up. With fewer, every text is encoded.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from imbtext.documents._documents import Documents
from imbtext.documents._labels import members_table
from imbtext.rare._mixture import MeaningPart

# Which share of the class, and of all alarms, may be lost.
_MOST_LOST: Final = 0.005


@dataclass(frozen=True)
class Skipping:
    """Below which score of its words a document of a single class is not encoded.

    Attributes
    ----------
    least : float
        The least score of words with which a text is encoded.
    threshold : float
        The threshold of the score of words and meaning for which this was measured.
    share : float
        The share of held-out documents that need no encoding.
    n_lost, n_class : int
        How many held-out documents of the class the model finds with an encoder and would lose,
        and how many there are.
    """

    least: float
    threshold: float
    share: float
    n_lost: int
    n_class: int

    @classmethod
    def of_held_out(
        cls,
        words: NDArray[np.floating],
        mixed: NDArray[np.floating],
        members: Sequence[NDArray[np.int64]],
        threshold: float,
    ) -> Self | None:
        """Choose the bound; None if there are several classes, or too few documents of the class.

        Examples
        --------
        >>> words = np.arange(1000.0)[:, None]
        >>> found = Skipping.of_held_out(words, words + 1, [np.arange(600, 1000)], 800.5)
        >>> found.least, found.share, found.n_lost, found.n_class
        (801.0, 0.801, 1, 400)
        """
        if len(members) != 1:
            return None
        known = ~np.isnan(words[:, 0]) & ~np.isnan(mixed[:, 0])
        is_class = members_table(members, len(words))[known, 0]
        of_words = words[known, 0].astype(np.float64)
        is_alarm = mixed[known, 0] > threshold
        n_class = int(is_class.sum())
        may_lose = int(_MOST_LOST * (n_class + 1)) - 1
        found, alarms = np.sort(of_words[is_alarm & is_class]), np.sort(of_words[is_alarm])
        if may_lose < 0 or not len(found):
            return None
        least = min(
            found[min(may_lose, len(found) - 1)],
            alarms[int(_MOST_LOST * len(alarms))],
        )
        n_lost = int((found < least).sum())
        return cls(
            float(least), float(threshold), float((of_words < least).mean()), n_lost, n_class
        )

    @property
    def expected_loss(self) -> float:
        """The share of new documents of the class that are expected to be lost, at most."""
        return (self.n_lost + 1) / (self.n_class + 1)

    def in_words(self, n_skipped: int, n_documents: int) -> str:
        """Return how many texts were not encoded and what was lost, in words."""
        return (
            f"{n_skipped:,} of {n_documents:,} texts were not encoded, because their words rule an "
            f"alarm out (of held-out documents: {self.share:.0%}). This lost {self.n_lost:,} of "
            f"{self.n_class:,} held-out documents of the class; of new ones, expect to lose at "
            f"most {self.expected_loss:.1%}"
        )


@dataclass(frozen=True, eq=False)
class SkippingMeaning(MeaningPart):
    """Meaning that is read only where a document may become an alarm.

    A document that is skipped gets the score of its words with an average meaning, but never more
    than the threshold. The score is no statement about the document. A document without a known
    word is always read, because words rule nothing out.
    """

    skipping: Skipping
    _counted: list[int] = field(default_factory=lambda: [0])

    @classmethod
    def of(cls, meaning: MeaningPart, skipping: Skipping) -> "SkippingMeaning":
        """Return the same meaning, read less often."""
        parts = {part.name: getattr(meaning, part.name) for part in fields(MeaningPart)}
        return cls(**parts, skipping=skipping)

    @property
    def n_skipped(self) -> int:
        """How often a text was not encoded."""
        return self._counted[0]

    def mixed(
        self, words: NDArray[np.float64], documents: Documents, without_words: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Return the scores of documents by their words, and by their meaning if it matters."""
        average = self.mixture.mixed(words, self.mixture.centres[1])
        scores = np.minimum(average, self.skipping.threshold)
        read = np.flatnonzero((words[:, 0] >= self.skipping.least) | without_words)
        if len(read):
            scores[read] = super().mixed(words[read], documents.select(read), without_words[read])
        self._counted[0] += len(words) - len(read)
        return scores
