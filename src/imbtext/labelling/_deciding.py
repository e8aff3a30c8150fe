"""From reading to deciding: a model, and a label for what nobody has read.

Two traps wait here. The documents that were read were chosen for looking like the class, so a model
of them alone expects the class everywhere. And a model that counts the unread as "no" was trained
to put each of them outside the class, so its scores of them are biased.

`Labelling.decide` avoids both. All documents are learnt from, the unread ones as "no", and
every document is scored by models that have not seen it. Some of the unread belong to the class;
the loop estimates how many (``m``). Their held-out scores say which ones are likely: Platt's curve
of the labels, moved until the chances of the unread add up to ``m``. A second model counts each of
them as "no" only as far as it is unlikely to be of the class. Threshold, probabilities and
expectations are then chosen as if ``m`` of the unread, drawn in proportion to their chances, had
been found to be of the class.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit

from imbtext._typing import Label
from imbtext.documents._documents import Documents
from imbtext.metrics import get_goal
from imbtext.rare._classifier import RareTextClassifier
from imbtext.rare._fitted import FittedModel
from imbtext.statistics import Interval
from imbtext.thresholds._calibration import calibrate
from imbtext.thresholds._expectation import Expectation
from imbtext.thresholds._held_out import HeldOut
from imbtext.thresholds._operating_point import OperatingPoint

# How far the constant of the curve is moved at most, in log odds.
_FARTHEST: Final = 60.0
# The score of a document that no model could be kept from seeing.
_NEVER: Final = -1e6


@dataclass(frozen=True, eq=False, repr=False)
class PoolDecisions:
    """What is decided on every document of a pool, read or not.

    Attributes
    ----------
    model : RareTextClassifier
        The model for new documents. Do not ask it about the pool: it has learnt from it.
    labels : ndarray of object
        The label of each document: what somebody said, or else what models decide that have not
        seen the document.
    is_read : ndarray of bool
        Whether somebody has read it.
    scores, probabilities : ndarray of float64
        The score and the probability of each document for the class to find, by models that have
        not seen it. With several classes they are those of the class whose threshold it exceeds
        most.

    Examples
    --------
    >>> from imbtext import Labelling
    >>> texts = ["oil price up", "crude oil price", "rain", "sun and rain", "sun"] * 8
    >>> loop = Labelling(texts, words="oil")
    >>> loop.add([0, 1, 2, 5, 6, 7], ["yes", "yes", "no"] * 2)
    >>> decided = loop.decide()
    >>> decided.labels[:3].tolist(), decided.is_read[:4].tolist()
    (['yes', 'yes', 'no'], [True, True, True, False])
    """

    model: RareTextClassifier
    labels: NDArray[np.object_]
    is_read: NDArray[np.bool_]
    scores: NDArray[np.float64]
    probabilities: NDArray[np.float64]

    def __repr__(self) -> str:
        n_unread = int((~self.is_read).sum())
        return f"PoolDecisions({len(self.labels):,} documents, {n_unread:,} of them unread)"


def decide_pool(
    model: RareTextClassifier,
    documents: Documents,
    labels: Sequence[Label],
    no: Label,
    remaining: Mapping[Label, Interval],
) -> PoolDecisions:
    """Learn from all documents of a pool, and decide on each; see the header.

    `labels` are None where nobody has read. `remaining` says for each class how many of the unread
    belong to it. `model` is fitted.
    """
    model._validate_params()
    unread = np.array([label is None for label in labels])
    y = [no if label is None else label for label in labels]
    fitted, held_out = model._learn(Documents.of(documents, y))
    chances = _chances(fitted, held_out, unread, remaining)
    if chances.any():
        weights = 1 - np.minimum(chances.sum(axis=1), 1)
        fitted, held_out = model._learn(Documents.of(documents, y, sample_weight=weights))
        held_out = replace(held_out, weights=None)
        chances = _chances(fitted, held_out, unread, remaining)
    held_out = _as_if_found(held_out, chances)
    kept = held_out.kept()
    point = OperatingPoint.best(get_goal(model.metric), kept, fitted.labels)
    expectation = tuple(
        with_unread(expected, remaining[expected.label])
        if expected.label in remaining
        else expected
        for expected in point.expectation
    )
    fitted = replace(
        fitted,
        point=replace(point, expectation=expectation),
        calibration=held_out.calibration(),
        held_out=kept,
        training_record=replace(fitted.training_record, class_sizes=kept.class_sizes),
    )
    model.fitted_ = fitted
    margins = held_out.margins(fitted.thresholds)
    rows, best = np.arange(len(margins)), np.argmax(margins, axis=1)
    scores = np.asarray(held_out.scores, np.float64)
    known = np.nan_to_num(scores, nan=_NEVER)
    decided = fitted.classes.decide(margins).astype(object)
    for row in np.flatnonzero(~unread).tolist():
        decided[row] = labels[row]
    return PoolDecisions(
        model,
        decided,
        ~unread,
        scores[rows, best],
        fitted.probabilities(known)[rows, best],
    )


def _chances(
    fitted: FittedModel,
    held_out: HeldOut,
    unread: NDArray[np.bool_],
    remaining: Mapping[Label, Interval],
) -> NDArray[np.float64]:
    """Return the chance of each unread document to be of each class that is modelled."""
    chances = np.zeros(held_out.scores.shape)
    for c, label in enumerate(fitted.labels):
        scores = np.asarray(held_out.scores[:, c], np.float64)
        known = unread & ~np.isnan(scores)
        n_class = min(remaining[label].mean, known.sum()) if label in remaining else 0.0
        if n_class <= 0:
            continue
        labelled = ~np.isnan(scores)
        curve = calibrate(scores[labelled], held_out.is_class[labelled, c])
        chances[known, c] = _adding_up_to(n_class, curve.slope[0] * scores[known])
    return chances


def _adding_up_to(total: float, log_odds: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities whose log odds are moved until they add up to a total."""
    if total >= len(log_odds):
        return np.ones(len(log_odds))

    def surplus(shift: float) -> float:
        return float(expit(log_odds + shift).sum() - total)

    farthest = float(np.abs(log_odds).max()) + _FARTHEST
    return np.asarray(expit(log_odds + brentq(surplus, -farthest, farthest)))


def _as_if_found(held_out: HeldOut, chances: NDArray[np.float64]) -> HeldOut:
    """Count some unread documents as of a class: as many as the chances add up to.

    The likeliest of every stretch whose chances add up to one is taken, from the top down.
    """
    is_class = held_out.is_class.copy()
    for c in range(is_class.shape[1]):
        order = np.argsort(-chances[:, c], kind="stable")
        added = np.cumsum(chances[order, c])
        drawn = order[np.flatnonzero(np.diff(np.floor(added + 0.5), prepend=0.0) > 0)]
        is_class[drawn] = False
        is_class[drawn, c] = True
    sizes = tuple(is_class.sum(axis=0).tolist())
    return replace(held_out, is_class=is_class, class_sizes=sizes)


def with_unread(expected: Expectation, remaining: Interval) -> Expectation:
    """Return what to expect if more of the unread are of the class than the estimate says.

    The model may find none of those or all of them, so the interval of recall covers both.
    """
    n_class = expected.n_class
    hidden = max(remaining.upper - remaining.mean, 0.0)
    if not n_class:
        return expected
    recall = Interval(
        expected.recall.mean,
        expected.recall.lower * n_class / (n_class + hidden),
        (expected.recall.upper * n_class + hidden) / (n_class + hidden),
    )
    return replace(expected, recall=recall)
