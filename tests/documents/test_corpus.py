import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imbtext.documents._corpus import Corpus

documents = st.lists(st.lists(st.text(min_size=1, max_size=3), max_size=6), max_size=8)


@given(documents)
def test_round_trip(docs):
    corpus = Corpus.from_tokens(docs)
    assert corpus.tokens() == docs
    assert corpus.texts() == [" ".join(doc) for doc in docs]
    assert corpus.vocabulary.tolist() == sorted({word for doc in docs for word in doc})
    assert corpus.lengths.tolist() == [len(doc) for doc in docs]


@given(documents, st.data())
def test_select_keep_and_concatenate(docs, data):
    corpus = Corpus.from_tokens(docs)
    rows = data.draw(st.lists(st.integers(0, len(docs) - 1), max_size=10)) if docs else []
    assert corpus.select(np.array(rows, dtype=int)).tokens() == [docs[i] for i in rows]
    mask = np.array([len(word) % 2 == 1 for word in corpus.vocabulary], dtype=bool)
    kept = corpus.keep_words(mask)
    assert kept.tokens() == [[word for word in doc if len(word) % 2] for doc in docs]
    assert kept.vocabulary.tolist() == [w for w in corpus.vocabulary if len(w) % 2]
    assert corpus.concatenate(corpus).tokens() == docs + docs


def test_boolean_mask_selects():
    corpus = Corpus.from_tokens([["a"], ["b"], ["a", "b"]])
    assert corpus.select([True, False, True]).tokens() == [["a"], ["a", "b"]]


@pytest.mark.parametrize("mask", [[True], [True, False, True, False]])
def test_a_mask_of_another_length_is_refused(mask):
    corpus = Corpus.from_tokens([["a"], ["b"], ["c"]])
    with pytest.raises(IndexError, match="boolean index did not match"):
        corpus.select(np.array(mask))


def test_counts_leave_the_corpus_alone():
    docs = [["b", "a", "b"], [], ["c"]]
    corpus = Corpus.from_tokens(docs)
    counts = corpus.counts()
    assert counts.toarray().tolist() == [[1, 2, 0], [0, 0, 0], [0, 0, 1]]
    assert counts.has_sorted_indices
    assert corpus.tokens() == docs
    assert corpus.word_counts().tolist() == [1, 2, 1]


def test_vocabulary_of_another_corpus_drops_unknown_words():
    corpus = Corpus.from_tokens([["a", "x", "b"], ["x"]])
    assert corpus.with_vocabulary(["b", "a"]).tokens() == [["a", "b"], []]
    assert Corpus.from_tokens([["a", "x"]], vocabulary=["a"]).tokens() == [["a"]]


def test_concatenate_refuses_another_vocabulary():
    with pytest.raises(ValueError, match="different vocabularies"):
        Corpus.from_tokens([["a"]]).concatenate(Corpus.from_tokens([["b"]]))


@pytest.mark.parametrize(
    ("ids", "offsets"),
    [
        ([0, 1, 0], [0, 5000]),
        ([0, 1, 0], [0, 2, 1, 3]),
        ([0, 1, 0], [1, 3]),
        ([0, 1, 0], [-3, 3]),
        ([0, 1, 0], []),
        ([0, 7, 0], [0, 3]),
        ([0, -1, 0], [0, 3]),
    ],
)
def test_a_corpus_whose_arrays_do_not_fit_together_is_refused(ids, offsets):
    """Compiled code reads and writes where they point."""
    words = np.array(["oil", "up"], dtype=object)
    with pytest.raises(ValueError, match=r"the (offsets|ids) of the corpus"):
        Corpus(np.array(ids, dtype=np.int32), np.array(offsets, dtype=np.int64), words)


@pytest.mark.parametrize("wrong", [np.zeros(3), np.zeros((3, 1), dtype=np.int32)])
def test_a_corpus_of_other_arrays_is_refused(wrong):
    words = np.array(["oil"], dtype=object)
    with pytest.raises(ValueError, match="expected whole numbers in one dimension"):
        Corpus(wrong, np.array([0, 3]), words)
