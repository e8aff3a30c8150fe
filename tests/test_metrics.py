import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from imbtext.metrics import (
    METRIC_TABLE,
    METRICS,
    PAPER_METRICS,
    RANKING_METRICS,
    Confusion,
    binary_scores,
    f_beta,
    get_metric,
)

labels = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40).filter(
    lambda pairs: len({true for true, _ in pairs}) == 2
)


@given(labels)
def test_agrees_with_scikit_learn(pairs):
    true, predicted = map(np.array, zip(*pairs, strict=True))
    scores = binary_scores(true, predicted)
    expected = {
        "balanced_accuracy": reference.balanced_accuracy_score(true, predicted),
        "f1": reference.f1_score(true, predicted, zero_division=0.0),
        "f2": reference.fbeta_score(true, predicted, beta=2, zero_division=0.0),
        "recall": reference.recall_score(true, predicted),
        "tnr": reference.recall_score(~true, ~predicted),
        "precision": reference.precision_score(true, predicted, zero_division=0.0),
    }
    assert scores == pytest.approx(expected)


def test_nothing_predicted_gives_zero_precision_and_f_scores():
    scores = binary_scores([True, False, False], [False, False, False])
    assert (scores["precision"], scores["f1"], scores["f2"]) == (0.0, 0.0, 0.0)
    assert scores["balanced_accuracy"] == 0.5


def test_ranking_is_scored_only_with_a_decision_function():
    true, decision = [True, False, True, False], [0.9, 0.4, 0.3, -1.0]
    assert tuple(binary_scores(true, [True, False, False, False])) == PAPER_METRICS
    scores = binary_scores(true, [True, False, False, False], decision)
    assert tuple(scores) == METRICS
    assert scores["roc_auc"] == 0.75
    assert scores["average_precision"] == pytest.approx((1 + 2 / 3) / 2)


def test_a_class_missing_from_the_test_side_is_not_a_number_and_no_warning():
    scores = binary_scores([False, False], [True, False], [0.1, 0.2])
    assert math.isnan(scores["recall"])
    assert math.isnan(scores["balanced_accuracy"])
    assert math.isnan(scores["roc_auc"])
    assert math.isnan(scores["average_precision"])
    assert scores["tnr"] == 0.5
    assert math.isnan(binary_scores([True], [True], [0.1])["roc_auc"])


@given(st.integers(1, 20), st.integers(0, 20), st.integers(0, 20))
def test_f_beta_lies_between_precision_and_recall_and_leans_to_recall(found, missed, alarms):
    counts = Confusion(found, alarms, n_class=found + missed, n_rest=alarms + 5)
    low, high = sorted((counts.precision, counts.recall))
    f1, f2 = f_beta(counts, 1.0), f_beta(counts, 2.0)
    assert low - 1e-12 <= f1 <= high + 1e-12
    assert abs(f2 - counts.recall) <= abs(f1 - counts.recall) + 1e-12


@given(labels, st.sampled_from([0.25, 0.5, 1.0, 3.0]))
def test_an_f_score_of_any_beta_is_found_by_name_and_is_scikit_learns(pairs, beta):
    true, predicted = map(np.array, zip(*pairs, strict=True))
    metric = get_metric(f"f{beta}")
    expected = reference.fbeta_score(true, predicted, beta=beta, zero_division=0.0)
    assert metric.of_confusion(Confusion.of(true, predicted)) == pytest.approx(expected)
    assert metric.name == f"f{beta:g}"


def test_arrays_of_counts_are_scored_at_once():
    rng = np.random.default_rng(0)
    true = rng.random(50) < 0.2
    cuts = [rng.random(50) < rate for rate in (0.0, 0.3, 1.0)]
    one_by_one = [Confusion.of(true, cut) for cut in cuts]
    at_once = Confusion(
        np.array([c.found for c in one_by_one]),
        np.array([c.false_alarms for c in one_by_one]),
        one_by_one[0].n_class,
        one_by_one[0].n_rest,
    )
    for metric in METRIC_TABLE.values():
        if metric.of_confusion:
            expected = [float(metric.of_confusion(c)) for c in one_by_one]
            assert metric.of_confusion(at_once).tolist() == expected


def test_every_metric_travels_to_other_processes():
    assert {pickle.loads(pickle.dumps(m)).name for m in METRIC_TABLE.values()} == set(METRICS)


@pytest.mark.parametrize("name", ["accuracy", "f0", "f-1", "F1", "f1.", "", None, "tnr"])
def test_unknown_metrics_are_refused_with_the_known_ones(name):
    with pytest.raises(ValueError, match="choose from balanced_accuracy, f1, or f with any beta"):
        get_metric(name, among=("balanced_accuracy", "f1"))


def test_no_f_score_where_only_rankings_make_sense():
    with pytest.raises(ValueError, match=r"choose from average_precision, roc_auc$"):
        get_metric("f2", among=RANKING_METRICS)


@pytest.mark.parametrize("lengths", [(1, 2, 2), (2, 2, 1)])
def test_other_lengths_are_refused(lengths):
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        binary_scores(*([True] * n for n in lengths))
