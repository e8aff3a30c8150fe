"""Growth curves and Heaps' law."""

import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imbtext.documents import Corpus
from imbtext.markov import HeapsLaw, growth_curve, rarefied_words
from tests.token_lists import TOKEN_LISTS, heaps_text


def slow_curve(documents, at):
    seen, tokens, points = set(), 0, {0: 0}
    ends = []
    for document in documents:
        for word in document:
            seen.add(word)
            tokens += 1
            points[tokens] = len(seen)
        ends.append(tokens)
    where = ends if at == "documents" else range(1, tokens + 1)
    return list(where), [points[end] for end in where]


@given(TOKEN_LISTS, st.sampled_from(["documents", "tokens"]))
def test_curve_is_that_of_a_set_filled_word_by_word(documents, at):
    curve = growth_curve(Corpus.from_tokens(documents), shuffles=0, at=at)
    tokens, words = slow_curve(documents, at)
    assert curve.tokens.tolist() == tokens
    assert curve.words.tolist() == words
    assert not curve.spread.any()


@given(TOKEN_LISTS, st.integers(1, 4))
def test_shuffled_curve_is_the_average_of_the_shuffled_documents(documents, shuffles):
    curve = growth_curve(Corpus.from_tokens(documents), shuffles=shuffles, random_state=7)
    random = np.random.RandomState(7)
    orders = [random.permutation(len(documents)) for _ in range(shuffles)]
    curves = np.array([slow_curve([documents[i] for i in o], "documents") for o in orders])
    np.testing.assert_allclose(curve.tokens, curves[:, 0].mean(axis=0))
    np.testing.assert_allclose(curve.words, curves[:, 1].mean(axis=0))
    np.testing.assert_allclose(curve.spread, curves[:, 1].std(axis=0), atol=1e-7)


@given(TOKEN_LISTS)
def test_curves_never_fall_and_end_at_the_whole_vocabulary(documents):
    corpus = Corpus.from_tokens(documents)
    curve = growth_curve(corpus, shuffles=3)
    assert (np.diff(curve.words) >= -1e-9).all()
    assert (np.diff(curve.tokens) >= 0).all()
    assert curve.tokens[-1] == corpus.n_tokens
    assert curve.words[-1] == pytest.approx(corpus.n_words)


def test_curve_at_chosen_sizes():
    curve = growth_curve(["a1 b1 a1", "c1 a1"], shuffles=0, at=[0, 2, 4, 5])
    assert curve.tokens.tolist() == [0, 2, 4, 5]
    assert curve.words.tolist() == [0, 2, 3, 3]


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series, pl.Series, "tokens"])
def test_any_container_gives_the_same_curve(kind):
    texts = ["oil price up", "gold down", "", "oil down"]
    given_documents = [t.split() for t in texts] if kind == "tokens" else kind(texts)
    curve = growth_curve(given_documents, shuffles=0)
    assert curve.words.tolist() == [3, 5, 5, 5]


def test_same_seed_same_curve_and_another_seed_another():
    corpus = heaps_text(3, 0.6, 4000, np.random.default_rng(0))
    one, same, other = (growth_curve(corpus, random_state=seed) for seed in (1, 1, 2))
    assert np.array_equal(one.words, same.words)
    assert not np.array_equal(one.words, other.words)


def test_thinned_curve_keeps_both_ends():
    curve = growth_curve(heaps_text(3, 0.6, 10_000, np.random.default_rng(0)), shuffles=0)
    thin = curve.thin(50)
    assert len(thin) == 50
    assert thin.tokens[0] == curve.tokens[0]
    assert thin.words[-1] == curve.words[-1]
    assert curve.thin(1000) is curve


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shuffles": -1}, "shuffles is -1"),
        ({"shuffles": 2.5}, r"shuffles is 2\.5"),
        ({"at": "words"}, "at is 'words'"),
        ({"at": [3, 2]}, "increasing"),
        ({"at": [1, 99]}, "the tokens that there are"),
        ({"at": [0.5]}, "whole numbers"),
    ],
)
def test_refuses_what_makes_no_sense(arguments, message):
    with pytest.raises(ValueError, match=message):
        growth_curve(["oil price", "gold price"], **arguments)


@pytest.mark.parametrize("documents", [[], [""], ["", "!"]])
def test_refuses_documents_without_words(documents):
    with pytest.raises(ValueError, match="have no word"):
        growth_curve(documents)


def test_rarefied_words_are_the_average_over_orders_of_the_tokens():
    rng = np.random.default_rng(0)
    counts = np.array([7, 3, 1, 1, 0, 12])
    bag = np.repeat(np.arange(6), counts)
    orders = rng.permuted(np.tile(bag, (4000, 1)), axis=1)
    for size in (1, 2, 5, 12, 24):
        average = np.mean([len(set(order[:size])) for order in orders.tolist()])
        assert rarefied_words(counts, [size])[0] == pytest.approx(average, abs=0.06)
    with pytest.raises(ValueError, match="from 0 to 24"):
        rarefied_words(counts, [25])


def test_a_law_through_no_point():
    with pytest.raises(ValueError, match="both must be above 0"):
        HeapsLaw(1, 0.5).through(0, 3)


@pytest.mark.parametrize("tokens", [-1, 5, float("nan")])
def test_no_more_tokens_can_be_drawn_than_there_are(tokens):
    with pytest.raises(ValueError, match="expected numbers from 0 to 4"):
        rarefied_words([2, 1, 1], [1, tokens])


def test_a_million_tokens_take_less_than_two_seconds():
    rng = np.random.default_rng(0)
    corpus = heaps_text(10, 0.6, 1_000_000, rng, document_length=100)
    start = time.process_time()
    curve = growth_curve(corpus)
    assert time.process_time() - start < 2
    assert curve.tokens[-1] == 1_000_000
