"""The vector samplers: imbalanced-learn's own where they can be, named fallbacks where not."""

import warnings
from types import MappingProxyType

import numpy as np
import pytest
from imblearn import over_sampling
from scipy import sparse
from sklearn.base import clone

from imbtext.oversampling import ADASYN, SMOTE, BorderlineSMOTE, FallbackWarning
from imbtext.randomness import draw_estimator_seed, draw_seed, keyed_random_state

SAMPLERS = [SMOTE, ADASYN, BorderlineSMOTE]


def points(m, n=40, seed=0, apart=0.5):
    rng = np.random.default_rng(seed)
    X = np.abs(rng.normal(size=(n, 6))) * (rng.random((n, 6)) < 0.7)
    X[:m, 0] += apart
    return X, np.repeat([1, 0], [m, n - m])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("name", ["SMOTE", "ADASYN", "BorderlineSMOTE"])
def test_same_rows_as_imbalanced_learn_where_no_fallback_is_needed(name, kind):
    X, y = points(12)
    ours = {"SMOTE": SMOTE, "ADASYN": ADASYN, "BorderlineSMOTE": BorderlineSMOTE}[name]
    sampler = ours(random_state=0)
    if name == "ADASYN":
        sampler.set_params(exact=False)
    X_resampled, y_resampled = sampler.fit_resample(kind(X), y)
    seed = draw_estimator_seed(keyed_random_state(draw_seed(0), 1))
    theirs = getattr(over_sampling, name)(random_state=seed)
    X_expected, y_expected = theirs.fit_resample(kind(X), y)
    assert type(X_resampled) is type(kind(X))
    if sparse.issparse(X_resampled):
        X_resampled, X_expected = X_resampled.toarray(), X_expected.toarray()
    np.testing.assert_array_equal(X_resampled, X_expected)
    np.testing.assert_array_equal(y_resampled, y_expected)
    assert isinstance(sampler, getattr(over_sampling, name))


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_one_document_is_oversampled_at_random(sampler):
    X, y = points(1)
    one = sampler(random_state=0)
    with pytest.warns(FallbackWarning, match="class 1 has one; it is oversampled at random"):
        X_resampled, _y_resampled = one.fit_resample(sparse.csr_array(X), y)
    assert X_resampled.shape[0] == 78
    np.testing.assert_array_equal(X_resampled[40:].toarray(), np.repeat(X[:1], 38, axis=0))
    assert (one.sample_indices_[40:] == 0).all()
    assert one.is_synthetic_.sum() == one.n_generated_[1] == 38


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("m", [2, 5])
def test_few_documents_mean_few_neighbours(sampler, m):
    X, y = points(m)
    few = sampler(random_state=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        X_resampled, y_resampled = few.fit_resample(X, y)
    messages = [str(w.message) for w in caught if w.category is FallbackWarning]
    assert any(f"class 1 has {m} documents; it uses {m - 1}" in text for text in messages)
    assert all(sampler.__name__ in text for text in messages)
    assert (y_resampled == 1).sum() == 40 - m
    # An interpolation lies between two documents of the class.
    inside = X_resampled[40:]
    assert (inside >= X[:m].min(axis=0) - 1e-12).all()
    assert (inside <= X[:m].max(axis=0) + 1e-12).all()
    assert (few.sample_indices_[40:] == -1).all()


def test_adasyn_without_a_majority_neighbour_is_smote():
    X, y = points(10, apart=100.0)
    with pytest.warns(FallbackWarning, match="no neighbour of class 1 outside it; SMOTE is used"):
        _X_resampled, y_resampled = ADASYN(random_state=0).fit_resample(X, y)
    assert (y_resampled == 1).sum() == 30


def test_adasyn_with_too_few_rows_to_share_out_is_smote():
    X, y = points(15, apart=0.0)
    few = ADASYN(sampling_strategy={1: 16}, random_state=0)
    with pytest.warns(FallbackWarning, match="all round to 0; SMOTE is used"):
        assert few.fit_resample(X, y)[0].shape[0] == 41


@pytest.mark.parametrize("target", [17, 18, 19, 20, 21, 22, 23, 24, 25])
def test_adasyn_counts_are_exact_unless_told_otherwise(target):
    X, y = points(10, apart=0.2)
    exact = ADASYN(sampling_strategy={1: target}, random_state=0).fit_resample(X, y)
    assert (exact[1] == 1).sum() == target
    again = ADASYN(sampling_strategy={1: target}, random_state=0).fit_resample(X, y)
    np.testing.assert_array_equal(exact[0], again[0])


def test_adasyn_leaves_its_own_number_when_not_exact():
    X, y = points(10, apart=0.2)
    sizes = [
        ADASYN(sampling_strategy={1: t}, exact=False, random_state=0).fit_resample(X, y)[0].shape[0]
        for t in range(17, 26)
    ]
    assert sizes != [30 + t for t in range(17, 26)]


def test_borderline_smote_without_a_border_is_smote():
    X, y = points(12, apart=100.0)
    with pytest.warns(FallbackWarning, match="at the border; SMOTE is used"):
        assert (BorderlineSMOTE(random_state=0).fit_resample(X, y)[1] == 1).sum() == 28


def test_borderline_smote_in_a_small_data_set():
    X, y = points(3, n=8)
    with pytest.warns(FallbackWarning, match="there are 7 other documents; it looks at 7"):
        assert BorderlineSMOTE(k_neighbors=2, random_state=0).fit_resample(X, y)[0].shape == (10, 6)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_duplicated_documents(sampler):
    X, y = points(6)
    X[:6] = X[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        X_resampled, _ = sampler(random_state=0).fit_resample(X, y)
    np.testing.assert_allclose(X_resampled[40:], np.repeat(X[:1], 28, axis=0))


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_more_classes_seeds_and_clones(sampler):
    X, _ = points(0)
    y = np.repeat(["a", "b", "c"], [8, 12, 20])
    one = sampler(random_state=1).fit_resample(X, y)[0]
    again = clone(sampler(random_state=1)).fit_resample(X, y)[0]
    other = sampler(random_state=2).fit_resample(X, y)[0]
    np.testing.assert_array_equal(one, again)
    assert one.shape == (60, 6)
    assert not np.array_equal(one, other)


def test_a_neighbours_object_is_passed_on():
    from sklearn.neighbors import NearestNeighbors

    X, y = points(6)
    sampler = SMOTE(k_neighbors=NearestNeighbors(n_neighbors=4), random_state=0)
    assert sampler.fit_resample(X, y)[0].shape == (68, 6)


def test_strategies_of_vectors_are_read_as_those_of_documents():
    X, y = np.arange(16.0).reshape(8, 2), np.array([1, 1, 0, 0, 0, 0, 0, 0])
    smote = SMOTE(k_neighbors=1, random_state=0, sampling_strategy=MappingProxyType({1: 5.0}))
    assert smote.fit_resample(X, y)[1].tolist() == [*y, 1, 1, 1]
    with pytest.raises(ValueError, match="fraction of a document"):
        SMOTE(sampling_strategy={1: 5.5}).fit_resample(X, y)
