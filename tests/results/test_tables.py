"""What is said of real tables, as statements about the committed numbers."""

from pathlib import Path

import polars as pl
import pytest

HERE = Path(__file__).parents[2] / "results" / "tables"
MEASURES = ["average precision", "F1", "F2"]
GUIDE = HERE.parents[1] / "docs" / "guides" / "several_columns.md"


@pytest.fixture(scope="module")
def frame():
    return pl.read_csv(HERE / "tables.csv")


@pytest.fixture(scope="module")
def wide(frame):
    return frame.pivot(on="method", index=["table", "class"], values="average precision")


def test_each_of_two_tables_has_several_rare_classes(wide):
    assert wide.group_by("table").len()["len"].to_list() == [5, 5]


def test_text_and_columns_are_ahead_of_each_on_average(frame):
    means = frame.group_by("method").agg(pl.col(MEASURES).mean())
    ours = means.filter(method="text and columns")
    for measure in MEASURES:
        assert ours[measure].item() == means[measure].max()
        others = means.filter(pl.col("method") != "text and columns")[measure].max()
        assert ours[measure].item() > others


def test_no_class_loses_by_columns(wide):
    assert (wide["text and columns"] - wide["text alone"]).min() >= -0.01


def test_no_class_is_found_better_by_what_one_would_otherwise_take(wide):
    others = wide.select(pl.max_horizontal("TableVectorizer + boosting", "tf-idf + logistic"))
    assert (wide["text and columns"] > others.to_series()).all()


def test_the_readme_and_the_guide_have_these_numbers(frame):
    text, guide = (HERE / "README.md").read_text(), " ".join(GUIDE.read_text().split())
    means = dict(frame.group_by("method").agg(pl.col("average precision").mean()).rows())
    for mean in means.values():
        assert f"| {mean:.3f} |" in text
        assert f"{mean:.3f}".removeprefix("0") in guide
