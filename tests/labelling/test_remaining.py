"""What is left: the rule against its formula, and what it says at the ends."""

import numpy as np
import pytest
from scipy import stats

from imbtext.labelling._remaining import READINESS, progress_of, surprise


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
    nothing = progress_of("yes", np.array([], bool), 100)
    assert nothing.remaining.upper == 100
    assert not nothing.may_stop
    everything = progress_of("yes", np.array([True, False]), 2)
    assert everything.may_stop
    assert everything.remaining.upper == 0
    assert everything.recall.lower == 1
    assert "Everything was read" in everything.sentences()[-1]


def test_long_without_a_find_one_may_stop():
    came = np.array([True] * 30 + [False] * 600)
    progress = progress_of("yes", came, 1000)
    assert progress.may_stop
    assert progress.remaining.upper <= 2
    assert progress.curve[-1] == progress.n_found == 30
    assert "You may stop" in progress.sentences()[-1]
    assert not progress_of("yes", came[:60], 1000).may_stop


def test_labels_from_before_are_no_reading():
    before = np.array([False] * 500 + [True] * 10)
    assert not progress_of("yes", before, 1000, n_before=510).may_stop
