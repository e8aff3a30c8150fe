"""What the README says of weights and similarity, tested on the committed run."""

from pathlib import Path

import polars as pl
import pytest

from imbtext.reproduction.variants import VARIANTS, variants_summary

RESULTS = Path(__file__).resolve().parent
ROW = ["dataset", "text", "frequency", "ratio"]
README = (RESULTS / "README.md").read_text()


@pytest.fixture(scope="module")
def table():
    return pl.read_csv(RESULTS / "variants.csv")


def wide(table, metric):
    return table.filter(metric=metric).pivot("method", index=ROW, values="value")


def test_the_table_is_that_of_the_run(table):
    shown = [line.strip("|").split("|") for line in README.splitlines() if line.startswith("| ")]
    tuned = "SVM, threshold tuned for the measure"
    columns = [
        (text, metric)
        for text in ("titles", "full")
        for metric in ("balanced_accuracy", "f1", "f2", "average_precision")
    ]
    row = {"frequency": "very_low", "ratio": 0.2, "dataset": "reuters"}
    checked = 0
    for name, *cells in shown[1:]:
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
    assert checked == 70


def test_weights_gain_average_precision_everywhere_and_lose_balanced_accuracy(table):
    for variant, plain in list(VARIANTS.items())[:2]:
        precision, accuracy = (wide(table, m) for m in ("average_precision", "balanced_accuracy"))
        assert (precision[variant] > precision[plain]).all()
        assert (accuracy[variant] < accuracy[plain]).all()


def test_the_sentences_are_those_of_the_command(table):
    compared = pl.read_csv(RESULTS / "variants_comparisons.csv")
    tables = (RESULTS / "variants.md").read_text()
    for said in variants_summary(table, compared):
        assert said in tables
        for number in ("+.072", "+.050", "-.048", "-.044", "+.043", "+.035"):
            assert (number in said) <= (number in README)


def test_a_tuned_threshold_is_ahead(table):
    for metric, rows in (("balanced_accuracy", 10), ("f2", 10), ("f1", 9)):
        values = wide(table, metric)
        best = values.select(pl.max_horizontal(["MCO", "EMCO(1)", "EMCO(0.1)", *VARIANTS]))
        assert (values[f"threshold({metric})"] > best.to_series()).sum() == rows
    values = wide(table, "average_precision")
    lead = values.select(pl.max_horizontal([*VARIANTS]) - pl.col("SVM")).to_series()
    assert (lead < 0).sum() == 6
    assert lead.max() < 0.0035
