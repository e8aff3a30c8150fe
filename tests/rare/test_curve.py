"""The held-out scores in bins: a loaded model moves its threshold and says what to expect."""

from dataclasses import replace

import numpy as np
import pytest

from imbtext import RareTextClassifier
from imbtext.datasets import load_docstrings
from imbtext.metrics import get_goal
from imbtext.rare._curve import ScoreCurve, _corners
from imbtext.rare._expectation import expect
from imbtext.rare._held_out import ClassScores, relative_weights
from imbtext.rare._operating_point import choose_threshold

GOALS = [
    "f1",
    "f2",
    "balanced_accuracy",
    "cost(10, 1)",
    "precision_at_recall(0.9)",
    "alarms_per_thousand(20)",
]


def held_out(n=4000, seed=0, copies=1, weights=None):
    """Scores of a class of 5% that lie two standard deviations higher, each document in copies."""
    generator = np.random.default_rng(seed)
    is_class = np.repeat(generator.random(n) < 0.05, copies)
    scores = np.repeat(generator.normal(size=n), copies) + 2.0 * is_class
    groups = np.repeat(np.arange(n), copies)
    rows = np.arange(len(scores))
    return ClassScores(
        scores,
        is_class,
        weights,
        (groups % 5).astype(np.int8),
        groups,
        rows,
        int(is_class.sum()),
        len(rows),
    )


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("copies", [1, 10])
def test_bins_say_nearly_what_the_scores_say(goal, copies):
    goal, held = get_goal(goal), held_out(copies=copies)
    curve = ScoreCurve.of(held)
    assert len(curve.counts) < 400
    threshold = choose_threshold(goal, held.scores, held.is_class)
    assert curve.choose(goal) == pytest.approx(threshold, abs=0.15)
    (full,) = expect(["a"], goal, [held], exclusive=False, seed=0)
    binned, rate = curve.expect("a", goal, seed=0)
    for name in ("recall", "precision", "alarms"):
        exact, mine = getattr(full, name), getattr(binned, name)
        assert mine.mean == pytest.approx(exact.mean, rel=0.2)
        width = exact.upper - exact.lower
        assert 0.5 * width < mine.upper - mine.lower < 2 * width
    assert rate.share == pytest.approx((held.scores > curve.choose(goal)).mean(), abs=0.005)
    n_alarms = (held.scores > curve.choose(goal)).sum()
    assert rate.n_alarms * copies == pytest.approx(n_alarms, rel=0.02)


def best_places(held, costs):
    """The slow oracle: how many documents lie above the threshold of the lowest cost."""
    order = np.argsort(-held.scores)
    inside = held.is_class[order]
    weights = np.ones(len(order)) if held.weights is None else held.weights[order]
    # At the top of equal scores, a threshold cannot cut.
    cuts = np.append(np.flatnonzero(np.diff(held.scores[order])) + 1, len(order))
    found = np.append(0, np.cumsum(weights * inside))[np.append(0, cuts)]
    alarms = np.append(0, np.cumsum(weights * ~inside))[np.append(0, cuts)]
    best = {int(np.append(0, cuts)[np.argmax(miss * found - alarms)]) for miss in costs}
    return sorted(best - {0, len(order)})


@pytest.mark.parametrize("kind", ["plain", "ties", "weights"])
def test_corners_are_the_best_thresholds_of_all_costs(kind):
    held = held_out(400, weights=np.arange(400) % 4.0 if kind == "weights" else None)
    if kind == "ties":
        held = replace(held, scores=held.scores.round(1))
    order = np.argsort(-held.scores, kind="stable")
    corners = _corners(
        held.scores[order], held.is_class[order].astype(np.int64), relative_weights(held)[order]
    )
    best = best_places(held, np.geomspace(0.001, 1000, 4000) * 1.000123)
    weights = relative_weights(held)[order]
    # Documents without weight may lie on either side.
    above = np.append(0, np.cumsum(weights > 0))
    assert {*above[best].tolist()} <= {*above[corners].tolist()}
    assert len(corners) < 40
    curve = ScoreCurve.of(held, at_corners=True)
    assert curve.counts.sum(axis=(1, 2)).min() >= 3
    assert curve.counts.sum() == 400


def test_copies_make_no_interval_narrower():
    goal = get_goal("f1")
    one, many = (ScoreCurve.of(held_out(copies=n)).expect("a", goal, 0)[0] for n in (1, 10))
    assert many.recall.mean == pytest.approx(one.recall.mean, abs=0.03)
    assert many.recall.upper - many.recall.lower > 0.8 * (one.recall.upper - one.recall.lower)


def test_weights_count_in_shares():
    held = held_out(weights=np.where(np.arange(4000) % 2, 10.0, 1.0))
    (full,) = expect(["a"], get_goal("f1"), [held], exclusive=False, seed=0)
    binned, _ = ScoreCurve.of(held).expect("a", get_goal("f1"), seed=0)
    assert binned.precision.mean == pytest.approx(full.precision.mean, abs=0.03)


def test_intervals_at_a_given_threshold_cover():
    """At a threshold that was not chosen on the scores, 95% of the intervals hold the truth."""
    sample = held_out(200_000, seed=99)
    above = sample.scores > 1.5
    truth = {
        "recall": above[sample.is_class].mean(),
        "precision": sample.is_class[above].mean(),
        "alarms": 1000 * above.mean(),
    }
    n_covered = dict.fromkeys(truth, 0)
    for seed in range(200):
        expectation, _ = ScoreCurve.of(held_out(1000, seed)).expect_at("a", 1.5)
        for name, true in truth.items():
            interval = getattr(expectation, name)
            n_covered[name] += interval.lower <= true <= interval.upper
    assert all(n >= 182 for n in n_covered.values()), n_covered


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    docstrings = load_docstrings()
    texts = [text[:200] for text in docstrings.texts]
    y = [label == "scipy.stats" for label in docstrings.labels]
    model = RareTextClassifier(features="words", random_state=0).fit(texts[::2], y[::2])
    path = tmp_path_factory.mktemp("models") / "a.model"
    model.save(path)
    return model, RareTextClassifier.load(path), texts[1::2]


@pytest.mark.parametrize(
    "metric", ["f1", "recall_at_precision(0.8)", (10, 1), "alarms_per_thousand(50)"]
)
def test_a_loaded_model_moves_as_the_fitted_one_does(models, metric):
    fitted, loaded, texts = models
    one, other = fitted.at(metric), loaded.at(metric)
    assert other.metric == metric
    same = (one.predict(texts) == other.predict(texts)).mean()
    assert same > 0.98
    for name in ("recall", "precision"):
        expected = getattr(one.expectation_[0], name)
        assert getattr(other.expectation_[0], name).mean == pytest.approx(expected.mean, abs=0.08)
    assert loaded.metric == "f2"  # the model itself stays where it was


def test_cost_is_another_way_to_write_the_metric(models):
    _, loaded, _ = models
    assert loaded.at(cost=(10, 1)).thresholds_ == loaded.at("cost(10, 1)").thresholds_


@pytest.mark.parametrize("n", [1, 7, 100])
def test_so_many_alarms_among_these_documents(models, n):
    _, loaded, texts = models
    moved = loaded.at(alarms=n, of=texts)
    alarms = moved.predict(texts)
    scores = loaded.decision_function(texts)
    highest = np.sort(scores)[::-1]
    # Equal scores are alarms together or not at all; which documents tie depends on the versions
    # whose docstrings are read.
    assert alarms.sum() == (highest > highest[n]).sum()
    assert scores[alarms].min() > scores[~alarms].max()
    low, high = moved.expectation_[0].alarms.lower, moved.expectation_[0].alarms.upper
    assert low / 2 <= 1000 * n / len(texts) <= 2 * high


def test_so_many_alarms_among_documents_to_come(models):
    _, loaded, _ = models
    moved = loaded.at(alarms=200, of=10_000)
    assert moved.metric == "alarms_per_thousand(20)"
    assert moved.alarm_rates_[0].share <= 0.02


def test_what_makes_no_operating_point_is_refused(models):
    _, loaded, texts = models
    with pytest.raises(ValueError, match="each set the operating point"):
        loaded.at("f1", cost=(10, 1))
    with pytest.raises(ValueError, match="each set the operating point"):
        loaded.at()
    with pytest.raises(ValueError, match="alarms are raised among documents"):
        loaded.at(alarms=200)
    with pytest.raises(ValueError, match="alarms is 0; give a whole number"):
        loaded.at(alarms=0, of=texts)
    with pytest.raises(ValueError, match=r"of is 10000.0; give documents, or how many"):
        loaded.at(alarms=3, of=1e4)


def test_several_labels_move_each_on_its_own(tmp_path):
    texts = ["oil price up", "gold price", "rain and sun", "oil and gold"] * 8
    labels = [{"oil"}, {"gold"}, set(), {"oil", "gold"}] * 8
    RareTextClassifier(random_state=0).fit(texts, labels).save(tmp_path / "m")
    loaded = RareTextClassifier.load(tmp_path / "m")
    moved = loaded.at("f1")
    assert [expectation.label for expectation in moved.expectation_] == ["gold", "oil"]
    alone = loaded.at("precision_at_recall(0.5)", label="oil")
    assert alone.thresholds_[0] == loaded.thresholds_[0]
    assert alone.thresholds_[1] == loaded.at("precision_at_recall(0.5)").thresholds_[1]
    assert alone.expectation_[0] == loaded.expectation_[0]
    of_each = loaded.at(alarms=2, of=texts)
    assert ((of_each.decision_function(texts) > 0).sum(axis=0) <= 2).all()


def test_a_class_that_cannot_be_held_out_has_a_card(tmp_path):
    texts = ["oil price"] * 6 + ["rain today", "sun and rain", "sun"] * 9
    model = RareTextClassifier(random_state=0).fit(texts, [1] * 6 + [0] * 27)
    model.save(tmp_path / "m")
    loaded = RareTextClassifier.load(tmp_path / "m")
    assert "nothing can be said" in loaded.card().text()
    assert loaded.at("f1").thresholds_.shape == (1,)


def test_periods_that_follow_one_another(tmp_path):
    """A model tested in time expects the next period, before and after it was saved."""
    generator = np.random.default_rng(0)
    words = np.array([f"{first}{second}a" for first in "bcdfgh" for second in "klmnpr"])
    y = generator.random(600) < 0.15
    texts = [
        " ".join([*generator.choice(words, 12), *["oil"] * (i % 3 if of_class else 0)])
        for i, of_class in enumerate(y)
    ]
    model = RareTextClassifier("f1", random_state=0).fit(texts, y, time=np.arange(600))
    model.save(tmp_path / "m")
    one, other = model.at("f2"), RareTextClassifier.load(tmp_path / "m").at("f2")
    assert other.expectation_[0].n_tested == one.expectation_[0].n_tested
    for name in ("recall", "precision", "alarms"):
        exact, mine = (getattr(m.expectation_[0], name) for m in (one, other))
        assert mine.mean == pytest.approx(exact.mean, rel=0.2)
        assert 0.5 < (mine.upper - mine.lower) / (exact.upper - exact.lower) < 2
    assert other.alarm_rates_[0].spread == pytest.approx(one.alarm_rates_[0].spread, rel=0.5)
