"""``imbtext mislabelled`` writes what the function finds, as a table to correct."""

import csv

import pytest

from imbtext import mislabelled

PLACES = ["Paris", "Rome", "Oslo", "Bern", "Kyiv", "Riga", "Bonn", "Lima", "Cairo", "Delhi", "Graz"]
WORDS = {"oil": "crude oil price in", "rain": "heavy rain over", "wine": "red wine from"}
ROWS = [
    [f"T{label}{place}", f"{words} {place}", label]
    for label, words in WORDS.items()
    for place in PLACES
]
ROWS[2][2] = "wine"


@pytest.fixture
def run(run_command, tmp_path):
    """Run the command; return what it said and the rows that it wrote."""
    table, doubts = tmp_path / "train.csv", tmp_path / "doubts.csv"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows([["ticket", "body", "topic"], *ROWS])

    def ran(*arguments):
        options = ["--text", "body", "--label", "topic", "-o", doubts, *arguments]
        result = run_command("mislabelled", table, *options)
        rows = []
        if doubts.exists():
            with doubts.open(newline="") as file:
                rows = list(csv.DictReader(file))
        return result, rows

    return ran


def test_writes_what_the_function_finds(run):
    result, rows = run("--top", "3")
    assert result.code == 0, result.err
    texts, labels = [row[1] for row in ROWS], [row[2] for row in ROWS]
    expected = mislabelled(texts, labels, top=3, random_state=0)
    assert [int(row["line"]) for row in rows] == [doubt.row + 2 for doubt in expected]
    assert [row["suggested"] for row in rows] == [doubt.suggested for doubt in expected]
    assert rows[0]["line"] == "4"
    assert rows[0]["label"] == "wine"
    assert rows[0]["text"] == "crude oil price in Oslo"
    assert rows[0]["words_for"] == ", ".join(expected[0].words_for)
    assert "Judged 33 of 33 labels; 1 seems to be wrong" in result.err


def test_names_documents_by_their_ids_and_doubts_one_class(run):
    result, rows = run("--id", "ticket", "--class", "oil", "--top", "1", "--quiet")
    assert result.code == 0, result.err
    (row,) = rows
    assert (row["id"], row["label"], row["suggested"]) == ("ToilOslo", "wine", "oil")
    assert result.err == ""


def test_columns_beside_the_text_are_read(run):
    result, rows = run("--also", "ticket", "--top", "2")
    assert result.code == 0, result.err
    assert len(rows) == 2


def test_a_mistake_is_one_line(run):
    result, rows = run("--id", "tickt")
    assert result.code == 2
    assert result.err.count("\n") == 1
    assert "tickt" in result.err
    assert rows == []
