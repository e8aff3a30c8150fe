"""Other documents counted by similarity: the plain formula, word by word, as the oracle."""

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from imbtext import EMCO, MCO
from imbtext.documents import Corpus
from imbtext.markov import ClassCounts, MarkovChain, TransitionCounts
from imbtext.markov._similarity import SimilarCounts
from tests.archives import changed_archive

RARE = ["oil price up", "crude oil price falls", "oil output cut oil"]
COMMON = [
    "share price of the firm up",
    "firm output rises on cash",
    "bank cuts rate and the price of cash",
    "the oil price of the bank is up",
    "rain",
    "",
] * 2
TEXTS, Y = RARE + COMMON, ["rare"] * len(RARE) + ["common"] * len(COMMON)
POWER = 2.5


def documents(n, seed):
    rng = np.random.default_rng(seed)
    return [[f"w{i}" for i in rng.zipf(1.6, rng.integers(0, 9)) % 30] for _ in range(n)]


def weights_by_hand(tokens, is_class, power):
    """What each document counts, from the words of the definition."""
    bags = [Counter(words) for words in tokens]
    everything, own = sum(bags, Counter()), Counter()
    for bag, belongs in zip(bags, is_class, strict=True):
        own += bag if belongs else Counter()
    n = sum(everything.values())
    rarity = {word: math.log(n / count) for word, count in everything.items()}

    def cosine(first, second):
        dot = sum(first[word] * second[word] * rarity[word] ** 2 for word in first)
        norms = [
            math.sqrt(sum((count * rarity[word]) ** 2 for word, count in bag.items()))
            for bag in (first, second)
        ]
        return dot / (norms[0] * norms[1]) if all(norms) else 0.0

    raw = [cosine(bag, own) ** power for bag in bags]
    known = [w for w, bag, belongs in zip(raw, bags, is_class, strict=True) if belongs and bag]
    return [w / (sum(known) / len(known)) for w in raw]


@pytest.mark.parametrize("seed", range(5))
def test_each_document_counts_by_its_cosine(seed):
    tokens = documents(40, seed)
    is_class = np.arange(40) % 7 == 0
    corpus = Corpus.from_tokens(tokens)
    rows = np.flatnonzero(is_class)
    total, own = TransitionCounts.of(corpus), ClassCounts.of(corpus, rows)
    similar = SimilarCounts.of(corpus, rows, total, own, POWER)
    gamma = 0.3
    chain = MarkovChain.extrapolate(similar.total(total, own), own.counts, gamma, own.word_ids)
    ids = {word: i for i, word in enumerate(corpus.vocabulary)}
    expected = np.zeros((corpus.n_words, corpus.n_words))
    weights = weights_by_hand(tokens, is_class, POWER)
    for words, weight, belongs in zip(tokens, weights, is_class, strict=True):
        for first, second in pairwise(words):
            expected[ids[first], ids[second]] += 1 if belongs else gamma * weight
    np.fill_diagonal(expected, 0)
    found = chain.matrix().toarray()[own.word_ids][:, :-1]
    np.testing.assert_allclose(found, expected[own.word_ids], atol=1e-6)


def test_without_similarity_all_count_alike():
    emco = EMCO(random_state=0).fit(TEXTS, Y)
    assert emco.counts_.pairs.dtype == np.int64
    similar = EMCO(similarity=1e-12, random_state=0).fit(TEXTS, Y)
    # A power of nearly 0 makes every document that shares a word count 1.
    near, plain = (e.chain("rare").matrix().toarray() for e in (similar, emco))
    np.testing.assert_allclose(near, plain, atol=1e-6)


def test_what_is_far_from_the_class_hardly_counts():
    plain, similar = EMCO(random_state=0), EMCO(similarity=3, random_state=0)
    own = set(MCO().fit(TEXTS, Y).chain("rare").minority.tolist())

    def foreign(sampler):
        chain = sampler.fit(TEXTS, Y).chain("rare")
        return chain.weights[[w not in own for w in chain.words]].sum()

    assert 0 < foreign(similar) < 0.5 * foreign(plain)


def test_words_that_tell_nothing_make_no_warnings():
    y = [1, 0, 0]
    # One word alone has no rarity, so that no two documents can be compared.
    assert EMCO(similarity=2, random_state=0).fit(["oil"] * 3, y).sample(1, 1) == ["oil"]
    texts = ["oil up", "gold", ""]
    assert EMCO(similarity=2, random_state=0).fit_resample(texts, y)[0][:3] == texts


def test_a_saved_sampler_draws_the_same(tmp_path):
    emco = EMCO(0.5, similarity=POWER, random_state=3).fit(TEXTS, Y)
    emco.save(tmp_path / "emco.chain")
    loaded = EMCO.load(tmp_path / "emco.chain")
    assert loaded.similarity == POWER
    assert loaded.sample(20, "rare") == emco.sample(20, "rare")
    plain = EMCO(0.5, random_state=3).fit(TEXTS, Y)
    assert loaded.sample(200, "rare") != plain.sample(200, "rare")
    with pytest.raises(ValueError, match="is an EMCO chain"):
        MCO.load(tmp_path / "emco.chain")


@pytest.mark.parametrize("units", [-1, 2**63, 2**62 * 1.0, [1], None])
def test_units_that_are_no_number_of_units_are_refused(tmp_path, units):
    path = tmp_path / "emco.chain"
    EMCO(similarity=2, random_state=3).fit(TEXTS, Y).save(path)
    changed_archive(path, lambda about, _: about["similar"][0].update(class_units=units))
    with pytest.raises(ValueError, match=r"emco\.chain"):
        EMCO.load(path)


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("similar.0.pairs.data", lambda values: -values),
        ("similar.0.pairs.data", lambda values: values.astype(np.uint64) + np.uint64(2**63)),
        ("similar.0.pairs.indices", lambda values: values + 1000),
        ("similar.0.pairs.data", lambda values: values.astype(float)),
        ("similar.1.pairs.indptr", lambda values: values[:-1]),
    ],
)
def test_a_spoilt_file_is_refused(tmp_path, name, spoil):
    path = tmp_path / "emco.chain"
    EMCO(similarity=2, random_state=3).fit(TEXTS, Y).save(path)
    changed_archive(path, lambda _, arrays: arrays.update({name: spoil(arrays[name])}))
    with pytest.raises(ValueError, match=r"emco\.chain"):
        EMCO.load(path)


def test_what_cannot_see_all_documents_is_refused(tmp_path):
    emco = EMCO(similarity=2)
    with pytest.raises(ValueError, match=r"partial_fit .* similarity=2 .* set similarity=None"):
        emco.partial_fit(TEXTS, Y)
    with pytest.raises(ValueError, match="fit_counts"):
        emco.fit_counts(EMCO().fit(TEXTS, Y).corpus_counts())
    for power in (0, -1, "near"):
        with pytest.raises(ValueError, match="similarity"):
            EMCO(similarity=power).fit(TEXTS, Y)
    with pytest.raises(TypeError):
        MCO(similarity=2)
