"""``imbtext label``: the terminal, its options, and a file that ``imbtext train`` takes."""

import csv
import io
import json
import os
import subprocess
import sys
import time

import pytest

from imbtext.features import Meaning
from imbtext.labelling import LabellingSession

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
    assert "2 documents are already read, 2 found." in ran.out
    assert "There is nothing left to read." in ran.out
    assert "Train the model: imbtext label" in ran.out
    labels = pool.with_name("labels.csv")
    with labels.open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(TEXTS)
    assert [line["note"] for line in lines[:2]] == ["", "sure"]
    model = pool.with_name("oil.model")
    columns = ("--text", "body", "--label", "label")
    assert run_command("train", labels, *columns, "-o", model).code == 0
    assert model.exists()


def test_everything_is_compiled_before_the_first_document(run_command, monkeypatch, pool):
    """Otherwise the first find would wait for it, after an installation."""
    done = []
    prepare, open_document = LabellingSession.prepare, LabellingSession.open
    monkeypatch.setattr(
        LabellingSession, "prepare", lambda self: (done.append("compile"), prepare(self))
    )
    monkeypatch.setattr(
        LabellingSession,
        "open",
        lambda self, name: (done.append("show"), open_document(self, name))[1],
    )
    assert label(run_command, monkeypatch, pool, ["y", "q"], "--words", "oil").code == 0
    assert done[:2] == ["compile", "show"]


def test_what_would_save_reading_is_said(run_command, monkeypatch, pool):
    advice = "pip install 'imbalanced-text[label]'"
    if Meaning.is_installed():
        assert advice not in label(run_command, monkeypatch, pool, ["q"]).out
    monkeypatch.setattr(Meaning, "is_installed", lambda: False)
    for options, is_said in (((), True), (("--quiet",), False), (("--features", "words"), False)):
        ran = label(run_command, monkeypatch, pool, ["q"], *options)
        assert ran.code == 0, ran.err
        assert (advice in ran.out) == is_said


def test_features_are_kept_for_the_next_time(run_command, monkeypatch, pool):
    features = ("--features", "words")
    assert label(run_command, monkeypatch, pool, ["y", "n", "q"], *features).code == 0
    kept = json.loads(pool.with_name("labels.settings.json").read_text())
    assert kept["features"] == ["words"]
    ran = label(run_command, monkeypatch, pool, ["q"], "--features", "wrds")
    assert ran.code == 2
    assert "did you mean 'words'" in ran.err


def test_mistakes_are_one_line(run_command, monkeypatch, pool):
    classes = ("--class", "oil", "--class", "rain")
    ran = label(run_command, monkeypatch, pool, [], *classes, "--words", "oil")
    assert ran.code == 2
    assert "say which one is meant" in ran.err
    ran = label(run_command, monkeypatch, pool, [], "--class", "unsure")
    assert ran.code == 2
    assert ran.err.count("\n") == 1


def test_the_page_and_the_command_write_the_same_model(run_command, monkeypatch, pool):
    words = ("--words", "oil")
    ran = label(run_command, monkeypatch, pool, ["y"] * 12 + ["n"] * 6 + ["t", "q"], *words)
    page, other = pool.with_name("labels.model"), pool.with_name("other.model")
    assert page.exists(), ran.out
    labels = pool.with_name("labels.csv")
    # The command that ends the session; columns and words are kept.
    ran = run_command("label", pool, "-o", labels, "--train", "--model", other, "--delimiter", ",")
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[-1].endswith("OUT.csv --delimiter ,")
    assert "into the class" in ran.out
    assert other.read_bytes() == page.read_bytes()
    scored = pool.with_name("scored.csv")
    assert run_command("predict", other, pool, "-o", scored).code == 0  # it knows its column


def test_train_on_the_labels_looks_for_the_class_though_no_is_rarer(run_command, monkeypatch, pool):
    label(run_command, monkeypatch, pool, ["y"] * 12 + ["n"] * 5 + ["u", "s"], "--words", "oil")
    labels, model = pool.with_name("labels.csv"), pool.with_name("oil.model")
    columns = ("--text", "body", "--label", "label")
    ran = run_command("train", labels, *columns, "-o", model)
    assert "12 of them yes" in ran.out
    assert "To learn from all documents" in ran.err
    few = ("--methods", "plain,ros", "--repeats", "1", "--share", "0.9")
    ran = run_command("compare", labels, *columns, *few)
    assert ran.code == 0, ran.err
    assert "|class:yes|" in ran.out


def test_several_columns_and_what_is_shown_beside_them(run_command, monkeypatch, pool):
    with pool.open("w", newline="") as file:
        rows = [[f"T{i}", text.split()[0], text, i] for i, text in enumerate(TEXTS)]
        csv.writer(file).writerows([["ticket", "subject", "body", "day"], *rows])
    columns = ("--text", "subject", "--id", "ticket", "--show", "day", "--words", "oil")
    ran = label(run_command, monkeypatch, pool, ["y", "y", "n", "t"], *columns)
    assert "[body]\noil price up\n[subject]\noil\n" in ran.out
    assert "day: 0\n" in ran.out
    labels = pool.with_name("labels.csv")
    assert labels.read_text().startswith("row,ticket,body,subject,day,label,")
    scored = pool.with_name("scored.csv")
    assert run_command("predict", pool.with_name("labels.model"), pool, "-o", scored).code == 0


@pytest.mark.parametrize("letter", ["q", "z", "p", "t", "r", "a", "w", "x", "e", "n", "1", "Z"])
def test_a_class_with_the_name_of_a_command_is_decided_by_its_number(
    run_command, monkeypatch, pool, letter
):
    classes = (
        "--class",
        "oil",
        "--class",
        letter,
        "--words",
        "oil=oil",
        "--words",
        f"{letter}=rain",
    )
    ran = label(run_command, monkeypatch, pool, ["2", letter], *classes)
    assert ran.code == 0, ran.err
    assert f"2: {letter}" in ran.out
    decided = [line["decision"] for line in labels_of(pool)]
    # The number decides. The letter does what the help says of it: n, 1 and z are known there.
    expected = {"n": [letter, "no"], "1": [letter, "oil"], "z": []}
    assert decided == expected.get(letter.lower(), [letter])


def test_a_word_that_begins_with_the_letter_of_a_command_is_no_command(
    run_command, monkeypatch, pool
):
    typed = ["y", "zebra", "apple", "train", "tea", "w", "q"]
    ran = label(run_command, monkeypatch, pool, typed, "--words", "oil")
    assert ran.out.count("y: ") == 1 + 5
    assert [line["decision"] for line in labels_of(pool)] == ["yes"]
    assert "Wrote" not in ran.out
    assert "random sample" not in ran.out


def labels_of(pool):
    with pool.with_name("labels.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_samples_and_words_in_the_terminal_are_kept(run_command, monkeypatch, pool):
    ran = label(run_command, monkeypatch, pool, ["w nothing", "w rain", "a", "n", "a", "q"])
    assert "no two documents have a word of 'nothing'" in ran.out
    assert "A random sample of " in ran.out
    assert "Back to the likeliest documents." in ran.out
    ran = label(run_command, monkeypatch, pool, ["q"])
    assert "1 documents are already read" in ran.out
    assert "rain" in ran.out.split("Document")[1]


def test_labels_of_the_table_count_and_all_other_columns_may_be_learnt(
    run_command, monkeypatch, pool
):
    with pool.open("w", newline="") as file:
        topics = ["oil", "", "rain"] + [""] * (len(TEXTS) - 3)
        rows = zip(TEXTS, topics, range(len(TEXTS)), strict=True)
        csv.writer(file).writerows([["body", "topic", "amount"], *rows])
    options = ("--label", "topic", "--class", "oil", "--also", "all")
    ran = label(run_command, monkeypatch, pool, ["q"], *options)
    assert "2 documents are already read, 1 found" in ran.out
    assert "amount: " in ran.out
    header = pool.with_name("labels.csv").read_text().splitlines()[0]
    assert header.startswith("row,body,amount,label,decision")


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals on Windows")
def test_ctrl_c_in_a_terminal_ends_at_once_and_the_next_time_goes_on(pool):
    import pty

    def typed(*lines):
        ours, theirs = pty.openpty()
        labels = pool.with_name("labels.csv")
        command = [sys.executable, "-m", "imbtext", "label", pool, "--text", "body", "-o", labels]
        process = subprocess.Popen(
            [*command, "--terminal"], stdin=theirs, stdout=theirs, stderr=theirs, process_group=0
        )
        os.close(theirs)
        shown = b""
        with os.fdopen(ours, "rb+", buffering=0) as terminal:
            for line in lines:
                while not shown.endswith(b"> "):
                    shown += terminal.read(4096)
                if line is None:
                    time.sleep(0.3)  # input() loses a signal that comes before it waits
                    os.killpg(process.pid, 2)  # what a terminal does at Ctrl-C
                else:
                    terminal.write(line.encode() + b"\n")
                    shown += b"\n"
            assert process.wait(timeout=120) == 0
            return (shown + terminal.read(65536)).decode()

    assert "2 documents read, 1 found" in typed("w oil", "y", "n", "z", "n", None)
    assert "2 documents are already read, 1 found." in typed(None)
