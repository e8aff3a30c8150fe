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
