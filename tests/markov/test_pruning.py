"""Forgetting rare transitions: what is told is what a slow count finds."""

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from imbtext.markov import CountsAccumulator, MarkovChain, prune


@pytest.fixture(scope="module")
def documents():
    rng = np.random.default_rng(0)
    words = [f"w{i:03}" for i in range(200)]
    ids = np.minimum(rng.pareto(0.8, (300, 8)).astype(int), 199)
    texts = [[words[i] for i in row] for row in ids]
    return texts, ["rare" if i % 30 == 0 else "common" for i in range(300)]


def counted(texts, labels):
    accumulator = CountsAccumulator()
    accumulator.add([" ".join(words) for words in texts], labels)
    return accumulator.result()


def transitions(texts, labels, label=None):
    return Counter(
        pair
        for words, own in zip(texts, labels, strict=True)
        if label in (None, own)
        for pair in pairwise(words)
    )


def test_told_is_what_was_lost(documents):
    texts, labels = documents
    _, report = prune(counted(texts, labels), min_count=3)
    common = transitions(texts, labels, "common")
    ends = {words[-1] for words, label in zip(texts, labels, strict=True) if label == "common"}
    often = {pair for pair, n in common.items() if n >= 3}
    leads_on = ends | {first for first, second in often if first != second}
    lost = {pair: n for pair, n in common.items() if pair not in often and pair[0] in leads_on}
    assert report.lost_mass == pytest.approx(
        sum(lost.values()) / sum(transitions(texts, labels).values())
    )
    assert report.n_transitions[0] - report.n_transitions[1] == len(lost)
    assert list(report.drift) == ["rare"]


def test_drift_is_the_weight_that_the_chain_lost_and_bounds_their_distance(documents):
    counts = counted(*documents)
    pruned, report = prune(counts, min_count=3)
    own = counts.classes["rare"]
    chains = [
        MarkovChain.extrapolate(
            c.total(), c.classes["rare"].counts, 1.0, c.classes["rare"].word_ids
        )
        for c in (counts, pruned)
    ]
    before, after = (chain.matrix().toarray()[own.word_ids] for chain in chains)
    words = own.counts.words
    lost = 1 - after.sum(axis=1) / before.sum(axis=1)
    assert report.drift["rare"] == pytest.approx(lost @ words / words.sum())
    before /= before.sum(axis=1, keepdims=True)
    after /= after.sum(axis=1, keepdims=True)
    distance = np.abs(before - after).sum(axis=1) / 2
    assert 0.01 < distance @ words / words.sum() <= report.drift["rare"]


def test_kept_classes_stay_whole(documents):
    counts = counted(*documents)
    pruned, report = prune(counts, min_count=5, max_words=30)
    own, kept = counts.classes["rare"], pruned.classes["rare"]
    assert (
        counts.vocabulary[own.word_ids.tolist()].to_list()
        == pruned.vocabulary[kept.word_ids.tolist()].to_list()
    )
    assert (own.counts.pairs != kept.counts.pairs).nnz == 0
    assert report.n_words[1] == len(pruned.vocabulary) < report.n_words[0]
    frequent = [word for word, _ in Counter(w for d in documents[0] for w in d).most_common(5)]
    assert set(frequent) <= set(pruned.vocabulary)
    # Every class can still be drawn from, the pruned one too.
    whole = pruned.total()
    for own in pruned.classes.values():
        MarkovChain.extrapolate(whole, own.counts, 1.0, own.word_ids)


def test_nothing_is_lost_unless_asked(documents):
    counts = counted(*documents)
    same, report = prune(counts)
    assert report.lost_mass == 0
    assert same.n_transitions == counts.n_transitions
    assert "0.00% of all occurrences" in str(report)


def test_misuse(documents):
    counts = counted(*documents)
    with pytest.raises(ValueError, match="from 1 up"):
        prune(counts, min_count=0)
    with pytest.raises(ValueError, match="no class 'x'"):
        prune(counts, keep=["x"])


def test_one_class_to_keep_needs_no_list(documents):
    counts = counted(*documents)
    one, several = (prune(counts, min_count=2, keep=keep)[1] for keep in ("rare", ["rare"]))
    assert one == several
