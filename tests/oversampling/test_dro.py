"""DRO's draws against the dense n-by-n distribution, and DRO as a classifier."""

import pickle

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.feature_selection import mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize

from imbtext.oversampling._dro import DRO, LatentSpace
from imbtext.oversampling._sampler import Request


def corpus(n=40, n_words=25, seed=0):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(0.25, size=(n, n_words))
    positive = np.arange(n) < 8
    counts[positive, :4] += rng.poisson(0.8, size=(8, 4))
    return sparse.csr_array(TfidfTransformer().fit_transform(counts)), positive


def widen(tfidf, positive, n_new, seed, stream=0):
    return DRO()._widen(Request(tfidf, np.flatnonzero(positive), n_new, seed, stream))


def dense_distribution(tfidf, positive):
    """The published definition, with every matrix written out."""
    X = tfidf.toarray()
    gain = mutual_info_classif(X > 0, positive, discrete_features=True) / np.log(2)
    words = normalize(X, norm="l1", axis=0).T * gain[:, None]
    latent = X @ words
    return latent / latent.sum(axis=1, keepdims=True)


def test_information_gain_is_mutual_information_in_bits():
    tfidf, positive = corpus()
    expected = mutual_info_classif(tfidf.toarray() > 0, positive, discrete_features=True)
    gain = LatentSpace.of(tfidf, positive).information_gain
    np.testing.assert_allclose(gain, np.maximum(expected, 0) / np.log(2), atol=1e-12)


@pytest.mark.parametrize("unseen", [False, True])
def test_draws_follow_the_dense_distribution(unseen):
    tfidf, positive = corpus()
    space = LatentSpace.of(tfidf, positive)
    expected = dense_distribution(tfidf, positive)
    # Unseen documents are drawn one call at a time, since equal ones in one call draw the same.
    n_rows = 700 if unseen else 3000
    p_values = []
    for row in (0, 3, 20, 35):
        repeated = sparse.csr_array(tfidf[np.full(n_rows, row)])
        if unseen:
            one = sparse.csr_array(tfidf[[row]])
            drawn = sum(space.draw_unseen(one, seed=s).toarray()[0] for s in range(n_rows))
        else:
            drawn = space.draw(repeated, seed=5).sum(axis=0)
        assert drawn.sum() == n_rows * int(tfidf[[row]].sum())
        possible = expected[row] > 0
        assert drawn[~possible].sum() == 0
        p_values.append(
            stats.chisquare(drawn[possible], expected[row][possible] * drawn.sum()).pvalue
        )
    assert min(p_values) > 0.001


def test_number_of_draws_is_the_integer_part_of_the_row_sum():
    tfidf, positive = corpus()
    drawn = LatentSpace.of(tfidf, positive).draw(tfidf, seed=0)
    np.testing.assert_array_equal(drawn.sum(axis=1), tfidf.sum(axis=1).astype(int))


def test_words_without_information_or_without_documents_lead_nowhere():
    # Word 0 is in every document, word 2 in none.
    X = sparse.csr_array(np.array([[1.0, 3.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    space = LatentSpace.of(X, np.array([True, False, False]))
    unseen = sparse.csr_array(np.array([[2.0, 0.0, 5.0], [0.0, 1.0, 9.0], [0.0, 0.0, 0.0]]))
    assert space.draw_unseen(unseen, seed=0).toarray().tolist() == [
        [0, 0, 0],
        [10, 0, 0],
        [0, 0, 0],
    ]


@pytest.mark.parametrize("n_new", [0, 3, 8, 21])
def test_class_is_repeated_evenly_and_each_repetition_draws_its_own_part(n_new):
    tfidf, positive = corpus()
    widened = widen(tfidf, positive, n_new, seed=0)
    assert widened.X.shape == (40 + n_new, 25 + 40)
    np.testing.assert_array_equal(widened.parents[:40], np.arange(40))
    repeats = np.bincount(widened.parents[40:], minlength=40)
    assert repeats[8:].sum() == 0
    assert np.ptp(repeats[:8]) <= 1
    np.testing.assert_array_equal(widened.X[:, :25].toarray(), tfidf[widened.parents].toarray())
    if n_new == 21:
        latent = widened.X[:, 25:].toarray()
        parts = {latent[i].tobytes() for i in np.flatnonzero(widened.parents == 0)}
        assert len(parts) > 1


def test_an_unseen_document_is_treated_the_same_alone_and_among_others():
    tfidf, positive = corpus()
    transform = widen(tfidf, positive, 10, seed=0).transform
    unseen, _ = corpus(seed=1)
    together = transform(unseen).toarray()
    alone = np.vstack([transform(sparse.csr_array(unseen[[i]])).toarray() for i in range(40)])
    np.testing.assert_array_equal(together, alone)
    assert together[:, 25:].any()


def test_seeds():
    tfidf, positive = corpus()
    one, again = (widen(tfidf, positive, 9, seed=4, stream=2).X for _ in range(2))
    assert (one != again).nnz == 0
    assert (one != widen(tfidf, positive, 9, seed=5, stream=2).X).nnz > 0
    assert (one != widen(tfidf, positive, 9, seed=4, stream=3).X).nnz > 0


TEXTS = ["oil price up", "oil down again"] + ["rain today", "sun and rain", "snow", "sun"] * 3
LABELS = np.array(["oil"] * 2 + ["weather"] * 12)


def test_dro_at_the_end_of_a_pipeline():
    model = make_pipeline(TfidfVectorizer(), DRO(random_state=0)).fit(TEXTS, LABELS)
    assert model.predict(["price of oil", "more rain"]).tolist() == ["oil", "weather"]
    assert model.score(TEXTS, LABELS) == 1.0
    dro = model[-1]
    assert dro.n_generated_["oil"] == 10
    assert dro.is_synthetic_.sum() == 10
    assert set(dro.sample_indices_[14:]) == {0, 1}
    assert dro.classifier_.n_features_in_ == model[0].idf_.size + 14


def test_a_fitted_dro_can_be_pickled():
    tfidf, positive = corpus()
    model = DRO(random_state=0).fit(tfidf, positive)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(tfidf), model.decision_function(tfidf))


def test_dro_has_the_methods_of_the_classifier_it_wraps():
    tfidf, positive = corpus()
    assert hasattr(DRO(), "decision_function")
    assert not hasattr(DRO(), "predict_proba")
    bayes = DRO(MultinomialNB(), random_state=0).fit(tfidf, positive)
    assert not hasattr(bayes, "decision_function")
    assert get_scorer("roc_auc")(bayes, tfidf, positive) > 0.5
    with pytest.raises(NotFittedError):
        DRO().predict(tfidf)


def test_dro_wraps_any_classifier_and_leaves_it_alone():
    inner = LogisticRegression()
    dro = DRO(inner, sampling_strategy=0.5, random_state=0)
    X = TfidfVectorizer().fit_transform(TEXTS)
    dro.fit(X, LABELS)
    assert dro.n_generated_["oil"] == 4
    assert not hasattr(inner, "coef_")
    assert dro.predict_proba(X).shape == (14, 2)
    assert clone(dro).get_params()["sampling_strategy"] == 0.5
    again = clone(dro).fit(X, LABELS)
    np.testing.assert_array_equal(again.decision_function(X), dro.decision_function(X))


@pytest.mark.parametrize("m", [1, 2, 5])
def test_tiny_classes_duplicates_and_empty_documents(m):
    tfidf, _ = corpus()
    X = sparse.vstack([tfidf[:3], tfidf[:3], tfidf[6:], sparse.csr_array((2, 25))], format="csr")
    positive = np.arange(X.shape[0]) < m
    dro = DRO(random_state=0).fit(X, positive)
    assert len(dro.sample_indices_) == 2 * (X.shape[0] - m)
    assert dro.predict(X).shape == positive.shape


def test_dro_says_what_it_cannot_do():
    X = TfidfVectorizer().fit_transform(TEXTS)
    three = np.arange(14) % 3
    with pytest.raises(ValueError, match="OneVsRestClassifier"):
        DRO().fit(X, three)
    assert OneVsRestClassifier(DRO(random_state=0)).fit(X, three).predict(X).shape == (14,)
    with pytest.raises(ValueError, match="must not be negative"):
        DRO().fit(-X, LABELS)
    with pytest.raises(ValueError, match="both classes"):
        DRO(sampling_strategy={"oil": 20, "weather": 20}).fit(X, LABELS)


def test_no_dense_matrix_at_the_size_of_huffpost():
    import tracemalloc

    rng = np.random.default_rng(0)
    n, n_words, length = 94_754, 18_000, 6
    words = (n_words * rng.random((n, length)) ** 3).astype(np.int32)
    X = sparse.csr_array(
        (np.full(n * length, 0.4), words.ravel(), np.arange(0, n * length + 1, length)),
        shape=(n, n_words),
    )
    tracemalloc.start()
    widened = widen(X, np.arange(n) < 900, 22_000, seed=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert widened.X.shape == (n + 22_000, n_words + n)
    assert peak < 300e6
