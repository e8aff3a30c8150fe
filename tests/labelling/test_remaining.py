"""What is left, in numbers and words: what it says, when it says nothing, and at the ends."""

import numpy as np
import pytest

from imbtext.labelling._remaining import Progress
from imbtext.labelling._stopping import RandomSample, Reading


def progress(came, n_documents, sample=None):
    reading = Reading(came, n_documents - len(came), int(came.sum()), sample)
    return Progress("yes", n_documents, np.cumsum(came), 0.95, reading)


def test_the_ends():
    nothing = progress(np.array([], bool), 100)
    assert nothing.sentences() == ['0 of 100 documents read, 0 of "yes" found.']
    assert not nothing.may_stop
    everything = progress(np.array([True, False]), 2)
    assert everything.may_stop
    assert everything.remaining.upper == 0
    assert everything.recall.lower == 1
    assert everything.summary() == "Everything was read."


def test_it_is_too_early_after_one_find():
    early = progress(np.array([True]), 5574)
    assert early.is_early
    assert early.summary() == "It is too early to tell how many are left."
    assert early.advice() == []
    assert early.reading_needed == early.sample_needed == 0


def test_it_says_what_stopping_would_miss():
    came = np.concatenate([np.ones(60, bool), np.tile([True, False, False, False], 30)])
    later = progress(came, 3000)
    assert not later.is_early
    left = later.remaining
    assert later.summary() == (
        f"Stopping now would miss about {left.mean:,.0f} of the class (at most {left.upper:,.0f}), "
        f"and the next hundred documents would bring about {later.next_hundred:.0f}."
    )
    assert f"If none of the next {later.reading_needed:,} documents" in later.advice()[0]
    assert f"Or read {later.sample_needed:,} at random" in later.advice()[0]
    assert 0 < later.next_hundred <= left.upper
    assert left.lower <= left.mean <= left.upper


def test_long_without_a_find_one_may_stop():
    came = np.array([True] * 30 + [False] * 700)
    done = progress(came, 1000)
    assert done.may_stop
    assert done.confidence >= 0.95
    assert done.remaining.upper <= 2
    assert done.curve[-1] == done.n_found == 30
    assert done.summary().startswith("You may stop: at least 95% of the class is found")
    assert "would miss about 0 of the class" in done.summary()
    assert not progress(came[:60], 1000).may_stop


def becoming_rarer(last):
    """Return a review of 266 documents with finds that become rarer up to some document."""
    came = np.zeros(266, bool)
    came[(last * np.linspace(0, 1, 76) ** 1.7).astype(int)] = True
    return came


@pytest.mark.parametrize(("last", "n"), [(230, 327), (230, 380), (200, 360), (200, 500)])
def test_the_numbers_of_a_sentence_agree(last, n):
    reviewed = progress(becoming_rarer(last), n)
    words = reviewed.summary().split()
    about, most = (int(words[words.index(word) + 1].strip("(),")) for word in ("about", "most"))
    assert about <= most <= reviewed.remaining.upper
    assert reviewed.next_hundred <= reviewed.remaining.mean
    assert reviewed.may_stop == ("You may stop" in reviewed.summary())
    if reviewed.may_stop:
        assert reviewed.n_found / (reviewed.n_found + most) >= 0.95


def test_fewer_than_a_hundred_are_counted():
    assert "among the 61 unread documents." in progress(becoming_rarer(230), 327).summary()


def test_labels_from_before_are_no_reading():
    before = np.array([False] * 500 + [True] * 10)
    known = Progress("yes", 1000, np.cumsum(before), 0.95, Reading(before[:0], 490, 10))
    assert not known.may_stop
    assert known.is_early


def test_near_duplicates_are_left_too():
    came = np.array([True] * 20 + [False] * 380)
    alone = progress(came, 900)
    reading = Reading(came, 500, 60, copies=3.0, n_near=2)
    copied = Progress("yes", 1700, np.cumsum(came), 0.95, reading)
    assert copied.remaining.upper == 3 * alone.remaining.upper + 2


def test_a_sample_is_reported_with_its_gap():
    came = np.array([True] * 30 + [False] * 60)
    sampled = progress(came, 400, RandomSample(340, 30, 2, 2, gap=7))
    assert "30 read at random so far, 2 of them of the class." in sampled.sentences()
    assert "only up to row 7" in sampled.sentences()[-1]


def test_progress_prints_its_sentences():
    some = progress(np.array([True, False]), 15)
    assert str(some) == "\n".join(some.sentences())
    assert "2 of 15 documents read" in str(some)
    assert "too early" in repr(some)
