"""Three views of scores: at each threshold, in bins, and by length.

A score is how strongly a document is put into the class, less the threshold of the model that
scored it. A document is flagged if its score exceeds the reader's threshold, and 0 is the threshold
that the method chose itself.

They stand apart from the inspection because they need only scores, neither folds nor documents.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from imbtext.comparison._words import at_even_distances

# Scores keep five decimals, so that a page counts the same numbers as it shows.
_STEP: Final = 1e-5
_MOST_THRESHOLDS: Final = 120
_MOST_BINS: Final = 8
_MEMBERS_PER_BIN: Final = 5


def rounded(scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """Round scores, without moving any across 0.

    Examples
    --------
    >>> rounded(np.array([0.123456, 1e-9, -1e-9, 0.0])).tolist()
    [0.12346, 1e-05, 0.0, 0.0]
    """
    values = np.round(np.asarray(scores, dtype=np.float64), 5)
    return np.where((scores > 0) & (values == 0), _STEP, values) + 0.0


@dataclass(frozen=True, eq=False)
class OperatingCurve:
    """How many documents of the class, and how many others, lie above ascending thresholds.

    0, the method's own threshold, is among them. If several passes through the folds scored the
    documents, the numbers are averages over the passes.
    """

    thresholds: NDArray[np.float64]
    found: NDArray[np.floating | np.integer]
    wrong: NDArray[np.floating | np.integer]

    def shares(self, n_class: int) -> list[tuple[float, float]]:
        """Return recall and precision at each threshold that raises an alarm, the lowest first."""
        return [
            (float(found / n_class), float(found / (found + wrong)))
            for found, wrong in zip(self.found, self.wrong, strict=True)
            if found + wrong
        ]

    def own_share(self, n_class: int) -> tuple[float, float]:
        """Return recall and precision at the method's own threshold; 0 without an alarm."""
        place = int(np.flatnonzero(self.thresholds == 0)[0])
        found, wrong = float(self.found[place]), float(self.wrong[place])
        return found / n_class, found / (found + wrong) if found + wrong else 0.0

    @classmethod
    def of(
        cls,
        scores: NDArray[np.float64],
        members: NDArray[np.bool_],
        most: int = _MOST_THRESHOLDS,
        n_passes: int = 1,
    ) -> "OperatingCurve":
        """Put a threshold below each document of the class, or below `most` of them.

        Between two of these thresholds nothing is gained: only other documents are added.

        Examples
        --------
        >>> curve = OperatingCurve.of(np.array([0.5, 0.2, -0.4]), np.array([True, False, True]))
        >>> curve.thresholds.tolist(), curve.found.tolist(), curve.wrong.tolist()
        ([-0.5, 0.0, 0.35], [2, 1, 1], [1, 1, 0])
        """
        distinct = np.unique(scores)
        member_scores = at_even_distances(np.unique(scores[members]), most)
        place = np.searchsorted(distinct, member_scores)
        below = distinct[np.maximum(place - 1, 0)]
        # Half way to the next lower score, and never at the score itself.
        half = np.floor((below + member_scores) / 2 / _STEP + 0.5) * _STEP
        between = np.where(half < member_scores - _STEP / 2, half, below)
        cuts = np.where(place > 0, between, member_scores - 0.1)
        thresholds = np.unique(np.round(np.append(cuts, 0.0), 5) + 0.0)
        curve = cls.at(thresholds, scores, members)
        if n_passes == 1:
            return curve
        return cls(thresholds, curve.found / n_passes, curve.wrong / n_passes)

    @classmethod
    def at(
        cls,
        thresholds: NDArray[np.float64],
        scores: NDArray[np.float64],
        members: NDArray[np.bool_],
    ) -> "OperatingCurve":
        """Count at given thresholds."""
        found, wrong = (_above(scores[side], thresholds) for side in (members, ~members))
        return cls(thresholds, found, wrong)


def _above(scores: NDArray[np.float64], thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
    return len(scores) - np.searchsorted(np.sort(scores), thresholds, side="right")


class ScoreBin(NamedTuple):
    """Documents of similar score, with the 95% limits (Wilson) of the share in the class."""

    low: float
    high: float
    n: int
    n_class: int
    lower: float
    upper: float


def calibration(scores: NDArray[np.float64], members: NDArray[np.bool_]) -> list[ScoreBin]:
    """Say what share of the documents of similar score belongs to the class.

    Each bin holds about the same number of documents of the class. Cut any other way, a rare class
    would be in the last bin only. A class too small for that is cut at the threshold.

    Examples
    --------
    >>> scores = np.arange(20) / 10
    >>> [(b.n, b.n_class) for b in calibration(scores, scores >= 1.0)]
    [(10, 0), (5, 5), (5, 5)]
    """
    member_scores = np.sort(scores[members])
    n_members = len(member_scores)
    n_bins = max(1, min(_MOST_BINS, n_members // _MEMBERS_PER_BIN))
    starts = (
        member_scores[(np.arange(n_bins) * n_members) // n_bins] if n_members else member_scores
    )
    if n_bins == 1 and scores.min() <= 0 < scores.max():
        starts = scores[scores > 0].min(keepdims=True)
    edges = np.unique(np.concatenate([[scores.min()], starts, [np.inf]]))
    bins = []
    for low, high in pairwise(edges.tolist()):
        inside = (scores >= low) & (scores < high)
        n, n_class = int(inside.sum()), int((inside & members).sum())
        highest = float(scores[inside].max())
        limits = binomtest(n_class, n).proportion_ci(method="wilson")
        bins.append(ScoreBin(low, highest, n, n_class, limits.low, limits.high))
    return bins


class LengthGroup(NamedTuple):
    """Documents of similar length: quartiles of the scores, of the class and of the rest."""

    shortest: int
    longest: int
    n_class: int
    n_rest: int
    of_class: tuple[float, ...]
    of_rest: tuple[float, ...]


def by_length(
    scores: NDArray[np.float64], members: NDArray[np.bool_], lengths: NDArray[np.int64]
) -> list[LengthGroup]:
    """Return the quartiles of scores in four groups of about equally many documents.

    Examples
    --------
    >>> lengths = np.array([1, 1, 5, 9])
    >>> groups = by_length(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0, 1, 0, 1], bool), lengths)
    >>> [(group.shortest, group.longest, group.n_class) for group in groups]
    [(1, 1, 1), (5, 5, 0), (9, 9, 1)]
    """
    cuts = np.unique(np.quantile(lengths, [0.25, 0.5, 0.75], method="higher"))
    which = np.searchsorted(cuts, lengths, side="left")
    return [
        LengthGroup(
            int(lengths[inside].min()),
            int(lengths[inside].max()),
            int(members[inside].sum()),
            int((~members[inside]).sum()),
            _quartiles(scores[inside & members]),
            _quartiles(scores[inside & ~members]),
        )
        for inside in (which == group for group in np.unique(which))
    ]


def _quartiles(scores: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(np.quantile(scores, [0.25, 0.5, 0.75]).tolist()) if len(scores) else ()
