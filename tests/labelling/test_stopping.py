"""When to stop: the rules against their formulas, near-duplicates, random samples, and the ends."""

import numpy as np
import pytest
from scipy import stats

from imbtext import safe_to_stop
from imbtext.labelling._stopping import (
    READINESS,
    STOP,
    RandomSample,
    Reading,
    knee,
    surprise,
    unread_of_class,
)

ENDED = np.array([True] * 30 + [False] * 700)


def reading(came, n_documents, **more):
    return Reading(came, n_documents - len(came), int(came.sum()), **more)


def drawn():
    generator = np.random.default_rng(0)
    return generator.random(40) < np.linspace(0.8, 0.0, 40)


def test_surprise_is_the_smallest_of_all_moments():
    came = drawn()
    expected = min(
        stats.binom.cdf(
            came[start:].sum(),
            5 + came[start:].sum(),
            1 - (1 - (40 - start) / (100 - start)) ** READINESS,
        )
        for start in range(40)
    )
    assert surprise(came, 60, 5) == pytest.approx(expected)


def test_the_knee_is_the_clearest_of_all_moments():
    came = drawn()
    # Between two finds the moment after the first of them counts; before 20 documents none does.
    expected = min(
        stats.binom.cdf(
            came[start:].sum(),
            5 + came[start:].sum(),
            1 - 60 / (100 - max(start, 20)) * (max(start, 20) / 40) ** 0.5,
        )
        for start in [0, *(np.flatnonzero(came) + 1)]
    )
    assert knee(came, 60, 5) == pytest.approx(expected)


def test_the_more_are_missing_the_greater_the_surprise():
    came = np.array([True] * 10 + [False] * 200)
    for rule in (surprise, knee):
        assert np.all(np.diff([rule(came, 500, m) for m in range(1, 30)]) <= 0)


def test_the_shorter_rule_stops_where_both_its_conditions_hold():
    for n in range(40, 300, 20):
        came = np.concatenate([[True] * 25, np.zeros(n - 25, bool)])
        probability = unread_of_class(came, 2000 - n, STOP).at_most(1)
        by_hand = probability >= 0.95 and knee(came, 2000 - n, 2) <= 0.3
        careful = 1 - surprise(came, 2000 - n, 2) >= 0.95
        assert safe_to_stop(came, 2000 - n) == (by_hand or careful)
        assert safe_to_stop(came, 2000 - n, careful=True) == careful
    assert safe_to_stop(ENDED[:160], 840)
    assert not safe_to_stop(ENDED[:160], 840, careful=True)


def test_few_finds_need_much_reading():
    came = np.array([True] * 4 + [False] * 80)
    assert knee(came, 916, 1) < 0.3 or not safe_to_stop(came, 916)
    assert not safe_to_stop(came, 916)
    assert safe_to_stop(np.append(came, np.zeros(400, bool)), 516)


def test_what_is_no_reading_is_refused():
    assert safe_to_stop([], 0)
    assert not safe_to_stop([False] * 50, 10)
    assert safe_to_stop([1, 0, 1, 0], 0)
    with pytest.raises(ValueError, match="something else than True and False"):
        safe_to_stop(["yes", "no"], 10)
    with pytest.raises(ValueError, match="n_unread is -1"):
        safe_to_stop([True], -1)
    with pytest.raises(ValueError, match=r"target is 1\.5"):
        safe_to_stop([True], 1, 1.5)
    with pytest.raises(ValueError, match=r"confidence is 1"):
        safe_to_stop([True], 1, 0.9, 1)


def test_less_is_promised_sooner():
    came = np.concatenate([np.repeat([True, False], [40, 0]), np.tile([False] * 9 + [True], 4)])
    came = np.concatenate([came, np.zeros(150, bool)])
    stops = [safe_to_stop(came, 400, target) for target in (0.7, 0.8, 0.9, 0.99)]
    assert stops == sorted(stops, reverse=True)
    assert stops[0]
    assert not stops[-1]


def test_near_duplicates_are_one_find():
    # Four texts of the class, each five times, then others.
    groups = np.concatenate([np.repeat(np.arange(4), 5), np.arange(4, 984)])
    rows, is_class = np.arange(200), np.arange(200) < 20
    ranked = np.ones(200, bool)
    counted = Reading.of(rows, is_class, ranked, groups)
    assert counted.is_class.tolist() == [True] * 4 + [False] * 180
    assert (counted.n_unread, counted.n_found, counted.copies, counted.n_near) == (800, 20, 5, 0)
    single = Reading.of(rows, is_class, ranked, np.arange(1000))
    assert single.may_stop(0.95)
    assert not counted.may_stop(0.95)


def test_unread_near_duplicates_of_finds_are_missed():
    groups = np.concatenate([np.repeat(np.arange(10), 3), np.arange(10, 180)])
    rows = np.concatenate([np.arange(29), np.arange(30, 199)])  # one of the class is left, and one
    counted = Reading.of(rows, rows < 30, np.ones(198, bool), groups)
    assert counted.n_near == 1
    assert counted.allowed(0.95) == 0
    assert counted.allowed(1.0) == -1
    assert not counted.may_stop(1.0)
    assert counted.needed(1.0) == (0, 0)


def test_what_was_known_before_is_no_find_by_rank():
    rows, is_class = np.array([5, 1, 2, 3]), np.array([True, True, True, False])
    ranked = np.array([False, True, True, True])
    groups = np.array([0, 1, 2, 3, 4, 1])  # row 1 repeats what was known
    counted = Reading.of(rows, is_class, ranked, groups)
    assert counted.is_class.tolist() == [True, False]
    assert (counted.n_found, counted.n_unread) == (3, 2)


def test_a_random_sample_is_judged_by_the_hypergeometric_distribution():
    sample = RandomSample(n_unread=50, n_sampled=20, n_found=1, n_found_since=3)
    generator = np.random.default_rng(0)
    class_rows = np.arange(50) < 4 + 3
    samples = np.array([generator.permutation(class_rows)[:20].sum() for _ in range(4000)])
    assert sample.surprise(4) == pytest.approx(np.mean(samples <= 1), abs=0.03)
    chance = np.exp(sample.log_likelihood(np.array([4.0])))[0]
    assert chance == pytest.approx(np.mean(samples == 1), abs=0.03)


def test_a_large_random_sample_may_end_the_reading():
    came = np.array([True] * 30 + [False] * 2)
    sample = RandomSample(n_unread=200, n_sampled=190, n_found=0, n_found_since=0)
    assert not Reading(came, 10, 30).may_stop(0.95)
    sampled = Reading(came, 10, 30, sample)
    assert sampled.may_stop(0.95)
    assert sampled.left(STOP).quantile(0.95) <= Reading(came, 10, 30).left(STOP).quantile(0.95)


@pytest.mark.parametrize("careful", [False, True])
def test_so_many_without_a_find_and_one_may_stop(careful):
    came = np.array([True] * 20 + [False] * 40)
    by_rank, at_random = reading(came, 400, careful=careful).needed(0.95)
    for n_more, may_stop in ((by_rank, True), (by_rank - 1, False)):
        longer = reading(np.append(came, [False] * n_more), 400, careful=careful)
        assert longer.may_stop(0.95) == may_stop
    for n_more, may_stop in ((at_random, True), (at_random - 1, False)):
        sample = RandomSample(340, n_more, 0, 0)
        sampled = Reading(came, 340 - n_more, 20, sample, careful=True)
        assert sampled.may_stop(0.95) == may_stop
    assert reading(came[20:], 400).needed(0.95) == (0, 0)  # nothing is found yet
