"""What is said of the held-out halves of sixteen data sets, checked in the committed numbers."""

from pathlib import Path

import polars as pl
import pytest

ROOT = Path(__file__).parents[2]
RARE = "RareTextClassifier"


@pytest.fixture(scope="module")
def means():
    trials = pl.read_csv(ROOT / "results" / "held_out_halves" / "held_out_halves.csv")
    return trials.group_by("dataset", "contestant").agg(
        pl.col("average_precision", "f1", "f2").mean()
    )


def test_the_tables_and_sentences_are_those_of_the_rows(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    made = __import__("held_out_halves_readme")
    trials = pl.read_csv(made.HERE / "held_out_halves.csv")
    of_sets = made.set_means(trials)
    text = (made.HERE / "README.md").read_text(encoding="utf-8")
    assert made.table(trials, of_sets) in text
    for write in (made.wins, made.next_best, made.apart, made.ratios):
        assert write(of_sets) in text


@pytest.mark.parametrize(("measure", "n"), [("average_precision", 12), ("f1", 5), ("f2", 8)])
def test_on_how_many_of_sixteen_sets_nothing_is_better(means, measure, n):
    best = means.filter(pl.col("contestant") != RARE).group_by("dataset").agg(pl.col(measure).max())
    ours = means.filter(contestant=RARE).join(best, on="dataset", suffix="_of_others")
    assert ours.height == 16
    assert (ours[measure] >= ours[f"{measure}_of_others"]).sum() == n


@pytest.mark.parametrize(("measure", "n"), [("average_precision", 14), ("f1", 10), ("f2", 12)])
def test_on_how_many_it_was_the_best_before_words_and_characters_joined(means, measure, n):
    others = means.filter(
        pl.col("contestant") != RARE, ~pl.col("contestant").str.contains("words and characters")
    )
    best = others.group_by("dataset").agg(pl.col(measure).max())
    ours = means.filter(contestant=RARE).join(best, on="dataset", suffix="_of_others")
    assert (ours[measure] >= ours[f"{measure}_of_others"]).sum() == n


@pytest.mark.parametrize(
    "dataset", ["docstrings", "Debian packages", "changes", "conversations by language"]
)
def test_where_words_and_characters_rank_better(means, dataset):
    of_set = means.filter(dataset=dataset).sort("average_precision", descending=True)
    assert of_set["contestant"][0].startswith("LinearSVC, words and characters")


@pytest.mark.parametrize(
    ("dataset", "theirs", "ours"),
    [("conversations by language", 0.863, 0.738), ("conversations by topic", 0.575, 0.513)],
)
def test_where_its_threshold_loses_f2(means, dataset, theirs, ours):
    of_set = means.filter(dataset=dataset)
    peer = of_set.filter(contestant="LinearSVC, words and characters, tuned")
    assert of_set.filter(contestant=RARE)["f2"].item() == pytest.approx(ours, abs=0.0006)
    assert peer["f2"].item() == pytest.approx(theirs, abs=0.0006)


def test_texts_of_new_words_alone_cost_average_precision(means):
    def of(dataset, contestant):
        return means.filter(dataset=dataset, contestant=contestant)["average_precision"].item()

    language = "conversations by language"
    assert of(language, RARE) == pytest.approx(0.826, abs=0.0006)
    assert of(language, "LinearSVC, words and characters") == pytest.approx(0.876, abs=0.0006)
    assert of("Chinese messages, a quarter", RARE) == pytest.approx(0.442, abs=0.0006)
