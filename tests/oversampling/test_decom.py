"""DECOM against scikit-learn's LDA and against its own word distribution."""

import numpy as np
import pytest
import sklearn
from imblearn.pipeline import make_pipeline
from scipy import sparse, stats
from sklearn.base import clone
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.svm import LinearSVC

from imbtext.oversampling._decom import DECOM, TopicModel
from imbtext.oversampling._decom_kernels import exp_digamma


def bags(n_documents, n_words, length, seed=0):
    """Documents whose words follow Zipf's law, over a vocabulary they do not exhaust."""
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(3, n_words + 3)
    draws = rng.choice(n_words, size=(n_documents, length), p=weights / weights.sum())
    counts = np.zeros((n_documents, n_words), dtype=np.int64)
    np.add.at(counts, (np.arange(n_documents)[:, None], draws), 1)
    return sparse.csr_array(counts)


@pytest.mark.parametrize(
    ("n_documents", "length", "settings"),
    [
        (12, 6, {}),
        (1, 4, {}),
        (6, 60, {}),
        (8, 12, {"n_topics": 4, "doc_topic_prior": 0.2, "topic_word_prior": 0.3}),
    ],
)
def test_topics_are_those_of_scikit_learn_over_the_whole_vocabulary(n_documents, length, settings):
    counts = bags(n_documents, 300, length)
    n_topics = settings.get("n_topics", 30)
    with sklearn.config_context(skip_parameter_validation=True):
        oracle = LatentDirichletAllocation(
            n_topics,
            doc_topic_prior=settings.get("doc_topic_prior", 50 / 30),
            topic_word_prior=settings.get("topic_word_prior", 0.01),
            max_iter=25,
            random_state=np.random.RandomState(7),
        ).fit(counts)
        document_topics = oracle.transform(counts)
    model = TopicModel.fit(counts, np.random.RandomState(7), max_iter=25, **settings)

    everywhere = np.full(oracle.components_.shape, model.topic_word_prior)
    everywhere[:, model.words] = model.components
    np.testing.assert_allclose(everywhere, oracle.components_, rtol=1e-5, atol=1e-8)
    shares = document_topics.sum(axis=0) / document_topics.sum()
    np.testing.assert_allclose(model.topic_shares, shares, rtol=1e-6)
    topics = oracle.components_ / oracle.components_.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.word_probabilities, shares @ topics, rtol=1e-5)


def test_exp_digamma():
    from scipy.special import digamma

    x = np.geomspace(0.005, 1e6, 200)
    ours = np.array([exp_digamma(value) for value in x])
    np.testing.assert_allclose(ours, np.exp(digamma(x)), rtol=1e-9)


def test_draws_follow_the_topics():
    model = TopicModel.fit(bags(15, 80, 8), np.random.RandomState(0), max_iter=30)
    drawn = model.draw(20_000, np.random.default_rng(1))
    # Topic and word drawn one after the other, position by position: the slow, obvious way.
    rng = np.random.default_rng(2)
    everywhere = np.full((len(model.topic_shares), model.n_words), model.topic_word_prior)
    everywhere[:, model.words] = model.components
    everywhere /= everywhere.sum(axis=1, keepdims=True)
    topics = rng.choice(len(everywhere), p=model.topic_shares, size=20_000)
    slow = np.array([rng.choice(model.n_words, p=everywhere[topic]) for topic in topics])
    fast = drawn.sum(axis=0)
    table = np.array([fast, np.bincount(slow, minlength=model.n_words)])
    assert stats.chi2_contingency(table[:, table.sum(axis=0) > 20]).pvalue > 0.001
    expected = model.word_probabilities * fast.sum()
    assert stats.chisquare(fast, expected * fast.sum() / expected.sum()).pvalue > 0.001
    # Words that the class never used are drawn, and equally often.
    unseen = np.setdiff1d(np.arange(model.n_words), model.words)
    assert stats.chisquare(fast[unseen]).pvalue > 0.001


def test_lengths_are_numbers_of_distinct_words():
    counts = sparse.csr_array(np.array([[5, 0, 0, 0], [1, 2, 3, 0], [0, 0, 0, 0]]))
    model = TopicModel.fit(counts, np.random.RandomState(0), max_iter=5)
    lengths = model.draw(2000, np.random.default_rng(0)).sum(axis=1)
    assert set(lengths.tolist()) == {1, 3}
    assert abs((lengths == 1).mean() - 0.5) < 0.05


@pytest.mark.parametrize("m", [1, 2, 5])
@pytest.mark.parametrize("smooth", [False, True])
def test_tiny_classes(m, smooth):
    X = bags(m + 12, 50, 5)
    y = np.array(["rare"] * m + ["rest"] * 12)
    sampler = DECOM(max_iter=10, smooth=smooth, random_state=0)
    X_resampled, y_resampled = sampler.fit_resample(X, y)
    assert X_resampled.shape == (24, 50)
    assert isinstance(X_resampled, sparse.csr_array)
    assert (y_resampled == "rare").sum() == 12
    np.testing.assert_array_equal(y_resampled[: m + 12], y)
    changed = np.flatnonzero(y == "rare") if smooth else []
    kept = np.setdiff1d(np.arange(m + 12), changed)
    np.testing.assert_array_equal(X_resampled[kept].toarray(), X[kept].toarray())
    assert sampler.n_generated_["rare"] == 12 - m
    assert sampler.is_synthetic_[changed].all()
    assert (sampler.sample_indices_[kept] == kept).all()
    assert (sampler.sample_indices_[m + 12 :] == -1).all()


def test_decoder_redraws_the_class():
    X, y = bags(20, 50, 8), np.repeat([1, 0], [5, 15])
    plain = DECOM(max_iter=10, random_state=0).fit_resample(X, y)[0]
    smooth = DECOM(max_iter=10, smooth=True, random_state=0).fit_resample(X, y)[0]
    assert (plain[:5] != X[:5]).nnz == 0
    assert (smooth[:5] != X[:5]).nnz > 0


def test_same_seed_same_counts_and_classes_do_not_disturb_each_other():
    X, y = bags(30, 60, 6), np.repeat([2, 1, 0], [4, 6, 20])
    one = DECOM(max_iter=10, random_state=3).fit_resample(X, y)[0]
    again = clone(DECOM(max_iter=10, random_state=3)).fit_resample(X, y)[0]
    other = DECOM(max_iter=10, random_state=4).fit_resample(X, y)[0]
    assert (one != again).nnz == 0
    assert (one != other).nnz > 0
    fewer = DECOM(max_iter=10, sampling_strategy={1: 8, 2: 20}, random_state=3)
    np.testing.assert_array_equal(fewer.fit_resample(X, y)[0][-16:].toarray(), one[-16:].toarray())


def test_duplicates_and_empty_documents():
    counts = np.zeros((12, 9), dtype=int)
    counts[[0, 1], 3] = 2
    counts[3:, :2] = 1
    y = np.repeat([1, 0], [3, 9])
    X_resampled, _ = DECOM(max_iter=20, random_state=0).fit_resample(counts, y)
    assert X_resampled.shape == (18, 9)
    assert (X_resampled[12:].sum(axis=1) == 1).all()


def test_says_what_it_cannot_do():
    X, y = bags(10, 20, 4), np.repeat([1, 0], [3, 7])
    with pytest.raises(ValueError, match="DECOM works on word counts"):
        DECOM().fit_resample(TfidfTransformer().fit_transform(X), y)
    empty = X.toarray()
    empty[:3] = 0
    with pytest.raises(ValueError, match="none of the 3 documents of the class has a known word"):
        DECOM().fit_resample(empty, y)
    with pytest.raises(ValueError, match="n_topics"):
        DECOM(n_topics=0).fit_resample(X, y)


def test_in_a_pipeline():
    texts = ["oil price", "oil up"] + ["rain and sun", "snow", "sun today"] * 4
    y = np.repeat([1, 0], [2, 12])
    model = make_pipeline(
        CountVectorizer(), DECOM(max_iter=20, random_state=0), TfidfTransformer(), LinearSVC()
    ).fit(texts, y)
    assert model.predict(["oil price up", "rain today"]).tolist() == [1, 0]


@pytest.mark.parametrize("smooth", [False, True])
def test_counts_go_straight_to_liblinear(smooth):
    texts = ["oil price", "crude oil up"] + ["rain today", "sun and rain", "wind"] * 4
    steps = CountVectorizer(), DECOM(smooth=smooth, max_iter=5, random_state=0), LinearSVC()
    assert make_pipeline(*steps).fit(texts, [1] * 2 + [0] * 12).predict(texts).any()
