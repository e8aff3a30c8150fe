"""Exclusive classes move their thresholds: cells of documents against the documents themselves."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from imbtext import RareTextClassifier
from imbtext.metrics import get_goal
from imbtext.rare._exclusive import LEAST_IN_CELL, ExclusiveScores
from imbtext.rare._expectation import expect
from tests.rare.test_saved import rewritten

CLASSES = ["fraud", "outage", "refund"]


def tickets(n, seed):
    """Invented documents: words by Zipf's law, and every class likes some of them.

    The documents are the same with every version of every package. Of other seeds, one to three of
    the cases below miss their bounds by a document or two: the file has cells of three documents.
    """
    generator = np.random.default_rng(seed)
    syllables = ("bdfgklmnpr", "aeiou", "lmnrst", "aeiou", "ks")
    words = np.array(["".join(letters) for letters in product(*syllables)])
    common = 1 / np.arange(1, len(words) + 1)
    liked = {label: generator.permutation(len(words))[:60] for label in CLASSES}
    labels = generator.choice([*CLASSES, "other"], n, p=[0.03, 0.05, 0.08, 0.84])
    texts = []
    for label in labels:
        chances = common.copy()
        if label in liked:
            chances[liked[label]] += generator.uniform(0.01, 0.06)
        texts.append(" ".join(generator.choice(words, 20, p=chances / chances.sum())))
    return texts, labels.tolist()


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    texts, labels = tickets(4000, seed=2)
    model = RareTextClassifier("f1", features="words", random_state=0)
    model.fit(texts[::2], labels[::2])
    path = tmp_path_factory.mktemp("models") / "a.model"
    model.save(path)
    return model, RareTextClassifier.load(path), texts[1::2]


def held_out_decisions(model, thresholds):
    """The slow oracle: put every held-out document into the class that it exceeds most."""
    margins = np.stack([held.scores for held in model._kept.held_out], axis=1) - thresholds
    decisions = np.argmax(margins, axis=1)
    truth = np.argmax(np.stack([held.is_class for held in model._kept.held_out], axis=1), axis=1)
    return decisions, truth


def agree(exact, mine):
    """Cells are off by a few documents at most, and far less than the interval is wide."""
    for name in ("recall", "precision", "alarms"):
        interval, binned = getattr(exact, name), getattr(mine, name)
        width = interval.upper - interval.lower
        assert abs(binned.mean - interval.mean) < max(0.3 * width, 0.02)
        assert 0.4 * width < binned.upper - binned.lower < 2.5 * width
    assert abs(exact.n_found - mine.n_found) < max(4, 0.1 * exact.n_class)


COSTS = [(2, 1), (10, 1), (15, 1), (20, 1), (50, 1), (100, 1)]


@pytest.mark.parametrize(
    "metric",
    ["f2", "balanced_accuracy", (10, 1), (20, 1), (50, 1), "recall_at_precision(0.9)", "f0.5"],
)
def test_all_classes_move_as_those_of_the_fitted_model_do(models, metric):
    fitted, loaded, texts = models
    one, other = fitted.at(metric), loaded.at(metric)
    assert (one.predict(texts) == other.predict(texts)).mean() > 0.97
    for exact, mine in zip(one.expectation_, other.expectation_, strict=True):
        agree(exact, mine)
        assert mine.average_precision == exact.average_precision
    shares = [(a.share, b.share) for a, b in zip(one.alarm_rates_, other.alarm_rates_, strict=True)]
    assert np.abs(np.subtract(*zip(*shares, strict=True))).max() < 0.02
    assert loaded.metric == "f1"  # the model itself stays where it was


@pytest.mark.parametrize("metric", ["f2", "balanced_accuracy", *COSTS])
def test_a_loaded_model_decides_as_the_fitted_one_does(models, metric):
    """Bins end where the best thresholds lie, so that none of them moves by a bin."""
    fitted, loaded, texts = models
    one, other = fitted.at(metric), loaded.at(metric)
    np.testing.assert_allclose(one.thresholds_, other.thresholds_, atol=0.05)
    assert (one.predict(texts) == other.predict(texts)).mean() > 0.995


def test_a_file_without_corners_is_read_as_before(models, tmp_path):
    """Files that were written before bins ended at corners."""
    fitted, loaded, texts = models
    fitted.save(tmp_path / "now")

    def forget(header, arrays):
        for name in [name for name in header["arrays"] if name.startswith("corner_")]:
            del header["arrays"][name], arrays[f"{name}.npy"]

    rewritten(tmp_path / "now", tmp_path / "before", forget)
    before = RareTextClassifier.load(tmp_path / "before")
    np.testing.assert_array_equal(before.predict(texts), loaded.predict(texts))
    curves = before._kept.curves
    assert before.at("f2").thresholds_.tolist() == [c.choose(get_goal("f2")) for c in curves]
    before.save(tmp_path / "again")
    assert (tmp_path / "again").stat().st_size < (tmp_path / "now").stat().st_size


@pytest.mark.parametrize("metric", ["recall_at_precision(0.9)", "precision_at_recall(0.9)"])
@pytest.mark.parametrize("label", CLASSES)
def test_one_class_moves_and_the_others_stay(models, label, metric):
    fitted, loaded, _ = models
    moved, c = loaded.at(metric, label=label), loaded._place(label)
    stays = np.arange(len(loaded.thresholds_)) != c
    assert (moved.thresholds_[stays] == loaded.thresholds_[stays]).all()
    # The slow oracle: every held-out document, above the best of the other classes.
    scores = np.stack([held.scores for held in fitted._kept.held_out], axis=1)
    best_other = (scores - fitted.thresholds_)[:, stays].max(axis=1)
    alone = replace(fitted._kept.held_out[c], scores=scores[:, c] - best_other)
    (exact,) = expect([label], get_goal(metric), [alone], exclusive=False, seed=fitted._kept.seed)
    agree(exact, moved.expectation_[c])
    decisions, truth = held_out_decisions(fitted, moved.thresholds_)
    for place, expectation in enumerate(moved.expectation_):
        is_put, is_class = decisions == place, truth == place
        if place != c:
            # They are told by cells of three documents.
            assert expectation.recall.mean == pytest.approx(is_put[is_class].mean(), abs=0.12)
            assert expectation.precision.mean == pytest.approx(is_class[is_put].mean(), abs=0.12)
        assert moved.alarm_rates_[place].share == pytest.approx(is_put.mean(), abs=0.015)
    assert f'for "{label}"' in moved.report_["operating point"]
    assert moved.metric == "f1"


def test_where_a_model_stands_does_not_depend_on_what_it_was_asked_before(tmp_path):
    generator = np.random.default_rng(0)
    words = np.array(["oil", "gold", "rain", "price", "sun", "bank", "wind", "share"])
    texts = [" ".join(generator.choice(words, 5)) for _ in range(300)]
    labels = [next((word for word in words[:3] if word in text), "rest") for text in texts]
    noisy = generator.permutation(labels)
    labels = [b if i % 4 == 0 else a for i, (a, b) in enumerate(zip(labels, noisy, strict=True))]

    def model():
        return RareTextClassifier("f1", features="words", random_state=0).fit(texts, labels)

    asked = model()
    first, second = (asked.at("f2", label="gold") for _ in range(2))
    assert first.expectation_ == second.expectation_
    assert first.alarm_rates_ == second.alarm_rates_
    asked.save(tmp_path / "asked")
    for name, one in (("one", asked), ("other", model())):
        one.at("balanced_accuracy").save(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


@pytest.mark.parametrize("n", [1, 9, 60])
def test_so_many_documents_are_put_into_one_class(models, n):
    _, loaded, texts = models
    moved = loaded.at(alarms=n, of=texts, label="outage")
    decisions = moved.predict(texts)
    assert (decisions == "outage").sum() == n
    # The others differ only where a document went to that class or came from it.
    before = loaded.predict(texts)
    changed = decisions != before
    assert ((decisions == "outage") | (before == "outage"))[changed].all()
    batches = loaded.at(alarms=n, of=iter([texts[:300], texts[300:]]), label="outage")
    assert batches.thresholds_.tolist() == moved.thresholds_.tolist()
    to_come = loaded.at(alarms=n, of=len(texts), label="outage")
    c = loaded._place("outage")
    assert to_come.alarm_rates_[c].share <= n / len(texts) + 1e-9


def test_alarms_of_exclusive_classes_need_a_class(models):
    _, loaded, texts = models
    with pytest.raises(ValueError, match="alarms are those of one class; say which"):
        loaded.at(alarms=5, of=texts)
    with pytest.raises(ValueError, match="label is 'weather'; choose one of"):
        loaded.at("f1", label="weather")


def test_cells_hold_every_document_once_and_three_or_more(models):
    fitted, _, _ = models
    cells = ExclusiveScores.of(fitted._kept.held_out, fitted.thresholds_)
    held = fitted._kept.held_out[0]
    assert cells.counts.sum() == len(held.scores)
    assert np.bincount(cells.places[:, 0], cells.counts).min() >= LEAST_IN_CELL
    assert cells.groups.sum() == pytest.approx(
        len(np.unique(held.groups)), rel=0.02
    )  # a few copies have two labels
    decisions, truth = held_out_decisions(fitted, fitted.thresholds_)
    of_cells = np.argmax(cells.scores - fitted.thresholds_, axis=1)[cells.places[:, 0]]
    found = cells.counts[of_cells == cells.places[:, 2]].sum()
    assert found == pytest.approx((decisions == truth).sum(), rel=0.01)


@pytest.mark.parametrize("sizes", [(24, 1, 1), (9, 2, 2), (5, 5, 5)])
def test_classes_of_a_document_or_two(sizes, tmp_path):
    words = ["oil crude", "gold metal", "rain sun"]
    texts = [f"{words[c]} x{i} y{i % 3}" for c, n in enumerate(sizes) for i in range(n)]
    labels = [str(c) for c, n in enumerate(sizes) for _ in range(n)]
    model = RareTextClassifier(random_state=0).fit(texts, labels)
    model.save(tmp_path / "m")
    loaded = RareTextClassifier.load(tmp_path / "m")
    for moved in (loaded.at("f1"), loaded.at("f1", label="1"), loaded.at(cost=(5, 1), label="0")):
        assert len(moved.predict(texts)) == len(texts)
        assert [e.n_class for e in moved.expectation_] == list(sizes)
        for expectation, n in zip(moved.expectation_, sizes, strict=True):
            assert np.isnan(expectation.recall.mean) == (n == 1)
    assert moved.card().text()


def test_documents_that_weigh_nothing_count_for_nothing(models):
    fitted, _, _ = models
    halves = np.arange(len(fitted._kept.held_out[0].scores)) % 2.0
    weighed = [replace(held, weights=halves) for held in fitted._kept.held_out]
    cells = ExclusiveScores.of(weighed, fitted.thresholds_)
    assert cells.weights.sum() == halves.sum()
    assert cells.counts.sum() == len(halves)
