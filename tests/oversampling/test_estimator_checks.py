"""scikit-learn's and imbalanced-learn's own checks, on every sampler and on DRO.

The checks bring matrices of numbers. Samplers of vectors take them as they are. Samplers of
documents take documents that spell out the numbers of a row: with words that are split at spaces
and documents that are all equally long, new documents can be read as rows again.
"""

import numpy as np
import pytest
from imblearn.over_sampling.base import BaseOverSampler
from scipy import sparse
from sklearn.base import clone

from imbtext import (
    DECOM,
    DRO,
    EDA,
    EMCO,
    MCO,
    ROS,
    PromptedSampler,
)
from imbtext.oversampling import Sampler
from tests.estimator_checks import imbalanced_learns_checks, scikit_learns_checks


class RowsAsDocuments(BaseOverSampler):
    """A sampler of documents for rows of numbers."""

    _parameter_constraints = {
        **BaseOverSampler._parameter_constraints,
        "sampler": "no_validation",
        "random_state": ["random_state"],
    }

    def __init__(self, sampler=None, *, sampling_strategy="auto", random_state=None):
        self.sampler = sampler
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state

    def _fit_resample(self, X, y):
        sampler = clone(self.sampler).set_params(
            sampling_strategy=self.sampling_strategy, random_state=self.random_state
        )
        dense = X.toarray() if sparse.issparse(X) else X
        documents = [" ".join(map(repr, row)) for row in dense.tolist()]
        resampled, y = sampler.fit_resample(documents, y)
        rows = [[float(word) for word in document.split()] for document in resampled]
        self.sample_indices_ = sampler.sample_indices_
        new = np.array(rows, dtype=X.dtype)
        return (type(X)(new) if sparse.issparse(X) else new), y

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.sampler_tags.sample_indices = (
            self.sampler.__sklearn_tags__().sampler_tags.sample_indices
        )
        return tags


class WholeCounts(DECOM):
    """DECOM for any numbers."""

    def _check_X_y(self, X, y, accept_sparse=None):  # noqa: N802
        X, y, *rest = BaseOverSampler._check_X_y(self, X, y)
        return ((10 * abs(X)).astype(int).astype(X.dtype), y, *rest)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = False
        return tags


def repeat_examples(messages):
    """A model that answers with the documents it was shown, a JSON list in its second paragraph."""
    return messages[-1]["content"].split("\n\n")[1]


class ROSOfVectors(ROS):
    """Random oversampling of vectors: the base of the samplers of vectors, and nothing else."""

    space = "tfidf"

    def __init__(self, *, sampling_strategy="auto", random_state=None):
        super().__init__(sampling_strategy=sampling_strategy, random_state=random_state)


TEXT_SAMPLERS = [
    EMCO(0.1, tokenizer=str.split),
    MCO(tokenizer=str.split),
    ROS(),
    EDA(alpha_sr=0, alpha_ri=0, p_rd=0, synonyms={}, tokenizer=str.split),
    PromptedSampler(repeat_examples, tokenizer=str.split),
]
SAMPLERS = [
    ROSOfVectors(random_state=0),
    *(RowsAsDocuments(sampler, random_state=0) for sampler in TEXT_SAMPLERS),
]
TOPICS = {"n_topics": 3, "max_iter": 20, "random_state": 0}


CANNOT_APPLY = {
    "check_classifiers_with_encoded_labels": "it has three classes, and DRO tells two apart"
}


@imbalanced_learns_checks([*SAMPLERS, WholeCounts(**TOPICS)])
@pytest.mark.filterwarnings("ignore")
def test_imbalanced_learns_checks(estimator, check):
    check(estimator)


@imbalanced_learns_checks([DRO(random_state=0)], CANNOT_APPLY)
def test_imbalanced_learns_checks_of_classifiers(estimator, check):
    check(estimator)


@scikit_learns_checks(
    [*SAMPLERS, DECOM(**TOPICS), WholeCounts(**TOPICS), DRO(random_state=0), *TEXT_SAMPLERS]
)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("sampler", TEXT_SAMPLERS)
def test_tags_of_samplers_of_documents(sampler):
    tags = sampler.__sklearn_tags__()
    assert isinstance(sampler, Sampler)
    assert tags.sampler_tags.sample_indices
    assert (tags.input_tags.string, tags.input_tags.two_d_array) == (True, False)


@pytest.mark.parametrize("estimator", [ROSOfVectors(), DRO()])
def test_an_object_that_only_has_an_array_is_read(estimator):
    class Wrapped:
        def __init__(self, array):
            self.array = array

        def __array__(self, dtype=None, copy=None):
            return np.asarray(self.array, dtype=dtype)

    X, y = np.abs(np.random.default_rng(0).normal(size=(30, 3))), np.arange(30) < 10
    getattr(estimator, "fit_resample", getattr(estimator, "fit", None))(Wrapped(X), y)
