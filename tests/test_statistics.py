import itertools

import numpy as np
import pytest
from scipy import stats

from imbtext.statistics import holm, mean_interval, paired_tests, wilcoxon_p


def test_bootstrap_interval_covers_the_mean_about_as_often_as_it_says():
    rng = np.random.default_rng(1)
    covered = 0
    for trial in range(300):
        interval = mean_interval(rng.normal(0.6, 0.2, size=40), seed=trial)
        covered += interval.lower <= 0.6 <= interval.upper
    assert 0.90 <= covered / 300 <= 0.98


def test_t_interval_is_scipys():
    values = [0.2, 0.5, 0.4, 0.9]
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    interval = mean_interval(values, method="t")
    assert (interval.lower, interval.upper) == pytest.approx((expected.low, expected.high))


def test_the_same_seed_gives_the_same_interval():
    values = np.linspace(0, 1, 25)
    assert mean_interval(values, seed=3) == mean_interval(values, seed=3)
    assert mean_interval(values, seed=3) != mean_interval(values, seed=4)


def test_intervals_of_few_or_equal_values():
    assert mean_interval([0.5, 0.5, 0.5]).lower == 0.5
    assert np.isnan(mean_interval([0.5]).lower)
    assert np.isnan(mean_interval([]).mean)
    assert mean_interval([0.2, np.nan, 0.4], method="t").mean == pytest.approx(0.3)


def test_wilcoxon_is_scipys_where_scipy_is_exact():
    differences = np.array([0.5, -0.1, 0.2, 0.3, 0.4, -0.05, 0.7])
    assert wilcoxon_p(differences) == pytest.approx(
        stats.wilcoxon(differences, method="exact").pvalue
    )


def test_wilcoxon_with_ties_enumerates_all_signs():
    differences = np.array([0.1, 0.1, -0.1, 0.2, 0.3])
    ranks = stats.rankdata(np.abs(differences))
    observed = abs(ranks[differences > 0].sum() - ranks.sum() / 2)
    as_extreme = [
        abs(sum(r for r, up in zip(ranks, signs, strict=True) if up) - ranks.sum() / 2) >= observed
        for signs in itertools.product([0, 1], repeat=5)
    ]
    assert wilcoxon_p(differences) == pytest.approx(np.mean(as_extreme))


def test_wilcoxon_of_nothing_but_zeros_is_one_and_rounding_error_is_a_tie():
    assert wilcoxon_p(np.zeros(30)) == 1.0
    noisy = np.array([0.1, 0.1 + 1e-16, 0.1 - 1e-16])
    assert wilcoxon_p(noisy) == wilcoxon_p([0.1, 0.1, 0.1])


def test_wilcoxon_takes_long_samples_with_ties_without_a_warning():
    differences = np.round(np.random.default_rng(0).normal(0.05, 0.1, size=200), 2)
    assert wilcoxon_p(differences) < 0.001


def test_holm_by_hand_and_never_below_the_raw_value():
    assert holm([0.01, 0.02, 0.03, 0.5]) == pytest.approx([0.04, 0.06, 0.06, 0.5])
    assert holm([0.4, 0.9]) == pytest.approx([0.8, 0.9])
    assert holm([]) == []


def test_paired_tests_count_wins_and_correct_for_the_family():
    rng = np.random.default_rng(5)
    base = rng.uniform(0.3, 0.6, size=30)
    tests = paired_tests(
        {"SVM": base, "better": base + rng.uniform(0.01, 0.1, 30), "same": base}, "SVM"
    )
    better, same = tests
    assert (better["method"], better["wins"], better["losses"]) == ("better", 30, 0)
    assert better["p_holm"] == pytest.approx(2 * better["p_value"])
    assert better["p_holm"] < 0.001
    assert [same[name] for name in ("p_value", "p_holm", "wins", "losses")] == [1.0, 1.0, 0, 0]
