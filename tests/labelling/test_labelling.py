"""The loop: what it offers next, the labels it keeps, and what it says."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from imbtext import Labelling
from imbtext.datasets import load_docstrings
from imbtext.documents import Documents
from imbtext.labelling._remaining import RandomSample


@pytest.fixture(scope="module")
def data():
    docstrings = load_docstrings()
    is_class = np.isin(docstrings.labels, ["scipy.fft", "numpy.fft"])
    rows = np.concatenate([np.flatnonzero(is_class)[::2], np.flatnonzero(~is_class)[::5]])
    return [docstrings.texts[row] for row in rows], is_class[rows]


def review(loop, is_class, n):
    for _ in range(n):
        row = loop.next()[0]
        loop.add(row, bool(is_class[row]))
    return loop


def test_a_rare_class_is_found_by_reading_little(data):
    texts, is_class = data
    loop = review(Labelling(texts, words="Fourier transform"), is_class, 60)
    assert len(loop.found()) >= 0.9 * is_class.sum()
    assert loop.progress().n_read == 60


def test_words_find_at_once_where_chance_needs_long(data):
    texts, is_class = data
    first = Labelling(texts, words="Fourier transform").next(5)
    assert is_class[first].any()
    by_example = Labelling(texts, examples=texts[0]).next(5)
    assert is_class[by_example].all()
    assert not is_class[Labelling(texts, random_state=0).next(5)].all()


def test_labels_that_exist_are_used(data):
    texts, is_class = data
    labels = [None] * len(texts)
    labels[0], labels[-1] = "yes", "no"
    labels[-2] = ""
    loop = Labelling(texts, labels)
    assert loop.read == [0, len(texts) - 1]
    assert is_class[loop.next(3)].any()
    assert loop.undo() == []


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series([1.0, 0.0, np.nan]),
        pd.Series([1, 0, None], dtype="Int64"),
        pd.Series([True, False, None], dtype="boolean"),
        pd.Series(["yes", "no", None], dtype="category"),
        pl.Series([1.0, 0.0, None]),
        pa.array(["yes", "no", None]),
        pa.chunked_array([[True, False], [None]]),
        np.array([1.0, -0.0, np.nan]),
        iter(["yes", False, None]),
    ],
)
def test_labels_come_in_any_column(labels):
    loop = Labelling(["oil price", "rain today", "oil up"], labels)
    assert loop.labels.tolist() == ["yes", "no", None]


@pytest.mark.parametrize(
    "labels", [[1, 0], (1.0, 0.0), np.array([True, False]), pa.array([1.0, 0.0]), iter([1, 0])]
)
def test_labels_are_added_from_any_column(labels):
    loop = Labelling(["oil price", "rain today", "oil up"])
    loop.add([2, 0], labels)
    assert loop.labels.tolist() == ["no", None, "yes"]


@pytest.mark.parametrize(
    ("classes", "labels", "of_model"),
    [
        ([1], [1.0, 0.0, 1, True, False, 0], [0, 1]),
        ([True], [1, 0, 1.0, True, False, 0.0], [False, True]),
        (np.array([2, 3]), [2.0, 0.0, 3, 2, 0, "no"], [0, 2, 3]),
        (
            np.array(["oil", "rain"]),
            ["oil", 0.0, "rain", "oil", False, "no"],
            ["no", "oil", "rain"],
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::imbtext.rare.FewDocumentsWarning")
def test_classes_may_be_numbers(classes, labels, of_model):
    loop = Labelling(["oil price", "sun today", "rain and oil"] * 2, labels, classes=classes)
    assert {type(c) for c in loop.classes} == {type(of_model[-1])}
    # A class is what was named, however its labels are written.
    kinds = [type(label) for label in loop.labels]
    assert kinds == [str if label == "no" else type(of_model[-1]) for label in loop.labels]
    model = loop.train()
    assert model.classes_.tolist() == of_model
    assert len(model.expectation_) == (1 if len(of_model) == 2 else 3)


def test_a_loop_continues_another_day(data):
    texts, is_class = data
    loop = review(Labelling(texts, words="Fourier transform"), is_class, 40)
    again = Labelling(texts, words="Fourier transform")
    again.add(loop.read, loop.labels[loop.read])
    assert again.next(5) == loop.next(5)
    assert again.progress().sentences() == loop.progress().sentences()
    read = f"40 of {len(texts):,} documents read"
    assert repr(again) == f"Labelling('yes': {read}, {len(loop.found())} found)"


def test_the_same_labels_give_the_same_rows(data):
    texts, is_class = data
    one, two = (review(Labelling(texts, random_state=3), is_class, 3) for _ in range(2))
    one.add(0, True)
    two.add(0, True)
    assert one.next(10) == two.next(10)
    assert Labelling(texts, random_state=3).next(9) != Labelling(texts, random_state=4).next(9)


def test_what_others_read_is_not_offered(data):
    texts, _ = data
    loop = Labelling(texts, words="Fourier transform")
    first = loop.next(3)
    assert not set(loop.next(3, without=first)) & set(first)
    loop.add(first, "no")
    assert not set(loop.next(3)) & set(first)


def test_undo_takes_back_a_label_a_change_and_a_skip(data):
    texts, _ = data
    loop = Labelling(texts, words="Fourier transform")
    offered = loop.next(4)
    loop.add(offered[0], "yes")
    after_one = loop.next(4)
    loop.add(offered[0], "no")
    loop.skip(offered[1])
    assert offered[1] not in loop.next(4)
    assert loop.undo() == [offered[1]]
    assert loop.undo() == [offered[0]]
    assert loop.labels[offered[0]] == "yes"
    assert loop.next(4) == after_one
    assert loop.undo() == [offered[0]]
    assert loop.read == []
    assert loop.next(4) == offered


def test_undo_of_a_change_keeps_the_order_of_reading():
    loop = Labelling(["oil price", "oil up", "rain today", "sun"], ["yes", None, None, None])
    loop.add([1, 2], ["yes", "no"])
    before = loop.progress().curve.tolist()
    loop.add([0, 1], "no")
    loop.undo()
    assert loop.read == [0, 1, 2]
    assert loop.progress().curve.tolist() == before


def test_labels_from_before_are_no_reading_whatever_is_forgotten():
    texts = [f"oil {i}" for i in range(40)]
    loop = Labelling(texts, ["no", "yes"] + [None] * 38)
    loop.add([2, 3], ["yes", "no"])
    expected = Labelling(texts, [None, "yes"] + [None] * 38)
    expected.add([2, 3], ["yes", "no"])
    loop.forget(0)
    assert loop.progress().next_hundred == expected.progress().next_hundred > 0


def test_words_of_which_one_class_knows_nothing_change_no_class():
    loop = Labelling(["oil price", "oil up", "rain today", "rain"], classes=["oil", "rain"])
    before = loop.next(4)
    with pytest.raises(ValueError, match="try other words"):
        loop.start(words={"oil": "oil", "rain": "xyzzy"})
    assert loop.next(4) == before


def test_what_was_skipped_comes_back_in_the_end():
    loop = Labelling(["oil price", "oil up", "rain today"])
    loop.skip([0, 1])
    assert loop.next(3) == [2, 0, 1]
    loop.add([0, 1, 2], ["yes", "yes", "no"])
    assert loop.next(3) == []
    assert loop.progress().may_stop


def test_several_classes_take_turns(data):
    texts, is_class = data
    words = {"fft": "Fourier transform", "random": ["draw random samples"]}
    loop = Labelling(texts, classes=["fft", "random"], words=words)
    for _ in range(60):
        row = loop.next()[0]
        is_random = "random" in texts[row] and not is_class[row]
        loop.add(row, "fft" if is_class[row] else "random" if is_random else "no")
    assert len(loop.found("fft")) > 10
    assert len(loop.found("random")) > 10
    assert loop.progress().n_found == len(loop.found())
    assert loop.progress("fft").n_found == len(loop.found("fft"))
    assert loop.train().classes_.tolist() == ["fft", "no", "random"]


def test_explain_names_words_of_the_document(data):
    texts, is_class = data
    loop = review(Labelling(texts, words="Fourier transform"), is_class, 30)
    row = loop.found()[0]
    explained = dict(loop.explain(row))
    spoken_for = [words for words, weight in explained.items() if weight > 0]
    assert any("fourier" in words.lower() for words in spoken_for)
    assert all(word in texts[row] for words in spoken_for for word in words.split())
    assert Labelling(texts).explain(0) == []


def test_vectors_find_what_shares_no_word_with_the_finds():
    """Two words for one thing, each in documents of its own, and an encoder that knows both."""
    texts = [f"{word} {other}" for word in ("petrol", "diesel", "milk", "bread") for other in "abc"]

    def encode(given):
        return np.array([[text[:6] in ("petrol", "diesel"), 1.0] for text in given])

    known = ["yes" if "petrol" in text else None for text in texts]
    known[6] = "no"
    loop = Labelling(texts, known, encoder=encode)
    assert sorted(loop.next(3)) == [3, 4, 5]
    late = Labelling(texts, known)
    assert sorted(late.next(3)) != [3, 4, 5]
    late.use_encoder(encode)
    assert late.next(12) == loop.next(12)


def test_an_encoder_starts_from_a_sentence_without_a_word_of_the_texts():
    texts = ["petrol up", "petrol down", "milk up", "milk down", "bread up", "bread down"]

    def encode(given):
        return np.array([[any(w in text for w in ("petrol", "fuel")), 1.0] for text in given])

    loop = Labelling(texts, words="what fuel costs", encoder=encode)
    assert sorted(loop.next(2)) == [0, 1]
    with pytest.raises(ValueError, match="no two documents have a word of 'what fuel costs'"):
        Labelling(texts, words="what fuel costs")
    # The sentence stands for the class until three are found.
    loop.add([0, 2], ["yes", "no"])
    assert loop.next() == [1]


def test_loops_over_the_same_documents_share_vectors_of_the_same_features():
    documents = Documents.of(["oil price", "crude oil", "oil rain"])
    one, two = Labelling(documents, features="auto"), Labelling(documents)
    assert one._pool is two._pool
    assert Labelling(documents, features="words")._pool is not one._pool

    def encode(texts):
        return np.eye(len(texts))

    one.use_encoder(encode)
    two.use_encoder(encode)
    assert one._meaning is two._meaning


def test_the_model_sees_the_features_that_were_given(data):
    texts, is_class = data
    loop = Labelling(texts, is_class.tolist(), features="words")
    assert loop.train().features == "words"
    assert Labelling(texts, is_class.tolist()).train().features == "auto"


def test_search_finds_documents_with_the_words(data):
    texts, _ = data
    loop = Labelling(texts)
    assert all("fourier" in texts[row].lower() for row in loop.search("Fourier", 5))
    assert loop.search("…") == []


def test_train_gives_a_model_of_what_was_read(data):
    texts, is_class = data
    loop = review(Labelling(texts, words="Fourier transform"), is_class, 80)
    model = loop.train()
    assert model.predict([texts[0]]).tolist() == ["yes"]
    with pytest.raises(ValueError, match="and others"):
        Labelling(texts).train()


def test_a_random_sample_counts_until_the_first_gap():
    texts = ["oil price", "crude oil", "rain", "sun", "wind", "ice"] * 20
    loop = Labelling(texts, random_state=0)
    loop.add([0, 2], ["yes", "no"])
    drawn = loop.sample(10)
    assert len(set(drawn)) == 10
    assert not {0, 2} & set(drawn)
    assert not set(drawn) & set(loop.sample(5))
    loop.add(drawn[:4] + drawn[5:], "no")
    assert loop._random_sample(["yes"]) == RandomSample(118, 4, 0, 0)
    loop.add(drawn[4], "yes")
    assert loop._random_sample(["yes"]) == RandomSample(118, 10, 1, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda loop: loop.add(99, "yes"), "99 is not a row"),
        (lambda loop: loop.add("a", "yes"), "'a' is not a row"),
        (lambda loop: loop.add(0, "yse"), "did you mean 'yes'"),
        (lambda loop: loop.add(0, None), "None is not a label"),
        (lambda loop: loop.add([0, 1], ["yes", np.nan]), r"nan is not a label.* skip\(\)"),
        (lambda loop: loop.add(0, pd.NA), "<NA> is not a label"),
        (lambda loop: loop.add(0, 2), "2 is not a label here"),
        (lambda loop: loop.add([0, 0], [1, 0]), "row 0 has the labels 'yes' and 'no'"),
        (lambda loop: loop.next(True), "n is True"),
        (lambda loop: loop.add([0, 1], ["yes"]), "2 rows but 1 labels"),
        (lambda loop: loop.start(words="xyzzy"), "try other words"),
        (lambda loop: loop.progress("other"), "no class 'other'"),
        (lambda loop: loop.progress(target=2), "target is 2"),
        (lambda loop: loop.next(0.5), "n is 0.5"),
        (lambda loop: loop.next(without=[-1]), "-1 is not a row"),
        (lambda loop: loop.sample(-1), "n is -1"),
        (lambda loop: loop.search("oil", 0), "n is 0"),
        (lambda loop: loop.add([True, False], "yes"), "True is not a row"),
        (lambda loop: loop.add(None, "yes"), "None is not a row"),
        (lambda loop: loop.train(), "no document of 'yes' was found yet"),
        (lambda loop: Labelling(["a b"], classes=None), "classes is None"),
        (lambda loop: Labelling(["a b"], classes=[None]), "other than 'no'"),
        (lambda loop: Labelling(["a b"], classes=[0]), "other than 'no' and 0"),
        (lambda loop: Labelling(["a b"], classes=[True, False]), "other than 'no' and 0"),
        (lambda loop: Labelling(["a b"], classes=[["a"]]), "different labels"),
        (lambda loop: Labelling(["a b"], [1], classes=[2]), "no document has the label 2; the col"),
        (lambda loop: Labelling(["a b"], ["spam"]), r"labels\[0\]: 'spam' is not a label here"),
        (lambda loop: Labelling(["a b"], np.ones((1, 1))), "one dimension"),
        (lambda loop: Labelling([]), "nothing to read"),
        (lambda loop: Labelling(["a b"], ["yes", "no"]), "1 texts but 2 labels"),
        (lambda loop: Labelling(["a b"], classes=["no"]), "other than 'no'"),
        (lambda loop: Labelling(["oil"], classes=["a", "b"], words="oil"), "which one is meant"),
    ],
)
def test_mistakes_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(Labelling(["oil price", "oil up", "rain today"]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Labelling(["a b"], "yes"), "labels is a single str"),
        (lambda: Labelling(["a b"], pd.DataFrame({"label": ["yes"]})), "labels is a table"),
        (lambda: Labelling(["a b"], words=3), "3 is neither words nor documents"),
    ],
)
def test_wrong_kinds_are_named(call, message):
    with pytest.raises(TypeError, match=message):
        call()


def test_a_pool_without_words_can_be_read():
    loop = Labelling(["", "…", "1 2"], random_state=0)
    loop.add(0, True)
    assert sorted(loop.next(5)) == [1, 2]


def test_a_forgotten_label_is_unread_again():
    loop = Labelling(["oil up", "oil down", "rain", "more rain"], random_state=0)
    loop.add([0, 2, 3], ["yes", "no", "no"])
    loop.forget(2)
    assert loop.read == [0, 3]
    assert set(loop.next(4)) == {1, 2}


def test_a_loop_and_its_progress_show_how_far_the_reading_is():
    loop = Labelling(["oil price", "crude oil", "rain"] * 400, random_state=0)
    loop.add([0, 2], ["yes", "no"])
    assert repr(loop) == "Labelling('yes': 2 of 1,200 documents read, 1 found)"
    assert repr(loop.progress()).startswith("Progress('yes': 2 of 1,200 documents read, 1 found. ")
    assert "array" not in repr(loop.progress())
