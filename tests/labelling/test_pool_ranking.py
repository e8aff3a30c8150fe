"""The incremental ranking against scikit-learn's LinearSVC and against scoring everything."""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from imbtext.datasets import load_docstrings
from imbtext.documents import Documents
from imbtext.features import TextFeatures, get_features
from imbtext.features.encoders import get_encoder
from imbtext.labelling import _pool_ranking
from imbtext.labelling._pool import PoolMeaning, PoolTerms
from imbtext.labelling._pool_ranking import BALANCE, SVM_C, PoolRanking, pool_factors


@pytest.fixture(scope="module")
def data():
    docstrings = load_docstrings()
    texts = [*docstrings.texts[::4], "", "…"]
    is_class = np.array([*docstrings.labels[::4], "none", "none"]) == "scipy.stats"
    return PoolTerms(Documents.of(texts), TextFeatures()), is_class, texts


def encode(texts):
    """A sentence encoder in a line: how often a text has each letter."""
    return np.array([[text.lower().count(c) for c in "etaoinshrdlucmfwypvbg"] for text in texts])


@pytest.fixture(scope="module", params=[False, True], ids=["terms", "terms and meaning"])
def any_data(request, data):
    """The same documents, by their terms alone or with what they mean, too."""
    pool, is_class, texts = data
    meaning = PoolMeaning.of(get_encoder(encode), Documents.of(texts)) if request.param else None
    return pool, meaning, is_class, texts


def as_matrix(pool):
    return pool.vectors(np.arange(len(pool))).matrix()


def words_and_digits(text):
    """Words as they are, and what numbers of so many digits are called.

    The ``²`` of ``z²`` is neither a letter nor a digit; Python's ``\\w`` takes it for one.
    """
    text = "".join(c if c.isalpha() or c.isdecimal() else " " for c in text.lower())
    words = re.findall(r"[^\W\d]+|\d+", text)
    names = {1: "[1 digit]"} | {n: f"[{n} digits]" for n in range(2, 12)}
    return [
        names.get(len(word), "[12 or more digits]") if word.isdigit() else word for word in words
    ]


def test_vectors_are_those_of_scikit_learn(data):
    _, _, texts = data
    pool = PoolTerms(Documents.of(texts), TextFeatures("words", None))
    vectorizer = TfidfVectorizer(analyzer=words_and_digits, sublinear_tf=True, min_df=2)
    expected = vectorizer.fit_transform(texts)
    # The pool numbers the commonest terms first.
    by_frequency = np.argsort(-np.bincount(expected.indices), kind="stable")
    np.testing.assert_allclose(
        as_matrix(pool).toarray(), expected.toarray()[:, by_frequency], atol=1e-5
    )


def svm_scores(matrix, rows, found, others, is_class):
    weights = np.where(is_class[rows], BALANCE / len(found), 1 / len(others))
    weights *= len(rows) / weights.sum()
    svm = LinearSVC(C=SVM_C, tol=1e-8, max_iter=100_000)
    svm.fit(matrix[rows], is_class[rows], weights)
    return svm.decision_function(matrix)


def test_scores_are_those_of_linear_svc(any_data, monkeypatch):
    monkeypatch.setattr(_pool_ranking, "_TOLERANCE", 1e-6)
    pool, meaning, is_class, _ = any_data
    rows = np.arange(0, len(pool), 3)
    found, others = rows[is_class[rows]], rows[~is_class[rows]]
    ranking = PoolRanking(pool, meaning)
    ranking.learn(found, others)
    matrix = as_matrix(pool)
    inside = np.asarray((matrix[found] > 0).sum(axis=0)).ravel()
    frequencies = np.asarray((matrix > 0).sum(axis=0)).ravel()
    factors = pool_factors(inside, len(found), frequencies, len(pool))
    scaled = sparse.csr_array(normalize(matrix @ sparse.diags_array(factors)))
    scaled.indices, scaled.indptr = scaled.indices.astype("i4"), scaled.indptr.astype("i4")
    expected = svm_scores(scaled, rows, found, others, is_class)
    if meaning is not None:
        by_meaning = svm_scores(meaning.vectors, rows, found, others, is_class)
        # The mean of both, on the scale of the words; a constant does not change the order.
        expected = expected + by_meaning * expected.std() / by_meaning.std()
        expected += ranking.scores().mean() - expected.mean()
    np.testing.assert_allclose(ranking.scores(), expected, atol=5e-4)


def test_what_is_kept_from_label_to_label_gives_the_same_choice(any_data, monkeypatch):
    pool, meaning, is_class, _ = any_data
    monkeypatch.setattr(_pool_ranking, "_N_PROBES", 20)
    monkeypatch.setattr(_pool_ranking, "_N_SAMPLED", 50)
    ranking = PoolRanking(pool, meaning)
    read = [int(np.flatnonzero(is_class)[0]), 0]
    unread = np.ones(len(pool), bool)
    unread[read] = False
    n_scored = []
    for _ in range(60):
        rows = np.array(read)
        ranking.learn(rows[is_class[rows]], rows[~is_class[rows]])
        chosen = ranking.best(3, unread)
        n_scored.append(int(ranking._known.sum()))
        limits, by_meaning = ranking._limits.copy(), ranking._by_meaning.copy()
        ranking._known[:] = False
        everything = ranking.scores() - ranking.constant
        assert np.all(everything <= limits + by_meaning + 1e-4)
        scores = np.where(unread, everything, -np.inf)
        ranking._limits[:], ranking._by_meaning[:] = limits, by_meaning
        ranking._known[:] = False
        np.testing.assert_array_equal(chosen, np.lexsort((np.arange(len(pool)), -scores))[:3])
        read.append(int(chosen[0]))
        unread[chosen[0]] = False
    assert np.median(n_scored) < 0.75 * len(pool)


def test_training_goes_on_from_where_it_ended(any_data, monkeypatch):
    monkeypatch.setattr(_pool_ranking, "_TOLERANCE", 1e-6)
    pool, meaning, is_class, _ = any_data
    found, others = np.flatnonzero(is_class), np.flatnonzero(~is_class)
    ranking, fresh = PoolRanking(pool, meaning), PoolRanking(pool, meaning)
    for n in range(1, 5):
        ranking.learn(found[:n], others[: 10 * n])
    # A document that was taken for one of the class, and is not.
    ranking.learn(found[:4], np.append(others[:40], found[4]))
    fresh.learn(found[:4], np.append(others[:40], found[4]))
    np.testing.assert_allclose(ranking.scores(), fresh.scores(), atol=1e-4)


def test_contributions_sum_to_the_score(data):
    pool, is_class, _ = data
    ranking = PoolRanking(pool)
    ranking.learn(np.flatnonzero(is_class)[:5], np.flatnonzero(~is_class)[:50])
    scores = ranking.scores()
    for row in (0, 7, len(pool) - 2):
        added = ranking.contributions(row)
        assert sum(added.values()) + ranking.constant == pytest.approx(scores[row], abs=1e-4)


def test_queries_count_as_documents_of_the_class(any_data):
    pool, meaning, is_class, texts = any_data
    row = int(np.flatnonzero(is_class)[0])
    by_row, by_text = PoolRanking(pool, meaning), PoolRanking(pool, meaning)
    others = np.flatnonzero(~is_class)[:20]
    by_row.learn(np.array([row]), others)
    query = pool.query([texts[row]])
    if meaning is not None:
        query = replace(query, dense=meaning.query([texts[row]]))
    by_text.learn(np.array([], np.int64), others, query)
    np.testing.assert_allclose(by_row.scores(), by_text.scores(), atol=1e-5)


def test_similarities_are_cosines(data):
    pool, _, texts = data
    matrix = as_matrix(pool)
    query = pool.query([texts[3], "normal distribution"])
    expected = (matrix @ query.matrix().T).toarray().max(axis=1)
    np.testing.assert_allclose(pool.similarities(query), expected, atol=1e-5)


def test_meaning_is_centred_and_of_length_one(data):
    _, _, texts = data
    encoder = get_encoder(encode)
    meaning = PoolMeaning.of(encoder, Documents.of(texts))
    unit = normalize(encode(texts).astype(float))
    expected = normalize(unit - unit.mean(axis=0))
    np.testing.assert_allclose(meaning.vectors, expected, atol=1e-5)
    np.testing.assert_allclose(meaning.query(texts[3:5]), expected[3:5], atol=1e-5)
    similar = meaning.similarities(meaning.query(texts[3:5]))
    np.testing.assert_allclose(similar, (expected @ expected[3:5].T).max(axis=1), atol=1e-5)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (encode, "labelling needs the terms of the text"),
        (["auto", TfidfVectorizer()], "labelling needs the terms of the text"),
        (["auto", encode], "a sentence encoder as encoder="),
    ],
)
def test_features_that_a_ranking_cannot_see_are_refused(data, features, message):
    with pytest.raises(ValueError, match=message):
        PoolTerms(Documents.of(data[2]), get_features(features))
