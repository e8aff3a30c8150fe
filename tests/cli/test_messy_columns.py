"""Messy tables with columns beside the text: each command gives a result or one clear line."""

import numpy as np
import polars as pl
import pytest

from imbtext import RareTextClassifier

WORDS = ["über", "preis", "lager", "straße", "gerät", "kunde", "bitte", "heute", "müll", "öl"]
TEXT = ("--text", "betreff", "--text", "text")
GIVEN = (*TEXT, "--label", "label", "--class", "ja", "--language", "german")
LAYOUT = ("--delimiter", ";", "--encoding", "cp1252")
COLUMNS = ("betrag", "betrag_us", "datum", "land", "gemischt", "leer")


@pytest.fixture(scope="module")
def table():
    """Missing cells, three ways to write a date, thousands, mixed types, copies and a leak."""
    rng = np.random.default_rng(0)
    n, days = 300, rng.integers(0, 365, 300)
    is_class = np.arange(n) % 12 == 0
    dates = [np.datetime64("2023-01-01") + np.timedelta64(day, "D") for day in days]
    moments = [date.astype(object) for date in dates]
    ways = ("%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y")
    amounts = np.exp(rng.normal(np.where(is_class, 9, 7), 0.5))
    us = [f"{amount:,.2f}" for amount in amounts]
    german = [text.translate(str.maketrans(",.", ".,")) for text in us]
    frame = pl.DataFrame(
        {
            "betreff": [" ".join(rng.choice(WORDS, 3)) for _ in range(n)],
            "text": [" ".join(rng.choice(WORDS, 5)) if i % 9 else None for i in range(n)],
            "betrag": [f"{one} €" if i % 10 else "n/a" for i, one in enumerate(german)],
            "betrag_us": us,
            "datum": [moment.strftime(ways[i % 3]) for i, moment in enumerate(moments)],
            "land": [("de", "DE ", "fr", "", "?")[i] for i in rng.integers(0, 5, n)],
            "gemischt": [("7", "sieben", "7.0", "TRUE", "", "3,5")[i % 6] for i in range(n)],
            "leer": [None] * n,
            "status": ["zu" if c else "offen" for c in is_class],
            "label": ["ja" if c else "nein" for c in is_class],
        }
    ).with_columns(pl.col("leer").cast(pl.String))
    return pl.concat([frame, frame[:40]])


@pytest.fixture(scope="module")
def source(table, tmp_path_factory):
    path = tmp_path_factory.mktemp("messy") / "t.csv"
    path.write_bytes(table.write_csv(separator=";").encode("cp1252"))
    return path


def also(*names):
    return [word for name in names for word in ("--also", name)]


@pytest.fixture(scope="module")
def model(table, source):
    model = RareTextClassifier(
        text=["betreff", "text"], columns=list(COLUMNS), language="german", random_state=0
    )
    model.fit(table, table["label"]).save(source.parent / "m.model")
    return source.parent / "m.model"


def test_training_on_it_and_what_the_file_is_is_said(source, model, tmp_path, run_command):
    ran = run_command("train", source, *GIVEN, *also(*COLUMNS), "-o", tmp_path / "n.model")
    assert ran.code == 0, ran.err
    assert "is read with ';' between its cells and as cp1252, for it is not UTF-8" in ran.err
    options = (*also(*COLUMNS), *LAYOUT, "-o", tmp_path / "m.model")
    ran = run_command("train", source, *GIVEN, *options)
    assert ran.code == 0, ran.err
    loaded = RareTextClassifier.load(tmp_path / "m.model")
    kinds = {c.reader.name: c.reader for c in loaded.fitted_.features.sources[-1].columns}
    assert kinds["betrag"].kind == kinds["betrag_us"].kind == "number"
    assert (kinds["betrag"].comma, kinds["betrag_us"].comma) == ("decimal", "thousands")


def test_numbers_mean_the_same_in_either_spelling_when_read_again(table, model):
    loaded = RareTextClassifier.load(model)
    readers = {c.reader.name: c.reader for c in loaded.fitted_.features.sources[-1].columns}
    german, us = (readers[name].numbers(table[name]) for name in ("betrag", "betrag_us"))
    known = ~np.isnan(german)
    assert known.sum() > 300
    np.testing.assert_allclose(german[known], us[known])
    # One row alone does not say what its comma means; the model remembers.
    assert readers["betrag_us"].numbers(pl.Series(["1,234"])).tolist() == [1234]
    assert readers["betrag"].numbers(pl.Series(["1,234"])).tolist() == [1.234]


def test_predicting_and_checking(table, source, model, tmp_path, run_command):
    out = tmp_path / "out.csv"
    ran = run_command("predict", model, source, *LAYOUT, "-o", out, "--explain", "--top", 12)
    assert ran.code == 0, ran.err
    scored = pl.read_csv(out, separator=";", infer_schema=False)
    assert set(scored["label"]) == {"ja"}
    assert "betrag" in scored["words_for"][0]
    wrong = ("--delimiter", ",", "--encoding", "cp1252")
    ran = run_command("predict", model, source, *wrong, "-o", out)
    assert (ran.code, len(ran.err.strip().splitlines())) == (2, 1)
    ran = run_command("check", model, source, *LAYOUT, "--label", "label")
    assert ran.code in (0, 1), ran.err  # the documents it was trained on are no new ones
    assert len(ran.out.strip().splitlines()) == 2  # its judgement, and how many are of the class


def test_a_leak_is_named_by_train_and_compare(source, tmp_path, run_command):
    ran = run_command(
        "train", source, *GIVEN, "--also", "status", *LAYOUT, "-o", tmp_path / "m.model"
    )
    assert ran.code == 0, ran.err
    assert "the column 'status' predicts the class almost alone" in ran.err
    few = ("--methods", "rare", "--folds", "2", "--repeats", "1")
    ran = run_command("compare", source, *GIVEN, *also("status", "land"), *LAYOUT, *few)
    assert ran.code == 0, ran.err
    assert "the column 'status' predicts the class almost" in " ".join(ran.out.split())


def test_times_written_in_several_ways_are_one_line(source, tmp_path, run_command):
    arguments = (*LAYOUT, "--time", "datum", "-o", tmp_path / "m.model")
    ran = run_command("train", source, *GIVEN, *arguments)
    assert (ran.code, len(ran.err.strip().splitlines())) == (2, 1), ran.err
    assert "the column 'datum' writes times in several ways, such as '2023-" in ran.err
