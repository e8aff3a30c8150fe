"""Counts of documents in pieces are the counts of the whole, however they were cut."""

from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imbtext.documents import Corpus, encode_texts
from imbtext.markov import ClassCounts, CorpusCounts, CountsAccumulator, TransitionCounts
from tests.archives import assert_same_counts

texts = st.text(alphabet="aböß zx ", max_size=12)
rows = st.lists(st.tuples(texts, st.sampled_from(["rare", "common", "other"])), max_size=30)


def assert_counts_of(counts, documents, labels):
    """The plain oracle: encode and count everything at once."""
    corpus = encode_texts(documents)
    assert counts.vocabulary.to_list() == corpus.vocabulary.tolist()
    assert dict(counts.sizes) == {label: labels.count(label) for label in set(labels)}
    if documents:
        assert_same_counts(counts.total(), TransitionCounts.of(corpus))
    for label, own in counts.classes.items():
        at = np.array([i for i, other in enumerate(labels) if other == label])
        expected = ClassCounts.of(corpus, at)
        assert np.array_equal(own.word_ids, expected.word_ids)
        assert_same_counts(own.counts, expected.counts)


@settings(max_examples=60)
@given(rows, st.lists(st.integers(0, 30), max_size=6), st.booleans())
def test_any_cut_gives_the_counts_of_the_whole(rows, cuts, at_once):
    documents, labels = [text for text, _ in rows], [label for _, label in rows]
    accumulator = CountsAccumulator()
    bounds = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    for start, end in pairwise(bounds):
        piece, own = documents[start:end], labels[start:end]
        if at_once:
            accumulator.merge(CorpusCounts.of(encode_texts(piece), own))
        else:
            accumulator.add(piece, own)
    assert_counts_of(accumulator.result(), documents, labels)


def test_more_can_be_added_after_a_result():
    accumulator = CountsAccumulator()
    accumulator.add(["oil up", "gold"], ["a", "b"])
    accumulator.result()
    accumulator.add(["silver oil", ""], ["b", "c"])
    assert_counts_of(
        accumulator.result(), ["oil up", "gold", "silver oil", ""], ["a", "b", "b", "c"]
    )


def test_texts_wait_until_there_are_enough(monkeypatch):
    monkeypatch.setattr("imbtext.markov._accumulation._BYTES_AT_ONCE", 20)
    rng = np.random.default_rng(0)
    documents = [" ".join(rng.choice(list("abcdefgh"), 4)) * 2 for _ in range(100)]
    labels = rng.choice(["a", "b"], 100).tolist()
    accumulator = CountsAccumulator()
    for start in range(0, 100, 3):
        accumulator.add(pl.Series(documents[start : start + 3]), labels[start : start + 3])
    assert_counts_of(accumulator.result(), documents, labels)


def test_token_lists_and_other_tokenizers_are_counted_as_they_are():
    tokens = [["Oil", "up"], ["x"], ["Oil", "Oil"]]
    by_corpus, by_tokenizer = CountsAccumulator(), CountsAccumulator(tokenizer=str.split)
    for document, label in zip(tokens, "aba", strict=True):
        by_corpus.add(Corpus.from_tokens([document]), [label])
        by_tokenizer.add([" ".join(document)], [label])
    expected = CorpusCounts.of(Corpus.from_tokens(tokens), list("aba"))
    for made in (by_corpus.result(), by_tokenizer.result()):
        assert made.vocabulary.to_list() == ["Oil", "up", "x"]
        assert_same_counts(made.total(), expected.total())


@pytest.mark.parametrize("tokenizer", [None, str.split])
def test_documents_and_labels_must_match_in_number(tokenizer):
    """One label too few, and all documents that come later would have had the label before."""
    accumulator = CountsAccumulator(tokenizer=tokenizer)
    for documents in (["oil up", "gold"], [["oil", "up"], ["gold"]]):
        for labels in (["a"], ["a", "b", "b"]):
            with pytest.raises(ValueError, match=rf"2 documents and {len(labels)} labels"):
                accumulator.add(documents, labels)
    accumulator.add(["rain"], ["b"])
    assert accumulator.result().sizes == {"b": 1}


def test_documents_come_in_any_container_and_odd_ones_are_named():
    accumulator = CountsAccumulator()
    accumulator.add(pd.Series(["oil up", "gold"]), ["a", "b"])
    accumulator.add([["oil", "up"]], ["a"])
    assert accumulator.result().total().words.tolist() == [1, 2, 2]
    for odd, says in (
        (["oil", None], r"documents\[1\] is missing"),
        (pl.Series(["oil", None]), r"documents\[1\] is missing"),
        ("oil up", "documents is a single str"),
    ):
        with pytest.raises((TypeError, ValueError), match=says):
            accumulator.add(odd, ["a", "b"])


def test_classes_of_several_types_are_named():
    accumulator = CountsAccumulator()
    accumulator.add(["oil up", "gold"], ["a", 1])
    with pytest.raises(TypeError, match="classes 'a', 1 are of several types"):
        accumulator.result().sorted_sizes()


def test_an_unsorted_vocabulary_is_refused():
    corpus = Corpus(np.array([0, 1], np.int32), np.array([0, 2]), np.array(["b", "a"], object))
    with pytest.raises(ValueError, match="is not sorted"):
        CorpusCounts.of(corpus, ["x"])


def test_an_accumulator_refuses_counts_of_another_kind_at_once():
    counts = CorpusCounts.of(Corpus.from_tokens([["a", "b"]]), ["x"])
    with pytest.raises(ValueError, match="surface forms"):
        CountsAccumulator(surface=True).merge(counts)


def test_a_stored_transition_takes_at_most_sixteen_bytes():
    rng = np.random.default_rng(0)
    words = np.array([f"w{i:04}" for i in range(5000)], object)
    ids = rng.integers(0, 5000, 200_000).astype(np.int32)
    corpus = Corpus(ids, np.arange(0, 200_001, 10), words)
    pairs = CorpusCounts.of(corpus, ["a", "b"] * 10_000).total().pairs
    assert pairs.data.nbytes + pairs.indices.nbytes + pairs.indptr.nbytes <= 16 * pairs.nnz
