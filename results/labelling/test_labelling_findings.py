"""What is said of the labelling loop, as statements about the committed numbers."""

import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

RESULTS = Path(__file__).resolve().parent
BENCHMARKS = RESULTS.parents[1] / "benchmarks"


def table(name):
    return pl.read_csv(RESULTS / f"{name}.csv")


def test_the_readme_is_what_the_tables_say(monkeypatch):
    """Every number in the README is computed from the tables beside it."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from labelling_report import readme

    try:
        assert (RESULTS / "README.md").read_text(encoding="utf-8") == readme(RESULTS)
    finally:
        for name in ("labelling_report", "labelling_tasks"):
            sys.modules.pop(name, None)


@pytest.mark.parametrize("share", [0.8, 0.95])
def test_fewer_documents_than_asreview_on_the_reported_half(share):
    ratios = table("reading").filter(half="reported", share=share)["ratio"]
    assert len(ratios) == 15
    assert np.exp(np.log(ratios.to_numpy()).mean()) <= 0.8
    assert (ratios < 1).mean() >= 0.75
    assert ratios.max() <= 1.3


@pytest.mark.parametrize("share", [0.8, 0.95])
def test_meanings_read_less_than_words_alone(share):
    reported = table("reading").filter(half="reported", share=share)
    both = np.log((reported["imbtext"] / reported["words_alone"]).to_numpy())
    assert np.exp(both.mean()) < 0.95


def test_one_promise_of_recall_in_twenty_may_be_broken():
    reviews = table("stopping")
    assert reviews.group_by("task").len()["len"].to_list() == [20] * 30
    for target in (0.95, 0.8):
        for some in (reviews, reviews.filter(half="reported")):
            assert (some[f"recall_{target:g}"] >= target - 1e-4).mean() >= 0.95


def test_the_limit_of_what_is_left_holds_at_every_moment():
    reviews = table("stopping")
    for moment in ("0.1", "0.25", "0.5", "stop"):
        assert (reviews[f"upper_{moment}"] >= reviews[f"left_{moment}"]).mean() >= 0.95


def test_the_assumption_keeps_both_promises_on_the_development_half():
    from imbtext.labelling._remaining import READINESS

    kept = table("readiness").filter(pl.min_horizontal("kept_0.95", "kept_0.8") >= 0.975)
    assert kept["readiness"].max() >= READINESS


def test_intervals_of_recall_hold():
    models = table("expecting")
    held = models["recall_on_new"].is_between(
        models["recall_lower"] - 1e-3, models["recall_upper"] + 1e-3
    )
    assert held.mean() >= 0.93
    assert models["n_class"].min() >= 100


def test_a_label_takes_less_than_a_tenth_of_a_second():
    speed = table("speed").row(0, named=True)
    assert speed["n"] == 100_000
    assert speed["n_labels"] >= 1000
    for name in ("ms_after_a_find", "ms_after_another", "ms_most"):
        assert speed[name] < 100
        assert speed[f"dense_{name}"] < 100


def test_words_find_the_first_document_sooner():
    tasks = table("starting")
    assert tasks["first_by_words"].median() < tasks["first_in_file_order"].median() / 4
