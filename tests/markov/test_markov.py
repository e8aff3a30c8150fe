"""The chain against the paper: a hand-worked matrix, plain oracles, and statistics of draws."""

import itertools
from collections import Counter, defaultdict
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from imbtext.documents import Corpus
from imbtext.markov import MarkovChain, TransitionCounts
from tests.archives import assert_same_counts

STOP = "<stop>"
words = st.sampled_from(list("abcdefg"))
classes = st.tuples(
    st.lists(st.lists(words, max_size=5), min_size=1, max_size=5),
    st.lists(st.lists(words, max_size=6), max_size=6),
).filter(lambda pair: any(pair[0]))
gammas = st.sampled_from([0, 0.01, 0.1, 0.5, 1, 3])


def chain_of(minority, majority, gamma):
    corpus = Corpus.from_tokens(minority + majority)
    total = TransitionCounts.of(corpus)
    own = TransitionCounts.of(corpus.select(np.arange(len(minority))))
    return corpus, MarkovChain.extrapolate(total, own, gamma)


def next_words(last, minority, majority, gamma):
    """The plain oracle: what may follow a word, from the definition and nothing else."""
    minority_words = {word for doc in minority for word in doc}
    if last != STOP and last not in minority_words:
        return dict(Counter(word for doc in minority for word in doc))
    weights = defaultdict(float)
    for docs, weight, ends in ((minority, 1, True), (majority, gamma, False)):
        for doc in docs:
            for word, follower in itertools.pairwise([STOP, *doc, STOP] if doc else []):
                if word != last or follower == last or (not ends and STOP in (word, follower)):
                    continue
                weights[follower] += weight
    return {word: weight for word, weight in weights.items() if weight > 0}


def test_hand_worked_matrix_block_by_block():
    minority = [["a", "b", "b", "c"], ["a", "c"]]
    majority = [["a", "x", "a"], ["c", "a", "y", "x"], ["y"], ["c", "c", "x"]]
    corpus, chain = chain_of(minority, majority, 0.5)
    assert corpus.vocabulary.tolist() == ["a", "b", "c", "x", "y"]
    expected = [
        # a    b    c    x    y   <stop>
        [0.0, 1.0, 1.0, 0.5, 0.5, 0.0],  # a: b and c once each, x and y at gamma
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],  # b: its self-transition is zero
        [0.5, 0.0, 0.0, 0.5, 0.0, 2.0],  # c: ends both minority documents
        [2.0, 2.0, 2.0, 0.0, 0.0, 0.0],  # x: the minority word distribution
        [2.0, 2.0, 2.0, 0.0, 0.0, 0.0],  # y: the same row
        [2.0, 0.0, 0.0, 0.0, 0.0, 0.0],  # <stop>: both minority documents begin with a
    ]
    assert chain.matrix().toarray().tolist() == expected


@given(classes, gammas)
def test_matrix_equals_the_definition(pair, gamma):
    minority, majority = pair
    corpus, chain = chain_of(minority, majority, gamma)
    matrix = chain.matrix().toarray()
    names = [*corpus.vocabulary, STOP]
    for i, word in enumerate(names):
        row = {names[j]: matrix[i, j] for j in np.flatnonzero(matrix[i])}
        assert row == pytest.approx(next_words(word, minority, majority, gamma))


@given(classes)
def test_counts_add_and_subtract(pair):
    minority, majority = pair
    corpus = Corpus.from_tokens(minority + majority)
    whole = TransitionCounts.of(corpus)
    rows = np.arange(len(minority))
    first = TransitionCounts.of(corpus.select(rows))
    rest = TransitionCounts.of(corpus.select(np.arange(len(minority), corpus.n_documents)))
    for made, expected in ((first + rest, whole), (whole - first, rest), (whole - rest, first)):
        assert_same_counts(made, expected)


def test_counts_of_other_documents_cannot_be_subtracted():
    corpus = Corpus.from_tokens([["a", "b"], ["b", "a"]])
    one, two = (TransitionCounts.of(corpus.select([i])) for i in range(2))
    with pytest.raises(ValueError, match="not part of the whole"):
        one - two - two
    with pytest.raises(ValueError, match="one vocabulary"):
        one + TransitionCounts.of(Corpus.from_tokens([["a"]]))


def test_relabelled_counts_are_counts_of_the_relabelled_corpus():
    corpus = Corpus.from_tokens([["a", "b", "c"], ["c", "a"]])
    new_ids = np.array([0, 2, 4])
    vocabulary = np.array(["a", "?", "b", "??", "c"], dtype=object)
    relabelled = TransitionCounts.of(corpus).relabel(new_ids, 5)
    assert_same_counts(relabelled, TransitionCounts.of(corpus.relabel(new_ids, vocabulary)))


def test_drawn_transitions_fit_the_matrix():
    rng = np.random.default_rng(0)
    letters = list("abcdefgh")
    minority = [list(rng.choice(letters[:5], rng.integers(1, 7))) for _ in range(6)]
    majority = [list(rng.choice(letters, rng.integers(1, 9))) for _ in range(30)]
    corpus, chain = chain_of(minority, majority, 0.3)
    # Walk the states again along the drawn words, with the passes through <stop> that only the
    # weights can tell left out: the words after each state must be drawn by its row.
    drawn = chain.draw(corpus.vocabulary, 60_000, seed=5, length=4)
    ids, offsets = drawn.ids, drawn.offsets
    assert np.all(np.diff(offsets) == 4)
    first = np.bincount(ids[offsets[:-1]], minlength=chain.n_words)
    stop = slice(chain.indptr[chain.stop_state], chain.indptr[chain.stop_state + 1])
    initial = np.zeros(chain.n_words)
    initial[chain.words[stop]] = chain.weights[stop]
    assert fits(first, initial)
    # The second word follows the state of the first, or restarts after <stop>.
    for entry in range(stop.start, stop.stop):
        word, state = chain.words[entry], chain.following[entry]
        row = slice(chain.indptr[state], chain.indptr[state + 1])
        weights = np.zeros(chain.n_words + 1)
        weights[chain.words[row]] = chain.weights[row]
        weights /= weights.sum()
        expected = weights[:-1] + weights[-1] * initial / initial.sum()
        second = ids[offsets[:-1] + 1][ids[offsets[:-1]] == word]
        assert fits(np.bincount(second, minlength=chain.n_words), expected)


def fits(observed, weights):
    possible = weights > 0
    assert not observed[~possible].any()
    if possible.sum() == 1:
        return True
    expected = weights[possible] / weights[possible].sum() * observed.sum()
    return stats.chisquare(observed[possible], expected).pvalue > 1e-4


def test_lengths_are_drawn_from_the_minority_documents():
    minority = [["a"], ["a", "b"], ["a", "b"], ["b"] * 9, []]
    corpus, chain = chain_of(minority, [["c"] * 50], 1)
    drawn = chain.draw(corpus.vocabulary, 20_000, seed=1)
    lengths, counts = np.unique(drawn.lengths, return_counts=True)
    assert lengths.tolist() == [1, 2, 9]
    assert stats.chisquare(counts, np.array([1, 2, 1]) * 5000).pvalue > 1e-4


@settings(max_examples=30)
@given(classes)
def test_gamma_zero_never_leaves_the_minority_vocabulary(pair):
    minority, majority = pair
    corpus, chain = chain_of(minority, majority, 0)
    drawn = chain.draw(corpus.vocabulary, 50, seed=0, length=6)
    assert set(corpus.vocabulary[drawn.ids]) <= {word for doc in minority for word in doc}


@settings(max_examples=30)
@given(classes)
def test_majority_only_word_is_followed_by_a_minority_word_or_the_end(pair):
    minority, majority = pair
    corpus, chain = chain_of(minority, majority, 5)
    own = {word for doc in minority for word in doc}
    for document in chain.draw(corpus.vocabulary, 50, seed=0, length=6).tokens():
        for word, follower in itertools.pairwise(document):
            assert word in own or follower in own
            assert word != follower or word in own  # only <stop> lies between equal words


def test_any_document_can_be_drawn_alone_on_any_number_of_threads(monkeypatch):
    monkeypatch.setattr("imbtext.markov._chain._TOKENS_PER_THREAD", 100)
    corpus, chain = chain_of([["a", "b", "c"], ["b"]], [["c", "d", "a", "e"]] * 3, 1)
    draw = partial(chain.draw, corpus.vocabulary)
    drawn = draw(1000, seed=9, stream=2)
    assert np.array_equal(drawn.ids, draw(1000, seed=9, stream=2, n_jobs=7).ids)
    some = draw(10, seed=9, stream=2, first=500)
    assert some.tokens() == drawn.select(np.arange(500, 510)).tokens()
    for seed, stream in ((10, 2), (9, 3)):
        other = draw(1000, seed=seed, stream=stream)
        assert not np.array_equal(other.ids[:100], drawn.ids[:100])


def test_chain_from_the_classs_own_words_is_the_same():
    corpus = Corpus.from_tokens([["b", "d", "b"], ["a", "b"], ["d", "c", "a"], ["b", "d", "c"]])
    total = TransitionCounts.of(corpus)
    own = corpus.select([0, 3])
    present = own.word_counts() > 0
    small = TransitionCounts.of(own.keep_words(present))
    one = MarkovChain.extrapolate(total, TransitionCounts.of(own), 0.3)
    two = MarkovChain.extrapolate(total, small, 0.3, np.flatnonzero(present))
    for name in ("indptr", "words", "weights", "following"):
        assert np.array_equal(getattr(one, name), getattr(two, name))


def test_class_without_words_is_refused():
    corpus = Corpus.from_tokens([[], ["a"]])
    with pytest.raises(ValueError, match="no document with a word"):
        MarkovChain.extrapolate(
            TransitionCounts.of(corpus), TransitionCounts.of(corpus.select([0])), 1
        )


@pytest.mark.parametrize("n_words", [1, 2, 7, 60_000, 5_000_000])  # one radix pass to five
def test_pairs_are_counted_for_small_and_large_vocabularies(n_words):
    rng = np.random.default_rng(0)
    ids = rng.integers(0, n_words, 3000).astype(np.int32)
    ids[:3] = n_words - 1
    corpus = Corpus(ids, np.array([0, 1000, 1000, 3000]), np.arange(n_words).astype(object))
    counted = TransitionCounts.of(corpus).pairs
    assert counted.has_canonical_format
    assert counted.indices.dtype == counted.indptr.dtype == np.int32
    pairs = counted.tocoo()
    found = dict(
        zip(zip(pairs.row.tolist(), pairs.col.tolist(), strict=True), pairs.data, strict=True)
    )
    expected = Counter(itertools.pairwise(ids[:1000].tolist()))
    expected += Counter(itertools.pairwise(ids[1000:].tolist()))
    assert found == dict(expected)


def test_what_cannot_be_drawn_is_refused():
    corpus = Corpus.from_tokens([["oil", "up"], ["gold", "up"]])
    total, own = TransitionCounts.of(corpus), TransitionCounts.of(corpus.select([0]))
    chain = MarkovChain.extrapolate(total, own, gamma=0.5)
    for length in (0, -1):
        with pytest.raises(ValueError, match="at least one word"):
            chain.draw(corpus.vocabulary, 5, seed=0, length=length)
    with pytest.raises(ValueError, match="n is -1"):
        chain.draw(corpus.vocabulary, -1, seed=0)
    for vocabulary in (corpus.vocabulary[:-1], np.append(corpus.vocabulary, "x")):
        with pytest.raises(ValueError, match="words and the chain 3"):
            chain.draw(vocabulary, 5, seed=0)
    for gamma in (1e308, float("inf"), float("nan"), -0.1):
        with pytest.raises(ValueError, match="gamma is"):
            MarkovChain.extrapolate(total, own, gamma=gamma)


def test_a_class_that_was_counted_on_its_own_vocabulary_is_refused():
    """Its ids stand for other words: "gold" here, where the class has "oil"."""
    corpus = Corpus.from_tokens([["oil", "up"], ["gold", "up"]])
    total = TransitionCounts.of(corpus)
    alone = TransitionCounts.of(Corpus.from_tokens([["oil", "up"]]))
    with pytest.raises(ValueError, match="count both on one vocabulary"):
        MarkovChain.extrapolate(total, alone, gamma=0.5)
