"""Heaps' law fitted to a growth curve, with intervals (section 4.1)."""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from imbtext.markov import GrowthCurve, HeapsLaw


@dataclass(frozen=True, eq=False)
class HeapsFit:
    """Heaps' law fitted to a growth curve.

    Attributes
    ----------
    law : HeapsLaw
        The fitted law.
    k_interval, theta_interval : tuple of float
        Confidence intervals.
    confidence : float
        Their level.
    tokens, residuals : ndarray of float64
        The points that were fitted and ``log(words) - log(law)`` at each: a trend in them says that
        the text does not follow the law.
    """

    law: HeapsLaw
    k_interval: tuple[float, float]
    theta_interval: tuple[float, float]
    confidence: float
    tokens: NDArray[np.float64]
    residuals: NDArray[np.float64]

    @property
    def k(self) -> float:
        """The law's factor."""
        return self.law.k

    @property
    def theta(self) -> float:
        """The law's exponent."""
        return self.law.theta

    @property
    def rmse(self) -> float:
        """Root mean square of the residuals; 0.05 is about five percent of the words."""
        return float(np.sqrt(np.mean(self.residuals**2)))


def fit_heaps(curve: GrowthCurve, *, confidence: float = 0.95) -> HeapsFit:
    """Fit Heaps' law by least squares of ``log(words)`` on ``log(tokens)``.

    This is the fit that gives the paper's figures for Reuters (k about 63, theta about 0.378): a
    curve with a point after each document of the full training articles, in the order given.

    Parameters
    ----------
    curve : GrowthCurve
        What to fit, see :func:`imbtext.markov.growth_curve`. Where the points lie matters, as no
        text follows the law exactly: points after every document, as there, weigh large sizes
        more than small ones.
    confidence : float, default=0.95
        Level of the intervals.

    Returns
    -------
    HeapsFit
        The law, its intervals and residuals.

    Notes
    -----
    Points of a growth curve are far from independent: each counts the words of all before it. The
    intervals take that into account. They treat new words as a Poisson process with the fitted law
    as its mean. The count at one size contains the counts at all smaller sizes, and that covariance
    goes through the least squares. The intervals say how well a text of this size determines the
    two constants if it follows the law. The residuals say whether it does.

    Examples
    --------
    >>> tokens = np.array([10.0, 100.0, 1000.0])
    >>> fit = fit_heaps(GrowthCurve(tokens, 2 * tokens**0.5, np.zeros(3), 0))
    >>> round(fit.k, 6), round(fit.theta, 6)
    (2.0, 0.5)
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; give a number between 0 and 1, such as 0.95")
    counted = curve.tokens > 0
    tokens, words = curve.tokens[counted], curve.words[counted]
    n_sizes = len(np.unique(tokens))
    if n_sizes < 3:
        raise ValueError(
            f"the curve has {n_sizes} different size{'s' * (n_sizes != 1)}, and Heaps' law needs 3 "
            "or more to be fitted; use more documents, or growth_curve(..., at='tokens')"
        )
    x, y = np.log(tokens), np.log(words)
    design = np.column_stack([np.ones_like(x), x])
    weights = np.linalg.pinv(design)
    log_k, theta = (float(value) for value in weights @ y)
    law = HeapsLaw(float(np.exp(log_k)), theta)
    # A vocabulary that does not grow leaves theta without variance, up to rounding.
    errors = np.sqrt(np.maximum(np.diag(_covariance(weights, law.words(tokens))), 0.0))
    half = NormalDist().inv_cdf(0.5 + confidence / 2) * errors
    return HeapsFit(
        law=law,
        k_interval=(float(np.exp(log_k - half[0])), float(np.exp(log_k + half[0]))),
        theta_interval=(float(theta - half[1]), float(theta + half[1])),
        confidence=confidence,
        tokens=tokens,
        residuals=y - design @ np.array([log_k, theta]),
    )


def _covariance(weights: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``weights @ omega @ weights.T`` with ``omega[i, j] = 1 / mean[max(i, j)]``.

    That is the covariance of the logarithms of a Poisson process at points in increasing order. The
    sums over pairs are cumulative ones, so no matrix of points by points is made.
    """
    before = np.cumsum(weights, axis=1) - weights
    scaled = weights / mean
    cross = scaled @ before.T
    return cross + cross.T + scaled @ weights.T
