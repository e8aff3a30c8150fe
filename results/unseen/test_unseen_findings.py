"""What is said of the data sets beyond the paper's, as statements about the committed numbers."""

from pathlib import Path

import polars as pl
import pytest

RARE = "RareTextClassifier"


@pytest.fixture(scope="module")
def means():
    trials = pl.read_csv(Path(__file__).parent / "unseen.csv")
    return trials.group_by("dataset", "contestant").agg(
        pl.col("average_precision", "f1", "f2").mean()
    )


@pytest.mark.parametrize(("measure", "n"), [("average_precision", 15), ("f1", 11), ("f2", 14)])
def test_on_how_many_of_sixteen_sets_nothing_is_better(means, measure, n):
    best = means.filter(pl.col("contestant") != RARE).group_by("dataset").agg(pl.col(measure).max())
    ours = means.filter(contestant=RARE).join(best, on="dataset", suffix="_of_others")
    assert ours.height == 16
    assert (ours[measure] >= ours[f"{measure}_of_others"]).sum() == n


def test_it_loses_on_changelog_entries_in_every_measure(means):
    changes = means.filter(dataset="changes")
    for measure in ("average_precision", "f1", "f2"):
        ours = changes.filter(contestant=RARE)[measure].item()
        assert ours < changes[measure].max()
