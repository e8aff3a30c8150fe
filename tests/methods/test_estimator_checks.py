"""scikit-learn's and imbalanced-learn's own checks on ResampledClassifier.

The checks bring matrices of numbers, so an adapter spells out each row as a document.
"""

import numpy as np
import pytest

from imbtext import ResampledClassifier
from tests.estimator_checks import (
    RowsAsDocuments,
    imbalanced_learns_checks,
    scikit_learns_checks,
)


def read(documents):
    return np.array([[float(number) for number in document.split()] for document in documents])


class MethodOnRows(RowsAsDocuments):
    """ResampledClassifier for rows of numbers."""

    def __init__(self, method="ros", random_state=0):
        self.method = method
        self.random_state = random_state

    def _model(self):
        return ResampledClassifier(self.method, features=read, random_state=self.random_state)


@scikit_learns_checks([MethodOnRows(), ResampledClassifier(random_state=0)])
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@imbalanced_learns_checks([MethodOnRows()])
@pytest.mark.filterwarnings("ignore")
def test_imbalanced_learns_checks(estimator, check):
    check(estimator)


def test_tags():
    tags = ResampledClassifier().__sklearn_tags__()
    assert tags.estimator_type == "classifier"
    assert (tags.input_tags.string, tags.input_tags.two_d_array) == (True, False)
