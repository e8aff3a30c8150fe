"""Tables as companies have them: each gives a model, or one line that says what to do."""

import json

import numpy as np
import pytest

from imbtext import RareTextClassifier

GENERATOR = np.random.default_rng(0)
WORDS = ["über", "preis", "lager", "straße", "gerät", "kunde", "bitte", "heute", "müll", "öl"]
ROWS = [
    (
        " ".join([*GENERATOR.choice(WORDS, 5), "betrug" if i % 12 == 0 else ""]),
        "ja" if i % 12 == 0 else "nein",
        f"{1 + i % 28:02}.{1 + i % 12:02}.2023",
    )
    for i in range(240)
]


def csv(rows, separator=",", header=("text", "label", "day")):
    return "\n".join([separator.join(header), *(separator.join(row) for row in rows)]) + "\n"


def changed(**at):
    """Return the rows with some cells changed, by the number of their row."""
    rows = [list(row) for row in ROWS]
    for cell, (number, value) in at.items():
        rows[number][("text", "label", "day").index(cell)] = value
    return rows


@pytest.fixture
def trained(run_command, tmp_path):
    def train(content, *options, name="t.csv", encoding="utf-8"):
        (tmp_path / name).write_bytes(content.encode(encoding))
        arguments = ("--text", "text", "--label", "label", *options, "-o", tmp_path / "m.model")
        ran = run_command("train", tmp_path / name, *arguments)
        if ran.code == 0:
            assert RareTextClassifier.load(tmp_path / "m.model").classes_.tolist() == ["ja", "nein"]
        else:
            assert (ran.code, len(ran.err.strip().splitlines())) == (2, 1), ran.err
        return ran

    return train


def test_semicolons(trained):
    ran = trained(csv(ROWS, ";"))
    assert ran.code == 0
    assert "is read with ';' between its cells; an option overrules it" in ran.err
    ran = trained(csv(ROWS, ";"), "--delimiter", ",")
    assert ran.code == 2
    assert "--delimiter ';'" in ran.err
    ran = trained(csv(ROWS, ";"), "--delimiter", ";")
    assert (ran.code, "overrules" in ran.err) == (0, False)


def test_the_line_that_tells_excel_what_separates_cells(trained):
    for_excel = "sep=;\n" + csv(ROWS, ";")
    assert trained(for_excel).code == 0
    ran = trained(for_excel, "--delimiter", ",")
    assert "reads as the single column 'text;label;day'" in ran.err
    assert "--delimiter ';'" in ran.err
    assert trained(for_excel, "--delimiter", ";", encoding="utf-8-sig").code == 0
    # Lines are still those of the file.
    ran = trained("sep=,\n" + csv(changed(day=(4, ""))), "--time", "day")
    assert "line 7 of" in ran.err


def test_lists_and_records_beside_the_text(trained):
    lines = [
        {"text": text, "label": label, "tags": ["a"], "by": {"id": 3}, "n": len(text)}
        for text, label, _ in ROWS
    ]
    ran = trained("\n".join(map(json.dumps, lines)), "--also", "all", name="t.jsonl")
    assert ran.code == 0, ran.err
    assert "left out 'tags', 'by': lists and records cannot stand beside the text" in ran.err
    options = ("--also", "tags", "--language", "german")
    ran = trained("\n".join(map(json.dumps, lines)), *options, name="t.jsonl")
    assert "column 'tags' holds list(string) values" in ran.err


def test_cp1252(trained):
    ran = trained(csv(ROWS), encoding="cp1252")
    assert ran.code == 0
    assert "is read as cp1252, for it is not UTF-8" in ran.err
    ran = trained(csv(ROWS), "--encoding", "utf-8", encoding="cp1252")
    assert ran.code == 2
    assert "--encoding cp1252" in ran.err
    assert trained(csv(ROWS), "--encoding", "cp1252", encoding="cp1252").code == 0


def test_semicolons_in_cp1252_with_german_dates(trained):
    options = ("--delimiter", ";", "--encoding", "cp1252", "--time", "day")
    ran = trained(csv(ROWS, ";"), *options, encoding="cp1252")
    assert ran.code == 0, ran.err
    assert "periods from 2023-" in ran.out


def test_missing_cells(trained):
    ran = trained(csv(changed(text=(3, ""), label=(7, ""))))
    assert ran.code == 0
    assert "1 of 240 rows" in ran.err
    assert "1 of 239 texts" in ran.err  # of those that are learnt from


def test_a_missing_time(trained):
    ran = trained(csv(changed(day=(4, ""))), "--time", "day")
    assert "line 6 of" in ran.err
    assert "has no time in column 'day'" in ran.err


def test_duplicated_rows(trained):
    once, thrice = trained(csv(ROWS)), trained(csv(ROWS * 3))
    assert once.code == thrice.code == 0
    # Copies are held out together, so they promise no more than the rows once.
    assert "Learnt from 720 documents" in thrice.out


def test_a_date_among_words(trained):
    ran = trained(csv(changed(day=(9, "gestern"))), "--time", "day")
    assert "'gestern', which cannot be read as a time" in ran.err


def test_mixed_types_of_json_lines(trained):
    lines = [{"text": text, "label": label} for text, label, _ in ROWS]
    numbers = [*lines[:5], {"text": "preis", "label": 1}, *lines[5:]]
    ran = trained("\n".join(map(json.dumps, numbers)), name="t.jsonl")
    assert "mixes strings and numbers: line 6" in ran.err
    lists = [*lines[:5], {"text": ["preis"], "label": "ja"}, *lines[5:]]
    ran = trained("\n".join(map(json.dumps, lists)), name="t.jsonl")
    assert "texts must be strings" in ran.err
    gaps = [*lines[:5], {"text": None, "label": "ja"}, {"label": "nein"}, *lines[5:]]
    assert trained("\n".join(map(json.dumps, gaps)), name="t.jsonl").code == 0


def test_a_row_with_a_cell_too_many(trained):
    ran = trained(csv(ROWS) + "preis,ja,01.01.2023,too many\n")
    assert ran.code == 2
    assert "242" in ran.err
