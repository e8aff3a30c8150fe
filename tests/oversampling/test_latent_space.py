"""The latent features of DRO's family: what a word leads to, and how often."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from imbtext import DRO
from imbtext.methods import get_method
from imbtext.oversampling._dro import LATENTS, LatentSpace, latent_columns

TEXTS = ["oil price up", "crude oil", "oil up up"] + ["rain today", "sun and rain", "snow"] * 5
Y = np.array(["oil"] * 3 + ["weather"] * 15)


def matrix():
    return sparse.csr_array(TfidfVectorizer().fit_transform(TEXTS))


def shares(columns, word):
    start, end = columns.indptr[word], columns.indptr[word + 1]
    found = np.zeros(columns.n_documents)
    found[columns.documents[start:end]] = np.diff(columns.cumulative[start:end], prepend=0.0)
    return found / found.sum()


def test_words_lead_to_the_words_of_their_documents():
    """The slow way: a document of the word by weight, then a word of that document by weight."""
    tfidf = matrix().toarray()
    columns = latent_columns(matrix(), "words")
    for word in range(tfidf.shape[1]):
        to_document = tfidf[:, word] / tfidf[:, word].sum()
        expected = sum(p * tfidf[d] / tfidf[d].sum() for d, p in enumerate(to_document) if p > 0)
        np.testing.assert_allclose(shares(columns, word), expected, atol=1e-12)


def test_topics_part_oil_from_weather():
    columns = latent_columns(matrix(), "topics")
    words = TfidfVectorizer().fit(TEXTS).vocabulary_
    own = [shares(columns, words[word]) for word in ("oil", "rain")]
    assert float(np.minimum(*own).sum()) < 0.1
    for word in words.values():
        assert shares(columns, word).sum() == pytest.approx(1.0)


@pytest.mark.parametrize("latent", LATENTS)
def test_draws_follow_the_mixture(latent):
    tfidf = matrix() * 4000
    positive = Y == "oil"
    space = LatentSpace.of(tfidf, positive, latent=latent_columns(tfidf, latent))
    drawn = space.draw(tfidf, seed=0).toarray()
    for row in (0, 4):
        weights = tfidf.toarray()[row] * space.information_gain
        expected = sum(w * shares(space.columns, j) for j, w in enumerate(weights) if w > 0)
        found = drawn[row] / drawn[row].sum()
        np.testing.assert_allclose(found, expected / expected.sum(), atol=0.03)


@pytest.mark.parametrize("latent", LATENTS)
def test_every_member_classifies_and_is_a_method_by_name(latent):
    model = make_pipeline(TfidfVectorizer(), DRO(latent=latent, random_state=0)).fit(TEXTS, Y)
    assert model.predict(["price of oil", "more rain"]).tolist() == ["oil", "weather"]
    assert model[-1].n_generated_ == {"oil": 12}
    method = get_method(f"dro({latent})")
    assert method.parameters["latent"] == latent


def test_dro_is_what_it_was():
    assert DRO().latent == "documents"
    with pytest.raises(ValueError, match="'latent' parameter of DRO must be a str among"):
        get_method("dro(sounds)")
    with pytest.raises(ValueError, match="latent"):
        DRO(latent="sounds").fit(matrix(), Y)


def test_an_empty_matrix_has_topics_too():
    empty = sparse.csr_array((4, 3))
    assert latent_columns(empty, "topics").n_documents == 1
