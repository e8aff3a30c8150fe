"""scikit-learn's and imbalanced-learn's checks as parameters of a test.

Their own decorators give pytest a generator, which it deprecates, and warn at import of checks that
an estimator of text cannot take.
"""

import warnings

import pytest
from imblearn.utils import estimator_checks as imbalanced_learn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import SkipTestWarning
from sklearn.utils import estimator_checks as scikit_learn
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data


def scikit_learns_checks(estimators, cannot_apply=None):
    """Run a test once for each estimator and check of scikit-learn."""
    return _parametrized(scikit_learn.estimator_checks_generator, estimators, cannot_apply)


def imbalanced_learns_checks(estimators, cannot_apply=None):
    """Run a test once for each estimator and check of imbalanced-learn."""
    return _parametrized(imbalanced_learn.estimator_checks_generator, estimators, cannot_apply)


def _parametrized(generator, estimators, cannot_apply):
    cases = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        for number, estimator in enumerate(estimators):
            for instance, check in generator(
                estimator, expected_failed_checks=cannot_apply, mark="skip"
            ):
                name = getattr(check, "func", check).__name__
                kind = type(estimator).__name__
                cases.append(pytest.param(instance, check, id=f"{kind}{number}-{name}"))
    return pytest.mark.parametrize(("estimator", "check"), cases)


def spelt(X):
    """Write the numbers of each row as a document."""
    return [" ".join(map(repr, row)) for row in X.tolist()]


class RowsAsDocuments(ClassifierMixin, BaseEstimator):
    """A classifier of documents for rows of numbers; subclasses make the model."""

    def fit(self, X, y):
        if getattr(y, "ndim", 1) == 2 and y.shape[1] > 1:
            raise ValueError("Multilabel and multioutput targets are not supported.")
        return self._fit(X, y)

    def _fit(self, X, y, *args):
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        self.model_ = self._model().fit(spelt(X), y, *args)
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
