"""How sure averages are: intervals, and paired tests between methods.

The classes are the sample. An interval says how far an average would move with other classes of the
same kind. A paired test asks, class by class, whether one method beats another. Both are additions
of this package: the paper reports plain averages.

If the sample consists of folds of cross-validation, any two training sets share most of their
documents, and the usual t interval is far too narrow. Nadeau and Bengio (Machine Learning 52, 2003)
correct it: the variance of the mean over J folds is (1/J + n_test/n_train) s^2 instead of s^2/J.
Their first term assumes that the tested documents of two folds are independent. They are not if
repeats test them again, if documents belong together, or if folds are stratified, so that all of
them have the same share of the class. So a bootstrap of the tested documents, with their groups,
replaces the first term. The second accounts for the training documents that folds share. On a
separate test set only the bootstrap is needed.

A score is a share, and near 0 or 1 its distribution is skewed. `share_interval` moves the limits as
Wilson's interval does. ``benchmarks/compare_coverage.py`` counts how often such intervals contain
the truth.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from imbtext._typing import MayBeNaN, Record

__all__ = [
    "CONFIDENCE",
    "Estimate",
    "Interval",
    "bootstrap_estimate",
    "corrected_estimate",
    "holm",
    "mean_interval",
    "paired_tests",
    "share_interval",
    "wilcoxon_p",
]

#: The level of every interval.
CONFIDENCE: Final = 0.95
NORMAL_QUANTILE: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
_RESAMPLES: Final = 2000


@dataclass(frozen=True)
class Interval:
    """A mean with the limits of its confidence interval."""

    mean: MayBeNaN
    lower: MayBeNaN
    upper: MayBeNaN


@dataclass(frozen=True)
class Estimate(Interval):
    """A mean, its interval, and the two-sided p-value of its being 0."""

    p_value: float


def mean_interval(
    values: ArrayLike, *, method: Literal["bootstrap", "t"] = "bootstrap", seed: int = 0
) -> Interval:
    """Return the mean of `values`, one per class, with its 95% interval.

    NaN values are left out. The interval has percentiles of resampled means as limits, or is
    Student's t interval.

    Examples
    --------
    >>> interval = mean_interval([0.2, 0.4, 0.6], method="t")
    >>> round(interval.mean, 3), round(interval.lower, 3), round(interval.upper, 3)
    (0.4, -0.097, 0.897)
    """
    sample = _numbers(values)
    # One class, or classes that all agree, say nothing about the spread.
    if method == "t" or sample.size < 2 or np.ptp(sample) == 0:
        return corrected_estimate(sample, 0.0)
    rows = np.random.default_rng(seed).integers(sample.size, size=(_RESAMPLES, sample.size))
    tail = (1 - CONFIDENCE) / 2
    lower, upper = np.quantile(sample[rows].mean(axis=1), [tail, 1 - tail])
    return Interval(float(sample.mean()), float(lower), float(upper))


def corrected_estimate(
    values: ArrayLike,
    test_to_train: float,
    resampled: ArrayLike | None = None,
    noise: float = 0.0,
) -> Estimate:
    """Estimate a mean over the folds of repeated cross-validation.

    `values` has one value per fold and repeat: a score, or the difference of two methods' scores.
    NaN values are left out. `test_to_train` is the number of test documents over that of training
    documents: 1/4 for five folds, 0 if the values are independent. `resampled` are means over the
    same folds with the tested documents resampled. Without them, the folds count as tested on
    independent documents. `noise` is additional variance.

    Examples
    --------
    >>> estimate = corrected_estimate([0.1, 0.2, 0.1, 0.2, 0.15], test_to_train=0.25)
    >>> round(estimate.mean, 3), round(estimate.lower, 3), round(estimate.upper, 3)
    (0.15, 0.057, 0.243)
    >>> round(estimate.p_value, 3)
    0.011
    """
    sample = _numbers(values)
    n = sample.size
    if n < 2:
        return Estimate(float(sample[0]) if n else np.nan, np.nan, np.nan, np.nan)
    mean = float(sample.mean())
    means = _numbers([] if resampled is None else resampled)
    of_documents = float(means.var(ddof=1)) if means.size > 1 else float(sample.var(ddof=1)) / n
    of_documents += noise
    if np.ptp(sample) < 1e-12 and of_documents < 1e-24:
        # Without a spread, all that is known is that every fold points the same way.
        return Estimate(mean, mean, mean, 1.0 if abs(mean) < 1e-12 else 2.0 ** (1 - n))
    error = float(np.sqrt(of_documents + test_to_train * sample.var(ddof=1)))
    half = error * float(stats.t.ppf((1 + CONFIDENCE) / 2, n - 1))
    p_value = 2 * float(stats.t.sf(abs(mean) / error, n - 1))
    return Estimate(mean, mean - half, mean + half, p_value)


def bootstrap_estimate(value: float, resampled: ArrayLike, noise: float = 0.0) -> Estimate:
    """Estimate a value from its spread over resampled test documents (normal approximation).

    `noise` is additional variance, such as that of a method's own randomness.

    Examples
    --------
    >>> estimate = bootstrap_estimate(0.5, [0.4, 0.6, 0.5])
    >>> round(estimate.lower, 3), round(estimate.upper, 3)
    (0.304, 0.696)
    """
    sample = _numbers(resampled)
    if np.isnan(value) or sample.size < 2:
        return Estimate(value, np.nan, np.nan, np.nan)
    error = float(np.sqrt(sample.var(ddof=1) + noise))
    if error < 1e-12:
        return Estimate(value, value, value, 1.0 if abs(value) < 1e-12 else np.nan)
    half = error * NORMAL_QUANTILE
    p_value = 2 * float(stats.norm.sf(abs(value) / error))
    return Estimate(value, value - half, value + half, p_value)


def share_interval(
    interval: Interval, n: float = np.inf, *, least: float = 0.0, binomial: bool = False
) -> Interval:
    """Return Wilson's limits for a mean that lies between `least` and 1.

    The mean is treated as the share of successes in as many trials as its symmetric interval
    implies (as Korn and Graubard do for surveys, Survey Methodology 24, 1998). If the interval has
    no width, and always with `binomial`, there are at most `n` trials: the number of documents
    behind the share.

    Examples
    --------
    >>> limits = share_interval(Interval(0.9, 0.7, 1.1))
    >>> round(limits.lower, 3), round(limits.upper, 3)
    (0.57, 0.984)
    >>> limits = share_interval(Interval(1.0, 1.0, 1.0), n=10)
    >>> round(limits.lower, 3), limits.upper
    (0.722, 1.0)
    """
    scale = 1.0 - least
    mean, half = (interval.mean - least) / scale, (interval.upper - interval.mean) / scale
    if np.isnan(half):
        return interval
    z_squared = NORMAL_QUANTILE**2
    variance = mean * (1 - mean)
    inside = variance > 1e-12
    # The square of the quantile of the distribution, over the number of trials.
    ratio = half**2 / variance if inside else 0.0
    if binomial or half < 1e-12 or not inside:
        ratio = max(ratio, z_squared / max(n, 1e-9))
    mean = min(max(mean, 0.0), 1.0)
    centre = (mean + ratio / 2) / (1 + ratio)
    half = float(np.sqrt(ratio * mean * (1 - mean) + ratio**2 / 4)) / (1 + ratio)
    # The limits contain the mean, also at 0 and 1, where rounding could exclude it.
    lower = min(max(centre - half, 0.0), mean)
    upper = max(min(centre + half, 1.0), mean)
    return replace(interval, lower=least + scale * lower, upper=least + scale * upper)


def _numbers(values: ArrayLike) -> NDArray[np.float64]:
    sample = np.asarray(values, dtype=np.float64).ravel()
    return sample[~np.isnan(sample)]


def paired_tests(scores: Mapping[str, ArrayLike], reference: str) -> list[Record]:
    """Compare every method with `reference` by Wilcoxon's signed-rank test, Holm-corrected.

    `scores` has for each method one value per class, in the same order of classes. ``p_holm``
    holds for the whole family of comparisons.

    Examples
    --------
    >>> tests = paired_tests({"SVM": [0.1, 0.2, 0.3], "same": [0.1, 0.2, 0.3]}, reference="SVM")
    >>> tests[0]["p_value"]
    1.0
    """
    base = np.asarray(scores[reference], dtype=np.float64)
    differences = {
        method: _numbers(np.asarray(values, dtype=np.float64) - base)
        for method, values in scores.items()
        if method != reference
    }
    p_values = [wilcoxon_p(difference) for difference in differences.values()]
    return [
        {
            "method": method,
            "reference": reference,
            "n_categories": difference.size,
            "mean_difference": float(difference.mean()) if difference.size else np.nan,
            "wins": int(np.count_nonzero(difference > 0)),
            "losses": int(np.count_nonzero(difference < 0)),
            "p_value": p_value,
            "p_holm": p_holm,
        }
        for (method, difference), p_value, p_holm in zip(
            differences.items(), p_values, holm(p_values), strict=True
        )
    ]


def wilcoxon_p(differences: ArrayLike) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test; 1 where nothing differs.

    Zero differences are set aside, as Wilcoxon proposed. Differences within rounding error
    of each other count as ties, so that the p-value does not hang on the last bit.

    Examples
    --------
    >>> wilcoxon_p([0.0, 0.0])
    1.0
    >>> round(wilcoxon_p([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), 5)
    0.03125
    """
    values = np.round(np.asarray(differences, dtype=np.float64), 12)
    values = values[(values != 0) & ~np.isnan(values)]
    if values.size == 0:
        return 1.0
    tied = np.unique(np.abs(values)).size < values.size
    # SciPy's exact distribution cannot handle ties. For few differences all signs are permuted
    # instead, and for many the normal approximation corrects for ties.
    if tied and values.size <= 10:
        every_sign = stats.PermutationMethod(n_resamples=2**values.size)
        return float(stats.wilcoxon(values, method=every_sign).pvalue)
    if values.size <= 50 and not tied:
        return float(stats.wilcoxon(values, method="exact").pvalue)
    return float(stats.wilcoxon(values, method="approx", correction=True).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for several comparisons by Holm's step-down method; NaN means no test.

    Examples
    --------
    >>> holm([0.01, 0.04, np.nan, 0.03])
    [0.03, 0.06, nan, 0.06]
    """
    values = np.array(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")[: np.count_nonzero(~np.isnan(values))]
    steps = np.arange(len(order), 0, -1) * values[order]
    values[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    adjusted: list[float] = values.tolist()
    return adjusted
