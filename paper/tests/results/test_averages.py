"""The paper's findings, as statements about the results that were computed here."""

from pathlib import Path

import polars as pl
import pytest

RESULTS = Path(__file__).parents[2] / "results"
ROW = ["dataset", "text", "frequency", "ratio"]
EMCO = ["EMCO(1)", "EMCO(0.1)"]
GENERAL = ["ADASYN", "ROS", "SMOTE"]


@pytest.fixture(scope="module")
def cells():
    return pl.read_csv(RESULTS / "tables.csv")


@pytest.fixture(scope="module")
def wide(cells):
    def of(metric, **conditions):
        part = cells.filter(metric=metric, **conditions)
        return part.pivot("method", index=ROW, values="value")

    return of


def test_every_published_cell_has_ours_and_dro_is_there_on_the_whole_huffpost_set(cells):
    assert cells.height == 1_320
    assert cells["value"].null_count() == 0
    assert cells["published"].null_count() == 24
    unpublished = cells.filter(pl.col("published").is_null())
    assert set(unpublished["method"]) == {"DRO"}


def test_the_cells_are_as_close_as_promised(cells):
    apart = cells["difference"].drop_nulls().abs()
    assert apart.mean() <= 0.005
    assert (apart <= 0.02).mean() >= 0.99


def test_plain_svm_is_the_published_one(cells):
    plain = cells.filter(
        pl.col("method") == "SVM", pl.col("metric").is_in(["balanced_accuracy", "f1", "f2"])
    )
    assert plain["difference"].abs().max() <= 0.002


def test_emco_is_first_in_balanced_accuracy_in_very_low_frequency_categories(wide):
    table = wide("balanced_accuracy", frequency="very_low")
    assert table.height == 10
    others = [name for name in table.columns if name not in [*ROW, *EMCO]]
    best_emco = table.select(pl.max_horizontal(EMCO)).to_series()
    best_other = table.select(pl.max_horizontal(others)).to_series()
    assert (best_emco > best_other).all()


def test_gamma_one_leads_there_but_on_the_whole_huffpost_set(wide):
    table = wide("balanced_accuracy", frequency="very_low").with_columns(
        lead=pl.col("EMCO(1)") - pl.col("EMCO(0.1)")
    )
    whole = table.filter(dataset="huffpost").sort("ratio")["lead"].to_list()
    assert (table.filter(pl.col("dataset") != "huffpost")["lead"] > 0).all()
    # Published: gamma 0.1 leads by .008 at 10%, gamma 1 by .001 at 20%, which is a draw here.
    assert whole[0] < -0.005
    assert abs(whole[1]) < 0.002


def test_emco_has_the_highest_recall_in_very_low_frequency_categories_at_20_percent(wide):
    table = wide("recall", frequency="very_low", ratio=0.2)
    others = [name for name in table.columns if name not in [*ROW, *EMCO]]
    assert (
        table.select(pl.max_horizontal(EMCO)).to_series()
        > table.select(pl.max_horizontal(others)).to_series()
    ).all()


def test_every_method_beats_no_oversampling_in_balanced_accuracy(wide):
    table = wide("balanced_accuracy")
    for method in [name for name in table.columns if name not in [*ROW, "SVM"]]:
        assert (table[method] > table["SVM"]).all(), method


def test_no_oversampling_has_the_highest_true_negative_rate(wide):
    table = wide("tnr")
    for method in [name for name in table.columns if name not in [*ROW, "SVM"]]:
        assert (table[method] < table["SVM"]).all(), method


def test_methods_for_text_beat_general_ones_on_average_in_balanced_accuracy(wide):
    means = wide("balanced_accuracy").drop(ROW).mean().row(0, named=True)
    for method in ["DECOM", "EDA", *EMCO]:
        assert means[method] > max(means[general] for general in GENERAL), method


@pytest.mark.parametrize("metric", ["balanced_accuracy", "f1", "f2", "recall", "precision"])
def test_the_order_of_the_methods_is_the_published_one(cells, metric):
    part = cells.filter(pl.col("metric") == metric, pl.col("published").is_not_null())
    correlations = (
        part.with_columns(
            pl.col("value").rank().over(ROW).alias("ours"),
            pl.col("published").rank().over(ROW).alias("theirs"),
        )
        .group_by(ROW)
        .agg(pl.corr("ours", "theirs").alias("spearman"))
    )
    assert correlations["spearman"].min() > 0.6
    assert correlations["spearman"].mean() > 0.93


def test_the_higher_ratio_raises_emcos_recall_and_balanced_accuracy(wide):
    for metric in ("recall", "balanced_accuracy"):
        low = wide(metric, frequency="very_low", ratio=0.1).sort("dataset", "text")
        high = wide(metric, frequency="very_low", ratio=0.2).sort("dataset", "text")
        for method in EMCO:
            assert (high[method] > low[method]).all()


def test_gamma_trades_precision_and_true_negatives_for_recall():
    data = pl.read_csv(RESULTS / "gamma.csv")
    assert data.height == 24
    for text in ("titles", "full"):
        for metric, rises in (("recall", True), ("tnr", False), ("precision", False)):
            values = data.filter(text=text, metric=metric).sort("gamma")["value"].to_list()
            assert len(values) == 4
            assert values == sorted(values, reverse=not rises), (text, metric)


def test_a_tuned_threshold_on_plain_svm_is_first_in_balanced_accuracy():
    averages = pl.read_csv(RESULTS / "averages.csv").filter(metric="balanced_accuracy")
    table = averages.pivot("method", index=ROW, values="value")
    tuned = "threshold(balanced_accuracy)"
    others = [name for name in table.columns if name not in [*ROW, tuned]]
    assert table.height == 22
    assert table[tuned].null_count() == 0
    assert (table[tuned] > table.select(pl.max_horizontal(others)).to_series()).all()


def test_plain_svm_ranks_best_or_nearly_so():
    averages = pl.read_csv(RESULTS / "averages.csv").filter(metric="average_precision")
    table = averages.pivot("method", index=ROW, values="value")
    best = table.select(pl.max_horizontal(pl.exclude(ROW))).to_series()
    assert (best - table["SVM"]).max() < 0.015
    assert (table["EMCO(1)"] < table["SVM"]).all()


def test_the_dataset_table_matches_the_published_one():
    data = pl.read_csv(RESULTS / "datasets.csv")
    assert data.height == 5
    assert (data["mean_length"] - data["published_mean_length"]).abs().max() < 0.06
    share = data["minority_vocabulary_share"] - data["published_minority_vocabulary_share"]
    assert share.abs().max() < 0.0025
