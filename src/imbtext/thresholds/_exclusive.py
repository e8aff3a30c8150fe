"""How a document of several exclusive classes gets one of them.

Among the classes whose threshold its score exceeds, it gets the one that gains most:
``(p - q) / ((1 - q) sqrt(n))``, with the probability p of its score, q of the threshold, and n
training documents of the class. If it exceeds none, it gets the class whose threshold it misses
least, in log odds. The size of the class keeps a frequent one, which is exceeded far by most of its
documents, from taking those of the rare ones. ``benchmarks/several_classes.py`` compares rules.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit

from imbtext.thresholds._calibration import Calibration

# A margin is above 0 if, and only if, the threshold is exceeded.
_TINY = 1e-300
# Log odds that stand for never and for always.
_CERTAIN = 40.0
# On a flat curve no threshold would move a document.
_LEAST_SLOPE = 1e-6


@dataclass(frozen=True, eq=False)
class ExclusiveRule:
    """Margins that decide between exclusive classes.

    Attributes
    ----------
    calibration : Calibration
        The curves from scores to probabilities.
    sizes : tuple of int
        How many training documents each class has.

    Examples
    --------
    >>> rule = ExclusiveRule(Calibration(np.ones(2), np.zeros(2)), (1000, 10))
    >>> rule.margins(np.array([[2.0, 0.5], [-3.0, -1.0]]), np.zeros(2)).argmax(axis=1).tolist()
    [1, 1]
    """

    calibration: Calibration
    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.calibration.slope) != len(self.sizes) or min(self.sizes) < 1:
            raise ValueError("the rule for several classes is of another number of classes")

    def margins(
        self, scores: NDArray[np.floating], thresholds: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return a margin for each document and class; the largest is the class it gets."""
        curves = self.calibration
        scores, thresholds = curves.on_line(scores), curves.on_line(thresholds)
        slope = np.maximum(curves.slope, _LEAST_SLOPE)
        z = slope * scores + curves.constant
        at_threshold = slope * thresholds + curves.constant
        # (p - q) / (1 - q), exact where both are nearly 1.
        exceeds = -np.expm1(np.minimum(log_expit(-z) - log_expit(-at_threshold), 0.0))
        gains = np.maximum(exceeds / np.sqrt(self.sizes), _TINY)
        margins = np.where(scores > thresholds, gains, np.minimum(z - at_threshold, -_TINY))
        return np.where(np.isnan(scores), -np.inf, margins)

    def among_others(
        self, scores: NDArray[np.floating], thresholds: NDArray[np.float64], c: int
    ) -> NDArray[np.float64]:
        """Return for each document the threshold of class `c` below which it goes to that class.

        The others stay at their thresholds. It is on the scale of the scores of the class, and NaN
        where the class has no score.
        """
        margins = self.margins(scores, thresholds)
        curves = self.calibration
        own = curves.on_line(scores[:, c].astype(np.float64))
        best_other = np.delete(margins, c, axis=1).max(axis=1)
        slope = max(float(curves.slope[c]), _LEAST_SLOPE)
        z = slope * own + curves.constant[c]
        # Where another class is exceeded, the gain must be larger than that of the best of them.
        share = np.minimum(best_other * np.sqrt(self.sizes[c]), 1.0)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            log_rest = log_expit(-z) - np.log1p(-share)
            limit = np.where(log_rest < 0, np.log(np.expm1(-log_rest)), -np.inf)
            contested = (limit - curves.constant[c]) / slope
            # Where none is, the class may be missed by less than the others are.
            alone = own - best_other / slope
        contested = np.where(np.isnan(contested), -np.inf, contested)
        alone = np.where(np.isnan(alone), np.inf, alone)
        critical = np.where(best_other > 0, np.minimum(contested, own), alone)
        low, high = (np.array([-_CERTAIN, _CERTAIN]) - curves.constant[c]) / slope
        return curves.off_line(np.where(np.isnan(own), np.nan, np.clip(critical, low, high)))
