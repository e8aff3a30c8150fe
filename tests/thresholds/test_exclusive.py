"""The rule for several exclusive classes: what it says, and what moving one threshold does."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imbtext import RareTextClassifier
from imbtext.datasets import load_docstrings
from imbtext.thresholds._calibration import Calibration
from imbtext.thresholds._exclusive import ExclusiveRule


def drawn(seed, n=60, k=4):
    generator = np.random.default_rng(seed)
    curves = Calibration(generator.uniform(0.5, 4, k), generator.normal(-2, 1, k))
    rule = ExclusiveRule(curves, (900, 100, 20, 3))
    return rule, generator.normal(0, 2, (n, k)), generator.normal(0, 1, k)


@given(st.integers(0, 500))
def test_margins_are_the_rule_in_its_own_words(seed):
    rule, scores, thresholds = drawn(seed)
    p, q = rule.calibration.probabilities(scores), rule.calibration.probabilities(thresholds)
    gains = (p - q) / ((1 - q) * np.sqrt(rule.sizes))
    margins = rule.margins(scores, thresholds)
    assert ((margins > 0) == (scores > thresholds)).all()
    for row in range(len(scores)):
        exceeded = np.flatnonzero(scores[row] > thresholds)
        nearest = np.argmax(rule.calibration.slope * (scores[row] - thresholds))
        best = exceeded[np.argmax(gains[row, exceeded])] if len(exceeded) else nearest
        assert margins[row].argmax() == best


@given(st.integers(0, 500), st.integers(0, 3))
def test_one_threshold_moves_the_documents_that_it_should(seed, c):
    rule, scores, thresholds = drawn(seed)
    critical = rule.among_others(scores, thresholds, c)
    for threshold in np.linspace(-5, 5, 21):
        moved = thresholds.copy()
        moved[c] = threshold
        goes = rule.margins(scores, moved).argmax(axis=1) == c
        np.testing.assert_array_equal(goes, critical > threshold)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::imbtext.rare.FewDocumentsWarning")
def test_rare_classes_keep_their_documents():
    """Held out, classes that share their decision find nearly what one model per class finds."""
    data = load_docstrings()
    texts, labels = [text[:400] for text in data.texts], np.array(data.labels)
    known, sizes = np.unique(labels, return_counts=True)
    model = RareTextClassifier(features="words", random_state=0).fit(texts, labels)
    held = model.fitted_.held_out
    by_rule = held.decide(held.margins(model.thresholds_))
    most_exceeded = np.argmax(held.scores - model.thresholds_, axis=1)
    rare = np.flatnonzero(sizes <= 0.03 * len(labels))
    recall = [by_rule[held.is_class[:, c], c].mean() for c in rare]
    before = [(most_exceeded[held.is_class[:, c]] == c).mean() for c in rare]
    assert np.mean(recall) > np.mean(before)
    assert known.tolist() == model.classes_.tolist()
