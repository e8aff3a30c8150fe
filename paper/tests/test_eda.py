"""EDA as the paper's experiments ran it."""

import re

import numpy as np
import pytest

from imbtext.methods import PreparedDocuments, Problem, get_method
from imbtext.oversampling import synonym_lookup
from imbtext.oversampling.eda_operations import Rates
from paper import eda
from paper.eda import augment_texts_as_published
from paper.experiments import AS_IN_THE_PAPER

SYNONYMS = {"oil": ["petroleum", "crude oil"], "price": ["cost", "terms"], "up": ["upward"]}


def test_published_counts_and_cleaning():
    texts = ["The trader's oil-price: UP 5%!", "", "?! 7", "oil", "don\u2019t"]
    new, parents = augment_texts_as_published(texts, 7, synonyms=SYNONYMS, seed=0)
    assert parents.tolist() == np.repeat(np.arange(5), 8).tolist()
    assert new[7::8] == ["the traders oil price up", "", "", "oil", "dont"]
    assert new[8:24] == [""] * 16
    assert all(re.fullmatch("[a-z ]*", text) for text in new)
    assert len(set(new[:7])) > 1
    without, parents = augment_texts_as_published(
        texts, 7, synonyms=SYNONYMS, seed=0, keep_originals=False
    )
    assert without == [text for i, text in enumerate(new) if i % 8 != 7]
    assert len(parents) == 35
    with pytest.raises(ValueError, match="at least 1"):
        augment_texts_as_published(texts, 0, synonyms=SYNONYMS, seed=0)


def test_published_insertion_takes_one_synonym_of_a_word():
    synonyms = {"oil": [f"s{letter}" for letter in "abcdefgh"]}
    inserted = set()
    for seed in range(20):
        new, _ = augment_texts_as_published(
            ["oil"], 30, rates=Rates(0, 1, 0, 0), synonyms=synonyms, seed=seed
        )
        words = {word for text in new for word in text.split()} - {"oil"}
        assert len(words) == 1
        inserted |= words
    assert len(inserted) > 3


def test_on_wordnet(data_home):
    texts = ["Crude oil prices rise sharply", "Bank cuts lending rate"]
    new, _ = augment_texts_as_published(texts, 400, synonyms=data_home, seed=0)
    words = {word for text in new for word in text.split()}
    known = {"crude", "oil", "prices", "rise", "sharply", "bank", "cuts", "lending", "rate"}
    assert {"petroleum", "depository"} & words - known
    assert len(words - known) > 10


def test_it_makes_as_many_of_each_document(data_home, monkeypatch):
    monkeypatch.setattr(eda, "synonym_lookup", lambda _: synonym_lookup(data_home))
    texts = [f"oil price {word}" for word in ("up", "down", "falls", "rises")] + ["rain"] * 56
    positive = np.arange(60) < 4
    data = PreparedDocuments.of(texts)
    resampled = get_method(AS_IN_THE_PAPER["eda"]).resample(Problem(data, positive, 10, seed=0))
    # 1 + 10 // 4 of each of the four documents.
    np.testing.assert_array_equal(np.bincount(resampled.parents[60:]), [3, 3, 3, 3])
    assert len(resampled.y) == 72


def test_it_cleans_the_documents_of_the_class_and_no_others(monkeypatch):
    monkeypatch.setattr(eda, "synonym_lookup", lambda _: synonym_lookup({}))
    texts = ["don't dont buy oil", "dont sell", "don't sell gas", "we don't know"]
    data = PreparedDocuments.of(texts)
    positive = np.array([True, False, False, False])
    resampled = get_method(AS_IN_THE_PAPER["eda"]).resample(Problem(data, positive, 2, seed=0))
    dont = data.corpus.vocabulary.tolist().index("dont")
    assert resampled.counts[:4, [dont]].toarray().ravel().tolist() == [2, 1, 0, 0]
    assert resampled.parents[:4].tolist() == [0, 1, 2, 3]
    np.testing.assert_allclose(resampled.X[1:4].toarray(), data.tfidf[1:4].toarray())
