"""From single fits to averages, intervals and tests.

A `Unit` is one fit with its scores. `Coverage` says which classes, methods and rounds can be
compared: all of them, unless a time limit ended the run. `ScoreTable` arranges the scores of the
covered units in one array and estimates from it. Intervals come from the rounds of the
cross-validation; with a separate test set they come from a bootstrap of its documents, which
`bootstrap_scores` computes when a unit is tested.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext.comparison._settings import Round
from imbtext.comparison._words import FoldWords
from imbtext.metrics import METRIC_TABLE, METRICS, Confusion
from imbtext.randomness import keyed_generator
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


# Resamples held in memory at a time, in documents.
_AT_ONCE: Final = 4_000_000


def _no_decisions() -> NDArray[np.float32]:
    return np.empty(0, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class Unit:
    """One method, trained and tested on one fold of one class.

    Attributes
    ----------
    class_name, method : str
        What was looked for, and how.
    repeat, fold : int
        The round.
    scores : dict of str to float
        The measures on the tested documents.
    rows_added : int
        Number of synthetic documents.
    seconds : float
        Time for resampling, training and predicting.
    error : str
        Why it failed, empty where it did not.
    messages : sequence of str
        The warnings that were raised.
    spread : dict of str to list of float
        With a separate test set: each measure on resampled test documents.
    decisions : array of float32
        In the first repeat: how strongly each tested document is put into the class, above 0 where
        it is. A report shows the very scores that were compared.
    words : FoldWords or None
        In the first repeat: the words that spoke for and against.
    """

    class_name: str
    method: str
    repeat: int
    fold: int
    scores: dict[str, float] = field(default_factory=dict)
    rows_added: int = 0
    seconds: float = 0.0
    error: str = ""
    messages: Sequence[str] = ()
    spread: dict[str, list[float]] = field(default_factory=dict)
    decisions: NDArray[np.float32] = field(default_factory=_no_decisions)
    words: FoldWords | None = None

    @property
    def place(self) -> tuple[str, str, Round]:
        """Class, method and round."""
        return self.class_name, self.method, (self.repeat, self.fold)


@dataclass(frozen=True)
class Coverage:
    """The classes, methods and rounds for which every method was tested on the same documents.

    Methods that failed everywhere are not among them; `notes` say what is missing and why.
    """

    classes: list[str]
    methods: list[str]
    rounds: list[Round]
    notes: list[str]


def score_frame(units: Iterable[Unit], coverage: Coverage) -> pl.DataFrame:
    """Return the scores as a table, in the order of classes, methods and rounds."""
    done = {unit.place: unit for unit in units if not unit.error}
    places = product(coverage.classes, coverage.methods, coverage.rounds)
    return pl.DataFrame(
        [
            {
                "class": unit.class_name,
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

    With a separate test set, `spread` has the scores on resampled test documents in the place of
    rounds. `test_to_train` is the size of a fold over that of its training documents.
    """

    classes: tuple[str, ...]
    methods: tuple[str, ...]
    values: NDArray[np.float64]
    spread: NDArray[np.float64] | None
    test_to_train: float

    @classmethod
    def of(cls, units: Iterable[Unit], coverage: Coverage, test_to_train: float) -> "ScoreTable":
        """Arrange finished units; those of other classes, methods or rounds are left out."""
        done = {unit.place: unit for unit in units if not unit.error}
        shape = (
            len(coverage.classes),
            len(coverage.methods),
            len(coverage.rounds),
            len(SHOWN_METRICS),
        )
        values, spread = np.full(shape, np.nan), None
        for c, m in np.ndindex(shape[:2]):
            places = [(coverage.classes[c], coverage.methods[m], r) for r in coverage.rounds]
            of_rounds = [done.get(place) for place in places]
            for round_index, unit in enumerate(of_rounds):
                if unit is not None:
                    values[c, m, round_index] = [unit.scores[metric] for metric in SHOWN_METRICS]
            spreads = [
                [unit.spread[metric] for metric in SHOWN_METRICS]
                for unit in of_rounds
                if unit is not None and unit.spread
            ]
            if spreads:
                if spread is None:
                    spread = np.full((*shape[:2], len(spreads[0][0]), shape[3]), np.nan)
                spread[c, m] = np.mean(spreads, axis=0).T
        return cls(tuple(coverage.classes), tuple(coverage.methods), values, spread, test_to_train)

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
            estimate = self.estimate(name, metric, method)
            # Not max and min, which would turn a missing limit into 0 or 1.
            limits = float(np.maximum(0.0, estimate.lower)), float(np.minimum(1.0, estimate.upper))
            rows.append((name, method, metric, estimate.mean, *limits))
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
            estimates = [self.estimate(name, metric, method, reference) for method in others]
            p_values = [estimate.p_value for estimate in estimates]
            if over_classes:
                p_values = [self._over_classes(metric, method, reference) for method in others]
            rows += [
                (name, metric, method, reference, e.mean, e.lower, e.upper, p, p_holm, test)
                for method, e, p, p_holm in zip(
                    others, estimates, p_values, holm(p_values), strict=True
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


def bootstrap_scores(
    true: NDArray[np.bool_], decision: NDArray[np.float64], n_resamples: int, seed: int
) -> dict[str, list[float]]:
    """Score `n_resamples` stratified resamples of the test documents; both classes must occur.

    A resample is a number for each document: how often it was drawn. With documents sorted by their
    score once, all measures of all resamples are sums and running sums of these numbers.

    A decision above 0 puts a document into the class. The same seed gives the same resamples to
    every method.
    """
    generator = keyed_generator(seed, 1)
    sides = [np.flatnonzero(true), np.flatnonzero(~true)]
    order = np.argsort(-decision, kind="stable")
    spread: dict[str, list[float]] = {metric: [] for metric in METRICS}
    left = n_resamples
    while left:
        size = min(left, max(1, _AT_ONCE // len(true)))
        left -= size
        drawn = np.empty((size, len(true)))
        for side in sides:
            drawn[:, side] = generator.multinomial(len(side), [1 / len(side)] * len(side), size)
        scores = _weighted_scores(true[order], decision[order], drawn[:, order])
        for metric in METRICS:
            spread[metric] += np.round(scores[metric], 6).tolist()
    return spread


def _weighted_scores(
    true: NDArray[np.bool_], decision: NDArray[np.float64], drawn: NDArray[np.float64]
) -> dict[str, NDArray[np.float64]]:
    """Score documents sorted from the highest decision down, each counted `drawn` times."""
    hits = np.cumsum(drawn * true, axis=1)
    alarms = np.cumsum(drawn * ~true, axis=1)
    n_class, n_rest = hits[:, -1], alarms[:, -1]
    n_predicted = int(np.count_nonzero(decision > 0))
    confusion = Confusion(
        hits[:, n_predicted - 1] if n_predicted else np.zeros(len(drawn)),
        alarms[:, n_predicted - 1] if n_predicted else np.zeros(len(drawn)),
        n_class,
        n_rest,
    )
    # Documents with equal scores come in together.
    last = np.append(np.flatnonzero(np.diff(decision)), len(decision) - 1)
    zero = np.zeros((len(drawn), 1))
    tpr = np.hstack([zero, hits[:, last] / n_class[:, None]])
    fpr = np.hstack([zero, alarms[:, last] / n_rest[:, None]])
    retrieved = hits[:, last] + alarms[:, last]
    at = np.divide(hits[:, last], retrieved, out=np.zeros_like(retrieved), where=retrieved > 0)
    hard = {
        name: metric.of_confusion(confusion)
        for name, metric in METRIC_TABLE.items()
        if metric.of_confusion
    }
    return hard | {
        "average_precision": (np.diff(tpr, axis=1) * at).sum(axis=1),
        "roc_auc": (np.diff(fpr, axis=1) * (tpr[:, 1:] + tpr[:, :-1]) / 2).sum(axis=1),
    }
