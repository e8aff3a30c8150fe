"""Whether intervals hold what new documents give, and what may and may not change them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from imbtext import RareTextClassifier
from imbtext.metrics import get_goal
from imbtext.rare import Expectation
from imbtext.statistics import Interval
from imbtext.thresholds._calibration import calibrate
from imbtext.thresholds._expectation import expect
from imbtext.thresholds._held_out import HeldOut
from tests.thresholds_chosen import choose_threshold


def held_out(scores, is_class, weights=None, groups=None, seed=0):
    """Scores of a class, its groups dealt to five folds."""
    groups = np.arange(len(scores)) if groups is None else groups
    dealt = np.random.default_rng(seed).integers(5, size=groups.max() + 1)
    return HeldOut.of_scores(scores, is_class, dealt[groups], groups, weights)


def expect_one(held, metric="f2", seed=0):
    (expectation,) = expect(["oil"], get_goal(metric), replace(held, seed=seed))
    return expectation


def drawn(generator, n_class, n_rest):
    scores = np.concatenate(
        [generator.normal(1.6, 1, size=n_class), generator.normal(0, 1, size=n_rest)]
    )
    return scores, np.arange(len(scores)) < n_class


def plain(generator, n):
    scores, is_class = drawn(generator, n // 20, n - n // 20)
    return scores, is_class, None, np.arange(n)


def copied(generator, n):
    """Ten copies of each document; of new documents there is one each."""
    scores, is_class, _, groups = plain(generator, n // 6)
    return *(np.repeat(column, 10) for column in (scores, is_class)), None, np.repeat(groups, 10)


def grouped(generator, n):
    """The class is easy to find in most groups and hard in others."""
    groups = np.arange(n) // 15
    hard = generator.random(n // 15 + 1) < 0.3
    is_class = generator.random(n) < 0.08
    shift = np.where(hard[groups], -0.5, 2.5)
    return generator.normal(size=n) + is_class * shift, is_class, None, groups


def sampled(generator, n):
    """One in ten of the documents outside the class, each of which stands for ten."""
    is_class = generator.random(5 * n) < 0.02
    scores = generator.normal(size=5 * n) + 2.6 * is_class
    kept = is_class | (generator.random(5 * n) < 0.1)
    weights = np.where(is_class, 1.0, 10.0)
    return scores[kept], is_class[kept], weights[kept], np.arange(kept.sum())


@pytest.mark.parametrize("draw", [plain, copied, grouped, sampled])
def test_intervals_cover_what_new_documents_give(draw):
    """Scores as a ranking would give them: the interval must hold the truth of new documents."""
    generator = np.random.default_rng(0)
    goal = get_goal("f2")
    new_scores, new_class, new_weights, _ = draw(generator, 400_000)
    new_weights = np.ones(len(new_scores)) if new_weights is None else new_weights
    covered = {"recall": [], "precision": [], "alarms": []}
    for split in range(120):
        scores, is_class, weights, groups = draw(generator, 600)
        expectation = expect_one(held_out(scores, is_class, weights, groups, split), seed=split)
        put = new_scores > choose_threshold(goal, scores, is_class, weights)
        right, alarms = new_weights[put & new_class].sum(), new_weights[put].sum()
        truths = {
            "recall": right / new_weights[new_class].sum(),
            "precision": right / alarms,
            "alarms": 1000 * alarms / new_weights.sum(),
        }
        for name, truth in truths.items():
            interval = getattr(expectation, name)
            covered[name].append(interval.lower <= truth <= interval.upper)
    # 120 splits tell 0.95 from 0.91 (two standard errors are 0.04).
    assert {name: np.mean(inside) >= 0.93 for name, inside in covered.items()} == dict.fromkeys(
        covered, True
    )


def test_the_threshold_that_was_chosen_on_the_same_scores_does_not_flatter():
    """Scores that mean nothing: a threshold can be chosen that looks good, and must not."""
    generator = np.random.default_rng(1)
    precisions = []
    for split in range(60):
        held = held_out(generator.normal(size=400), np.arange(400) < 8, seed=split)
        precisions.append(np.nan_to_num(expect_one(held, "f1", split).precision.mean))
    assert np.mean(precisions) < 0.05  # chance is 0.02


SAMPLES = st.integers(0, 10_000).map(
    lambda seed: (seed, *drawn(np.random.default_rng(seed), 4 + seed % 30, 100 + seed % 200))
)


@settings(max_examples=25)
@given(SAMPLES, st.sampled_from(["f1", "f2", "alarms_per_thousand(50)"]), st.integers(2, 5))
def test_copies_that_belong_together_change_no_interval(sample, metric, n_copies):
    seed, scores, is_class = sample
    once = held_out(scores, is_class, seed=seed)
    names = ["scores", "is_class", "folds", "groups"]
    copies = replace(
        once,
        **{name: np.repeat(getattr(once, name), n_copies, axis=0) for name in names},
        class_sizes=(n_copies * once.class_sizes[0],),
        n_documents=n_copies * len(scores),
    )
    one, several = expect_one(once, metric), expect_one(copies, metric)
    for name in ("recall", "precision", "alarms"):
        alone, copied = getattr(one, name), getattr(several, name)
        assert (alone.mean, alone.lower, alone.upper) == pytest.approx(
            (copied.mean, copied.lower, copied.upper), nan_ok=True
        )
    assert one.average_precision == pytest.approx(several.average_precision)


@settings(max_examples=25)
@given(SAMPLES, st.sampled_from([2.0, 0.125, 2.0**100]))
def test_equal_weights_are_no_weights(sample, weight):
    seed, scores, is_class = sample
    held = held_out(scores, is_class, seed=seed)
    weighted = replace(held, weights=np.full(len(scores), weight))
    assert str(expect_one(weighted)) == str(expect_one(held))
    one, other = (calibrate(scores, is_class, w) for w in (weighted.weights, None))
    assert (one.slope, one.constant) == (other.slope, other.constant)


@settings(max_examples=25)
@given(SAMPLES)
def test_a_weight_of_ten_is_ten_documents_for_every_estimate_and_for_no_interval(sample):
    seed, scores, is_class = sample
    held = held_out(scores, is_class, seed=seed)
    weighted = expect_one(replace(held, weights=np.where(is_class, 1.0, 10.0)), "f1")
    rows = np.repeat(np.arange(len(scores)), np.where(is_class, 1, 10))
    names = ["scores", "is_class", "folds", "groups"]
    repeated = expect_one(
        replace(
            held,
            **{name: getattr(held, name)[rows] for name in names},
            class_sizes=(int(is_class[rows].sum()),),
            n_documents=len(rows),
        ),
        "f1",
    )
    for name in ("recall", "precision", "alarms"):
        one, other = getattr(weighted, name), getattr(repeated, name)
        assert (one.mean, one.lower, one.upper) == pytest.approx(
            (other.mean, other.lower, other.upper), nan_ok=True
        )
    assert weighted.average_precision == pytest.approx(repeated.average_precision)


def documents(generator, n, share=0.04):
    """Texts of ten words, of which those of the class have one or two of their own."""
    is_class = generator.random(n) < share
    texts = []
    for words, member in zip(generator.integers(300, size=(n, 10)), is_class, strict=True):
        marked = generator.random(2) < (0.7 if member else 0.02)
        marks = generator.integers(4, size=marked.sum())
        texts.append(" ".join([f"w{word}" for word in words] + [f"mark{mark}" for mark in marks]))
    return texts, is_class


@pytest.mark.parametrize("known_by", ["their words", "groups"])
def test_a_model_counts_documents_that_belong_together_once(known_by):
    texts, is_class = documents(np.random.default_rng(3), 150, 0.2)

    def width(texts, n_copies, groups=None):
        model = RareTextClassifier(features="words", language=None, random_state=0)
        interval = (
            model.fit(texts, np.tile(is_class, n_copies), groups=groups).expectation_[0].alarms
        )
        return interval.upper - interval.lower

    once = width(texts, 1)
    if known_by == "their words":
        together = width(texts * 6, 6)
    else:  # the same documents in disguise: nothing but the groups says that they are copies
        disguised = [f"{text} {f' x{k}y'.join('abcdefghij')}" for k in range(6) for text in texts]
        together = width(disguised, 6, np.tile(np.arange(150), 6))
        assert width(disguised, 6) < 0.7 * together
    assert together > 0.8 * once


def test_documents_sampled_down_and_weighted_up():
    """Every tenth document outside the class, with weight 10: the truth is that of all."""
    generator = np.random.default_rng(0)
    new_texts, new_class = documents(generator, 4_000)
    expected, true = [], []
    for _ in range(6):
        texts, is_class = documents(generator, 3_000)
        kept = np.flatnonzero(is_class | (generator.random(len(texts)) < 0.1))
        weights = np.where(is_class[kept], 1.0, 10.0)
        model = RareTextClassifier("f1", features="words", random_state=0)
        model.fit([texts[row] for row in kept], is_class[kept], weights)
        put = model.predict(new_texts)
        expectation, probabilities = model.expectation_[0], model.predict_proba(new_texts)[:, 1]
        expected.append(
            (expectation.precision.mean, expectation.alarms_per_thousand, probabilities.mean())
        )
        true.append(((put & new_class).sum() / put.sum(), 1000 * put.mean(), new_class.mean()))
    assert np.mean(expected, axis=0) == pytest.approx(np.mean(true, axis=0), rel=0.2)


def test_exclusive_classes_are_judged_as_they_are_predicted():
    """The winner takes a document, so every document is an alarm of exactly one class."""
    generator = np.random.default_rng(0)
    labels = generator.integers(3, size=300)
    is_class = labels[:, None] == np.arange(3)
    scores = generator.normal(size=(300, 3)) + 1.5 * is_class
    held = replace(held_out(scores, is_class), exclusive=True)
    together = expect("abc", get_goal("f1"), held)
    assert sum(expectation.n_alarms for expectation in together) == 300
    assert sum(expectation.alarms_per_thousand for expectation in together) == pytest.approx(1000)
    apart = expect("abc", get_goal("f1"), replace(held, exclusive=False))
    assert sum(expectation.n_alarms for expectation in apart) != 300


@pytest.mark.parametrize("n_groups", [1, 2, 3])
def test_few_groups_that_hold_the_class_claim_no_more_than_they_know(n_groups):
    """Groups differ, and one to three of them hold the whole class: intervals still cover."""
    n, size, covered, goal = 1200, 30, [], get_goal("f2")
    for seed in range(60):
        generator = np.random.default_rng(seed)
        of_groups = generator.normal(0, 1.5, 40)
        groups = np.append(np.repeat(np.arange(n_groups), size), np.repeat(np.arange(40), 30))
        is_class = np.arange(len(groups)) < n_groups * size
        scores = 2 * is_class + of_groups[groups] + generator.normal(size=len(groups))
        held = held_out(scores, is_class, None, groups, seed)
        expected = expect_one(held, "f2", seed)
        threshold = choose_threshold(goal, scores, is_class)
        recall, false = (norm.sf((threshold - m) / np.hypot(1, 1.5)) for m in (2, 0))
        precision = recall * n_groups * size / (recall * n_groups * size + false * n)
        covered.append(
            (
                expected.recall.lower <= recall <= expected.recall.upper,
                expected.precision.lower <= precision <= expected.precision.upper,
            )
        )
        if n_groups == 1:
            assert "too few to say what others would give" in expected.sentences()[0]
    assert np.mean(covered, axis=0).min() >= 0.93


def test_nothing_is_said_of_the_alarms_of_a_class_that_was_never_held_out():
    """One group holds the whole class, so no model has seen a part of it and not the rest."""
    generator = np.random.default_rng(0)
    texts, is_class = documents(generator, 400, 0.1)
    groups = np.where(is_class, 0, generator.integers(1, 30, size=400))
    model = RareTextClassifier("balanced_accuracy", features="words", random_state=0)
    (expected,) = model.fit(texts, is_class, groups=groups).expectation_
    assert np.isnan([expected.recall.mean, expected.precision.mean]).all()
    assert (expected.precision.lower, expected.precision.upper) == (0, 1)


def test_weights_of_zero_count_nothing():
    scores, is_class = drawn(np.random.default_rng(3), 30, 300)
    held = held_out(scores, is_class)
    kept = np.arange(330) % 4 > 0
    ignored = expect_one(replace(held, weights=kept.astype(float)), "f1")
    assert ignored.n_alarms < expect_one(held, "f1").n_alarms
    nothing = expect_one(replace(held, weights=1.0 - is_class), "f1")
    assert np.isnan(nothing.recall.mean)
    assert np.isnan(nothing.average_precision)


@pytest.mark.parametrize("weight", [1e308, 1e-308, np.inf, -1.0])
def test_weights_that_overflow_are_refused(weight):
    texts, is_class = documents(np.random.default_rng(0), 60, 0.3)
    weights = np.ones(60)
    weights[7] = weight
    model = RareTextClassifier(features="words", random_state=0)
    message = (
        "sample_weight must" if weight < 0 or weight == np.inf else r"sample_weight\[7\] is 1e"
    )
    with pytest.raises(ValueError, match=message):
        model.fit(texts, is_class, weights)


@pytest.mark.parametrize("weight", [1e50, 1e-50])
def test_weights_far_apart_give_numbers(weight):
    texts, is_class = documents(np.random.default_rng(0), 60, 0.3)
    weights = np.ones(60)
    weights[7:20] = weight
    model = RareTextClassifier(features="words", random_state=0).fit(texts, is_class, weights)
    assert np.isfinite(model.predict_proba(texts)).all()
    recall = model.expectation_[0].recall
    assert 0 <= recall.lower <= recall.mean <= recall.upper <= 1


def test_sentences_say_what_was_measured():
    expectation = Expectation(
        label="yes",
        n_class=170,
        n_documents=20_000,
        n_found=100,
        n_alarms=128,
        recall=Interval(0.588, 0.513, 0.66),
        precision=Interval(0.781, 0.7, 0.84),
        alarms=Interval(6.4, 5.2, 10.4),
        average_precision=0.7,
    )
    assert expectation.sentences() == [
        'It finds about 59 of every 100 real "yes" documents (between 51 and 66).',
        "About 78 of every 100 alarms are right (between 70 and 84).",
        "It puts about 6.4 of every 1,000 documents into the class (between 5.2 and 10).",
    ]
    few = replace(expectation, n_class=9, n_found=2, n_alarms=2, precision=Interval(1, 0.3, 1))
    assert few.sentences()[:2] == [
        'It found 2 of 9 "yes" documents when they were held out; of every 100 others it may find '
        "between 51 and 66.",
        "2 of 2 alarms were right; of every 100 others between 30 and 100 may be.",
    ]
    assert "0 of 1 alarm was right" in replace(few, n_found=0, n_alarms=1).sentences()[1]
    assert replace(few, n_alarms=0).sentences()[1] == "It raised no alarm on held-out documents."


@pytest.mark.parametrize(
    ("texts", "beginning"),
    [
        (["oil price"], 'Only one "True" document was given, so'),
        (
            ["oil price"] * 3,
            'The 3 "True" documents are copies of one another, belong to one group',
        ),
    ],
)
@pytest.mark.filterwarnings("ignore::imbtext.rare.FewDocumentsWarning")
def test_a_class_that_cannot_be_held_out_says_so(texts, beginning):
    others = ["rain", "sun and rain", "snow today"] * 10
    y = [True] * len(texts) + [False] * len(others)
    model = RareTextClassifier(random_state=0).fit([*texts, *others], y)
    assert model.expectation_[0].n_class == len(texts)
    (sentence,) = model.expectation_[0].sentences()
    assert sentence.startswith(beginning)
