"""Moving a model: the same ranking at other thresholds, and what to expect there.

:meth:`RareTextClassifier.at` comes here. A goal (a metric, costs, a rate of alarms) chooses
thresholds on the held-out scores that the model keeps (:mod:`imbtext.thresholds`). A number of
alarms among documents that the user has is different: these documents are scored, and the threshold
lies below as many of them.
"""

from collections.abc import Iterator
from numbers import Integral, Real

import numpy as np

from imbtext._messages import listed
from imbtext._typing import DocumentsLike, Label, MetricLike
from imbtext.metrics import alarms_goal, get_goal, read_cost
from imbtext.rare._fitted import FittedModel
from imbtext.thresholds._choosing import threshold_for
from imbtext.thresholds._operating_point import OperatingPoint


def move_model(
    model: FittedModel,
    metric: MetricLike | None,
    cost: MetricLike | None,
    alarms: int | None,
    of: int | DocumentsLike | Iterator[DocumentsLike] | None,
    label: Label,
) -> FittedModel:
    """Return a model elsewhere; the parameters are those of `RareTextClassifier.at`."""
    if sum(wish is not None for wish in (metric, cost, alarms)) != 1:
        raise ValueError("metric, cost and alarms each set the operating point; give one of them")
    if (alarms is None) != (of is None):
        raise ValueError(
            "`alarms` needs the number of documents it is a budget for: pass both, as in "
            "alarms=200, of=10_000"
        )
    c = None if label is None else model.place(label)
    if len(model.thresholds) == 1:
        c = None  # there is no other threshold that could stay
    if cost is not None:
        metric = get_goal(read_cost(cost)).name
    if metric is not None:
        return _move_to_goal(model, metric, c)
    if isinstance(alarms, bool) or not isinstance(alarms, Integral) or alarms < 1:
        raise ValueError(f"alarms is {alarms!r:.40}; give a whole number from 1 up")
    if c is None and model.exclusive:
        raise ValueError(
            "each document is put into one of several classes, so alarms are those of one class; "
            f"say which, as label (--class): {listed(model.labels)}"
        )
    if isinstance(of, Real) and (isinstance(of, bool) or not isinstance(of, Integral)):
        raise ValueError(
            f"of is {of!r:.40}; give documents, or how many there will be as a whole number"
        )
    if isinstance(of, Integral):
        return _move_to_goal(model, alarms_goal(alarms, int(of)), c)
    return _move_to_alarms(model, alarms, of if isinstance(of, Iterator) else iter([of]), c)


def _move_to_goal(model: FittedModel, metric: MetricLike, c: int | None) -> FittedModel:
    """Move the threshold of class `c`, or all of them, to where a metric is best served."""
    goal = get_goal(metric)
    if c is None:
        point = OperatingPoint.best(goal, model.held_out, model.labels)
    else:
        point = model.point.moved_to(goal, c, model.held_out, model.labels)
    return _moved(model, point, metric, goal.chosen_on_held_out, c)


def _move_to_alarms(
    model: FittedModel, alarms: int, batches: Iterator[DocumentsLike], c: int | None
) -> FittedModel:
    """Move the threshold of class `c`, or all; at most `alarms` of the documents lie above it."""
    places = range(len(model.thresholds)) if c is None else [c]
    # The highest scores of each class: one more than there may be alarms.
    n_documents, highest = 0, {place: np.empty(0) for place in places}
    for documents in batches:
        scores = model.score(documents).scores
        n_documents += len(scores)
        for place, kept in highest.items():
            column = scores[:, place]
            if model.held_out.rule is not None:
                column = model.held_out.rule.among_others(scores, model.thresholds, place)
            highest[place] = np.sort(np.concatenate([kept, column]))[-(alarms + 1) :]
    metric = alarms_goal(alarms, n_documents)
    thresholds = {place: threshold_for(alarms, highest[place]) for place in places}
    point = model.point.moved(model.held_out, model.labels, thresholds)
    in_words = f"{get_goal(metric).title}, of documents that were given"
    return _moved(model, point, metric, in_words, c)


def _moved(
    model: FittedModel, point: OperatingPoint, metric: MetricLike, in_words: str, c: int | None
) -> FittedModel:
    """Return the model at a point where the threshold of class `c`, or all, were moved."""
    report = {k: v for k, v in model.report.items() if k != "expectation"}
    if c is None:
        return model.at(point, metric=metric, report=report | {"operating point": in_words})
    in_words = f'{report["operating point"]}; for "{model.labels[c]}", {in_words}'
    return model.at(point, report=report | {"operating point": in_words})
