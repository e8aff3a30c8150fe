"""The scores of a comparison as one array, and the averages, intervals and tests over it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext.comparison._experiment import Unit
from imbtext.evaluation.metrics import METRIC_TABLE
from imbtext.evaluation.statistics import (
    Estimate,
    bootstrap_estimate,
    corrected_estimate,
    holm,
    wilcoxon_p,
)

SHOWN_METRICS: Final = (
    "balanced_accuracy",
    "f1",
    "f2",
    "recall",
    "precision",
    "average_precision",
    "roc_auc",
)
METRIC_NAMES: Final = {metric: METRIC_TABLE[metric].title for metric in SHOWN_METRICS}
MEAN_OF_CLASSES: Final = "(mean of classes)"
# Wilcoxon's smallest two-sided p-value with fewer classes is above 0.05.
LEAST_CLASSES: Final = 6

_TESTS: Final = {
    **dict.fromkeys(("class", "metric", "method", "reference"), pl.String),
    **dict.fromkeys(("difference", "lower", "upper", "p_value", "p_holm"), pl.Float64),
    "test": pl.String,
}

CORRECTED_T: Final = "corrected resampled t test (Nadeau and Bengio), Holm"
WILCOXON: Final = "Wilcoxon signed-rank test over classes, Holm"
BOOTSTRAP: Final = "paired bootstrap of the test documents, Holm"


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores by class, method, round and metric.

    Attributes
    ----------
    classes, methods : tuple of str
        The first two axes.
    values : ndarray of shape (classes, methods, rounds, metrics)
        Not a number where a method failed.
    spread : ndarray of shape (classes, methods, resamples, metrics) or None
        With a test set of its own, the scores on resampled test documents.
    test_to_train : float
        Size of a fold over the size of its training documents.
    """

    classes: tuple[str, ...]
    methods: tuple[str, ...]
    values: NDArray[np.float64]
    spread: NDArray[np.float64] | None
    test_to_train: float

    @classmethod
    def of(
        cls,
        units: Iterable[Unit],
        classes: Sequence[str],
        methods: Sequence[str],
        rounds: Sequence[tuple[int, int]],
        test_to_train: float,
    ) -> "ScoreTable":
        """Arrange finished units; those of other classes, methods or rounds are left out."""
        in_classes = {name: i for i, name in enumerate(classes)}
        in_methods = {name: i for i, name in enumerate(methods)}
        in_rounds = {name: i for i, name in enumerate(rounds)}
        shape = (len(classes), len(methods), len(rounds), len(SHOWN_METRICS))
        values = np.full(shape, np.nan)
        spreads: dict[tuple[int, int], list[list[list[float]]]] = {}
        for unit in units:
            c = in_classes.get(unit.name)
            m = in_methods.get(unit.method)
            r = in_rounds.get((unit.repeat, unit.fold))
            if unit.error or c is None or m is None or r is None:
                continue
            values[c, m, r] = [unit.scores[metric] for metric in SHOWN_METRICS]
            if unit.spread:
                spreads.setdefault((c, m), []).append(
                    [unit.spread[metric] for metric in SHOWN_METRICS]
                )
        spread = None
        if spreads:
            size = len(next(iter(spreads.values()))[0][0])
            spread = np.full((shape[0], shape[1], size, shape[3]), np.nan)
            for (c, m), repeats in spreads.items():
                spread[c, m] = np.mean(repeats, axis=0).T
        return cls(tuple(classes), tuple(methods), values, spread, test_to_train)

    @property
    def names(self) -> list[str]:
        """The classes, and their mean first where there are several."""
        return [MEAN_OF_CLASSES, *self.classes] if len(self.classes) > 1 else list(self.classes)

    def estimate(
        self, name: str, metric: str, method: str, reference: str | None = None
    ) -> Estimate:
        """Estimate a method's score, or by how much it exceeds the reference's."""
        values, spread = self._of(name, metric, method)
        if reference is not None:
            base, base_spread = self._of(name, metric, reference)
            values = values - base
            spread = None if spread is None or base_spread is None else spread - base_spread
        if spread is not None:
            # What repeats differ by is the methods' own randomness: the test documents stay.
            noise = float(np.var(values, ddof=1)) / len(values) if len(values) > 1 else 0.0
            return bootstrap_estimate(float(np.mean(values)), spread, noise)
        return corrected_estimate(values, self.test_to_train)

    def summary(self) -> pl.DataFrame:
        """Return mean and interval of every class, method and metric."""
        rows = []
        for name in self.names:
            for method in self.methods:
                for metric in SHOWN_METRICS:
                    found = self.estimate(name, metric, method)
                    rows.append(
                        {
                            "class": name,
                            "method": method,
                            "metric": metric,
                            "mean": found.mean,
                            # Not max and min, which would turn a missing limit into 0 or 1.
                            "lower": float(np.maximum(0.0, found.lower)),
                            "upper": float(np.minimum(1.0, found.upper)),
                        }
                    )
        return pl.DataFrame(rows)

    def tests(self, references: Sequence[str]) -> pl.DataFrame:
        """Compare all methods with reference methods, for each class.

        The p-values of one class, reference and metric are one family for Holm's correction.
        """
        rows = []
        for name in self.names:
            over_classes = name == MEAN_OF_CLASSES and len(self.classes) >= LEAST_CLASSES
            test = WILCOXON if over_classes else CORRECTED_T if self.spread is None else BOOTSTRAP
            for reference in references:
                others = [method for method in self.methods if method != reference]
                for metric in SHOWN_METRICS:
                    found = [self.estimate(name, metric, m, reference) for m in others]
                    p_values = [
                        self._over_classes(metric, method, reference)
                        if over_classes
                        else estimate.p_value
                        for method, estimate in zip(others, found, strict=True)
                    ]
                    sound = [i for i, p in enumerate(p_values) if not np.isnan(p)]
                    adjusted = dict(zip(sound, holm([p_values[i] for i in sound]), strict=True))
                    rows += [
                        {
                            "class": name,
                            "metric": metric,
                            "method": method,
                            "reference": reference,
                            "difference": estimate.mean,
                            "lower": estimate.lower,
                            "upper": estimate.upper,
                            "p_value": p_values[i],
                            "p_holm": adjusted.get(i, np.nan),
                            "test": test,
                        }
                        for i, (method, estimate) in enumerate(zip(others, found, strict=True))
                    ]
        return pl.DataFrame(rows, schema=_TESTS)

    def _over_classes(self, metric: str, method: str, reference: str) -> float:
        k = SHOWN_METRICS.index(metric)
        means = self.values[:, :, :, k].mean(axis=2)
        differences = means[:, self.methods.index(method)] - means[:, self.methods.index(reference)]
        return np.nan if np.isnan(differences).any() else wilcoxon_p(differences)

    def _of(
        self, name: str, metric: str, method: str
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        m, k = self.methods.index(method), SHOWN_METRICS.index(metric)
        # A plain mean: a method that failed on a class has no mean over classes.
        rows = (
            slice(None) if name == MEAN_OF_CLASSES else slice(c := self.classes.index(name), c + 1)
        )
        values = self.values[rows, m, :, k].mean(axis=0)
        return values, None if self.spread is None else self.spread[rows, m, :, k].mean(axis=0)
