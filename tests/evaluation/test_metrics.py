import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from imbtext.evaluation.metrics import METRICS, PAPER_METRICS, binary_scores, f_beta

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


@given(st.floats(0.01, 1), st.floats(0.01, 1))
def test_f_beta_lies_between_precision_and_recall_and_leans_to_recall(precision, recall):
    low, high = sorted((precision, recall))
    f1, f2 = f_beta(precision, recall, 1.0), f_beta(precision, recall, 2.0)
    assert low - 1e-12 <= f1 <= high + 1e-12
    assert abs(f2 - recall) <= abs(f1 - recall) + 1e-12


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([True], [True, False]), "y_pred has the shape"),
        (([True, False], [True, False], [0.1]), "decision has the shape"),
        ((["a", "b"], ["a", "b"]), "pass `labels == the_class`"),
        (([[True]], [[True]]), "2 dimensions"),
    ],
)
def test_wrong_input_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        binary_scores(*arguments)
