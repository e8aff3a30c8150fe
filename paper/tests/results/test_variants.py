"""What the README says of weights and similarity, tested on the committed run."""

from pathlib import Path

import polars as pl
import pytest

from paper.variants import VARIANTS, variants_summary

RESULTS = Path(__file__).parents[2] / "results" / "variants"
ROW = ["dataset", "text", "frequency", "ratio"]
MEASURES = ("balanced_accuracy", "f1", "f2", "average_precision")
WEIGHTED = list(VARIANTS)[:2]
README = (RESULTS / "README.md").read_text()


@pytest.fixture(scope="module")
def table():
    return pl.read_csv(RESULTS / "variants.csv")


def wide(table, metric):
    return table.filter(metric=metric).pivot("method", index=ROW, values="value")


def gaps(table, metric, variant, dataset=None):
    values = wide(table if dataset is None else table.filter(dataset=dataset), metric)
    return values[variant] - values[VARIANTS[variant]]


def test_the_tables_are_those_of_the_run(table):
    shown = [line.strip("|").split("|") for line in README.splitlines() if line.startswith("| ")]
    tuned = "SVM, threshold tuned for the measure"
    columns = [(text, metric) for text in ("titles", "full") for metric in MEASURES]
    checked = 0
    for place, (name, *cells) in enumerate(shown):
        if not name.strip():
            continue
        row = {"frequency": "very_low", "ratio": 0.2}
        row["dataset"] = "reuters" if place < len(shown) / 2 else "huffpost-5fold"
        parts = name.strip().replace("plain SVM", "SVM").split("), ")
        method = parts[0]
        if len(parts) == 2:
            method = f"emco{parts[0].removeprefix('EMCO')}, {parts[1].replace(' ', '=')})"
        for (text, metric), cell in zip(columns, cells, strict=True):
            if not cell.strip():
                continue
            found = f"threshold({metric})" if name.strip() == tuned else method
            (value,) = table.filter(metric=metric, text=text, method=found, **row)["value"]
            assert float(cell) == pytest.approx(value, abs=0.00051)
            checked += 1
    assert checked == 140


def test_weights_gain_average_precision_and_lose_balanced_accuracy(table):
    for variant, gained, rows in zip(WEIGHTED, (0.030, 0.025), (17, 18), strict=True):
        precision = gaps(table, "average_precision", variant)
        assert ((precision > 0).sum(), precision.mean()) == (rows, pytest.approx(gained, abs=5e-4))
    for variant, lost in zip(WEIGHTED, (0.077, 0.070), strict=True):
        accuracy = gaps(table, "balanced_accuracy", variant)
        assert (accuracy < 0).all()
        assert accuracy.mean() == pytest.approx(-lost, abs=5e-4)


def test_weights_gain_f1_on_reuters_and_lose_it_on_huffpost(table):
    for variant, gain, loss, f2 in zip(
        WEIGHTED, (0.100, 0.073), (0.075, 0.069), (0.162, 0.151), strict=True
    ):
        reuters, huffpost = (gaps(table, "f1", variant, d) for d in ("reuters", "huffpost-5fold"))
        assert ((reuters > 0).sum(), reuters.mean()) == (8, pytest.approx(gain, abs=5e-4))
        assert ((huffpost < 0).sum(), huffpost.mean()) == (7, pytest.approx(-loss, abs=5e-4))
        lost = gaps(table, "f2", variant, "huffpost-5fold")
        assert (lost < 0).all()
        assert lost.mean() == pytest.approx(-f2, abs=5e-4)
    news = wide(table.filter(dataset="20newsgroups", ratio=0.2), "f1")
    assert news["EMCO(1)"].round(3).to_list() == [0.661]
    assert news[WEIGHTED[0]].round(3).to_list() == [0.621]


def test_the_sentences_are_those_of_the_command(table):
    compared = pl.read_csv(RESULTS / "variants_comparisons.csv")
    tables = (RESULTS / "variants.md").read_text()
    said = variants_summary(table, compared)
    assert all(sentence in tables for sentence in said)
    for part in (
        "balanced accuracy -0.008, ahead in 6 of 18 rows",
        "(by the paired test ahead in 2, behind in 6)",
        "F1 +0.031, ahead in 16 of 18 rows",
        "F2 +0.012, ahead in 14 of 18 rows",
    ):
        assert part in said[2]
    assert "balanced accuracy -0.025" in said[3]
    assert "F1 +0.028" in said[3]
    assert all("behind in 18" in sentence.partition(";")[0] for sentence in said[:2])


def test_a_tuned_threshold_is_ahead_nearly_everywhere(table):
    rivals = ["MCO", "EMCO(1)", "EMCO(0.1)", *VARIANTS]
    for metric, rows, behind in (
        ("balanced_accuracy", 18, 0),
        ("f2", 17, 0.0175),
        ("f1", 15, 0.0045),
    ):
        values = wide(table, metric)
        lead = values[f"threshold({metric})"] - values.select(pl.max_horizontal(rivals)).to_series()
        assert (lead > 0).sum() == rows
        assert lead.min() > -behind
    values = wide(table, "average_precision")
    lead = values.select(pl.max_horizontal([*VARIANTS]) - pl.col("SVM")).to_series()
    assert (lead < 0).sum() == 7
    assert lead.max() < 0.0055
