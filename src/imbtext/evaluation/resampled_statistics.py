"""Intervals and tests that know their samples overlap.

Scores of cross-validation folds are not independent: any two training sets share most of their
documents. The usual t interval is then far too narrow. Nadeau and Bengio (Machine Learning 52,
2003) correct it: the variance of the mean over J folds is (1/J + n_test/n_train) s^2 instead of
s^2/J. On a test set of its own the spread comes from a bootstrap of the test documents instead.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from imbtext.evaluation.statistics import CONFIDENCE


@dataclass(frozen=True)
class Estimate:
    """A mean, its interval of 95 %, and the two-sided p-value of its being 0."""

    mean: float
    lower: float
    upper: float
    p_value: float


def corrected_estimate(values: ArrayLike, test_to_train: float) -> Estimate:
    """Estimate a mean over the folds of repeated cross-validation.

    One value per fold and repeat: a score, or the difference of two methods' scores. Values that
    are not numbers are left out. `test_to_train` is the number of test documents over that of
    training documents; 1/4 for five folds.

    Examples
    --------
    >>> estimate = corrected_estimate([0.1, 0.2, 0.1, 0.2, 0.15], test_to_train=0.25)
    >>> round(estimate.mean, 3), round(estimate.lower, 3), round(estimate.upper, 3)
    (0.15, 0.057, 0.243)
    >>> round(estimate.p_value, 3)
    0.011
    """
    sample = np.asarray(values, dtype=np.float64).ravel()
    sample = sample[~np.isnan(sample)]
    n = sample.size
    if n == 0:
        return Estimate(np.nan, np.nan, np.nan, np.nan)
    mean = float(sample.mean())
    if n == 1:
        return Estimate(mean, np.nan, np.nan, np.nan)
    if np.ptp(sample) < 1e-12:
        # No spread to divide by: all that is left is that every fold points the same way.
        return Estimate(mean, mean, mean, 1.0 if abs(mean) < 1e-12 else 2.0 ** (1 - n))
    error = float(np.sqrt((1 / n + test_to_train) * sample.var(ddof=1)))
    half = error * float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1))
    p_value = 2 * float(stats.t.sf(abs(mean) / error, n - 1))
    return Estimate(mean, mean - half, mean + half, p_value)


def bootstrap_estimate(value: float, resampled: ArrayLike, noise: float = 0.0) -> Estimate:
    """Estimate a value from its spread over resampled test documents (normal approximation).

    `noise` is variance that comes on top, such as that of a method's own randomness.

    Examples
    --------
    >>> estimate = bootstrap_estimate(0.5, [0.4, 0.6, 0.5])
    >>> round(estimate.lower, 3), round(estimate.upper, 3)
    (0.304, 0.696)
    """
    sample = np.asarray(resampled, dtype=np.float64).ravel()
    sample = sample[~np.isnan(sample)]
    if np.isnan(value) or sample.size < 2:
        return Estimate(value, np.nan, np.nan, np.nan)
    error = float(np.sqrt(sample.var(ddof=1) + noise))
    if error < 1e-12:
        return Estimate(value, value, value, 1.0 if abs(value) < 1e-12 else np.nan)
    half = error * float(stats.norm.ppf((1 + CONFIDENCE) / 2))
    p_value = 2 * float(stats.norm.sf(abs(value) / error))
    return Estimate(value, value - half, value + half, p_value)
