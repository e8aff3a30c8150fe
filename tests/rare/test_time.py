"""RareTextClassifier and the past before the future."""

import re

import numpy as np
import pytest
from scipy import stats

from imbtext import RareTextClassifier
from imbtext.metrics import get_goal
from imbtext.thresholds._expectation import expect
from imbtext.thresholds._held_out import HeldOut
from imbtext.thresholds._intervals import Level, Tally, share_of_hits
from tests.thresholds_chosen import choose_threshold

WORDS = [f"{a}{b}{c}" for a in "bdfgklmnpr" for b in "aeiou" for c in "lmnrst"]

NEW_MARKS = ["zyzzyva", "quoxox", "vuvvuth", "wowshy", "xhivic", "jujjuc"]


def write(generator, n, share, marks=("mark", "sign")):
    """Documents of which a class has one of its marks, most of the time."""
    is_class = generator.random(n) < share
    texts = []
    for inside in is_class:
        words = generator.choice(WORDS, 6).tolist()
        if generator.random() < (0.8 if inside else 0.02):
            words.append(marks[int(generator.integers(len(marks)))])
        texts.append(" ".join(words))
    return texts, is_class


def drifting(n_years=6, n=250):
    """Every year the class has a mark that was not seen before."""
    generator = np.random.default_rng(0)
    texts, y, years = [], [], []
    for year in range(n_years):
        new_texts, new_y = write(generator, n, 0.1, (NEW_MARKS[year], "old"))
        texts += new_texts
        y += new_y.tolist()
        years += [2010 + year] * n
    return texts, np.array(y), np.array(years)


def test_what_to_expect_is_what_follows_the_past():
    texts, y, years = drifting()
    random = RareTextClassifier(random_state=0).fit(texts, y).expectation_[0]
    model = RareTextClassifier(random_state=0).fit(texts, y, time=years)
    future = model.expectation_[0]
    # Half of the class has a mark that the past cannot know.
    assert future.recall.mean < random.recall.mean - 0.15
    assert model.report_["folds"].startswith("4 periods from 2012 to 2015")
    assert future.n_tested == y[years >= 2012].sum()
    assert future.n_class == y.sum()


def test_a_period_is_scored_by_what_came_before_it():
    texts, y, years = drifting()
    model = RareTextClassifier("f1", random_state=0).fit(texts, y, time=years)
    held = model.fitted_.held_out
    assert len(held.scores) == (years >= 2012).sum()
    last = years == 2015
    before = RareTextClassifier("f1", random_state=0).fit(
        [texts[row] for row in np.flatnonzero(~last)], y[~last]
    )
    scores = before.decision_function(
        [t for t, is_last in zip(texts, last, strict=True) if is_last]
    )
    np.testing.assert_allclose(
        held.scores[held.folds == held.folds.max(), 0],
        np.sort(scores + before.thresholds_[0])[::-1],
        atol=0.05,
    )


def test_the_order_of_the_rows_does_not_matter():
    texts, y, years = drifting(4, 120)
    order = np.random.default_rng(1).permutation(len(texts))
    models = [
        RareTextClassifier(random_state=0).fit([texts[i] for i in rows], y[rows], time=years[rows])
        for rows in (np.arange(len(texts)), order)
    ]
    first, second = (model.expectation_[0] for model in models)
    assert first.precision.mean == pytest.approx(second.precision.mean, abs=0.02)
    assert first.n_tested == second.n_tested


def test_known_words_are_those_of_the_past():
    texts = [f"sun rain wind {word}" for word in WORDS[:30]] + ["oil crude barrel"] * 30
    y = ([0] * 9 + [1]) * 6
    future = RareTextClassifier(random_state=0).fit(texts, y, time=np.arange(60) // 30)
    assert future.known_words_.mean == 0.0
    texts = [f"sun rain wind {word}" for word in WORDS[:30] * 2]
    future = RareTextClassifier(random_state=0).fit(texts, y, time=np.arange(60) // 30)
    assert future.known_words_.mean == 1.0


def test_a_class_of_the_last_period_alone_is_learnt_and_nothing_is_said_of_it():
    generator = np.random.default_rng(0)
    texts, y = write(generator, 200, 0.0)
    texts += ["mark sign"] * 10
    y = np.array([*y, *[True] * 10])
    model = RareTextClassifier(random_state=0).fit(texts, y, time=[1] * 100 + [2] * 110)
    assert "nothing can be said about others" in model.expectation_[0].sentences()[0]
    assert model.predict(["mark sign"]).tolist() == [True]


def test_groups_of_the_future_are_not_learnt_from():
    # One source per class document: whoever has seen the source knows its words.
    texts = [
        f"word{'abcdefghij'[i % 10]}q the same" if i % 5 == 0 else "the rest" for i in range(200)
    ]
    y = [i % 5 == 0 for i in range(200)]
    groups = [i % 10 if i % 5 == 0 else 100 + i for i in range(200)]
    apart = RareTextClassifier(random_state=0).fit(texts, y, groups=groups, time=np.arange(200))
    assert np.isnan(apart.expectation_[0].recall.mean)
    known = RareTextClassifier(random_state=0).fit(texts, y, time=np.arange(200))
    assert known.expectation_[0].recall.mean > 0.9


def held_out(generator, shifts, n=400):
    """Held-out scores of periods in which the class is shifted and as rare as given."""
    folds = np.repeat(np.arange(1, len(shifts) + 1), n)
    share = 1 / (1 + np.exp(2.5 - np.array(shifts)[folds - 1]))
    is_class = generator.random(len(folds)) < share
    scores = generator.normal(np.where(is_class, 1.5, 0.0))
    return HeldOut.of_scores(scores, is_class, folds, in_time=True)


@pytest.mark.parametrize(("step", "n"), [(0.0, 400), (0.5, 400), (0.5, 100), (1.0, 200)])
def test_the_next_period_lies_in_the_interval(step, n):
    # By simulation: the odds of the class walk from period to period; the sixth is the future.
    generator, goal, covered = np.random.default_rng(0), get_goal("f2"), []
    for _ in range(60):
        walk = np.cumsum(generator.normal(0, step, 6))
        held = held_out(generator, walk[:5], n)
        (expected,) = expect(["x"], goal, held)
        threshold = choose_threshold(goal, held.scores[:, 0], held.is_class[:, 0])
        future = held_out(generator, walk[5:], n=20_000)
        is_alarm = future.scores[:, 0] > threshold
        precision, alarms = future.is_class[is_alarm, 0].mean(), 1000 * is_alarm.mean()
        covered.append(
            (
                expected.precision.lower <= precision <= expected.precision.upper,
                expected.alarms.lower <= alarms <= expected.alarms.upper,
            )
        )
    assert np.mean(covered, axis=0).min() >= 0.9


@pytest.mark.parametrize("share", [0.01, 0.1])
def test_few_periods_do_not_hide_that_the_share_moves(share):
    # By simulation: five periods often look as if nothing moved.
    generator, n_covered = np.random.default_rng(0), 0
    for _ in range(300):
        odds = np.log(share / (1 - share)) + np.cumsum(generator.normal(0, 0.5, 6))
        *past, future = 1 / (1 + np.exp(-odds))
        alarms = generator.binomial(200, past).astype(float)
        hits, misses = (Tally(counts, 1.0, counts) for counts in (alarms, 200 - alarms))
        interval = share_of_hits(hits, misses, np.empty(0), np.empty(0))
        n_covered += interval.lower <= future <= interval.upper
    assert n_covered >= 0.9 * 300


def test_without_moves_the_share_is_that_of_all_periods_however_large_the_groups():
    # One group has most of the misses, another most of the hits: half of a group is more than a
    # period holds, and must not decide the share.
    hits = Tally(np.array([0.0, 90.0, 10.0]), 82.0, np.full(5, 20.0))
    misses = Tally(np.array([800.0, 50.0, 50.0]), 716.7, np.full(5, 180.0))
    for effect in (0.5, 1.0, 2.0):
        assert Level.of(hits, misses, effect).share == pytest.approx(0.1)
    share = share_of_hits(hits, misses, np.empty(0), np.empty(0))
    assert share.mean == pytest.approx(0.1)
    assert share.lower < 0.05
    assert share.upper > 0.2


def test_the_level_is_kalmans_with_many_documents():
    # With many documents nothing depends on half a document: the filter in its textbook form.
    shares = np.array([0.1, 0.2, 0.15, 0.4, 0.3])
    hits = Tally(np.array([1.0]), 1.0, 1e6 * shares)
    misses = Tally(np.array([1.0]), 1.0, 1e6 * (1 - shares))
    odds, errors = shares / (1 - shares), 1 / hits.of_periods + 1 / misses.of_periods
    following, likelihoods = Level.of(hits, misses), []
    moves = np.append(0.0, np.geomspace(0.02, 3.0, 40))
    for move, its_level, its_variance in zip(
        moves, following.levels, following.variances, strict=True
    ):
        level, variance, likelihood = np.log(odds[0]), errors[0], 0.0
        for observed, error in zip(np.log(odds[1:]), errors[1:], strict=True):
            foretold = variance + move**2
            spread = np.sqrt(foretold + error)
            likelihood += stats.norm.logpdf(observed, level, spread)
            gain = foretold / (foretold + error)
            level, variance = level + gain * (observed - level), gain * error
        if move:  # without moves, counts are added up, and not their log odds
            assert its_level == pytest.approx(level, abs=1e-2)
        assert its_variance == pytest.approx(variance + move**2, rel=1e-4)
        likelihoods.append(likelihood)
    prior = np.gradient(moves) * stats.halfcauchy.pdf(moves, scale=0.5)
    posterior = prior * np.exp(np.array(likelihoods) - max(likelihoods))
    np.testing.assert_allclose(following.plausible, posterior / posterior.sum(), atol=1e-4)


def test_limits_hold_what_is_plausible():
    # By drawing: a move, then the log odds that follow.
    hits, misses = (Tally(counts, 1.0, counts) for counts in np.array([[9, 4, 6.0], [90, 99, 60]]))
    following, generator = Level.of(hits, misses), np.random.default_rng(0)
    move = generator.choice(len(following.levels), 200_000, p=following.plausible)
    variances = following.variances[move] + 0.3
    odds = generator.normal(following.levels[move], np.sqrt(variances))
    lower, upper = following.limits(0.3)
    assert np.mean(odds < lower) == pytest.approx(0.025, abs=0.002)
    assert np.mean(odds > upper) == pytest.approx(0.025, abs=0.002)


def test_the_share_of_few_alarms_is_not_too_large():
    # By simulation: half an alarm more in each of five periods would add half again.
    generator, shares = np.random.default_rng(0), []
    for _ in range(200):
        alarms = generator.binomial(60, 0.03, 5).astype(float)
        hits, misses = (Tally(counts, 1.0, counts) for counts in (alarms, 60 - alarms))
        shares.append(share_of_hits(hits, misses, np.empty(0), np.empty(0)).mean)
    assert np.mean(shares) == pytest.approx(0.03, rel=0.15)


def test_a_model_says_how_rare_the_class_was_in_each_period():
    texts = ["the mark", "the rest"] * 60 + ["the mark", *["the rest"] * 9] * 12
    y = [text == "the mark" for text in texts]
    model = RareTextClassifier(random_state=0).fit(texts, y, time=np.arange(240))
    shares = re.search(r"; the class made up (.*) of their documents$", model.report_["folds"])[1]
    percents = [float(share.rstrip("%")) for share in shares.split(", ")]
    assert len(percents) == 5
    assert percents[0] == pytest.approx(50, abs=5)
    assert percents[-1] == pytest.approx(10, abs=3)


def test_a_saved_model_remembers_how_alarms_moved(tmp_path):
    texts, y, years = drifting(4, 120)
    model = RareTextClassifier(random_state=0).fit(texts, y, time=years)
    model.save(tmp_path / "a.model")
    loaded = RareTextClassifier.load(tmp_path / "a.model")
    assert loaded.expectation_ == model.expectation_
    assert loaded.alarm_rates_ == model.alarm_rates_
    assert model.alarm_rates_[0].spread > 0.2
