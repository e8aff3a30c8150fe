"""From held-out scores to decisions: thresholds, probabilities, and what to expect of them.

Everything here reads the same thing, the scores of documents by rankings that have not seen them
(:class:`ClassScores`), and nothing here knows how they were made.

* :func:`choose_threshold` finds the operating point: the threshold that serves a goal best (see
  :mod:`imbtext.metrics`), over the scores of all folds together. Between two scores the threshold
  lies half way.
* :func:`calibrate` fits a logistic curve from scores to probabilities.
* :func:`expect` says what new documents will bring. Looking up the success of a threshold on the
  scores it was chosen on would flatter it, so every fold is judged at a threshold chosen on the
  other folds. The intervals are explained at :func:`share_interval` and, where folds are periods
  that follow one another, at :func:`_of_next_period`. :func:`measure` says the same of documents
  that nothing was learnt from.
* :class:`AlarmRate` and :class:`KnownWords` are what can be seen in new documents without their
  labels; ``_familiarity.py`` compares them.

Documents that are held out together (near-duplicates, and those of one of the user's `groups`) say
the same thing twice. They are one group here: groups are counted, and groups are resampled. Weights
count everywhere; multiplying all of them by the same number changes nothing.

For balanced accuracy and for costs, one found or missed document of a small class would move the
threshold far. There the recall at a threshold is counted as if two more documents of the class had
been seen, ranked as a modest classifier ranks them: recall ``FPR ** 0.2``. The same prior is used
if a class has a single document, which cannot be held out and learnt from at once.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.metrics import average_precision_score

from imbtext._typing import Label
from imbtext.metrics import Confusion, Goal
from imbtext.pages import Page, Section, Table
from imbtext.randomness import keyed_generator
from imbtext.statistics import CONFIDENCE, Interval

_PRIOR_DOCUMENTS: Final = 2.0
_PRIOR_EXPONENT: Final = 0.2
# Where a class cannot be held out, its documents are taken to lie at the margin.
_MARGIN: Final = 1.0
N_RESAMPLES: Final = 40
# How many groups say what the next hit or miss will weigh.
N_TYPICAL_GROUPS: Final = 10
# Of fewer documents than this a sentence gives the number, not a share of 100.
_FEW: Final = 10
STREAM: Final = 0xE59EC7
EXPECTATION_COLUMNS: Final = ("found of 100", "alarms right of 100", "alarms of 1,000")
# How often a file of the same source may be called unfamiliar, for each of the two comparisons.
FALSE_WARNINGS: Final = 0.005
# Standard deviation of the ratio between the alarms of the model and of those of its folds.
_MODEL_SPREAD: Final = 0.2


@dataclass(frozen=True, eq=False)
class ClassScores:
    """The held-out scores of one class, one entry for each document that could be held out.

    Attributes
    ----------
    scores : ndarray of float64
        The score of each document.
    is_class : ndarray of bool
        Whether the document belongs to the class.
    weights : ndarray of float64 or None
        How much each document counts; None counts each once.
    folds : ndarray of int8
        The fold that held the document out.
    groups : ndarray of int64
        The group of each document, numbered from 0 over all documents.
    rows : ndarray of int64
        The place of each document among all that were given.
    n_class, n_documents : int
        Documents of the class and of all that were given, held out or not.
    in_time : bool
        Whether the folds are periods that follow one another, each scored by what came before it.
    """

    scores: NDArray[np.float64]
    is_class: NDArray[np.bool_]
    weights: NDArray[np.float64] | None
    folds: NDArray[np.int8]
    groups: NDArray[np.int64]
    rows: NDArray[np.int64]
    n_class: int
    n_documents: int
    in_time: bool = False


def choose_threshold(
    goal: Goal,
    scores: NDArray[np.float64],
    is_class: NDArray[np.bool_],
    weights: NDArray[np.float64] | None = None,
) -> float:
    """Return the threshold above which a document is put into the class, by held-out documents.

    Without held-out documents it is 0, where the classifier itself decides.

    Examples
    --------
    >>> from imbtext.metrics import get_goal
    >>> scores, is_class = np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, True, False, False])
    >>> choose_threshold(get_goal("f1"), scores, is_class)
    1.5
    """
    if not len(scores):
        return 0.0
    thresholds, confusion = curve(scores, is_class, weights)
    return float(thresholds[best_place(goal, confusion, float(is_class.sum()))])


def best_place(goal: Goal, confusion: Confusion, n_class: float) -> int:
    """Return which of several thresholds, the highest first, serves a goal best.

    `n_class` is how many documents of the class say so.
    """
    if goal.smoothed or n_class == 0:
        confusion = _smoothed(confusion, n_class)
    # Of equal values the first: the fewest documents put into the class.
    return int(np.argmax(goal.value(confusion)))


def threshold_for(alarms: int, scores: NDArray[np.float64]) -> float:
    """Return the threshold above which at most so many documents lie; of ties, none.

    Examples
    --------
    >>> threshold_for(2, np.array([0.0, 3.0, 1.0, 2.0]))
    1.5
    """
    falling = np.sort(scores)[::-1]
    if len(falling) <= alarms:
        return float(falling[-1]) - 1.0 if len(falling) else 0.0
    above = falling[:alarms][falling[:alarms] > falling[alarms]]
    highest = float(falling[alarms])
    return (highest + float(above[-1])) / 2 if len(above) else highest


def curve(
    scores: NDArray[np.float64],
    is_class: NDArray[np.bool_],
    weights: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], Confusion]:
    """Return every threshold that makes a difference, the highest first, and what each gives."""
    order = np.argsort(-scores, kind="stable")
    sorted_scores = scores[order]
    counts = np.ones(len(scores)) if weights is None else weights[order]
    inside = np.where(is_class[order], counts, 0.0)
    last = np.append(np.flatnonzero(np.diff(sorted_scores)), len(scores) - 1)
    zero = np.zeros(1)
    n_found = np.concatenate([zero, np.cumsum(inside)[last]])
    n_put = np.concatenate([zero, np.cumsum(counts)[last]])
    distinct = sorted_scores[last]
    between = (distinct[:-1] + distinct[1:]) / 2
    thresholds = np.concatenate([distinct[:1] + 1.0, between, distinct[-1:] - 1.0])
    confusion = Confusion(n_found, n_put - n_found, n_found[-1], n_put[-1] - n_found[-1])
    return thresholds, confusion


def _smoothed(confusion: Confusion, n_class: float) -> Confusion:
    false_alarms = np.asarray(1.0 - confusion.tnr)
    recall = np.nan_to_num(np.asarray(confusion.recall))
    prior = _PRIOR_DOCUMENTS * false_alarms**_PRIOR_EXPONENT
    smoothed = (n_class * recall + prior) / (n_class + _PRIOR_DOCUMENTS)
    size = max(float(confusion.n_class), 1.0)
    return Confusion(size * smoothed, confusion.alarms, size, confusion.n_rest)


@dataclass(frozen=True)
class Calibration:
    """The probability is ``expit(slope * score + constant)``, of a class or arrays of several."""

    slope: Any
    constant: Any

    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability for each score."""
        return np.asarray(expit(self.slope * scores + self.constant))


def calibrate(
    scores: NDArray[np.float64],
    is_class: NDArray[np.bool_],
    weights: NDArray[np.float64] | None = None,
    groups: NDArray[np.int64] | None = None,
) -> Calibration:
    """Fit Platt's curve to scores of held-out documents.

    The two targets are not 0 and 1 but what one more document on either side would suggest, so that
    a class which is told apart without a fault gets no infinite slope. Documents of the same group
    count as one there; None leaves every document on its own.

    Examples
    --------
    >>> scores = np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    >>> calibration = calibrate(scores, np.array([True, True, False, False, False, False]))
    >>> calibration.probabilities(np.array([-1.0, 1.0])).round(1).tolist()
    [0.2, 0.6]
    """
    counts = np.ones(len(scores))
    if weights is not None and weights.any():
        counts = weights / weights.mean()
    if groups is None:
        groups = np.arange(len(scores))
    inside = _n_independent(counts[is_class], groups[is_class])
    outside = _n_independent(counts[~is_class], groups[~is_class])
    if inside == 0 or outside == 0:
        share = (inside + 1) / (inside + outside + 2)
        centre = float(np.average(scores, weights=counts)) if counts.sum() else 0.0
        slope = abs(float(logit(share))) / max(_MARGIN - centre, 1e-6)
        return Calibration(slope, float(logit(share)) - slope * centre)
    targets = np.where(is_class, (inside + 1) / (inside + 2), 1 / (outside + 2))
    centre, width = float(scores.mean()), float(scores.std()) or 1.0
    x = (scores - centre) / width

    def loss(parameters: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        z = parameters[0] * x + parameters[1]
        error = counts * (expit(z) - targets)
        value = float(counts @ (np.logaddexp(0, z) - targets * z))
        return value, np.array([float(error @ x), float(error.sum())])

    start = np.array([1.0, np.log((inside + 1) / (outside + 1))])
    # Never falling: a higher score is never a lower probability.
    optimum = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None), (None, None)])
    slope = float(optimum.x[0]) / width
    return Calibration(slope, float(optimum.x[1]) - slope * centre)


def _n_independent(weights: NDArray[np.float64], groups: NDArray[np.int64]) -> float:
    """Return how many documents of equal weight, each on its own, would tell as much (Kish)."""
    of_groups = np.bincount(groups, weights)
    squares = float(of_groups @ of_groups)
    return float(of_groups.sum()) ** 2 / squares if squares else 0.0


@dataclass(frozen=True, repr=False)
class Expectation:
    """What cross-validation says of one class.

    Every number weighs documents as `sample_weight` does. The intervals of 95 % count documents
    that belong together, near-duplicates and `groups`, as one.

    Attributes
    ----------
    label : object
        The class.
    n_class, n_documents : int
        Documents of the class and of all among those it was learnt from.
    n_found, n_alarms : int
        Documents of the class that were found, and documents that were put into the class, right
        or wrong, when they were held out. These are counts and know no weights.
    recall : Interval
        Share of the documents of the class that are found.
    precision : Interval
        Share of the documents put into the class that belong there.
    alarms : Interval
        Documents put into the class, right or wrong, of a thousand.
    average_precision : float
        How well held-out documents are ranked.
    n_tested : int or None
        Documents of the class that were held out, if not all: with `time`, the first ones have no
        past to be judged by.
    """

    label: Label
    n_class: int
    n_documents: int
    n_found: int
    n_alarms: int
    recall: Interval
    precision: Interval
    alarms: Interval
    average_precision: float
    n_tested: int | None = None

    def __repr__(self) -> str:
        mean, lower, upper = (f"{number:.1f}" for number in astuple(self.alarms))
        return (
            f"Expectation({self.label!r}: finds {of_hundred(self.recall)} of 100, "
            f"{of_hundred(self.precision)} of 100 alarms right, "
            f"{mean} ({lower}-{upper}) alarms of 1,000)"
        )

    def _repr_html_(self) -> str:
        note = "Ranges are intervals of 95 %."
        section = Section("What to expect", self.sentences(), expectation_table([self]), note=note)
        return Page("what to expect", f'"{self.label}"', sections=[section]).notebook_html()

    def cells(self) -> list[str]:
        """Return the three shares as cells of a table, each with its interval."""
        digits = 1 if self.alarms.upper < _FEW else 0
        mean, lower, upper = (f"{number:.{digits}f}" for number in astuple(self.alarms))
        alarms = f"{mean} ({lower}-{upper})"
        return [of_hundred(self.recall), of_hundred(self.precision), alarms]

    @property
    def alarms_per_thousand(self) -> float:
        """Documents put into the class, right or wrong, of a thousand."""
        return self.alarms.mean

    def sentences(self) -> list[str]:
        """Return what to expect in plain words."""
        label = f'"{self.label}"'
        if np.isnan(self.recall.mean):
            documents = (
                f"Only one {label} document was given"
                if self.n_class == 1
                else f"The {self.n_class:,} {label} documents are copies of one another, belong to "
                "one group or period, or have no weight"
            )
            return [f"{documents}, so nothing can be said about others."]
        recall, precision = _between(self.recall), _between(self.precision)
        finds = f"It finds about {100 * self.recall.mean:.0f} of every 100 real {label} documents"
        finds += f" ({recall})."
        n_tested = self.n_class if self.n_tested is None else self.n_tested
        if n_tested < _FEW:
            finds = f"It found {self.n_found} of {n_tested} {label} documents when they were "
            finds += f"held out; of every 100 others it may find {recall}."
        right = (
            f"About {100 * self.precision.mean:.0f} of every 100 alarms are right ({precision})."
        )
        if self.n_alarms == 0:
            right = "It raised no alarm on held-out documents."
        elif self.n_alarms < _FEW:
            verb = "alarm was" if self.n_alarms == 1 else "alarms were"
            right = f"{self.n_found} of {self.n_alarms} {verb} right; of every 100 others "
            right += f"{precision} may be."
        mean, lower, upper = (
            f"{number:.1f}" if number < _FEW else f"{number:.0f}" for number in astuple(self.alarms)
        )
        puts = f"It puts about {mean} of every 1,000 documents into the class "
        return [finds, right, puts + f"(between {lower} and {upper})."]


def expectation_table(expected: Sequence[Expectation]) -> Table:
    """Return what to expect of each class, one row each."""
    rows = [[str(one.label), f"{one.n_class:,}", *one.cells()] for one in expected]
    return Table(["class", "documents", *EXPECTATION_COLUMNS], rows)


def of_hundred(interval: Interval) -> str:
    """Return a share and its interval as numbers of 100, for a table.

    Examples
    --------
    >>> of_hundred(Interval(0.5, 0.25, 0.75))
    '50 (25-75)'
    """
    if np.isnan(interval.mean):
        return "?"
    return f"{100 * interval.mean:.0f} ({100 * interval.lower:.0f}-{100 * interval.upper:.0f})"


def _between(interval: Interval) -> str:
    return f"between {100 * interval.lower:.0f} and {100 * interval.upper:.0f}"


@dataclass(frozen=True)
class KnownWords:
    """Which share of a document's words is known, over documents.

    Attributes
    ----------
    mean, spread : float
        Mean and standard deviation; not a number where nothing is known of words.
    n_documents : int
        The number of documents that have words.
    """

    mean: float = np.nan
    spread: float = np.nan
    n_documents: int = 0

    @classmethod
    def of(cls, shares: NDArray[np.float64] | None) -> "KnownWords":
        """Take the share of each document, not a number for one without words."""
        shares = np.empty(0) if shares is None else shares[~np.isnan(shares)]
        if not len(shares):
            return cls()
        return cls(float(shares.mean()), float(shares.std()), len(shares))


@dataclass(frozen=True)
class AlarmRate:
    """How many documents are put into a class, of those that were not learnt from.

    Attributes
    ----------
    label : object
        The class.
    share : float
        The share of documents that are put into the class.
    n_alarms, n_documents : int
        The numbers of such documents, those that belong together counted once, and of all. They say
        how well the share is known.
    spread : float
        Standard deviation of the ratio between the alarms of the model on new documents and this
        share, beyond chance. With `time` it knows how the share moved from period to period.

    Examples
    --------
    >>> AlarmRate("oil", 0.015, 150, 10_000).expected_alarms(1_000)
    (4, 32)
    """

    label: Label
    share: float
    n_alarms: int
    n_documents: int
    spread: float = _MODEL_SPREAD

    @classmethod
    def of(cls, label: Label, held: ClassScores, is_alarm: NDArray[np.bool_]) -> "AlarmRate":
        """Take documents that were not learnt from, and whether they are put into the class."""
        share = (
            float(np.average(is_alarm, weights=relative_weights(held))) if len(is_alarm) else 0.0
        )
        n_alarms = len(np.unique(held.groups[is_alarm]))
        rate = cls(label, share, n_alarms, len(is_alarm))
        if not held.in_time:
            return rate
        everything = np.ones(len(is_alarm), bool)
        judged = _Judged(held.scores, is_alarm)
        return rate.of_next_period(judged.hits(held, everything), judged.misses(held, everything))

    def of_next_period(self, alarms: "Hits", others: "Hits") -> "AlarmRate":
        """Return the rate of the period that follows those of these documents."""
        if not self.n_alarms:
            return self
        level = _Level.of(alarms, others)
        spread = float(np.hypot(self.spread, np.sqrt(level.variance + level.step)))
        return replace(self, share=level.share, spread=spread)

    def expected_alarms(
        self, n_documents: int, n_classes: int = 1, level: float = FALSE_WARNINGS
    ) -> tuple[int, int]:
        """Return between which numbers the alarms of so many new documents lie, almost always.

        Of several classes, each gets a range so wide that all of them hold together. `level` is how
        often one may lie outside.
        """
        if not self.n_documents:
            return 0, n_documents
        # Half an alarm more, as the share of a file without any need not be 0.
        n_alarms = self.n_alarms + 0.5
        share = self.share * n_alarms / self.n_alarms if self.n_alarms else 0.5 / self.n_documents
        shape = 1 / (1 / n_alarms + self.spread**2)
        alarms = stats.nbinom(shape, shape / (shape + n_documents * share))
        tail = level / (2 * n_classes)
        return int(alarms.ppf(tail)), min(int(alarms.isf(tail)), n_documents)


def expect(
    labels: Sequence[Label],
    goal: Goal,
    held_out: Sequence[ClassScores],
    *,
    exclusive: bool,
    seed: int,
) -> list[Expectation]:
    """Estimate for each class what new documents of the same kind will bring.

    Where classes are `exclusive`, a document goes to the class whose threshold its score exceeds
    most (or misses least), as in `RareTextClassifier.predict`; otherwise to every class whose
    threshold it exceeds.
    """
    judged = _Judged.of(held_out, [_held_out_margins(goal, held) for held in held_out], exclusive)
    alarms = judged
    if held_out[0].in_time:
        # Alarms vary from period to period, and thresholds that differ would add to that.
        thresholds = [choose_threshold(goal, h.scores, h.is_class, h.weights) for h in held_out]
        own = [held.scores - t for held, t in zip(held_out, thresholds, strict=True)]
        alarms = _Judged.of(held_out, own, exclusive)
    tallies = _resample(goal, held_out, exclusive, seed)
    return [
        _expect_class(*of_class)
        for of_class in zip(labels, held_out, judged, alarms, tallies, strict=True)
    ]


def measure(
    labels: Sequence[Label], tested: Sequence[ClassScores], *, exclusive: bool
) -> tuple[list[Expectation], list[AlarmRate]]:
    """Return for each class what documents gave that nothing was learnt from.

    Their scores are less the threshold, which is not chosen on them and so has no spread.
    """
    judged = _Judged.of(tested, [scores.scores for scores in tested], exclusive)
    no_resamples = np.empty((0, 2))
    expected = [
        _expect_class(label, held, of_class, of_class, no_resamples)
        for label, held, of_class in zip(labels, tested, judged, strict=True)
    ]
    alarms = [of_class.predicted for of_class in judged]
    return expected, list(map(AlarmRate.of, labels, tested, alarms))


def alarm_rates(
    labels: Sequence[Label],
    held_out: Sequence[ClassScores],
    thresholds: NDArray[np.float64],
    *,
    exclusive: bool,
) -> list[AlarmRate]:
    """Return how many held-out documents are put into each class at the thresholds of the model.

    :func:`expect` judges each fold at a threshold of its own. With few documents of a class these
    vary more than the one threshold that new documents will meet.
    """
    margins = (held.scores - t for held, t in zip(held_out, thresholds, strict=True))
    return list(map(AlarmRate.of, labels, held_out, _decide(held_out, margins, exclusive)))


def _held_out_margins(goal: Goal, held: ClassScores) -> NDArray[np.float64]:
    """Return scores less the threshold that the other folds choose."""
    margins = np.empty(len(held.scores))
    for fold in np.unique(held.folds):
        here = held.folds == fold
        weights = None if held.weights is None else held.weights[~here]
        threshold = choose_threshold(goal, held.scores[~here], held.is_class[~here], weights)
        margins[here] = held.scores[here] - threshold
    return margins


def _decide(
    held_out: Sequence[ClassScores], margins: Iterable[NDArray[np.float64]], exclusive: bool
) -> Iterator[NDArray[np.bool_]]:
    """Yield for each class whether its documents are put into it."""
    if not exclusive:
        yield from (margin > 0 for margin in margins)
        return
    n_documents = held_out[0].n_documents
    largest, best_class = np.full(n_documents, -np.inf), np.full(n_documents, -1)
    for c, (held, margin) in enumerate(zip(held_out, margins, strict=True)):
        better = margin > largest[held.rows]
        rows = held.rows[better]
        largest[rows], best_class[rows] = margin[better], c
    yield from (best_class[held.rows] == c for c, held in enumerate(held_out))


def _resample(
    goal: Goal, held_out: Sequence[ClassScores], exclusive: bool, seed: int
) -> NDArray[np.float64]:
    """Return what thresholds that are chosen on resampled groups would find.

    One entry per class and resample: the weight of the documents that are found, and of all that
    are put into the class. It is NaN where a resample has no document of the class.
    """
    n_groups = 1 + max(int(held.groups.max(initial=0)) for held in held_out)
    generator = keyed_generator(seed, STREAM)
    copies = generator.poisson(1.0, (N_RESAMPLES, n_groups)).astype(np.uint8)
    thresholds = np.transpose([_resampled_thresholds(goal, held, copies) for held in held_out])
    tallies = np.full((len(held_out), N_RESAMPLES, 2), np.nan)
    weights = [relative_weights(held) for held in held_out]
    for i, of_classes in enumerate(thresholds):
        margins = (held.scores - t for held, t in zip(held_out, of_classes, strict=True))
        for c, predicted in enumerate(_decide(held_out, margins, exclusive)):
            if np.isnan(of_classes[c]):
                continue
            rows = np.flatnonzero(predicted)
            found = rows[held_out[c].is_class[rows]]
            tallies[c, i] = weights[c][found].sum(), weights[c][rows].sum()
    return tallies


def _resampled_thresholds(
    goal: Goal, held: ClassScores, copies: NDArray[np.uint8]
) -> NDArray[np.float64]:
    """Return the threshold of each resample, which takes a number of copies of each group."""
    # Every choice of a threshold sorts, which costs little once the scores are sorted.
    order = np.argsort(-held.scores, kind="stable")
    scores, is_class, groups = held.scores[order], held.is_class[order], held.groups[order]
    weights = None if held.weights is None else held.weights[order]
    thresholds = np.full(len(copies), np.nan)
    for i, of_groups in enumerate(copies):
        drawn = of_groups[groups].astype(np.float64)
        if weights is not None:
            drawn *= weights
        if drawn[is_class].any():
            thresholds[i] = choose_threshold(goal, scores, is_class, drawn)
    return thresholds


def relative_weights(held: ClassScores) -> NDArray[np.float64]:
    """Return the weights as shares of the largest, which no sum or square can overflow."""
    if held.weights is None or not held.weights.any():
        return np.ones(len(held.scores))
    return held.weights / float(held.weights.max())


class _Judged(NamedTuple):
    """By how much documents exceed a threshold of a class, and whether they are put into it."""

    margins: NDArray[np.float64]
    predicted: NDArray[np.bool_]

    @classmethod
    def of(
        cls, held_out: Sequence[ClassScores], margins: list[NDArray[np.float64]], exclusive: bool
    ) -> "list[_Judged]":
        """Judge the documents of each class."""
        return list(map(cls, margins, _decide(held_out, margins, exclusive)))

    def hits(self, held: ClassScores, kind: NDArray[np.bool_]) -> "Hits":
        """Return the documents of a kind that are put into the class."""
        # A document on the other side of the threshold is the nearer, the smaller its margin.
        return Hits.of(held, kind, self.predicted, np.where(self.predicted, np.inf, self.margins))

    def misses(self, held: ClassScores, kind: NDArray[np.bool_]) -> "Hits":
        """Return those that are not."""
        below = np.where(self.predicted, -self.margins, np.inf)
        return Hits.of(held, kind, ~self.predicted, below)


def _expect_class(
    label: Label,
    held: ClassScores,
    judged: _Judged,
    at_threshold: _Judged,
    tallies: NDArray[np.float64],
) -> Expectation:
    weights, is_class, predicted = relative_weights(held), held.is_class, judged.predicted
    counted = weights > 0
    found = judged.hits(held, is_class & counted)
    missed = judged.misses(held, is_class & counted)
    false_alarms = judged.hits(held, ~is_class & counted)
    alarms, others = at_threshold.hits(held, counted), at_threshold.misses(held, counted)
    found_again, alarms_again = tallies.T
    share = _interval(alarms, others, alarms_again, weights.sum() - alarms_again)
    ranked = is_class & counted
    return Expectation(
        label=label,
        n_class=held.n_class,
        n_documents=held.n_documents,
        n_found=int((predicted & ranked).sum()),
        n_alarms=int((predicted & counted).sum()),
        recall=_interval(found, missed, found_again, weights[is_class].sum() - found_again),
        precision=_interval(found, false_alarms, found_again, alarms_again - found_again),
        alarms=Interval(1000 * share.mean, 1000 * share.lower, 1000 * share.upper),
        average_precision=ranking_precision(held),
        n_tested=int(is_class.sum()) if held.in_time else None,
    )


def ranking_precision(held: ClassScores) -> float:
    """Return the average precision of held-out scores; not a number without documents to find."""
    weights = relative_weights(held)
    if not (held.is_class & (weights > 0)).any():
        return np.nan
    return float(average_precision_score(held.is_class, held.scores, sample_weight=weights))


@dataclass(frozen=True, eq=False)
class Hits:
    """Documents of one outcome, such as those that were found.

    Attributes
    ----------
    of_groups : ndarray of float64
        Their weight in each group.
    typical : float
        What a group of them weighs.
    of_periods : ndarray of float64
        Their weight in each period that was tested, in order; empty if folds are no periods.
    """

    of_groups: NDArray[np.float64]
    typical: float
    of_periods: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        held: ClassScores,
        kind: NDArray[np.bool_],
        is_hit: NDArray[np.bool_],
        nearness: NDArray[np.float64],
    ) -> "Hits":
        """Weigh the hits among the documents of a kind.

        There may be few hits or none. What the next would weigh is then seen at the documents of
        the kind that are nearest to being hits, as many groups as it takes.
        """
        weights, groups = relative_weights(held), held.groups
        hits = kind & is_hit
        of_periods: NDArray[np.float64] = np.empty(0)
        if held.in_time:
            periods = np.unique(held.folds, return_inverse=True)[1]
            of_periods = np.bincount(periods, np.where(hits, weights, 0.0)).astype(np.float64)
        n_groups = int(groups.max(initial=0)) + 1
        of_groups = np.zeros(n_groups)
        np.add.at(of_groups, groups[hits], weights[hits])
        nearest = np.full(n_groups, -np.inf)
        np.maximum.at(nearest, groups[kind], nearness[kind])
        n_typical = min(N_TYPICAL_GROUPS, int(np.count_nonzero(nearest > -np.inf)))
        if not n_typical:
            return cls(of_groups, 1.0, of_periods)
        least = np.partition(nearest, n_groups - n_typical)[n_groups - n_typical]
        near = kind & (nearness >= least)
        of_near = np.bincount(groups[near], weights[near])
        return cls(of_groups, float(of_near @ of_near / of_near.sum()), of_periods)


def _interval(
    hits: Hits,
    misses: Hits,
    hits_again: NDArray[np.float64],
    misses_again: NDArray[np.float64],
) -> Interval:
    return share_interval(hits, misses, hits_again, misses_again, _group_effect(hits, misses))


def share_interval(
    hits: Hits,
    misses: Hits,
    hits_again: NDArray[np.float64],
    misses_again: NDArray[np.float64],
    effect: float = 1.0,
) -> Interval:
    """Return the share of the hits among hits and misses, with an interval of 95 %.

    Without weights and groups it is Jeffreys' interval. With them, in the manner of Korn and
    Graubard (Survey Methodology 24, 1998):

    * Hits and misses are counted in effective documents, their weight by what a group of them
      weighs. Hits and misses may weigh differently, as they do if the rest was sampled down and
      weighted up. So the two are counted apart, and the odds turn the share of counts back.
    * That takes the documents of a group to share one fate. If groups have both hits and misses,
      the linearised variance of the log odds over groups says how far that is so, as if one more
      group had been seen that shares it (`effect`). With few groups this variance is itself
      uncertain, and a quantile of Student's t replaces the normal one.
    * The threshold would be another with other documents. How far resampled thresholds take the
      share from its estimate (`hits_again`, `misses_again`), squared, is added to its variance.
    """
    hit, missed = float(hits.of_groups.sum()), float(misses.of_groups.sum())
    if hit + missed == 0:
        return Interval(np.nan, 0.0, 1.0)
    n_hits, n_misses = hit / hits.typical / effect, missed / misses.typical / effect
    n = n_hits + n_misses
    smoothed = (n_hits + 0.5) / (n + 1)
    drawn = smoothed * (1 - smoothed) / n
    again = np.stack([hits_again / hits.typical, misses_again / misses.typical])
    again = again[:, again.sum(axis=0) > 0]
    shares_again = again[0] / again.sum(axis=0)
    spread = float(np.mean((shares_again - n_hits / n) ** 2)) if again.size else 0.0
    if len(hits.of_periods) > 1:
        return _of_next_period(hits, misses, effect, spread)
    kept = drawn / (drawn + spread)
    tail, odds = (1 - CONFIDENCE) / 2, hits.typical / misses.typical
    lower, upper = (
        odds * limit / (odds * limit + 1 - limit)
        for limit in (
            float(stats.beta.ppf(quantile, kept * n_hits + 0.5, kept * n_misses + 0.5))
            for quantile in (tail, 1 - tail)
        )
    )
    share = hit / (hit + missed)
    return Interval(
        share,
        0.0 if hit == 0 else min(lower, share),
        1.0 if missed == 0 else max(upper, share),
    )


@dataclass(frozen=True)
class _Level:
    """Where the log odds of a share stand after the last of several periods.

    They are taken to move from period to period by chance: the local level model, a random walk
    that is seen through sampling errors. How far they move is estimated from how much more
    neighbouring periods differ than so many documents do by chance. Kalman's filter weighs the
    periods: all alike if nothing moves, the last ones more if much does.

    Attributes
    ----------
    level, variance : float
        The log odds of hits to misses, and how well they are known.
    step : float
        The variance of their move from one period to the next.
    n_periods : int
        From how many periods this is known.
    """

    level: float
    variance: float
    step: float
    n_periods: int

    @classmethod
    def of(cls, hits: Hits, misses: Hits, effect: float = 1.0) -> "_Level":
        """Take hits and misses; `effect` is by what to divide effective documents."""
        n_hits = hits.of_periods / (hits.typical * effect)
        n_misses = misses.of_periods / (misses.typical * effect)
        seen = n_hits + n_misses > 0
        # Half a document more on either side, as a period may have none.
        n_hits, n_misses = n_hits[seen] + 0.5, n_misses[seen] + 0.5
        levels, errors = np.log(n_hits / n_misses), 1 / n_hits + 1 / n_misses
        moves = np.diff(levels)
        by_chance = (errors[1:] + errors[:-1]).sum()
        step = max(0.0, float(moves @ moves - by_chance)) / max(len(moves), 1)
        level, variance = float(levels[0]), float(errors[0])
        for next_level, error in zip(levels[1:].tolist(), errors[1:].tolist(), strict=True):
            variance += step
            gain = variance / (variance + error)
            level, variance = level + gain * (next_level - level), (1 - gain) * variance
        return cls(
            level + float(np.log(hits.typical / misses.typical)), variance, step, len(levels)
        )

    @property
    def share(self) -> float:
        """The share of the hits."""
        return float(expit(self.level))


def _of_next_period(hits: Hits, misses: Hits, effect: float, spread: float) -> Interval:
    """Return the share of the hits in the period that follows, with an interval of 95 %.

    It may have moved on by then, and a quantile of Student's t says that the periods are few.
    `effect` and `spread` are those of :func:`share_interval`.
    """
    at_end = _Level.of(hits, misses, effect)
    tail = (1 + CONFIDENCE) / 2
    quantile = float(stats.t.ppf(tail, max(at_end.n_periods - 1, 1)))
    of_threshold = spread / (at_end.share * (1 - at_end.share)) ** 2
    width = np.sqrt(
        quantile**2 * (at_end.variance + at_end.step) + stats.norm.ppf(tail) ** 2 * of_threshold
    )
    lower, upper = float(expit(at_end.level - width)), float(expit(at_end.level + width))
    if not hits.of_periods.any():
        return Interval(0.0, 0.0, upper)
    if not misses.of_periods.any():
        return Interval(1.0, lower, 1.0)
    return Interval(at_end.share, lower, upper)


def _group_effect(hits: Hits, misses: Hits) -> float:
    """Return by what to divide effective documents, 1 if those of a group all share one fate."""
    hit, missed = hits.of_groups.sum(), misses.of_groups.sum()
    sizes = hits.of_groups / hits.typical + misses.of_groups / misses.typical
    n_groups = np.count_nonzero(sizes)
    if hit == 0 or missed == 0 or n_groups < 2:
        return 1.0
    deviations = hits.of_groups / hit - misses.of_groups / missed
    variance = deviations @ deviations * n_groups / (n_groups - 1)
    effect = min(1.0, variance / (hits.typical / hit + misses.typical / missed))
    n_seen = min(np.count_nonzero(hits.of_groups), np.count_nonzero(misses.of_groups))
    effect = (n_seen * effect + 1) / (n_seen + 1)
    n_even = sizes.sum() ** 2 / (sizes @ sizes)
    of_groups, of_documents = (
        float(stats.t.ppf((1 + CONFIDENCE) / 2, max(n, 2.0) - 1))
        for n in (n_even, sizes.sum() / effect)
    )
    return float(effect * max(1.0, of_groups / of_documents) ** 2)
