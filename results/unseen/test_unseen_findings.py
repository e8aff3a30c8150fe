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


@pytest.mark.parametrize(("measure", "n"), [("average_precision", 16), ("f1", 12), ("f2", 13)])
def test_on_how_many_of_sixteen_sets_nothing_is_better(means, measure, n):
    best = means.filter(pl.col("contestant") != RARE).group_by("dataset").agg(pl.col(measure).max())
    ours = means.filter(contestant=RARE).join(best, on="dataset", suffix="_of_others")
    assert ours.height == 16
    assert (ours[measure] >= ours[f"{measure}_of_others"]).sum() == n


@pytest.mark.parametrize(
    "dataset", ["changes", "conversations by topic", "Debian packages, noisy labels"]
)
def test_where_it_loses_f2(means, dataset):
    of_set = means.filter(dataset=dataset)
    assert of_set.filter(contestant=RARE)["f2"].item() < of_set["f2"].max()
