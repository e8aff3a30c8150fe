"""From held-out scores to decisions: goals, thresholds, probabilities, and what to expect of them.

Everything here reads the same thing, the scores of documents by rankings that have not seen them
(:class:`ClassScores`), and nothing here knows how they were made.

* A :class:`Goal` is what the decision is to be good at. Users write it as methods are written:
  ``f2``, ``cost(10, 1)``, ``recall_at_precision(0.9)``.
* :func:`choose_threshold` finds the operating point: the threshold that serves a goal best, over
  the scores of all folds together. Between two scores the threshold lies half way.
* :func:`calibrate` fits a logistic curve from scores to probabilities.
* :func:`expect` says what new documents will bring. Looking up the success of a threshold on the
  scores it was chosen on would flatter it, so every fold is judged at a threshold chosen on the
  other folds. An interval is as wide as the number of documents and the spread of the threshold
  make it.

For balanced accuracy and for costs, one found or missed document of a small class would move the
threshold far. There the recall at a threshold is counted as if two more documents of the class had
been seen, ranked as a modest classifier ranks them: recall ``FPR ** 0.2``. The same prior is used
if a class has a single document, which cannot be held out and learnt from at once.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import minimize
from scipy.special import expit, logit
from sklearn.metrics import average_precision_score

from imbtext.metrics import Confusion, get_metric
from imbtext.randomness import keyed_generator
from imbtext.statistics import Interval

_WRITTEN: Final = re.compile(r"\s*([a-z_]+)\s*\(([^()]*)\)\s*")
_CHOICES: Final = (
    "balanced_accuracy, f1, f2 (or f with any beta, such as f0.5), cost(miss, alarm), "
    "recall_at_precision(p), precision_at_recall(r) or alarms(n) per thousand documents"
)
_PRIOR_DOCUMENTS: Final = 2.0
_PRIOR_EXPONENT: Final = 0.2
# Where a class cannot be held out, its documents are taken to lie at the margin.
_MARGIN: Final = 1.0
CONFIDENCE: Final = 0.95
_N_RESAMPLES: Final = 40
_STREAM: Final = 0xE59EC7


@dataclass(frozen=True, eq=False)
class ClassScores:
    """The held-out scores of one class.

    Attributes
    ----------
    scores : ndarray of float64
        The score of each document that could be held out.
    is_class : ndarray of bool
        Whether the document belongs to the class.
    weights : ndarray of float64 or None
        How much each document counts in the choice of the threshold; None counts each once.
    folds : ndarray of int8
        The fold that held the document out.
    """

    scores: NDArray[np.float64]
    is_class: NDArray[np.bool_]
    weights: NDArray[np.float64] | None
    folds: NDArray[np.int8]


@dataclass(frozen=True)
class Goal:
    """A value to be made as large as possible by the choice of a threshold.

    Attributes
    ----------
    name : str
        As users type it.
    title : str
        As a sentence says it.
    value : callable
        From the confusion at each threshold to the value there.
    smoothed : bool
        Whether the prior on recall (see above) helps out with few documents of the class.
    """

    name: str
    title: str
    value: Callable[[Confusion], NDArray[np.float64]]
    smoothed: bool = False


def get_goal(metric: Any) -> Goal:
    """Return the goal that a user named.

    Examples
    --------
    >>> get_goal("f2").title
    'F2'
    >>> get_goal((10, 1)).name
    'cost(10, 1)'
    >>> get_goal("recall_at_precision(0.9)").title
    'recall at a precision of 0.9'
    """
    if isinstance(metric, tuple | list) and len(metric) == 2:
        return _cost(*metric)
    unknown = f"metric is {metric!r:.60}; choose {_CHOICES}"
    if not isinstance(metric, str):
        raise ValueError(unknown)
    written = _WRITTEN.fullmatch(metric)
    if written is None:
        try:
            known = get_metric(metric.strip(), among=("balanced_accuracy", "f1", "f2"))
        except ValueError:
            raise ValueError(unknown) from None
        value: Any = known.of_confusion
        return Goal(known.name, known.title, value, known.name == "balanced_accuracy")
    makers: dict[str, Callable[..., Goal]] = {
        "cost": _cost,
        "recall_at_precision": partial(_most_at, "recall", "precision"),
        "precision_at_recall": partial(_most_at, "precision", "recall"),
        "alarms": _alarms,
    }
    try:
        return makers[written[1]](*(float(part.strip()) for part in written[2].split(",")))
    except (KeyError, TypeError):
        raise ValueError(unknown) from None
    except ValueError as error:
        if "could not convert" not in str(error):
            raise
        raise ValueError(f"metric is {metric!r:.60}, and {error}; choose {_CHOICES}") from None


def _cost(miss: Any, alarm: Any) -> Goal:
    """Lowest cost of missed documents and false alarms."""
    name = f"cost({_checked(miss, 'the cost of a miss')}, {_checked(alarm, 'that of an alarm')})"

    def value(confusion: Confusion) -> NDArray[np.float64]:
        missed = np.subtract(confusion.n_class, confusion.found)
        return np.asarray(-(miss * missed + alarm * np.asarray(confusion.alarms)), np.float64)

    title = f"low cost, a miss being {miss:g} and a false alarm {alarm:g}"
    return Goal(name, title, value, smoothed=True)


def _most_at(most: str, reached: str, share: float) -> Goal:
    """The largest share of one kind where another is reached; else what comes nearest to it."""
    if not 0 < share <= 1:
        raise ValueError(f"the {reached} is {share:g}; give a number above 0, up to 1")

    def value(confusion: Confusion) -> NDArray[np.float64]:
        reached_share = getattr(confusion, reached)
        maximised = getattr(confusion, most)
        return np.asarray(np.where(reached_share >= share, maximised, reached_share - 2))

    return Goal(f"{most}_at_{reached}({share:g})", f"{most} at a {reached} of {share:g}", value)


def _alarms(per_thousand: float) -> Goal:
    """As many alarms as allowed: whoever reads them has the time."""
    if not 0 < per_thousand <= 1000:
        raise ValueError(f"alarms({per_thousand:g}): give a number per thousand, above 0")

    def value(confusion: Confusion) -> NDArray[np.float64]:
        n_put = np.add(confusion.found, confusion.alarms)
        share = n_put / np.add(confusion.n_class, confusion.n_rest)
        return np.asarray(np.where(share <= per_thousand / 1000, share, -share))

    name = f"alarms({per_thousand:g})"
    return Goal(name, f"at most {per_thousand:g} alarms per thousand documents", value)


def _checked(number: Any, what: str) -> str:
    if isinstance(number, bool) or not isinstance(number, int | float | np.number):
        raise ValueError(f"{what} is {number!r:.40}; give a number above 0")
    if not 0 < number < np.inf:
        raise ValueError(f"{what} is {number:g}; give a number above 0")
    return f"{number:g}"


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
    >>> scores, is_class = np.array([3.0, 2.0, 1.0, 0.0]), np.array([True, True, False, False])
    >>> choose_threshold(get_goal("f1"), scores, is_class)
    1.5
    """
    if not len(scores):
        return 0.0
    thresholds, confusion = curve(scores, is_class, weights)
    n_class = float(is_class.sum())
    if goal.smoothed or n_class == 0:
        confusion = _smoothed(confusion, n_class)
    # Of equal values the first: the fewest documents put into the class.
    return float(thresholds[np.argmax(goal.value(confusion))])


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
) -> Calibration:
    """Fit Platt's curve to scores of held-out documents.

    The two targets are not 0 and 1 but what one more document on either side would suggest, so that
    a class which is told apart without a fault gets no infinite slope.

    Examples
    --------
    >>> scores = np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    >>> calibration = calibrate(scores, np.array([True, True, False, False, False, False]))
    >>> calibration.probabilities(np.array([-1.0, 1.0])).round(1).tolist()
    [0.2, 0.6]
    """
    counts = np.ones(len(scores)) if weights is None else weights
    inside = float(counts[is_class].sum())
    outside = float(counts[~is_class].sum())
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


@dataclass(frozen=True)
class Expectation:
    """What cross-validation says of one class.

    Attributes
    ----------
    label : object
        The class.
    n_class, n_documents : int
        Documents of the class and of all among those it was learnt from.
    recall : Interval
        Share of the documents of the class that are found.
    precision : Interval
        Share of the documents put into the class that belong there.
    alarms_per_thousand : float
        Documents put into the class, right or wrong, of a thousand.
    average_precision : float
        How well held-out documents are ranked.
    """

    label: Any
    n_class: int
    n_documents: int
    recall: Interval
    precision: Interval
    alarms_per_thousand: float
    average_precision: float

    def sentences(self) -> list[str]:
        """Return what to expect in plain words."""
        if np.isnan(self.recall.mean):
            return [
                f"Only one document of {self.label} was given, so nothing can be said about others."
            ]
        n_found = _of_hundred(self.recall)
        n_right = _of_hundred(self.precision)
        return [
            f"It finds about {n_found} of every 100 real {self.label} documents.",
            f"About {n_right} of every 100 alarms are right."
            if not np.isnan(self.precision.mean)
            else "It raised no alarm on held-out documents.",
            f"It puts {self.alarms_per_thousand:.1f} of 1,000 documents into the class.",
        ]


def _of_hundred(interval: Interval) -> str:
    low, high = 100 * interval.lower, 100 * interval.upper
    return f"{100 * interval.mean:.0f} (between {low:.0f} and {high:.0f})"


def expect(label: Any, goal: Goal, held_out: ClassScores, seed: int) -> Expectation:
    """Estimate what new documents of the same kind will bring."""
    scores, is_class, weights = held_out.scores, held_out.is_class, held_out.weights
    n_class = int(is_class.sum())
    predicted = np.zeros(len(scores), bool)
    for fold in np.unique(held_out.folds):
        here = held_out.folds == fold
        others = None if weights is None else weights[~here]
        threshold = choose_threshold(goal, scores[~here], is_class[~here], others)
        predicted[here] = scores[here] > threshold
    n_found = int((predicted & is_class).sum())
    n_alarms = int(predicted.sum())
    spread = _threshold_spread(goal, scores, is_class, weights, seed)
    return Expectation(
        label=label,
        n_class=n_class,
        n_documents=len(scores),
        recall=_interval(n_found, n_class, spread[0]),
        precision=_interval(n_found, n_alarms, spread[1]),
        alarms_per_thousand=1000 * n_alarms / max(len(scores), 1),
        average_precision=float(average_precision_score(is_class, scores)) if n_class else np.nan,
    )


def _threshold_spread(
    goal: Goal,
    scores: NDArray[np.float64],
    is_class: NDArray[np.bool_],
    weights: NDArray[np.float64] | None,
    seed: int,
) -> tuple[float, float]:
    """Return the variances of recall and precision that come from choosing the threshold."""
    n_class = int(is_class.sum())
    if not n_class:
        return 0.0, 0.0
    # Every choice of a threshold sorts, which costs little once the scores are sorted.
    order = np.argsort(-scores, kind="stable")
    scores, is_class = scores[order], is_class[order]
    weights = None if weights is None else weights[order]
    generator = keyed_generator(seed, _STREAM)
    recalls, precisions = [], []
    for _ in range(_N_RESAMPLES):
        drawn = generator.poisson(1.0, len(scores)).astype(np.float64)
        if not (drawn[is_class] > 0).any():
            continue
        threshold = choose_threshold(
            goal, scores, is_class, drawn if weights is None else drawn * weights
        )
        predicted = scores > threshold
        n_found = int((predicted & is_class).sum())
        recalls.append(n_found / n_class)
        if predicted.any():
            precisions.append(n_found / predicted.sum())
    return float(np.var(recalls or 0.0)), float(np.var(precisions or 0.0))


def _interval(part: int, total: int, spread: float) -> Interval:
    """Return Jeffreys' interval of a share, for fewer documents where the threshold spreads."""
    if total == 0:
        return Interval(np.nan, 0.0, 1.0)
    smoothed = (part + 0.5) / (total + 1)
    drawn = smoothed * (1 - smoothed) / total
    size = total * drawn / (drawn + spread)
    a, b = size * part / total + 0.5, size * (total - part) / total + 0.5
    tail = (1 - CONFIDENCE) / 2
    lower = 0.0 if part == 0 else float(stats.beta.ppf(tail, a, b))
    upper = 1.0 if part == total else float(stats.beta.ppf(1 - tail, a, b))
    return Interval(part / total, lower, upper)
