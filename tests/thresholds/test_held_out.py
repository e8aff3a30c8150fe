"""Held-out scores: what a model keeps of very many, and what a file can make a reader do."""

import numpy as np
import pytest

from imbtext import records
from imbtext.metrics import get_goal
from imbtext.thresholds import HeldOut, OperatingPoint, expect
from imbtext.thresholds import _held_out as module

GOALS = ["f1", "f2", "balanced_accuracy", "cost(10, 1)", "recall_at_precision(0.9)",
         "precision_at_recall(0.8)", "alarms_per_thousand(20)"]  # fmt: skip


def drawn(n, seed, share=0.02, n_classes=1, **options):
    generator = np.random.default_rng(seed)
    is_class = generator.random((n, n_classes)) < share
    scores = generator.normal(size=(n, n_classes)) + 2 * is_class
    return HeldOut.of_scores(scores.astype(np.float32), is_class, np.arange(n) % 5, **options)


def limits(monkeypatch, most_rows, highest_others, counted_rows):
    monkeypatch.setattr(module, "_MOST_ROWS", most_rows)
    monkeypatch.setattr(module, "_HIGHEST_OTHERS", highest_others)
    monkeypatch.setattr(module, "_COUNTED_ROWS", counted_rows)


def test_of_more_than_200_000_documents_the_lowest_are_counted_in_10_000_rows():
    held = drawn(200_001, 0)
    kept, n_class = held.kept(), int(held.is_class.sum())
    assert 110_000 - 5 <= len(kept.scores) - n_class <= 110_000
    assert kept.is_class.sum() == n_class
    assert kept.counts.sum() == kept.weights.sum() == 200_001
    assert len(drawn(200_000, 0).kept().scores) == 200_000


@pytest.mark.parametrize("weighted", [False, True])
def test_no_threshold_moves_where_documents_are_counted(monkeypatch, weighted):
    limits(monkeypatch, 20_000, 10_000, 1_000)
    held = drawn(21_000, 0, weights=1 + np.arange(21_000) % 3 if weighted else None)
    kept, every = held.kept(), held.sorted()
    assert kept.weights.sum() == pytest.approx(np.sum(held.weights) if weighted else 21_000)
    for name in GOALS:
        one, other = (OperatingPoint.best(get_goal(name), of, ["a"]) for of in (kept, every))
        assert one.thresholds.tolist() == other.thresholds.tolist()
        (expected,), (exact,) = one.expectation, other.expectation
        assert (expected.n_found, expected.n_alarms) == (exact.n_found, exact.n_alarms)
        for share in ("recall", "precision", "alarms"):
            assert getattr(expected, share).mean == pytest.approx(getattr(exact, share).mean)
        (rate,), (exact_rate,) = one.alarm_rates, other.alarm_rates
        assert (rate.n_alarms, rate.n_documents) == (exact_rate.n_alarms, exact_rate.n_documents)


def test_a_threshold_below_the_rows_that_stay_counts_documents(monkeypatch):
    """A budget of two thirds of all documents reaches into the rows that were counted."""
    limits(monkeypatch, 20_000, 10_000, 1_000)
    held = drawn(21_000, 1)
    goal = get_goal("alarms_per_thousand(666)")
    one, other = (OperatingPoint.best(goal, of, ["a"]) for of in (held.kept(), held.sorted()))
    assert one.expectation[0].n_alarms == pytest.approx(other.expectation[0].n_alarms, rel=0.01)
    assert one.alarm_rates[0].n_alarms == pytest.approx(other.alarm_rates[0].n_alarms, rel=0.01)
    assert one.alarm_rates[0].n_documents == 21_000


def test_intervals_cover_where_documents_are_counted(monkeypatch):
    limits(monkeypatch, 1500, 800, 80)
    goal, n_covered = get_goal("f2"), np.zeros(3)
    for seed in range(100):
        held = drawn(2000, seed, share=0.05).kept()
        assert len(held.scores) < 1100
        (expected,) = expect(["a"], goal, held)
        (threshold,) = OperatingPoint.best(goal, held, ["a"]).thresholds
        new = drawn(10_000, 1000 + seed, share=0.05)
        put, is_class = new.scores[:, 0] > threshold, new.is_class[:, 0]
        truth = put[is_class].mean(), is_class[put].mean(), 1000 * put.mean()
        intervals = expected.recall, expected.precision, expected.alarms
        n_covered += [i.lower <= true <= i.upper for i, true in zip(intervals, truth, strict=True)]
    assert (n_covered >= 92).all(), n_covered


def test_several_labels_keep_the_highest_of_each_class(monkeypatch):
    limits(monkeypatch, 900, 300, 30)
    held = drawn(1000, 0, n_classes=3)
    kept = held.kept()
    assert kept.counts.sum() == 1000
    for c in range(3):
        others = np.sort(held.scores[~held.is_class.any(axis=1), c])[::-1]
        stayed = np.sort(kept.scores[kept.counts == 1, c])[::-1]
        assert np.isin(others[:100], stayed).all()
        assert kept.is_class[:, c].sum() == held.is_class[:, c].sum()


def test_a_file_of_100_000_documents_grows_by_a_megabyte_at_most(tmp_path):
    held = drawn(100_000, 0, groups=np.arange(100_000) // 2)
    records.save(tmp_path / "held_out", "scores", 1, held.kept())
    assert (tmp_path / "held_out").stat().st_size < 1_000_000


@pytest.mark.parametrize(
    ("name", "numbers"),
    [("folds", [2**31 - 1, 0]), ("groups", [2**50, -1]), ("counts", [2**52, 1])],
)
def test_numbers_of_a_file_make_no_table_of_that_length(tmp_path, name, numbers):
    """Folds and groups of a crafted file are numbered anew, or refused."""
    held = HeldOut.of_scores([2.0, 1.0], [True, False], [0, 1], weights=[1.0, 1.0])
    values = {f: getattr(held, f) for f in held.__dataclass_fields__} | {"n_documents": 2**53}
    values[name] = np.array(numbers, np.int32 if name == "folds" else np.int64)
    try:
        crafted = HeldOut(**values)
    except ValueError:
        return
    (expected,) = expect(["a"], get_goal("f1"), crafted)
    assert expected.n_class == 1
    assert crafted.copies.shape[1] == 2
