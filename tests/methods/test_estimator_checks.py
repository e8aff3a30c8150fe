"""scikit-learn's and imbalanced-learn's own checks on MethodClassifier.

The checks bring matrices of numbers, so an adapter spells out each row as a document.
"""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data
from tests.estimator_checks import imbalanced_learns_checks, scikit_learns_checks

from imbtext import MethodClassifier


def spelt(X):
    return [" ".join(map(repr, row)) for row in X.tolist()]


def read(documents):
    return np.array([[float(number) for number in document.split()] for document in documents])


class RowsAsDocuments(ClassifierMixin, BaseEstimator):
    """MethodClassifier for rows of numbers."""

    def __init__(self, method="ros", random_state=0):
        self.method = method
        self.random_state = random_state

    def fit(self, X, y):
        if getattr(y, "ndim", 1) == 2 and y.shape[1] > 1:
            raise ValueError("Multilabel and multioutput targets are not supported.")
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        model = MethodClassifier(self.method, features=read, random_state=self.random_state)
        self.model_ = model.fit(spelt(X), y)
        self.classes_ = self.model_.classes_
        return self

    def _documents(self, X):
        check_is_fitted(self)
        return spelt(validate_data(self, X, reset=False))

    def predict(self, X):
        documents = self._documents(X)
        return self.model_.predict(documents)

    def decision_function(self, X):
        documents = self._documents(X)
        return self.model_.decision_function(documents)


@scikit_learns_checks([RowsAsDocuments(), MethodClassifier(random_state=0)])
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@imbalanced_learns_checks([RowsAsDocuments()])
@pytest.mark.filterwarnings("ignore")
def test_imbalanced_learns_checks(estimator, check):
    check(estimator)


def test_tags():
    tags = MethodClassifier().__sklearn_tags__()
    assert tags.estimator_type == "classifier"
    assert (tags.input_tags.string, tags.input_tags.two_d_array) == (True, False)
