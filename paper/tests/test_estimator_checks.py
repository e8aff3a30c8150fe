"""scikit-learn's checks of classifiers on LSTMClassifier.

`check_estimator` has no documents to try, so on the classifier itself it runs what needs none. An
adapter that writes each number of a row as a word, with a vector that holds the number, lets the
others run: labels of every kind, shapes, cloning, pickling, weights, idempotence.
"""

import warnings

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is missing: pip install torch==2.13.0")

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.utils.estimator_checks import check_estimator
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from paper.lstm_classifier import LSTMClassifier

CANNOT_APPLY = {
    "check_sample_weight_equivalence_on_dense_data": (
        "a repeated document is a step of its own, where a weighted one is a longer step"
    ),
}
STEP = 0.1


def words(X):
    return [
        [f"{j}:{number}" for j, number in enumerate(row)]
        for row in np.rint(X / STEP).astype(int).clip(-200, 200).tolist()
    ]


def vectors(n_features):
    return {
        f"{j}:{number}": [np.sin(j), np.cos(j), number * STEP / 4]
        for j in range(n_features)
        for number in range(-200, 201)
    }


class NumbersAsWords(ClassifierMixin, BaseEstimator):
    """LSTMClassifier for rows of numbers."""

    def __init__(self, epochs=10, random_state=0):
        self.epochs = epochs
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        self.model_ = LSTMClassifier(
            vectors(X.shape[1]),
            units=8,
            dense_units=8,
            length=X.shape[1],
            epochs=self.epochs,
            learning_rate=0.02,
            device="cpu",
            random_state=self.random_state,
        ).fit(words(X), y, sample_weight)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        check_is_fitted(self)
        return self.model_.predict(words(validate_data(self, X, reset=False)))

    def predict_proba(self, X):
        check_is_fitted(self)
        return self.model_.predict_proba(words(validate_data(self, X, reset=False)))


@pytest.mark.slow
def test_every_check_that_applies():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        results = check_estimator(
            NumbersAsWords(), expected_failed_checks=CANNOT_APPLY, on_skip=None
        )
    assert len(results) > 40
    assert {r["status"] for r in results} <= {"passed", "xfail", "skipped"}
    assert {r["check_name"] for r in results if r["status"] == "xfail"} == set(CANNOT_APPLY)


def test_the_checks_that_need_no_documents():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        results = check_estimator(LSTMClassifier(random_state=0))
    assert {r["status"] for r in results} == {"passed"}


@pytest.mark.parametrize("ask", ["predict", "predict_proba"])
def test_asking_before_fitting(ask):
    with pytest.raises(NotFittedError):
        getattr(LSTMClassifier(), ask)(["oil"])
