"""How many of the class are in documents without labels, from their scores.

Probabilities hold where the class is as frequent as in training. If it has become four times as
frequent, their sum does not say so. But the documents of the class still score as held-out ones of
the class did, and all others as held-out others did. So the mean probability of new documents lies
between the means of the two kinds, and how far it lies between them is the share of the class. This
is the adjusted count of Bella et al. (ICDM 2010), here with an interval: :func:`prevalence`.

Nothing in the scores says whether the documents of a class still look as they did. A check compares
the text, and an audit reads some documents.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from imbtext._typing import Label, MayBeNaN
from imbtext.statistics import CONFIDENCE, Interval
from imbtext.thresholds._held_out import ClassScores, relative_weights

# How far, in relation, probabilities of a model of all documents lie from those of its folds.
_MODEL_SPREAD: Final = 0.1
# Fewer groups of the class say nothing of others.
_LEAST_GROUPS: Final = 3


@dataclass(frozen=True)
class Prevalence:
    """How many of some new documents are of a class.

    Attributes
    ----------
    label : label
        The class.
    n_documents : int
        How many documents there are.
    n_class : Interval
        How many of them are of the class, if its documents and the others score as held-out ones
        did; the class may be more or less frequent than in training. Not a number if there were too
        few documents of the class to say.
    by_probabilities : float
        The sum of their probabilities, which holds where the class is as frequent as in training.
    share_before : float
        The share of the class in training.
    """

    label: Label
    n_documents: int
    n_class: Interval
    by_probabilities: float
    share_before: MayBeNaN

    @property
    def is_known(self) -> bool:
        """Whether there were enough documents of the class to say."""
        return not np.isnan(self.n_class.mean)

    @property
    def moved(self) -> int:
        """1 or -1 if the class is more or less frequent than in training, beyond chance, else 0."""
        expected = self.share_before * self.n_documents
        return int(expected < self.n_class.lower) - int(expected > self.n_class.upper)

    def sentences(self) -> list[str]:
        """Return the number in words, and how far a shift between classes would mislead."""
        few, label = self.n_class, f'"{self.label}"'
        if not self.is_known:
            return [f"Too few {label} documents were learnt from to say how many there are here."]
        first = (
            f"About {few.mean:,.0f} of {self.n_documents:,} documents are {label} "
            f"(between {few.lower:,.0f} and {few.upper:,.0f}), "
            f"{_percent(few.mean / max(self.n_documents, 1))}."
        )
        now = ("less frequent than", "about as frequent as", "more frequent than")[self.moved + 1]
        then = f"The class is {now} in training ({_percent(self.share_before)})."
        if not self.moved:
            return [first, then]
        return [
            first,
            f"{then[:-1]}; the sum of probabilities, which does not know that, is "
            f"{self.by_probabilities:,.0f}.",
        ]


def _percent(share: float) -> str:
    """Return a share in words, to two digits.

    Examples
    --------
    >>> _percent(1.0), _percent(0.0123)
    ('100%', '1.2%')
    """
    return f"{100 * share:.2g}%" if share < 0.995 else f"{100 * share:.0f}%"


def prevalence(
    label: Label,
    held: ClassScores,
    shown: NDArray[np.float64],
    total: float,
    n_documents: int,
) -> Prevalence:
    """Return how many documents are of a class, from the sum of their probabilities.

    Parameters
    ----------
    label : label
        The class.
    held : ClassScores
        Its held-out documents.
    shown : ndarray of float64
        The probabilities of these.
    total : float
        The sum of the probabilities of the new documents.
    n_documents : int
        How many new documents there are.

    Examples
    --------
    >>> from imbtext.thresholds import HeldOut
    >>> held = HeldOut.of_scores(np.arange(200) % 10, np.arange(200) % 10 > 7, np.zeros(200))
    >>> shown = np.linspace(0.9, 0.0, 200)  # what the model says of held-out documents
    >>> here = prevalence("fraud", held.of_class(0), shown, total=135, n_documents=300)
    >>> round(here.n_class.mean)
    60
    """
    weights = relative_weights(held)
    share = float(np.average(held.is_class, weights=weights)) if len(shown) else np.nan
    number = _number(held, shown, weights, total, n_documents)
    return Prevalence(label, n_documents, number, total, share)


def _number(
    held: ClassScores,
    shown: NDArray[np.float64],
    weights: NDArray[np.float64],
    total: float,
    n: int,
) -> Interval:
    """Return how many are of the class: those for which the sum would be no surprise.

    With K of n, the sum is expected to be K times the mean probability of the class and n - K times
    that of the rest. It varies by the documents (`spread`) and by the means, which are estimates
    (`error`). The limits are the two K at which the sum is as far off as the level allows.
    """
    inside, outside = held.is_class & (weights > 0), ~held.is_class & (weights > 0)
    n_groups = len(np.unique(held.groups[inside]))
    if n_groups < _LEAST_GROUPS or not outside.any():
        return Interval(np.nan, 0.0, float(n))
    of_class, of_rest = (
        _mean_of(shown[rows], weights[rows], held.groups[rows]) for rows in (inside, outside)
    )
    apart = of_class.mean - of_rest.mean
    if apart <= 0:
        return Interval(np.nan, 0.0, float(n))
    above = total - n * of_rest.mean
    z2 = float(stats.t.ppf((1 + CONFIDENCE) / 2, n_groups - 1)) ** 2
    # The variance of the sum is a polynomial in K.
    constant = n * of_rest.spread + n**2 * of_rest.error
    linear = of_class.spread - of_rest.spread - 2 * n * of_rest.error
    squared = of_rest.error + of_class.error
    a = apart**2 - z2 * squared
    b, c = 2 * above * apart + z2 * linear, above**2 - z2 * constant
    mean = min(max(above / apart, 0.0), float(n))
    if a <= 0 or b**2 < 4 * a * c:
        return Interval(mean, 0.0, float(n))
    root = float(np.sqrt(b**2 - 4 * a * c))
    lower, upper = max((b - root) / (2 * a), 0.0), min((b + root) / (2 * a), float(n))
    return Interval(mean, min(lower, mean), max(upper, mean))


@dataclass(frozen=True)
class _Mean:
    """A mean, the variance of one document around it, and the variance of the mean itself."""

    mean: float
    spread: float
    error: float


def _mean_of(
    values: NDArray[np.float64], weights: NDArray[np.float64], groups: NDArray[np.int64]
) -> _Mean:
    """Return the weighted mean of documents; those of a group are counted as one."""
    mean = float(np.average(values, weights=weights))
    spread = float(np.average((values - mean) ** 2, weights=weights))
    of_groups = np.bincount(groups, weights * (values - mean))
    n = len(np.unique(groups))
    error = float(of_groups @ of_groups) / float(weights.sum()) ** 2 * n / max(n - 1, 1)
    return _Mean(mean, spread, error + (_MODEL_SPREAD * mean) ** 2)
