"""The vocabulary expected of a chain, and the gamma chosen by it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imbtext import EMCO, minority_share
from imbtext.documents import Corpus, Documents
from imbtext.markov import (
    HeapsLaw,
    MarkovChain,
    TransitionCounts,
    expected_visits,
    expected_vocabulary,
    gamma_by_heaps,
    words_by_heaps,
)

SMALL_CORPORA = st.lists(
    st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=6), min_size=2, max_size=8
)


def zipf_corpus(n_documents=400, n_words=2000, length=15, seed=0):
    """Documents whose words depend on the word before, so that chains have structure."""
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, n_words + 1)
    draws = rng.choice(n_words, size=(n_documents, length), p=weights / weights.sum())
    draws[:, 1:] = np.where(
        rng.random((n_documents, length - 1)) < 0.3, (draws[:, :-1] * 7 + 1) % n_words, draws[:, 1:]
    )
    return Corpus.from_tokens([[f"w{i:04d}" for i in row] for row in draws])


def counts_of(corpus, m):
    minority = TransitionCounts.of(corpus.select(np.arange(m)))
    return TransitionCounts.of(corpus), minority


def visits_by_enumeration(chain):
    """Walk the written-out matrix position by position, <stop> passed through by hand."""
    P = chain.matrix().toarray()
    P = P / P.sum(axis=1, keepdims=True)
    n = chain.n_words
    expected = np.zeros(n)
    for length, count in zip(chain.lengths, chain.length_counts, strict=True):
        position = P[n, :n].copy()
        for t in range(length):
            expected += count / chain.length_counts.sum() * position
            if t + 1 < length:
                after = position @ P[:n]
                position = after[:n] + after[n] * P[n, :n]
    return expected


@given(SMALL_CORPORA, st.sampled_from([0.0, 0.1, 1.0]))
def test_visits_are_those_of_the_written_out_matrix(documents, gamma):
    corpus = Corpus.from_tokens(documents)
    total, minority = counts_of(corpus, 2)
    chain = MarkovChain.extrapolate(total, minority, gamma)
    if (np.diff(chain.indptr) == 0).any():
        return  # a word that only ever repeats itself: the chain is not made to leave it
    visits = expected_visits(chain)
    np.testing.assert_allclose(visits, visits_by_enumeration(chain), atol=2e-3)
    lengths = corpus.select([0, 1]).lengths
    assert visits.sum() == pytest.approx(lengths.mean())


@pytest.mark.parametrize("gamma", [0.01, 0.1, 1.0])
def test_expected_vocabulary_is_that_of_drawn_documents(gamma):
    corpus = zipf_corpus()
    total, minority = counts_of(corpus, 20)
    chain = MarkovChain.extrapolate(total, minority, gamma)
    drawn = []
    for seed in range(30):
        ids = chain.draw(corpus.vocabulary, 100, seed).ids
        drawn.append(len(np.union1d(ids, chain.minority)))
    n_minority = len(chain.minority)
    new_words = np.mean(drawn) - n_minority
    assert expected_vocabulary(chain, 100) - n_minority == pytest.approx(new_words, rel=0.04)


def test_no_new_words_with_gamma_zero_or_no_documents():
    total, minority = counts_of(zipf_corpus(), 20)
    n_words = np.count_nonzero(minority.words)
    plain = MarkovChain.extrapolate(total, minority, 0.0)
    extrapolated = MarkovChain.extrapolate(total, minority, 1.0)
    assert expected_vocabulary(plain, 1000) == pytest.approx(n_words)
    assert expected_vocabulary(extrapolated, 0) == n_words


def test_the_chosen_gamma_gives_the_predicted_vocabulary():
    total, minority = counts_of(zipf_corpus(), 100)
    for theta in (0.1, 0.2, 0.3):
        law = HeapsLaw(1.0, theta)
        gamma = gamma_by_heaps(total, minority, 200, law=law)
        assert 0 < gamma < 1
        chain = MarkovChain.extrapolate(total, minority, gamma)
        predicted = words_by_heaps(total, minority, 200, law=law)
        assert expected_vocabulary(chain, 200) == pytest.approx(predicted, rel=0.01)


def test_gamma_is_bounded_and_grows_with_theta():
    total, minority = counts_of(zipf_corpus(), 100)
    gammas = [gamma_by_heaps(total, minority, 200, law=HeapsLaw(1, t)) for t in (0, 0.2, 0.3, 1)]
    assert gammas[0] == 0.0
    assert gammas[-1] == 1.0
    assert gammas == sorted(gammas)
    assert gamma_by_heaps(total, minority, 0) == 0.0


def test_the_law_starts_at_the_class_itself():
    total, minority = counts_of(zipf_corpus(), 50)
    n_words = np.count_nonzero(minority.words)
    assert words_by_heaps(total, minority, 0) == pytest.approx(n_words)
    # all documents of the corpus are alike, so a part of it grows as it grew
    predicted = words_by_heaps(total, minority, 350)
    assert predicted == pytest.approx(np.count_nonzero(total.words), rel=0.06)


def test_class_counted_on_its_own_words_gives_the_same():
    total, minority = counts_of(zipf_corpus(), 30)
    word_ids = np.flatnonzero(minority.words)
    own = minority.restrict(word_ids)
    assert gamma_by_heaps(total, own, 80, word_ids=word_ids) == gamma_by_heaps(total, minority, 80)


@settings(max_examples=50)
@given(SMALL_CORPORA, st.integers(0, 30))
def test_any_class_gets_a_gamma(documents, n_new):
    corpus = Corpus.from_tokens(documents)
    total, minority = counts_of(corpus, 1)
    try:
        gamma = gamma_by_heaps(total, minority, n_new)
    except ValueError as error:
        assert "repeat" in str(error) or "leave" in str(error)  # noqa: PT017
    else:
        assert 0 <= gamma <= 1


def test_classes_without_words_are_refused():
    corpus = Corpus.from_tokens([[], ["oil", "up"]])
    total, minority = counts_of(corpus, 1)
    with pytest.raises(ValueError, match="no document with a word"):
        gamma_by_heaps(total, minority, 3)
    with pytest.raises(ValueError, match="n_new is -1"):
        gamma_by_heaps(total, total, -1)


def topical_corpus():
    """Documents of which the first hundred have a narrow topic, and so an interior gamma."""
    rng = np.random.default_rng(1)
    tokens = zipf_corpus(length=40).tokens()
    for document in tokens[:100]:
        for i in np.flatnonzero(rng.random(40) < 0.8):
            document[i] = f"t{rng.integers(30):02d}"
    return Corpus.from_tokens(tokens)


TOPICAL = topical_corpus()
TEXTS = TOPICAL.texts()
Y = np.array(["rare"] * 100 + ["common"] * 300)


def test_gamma_of_a_narrow_topic_lies_inside_and_depends_on_the_number():
    total, minority = counts_of(TOPICAL, 100)
    few, many = (gamma_by_heaps(total, minority, n) for n in (20, 200))
    assert 0 < few < 1
    assert 0 < many < 1
    assert abs(few - many) > 1e-3


def test_emco_chooses_and_reports_gamma():
    emco = EMCO(gamma="heaps", sampling_strategy=minority_share(0.4), random_state=0)
    texts, _ = emco.fit_resample(TEXTS, Y)
    total, minority = counts_of(TOPICAL, 100)
    ((label, gamma),) = emco.gamma_.items()
    assert gamma == gamma_by_heaps(total, minority, 100)
    fixed = EMCO(gamma=gamma, sampling_strategy=minority_share(0.4), random_state=0)
    assert fixed.fit_resample(TEXTS, Y)[0] == texts
    assert fixed.gamma_[label] == gamma


def test_emco_reports_one_gamma_per_class():
    y = np.array(["a"] * 40 + ["b"] * 60 + ["c"] * 300)
    emco = EMCO(gamma="heaps", random_state=0)
    emco.fit_resample(TEXTS, y)
    assert set(emco.gamma_) == {"a", "b"}
    total, minority = counts_of(TOPICAL, 40)
    assert emco.gamma_["a"] == gamma_by_heaps(total, minority, 260)


def test_emco_samples_with_the_gamma_of_that_number():
    emco = EMCO(gamma="heaps", random_state=0).fit(TEXTS, Y)
    total, minority = counts_of(TOPICAL, 100)
    few = gamma_by_heaps(total, minority, 20)
    assert emco.sample(20, label="rare") == EMCO(few, random_state=0).fit(TEXTS, Y).sample(
        20, label="rare"
    )


def test_emco_with_heaps_comes_back_from_a_file(tmp_path):
    emco = EMCO(gamma="heaps", random_state=0).fit(TEXTS, Y)
    emco.save(tmp_path / "chain.npz")
    again = EMCO.load(tmp_path / "chain.npz")
    assert again.gamma == "heaps"
    assert again.sample(5, label="rare") == emco.sample(5, label="rare")


def test_emco_refuses_another_word():
    with pytest.raises(ValueError, match="heaps"):
        EMCO(gamma="zipf").fit_resample(TEXTS, Y)


def test_method_by_name_uses_it():
    from imbtext.methods import PreparedDocuments, Problem, get_method

    data = PreparedDocuments(Documents(TOPICAL))
    for n_new in (5, 50):
        gamma = gamma_by_heaps(*counts_of(TOPICAL, 100), n_new)
        problem = Problem(data, Y == "rare", n_new, seed=3)
        heaps = get_method("emco(heaps)").resample(problem)
        fixed = get_method(f"emco({gamma!r})").resample(problem)
        assert (heaps.X != fixed.X).nnz == 0
