"""Other packages' samplers: their own rows where they can be, one fallback where not."""

import warnings

import numpy as np
import pytest
from imblearn import over_sampling
from scipy import sparse

from imbtext.methods import PreparedDocuments, Problem, get_method
from imbtext.oversampling import FallbackWarning, Foreign, Request
from imbtext.randomness import draw_estimator_seed, keyed_random_state

SAMPLERS = [over_sampling.SMOTE, over_sampling.ADASYN, over_sampling.BorderlineSMOTE]
SEED, STREAM = 3, 1


def points(m, n=40, seed=0, apart=0.5):
    rng = np.random.default_rng(seed)
    X = np.abs(rng.normal(size=(n, 6))) * (rng.random((n, 6)) < 0.7)
    X[:m, 0] += apart
    return X


def drawn(sampler, X, m, n_new, **settings):
    """Draw new rows of the class of the first m rows."""
    request = Request(X, np.arange(m), n_new, SEED, STREAM, label="rare")
    return Foreign(sampler, "tfidf", **settings).draw(request)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_same_rows_as_the_sampler_itself_where_no_fallback_is_needed(sampler, kind):
    X = kind(points(12))
    new = drawn(sampler(), X, 12, 16, exact=False)
    seed = draw_estimator_seed(keyed_random_state(SEED, STREAM))
    theirs = sampler(random_state=seed, sampling_strategy={1: 28})
    expected = theirs.fit_resample(X, (np.arange(40) < 12).astype(int))[0][40:]
    assert type(new.documents) is type(X)
    if sparse.issparse(X):
        new, expected = new.documents.toarray(), expected.toarray()
        np.testing.assert_array_equal(new, expected)
    else:
        np.testing.assert_array_equal(new.documents, expected)


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_one_document_is_copied(sampler):
    with pytest.warns(FallbackWarning, match="class 'rare' has one; it is oversampled at random"):
        new = drawn(sampler(), sparse.csr_array(points(1)), 1, 38)
    assert new.documents is None
    assert new.parents.tolist() == [0] * 38


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("m", [2, 5])
def test_few_documents_mean_few_neighbours(sampler, m):
    X = points(m)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        new = drawn(sampler(), X, m, 38)
    messages = [str(w.message) for w in caught if w.category is FallbackWarning]
    assert any(f"class 'rare' has {m} documents; it uses {m - 1}" in text for text in messages)
    assert all(sampler.__name__ in text for text in messages)
    # An interpolation lies between two documents of the class.
    assert new.documents.shape == (38, 6)
    assert (new.documents >= X[:m].min(axis=0) - 1e-12).all()
    assert (new.documents <= X[:m].max(axis=0) + 1e-12).all()
    assert (new.parents == -1).all()


@pytest.mark.parametrize(
    ("sampler", "m", "n_new", "apart"),
    [
        (over_sampling.ADASYN, 10, 20, 100.0),  # no neighbour outside the class
        (over_sampling.ADASYN, 15, 1, 0.0),  # every share rounds to 0
        (over_sampling.BorderlineSMOTE, 12, 16, 100.0),  # nothing at the border
    ],
)
def test_a_relative_that_finds_no_start_is_smote(sampler, m, n_new, apart):
    with pytest.warns(FallbackWarning, match=r"finds no document of class 'rare' .* SMOTE is used"):
        new = drawn(sampler(), points(m, apart=apart), m, n_new)
    assert new.documents.shape == (n_new, 6)


@pytest.mark.parametrize("n_new", range(7, 16))
def test_numbers_are_exact_unless_told_otherwise(n_new):
    X = points(10, apart=0.2)
    new = drawn(over_sampling.ADASYN(), X, 10, n_new)
    assert new.documents.shape == (n_new, 6)
    np.testing.assert_array_equal(
        new.documents, drawn(over_sampling.ADASYN(), X, 10, n_new).documents
    )


def test_adasyn_leaves_its_own_number_when_not_exact():
    X = points(10, apart=0.2)
    sizes = [
        len(drawn(over_sampling.ADASYN(), X, 10, n, exact=False).parents) for n in range(7, 16)
    ]
    assert sizes != list(range(7, 16))


def test_neighbours_in_all_documents_are_limited_too():
    with pytest.warns(FallbackWarning, match="there are 7 other documents; it uses 7"):
        new = drawn(over_sampling.BorderlineSMOTE(k_neighbors=2), points(3, n=8), 3, 2)
    assert len(new.parents) == 2


def test_a_neighbours_object_is_passed_on():
    from sklearn.neighbors import NearestNeighbors

    smote = over_sampling.SMOTE(k_neighbors=NearestNeighbors(n_neighbors=4))
    assert drawn(smote, points(6), 6, 28).documents.shape == (28, 6)


def test_a_sampler_without_neighbours_says_which_documents_it_copies():
    new = drawn(over_sampling.RandomOverSampler(), points(3), 3, 10)
    assert set(new.parents) <= {0, 1, 2}


@pytest.mark.parametrize("name", ["smote", "adasyn", "borderline-smote"])
@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_categories_of_five_documents_or_fewer(name, m):
    texts = ["oil price up", "crude oil", "opec cuts oil", "oil barrel", "barrel price"][:m]
    texts += ["rain today", "sun and rain", "snow in may", "wind and sun"] * 10
    data = PreparedDocuments.of(texts)
    problem = Problem(data, np.arange(len(texts)) < m, 20, seed=0)
    with pytest.warns(FallbackWarning):
        resampled = get_method(name).resample(problem)
    assert resampled.y.sum() == m + 20
    assert resampled.counts is None  # idf stays frozen
