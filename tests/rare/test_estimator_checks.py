"""scikit-learn's checks of classifiers, on documents that spell out their numbers.

scikit-learn has no documents to try, so on RareTextClassifier itself it runs what needs none.
An adapter that writes the numbers of a row as a document, and reads them back as features, lets all
the others run: labels of every kind, shapes, cloning, pickling, weights, idempotence.
"""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from imbtext import RareTextClassifier
from tests.estimator_checks import RowsAsDocuments, scikit_learns_checks

CANNOT_APPLY = {
    "check_sample_weight_equivalence_on_dense_data": (
        "the threshold comes from cross-validation, and a repeated document is held out with its "
        "twin, where a weighted one is alone"
    ),
    "check_classifiers_train": (
        "decisions follow the tuned threshold and not the larger probability, as in "
        "TunedThresholdClassifierCV"
    ),
}


def read(documents):
    X = np.array([[float(number) for number in document.split()] for document in documents])
    return np.hstack([X, np.ones((len(X), 1))])


class RareOnRows(RowsAsDocuments):
    """RareTextClassifier for rows of numbers."""

    def __init__(self, metric="f1", random_state=0):
        self.metric = metric
        self.random_state = random_state

    def _model(self):
        return RareTextClassifier(self.metric, features=read, random_state=self.random_state)

    def fit(self, X, y, sample_weight=None):
        return self._fit(X, y, sample_weight)

    def predict_proba(self, X):
        documents = self._documents(X)
        return self.model_.predict_proba(documents)


@pytest.mark.slow
@scikit_learns_checks([RareOnRows()], CANNOT_APPLY)
@pytest.mark.filterwarnings("ignore")
def test_every_check_that_applies(estimator, check):
    check(estimator)


@scikit_learns_checks([RareTextClassifier(random_state=0)])
@pytest.mark.filterwarnings("ignore")
def test_the_checks_that_need_no_documents(estimator, check):
    check(estimator)


@pytest.mark.parametrize("ask", ["predict", "predict_proba", "decision_function", "explain"])
def test_asking_before_fitting(ask):
    with pytest.raises(NotFittedError):
        getattr(RareTextClassifier(), ask)(["oil"])


@pytest.mark.parametrize("ask", ["tested_on", "check"])
def test_asking_with_labels_before_fitting(ask):
    with pytest.raises(NotFittedError):
        getattr(RareTextClassifier(), ask)(["oil", "rain"], [1, 0])
