"""Moving a model: the same ranking at other thresholds, and what to expect there.

:meth:`RareTextClassifier.at` comes here. A goal (a metric, costs, a rate of alarms) chooses
thresholds on the held-out scores that the model keeps (``_kept_scores.py``). A number of alarms
among documents that the user has is different: these documents are scored, and the threshold lies
below as many of them. Either way the model is copied, and the copy stands elsewhere.

This module stands alone: models are trained and used without it.
"""

import copy
from collections.abc import Iterator, Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from imbtext._messages import listed
from imbtext._typing import DocumentsLike, Label, MetricLike
from imbtext.metrics import alarms_goal, get_goal, read_cost
from imbtext.rare._exclusive import above_others
from imbtext.rare._expectation import AlarmRate, Expectation
from imbtext.rare._operating_point import threshold_for

if TYPE_CHECKING:
    from imbtext.rare._classifier import RareTextClassifier

Model = TypeVar("Model", bound="RareTextClassifier")


def move_model(
    model: Model,
    metric: MetricLike | None,
    cost: MetricLike | None,
    alarms: int | None,
    of: int | DocumentsLike | Iterator[DocumentsLike] | None,
    label: Label,
) -> Model:
    """Return a copy of a model elsewhere; the parameters are those of `RareTextClassifier.at`."""
    if sum(wish is not None for wish in (metric, cost, alarms)) != 1:
        raise ValueError("metric, cost and alarms each set the operating point; give one of them")
    if (alarms is None) != (of is None):
        raise ValueError(
            "alarms are raised among documents; give both, such as alarms=200, of=10_000"
        )
    c = None if label is None else model._place(label)
    if len(model.thresholds_) == 1:
        c = None  # there is no other threshold that could stay
    if cost is not None:
        metric = get_goal(read_cost(cost)).name
    if metric is not None:
        return _move_to_goal(model, metric, c)
    if isinstance(alarms, bool) or not isinstance(alarms, Integral) or alarms < 1:
        raise ValueError(f"alarms is {alarms!r:.40}; give a whole number from 1 up")
    if c is None and model._is_exclusive:
        raise ValueError(
            "each document is put into one of several classes, so alarms are those of one class; "
            f"say which, as label (--class): {listed(model._modelled_labels())}"
        )
    if isinstance(of, Real) and (isinstance(of, bool) or not isinstance(of, Integral)):
        raise ValueError(
            f"of is {of!r:.40}; give documents, or how many there will be as a whole number"
        )
    if isinstance(of, Integral):
        return _move_to_goal(model, alarms_goal(alarms, int(of)), c)
    return _move_to_alarms(model, alarms, of if isinstance(of, Iterator) else iter([of]), c)


def _move_to_goal(model: Model, metric: MetricLike, c: int | None) -> Model:
    """Move the threshold of class `c`, or all of them, to where a metric is best served."""
    goal = get_goal(metric)
    other = _copy_to_move(model, metric, goal.chosen_on_held_out, c)
    if c is None:
        other._operating_point = other._kept.choose(goal)
        return other
    curve = model._kept.curve_among_others(c, model.thresholds_)
    expected = curve.expect(model._kept.labels[c], goal, model._kept.seed)
    return _move_thresholds(other, {c: curve.choose(goal)}, {c: expected})


def _move_to_alarms(
    model: Model, alarms: int, batches: Iterator[DocumentsLike], c: int | None
) -> Model:
    """Move the threshold of class `c`, or all; at most `alarms` of the documents lie above it."""
    moved = range(len(model.thresholds_)) if c is None else [c]
    # The highest scores of each class: one more than there may be alarms.
    n_documents, highest = 0, {place: np.empty(0) for place in moved}
    for documents in batches:
        scores = model._read(documents)[2]
        n_documents += len(scores)
        for place, kept in highest.items():
            column = scores[:, place]
            if model._is_exclusive:
                margins = above_others(scores - model.thresholds_, place)
                column = margins + model.thresholds_[place]
            highest[place] = np.sort(np.concatenate([kept, column]))[-(alarms + 1) :]
    metric = alarms_goal(alarms, n_documents)
    in_words = f"{get_goal(metric).title}, of documents that were given"
    other = _copy_to_move(model, metric, in_words, c)
    thresholds = {place: threshold_for(alarms, highest[place]) for place in moved}
    return _move_thresholds(other, thresholds)


def _copy_to_move(model: Model, metric: MetricLike, in_words: str, c: int | None) -> Model:
    """Return a copy whose threshold of class `c`, or all, will move; say in words where to."""
    other = copy.copy(model)
    other._kept = model._kept.of_moving_model()
    other.report_ = {k: v for k, v in model.report_.items() if k != "expectation"}
    if c is None:
        other.metric = metric
    else:
        label = model._modelled_labels()[c]
        in_words = f'{model.report_["operating point"]}; for "{label}", {in_words}'
    other.report_["operating point"] = in_words
    return other


def _move_thresholds(
    model: Model,
    thresholds: Mapping[int, float],
    expected: Mapping[int, tuple[Expectation, AlarmRate]] | None = None,
) -> Model:
    """Move the thresholds of some classes; `expected` is what is known already to expect there."""
    here = model._operating_point
    model._operating_point = model._kept.move(here, thresholds, expected)
    return model
