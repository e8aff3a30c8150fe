"""Every measure on many resamples of the same test documents, all at once.

A resample is a number for each document: how often it was drawn. With documents sorted by their
score once, all measures of all resamples are sums and running sums of these numbers.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext.metrics import METRIC_TABLE, METRICS, Confusion
from imbtext.randomness import keyed_generator

# Resamples held in memory at a time, in documents.
_AT_ONCE: Final = 4_000_000


def bootstrap_scores(
    true: NDArray[np.bool_], decision: NDArray[np.float64], n_resamples: int, seed: int
) -> dict[str, list[float]]:
    """Score `n_resamples` stratified resamples of the test documents; both classes must occur.

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
    found = np.cumsum(drawn * true, axis=1)
    alarms = np.cumsum(drawn * ~true, axis=1)
    n_class, n_rest = found[:, -1], alarms[:, -1]
    n_predicted = int(np.count_nonzero(decision > 0))
    confusion = Confusion(
        found[:, n_predicted - 1] if n_predicted else np.zeros(len(drawn)),
        alarms[:, n_predicted - 1] if n_predicted else np.zeros(len(drawn)),
        n_class,
        n_rest,
    )
    # Documents with equal scores come in together.
    last = np.append(np.flatnonzero(np.diff(decision)), len(decision) - 1)
    zero = np.zeros((len(drawn), 1))
    tpr = np.hstack([zero, found[:, last] / n_class[:, None]])
    fpr = np.hstack([zero, alarms[:, last] / n_rest[:, None]])
    retrieved = found[:, last] + alarms[:, last]
    at = np.divide(found[:, last], retrieved, out=np.zeros_like(retrieved), where=retrieved > 0)
    hard = {
        name: metric.of_confusion(confusion)
        for name, metric in METRIC_TABLE.items()
        if metric.of_confusion
    }
    return hard | {
        "average_precision": (np.diff(tpr, axis=1) * at).sum(axis=1),
        "roc_auc": (np.diff(fpr, axis=1) * (tpr[:, 1:] + tpr[:, :-1]) / 2).sum(axis=1),
    }
