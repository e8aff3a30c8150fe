"""Audits: the limits against slow, obvious computations, and how often they contain the truth."""

from itertools import product

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from imbtext.quality._audit import (
    Stratum,
    _Recalibration,
    guaranteed,
    model_assisted,
    reading_order,
    split_budget,
)
from imbtext.quality._model_audit import Audit
from imbtext.statistics import Interval
from imbtext.thresholds._prevalence import Prevalence


def drawn_counts(stratum, n, generator):
    """Draw confidence counts: a Beta share, then a binomial number of the unread documents."""
    x, read, unread = stratum.n_class, stratum.n_read, stratum.n_unread
    low = generator.beta(x, read - x + 1, n) if x else np.zeros(n)
    high = generator.beta(x + 1, read - x, n) if read > x else np.ones(n)
    return x + generator.binomial(unread, low), x + generator.binomial(unread, high)


@pytest.mark.parametrize(
    ("alarms", "others"),
    [
        (Stratum(200, 15, 12), Stratum(9_800, 45, 0)),
        (Stratum(200, 15, 12), Stratum(9_800, 45, 2)),
        (Stratum(40, 10, 1), Stratum(300, 110, 3)),
        (Stratum(20, 20, 7), Stratum(50, 20, 0)),
        (Stratum(5, 3, 0), Stratum(500, 57, 1)),
    ],
)
def test_limits_are_quantiles_of_melded_counts(alarms, others):
    generator = np.random.default_rng(0)
    tp_low, tp_high = drawn_counts(alarms, 400_000, generator)
    fn_low, fn_high = drawn_counts(others, 400_000, generator)
    with np.errstate(invalid="ignore"):
        lower = np.nan_to_num(tp_low / (tp_low + fn_high), nan=0.0)
        upper = np.nan_to_num(tp_high / (tp_high + fn_low), nan=1.0)
    found = guaranteed(alarms, others)
    assert found.recall.lower == pytest.approx(np.quantile(lower, 0.025), abs=0.004)
    assert found.recall.upper == pytest.approx(np.quantile(upper, 0.975), abs=0.004)
    n = alarms.n_documents
    assert found.precision.lower == pytest.approx(np.quantile(tp_low, 0.025) / n, abs=1 / n)
    assert found.precision.upper == pytest.approx(np.quantile(tp_high, 0.975) / n, abs=1 / n)
    number = found.n_class
    assert number.lower == pytest.approx(np.quantile(tp_low + fn_low, 0.025), abs=1, rel=0.01)
    assert number.upper == pytest.approx(np.quantile(tp_high + fn_high, 0.975), abs=1, rel=0.01)


def test_guaranteed_limits_contain_the_truth_whatever_it_is():
    """Every outcome of every small file, with its exact probability."""
    n_a, read_a, n_o, read_o = 7, 3, 16, 8
    limits = {
        (x, k): guaranteed(Stratum(n_a, read_a, x), Stratum(n_o, read_o, k))
        for x, k in product(range(read_a + 1), range(read_o + 1))
    }
    for tp, fn in product(range(n_a + 1), range(n_o + 1)):
        covered = {"recall": 0.0, "precision": 0.0, "n_class": 0.0}
        for (x, k), found in limits.items():
            chance = stats.hypergeom.pmf(x, n_a, tp, read_a)
            chance *= stats.hypergeom.pmf(k, n_o, fn, read_o)
            recall = tp / (tp + fn) if tp + fn else found.recall.lower
            covered["recall"] += chance * (
                found.recall.lower - 1e-9 <= recall <= found.recall.upper + 1e-9
            )
            covered["precision"] += chance * (
                found.precision.lower - 1e-9 <= tp / n_a <= found.precision.upper + 1e-9
            )
            covered["n_class"] += chance * (found.n_class.lower <= tp + fn <= found.n_class.upper)
        assert min(covered.values()) >= 0.95, (tp, fn, covered)


def test_everything_read_is_everything_known():
    found = guaranteed(Stratum(20, 20, 8), Stratum(50, 50, 2))
    assert found.recall == Interval(0.8, 0.8, pytest.approx(0.8))
    assert found.precision.lower == found.precision.upper == 0.4
    assert found.n_class == Interval(10, 10, 10)


def test_nothing_found_says_nothing():
    found = guaranteed(Stratum(0, 0, 0), Stratum(500, 60, 0))
    assert (found.recall.lower, found.recall.upper) == (0.0, 1.0)
    assert np.isnan(found.recall.mean)
    assert np.isnan(found.precision.mean)


def test_a_budget_is_split_and_an_audit_goes_on_with_what_was_read():
    is_alarm = np.zeros(500, bool)
    is_alarm[::10] = True
    alarms, others = reading_order(is_alarm, 3)
    assert sorted([*alarms, *others]) == list(range(500))
    assert is_alarm[alarms].all()
    assert not is_alarm[others].any()
    sizes = [split_budget(budget, 50, 450) for budget in range(2, 500)]
    assert all(sum(size) == budget for budget, size in zip(range(2, 500), sizes, strict=True))
    assert np.diff(sizes, axis=0).min() >= 0
    assert split_budget(9_999, 50, 450) == (50, 450)
    for budget in (1, 40.5):
        with pytest.raises(ValueError, match=f"budget is {budget}; give a whole number from 2 up"):
            split_budget(budget, 50, 450)


def scored_file(seed, shift=0.0, leak=0):
    """Documents with the model's probabilities, and labels that follow them, or not quite."""
    generator = np.random.default_rng(seed)
    margins = generator.normal(-6, 1.5, 4_000)
    margins[:80] += 6
    is_class = generator.random(4_000) < 1 / (1 + np.exp(-margins - shift))
    is_class[generator.choice(np.flatnonzero(margins < -6), leak, replace=False)] = True
    return 1 / (1 + np.exp(-margins)), is_class


@pytest.mark.parametrize(("shift", "leak"), [(0.0, 0), (-1.0, 0), (1.0, 0), (0.0, 8)])
def test_model_assisted_limits_contain_the_truth_and_are_narrower(shift, leak):
    covered, widths = [], []
    for seed in range(40):
        probabilities, is_class = scored_file(seed, shift, leak)
        is_alarm = probabilities > 0.3
        orders = reading_order(is_alarm, seed)
        sizes = split_budget(120, *map(len, orders))
        read = np.concatenate([order[:n] for order, n in zip(orders, sizes, strict=True)])
        assisted = model_assisted(probabilities, is_alarm, read, is_class[read])
        strata = (
            Stratum(len(order), n, int(is_class[order[:n]].sum()))
            for order, n in zip(orders, sizes, strict=True)
        )
        exact = guaranteed(*strata)
        recall = is_class[is_alarm].sum() / is_class.sum()
        covered.append(assisted.lower <= recall <= assisted.upper)
        widths.append([limits.upper - limits.lower for limits in (assisted, exact.recall)])
    assert np.mean(covered) >= 0.9
    ours, theirs = np.mean(widths, axis=0)
    assert ours < theirs


def test_before_a_label_is_read_the_model_is_believed_on_average():
    """At zero of its four coordinates, the curve is p' = s + u (1 - s) with the priors' medians."""
    log_odds, threshold, mean = np.array([-4.0, -1.4, 0.5]), -1.4, 0.02
    shown = _Recalibration(threshold, mean).probabilities(np.zeros((1, 4)), log_odds - threshold)
    slopes = np.where(log_odds >= threshold, np.exp(-0.1), np.exp(0.15))
    share = expit(threshold - 0.2 + slopes * (log_odds - threshold))
    leak = mean * np.sqrt(0.003 * 5)
    assert shown[0] == pytest.approx(share + leak * (1 - share))
    for cut in (0.05, 0.3, 0.9):
        probabilities, _ = scored_file(0)
        is_alarm, nothing = probabilities > cut, np.empty(0, np.int64)
        found = model_assisted(probabilities, is_alarm, nothing, nothing > 0)
        own_word = probabilities[is_alarm].sum() / probabilities.sum()
        assert found.lower < own_word < found.upper
        assert found.mean > 0.6 * own_word


def test_the_same_labels_give_the_same_limits():
    probabilities, is_class = scored_file(0)
    is_alarm, read = probabilities > 0.3, np.arange(60)
    first, again = (model_assisted(probabilities, is_alarm, read, is_class[read]) for _ in range(2))
    assert first == again


def test_more_documents_of_the_class_among_the_others_lower_recall():
    probabilities, _ = scored_file(0)
    is_alarm = probabilities > 0.3
    orders = reading_order(is_alarm, 0)
    read = np.concatenate([orders[0][:15], orders[1][:45]])
    labels = np.r_[np.ones(15, bool), np.zeros(45, bool)]
    few = model_assisted(probabilities, is_alarm, read, labels)
    labels[15:18] = True
    assert model_assisted(probabilities, is_alarm, read, labels).mean < few.mean / 1.5


def test_an_audit_says_what_its_limits_come_from_and_what_others_would_cost():
    is_alarm = np.arange(4_000) < 80
    audit = Audit(np.where(is_alarm, 0.5, 0.01), is_alarm, 60, "fraud")
    assert repr(audit) == "Audit('fraud': 60 of 4,000 documents)"
    said = " ".join(audit.result(audit.rows < 40).sentences())
    assert "stands for 87: one find more would change much" in said  # 3,920 / 45
    assert "About 43 of all documents are fraud, guaranteed between 24 and 351." in said
    assert "finds more than half, read some 340 of the others" in said
    said = " ".join(
        audit.result(np.isin(audit.rows, audit.rows[is_alarm[audit.rows]][:1])).sentences()
    )
    assert "finds more than half, read some 2,720 of the others" in said
    few = Audit(np.full(4_000, 0.01), np.arange(4_000) < 3, 60, "fraud")
    said = " ".join(few.result(few.rows < 3).sentences())
    assert "finds more than half, read all 3,997 of the others" in said


def test_labels_that_contradict_the_scores_say_so():
    def expected(lower, upper):
        share = Interval((lower + upper) / 2, lower, upper)
        return Prevalence("fraud", 4_000, share, by_probabilities=700.0, share_before=0.03)

    is_alarm = np.arange(4_000) < 80
    shown = np.where(is_alarm, 0.5, 0.01)
    for prevalence, contradicts in ((expected(500, 900), True), (expected(200, 900), False)):
        audit = Audit(shown, is_alarm, 60, "fraud", prevalence=prevalence)
        said = audit.result(audit.rows < 40).sentences()
        assert any("The labels contradict this" in one for one in said) == contradicts


def test_a_period_of_which_no_alarm_was_read_has_no_estimate():
    found = guaranteed(Stratum(20, 0, 0), Stratum(300, 5, 1))
    assert np.isnan(found.recall.mean)
    assert np.isnan(found.n_class.mean)
    assert (found.recall.lower, found.precision) == (
        0.0,
        Interval(pytest.approx(np.nan, nan_ok=True), 0, 1),
    )
