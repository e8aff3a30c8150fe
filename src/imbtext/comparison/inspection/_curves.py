"""Arithmetic on out-of-fold scores: thresholds and what they bring, calibration, length.

A score is how strongly a document is put into the class, less the threshold of the model that
scored it: a document is flagged where its score exceeds the reader's threshold, and 0 is the
threshold the method chose itself.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

# Scores are kept to five decimals: what a page shows and what it counts are the same numbers.
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


def at_even_distances(values: NDArray[Any], most: int) -> NDArray[Any]:
    """Return `most` of the values at even distances, or all of fewer."""
    if len(values) <= most:
        return values
    return values[np.linspace(0, len(values) - 1, most).round().astype(int)]


@dataclass(frozen=True, eq=False)
class OperatingCurve:
    """How many documents of the class, and how many others, lie above ascending thresholds.

    0, the method's own, is one of them.
    """

    thresholds: NDArray[np.float64]
    found: NDArray[np.int64]
    wrong: NDArray[np.int64]

    @classmethod
    def of(
        cls, scores: NDArray[np.float64], members: NDArray[np.bool_], most: int = _MOST_THRESHOLDS
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
        own = at_even_distances(np.unique(scores[members]), most)
        place = np.searchsorted(distinct, own)
        below = distinct[np.maximum(place - 1, 0)]
        # Half way to the next lower score, and never at the score itself.
        half = np.floor((below + own) / 2 / _STEP + 0.5) * _STEP
        between = np.where(half < own - _STEP / 2, half, below)
        cuts = np.where(place > 0, between, own - 0.1)
        thresholds = np.unique(np.round(np.append(cuts, 0.0), 5) + 0.0)
        return cls(
            thresholds, _above(scores[members], thresholds), _above(scores[~members], thresholds)
        )


def _above(scores: NDArray[np.float64], thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
    return len(scores) - np.searchsorted(np.sort(scores), thresholds, side="right")


class ScoreBin(NamedTuple):
    """Documents of similar score, with the 95 % limits (Wilson) of the share in the class."""

    low: float
    high: float
    n: int
    n_class: int
    lower: float
    upper: float


def calibration(scores: NDArray[np.float64], members: NDArray[np.bool_]) -> list[ScoreBin]:
    """Say what share of the documents of similar score belongs to the class.

    Bins hold about equally many documents of the class: cut any other way, a rare class lies in
    the last bin alone. A class too small for that is cut at the threshold.

    Examples
    --------
    >>> scores = np.arange(20) / 10
    >>> [(b.n, b.n_class) for b in calibration(scores, scores >= 1.0)]
    [(10, 0), (5, 5), (5, 5)]
    """
    own = np.sort(scores[members])
    n_bins = max(1, min(_MOST_BINS, len(own) // _MEMBERS_PER_BIN))
    starts = own[(np.arange(n_bins) * len(own)) // n_bins] if len(own) else own
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
