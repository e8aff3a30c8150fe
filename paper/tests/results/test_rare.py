"""What is said of the rare classifier, as statements about the committed numbers."""

from pathlib import Path

import polars as pl
import pytest

RESULTS = Path(__file__).parents[2] / "results" / "rare"
ROW = ["metric", "dataset", "text", "frequency", "ratio"]
PAPER = "rare(paper's words)"


@pytest.fixture(scope="module")
def table():
    return pl.read_csv(RESULTS / "rare.csv")


@pytest.fixture(scope="module")
def wide(table):
    return table.pivot("method", index=[*ROW, "best_published"], values="value")


def test_all_rows_are_there(wide):
    counts = dict(wide.group_by("metric").len().rows())
    assert counts == dict.fromkeys(("balanced_accuracy", "f1", "f2", "average_precision"), 22)
    assert wide["rare"].null_count() == wide[PAPER].null_count() == 0


def test_own_features_reach_the_best_published_cell_in_all_66(wide):
    cells = wide.filter(pl.col("best_published").is_not_null())
    assert cells.height == 66
    assert (cells["rare"] >= cells["best_published"]).all()


def test_the_papers_words_reach_it_too_and_a_tuned_threshold_in_57(wide):
    cells = wide.filter(pl.col("best_published").is_not_null())
    assert (cells[PAPER] >= cells["best_published"]).all()
    assert (cells["tuned threshold"] >= cells["best_published"]).sum() == 57


def test_the_ranking_is_better_than_plain_svms_on_every_row(wide):
    gains = wide.filter(metric="average_precision").select(pl.col("rare") - pl.col("SVM"))
    assert gains.to_series().min() > 0
    assert gains.to_series().mean() > 0.05
    gains = wide.filter(metric="average_precision").select(pl.col(PAPER) - pl.col("SVM"))
    assert gains.to_series().min() > 0


def test_it_is_ahead_of_the_tuned_threshold_on_every_row(wide):
    cells = wide.filter(pl.col("tuned threshold").is_not_null())
    assert cells.height == 66
    assert (cells["rare"] > cells["tuned threshold"]).all()
    gains = cells.group_by("metric").agg((pl.col("rare") - pl.col("tuned threshold")).mean())
    rounded = {metric: round(gain, 3) for metric, gain in gains.rows()}
    assert rounded == {"balanced_accuracy": 0.040, "f1": 0.042, "f2": 0.053}


def test_where_it_loses():
    tests = pl.read_csv(RESULTS / "rare_comparisons.csv").filter(method="rare")
    at_20 = tests.filter(reference="tuned threshold", ratio=0.2)
    lost = dict(at_20.group_by("metric").agg(pl.col("losses").sum()).rows())
    assert lost == {"balanced_accuracy": 64, "f1": 52, "f2": 44}
    f1 = tests.filter(metric="f1")
    not_sure = f1.filter(pl.col("p_holm") >= 0.05).group_by("reference").len()
    assert dict(not_sure.rows()) == {"tuned threshold": 6}
    assert tests.filter((pl.col("p_holm") < 0.05) & (pl.col("mean_difference") < 0)).is_empty()
