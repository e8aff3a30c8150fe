"""Thresholds, calibration and length groups, against counting one document at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_curve

from imbtext.comparison._inspection import OperatingCurve, by_length, calibration, rounded

scored = st.lists(
    st.tuples(st.floats(-3, 3).map(lambda x: round(x, 2)), st.booleans()), min_size=2, max_size=60
).filter(lambda pairs: len({member for _, member in pairs}) == 2)


def arrays(pairs):
    scores, is_class = zip(*pairs, strict=True)
    return rounded(np.array(scores)), np.array(is_class)


@given(scored)
@settings(max_examples=200, deadline=None)
def test_every_threshold_counts_what_lies_above_it(pairs):
    scores, is_class = arrays(pairs)
    curve = OperatingCurve.of(scores, is_class)
    assert 0.0 in curve.thresholds.tolist()
    assert (np.diff(curve.thresholds) > 0).all()
    for t, found, wrong in zip(curve.thresholds, curve.found, curve.wrong, strict=True):
        assert found == sum(s > t for s, m in zip(scores, is_class, strict=True) if m)
        assert wrong == sum(s > t for s, m in zip(scores, is_class, strict=True) if not m)


@given(scored)
@settings(max_examples=200, deadline=None)
def test_no_better_threshold_is_left_out(pairs):
    # For every recall that can be had, the highest precision that scikit-learn finds is there.
    scores, is_class = arrays(pairs)
    curve = OperatingCurve.of(scores, is_class)
    ours = [
        (found, found / (found + wrong))
        for found, wrong in zip(curve.found, curve.wrong, strict=True)
        if found
    ]
    precision, recall, _ = precision_recall_curve(is_class, scores)
    for p, r in zip(precision[:-1], recall[:-1], strict=True):
        if r > 0:
            found = round(r * is_class.sum())
            assert max(v for n, v in ours if n >= found) >= p - 1e-12


def test_many_documents_of_the_class_share_few_thresholds():
    random = np.random.default_rng(0)
    scores = rounded(random.normal(size=20_000))
    is_class = random.random(20_000) < 0.3
    curve = OperatingCurve.of(scores, is_class, most=50)
    assert len(curve.thresholds) <= 51
    assert curve.found[0] == is_class.sum()


def test_rounding_moves_nothing_across_zero():
    scores = np.array([1e-12, -1e-12, 0.0, 4e-6, 0.3], dtype=np.float32)
    assert (rounded(scores) > 0).tolist() == (scores > 0).tolist()


@given(scored)
@settings(max_examples=100, deadline=None)
def test_score_bins_hold_every_document_once(pairs):
    scores, is_class = arrays(pairs)
    bins = calibration(scores, is_class)
    assert sum(b.n for b in bins) == len(scores)
    assert sum(b.n_class for b in bins) == is_class.sum()
    for b in bins:
        inside = (scores >= b.low) & (scores <= b.high)
        assert (b.n, b.n_class) == (inside.sum(), (inside & is_class).sum())
        assert b.lower - 1e-12 <= b.n_class / b.n <= b.upper + 1e-12


@given(scored, st.integers(0, 2**32))
@settings(max_examples=100, deadline=None)
def test_length_groups_hold_every_document_once(pairs, seed):
    scores, is_class = arrays(pairs)
    lengths = np.random.default_rng(seed).integers(0, 9, len(scores))
    groups = by_length(scores, is_class, lengths)
    assert len(groups) <= 4
    assert sum(g.n_class + g.n_rest for g in groups) == len(scores)
    for g in groups:
        inside = (lengths >= g.shortest) & (lengths <= g.longest)
        assert inside.sum() == g.n_class + g.n_rest
        if g.n_class:
            assert g.of_class[1] == pytest.approx(np.median(scores[inside & is_class]))
