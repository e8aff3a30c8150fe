"""The paper's findings on the LSTM, tested as statements on the committed runs."""

from pathlib import Path

import polars as pl
import pytest

RESULTS = Path(__file__).parents[2] / "results" / "lstm"


@pytest.fixture(scope="module")
def table():
    return pl.read_csv(RESULTS / "lstm.csv")


@pytest.fixture(scope="module")
def compared():
    return pl.read_csv(RESULTS / "lstm_comparisons.csv")


def cell(frame, metric, frequency, method, ratio, **more):
    at_ratio = pl.col("ratio").is_null() if ratio is None else pl.col("ratio") == ratio
    found = frame.filter(
        at_ratio,
        metric=metric,
        frequency=frequency,
        method=method,
        **more,
    )
    assert found.height == 1
    return found.row(0, named=True)


def test_the_whole_table_is_there(table):
    assert table.filter(pl.col("published").is_not_null()).height == 60
    assert table["n_repetitions"].unique().to_list() == [5]
    counts = table.group_by("frequency").agg(pl.col("n_categories").unique()).rows()
    assert dict(counts) == {"very_low": [76], "low": [12]}


@pytest.mark.parametrize("frequency", ["very_low", "low"])
@pytest.mark.parametrize("ratio", [0.1, 0.2])
@pytest.mark.parametrize("method", ["EDA", "EMCO"])
def test_oversampling_raises_balanced_accuracy(table, compared, frequency, ratio, method):
    plain = cell(table, "balanced_accuracy", frequency, "LSTM", None)
    with_sampler = cell(table, "balanced_accuracy", frequency, method, ratio)
    assert with_sampler["seeds_lower"] > plain["seeds_upper"]
    paired = cell(compared, "balanced_accuracy", frequency, method, ratio, reference="LSTM")
    assert paired["wins"] > paired["losses"]
    assert paired["p_holm"] < 0.01


@pytest.mark.parametrize("ratio", [0.1, 0.2])
def test_emco_finds_more_of_the_rarest_and_pays_in_precision(table, ratio):
    emco = {m: cell(table, m, "very_low", "EMCO", ratio) for m in ("recall", "tnr", "precision")}
    eda = {m: cell(table, m, "very_low", "EDA", ratio) for m in ("recall", "tnr", "precision")}
    assert emco["recall"]["value"] > eda["recall"]["value"]
    assert emco["precision"]["value"] < eda["precision"]["value"]
    assert emco["tnr"]["value"] > 0.98


def test_where_oversampling_is_used_the_published_levels_are_met(table):
    """The embedding is another one, yet recall and balanced accuracy are the paper's."""
    oversampled = table.filter(
        pl.col("metric").is_in(["balanced_accuracy", "recall", "tnr"])
        & pl.col("ratio").is_not_null()
    )
    assert oversampled["difference"].abs().mean() < 0.02
    assert oversampled["difference"].abs().max() < 0.04


def test_the_tables_for_people_hold_the_same_numbers(table):
    text = (RESULTS / "lstm.md").read_text(encoding="utf-8")
    readme = (RESULTS / "README.md").read_text(encoding="utf-8")
    assert "Our set-up, not the paper's" in text
    assert "embedding:glove.6B.50d(50)" in text
    for row in table.filter(pl.col("metric") == "balanced_accuracy").iter_rows(named=True):
        name = row["method"] if row["ratio"] is None else f"{row['method']}, {row['ratio']:.0%}"
        value = f"{row['value']:.3f}"
        assert f"| {name} | {value} (" in text
        assert value in readme


@pytest.fixture(scope="module")
def vectors():
    return pl.read_csv(RESULTS / "vectors.csv")


def of(frame, name, frequency):
    return frame.row(
        by_predicate=(pl.col("vectors") == name) & (pl.col("frequency") == frequency), named=True
    )


@pytest.mark.parametrize(("frequency", "published"), [("very low", 0.603), ("low", 0.797)])
def test_more_dimensions_bring_the_plain_network_to_the_published_row(
    vectors, frequency, published
):
    found = [of(vectors, f"own-{n}", frequency)["balanced_accuracy"] for n in (50, 100, 300)]
    assert found == sorted(found)
    assert found[2] == pytest.approx(published, abs=0.015)
    glove = of(vectors, "glove-50", frequency)["balanced_accuracy"]
    assert glove < published - 0.04
    longer = of(vectors, "glove-50 ten epochs", frequency)["balanced_accuracy"]
    assert longer == pytest.approx(published, abs=0.015)
    padded = of(vectors, "glove-50 padded in front", frequency)["balanced_accuracy"]
    assert padded == pytest.approx(glove, abs=0.002)


def test_probabilities_of_the_class_pass_a_half_more_often_with_more_dimensions():
    chances = pl.read_csv(RESULTS / "probabilities.csv")
    above = [
        of(chances, name, "very low")["class_above_half"]
        for name in ("own-50", "glove-50", "own-100", "own-300")
    ]
    assert above == sorted(above)
