"""The probability of a score: a logistic curve (Platt scaling)."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

from imbtext._typing import Array

# Where a class cannot be held out, its documents are taken to lie at the margin.
_MARGIN: Final = 1.0
# Probabilities of 0 and 1 have no log odds.
_LEAST_PROBABILITY: Final = 1e-9


@dataclass(frozen=True, eq=False)
class Calibration:
    """The probability is ``expit(slope * score + constant)``, one entry per class.

    Scores that are probabilities themselves (`of_probabilities`) enter as their log odds.
    """

    slope: NDArray[np.float64]
    constant: NDArray[np.float64]
    of_probabilities: bool = False

    def __post_init__(self) -> None:
        if self.slope.shape != self.constant.shape:
            raise ValueError("the curves from scores to probabilities differ in number")

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability for each score."""
        return np.asarray(expit(self.slope * self.on_line(scores) + self.constant))

    def of_class(self, c: int) -> "Calibration":
        """Return the curve of one class."""
        one = slice(c, c + 1)
        return Calibration(self.slope[one], self.constant[one], self.of_probabilities)

    def on_line(self, scores: Array) -> Array:
        """Return the numbers that the curves are fitted to, which rise with the scores."""
        return log_odds(scores) if self.of_probabilities else scores

    def off_line(self, numbers: Array) -> Array:
        """Return the scores of such numbers again."""
        if not self.of_probabilities:
            return numbers
        most = -logit(_LEAST_PROBABILITY)
        inside = np.clip(numbers, -most, most)
        return np.asarray(expit(inside) + (numbers - inside))


def log_odds(probabilities: Array) -> Array:
    """Return the log odds of probabilities; thresholds may lie outside 0 and 1.

    Examples
    --------
    >>> log_odds(np.array([-1.0, 0.0, 0.5, 1.0, 2.0])).round(1).tolist()
    [-21.7, -20.7, 0.0, 20.7, 21.7]
    """
    inside = np.clip(probabilities, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)
    return np.asarray(logit(inside) + (probabilities - inside))


def calibrate(
    scores: NDArray[np.float64],
    is_class: NDArray[np.bool_],
    weights: NDArray[np.float64] | None = None,
    groups: NDArray[np.int64] | None = None,
) -> Calibration:
    """Fit Platt's curve to scores of held-out documents.

    The two targets are not 0 and 1 but what one more document on either side would suggest, so that
    a class which is separated without an error gets no infinite slope. Documents of the same group
    count as one there; None leaves every document on its own.

    Examples
    --------
    >>> scores = np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    >>> calibration = calibrate(scores, np.array([True, True, False, False, False, False]))
    >>> calibration.probabilities(np.array([-1.0, 1.0])).round(1).tolist()
    [0.2, 0.6]
    """
    counts = np.ones(len(scores))
    if weights is not None and weights.any():
        counts = weights / weights.mean()
    if groups is None:
        groups = np.arange(len(scores))
    inside = _n_independent(counts[is_class], groups[is_class])
    outside = _n_independent(counts[~is_class], groups[~is_class])
    if inside == 0 or outside == 0:
        share = (inside + 1) / (inside + outside + 2)
        centre = float(np.average(scores, weights=counts)) if counts.sum() else 0.0
        slope = abs(float(logit(share))) / max(_MARGIN - centre, 1e-6)
        return _curve(slope, float(logit(share)) - slope * centre)
    targets = np.where(is_class, (inside + 1) / (inside + 2), 1 / (outside + 2))
    centre, width = float(scores.mean()), float(scores.std()) or 1.0
    x = (scores - centre) / width

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        z = parameters[0] * x + parameters[1]
        error = counts * (expit(z) - targets)
        value = float(counts @ (np.logaddexp(0, z) - targets * z))
        return value, np.array([float(error @ x), float(error.sum())])

    start = np.array([1.0, np.log((inside + 1) / (outside + 1))])
    # Never falling: a higher score is never a lower probability.
    optimum = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None), (None, None)])
    slope = float(optimum.x[0]) / width
    return _curve(slope, float(optimum.x[1]) - slope * centre)


def _curve(slope: float, constant: float) -> Calibration:
    return Calibration(np.array([slope]), np.array([constant]))


def _n_independent(weights: NDArray[np.float64], groups: NDArray[np.int64]) -> float:
    """Return how many documents of equal weight, each on its own, would weigh as much (Kish)."""
    of_groups = np.bincount(groups, weights)
    squares = float(of_groups @ of_groups)
    return float(of_groups.sum()) ** 2 / squares if squares else 0.0
