"""The one cache: what is cut and joined with documents, and what other documents begin without."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imbtext.documents import Documents
from imbtext.features import get_features
from imbtext.oversampling._counting import all_transitions

WORDS = ["oil", "gas", "up", "rain", "sun"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), min_size=1, max_size=6)


def of(texts, tokens):
    return Documents.of([text.split() for text in texts] if tokens else texts)


def of_all(documents):
    """Compute what belongs to all documents, and what belongs to each."""
    corpus = documents.corpus()
    n = np.array(corpus.lengths)
    lengths = documents.of_rows("lengths", lambda: n)
    counts = all_transitions(corpus, documents)
    vectors = documents.of_all("features", lambda: get_features("words").learn(documents))
    return [
        *(corpus.ids, corpus.offsets, corpus.vocabulary, documents.near_duplicates, lengths),
        *(counts.pairs.toarray(), counts.initial, counts.ending, counts.words, counts.lengths),
        *(vectors.seen_by().frequencies, vectors.known_shares(np.arange(len(documents)) % 2)),
    ]


@given(TEXTS, TEXTS, st.booleans(), st.data())
def test_documents_that_were_cut_and_joined_know_what_fresh_ones_know(one, two, tokens, data):
    first, second = of(one, tokens), of(two, tokens)
    for documents in (first, second):
        if data.draw(st.booleans()):
            of_all(documents)
    joined, texts = first + second, [*one, *two]
    if data.draw(st.booleans()):
        of_all(joined)
    rows = data.draw(st.lists(st.integers(0, len(texts) - 1), min_size=1, max_size=8))
    part, fresh = joined.select(np.array(rows)), of([texts[row] for row in rows], tokens)
    assert list(part.to_list()) == list(fresh.to_list())
    for known, computed in zip(of_all(part), of_all(fresh), strict=True):
        assert known.dtype == computed.dtype
        np.testing.assert_array_equal(known, computed)


def test_texts_are_split_once_however_they_are_cut():
    split = []

    def tokenizer(text):
        split.append(text)
        return text.split()

    documents = Documents.of(["oil up", "gas", "oil"])
    documents.corpus(tokenizer)
    for rows in ([0, 2], [1], [2, 0, 1]):
        documents.select(np.array(rows)).corpus(tokenizer)
    (documents + documents.select(np.array([1]))).corpus(tokenizer)
    assert split == ["oil up", "gas", "oil"]


def test_of_each_kind_and_of_classes_the_latest_are_kept():
    documents, computed = Documents.of(["a", "b", "c"]), []

    def ask(method, *key):
        method(*key, lambda: computed.append(key))

    for model in [*range(5), 4, 0]:
        ask(documents.of_all, ("vectors", model))
    ask(documents.of_all, "counts")
    assert computed == [(("vectors", model),) for model in (0, 1, 2, 3, 4, 0)] + [("counts",)]
    computed.clear()
    for rows in ([0], [1], [0], [0, 1]):
        ask(documents.of_class, np.array(rows), "counts")
    assert [rows.tolist() for rows, _ in computed] == [[0], [1], [0, 1]]


def test_nothing_of_it_is_pickled():
    documents = Documents.of(["oil up", "gas"])
    documents.of_all("large", lambda: np.zeros(100_000))
    documents.of_rows("vectors", lambda: np.zeros((2, 50_000)))
    assert len(pickle.dumps(documents)) < 10_000
    assert pickle.loads(pickle.dumps(documents)).corpus().tokens() == [["oil", "up"], ["gas"]]


def test_what_is_known_of_documents_is_cut_with_them():
    documents = Documents.of(
        ["x", "y", "z"],
        [{"a"}, {"a", "b"}, set()],
        groups=["g", "h", "g"],
        time=[2021, 2022, 2023],
        ids=["i", "j", "k"],
        sample_weight=[1, 2, 3],
    )
    for read_first in (False, True):
        if read_first:
            documents = documents.labelled()
        part = documents.select(np.array([2, 1])).select(np.array([1, 0]))
        assert part.labels.sets == ({"a", "b"}, set())
        assert (part.groups.tolist(), part.times.tolist()) == (["h", "g"], [2022, 2023])
        assert (part.ids, part.weights.tolist(), part.rows.tolist()) == (["j", "k"], [2, 3], [1, 2])


def test_an_indicator_keeps_its_columns_when_it_is_cut():
    documents = Documents.of(
        ["x", "y", "z"], np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0]])
    ).labelled()
    part = documents.select(np.array([2, 1]))
    assert part.labels.classes.tolist() == [0, 1, 2]
    assert [rows.tolist() for rows in part.labels.members] == [[1], [1], []]


def test_texts_and_token_lists_are_not_joined():
    with pytest.raises(TypeError, match="all be texts or all be token lists"):
        Documents.of(["x"]) + Documents.of([["x"]])
