"""``imbtext label``: the terminal, its options, and a file that ``imbtext train`` takes."""

import csv
import io

import pytest

TEXTS = [f"oil price {word}" for word in ("up", "down", "flat", "crude", "cut", "rise")] * 2
TEXTS += [f"rain {word} today" for word in ("more", "less", "light", "heavy", "cold", "warm")] * 4


@pytest.fixture
def pool(tmp_path):
    path = tmp_path / "pool.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["body"], *([text] for text in TEXTS)])
    return path


def label(run_command, monkeypatch, pool, lines, *options):
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    out = pool.with_name("labels.csv")
    return run_command("label", pool, "--text", "body", "-o", out, "--terminal", *options)


def test_labels_given_in_the_terminal_train_a_model(run_command, monkeypatch, pool):
    words = ("--words", "oil")
    ran = label(run_command, monkeypatch, pool, ["y", "e sure", "y", "n", "z", "p", "q"], *words)
    assert ran.code == 0, ran.err
    assert "2 documents read, 2 found" in ran.out
    ran = label(run_command, monkeypatch, pool, ["y"] * 10 + ["n"] * 24, *words)
    assert "2 documents are read already, 2 found." in ran.out
    assert "There is nothing left to read." in ran.out
    labels = pool.with_name("labels.csv")
    with labels.open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(TEXTS)
    assert [line["note"] for line in lines[:2]] == ["", "sure"]
    model = pool.with_name("oil.model")
    columns = ("--text", "body", "--label", "label")
    assert run_command("train", labels, *columns, "-o", model).code == 0
    assert model.exists()


def test_mistakes_are_one_line(run_command, monkeypatch, pool):
    classes = ("--class", "oil", "--class", "rain")
    ran = label(run_command, monkeypatch, pool, [], *classes, "--words", "oil")
    assert ran.code == 2
    assert "say which one is meant" in ran.err
    ran = label(run_command, monkeypatch, pool, [], "--class", "unsure")
    assert ran.code == 2
    assert ran.err.count("\n") == 1
