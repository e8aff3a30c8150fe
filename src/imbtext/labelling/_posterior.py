"""How many documents of the class are unread, from the order of the finds.

A ranking puts documents of the class early, and nobody knows how much earlier. Suppose that a
document of the class, still unread when ``n0`` of ``N`` documents were read, is found at position
``x`` with a density that falls like ``x ** -(1 + b)`` up to ``N``. With ``b = -1`` the ranking
would be no better than chance, and the larger ``b``, the sooner the class is found. The finds since
``n0`` say which ``b`` is likely, and so how many documents of the class are still to come: this is
Bayes' rule for both numbers at once, with the unread number ``m`` and ``b`` on a grid.

The same posterior serves two ends with two priors (`ESTIMATE` and `STOP`). The estimate looks at
the second half of the reading. The rule to stop looks at the last four fifths, which is more
careful, and expects a ranking that gains less. `results/labelling/` says how often both were right.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import special

_B: Final = np.linspace(-0.9, 3.0, 79)
# Up to here every number of unread documents counts by itself, above it in blocks of one per cent.
_EXACT: Final = 1024
_GROWTH: Final = 1.01


@dataclass(frozen=True)
class Prior:
    """What is assumed before the finds are looked at.

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
