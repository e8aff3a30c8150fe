"""Thresholds against trying every cut; goals; folds; calibration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from imbtext.documents._folds import deal_folds
from imbtext.metrics import Confusion, get_goal
from imbtext.thresholds._calibration import calibrate
from imbtext.thresholds._choosing import threshold_for
from tests.thresholds_chosen import choose_threshold

GOALS = [
    "f1",
    "f2",
    "f0.5",
    "recall_at_precision(0.6)",
    "precision_at_recall(0.7)",
    "alarms_per_thousand(300)",
]
POOLED = st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=2, max_size=30)


@given(POOLED, st.sampled_from(GOALS))
def test_no_other_cut_serves_the_goal_better(pairs, name):
    scores = np.array([score for score, _ in pairs], float)
    positive = np.array([member for _, member in pairs])
    if not positive.any():
        return
    goal = get_goal(name)

    def value(threshold):
        return float(goal.value(Confusion.of(positive, scores > threshold)))

    best = value(choose_threshold(goal, scores, positive))
    assert best == pytest.approx(max(value(cut) for cut in np.arange(-6.5, 6.5)))


@given(
    st.lists(st.tuples(st.integers(-5, 5), st.booleans(), st.integers(1, 4)), min_size=2),
    st.sampled_from(GOALS),
)
def test_a_weight_counts_as_so_many_copies(rows, name):
    scores, positive, copies = (np.array(column) for column in zip(*rows, strict=True))
    scores, goal = scores.astype(float), get_goal(name)
    if not positive.any():
        return
    weighted = choose_threshold(goal, scores, positive, copies.astype(float))
    repeated = choose_threshold(goal, np.repeat(scores, copies), np.repeat(positive, copies))
    assert weighted == repeated


@given(st.lists(st.integers(-3, 3), min_size=1), st.integers(0, 12))
def test_as_many_alarms_as_allowed_and_no_tie_is_split(numbers, alarms):
    scores = np.array(numbers, float)
    is_alarm = scores > threshold_for(alarms, scores)
    assert is_alarm.sum() <= alarms
    if not is_alarm.all():
        next_score = scores[~is_alarm].max()
        assert (scores >= next_score).sum() > alarms


def test_a_prior_steadies_balanced_accuracy_of_few_documents():
    generator = np.random.default_rng(0)
    scores = np.concatenate([[-3.0], generator.normal(size=500)])
    positive = np.arange(501) == 0
    plain = np.sort(scores)[0]  # without a prior, all documents would be put into the class
    assert choose_threshold(get_goal("balanced_accuracy"), scores, positive) > plain + 1


def test_spaces_around_a_name_change_nothing():
    assert get_goal(" balanced_accuracy ") == get_goal("balanced_accuracy")


def test_a_class_that_cannot_be_held_out_gets_the_threshold_of_the_prior():
    scores = np.arange(1000.0)
    none = np.zeros(1000, bool)
    put = (scores > choose_threshold(get_goal("balanced_accuracy"), scores, none)).mean()
    assert put == pytest.approx(0.2 ** (1 / 0.8), abs=0.002)  # where the prior's curve is flat
    assert choose_threshold(get_goal("f2"), np.empty(0), np.empty(0, bool)) == 0.0


def test_costs_count():
    scores, positive = np.arange(100.0), np.arange(100) % 10 == 9
    misses_hurt = choose_threshold(get_goal((100, 1)), scores, positive)
    alarms_hurt = choose_threshold(get_goal((1, 100)), scores, positive)
    assert misses_hurt < alarms_hurt


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("auc", "metric is 'auc'; choose balanced_accuracy"),
        ("cost(1)", "metric is 'cost"),
        ("cost(-1, 1)", "the cost of a miss is -1"),
        ("alarms_per_thousand(0)", "give a number above 0, up to 1000"),
        ("recall_at_precision(0)", "the precision is 0"),
    ],
)
def test_goals_that_make_no_sense(name, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        get_goal(name)


def test_folds_spread_every_class_and_split_no_group():
    generator = np.random.default_rng(1)
    n = 400
    groups = np.unique(generator.integers(300, size=n), return_inverse=True)[1]
    members = [np.flatnonzero(generator.random(n) < share) for share in (0.02, 0.1, 0.5)]
    folds = deal_folds(members, n, groups, 5, seed=3)
    assert len(set(zip(groups.tolist(), folds.tolist(), strict=True))) == groups.max() + 1
    for rows in members:
        sizes = np.bincount(folds[rows], minlength=5)
        assert sizes.max() - sizes.min() <= 0.25 * len(rows) + 3
    assert np.ptp(np.bincount(folds)) <= 10
    np.testing.assert_array_equal(folds, deal_folds(members, n, groups, 5, seed=3))
    assert (folds != deal_folds(members, n, groups, 5, seed=4)).any()


def test_calibration_finds_the_curve_that_made_the_labels():
    generator = np.random.default_rng(2)
    scores = generator.normal(size=20_000)
    truth = 1 / (1 + np.exp(-(2.5 * scores - 3)))
    positive = generator.random(20_000) < truth
    found = calibrate(scores, positive)
    assert found.slope == pytest.approx(2.5, rel=0.1)
    assert found.constant == pytest.approx(-3, rel=0.1)
    shares, said = calibration_curve(positive, found.probabilities(scores), n_bins=5)
    np.testing.assert_allclose(shares, said, atol=0.05)


def test_calibration_of_what_is_told_apart_without_fault_stays_finite():
    found = calibrate(np.array([2.0, 1.5, -1.0, -2.0]), np.array([True, True, False, False]))
    p = found.probabilities(np.array([-5.0, 0.0, 5.0]))
    assert (p > 0).all()
    assert (p < 1).all()
    assert (np.diff(p) > 0).all()
