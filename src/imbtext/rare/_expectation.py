"""What to expect of new documents: how many of the class are found, how many alarms are right.

The threshold is chosen on all held-out scores, so looking up its success on the same scores would
flatter it. Here every fold is judged at a threshold chosen on the other folds, and an interval is
as wide as the number of documents and the wavering of the threshold make it.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.metrics import average_precision_score

from imbtext.randomness import keyed_generator
from imbtext.rare._goals import Goal
from imbtext.rare._operating_point import choose_threshold
from imbtext.statistics import Interval

CONFIDENCE: Final = 0.95
_N_RESAMPLES: Final = 40
_STREAM: Final = 0xE59EC7


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
            return [f"A single document of {self.label} was given: nothing can be said of others."]
        found = _of_hundred(self.recall)
        right = _of_hundred(self.precision)
        return [
            f"Of 100 documents of {self.label} it finds about {found}.",
            f"Of 100 alarms about {right} are right."
            if not np.isnan(self.precision.mean)
            else "It raised no alarm on held-out documents.",
            f"It puts {self.alarms_per_thousand:.1f} of 1,000 documents into the class.",
        ]


def _of_hundred(interval: Interval) -> str:
    low, high = 100 * interval.lower, 100 * interval.upper
    return f"{100 * interval.mean:.0f} (between {low:.0f} and {high:.0f})"


def expect(
    label: Any,
    goal: Goal,
    scores: NDArray[np.float64],
    is_class: NDArray[np.bool_],
    weights: NDArray[np.float64] | None,
    folds: NDArray[np.int8],
    seed: int,
) -> Expectation:
    """Estimate what new documents of the same kind will give.

    The arrays are of the documents that could be held out; `weights` is how often each counts in
    the choice of the threshold (None: once).
    """
    n_class = int(is_class.sum())
    predicted = np.zeros(len(scores), bool)
    for fold in np.unique(folds):
        here = folds == fold
        others = None if weights is None else weights[~here]
        threshold = choose_threshold(goal, scores[~here], is_class[~here], others)
        predicted[here] = scores[here] > threshold
    found = int((predicted & is_class).sum())
    put = int(predicted.sum())
    spread = _threshold_spread(goal, scores, is_class, weights, seed)
    return Expectation(
        label=label,
        n_class=n_class,
        n_documents=len(scores),
        recall=_interval(found, n_class, spread[0]),
        precision=_interval(found, put, spread[1]),
        alarms_per_thousand=1000 * put / max(len(scores), 1),
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
    # Sorted once: every choice of a threshold sorts, and what is sorted already costs little.
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
        found = int((predicted & is_class).sum())
        recalls.append(found / n_class)
        if predicted.any():
            precisions.append(found / predicted.sum())
    return float(np.var(recalls or 0.0)), float(np.var(precisions or 0.0))


def _interval(part: int, whole: int, spread: float) -> Interval:
    """Jeffreys' interval of a share, with as many documents as leave room for `spread`."""
    if whole == 0:
        return Interval(np.nan, 0.0, 1.0)
    smoothed = (part + 0.5) / (whole + 1)
    drawn = smoothed * (1 - smoothed) / whole
    size = whole * drawn / (drawn + spread)
    a, b = size * part / whole + 0.5, size * (whole - part) / whole + 0.5
    tail = (1 - CONFIDENCE) / 2
    lower = 0.0 if part == 0 else float(stats.beta.ppf(tail, a, b))
    upper = 1.0 if part == whole else float(stats.beta.ppf(1 - tail, a, b))
    return Interval(part / whole, lower, upper)
