"""Folds put together: every document once, by the model that had not seen it."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from imbtext.comparison import compare
from imbtext.comparison._inspection import excerpt, inspect_class
from imbtext.comparison._scores import ScoredFit, ScoredFold
from imbtext.comparison._words import FoldWords, TopWord
from tests.comparison_plan import plan_of


def documents(n, n_class, seed=0):
    random = np.random.default_rng(seed)
    is_class = np.zeros(n, dtype=bool)
    is_class[random.choice(n, n_class, replace=False)] = True
    scores = (random.normal(size=n) + 2 * is_class).astype(np.float32)
    texts = [f"document {i}" for i in range(n)]
    return is_class, scores, plan_of(texts, np.where(is_class, "in", "out"), ["in"])


def inspected(folds, is_class, given, n_shown):
    tested = {
        method: [ScoredFold(fit, rows, is_class[rows]) for fit, rows in of_method]
        for method, of_method in folds.items()
    }
    return inspect_class(tested, "in", replace(given, is_class={"in": is_class}), n_shown)


def fold(rows, scores, words=None):
    return ScoredFit("in", "m", 0, 0, decisions=scores, words=words), rows


def in_folds(scores, n_folds=4):
    rows = np.arange(len(scores))
    return [fold(rows[k::n_folds], scores[k::n_folds]) for k in range(n_folds)]


def test_folds_in_any_order_give_each_document_its_own_score():
    is_class, scores, given = documents(60, 9)
    found = inspected({"m": in_folds(scores)[::-1]}, is_class, given, 60)
    assert (found.n_class, found.n_rest) == (9, 51)
    assert [document.text for document in found.documents] == [f"document {i}" for i in range(60)]
    assert found.methods["m"].scores == pytest.approx(scores, abs=1e-5)
    assert [document.of_class for document in found.documents] == is_class.tolist()
    expected = average_precision_score(is_class, scores)
    assert found.methods["m"].average_precision == pytest.approx(expected, abs=1e-3)


def test_a_sample_keeps_the_loudest_false_alarms_of_every_method():
    is_class, scores, given = documents(4000, 900)
    other = -scores
    found = inspected({"a": in_folds(scores), "b": in_folds(other)}, is_class, given, 100)
    shown = {document.text for document in found.documents}
    assert len(found.documents) == 100
    assert sum(document.of_class for document in found.documents) == 60
    for values in (scores, other):
        rest = np.flatnonzero(~is_class)
        loudest = rest[np.argsort(-values[rest])[:10]]
        assert {f"document {i}" for i in loudest} <= shown


def test_a_method_that_failed_on_a_fold_is_left_out():
    is_class, scores, given = documents(60, 9)
    folds = {"a": in_folds(scores), "b": in_folds(scores)[:-1]}
    assert list(inspected(folds, is_class, given, 60).methods) == ["a"]


def test_folds_without_the_class_show_nothing():
    is_class, scores, given = documents(60, 9)
    assert inspected({"m": in_folds(scores)}, np.zeros(60, bool), given, 60) is None
    assert inspected({"m": []}, is_class, given, 60) is None


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
    texts = ["oil up", "oil", "up", "rain oil", "sun"]
    given = plan_of(texts, ["in"] * 5, ["in"])
    listed = [TopWord("oil", True, 0.5, 1, 0, 1, 1), TopWord("oil up", True, 0.4, 1, 0, 1, 1)]
    words = FoldWords.from_contributions({}, [], tuple(listed))
    of_fold = fold(np.arange(5), np.arange(5.0), words)
    is_class = np.array([True, True, False, False, False])
    oil, pair = inspected({"m": [of_fold]}, is_class, given, 5).methods["m"].speak_for
    assert (oil.in_class, oil.n_class, oil.in_rest, oil.n_rest) == (2, 2, 1, 3)
    assert pair == listed[1]  # no word of the documents


def test_spellings_of_a_word_are_one_word_and_counted_in_all_documents():
    texts = ["Oil up", "oil", "up", "rain OIL", "sun"]
    given = plan_of(texts, ["in"] * 5, ["in"])
    listed = [
        TopWord("Rain Oil", True, 0.5, 1, 0, 1, 1),
        TopWord("Oil", True, 0.4, 1, 0, 1, 1),
        TopWord("OIL", True, 0.2, 0, 1, 1, 1),
        TopWord("Up", False, 0.3, 1, 0, 1, 1),
    ]
    words = FoldWords.from_contributions({}, [], tuple(listed))
    of_fold = fold(np.arange(5), np.arange(5.0), words)
    is_class = np.array([True, True, False, False, False])
    found = inspected({"m": [of_fold]}, is_class, given, 5).methods["m"]
    oil, pair = found.speak_for
    assert (oil.word, oil.apart, *oil[3:]) == ("Oil", pytest.approx(0.6), 2, 1, 2, 3)
    assert pair == listed[0]
    assert found.speak_against == [TopWord("Up", False, 0.3, 1, 1, 2, 3)]
