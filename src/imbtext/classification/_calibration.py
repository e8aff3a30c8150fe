"""Calibration: from scores to probabilities, by a logistic curve through held-out scores."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

# Where a class cannot be held out, its documents are taken to lie at the margin.
_MARGIN: Final = 1.0


@dataclass(frozen=True)
class Calibration:
    """The probability is ``expit(slope * score + constant)``, of a class or arrays of several."""

    slope: Any
    constant: Any

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability for each score."""
        return expit(self.slope * scores + self.constant)


def calibrate(
    scores: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weights: NDArray[np.float64] | None = None,
) -> Calibration:
    """Fit Platt's curve to scores of held-out documents.

    The two targets are not 0 and 1 but what one more document on either side would suggest, so that
    a class which is told apart without a fault gets no infinite slope.

    Examples
    --------
    >>> scores = np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    >>> calibration = calibrate(scores, np.array([True, True, False, False, False, False]))
    >>> calibration.probabilities(np.array([-1.0, 1.0])).round(1).tolist()
    [0.2, 0.6]
    """
    counts = np.ones(len(scores)) if weights is None else weights
    inside = float(counts[positive].sum())
    outside = float(counts[~positive].sum())
    if inside == 0 or outside == 0:
        share = (inside + 1) / (inside + outside + 2)
        centre = float(np.average(scores, weights=counts)) if counts.sum() else 0.0
        slope = abs(float(logit(share))) / max(_MARGIN - centre, 1e-6)
        return Calibration(slope, float(logit(share)) - slope * centre)
    targets = np.where(positive, (inside + 1) / (inside + 2), 1 / (outside + 2))
    centre, width = float(scores.mean()), float(scores.std()) or 1.0
    x = (scores - centre) / width

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        z = parameters[0] * x + parameters[1]
        error = counts * (expit(z) - targets)
        value = float(counts @ (np.logaddexp(0, z) - targets * z))
        return value, np.array([float(error @ x), float(error.sum())])

    start = np.array([1.0, np.log((inside + 1) / (outside + 1))])
    # Never falling: a higher score is never a lower probability.
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None), (None, None)])
    slope = float(found.x[0]) / width
    return Calibration(slope, float(found.x[1]) - slope * centre)
