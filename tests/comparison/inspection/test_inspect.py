"""Folds put together: every document once, by the model that had not seen it."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from imbtext.comparison import compare
from imbtext.comparison.inspection import ScoredFold, Texts, inspect_class
from imbtext.comparison.inspection._excerpts import excerpt
from imbtext.comparison.inspection._words import TopWord
from imbtext.corpus import Corpus


def documents(n, n_class, seed=0):
    random = np.random.default_rng(seed)
    members = np.zeros(n, dtype=bool)
    members[random.choice(n, n_class, replace=False)] = True
    scores = (random.normal(size=n) + 2 * members).astype(np.float32)
    tokens = [["document", *["word"] * random.integers(49)] for _ in range(n)]
    rows = [f"document {i}" for i in range(n)]
    texts = Texts(rows, [("x",)] * n, Corpus.from_tokens(tokens))
    return members, scores, texts


def in_folds(scores, n_folds=4):
    rows = np.arange(len(scores))
    return [ScoredFold(rows[k::n_folds], scores[k::n_folds]) for k in range(n_folds)]


def test_folds_in_any_order_give_each_document_its_own_score():
    members, scores, texts = documents(60, 9)
    found = inspect_class({"m": in_folds(scores)[::-1]}, members, texts, 60)
    assert (found.n_class, found.n_rest) == (9, 51)
    assert [document.text for document in found.documents] == [f"document {i}" for i in range(60)]
    assert found.methods["m"].scores == pytest.approx(scores, abs=1e-5)
    assert [document.of_class for document in found.documents] == members.tolist()
    expected = average_precision_score(members, scores)
    assert found.methods["m"].average_precision == pytest.approx(expected, abs=1e-3)


def test_a_sample_keeps_the_loudest_false_alarms_of_every_method():
    members, scores, texts = documents(4000, 900)
    other = -scores
    found = inspect_class({"a": in_folds(scores), "b": in_folds(other)}, members, texts, 100)
    shown = {document.text for document in found.documents}
    assert len(found.documents) == 100
    assert sum(document.of_class for document in found.documents) == 60
    for values in (scores, other):
        rest = np.flatnonzero(~members)
        loudest = rest[np.argsort(-values[rest])[:10]]
        assert {f"document {i}" for i in loudest} <= shown


def test_a_method_that_failed_on_a_fold_is_left_out():
    members, scores, texts = documents(60, 9)
    folds = {"a": in_folds(scores), "b": in_folds(scores)[:-1]}
    assert list(inspect_class(folds, members, texts, 60).methods) == ["a"]


def test_folds_without_the_class_show_nothing():
    members, scores, texts = documents(60, 9)
    assert inspect_class({"m": in_folds(scores)}, np.zeros(60, bool), texts, 60) is None
    assert inspect_class({"m": []}, members, texts, 60) is None


def test_a_test_set_of_its_own_is_looked_at():
    texts = ["oil price", "crude oil", "opec oil"] * 4 + ["rain", "sun rain", "wind"] * 12
    y = ["oil"] * 12 + ["weather"] * 36
    test = (["oil up", "sun oil", "rain rain", "wind sun"], ["oil", "oil", "weather", "weather"])
    found = compare(texts, y, methods=["ros"], test=test, repeats=1, share=0.4).inspection["oil"]
    assert [document.text for document in found.documents] == test[0]
    assert [document.labels for document in found.documents] == test[1]
    assert (found.n_class, found.n_rest) == (2, 2)


def test_an_excerpt_shows_where_the_words_are():
    text = "nothing here " * 100 + "crude oil from the well " + "nothing here " * 100
    assert "crude oil" in excerpt(text, [("oil", 0.4), ("crude", 0.3)])
    assert excerpt(text, []).startswith("nothing here")
    assert excerpt("oil " + text, [("oil", 0.4)]).startswith("oil nothing")
    assert excerpt("short", [("oil", 1.0)]) == "short"
    for most in (20, 50, 420):
        assert len(excerpt(text, [("oil", 0.4)], most)) <= most + 1
    # A letter that grows when it is lowered moves nothing out of bounds.
    assert len(excerpt("\u0130" * 2000 + " oil", [("oil", 1.0)])) <= 421


def test_words_are_counted_in_all_documents_and_not_in_those_of_some_folds():
    corpus = Corpus.from_tokens([["oil", "up"], ["oil"], ["up"], ["rain", "oil"], ["sun"]])
    texts = Texts(["?"] * 5, [("x",)] * 5, corpus)
    listed = [TopWord("oil", True, 0.5, 1, 0, 1, 1), TopWord("oil up", True, 0.4, 1, 0, 1, 1)]
    oil, pair = texts.count(listed, np.array([0, 1]), np.array([2, 3, 4]))
    assert (oil.in_class, oil.n_class, oil.in_rest, oil.n_rest) == (2, 2, 1, 3)
    assert pair == listed[1]  # no word of the documents
