"""What is left: the rule against its formula, and what it says at the ends."""

import numpy as np
import pytest
from scipy import stats

from imbtext.labelling._remaining import (
    READINESS,
    RandomSample,
    ReadingEvidence,
    progress_of,
    surprise,
)


def by_rank(came, n_documents):
    return progress_of("yes", came, ReadingEvidence(came, n_documents - len(came), None))


def test_surprise_is_the_smallest_of_all_moments():
    generator = np.random.default_rng(0)
    came = generator.random(40) < np.linspace(0.8, 0.0, 40)
    n_unread = 60
    expected = min(
        stats.binom.cdf(
            came[start:].sum(),
            5 + came[start:].sum(),
            1 - (1 - (40 - start) / (100 - start)) ** READINESS,
        )
        for start in range(40)
    )
    assert surprise(came, n_unread, 5) == pytest.approx(expected)


def test_the_more_are_missing_the_greater_the_surprise():
    came = np.array([True] * 10 + [False] * 200)
    assert np.all(np.diff([surprise(came, 500, m) for m in range(1, 30)]) <= 0)


def test_progress_at_the_ends():
    nothing = by_rank(np.array([], bool), 100)
    assert nothing.remaining.upper == 100
    assert "after the first" in nothing.sentences()[-1]
    assert "None is found yet" in nothing.summary()
    assert not nothing.may_stop
    everything = by_rank(np.array([True, False]), 2)
    assert everything.may_stop
    assert everything.remaining.upper == 0
    assert everything.recall.lower == 1
    assert "Everything was read" in everything.sentences()[-1]


def test_long_without_a_find_one_may_stop():
    came = np.array([True] * 30 + [False] * 700)
    progress = by_rank(came, 1000)
    assert progress.may_stop
    assert progress.remaining.upper <= 2
    assert progress.curve[-1] == progress.n_found == 30
    assert "You may stop" in progress.sentences()[-1]
    assert not by_rank(came[:60], 1000).may_stop


def test_labels_from_before_are_no_reading():
    before = np.array([False] * 500 + [True] * 10)
    assert not progress_of("yes", before, ReadingEvidence(before[:0], 490, None)).may_stop


def test_a_random_sample_is_judged_by_the_hypergeometric_distribution():
    sample = RandomSample(n_unread=50, n_sampled=20, n_found=1, n_found_since=3)
    generator = np.random.default_rng(0)
    class_rows = np.arange(50) < 4 + 3
    drawn = [generator.permutation(class_rows)[:20].sum() for _ in range(4000)]
    assert sample.surprise(4) == pytest.approx(np.mean(np.array(drawn) <= 1), abs=0.03)


def test_a_large_random_sample_may_end_the_reading():
    came = np.array([True] * 30 + [False] * 2)
    sample = RandomSample(n_unread=200, n_sampled=190, n_found=0, n_found_since=0)
    everything = np.concatenate([came, np.zeros(190, bool)])
    assert not progress_of("yes", everything, ReadingEvidence(came, 10, None)).may_stop
    assert progress_of("yes", everything, ReadingEvidence(came, 10, sample)).may_stop


def test_so_many_without_a_find_and_one_may_stop():
    came = np.array([True] * 20 + [False] * 40)
    progress = by_rank(came, 400)
    longer = by_rank(np.append(came, [False] * progress.reading_needed), 400)
    assert longer.may_stop
    assert not by_rank(np.append(came, [False] * (progress.reading_needed - 1)), 400).may_stop
    for n_more, may_stop in ((0, True), (-1, False)):
        n_sampled = progress.sample_needed + n_more
        sample = RandomSample(340, n_sampled, 0, 0)
        everything = np.append(came, [False] * n_sampled)
        evidence = ReadingEvidence(came, 340 - n_sampled, sample)
        assert progress_of("yes", everything, evidence).may_stop == may_stop
    assert f"If none of the next {progress.reading_needed} documents" in progress.summary()
    assert "You may stop" in longer.summary()
    assert f"Or read {progress.sample_needed} at random" in progress.sentences()[-1]
    assert by_rank(came[20:], 400).sample_needed == 0  # nothing is found yet


def test_progress_prints_its_sentences():
    progress = by_rank(np.array([True, False]), 15)
    assert str(progress) == "\n".join(progress.sentences())
    assert "2 of 15 documents read" in str(progress)
