"""From single fits to averages, intervals and tests.

A `ScoredFit` is one method, trained and tested on one fold. `Coverage` says which classes, methods
and rounds can be compared: all of them, unless a time limit ended the run. `ScoreTable` arranges
the scores of the covered fits in one array and estimates from it. How far a score would move with
other documents comes from a bootstrap of the tested documents (`ResampledScores`) and, in a
cross-validation, from how far its folds lie apart.

Folds cannot show how uncertain a tuned threshold is. Any two of them learn from mostly the same
documents, so they choose much the same threshold, but other documents might have led to another. So
each resample chooses it again (`threshold_shifts`): a bootstrap must select anew what was selected
by looking at the documents, or its intervals are too short (Efron, Journal of the American
Statistical Association 109, 2014).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Final, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from imbtext.comparison._settings import MEAN_OF_CLASSES, SHOWN_METRICS, FitKey, Round
from imbtext.comparison._words import FoldWords
from imbtext.metrics import Confusion, Goal, Metric
from imbtext.randomness import keyed_generator
from imbtext.statistics import (
    NORMAL_QUANTILE,
    Estimate,
    Interval,
    bootstrap_estimate,
    corrected_estimate,
    holm,
    share_interval,
)

_TESTS: Final = {
    **dict.fromkeys(("class", "metric", "method", "reference"), pl.String),
    **dict.fromkeys(("difference", "lower", "upper", "p_value", "p_holm"), pl.Float64),
    "test": pl.String,
}

CORRECTED_T: Final = "corrected resampled t test (Nadeau and Bengio), Holm"
BOOTSTRAP: Final = "paired bootstrap of the test documents, Holm"

N_RESAMPLES: Final = 200
# How many documents of resamples are in memory at a time.
_AT_ONCE: Final = 4_000_000
# Thresholds that a resample chooses from.
_MOST_CUTS: Final = 256
# If fewer documents than this count for or against a mean, they do not show its spread.
_FEW_SUCCESSES: Final = 5


def _no_decisions() -> NDArray[np.float32]:
    return np.empty(0, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class ScoredFit:
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
        Why it failed; empty if it did not.
    messages : sequence of str
        The warnings that were raised.
    decisions : array of float32
        How strongly each tested document is put into the class; above 0 it is. A report shows the
        same scores that were compared.
    threshold : float
        What was subtracted from the scores of the classifier.
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
    decisions: NDArray[np.float32] = field(default_factory=_no_decisions)
    threshold: float = 0.0
    words: FoldWords | None = None

    @property
    def key(self) -> FitKey:
        """Class, method and round."""
        return self.class_name, self.method, (self.repeat, self.fold)

    @property
    def scores_of_documents(self) -> NDArray[np.float64]:
        """The scores of the tested documents, from which the threshold was subtracted."""
        return self.decisions.astype(np.float64) + self.threshold


class ScoredFold(NamedTuple):
    """A fit, the documents that it tested, and which of them belong to its class."""

    fit: ScoredFit
    indices: NDArray[np.int64]
    is_class: NDArray[np.bool_]


@dataclass(frozen=True)
class Coverage:
    """The classes, methods and rounds for which every method was tested on the same documents.

    Methods that failed everywhere are not among them; `notes` say what is missing and why.
    """

    classes: list[str]
    methods: list[str]
    rounds: list[Round]
    notes: list[str]

    def covered(self, fits: Iterable[ScoredFit]) -> list[ScoredFit]:
        """Return the fits of these classes and rounds, and those of methods that failed, too.

        Other folds were finished by some methods only. A number that included them would contradict
        the averages, which do not.
        """
        compared = set(product(self.classes, self.rounds))
        return [fit for fit in fits if (fit.class_name, (fit.repeat, fit.fold)) in compared]

    def passes(self, n_folds: int) -> list[int]:
        """Return the repeats that tested every document, or the first if none did."""
        n_finished = Counter(repeat for repeat, _ in self.rounds)
        return [repeat for repeat, n in n_finished.items() if n == n_folds] or [0]


def score_frame(
    fits: Iterable[ScoredFit], coverage: Coverage, metrics: Iterable[str]
) -> pl.DataFrame:
    """Return the scores as a table, in the order of classes, methods and rounds."""
    scored = {fit.key: fit for fit in fits if not fit.error}
    keys = product(coverage.classes, coverage.methods, coverage.rounds)
    return pl.DataFrame(
        [
            {
                "class": fit.class_name,
                "method": fit.method,
                "repeat": fit.repeat,
                "fold": fit.fold,
                **{metric: fit.scores[metric] for metric in metrics},
                "rows_added": fit.rows_added,
                "seconds": fit.seconds,
            }
            for fit in (scored[key] for key in keys if key in scored)
        ],
        infer_schema_length=None,
    )


@dataclass(frozen=True, eq=False)
class ResampledScores:
    """The scores of fits on resampled test documents.

    Attributes
    ----------
    of_fits : dict
        By class, method and round: an array of metrics by resamples. Resample i is the same for all
        fits.
    n_class : dict of str to int
        By class: how many groups of tested documents have documents of it.
    n_alarms : dict
        By class and method: how many groups have documents that were put into the class, per
        repeat.
    """

    of_fits: Mapping[FitKey, NDArray[np.float64]]
    n_class: Mapping[str, int]
    n_alarms: Mapping[tuple[str, str], float]

    @classmethod
    def of(
        cls,
        tested: Sequence[ScoredFold],
        groups: NDArray[np.int64],
        metrics: Mapping[str, Metric],
        seed: int,
        goals: Mapping[str, Goal] | None = None,
        *,
        in_time: bool = False,
    ) -> "ResampledScores":
        """Resample all documents and score each fit with the decisions that it made.

        Documents of one group are drawn together: copies say no more than one document. Methods
        that tuned their threshold for one of `goals` choose it again on every resample.
        `in_time` says that a fold learns only from those before it.
        """
        class_groups: dict[str, set[int]] = {}
        alarms: dict[tuple[str, str], dict[int, set[int]]] = {}
        for fit, indices, is_class in tested:
            class_groups.setdefault(fit.class_name, set()).update(
                groups[indices[is_class]].tolist()
            )
            of_repeats = alarms.setdefault((fit.class_name, fit.method), {})
            alarmed = groups[indices[fit.decisions > 0]]
            of_repeats.setdefault(fit.repeat, set()).update(alarmed.tolist())
        scores: dict[FitKey, list[NDArray[np.float64]]] = {}
        for drawn in draw_documents(groups, N_RESAMPLES, seed):
            shifts = threshold_shifts(tested, drawn, goals or {}, in_time=in_time)
            for fit, indices, is_class in tested:
                of_metrics = resampled_scores(
                    is_class, fit.decisions, drawn[:, indices], metrics, shifts.get(fit.key)
                )
                scores.setdefault(fit.key, []).append(np.array(list(of_metrics.values())))
        return cls(
            {key: np.concatenate(parts, axis=1) for key, parts in scores.items()},
            {name: len(numbers) for name, numbers in class_groups.items()},
            {
                key: float(np.mean([len(numbers) for numbers in of_repeats.values()]))
                for key, of_repeats in alarms.items()
            },
        )


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores by class, method, round and metric; NaN if a method failed.

    `spread` has resamples of the test documents in the place of rounds, with means over rounds; it
    is None if nothing was resampled. `test_to_train` is the size of a fold over that of its
    training documents, None with a separate test set. `n_class` and `n_alarms` say how many
    documents the recall of each class, and the precision of each method on it, are shares of.
    """

    classes: tuple[str, ...]
    methods: tuple[str, ...]
    values: NDArray[np.float64]
    spread: NDArray[np.float64] | None
    test_to_train: float | None
    metrics: tuple[str, ...] = SHOWN_METRICS
    n_class: Mapping[str, int] = field(default_factory=dict)
    n_alarms: Mapping[tuple[str, str], float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        fits: Iterable[ScoredFit],
        coverage: Coverage,
        test_to_train: float | None,
        metrics: Sequence[str] = SHOWN_METRICS,
        resampled: ResampledScores | None = None,
    ) -> "ScoreTable":
        """Arrange finished fits; those of other classes, methods or rounds are left out."""
        scored = {fit.key: fit for fit in fits if not fit.error}
        n_classes, n_methods = len(coverage.classes), len(coverage.methods)
        shape = (n_classes, n_methods, len(coverage.rounds), len(metrics))
        values, spread = np.full(shape, np.nan), None
        for c, m in np.ndindex(shape[:2]):
            keys = [(coverage.classes[c], coverage.methods[m], r) for r in coverage.rounds]
            finished = [(number, key) for number, key in enumerate(keys) if key in scored]
            for number, key in finished:
                values[c, m, number] = [scored[key].scores[metric] for metric in metrics]
            if resampled is not None and finished:
                means = _mean_of_numbers(np.array([resampled.of_fits[key] for _, key in finished]))
                if spread is None:
                    spread = np.full((*shape[:2], means.shape[1], shape[3]), np.nan)
                spread[c, m] = means.T
        table = cls(
            tuple(coverage.classes),
            tuple(coverage.methods),
            values,
            spread,
            test_to_train,
            tuple(metrics),
        )
        if resampled is None:
            return table
        return replace(table, n_class=resampled.n_class, n_alarms=resampled.n_alarms)

    @property
    def names(self) -> list[str]:
        """The classes, and their mean first if there are several."""
        return [MEAN_OF_CLASSES, *self.classes] if len(self.classes) > 1 else list(self.classes)

    def estimate(
        self, name: str, metric: str, method: str, reference: str | None = None
    ) -> Estimate:
        """Estimate a method's score, or by how much it exceeds the reference's."""
        values, spread = self._of(name, metric, method)
        unseen = 0.0
        if reference is not None:
            base, base_spread = self._of(name, metric, reference)
            values = values - base
            spread = None if spread is None or base_spread is None else spread - base_spread
            unseen = self._unseen_variance(name, metric, method, reference)
        if self.test_to_train is not None:
            estimate = corrected_estimate(values, self.test_to_train, spread, unseen)
        else:
            # Repeats differ only in the methods' random numbers: the test documents stay the same.
            noise = float(np.var(values, ddof=1)) / len(values) if len(values) > 1 else 0.0
            estimate = bootstrap_estimate(
                float(np.mean(values)), () if spread is None else spread, noise + unseen
            )
        if reference is None:
            return estimate
        return self._beyond_one_score(estimate, name, metric, method, reference)

    def _beyond_one_score(
        self, estimate: Estimate, name: str, metric: str, method: str, reference: str
    ) -> Estimate:
        """Return a difference whose far limit reaches as far as that of the only score that varies.

        A reference that finds nothing scores 0 on all documents. The difference is then the score
        of the method, which is skewed, and its interval must not be shorter. This is the far limit
        of Zou and Donner (Statistics in Medicine 27, 2008), where one of two scores stays as it is.
        The near limit and the p-value are those of the paired differences.
        """
        lower, upper = estimate.lower, estimate.upper
        for varying, still, sign in ((method, reference, 1), (reference, method, -1)):
            values, spread = self._of(name, metric, still)
            base = values[0]
            if (values == base).all() and (spread is None or (spread == base).all()):
                limits = self._limits(self.estimate(name, metric, varying), name, metric, varying)
                far = sign * (limits.upper - base), sign * (limits.lower - base)
                if estimate.mean > 0:
                    upper = max(upper, *far)
                elif estimate.mean < 0:
                    lower = min(lower, *far)
        return replace(estimate, lower=lower, upper=upper)

    def _unseen_variance(self, name: str, metric: str, method: str, reference: str) -> float:
        """Return the variance of a difference that the tested documents cannot show.

        If two methods find the same of `n` documents of the class in every fold, no resample tells
        them apart. On new documents they may still differ: on as large a share as Wilson's upper
        limit for none of `n`.
        """
        if metric in ("average_precision", "roc_auc"):
            return 0.0
        decided_by = "precision" if metric == "precision" else "recall"
        pairs = zip(
            self._of(name, decided_by, method), self._of(name, decided_by, reference), strict=True
        )
        if not all(
            a is not None and b is not None and np.array_equal(a, b, equal_nan=True)
            for a, b in pairs
        ):
            return 0.0
        names = self.classes if name == MEAN_OF_CLASSES else (name,)
        same = Interval(0.0, 0.0, 0.0)
        upper = share_interval(same, sum(self.n_class.get(of, np.inf) for of in names)).upper
        return float((upper / NORMAL_QUANTILE) ** 2)

    def summary(self) -> pl.DataFrame:
        """Return mean and interval of every class, method and metric."""
        rows = []
        for name, method, metric in product(self.names, self.methods, self.metrics):
            estimate = self.estimate(name, metric, method)
            limits = self._limits(estimate, name, metric, method)
            rows.append((name, method, metric, estimate.mean, limits.lower, limits.upper))
        columns = ["class", "method", "metric", "mean", "lower", "upper"]
        return pl.DataFrame(rows, schema=columns, orient="row")

    def _limits(self, estimate: Estimate, name: str, metric: str, method: str) -> Interval:
        """Return the interval of a score, which lies between 0 and 1."""
        if metric.startswith("cost("):
            # Saved costs have no least value. Not min, which would turn a missing limit into 1.
            return replace(estimate, upper=float(np.minimum(1.0, estimate.upper)))
        names = self.classes if name == MEAN_OF_CLASSES else (name,)
        counts = [
            self.n_alarms.get((of, method), np.inf)
            if metric == "precision"
            else self.n_class.get(of, np.inf)
            for of in names
        ]
        n = sum(counts)
        is_binomial = metric in ("recall", "precision") and len(names) == 1
        if metric == "average_precision":
            # A mean over the documents of the class. If only a few documents all rank low, their
            # spread does not show that the next may come first.
            is_binomial = n * min(estimate.mean, 1 - estimate.mean) < _FEW_SUCCESSES
        limits = share_interval(
            estimate,
            n,
            # Finding nothing, or guessing, scores one half.
            least=0.5 if metric == "balanced_accuracy" else 0.0,
            binomial=is_binomial,
        )
        # A balanced accuracy may be worse than chance.
        is_below = metric == "balanced_accuracy" and estimate.mean <= 0.5
        return replace(limits, lower=max(0.0, estimate.lower)) if is_below else limits

    def tests(self, references: Sequence[str]) -> pl.DataFrame:
        """Compare all methods with reference methods, for each class.

        The p-values of one class, reference and metric are one family for Holm's correction. Those
        of the mean of classes come from the same estimate as its interval: the classes are the
        user's own, not a sample of others.
        """
        rows: list[tuple[object, ...]] = []
        for name, reference, metric in product(self.names, references, self.metrics):
            test = BOOTSTRAP if self.test_to_train is None else CORRECTED_T
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


def _mean_of_numbers(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean over the first axis of all numbers; NaN if there are none."""
    is_number = ~np.isnan(values)
    n = is_number.sum(axis=0)
    means = np.full(n.shape, np.nan)
    np.divide(np.where(is_number, values, 0.0).sum(axis=0), n, out=means, where=n > 0)
    return means


def draw_documents(
    groups: NDArray[np.int64], n_resamples: int, seed: int
) -> Iterator[NDArray[np.float64]]:
    """Draw as many groups as there are, with replacement, `n_resamples` times; some at a time.

    A resample is a number for each document: how often it was drawn.
    """
    generator = keyed_generator(seed, 1)
    _, first_rows, group_of = np.unique(groups, return_index=True, return_inverse=True)
    n_groups = len(first_rows)
    # Groups are numbered in the order of their first documents, so that copies change nothing.
    number = np.empty(n_groups, dtype=np.int64)
    number[np.argsort(first_rows)] = np.arange(n_groups)
    group_of = number[group_of]
    n_left = n_resamples
    while n_left:
        size = min(n_left, max(1, _AT_ONCE // len(groups)))
        n_left -= size
        drawn = generator.multinomial(n_groups, np.full(n_groups, 1 / n_groups), size)
        yield drawn[:, group_of].astype(np.float64)


def threshold_shifts(
    tested: Sequence[ScoredFold],
    drawn: NDArray[np.float64],
    goals: Mapping[str, Goal],
    *,
    in_time: bool = False,
) -> dict[FitKey, NDArray[np.float64]]:
    """Choose the tuned thresholds of fits again, with each document counted `drawn` times.

    A fold learns from the documents of the other folds, and models that had not seen these scored
    them. The threshold that serves the goal best on their scores stands for the one that the method
    would have tuned. The result says how far it lies above the fit's own, for each resample. A
    fit has no shift if no other fit tested a document that it learnt from.
    """
    folds: dict[tuple[str, str, int], list[ScoredFold]] = {}
    for fit, indices, is_class in tested:
        if fit.method in goals:
            of_repeat = folds.setdefault((fit.class_name, fit.method, fit.repeat), [])
            of_repeat.append(ScoredFold(fit, indices, is_class))
    shifts = {}
    for (_, method, _), of_repeat in folds.items():
        scores = [fit.scores_of_documents for fit, _, _ in of_repeat]
        cuts = _possible_cuts(scores, [is_class for _, _, is_class in of_repeat])
        counts = {
            fit.fold: _count_above(cuts, of_fold, is_class, drawn[:, indices])
            for of_fold, (fit, indices, is_class) in zip(scores, of_repeat, strict=True)
        }
        for fit, _, _ in of_repeat:
            learnt = [
                count
                for fold, count in counts.items()
                if (fold < fit.fold if in_time else fold != fit.fold)
            ]
            if learnt:
                chosen = _best_cuts(goals[method], cuts, np.sum(learnt, axis=0))
                shifts[fit.key] = np.where(np.isnan(chosen), 0.0, chosen - fit.threshold)
    return shifts


def _possible_cuts(
    scores: Sequence[NDArray[np.float64]], is_class: Sequence[NDArray[np.bool_]]
) -> NDArray[np.float64]:
    """Return where a threshold may lie, the highest first: half way between two scores.

    One lies above all scores. Most goals have their best threshold just below a document of the
    class, so there is a cut below each of these. For goals that count alarms, there are also cuts
    below ranks that grow by a few per cent.
    """
    every = np.unique(np.concatenate(scores))
    inside = np.unique(np.concatenate([s[m] for s, m in zip(scores, is_class, strict=True)]))
    if len(inside) > _MOST_CUTS:
        inside = inside[np.linspace(0, len(inside) - 1, _MOST_CUTS).astype(int)]
    ranks = np.geomspace(1, len(every), _MOST_CUTS).astype(int)
    lowest = np.union1d(inside, every[-ranks])
    below = np.append(every[0] - 2.0, every)[np.searchsorted(every, lowest)]
    cuts: NDArray[np.float64] = np.append((lowest + below) / 2, every[-1] + 1.0)[::-1]
    return cuts


def _count_above(
    cuts: NDArray[np.float64],
    scores: NDArray[np.float64],
    is_class: NDArray[np.bool_],
    drawn: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Count documents of the class, and others, above each cut, in a row per resample.

    The last column has all documents.
    """
    first_above = np.searchsorted(-cuts, -scores, side="right")
    of_sides = []
    for side in (np.flatnonzero(is_class), np.flatnonzero(~is_class)):
        places = np.arange(len(side)), first_above[side]
        put = sparse.csr_array((np.ones(len(side)), places), shape=(len(side), len(cuts) + 1))
        of_sides.append(np.asarray(drawn[:, side] @ put))
    return np.cumsum(of_sides, axis=2)


def _best_cuts(
    goal: Goal, cuts: NDArray[np.float64], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the cut of each resample that serves the goal best; NaN without two sides."""
    n_class, n_rest = counts[:, :, -1]
    has_both = (n_class > 0) & (n_rest > 0)
    found, false_alarms = counts[:, has_both, :-1]
    confusion = Confusion(found, false_alarms, n_class[has_both, None], n_rest[has_both, None])
    best = np.full(len(has_both), np.nan)
    # Of equal values the first: the fewest documents put into the class.
    best[has_both] = cuts[np.argmax(goal.value(confusion), axis=1)]
    return best


def resampled_scores(
    true: NDArray[np.bool_],
    decision: NDArray[np.floating],
    drawn: NDArray[np.float64],
    metrics: Mapping[str, Metric],
    cuts: NDArray[np.float64] | None = None,
) -> dict[str, NDArray[np.float64]]:
    """Score documents, each counted `drawn` times, in a row per resample.

    Documents are sorted by their score once; then all measures of all resamples are sums and
    running sums. A decision above 0, or above the cut of the resample, puts a document into the
    class. A resample without documents of the class, or without others, has no score.
    """
    order = np.argsort(-decision, kind="stable")
    has_both = drawn[:, true].any(axis=1) & drawn[:, ~true].any(axis=1)
    of_both = drawn[has_both][:, order]
    cuts = np.zeros(len(drawn)) if cuts is None else cuts
    weighted = _weighted_scores(true[order], decision[order], of_both, metrics, cuts[has_both])
    scores = {metric: np.full(len(drawn), np.nan) for metric in metrics}
    for metric, values in weighted.items():
        if metric in metrics:
            scores[metric][has_both] = values
    return scores


def _weighted_scores(
    true: NDArray[np.bool_],
    decision: NDArray[np.floating],
    drawn: NDArray[np.float64],
    metrics: Mapping[str, Metric],
    cuts: NDArray[np.float64],
) -> dict[str, NDArray[np.float64]]:
    """Score documents sorted from the highest decision down, each counted `drawn` times."""
    found = np.cumsum(drawn * true, axis=1)
    false_alarms = np.cumsum(drawn * ~true, axis=1)
    n_class, n_rest = found[:, -1], false_alarms[:, -1]
    n_predicted = np.searchsorted(-decision, -cuts)
    last_predicted = (np.arange(len(drawn)), n_predicted - 1)
    confusion = Confusion(
        np.where(n_predicted, found[last_predicted], 0.0),
        np.where(n_predicted, false_alarms[last_predicted], 0.0),
        n_class,
        n_rest,
    )
    # Documents with equal scores come in together.
    last = np.append(np.flatnonzero(np.diff(decision)), len(decision) - 1)
    zero = np.zeros((len(drawn), 1))
    tpr = np.hstack([zero, found[:, last] / n_class[:, None]])
    fpr = np.hstack([zero, false_alarms[:, last] / n_rest[:, None]])
    alarms = found[:, last] + false_alarms[:, last]
    none = np.zeros_like(alarms)
    precision = np.divide(found[:, last], alarms, out=none, where=alarms > 0)
    hard = {
        name: metric.of_confusion(confusion)
        for name, metric in metrics.items()
        if metric.of_confusion
    }
    return hard | {
        "average_precision": (np.diff(tpr, axis=1) * precision).sum(axis=1),
        "roc_auc": (np.diff(fpr, axis=1) * (tpr[:, 1:] + tpr[:, :-1]) / 2).sum(axis=1),
    }
