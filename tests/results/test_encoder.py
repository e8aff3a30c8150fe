"""What results/encoder says of promises holds in its rows."""

from pathlib import Path

import polars as pl
import pytest

HERE = Path(__file__).parents[2] / "results" / "encoder"


@pytest.mark.parametrize("contestant", ["words", "mixture, minilm"])
def test_intervals_of_recall_hold_the_recall_of_many_new_documents(contestant):
    rows = pl.read_csv(HERE / "coverage.csv", schema_overrides={"documents": pl.String})
    # Of these the recall that is seen is nearly the true one.
    many = rows.filter(pl.col("contestant") == contestant, pl.col("n_same") >= 200)
    recall = pl.col("found_same") / pl.col("n_same")
    held = many.with_columns(held=(recall >= pl.col("low")) & (recall <= pl.col("high")))
    assert len(held) > 60
    assert held["held"].mean() >= 0.93
    assert held.filter(documents="all")["held"].all()
