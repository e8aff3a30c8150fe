"""``imbtext mislabelled`` writes what the function finds, as a table to correct."""

import csv
import subprocess
import sys

from imbtext import mislabelled

PLACES = ["Paris", "Rome", "Oslo", "Bern", "Kyiv", "Riga", "Bonn", "Lima", "Cairo", "Delhi", "Graz"]
WORDS = {"oil": "crude oil price in", "rain": "heavy rain over", "wine": "red wine from"}
ROWS = [
    [f"T{label}{place}", f"{words} {place}", label]
    for label, words in WORDS.items()
    for place in PLACES
]
ROWS[2][2] = "wine"


def run(tmp_path, *arguments):
    path = tmp_path / "train.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["ticket", "body", "topic"], *ROWS])
    command = [sys.executable, "-m", "imbtext", "mislabelled", str(path), "--text", "body"]
    command += ["--label", "topic", "-o", str(tmp_path / "doubts.csv"), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)
    rows = []
    if (tmp_path / "doubts.csv").exists():
        with (tmp_path / "doubts.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
    return result, rows


def test_writes_what_the_function_finds(tmp_path):
    result, rows = run(tmp_path, "--top", "3")
    assert result.returncode == 0, result.stderr
    texts, labels = [row[1] for row in ROWS], [row[2] for row in ROWS]
    expected = mislabelled(texts, labels, top=3, random_state=0)
    assert [int(row["line"]) for row in rows] == [doubt.row + 2 for doubt in expected]
    assert [row["suggested"] for row in rows] == [doubt.suggested for doubt in expected]
    assert rows[0]["line"] == "4"
    assert rows[0]["label"] == "wine"
    assert rows[0]["text"] == "crude oil price in Oslo"
    assert rows[0]["words_for"] == ", ".join(expected[0].words_for)
    assert "of 33 labels seem to be wrong" in result.stderr


def test_names_documents_by_their_ids_and_doubts_one_class(tmp_path):
    result, rows = run(tmp_path, "--id", "ticket", "--class", "oil", "--top", "1", "--quiet")
    assert result.returncode == 0, result.stderr
    (row,) = rows
    assert (row["id"], row["label"], row["suggested"]) == ("ToilOslo", "wine", "oil")
    assert result.stderr == ""


def test_columns_beside_the_text_are_read(tmp_path):
    result, rows = run(tmp_path, "--also", "ticket", "--top", "2")
    assert result.returncode == 0, result.stderr
    assert len(rows) == 2


def test_a_mistake_is_one_line(tmp_path):
    result, rows = run(tmp_path, "--id", "tickt")
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert "tickt" in result.stderr
    assert rows == []
