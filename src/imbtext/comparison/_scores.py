"""The scores of a comparison as one array, and the averages, intervals and tests over it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext.comparison._experiment import Unit
from imbtext.metrics import METRIC_TABLE
from imbtext.statistics import (
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


@dataclass(frozen=True)
class FairPart:
    """The classes, methods and rounds in which every method met the same documents.

    Methods that failed everywhere are not among them; `notes` say what was cut.
    """

    classes: list[str]
    methods: list[str]
    rounds: list[tuple[int, int]]
    notes: list[str]


def score_frame(units: Iterable[Unit], part: FairPart) -> pl.DataFrame:
    """Return the scores as a table, in the order of classes, methods and rounds."""
    done = {unit.place: unit for unit in units if not unit.error}
    places = product(part.classes, part.methods, part.rounds)
    return pl.DataFrame(
        [
            {
                "class": unit.name,
                "method": unit.method,
                "repeat": unit.repeat,
                "fold": unit.fold,
                **{metric: unit.scores[metric] for metric in SHOWN_METRICS},
                "rows_added": unit.rows_added,
                "seconds": unit.seconds,
            }
            for unit in (done[place] for place in places if place in done)
        ],
        infer_schema_length=None,
    )


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores by class, method, round and metric; not a number where a method failed.

    With a test set of its own, `spread` has the scores on resampled test documents in the place of
    rounds. `test_to_train` is the size of a fold over that of its training documents.
    """

    classes: tuple[str, ...]
    methods: tuple[str, ...]
    values: NDArray[np.float64]
    spread: NDArray[np.float64] | None
    test_to_train: float

    @classmethod
    def of(cls, units: Iterable[Unit], part: FairPart, test_to_train: float) -> "ScoreTable":
        """Arrange finished units; those of other classes, methods or rounds are left out."""
        done = {unit.place: unit for unit in units if not unit.error}
        shape = (len(part.classes), len(part.methods), len(part.rounds), len(SHOWN_METRICS))
        values, spread = np.full(shape, np.nan), None
        for c, m in np.ndindex(shape[:2]):
            found = [done.get((part.classes[c], part.methods[m], r)) for r in part.rounds]
            for place, unit in enumerate(found):
                if unit is not None:
                    values[c, m, place] = [unit.scores[metric] for metric in SHOWN_METRICS]
            spreads = [
                [unit.spread[metric] for metric in SHOWN_METRICS]
                for unit in found
                if unit is not None and unit.spread
            ]
            if spreads:
                if spread is None:
                    spread = np.full((*shape[:2], len(spreads[0][0]), shape[3]), np.nan)
                spread[c, m] = np.mean(spreads, axis=0).T
        return cls(tuple(part.classes), tuple(part.methods), values, spread, test_to_train)

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
        for name, method, metric in product(self.names, self.methods, SHOWN_METRICS):
            found = self.estimate(name, metric, method)
            # Not max and min, which would turn a missing limit into 0 or 1.
            limits = float(np.maximum(0.0, found.lower)), float(np.minimum(1.0, found.upper))
            rows.append((name, method, metric, found.mean, *limits))
        columns = ["class", "method", "metric", "mean", "lower", "upper"]
        return pl.DataFrame(rows, schema=columns, orient="row")

    def tests(self, references: Sequence[str]) -> pl.DataFrame:
        """Compare all methods with reference methods, for each class.

        The p-values of one class, reference and metric are one family for Holm's correction.
        """
        rows: list[tuple[object, ...]] = []
        for name, reference, metric in product(self.names, references, SHOWN_METRICS):
            over_classes = name == MEAN_OF_CLASSES and len(self.classes) >= LEAST_CLASSES
            test = WILCOXON if over_classes else CORRECTED_T if self.spread is None else BOOTSTRAP
            others = [method for method in self.methods if method != reference]
            found = [self.estimate(name, metric, method, reference) for method in others]
            p_values = [estimate.p_value for estimate in found]
            if over_classes:
                p_values = [self._over_classes(metric, method, reference) for method in others]
            rows += [
                (name, metric, method, reference, e.mean, e.lower, e.upper, p, p_holm, test)
                for method, e, p, p_holm in zip(
                    others, found, p_values, holm(p_values), strict=True
                )
            ]
        return pl.DataFrame(rows, schema=_TESTS, orient="row")

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
        rows = slice(None) if name == MEAN_OF_CLASSES else [self.classes.index(name)]
        values = self.values[rows, m, :, k].mean(axis=0)
        return values, None if self.spread is None else self.spread[rows, m, :, k].mean(axis=0)
