"""From single fits to averages, intervals and tests.

A `Unit` is one fit with its scores. `Coverage` says which classes, methods and rounds can be
compared: all of them, unless a time limit ended the run. `ScoreTable` arranges the scores of the
covered units in one array and estimates from it. Intervals come from the rounds of the
cross-validation; with a separate test set they come from a bootstrap of its documents, which
`bootstrap_scores` computes when a unit is tested.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext.comparison._settings import SHOWN_METRICS, Round
from imbtext.comparison._words import FoldWords
from imbtext.metrics import Confusion, Metric
from imbtext.randomness import keyed_generator
from imbtext.statistics import (
    Estimate,
    bootstrap_estimate,
    corrected_estimate,
    holm,
)

MEAN_OF_CLASSES: Final = "(mean of classes)"

_TESTS: Final = {
    **dict.fromkeys(("class", "metric", "method", "reference"), pl.String),
    **dict.fromkeys(("difference", "lower", "upper", "p_value", "p_holm"), pl.Float64),
    "test": pl.String,
}

CORRECTED_T: Final = "corrected resampled t test (Nadeau and Bengio), Holm"
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
        How strongly each tested document is put into the class, above 0 where it is. A report
        shows the very scores that were compared.
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

    def passes(self, n_folds: int) -> list[int]:
        """Return the repeats that tested every document; the first where none did."""
        done = Counter(repeat for repeat, _ in self.rounds)
        return [repeat for repeat, n in done.items() if n == n_folds] or [0]


def score_frame(units: Iterable[Unit], coverage: Coverage, metrics: Iterable[str]) -> pl.DataFrame:
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
                **{metric: unit.scores[metric] for metric in metrics},
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
    metrics: tuple[str, ...] = SHOWN_METRICS

    @classmethod
    def of(
        cls,
        units: Iterable[Unit],
        coverage: Coverage,
        test_to_train: float,
        metrics: Sequence[str] = SHOWN_METRICS,
    ) -> "ScoreTable":
        """Arrange finished units; those of other classes, methods or rounds are left out."""
        done = {unit.place: unit for unit in units if not unit.error}
        shape = (
            len(coverage.classes),
            len(coverage.methods),
            len(coverage.rounds),
            len(metrics),
        )
        values, spread = np.full(shape, np.nan), None
        for c, m in np.ndindex(shape[:2]):
            places = [(coverage.classes[c], coverage.methods[m], r) for r in coverage.rounds]
            of_rounds = [done.get(place) for place in places]
            for round_index, unit in enumerate(of_rounds):
                if unit is not None:
                    values[c, m, round_index] = [unit.scores[metric] for metric in metrics]
            spreads = [
                [unit.spread[metric] for metric in metrics]
                for unit in of_rounds
                if unit is not None and unit.spread
            ]
            if spreads:
                if spread is None:
                    spread = np.full((*shape[:2], len(spreads[0][0]), shape[3]), np.nan)
                spread[c, m] = np.mean(spreads, axis=0).T
        names = tuple(coverage.classes), tuple(coverage.methods)
        return cls(*names, values, spread, test_to_train, tuple(metrics))

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
        for name, method, metric in product(self.names, self.methods, self.metrics):
            estimate = self.estimate(name, metric, method)
            # Saved costs have no least value. Not max and min, which would turn a missing limit
            # into 0 or 1.
            least = -np.inf if metric.startswith("cost(") else 0.0
            limits = (
                float(np.maximum(least, estimate.lower)),
                float(np.minimum(1.0, estimate.upper)),
            )
            rows.append((name, method, metric, estimate.mean, *limits))
        columns = ["class", "method", "metric", "mean", "lower", "upper"]
        return pl.DataFrame(rows, schema=columns, orient="row")

    def tests(self, references: Sequence[str]) -> pl.DataFrame:
        """Compare all methods with reference methods, for each class.

        The p-values of one class, reference and metric are one family for Holm's correction. Those
        of the mean of classes are of the same estimate as its interval: the classes are the user's
        own, and no sample of others.
        """
        rows: list[tuple[object, ...]] = []
        for name, reference, metric in product(self.names, references, self.metrics):
            test = CORRECTED_T if self.spread is None else BOOTSTRAP
            others = [method for method in self.methods if method != reference]
            estimates = [self.estimate(name, metric, method, reference) for method in others]
            p_values = [estimate.p_value for estimate in estimates]
            rows += [
                (name, metric, method, reference, e.mean, e.lower, e.upper, p, p_holm, test)
                for method, e, p, p_holm in zip(
                    others, estimates, p_values, holm(p_values), strict=True
                )
            ]
        return pl.DataFrame(rows, schema=_TESTS, orient="row")

    def _of(
        self, name: str, metric: str, method: str
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        m, k = self.methods.index(method), self.metrics.index(metric)
        # A plain mean: a method that failed on a class has no mean over classes.
        rows = slice(None) if name == MEAN_OF_CLASSES else [self.classes.index(name)]
        values = self.values[rows, m, :, k].mean(axis=0)
        return values, None if self.spread is None else self.spread[rows, m, :, k].mean(axis=0)


def bootstrap_scores(
    true: NDArray[np.bool_],
    decision: NDArray[np.float64],
    metrics: Mapping[str, Metric],
    groups: NDArray[np.int64],
    n_resamples: int,
    seed: int,
) -> dict[str, list[float]]:
    """Score `n_resamples` stratified resamples of the test documents; both classes must occur.

    Documents of one group are drawn together: copies tell no more than one document. Groups with
    documents of the class and groups without are drawn apart, so that both always occur.

    A resample is a number for each document: how often it was drawn. With documents sorted by their
    score once, all measures of all resamples are sums and running sums of these numbers.

    A decision above 0 puts a document into the class. The same seed gives the same resamples to
    every method.
    """
    generator = keyed_generator(seed, 1)
    first_rows, group_of = np.unique(groups, return_index=True, return_inverse=True)[1:]
    # Numbered as they come, so that without groups it is documents that are drawn.
    number = np.empty(len(first_rows), dtype=np.int64)
    number[np.argsort(first_rows)] = np.arange(len(first_rows))
    group_of = number[group_of]
    has_class = np.bincount(group_of, true, len(number)) > 0
    sides = [side for side in (np.flatnonzero(has_class), np.flatnonzero(~has_class)) if len(side)]
    order = np.argsort(-decision, kind="stable")
    spread: dict[str, list[float]] = {metric: [] for metric in metrics}
    left = n_resamples
    while left:
        size = min(left, max(1, _AT_ONCE // len(true)))
        left -= size
        drawn = np.empty((size, len(number)))
        for side in sides:
            drawn[:, side] = generator.multinomial(len(side), [1 / len(side)] * len(side), size)
        of_documents = drawn[:, group_of[order]]
        scores = _weighted_scores(true[order], decision[order], of_documents, metrics)
        for metric in metrics:
            spread[metric] += np.round(scores[metric], 6).tolist()
    return spread


def _weighted_scores(
    true: NDArray[np.bool_],
    decision: NDArray[np.float64],
    drawn: NDArray[np.float64],
    metrics: Mapping[str, Metric],
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
    # Where a resample holds documents of the class alone, nothing else is left to rank.
    others = np.where(n_rest > 0, n_rest, np.nan)
    fpr = np.hstack([zero, alarms[:, last] / others[:, None]])
    retrieved = hits[:, last] + alarms[:, last]
    at = np.divide(hits[:, last], retrieved, out=np.zeros_like(retrieved), where=retrieved > 0)
    hard = {
        name: metric.of_confusion(confusion)
        for name, metric in metrics.items()
        if metric.of_confusion
    }
    return hard | {
        "average_precision": (np.diff(tpr, axis=1) * at).sum(axis=1),
        "roc_auc": (np.diff(fpr, axis=1) * (tpr[:, 1:] + tpr[:, :-1]) / 2).sum(axis=1),
    }
