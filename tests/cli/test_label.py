"""``imbtext label``: rounds in a spreadsheet, options, and a file that ``imbtext train`` takes."""

import csv
import json

import polars as pl
import pytest

from imbtext.features import encoders

TEXTS = [f"oil price {word}" for word in ("up", "down", "flat", "crude", "cut", "rise")] * 2
TEXTS += [f"rain {word} today" for word in ("more", "less", "light", "heavy", "cold", "warm")] * 4
WORDS = ("--words", "oil")


MEANT = """
def meant(texts):
    return [[0.1 + ("oil" in text), 0.1 + ("rain" in text)] for text in texts]
"""


@pytest.fixture(autouse=True)
def _words_alone(monkeypatch):
    """No encoder is installed, so that no test waits for one that it does not name."""
    monkeypatch.setattr(encoders, "is_installed", lambda *_: False)


@pytest.fixture
def pool(tmp_path):
    path = tmp_path / "pool.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["body"], *([text] for text in TEXTS)])
    return path


def label(run_command, pool, n, *options):
    """Ask for the next documents, after those of the last round were read."""
    out = pool.with_name("labels.csv")
    return run_command("label", pool, "--text", "body", "-o", out, "--next", n, *options)


def table_of(pool):
    return pl.read_csv(pool.with_name("labels.next.csv"), infer_schema=False)


def read_it(pool, yes="yes", no="no"):
    """Write decisions into the table, as somebody does in a spreadsheet."""
    table = table_of(pool)
    decisions = [yes if "oil" in text else no for text in table["body"]]
    table.with_columns(decision=pl.Series(decisions)).write_csv(pool.with_name("labels.next.csv"))
    return table


def test_rounds_of_a_spreadsheet_find_the_class_and_train_a_model(run_command, pool):
    ran = label(run_command, pool, 10, *WORDS)
    assert ran.code == 0, ran.err
    assert "labels.next.csv: 10. Write one of yes, no into the column" in ran.out
    first = read_it(pool)
    assert first.columns == ["row", "body", "decision"]
    ran = label(run_command, pool, 10)
    assert f"Saved 10 decisions of {pool.with_name('labels.next.csv')}." in ran.out
    assert "10 documents are already read" not in ran.out
    assert not set(table_of(pool)["row"]) & set(first["row"])
    for _ in range(4):
        read_it(pool)
        ran = label(run_command, pool, 10)
    assert "There is nothing left to read." in ran.out
    assert "36 documents read, 12 found" in ran.out
    labels, model = pool.with_name("labels.csv"), pool.with_name("oil.model")
    columns = ("--text", "body", "--label", "label")
    ran = run_command("train", labels, *columns, "-o", model)
    assert ran.code == 0, ran.err
    assert "12 of them yes" in ran.out
    assert "To learn from all documents" in ran.err


def test_a_round_may_be_read_in_parts_and_changed_by_the_spreadsheet(run_command, pool):
    label(run_command, pool, 6, *WORDS)
    path, table = pool.with_name("labels.next.csv"), table_of(pool)
    rows = [
        f"{row};{text};{'Yes' if i < 2 else ''}" for i, (row, text, _) in enumerate(table.rows())
    ]
    path.write_bytes(("\r\n".join(["row;body;decision", *rows]) + "\r\n").encode())
    ran = label(run_command, pool, 6, "--delimiter", ",")
    assert ran.code == 0, ran.err
    assert "Saved 2 decisions" in ran.out
    assert set(table["row"][2:]) & set(table_of(pool)["row"])


def test_decisions_that_cannot_be_saved_are_one_line_and_nothing_is_lost(run_command, pool):
    label(run_command, pool, 6, *WORDS)
    path = pool.with_name("labels.next.csv")
    good = read_it(pool, yes="perhaps")
    before = path.read_bytes()
    ran = label(run_command, pool, 6)
    assert ran.code == 2
    assert ran.err.count("\n") == 1
    assert "perhaps" in ran.err
    assert path.read_bytes() == before
    moved = good.with_columns(row=pl.lit("35"), decision=pl.lit("yes"))
    moved.write_csv(path)
    assert "which is another document now" in label(run_command, pool, 6).err
    path.write_text("a,b\n1,2\n")
    assert "is not a table of documents to read" in label(run_command, pool, 6).err
    assert path.read_text() == "a,b\n1,2\n"
    assert len(labels_of(pool)) == 0


def labels_of(pool):
    with pool.with_name("labels.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_class_may_have_a_comma_in_its_name(run_command, pool):
    label(run_command, pool, 6, "--class", "oil, gas", *WORDS)
    read_it(pool, yes="oil, gas")
    assert label(run_command, pool, 6).code == 0
    assert {line["decision"] for line in labels_of(pool)} == {"oil, gas"}


def test_a_model_goes_over_no_file_that_nobody_named(run_command, pool):
    label(run_command, pool, 6, *WORDS)
    read_it(pool)
    model = pool.with_name("labels.model")
    model.write_text("precious")
    ran = label(run_command, pool, 6, "--train")
    assert ran.code == 2
    assert "labels.model is where the model goes, but another program wrote it" in ran.err
    assert model.read_text() == "precious"


def test_several_classes_are_decided_by_their_names(run_command, pool):
    classes = ("--class", "oil", "--class", "rain", "--words", "oil=oil", "--words", "rain=rain")
    label(run_command, pool, 8, *classes)
    read_it(pool, yes="oil", no="rain")
    assert label(run_command, pool, 8).code == 0
    assert {line["decision"] for line in labels_of(pool)} == {"oil", "rain"}


def test_what_would_save_reading_is_said(run_command, monkeypatch, pool):
    advice = "pip install 'imbalanced-text[label]'"
    for options, is_said in (
        ((), True),
        (("--quiet",), False),
        (("--language", "german"), False),
        (("--language", "english", "--encoder", "none"), False),
        ((), False),  # it is remembered
    ):
        ran = label(run_command, pool, 1, *options)
        assert ran.code == 0, ran.err
        assert (advice in ran.out) == is_said, options


def test_an_encoder_is_remembered_and_the_model_has_it(run_command, pool, monkeypatch):
    (pool.parent / "own_meanings.py").write_text(MEANT, "utf-8")
    monkeypatch.chdir(pool.parent)
    label(run_command, pool, 12, *WORDS, "--encoder", "own_meanings:meant")
    read_it(pool)
    ran = label(run_command, pool, 12)
    assert ran.code == 0, ran.err
    kept = json.loads(pool.with_name("labels.settings.json").read_text())
    assert kept["encoder"] == "own_meanings:meant"
    trained = run_command("label", pool, "-o", "labels.csv", "--train")
    assert "imbtext predict labels.model NEW.csv -o OUT.csv --encoder own_meanings:meant" in (
        trained.out
    )
    assert "the encoder own_meanings:meant" in run_command("show", "labels.model").out
    assert label(run_command, pool, 2, "--encoder", "none").code == 0
    run_command("label", pool, "-o", "labels.csv", "--train")
    assert "the encoder" not in run_command("show", "labels.model").out


def test_the_default_encoder_is_used_where_it_is_installed_and_texts_are_english(monkeypatch):
    from imbtext.cli.label import _encoder_to_use
    from imbtext.labelling._settings import SessionSettings

    english, german = SessionSettings(), SessionSettings(language="german")
    assert _encoder_to_use(None, english) == ""
    monkeypatch.setattr(encoders, "is_installed", lambda *_: True)
    assert _encoder_to_use(None, english) == "minilm"
    assert _encoder_to_use(None, german) == ""
    assert _encoder_to_use(None, SessionSettings(encoder="none")) == "none"
    assert _encoder_to_use("use", german) == "use"


def test_features_are_kept_for_the_next_time(run_command, pool):
    assert label(run_command, pool, 2, "--features", "words").code == 0
    kept = json.loads(pool.with_name("labels.settings.json").read_text())
    assert kept["features"] == ["words"]
    ran = label(run_command, pool, 2, "--features", "wrds")
    assert ran.code == 2
    assert "did you mean 'words'" in ran.err


def test_mistakes_are_one_line(run_command, pool):
    classes = ("--class", "oil", "--class", "rain")
    ran = label(run_command, pool, 2, *classes, "--words", "oil")
    assert ran.code == 2
    assert "say which one is meant" in ran.err
    ran = label(run_command, pool, 2, "--class", "unsure")
    assert ran.code == 2
    assert ran.err.count("\n") == 1


def test_the_model_of_the_labels_knows_its_column(run_command, pool):
    label(run_command, pool, 20, *WORDS)
    read_it(pool)
    label(run_command, pool, 1)
    labels, model = pool.with_name("labels.csv"), pool.with_name("other.model")
    # The command that ends the session; columns and words are kept.
    ran = run_command("label", pool, "-o", labels, "--train", "--model", model, "--delimiter", ",")
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[-1].endswith("OUT.csv --delimiter ,")
    assert "into the class" in ran.out
    assert run_command("predict", model, pool, "-o", pool.with_name("scored.csv")).code == 0


def test_train_on_the_labels_looks_for_the_class_though_no_is_rarer(run_command, pool):
    label(run_command, pool, 17, *WORDS)
    read_it(pool)
    label(run_command, pool, 1)
    labels = pool.with_name("labels.csv")
    columns = ("--text", "body", "--label", "label")
    few = ("--methods", "plain,ros", "--repeats", "1", "--share", "0.9")
    ran = run_command("compare", labels, *columns, *few)
    assert ran.code == 0, ran.err
    assert "|class:yes|" in ran.out


def test_several_columns_and_what_is_shown_beside_them(run_command, pool):
    with pool.open("w", newline="") as file:
        rows = [[f"T{i}", text.split()[0], text, i] for i, text in enumerate(TEXTS)]
        csv.writer(file).writerows([["ticket", "subject", "body", "day"], *rows])
    columns = ("--text", "subject", "--id", "ticket", "--show", "day", "--words", "oil")
    ran = label(run_command, pool, 5, *columns)
    assert ran.code == 0, ran.err
    table = read_it(pool)
    assert table.columns == ["row", "ticket", "body", "subject", "day", "decision"]
    assert table["ticket"].to_list() == [f"T{row}" for row in table["row"]]
    assert "Saved 5 decisions" in label(run_command, pool, 5, *columns).out
    assert pool.with_name("labels.csv").read_text().startswith("row,ticket,body,subject,day,label,")


def test_columns_of_the_table_may_be_called_as_ours(run_command, pool):
    with pool.open("w", newline="") as file:
        csv.writer(file).writerows([["decision", "row"], *([text, "x"] for text in TEXTS)])
    columns = ("--text", "decision", "--show", "row", "--words", "oil", "--next", 4)
    command = ("label", pool, "-o", pool.with_name("labels.csv"), *columns)
    assert run_command(*command).code == 0
    table = table_of(pool)
    assert table.columns == ["imbtext_row", "decision", "row", "imbtext_decision"]
    assert all("oil" in text for text in table["decision"])
    table.with_columns(imbtext_decision=pl.lit("yes")).write_csv(pool.with_name("labels.next.csv"))
    ran = run_command(*command)
    assert "Saved 4 decisions" in ran.out, ran.err


def test_labels_of_the_table_count_and_all_other_columns_may_be_learnt(run_command, pool):
    with pool.open("w", newline="") as file:
        topics = ["oil", "", "rain"] + [""] * (len(TEXTS) - 3)
        rows = zip(TEXTS, topics, range(len(TEXTS)), strict=True)
        csv.writer(file).writerows([["body", "topic", "amount"], *rows])
    options = ("--label", "topic", "--class", "oil", "--also", "all")
    ran = label(run_command, pool, 3, *options)
    assert "2 documents are already read, 1 found" in ran.out
    assert table_of(pool).columns == ["row", "body", "amount", "decision"]
    header = pool.with_name("labels.csv").read_text().splitlines()[0]
    assert header.startswith("row,body,amount,label,decision")


def test_another_projects_finds_are_a_start(run_command, pool, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "old.csv").write_text("body,spoken\noil is up again,a\nsun and rain,b\n", "utf-8")
    files = (other / "old.csv", "-o", other / "old_labels.csv", "--next", 2)
    run_command("label", *files, "--text", "body", "--show", "spoken")
    table = pl.read_csv(other / "old_labels.next.csv", infer_schema=False)
    oil = [("yes" if "oil" in text else "no") for text in table["body"]]
    table.with_columns(decision=pl.Series(oil)).write_csv(other / "old_labels.next.csv")
    assert run_command("label", *files).code == 0
    ran = label(run_command, pool, 12, "--like", other / "old_labels.csv")
    assert ran.code == 0, ran.err
    assert all("oil" in text for text in table_of(pool)["body"])
    kept = json.loads(pool.with_name("labels.settings.json").read_text())
    assert kept["examples"] == {"yes": ["oil is up again"]}
    (other / "export.jsonl").write_text(
        '{"id": 1, "text": "rain is cold", "label": ["yes"]}\n', "utf-8"
    )
    again = ("label", pool, "--text", "body", "-o", tmp_path / "again.csv", "--next", 12)
    run_command(*again, "--like", other / "export.jsonl")
    assert all("rain" in text for text in pl.read_csv(tmp_path / "again.next.csv")["body"])
    refused = run_command(*again, "--like", other / "export.jsonl", "--class", "fraud")
    assert refused.code == 2
    assert "has no document of 'fraud' to start from" in refused.err
    (other / "old_labels.settings.json").unlink()
    refused = run_command(*again, "--like", other / "old_labels.csv")
    assert "the text columns of" in refused.err
