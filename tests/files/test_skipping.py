"""Texts whose words rule an alarm out are not encoded, and what that costs is measured."""

import numpy as np
import polars as pl
import pytest

from imbtext import RareTextClassifier
from imbtext.files import predict_file
from imbtext.rare._skipping import Skipping

N_CLASS, N_OTHERS = 260, 700
KINDS = {"oil": ("crude", "barrel", "tanker", "well"), "sky": ("rain", "sun", "snow", "wind")}
ASKED = []


def encode(texts):
    """Return how often each kind of word occurs, and remember what was asked."""
    ASKED.extend(texts)
    counts = [[sum(w in kind for w in text.split()) for kind in KINDS.values()] for text in texts]
    return [[0.2, *of_text] for of_text in counts]


def texts_of(rng, kind, n):
    words, common = [*KINDS[kind]], [f"word{i}" for i in range(40)]
    return [
        " ".join([*rng.choice(words, 2), *rng.choice(common, 3), f"n{rng.integers(500)}"])
        for _ in range(n)
    ]


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    texts = texts_of(rng, "oil", N_CLASS) + texts_of(rng, "sky", N_OTHERS)
    labels = ["oil"] * N_CLASS + ["other"] * N_OTHERS
    return RareTextClassifier(encoder=encode, random_state=0).fit(pl.Series("text", texts), labels)


@pytest.fixture
def new(tmp_path):
    rng = np.random.default_rng(1)
    texts = texts_of(rng, "oil", 80) + texts_of(rng, "sky", 220)
    pl.DataFrame({"text": rng.permutation(texts)}).write_csv(tmp_path / "new.csv")
    return tmp_path / "new.csv"


def test_only_what_may_become_an_alarm_is_encoded(model, new, tmp_path):
    everything = predict_file(model, new, tmp_path / "all.csv")
    assert everything.skipped == ""
    ASKED.clear()
    model.fitted_.meaning.encoders[0]._kept = None  # vectors of the first call
    counts = predict_file(model, new, tmp_path / "top.csv", top=10)
    assert counts == everything
    assert counts.skipped.startswith(f"{300 - len(ASKED)} of 300 texts were not encoded")
    assert len(ASKED) == len(set(ASKED)) < 150
    rows = pl.read_csv(tmp_path / "all.csv").sort("score", descending=True, maintain_order=True)
    top = pl.read_csv(tmp_path / "top.csv").drop("line")
    assert top["score"].to_list() == pytest.approx(rows["score"][:10].to_list(), abs=2e-6)


def test_the_answers_are_the_same_for_every_batch_size(model, new):
    texts, hasty = pl.read_csv(new)["text"], model.fitted_.for_alarms()
    at_once = hasty.scored(texts).scores
    assert 0 < hasty.meaning.n_skipped < len(texts)
    for size in (1, 7, 100):
        starts = range(0, len(texts), size)
        parts = [hasty.scored(texts[start : start + size]).scores for start in starts]
        np.testing.assert_array_equal(np.concatenate(parts), at_once)


def test_where_there_are_fewer_alarms_than_rows_every_text_is_encoded(model, new, tmp_path):
    predict_file(model, new, tmp_path / "all.csv")
    counts = predict_file(model, new, tmp_path / "top.csv", top=200)
    assert counts.skipped == ""
    scores = pl.read_csv(tmp_path / "all.csv")["score"].sort(descending=True)[:200]
    top = pl.read_csv(tmp_path / "top.csv")["score"]
    assert top.to_list() == pytest.approx(scores.to_list(), abs=2e-6)


def test_the_bound_holds_for_one_threshold_and_is_kept_in_the_file(model, tmp_path):
    model.save(tmp_path / "model")
    loaded = RareTextClassifier.load(tmp_path / "model", encoder=encode)
    assert loaded.fitted_.skipping == model.fitted_.skipping
    assert loaded.fitted_.for_alarms() is not None
    assert model.at(cost=(50, 1)).fitted_.for_alarms() is None


def test_at_most_half_a_percent_of_the_class_is_lost():
    rng, losses = np.random.default_rng(0), []
    for _ in range(200):
        n, n_class = 4000, 450
        is_class = np.arange(n) < n_class
        words = rng.normal(size=n) + 2 * is_class
        mixed = words + 2 * rng.normal(size=n) + 2 * is_class
        known = np.arange(n) % 2 == 0
        found = Skipping.of_held_out(
            words[known, None], mixed[known, None], [np.flatnonzero(is_class[known])], 3.0
        )
        assert found.n_class == 225
        assert found.expected_loss <= 0.005
        assert found.share == pytest.approx((words[known] < found.least).mean())
        fresh = is_class & ~known
        losses.append((fresh & (mixed > 3) & (words < found.least)).sum() / fresh.sum())
    assert 0 < np.mean(losses) <= 0.005


def test_a_text_without_a_known_word_is_encoded(model):
    ASKED.clear()
    new = ["rain sun word1", "qqq zzz", "snow wind word2", "tanker"]
    hasty = model.fitted_.for_alarms()
    hasty.scored(new)
    assert "qqq zzz" in ASKED
    assert hasty.meaning.n_skipped == len(new) - len(ASKED) > 0


def test_with_few_documents_of_the_class_nothing_is_skipped():
    words, mixed = np.arange(1000.0)[:, None], np.arange(1000.0)[:, None]
    assert Skipping.of_held_out(words, mixed, [np.arange(802, 1000)], 800.5) is None
    assert Skipping.of_held_out(words, mixed, [np.arange(801, 1000)], 800.5) is not None
    halves = np.hstack([words, words])
    assert Skipping.of_held_out(halves, halves, [np.arange(500), np.arange(500, 1000)], 9) is None
