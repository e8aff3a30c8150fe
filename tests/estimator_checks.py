"""scikit-learn's and imbalanced-learn's checks as parameters of a test.

Their own decorators give pytest a generator, which it deprecates, and warn at import of checks that
an estimator of text cannot take.
"""

import warnings

import pytest
from imblearn.utils import estimator_checks as imbalanced_learn
from sklearn.exceptions import SkipTestWarning
from sklearn.utils import estimator_checks as scikit_learn


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
