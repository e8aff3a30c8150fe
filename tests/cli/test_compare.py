"""``imbtext compare``: files in, table and advice out, and one clear line where that cannot be."""

import json
import re
import shlex
from functools import partial

import numpy as np
import polars as pl
import pytest

from imbtext.cli._groups import split_names
from imbtext.cli.compare import EMBEDDED_CLASS, parse_time

FAST = ["--methods", "ros", "--folds", "2", "--repeats", "1", "--quiet"]


@pytest.fixture
def run(run_command, monkeypatch, tmp_path):
    """Run the command in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return partial(run_command, "compare")


@pytest.fixture
def table(tmp_path):
    random = np.random.default_rng(0)
    rare, common = ["crude", "opec", "barrel"], ["rain", "sun", "film", "law", "vote"]
    texts = [
        " ".join(random.choice(pool, 4)) + f' "quoted, {i}"'
        for i, pool in enumerate([rare] * 10 + [common] * 50)
    ]
    frame = pl.DataFrame(
        {
            "body": texts,
            "topic": ["oil"] * 10 + ["other"] * 50,
            "author": [f"a{i // 2}" for i in range(60)],
        }
    )
    frame.write_csv(tmp_path / "train.csv")
    return frame


def test_a_file_gives_table_advice_and_files(run, table, tmp_path):
    before = (tmp_path / "train.csv").read_bytes()
    code, out, err = run(
        *("train.csv", "--text", "body", "--label", "topic", "--class", "oil", "--group", "author"),
        *("-o", "a.json", "-o", "a.csv", "--report", "a.html", "--resume", "kept", *FAST),
    )
    assert (code, err) == (0, "")
    assert "oil (10 of 60 documents)" in out
    assert "Keep the plain classifier" in out
    assert "from imbtext.methods import ResampledClassifier" in out
    assert "groups:yes" in out
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["settings"]["classes"] == ["oil"]
    assert pl.read_csv(tmp_path / "a.csv")["method"].to_list() == ["plain", "ros"]
    assert (tmp_path / "a.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert (tmp_path / "kept" / "comparison.sqlite").exists()
    assert (tmp_path / "train.csv").read_bytes() == before


@pytest.mark.parametrize("name", ["t.tsv", "t.jsonl", "t.parquet", "t.csv.gz"])
def test_every_format_gives_the_same_numbers(run, table, name):
    write = {
        "t.tsv": lambda p: table.write_csv(p, separator="\t"),
        "t.jsonl": table.write_ndjson,
        "t.parquet": table.write_parquet,
    }.get(name)
    if write is None:
        import gzip
        from pathlib import Path

        Path(name).write_bytes(gzip.compress(Path("train.csv").read_bytes()))
    else:
        write(name)
    options = ["--text", "body", "--label", "topic", *FAST]
    code, out, _ = run(name, *options)
    assert code == 0
    wanted = run("train.csv", *options)[1]
    numbers = [line.split()[:4] for line in out.splitlines() if line.strip().startswith("ros")]
    assert numbers
    assert numbers == [
        line.split()[:4] for line in wanted.splitlines() if line.strip().startswith("ros")
    ]


def test_a_test_file_of_its_own(run, table):
    table.sample(fraction=1, shuffle=True, seed=0).write_csv("test.csv")
    code, out, _ = run(
        "train.csv", "--text", "body", "--label", "topic", "--test", "test.csv", *FAST
    )
    assert code == 0
    assert "a test set of 60 documents" in out


def test_multi_label_columns(run, table):
    labels = [f"{t}; small" if i % 3 else t for i, t in enumerate(table["topic"])]
    labels[-1] = ""
    table.with_columns(pl.Series("topic", labels)).write_csv("many.csv")
    code, out, _ = run(
        *("many.csv", "--text", "body", "--label", "topic", "--label-separator", ";"),
        *("--class", "oil", *FAST),
    )
    assert code == 0
    assert "oil (10 of 60 documents)" in out


def test_no_file_is_a_first_look_at_the_embedded_corpus(run, monkeypatch):
    from imbtext.datasets import TextDataset

    texts = ["ridge regression coefficients"] * 3 + ["lasso path of coefficients"] * 3
    texts += ["fourier transform", "sparse matrix", "random numbers", "sort array"] * 10
    small = TextDataset(
        "docstrings", texts, [EMBEDDED_CLASS] * 6 + ["rest"] * 40, (EMBEDDED_CLASS, "rest")
    )
    monkeypatch.setattr("imbtext.datasets._docstrings.load_docstrings", lambda: small)
    code, out, _ = run(*FAST)
    assert code == 0
    assert f"{EMBEDDED_CLASS} (6 of 46 documents)" in out


def test_control_characters_do_not_reach_the_terminal(run, table):
    names = table["topic"].replace("oil", "o\x1b[31mil")
    table.with_columns(topic=names).write_csv("evil.csv")
    code, out, _ = run("evil.csv", "--text", "body", "--label", "topic", *FAST)
    assert code == 0
    assert "\x1b" not in out
    assert "o<U+001B>[31mil" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.csv", "--text", "body", "--label", "topic"], "there is no such file"),
        (["train.csv", "--text", "boddy", "--label", "topic"], "did you mean 'body'"),
        (["train.csv"], "say which columns"),
        (["--text", "body"], "describe a file; name the file too"),
        (["train.csv", "--text", "body", "--label", "body"], "has 2 roles"),
        (["empty.csv", "--text", "body", "--label", "topic"], "empty.csv"),
        (["header.csv", "--text", "body", "--label", "topic"], "no rows"),
        (
            ["latin.csv", "--text", "body", "--label", "topic", "--encoding", "utf-8"],
            "latin.csv",
        ),
        (
            ["semicolon.csv", "--text", "body", "--label", "topic", "--delimiter", ","],
            "--delimiter",
        ),
        (["oneclass.csv", "--text", "body", "--label", "topic"], "has the single class 'oil'"),
        (
            ["nolabel.csv", "--text", "body", "--label", "topic", "--unlabelled", "refuse"],
            "line 3 of nolabel.csv has no label",
        ),
        (["train.csv", "--text", "body", "--label", "topic", "--folds", "11"], "10 documents, and"),
        (
            ["train.csv", "--text", "body", "--label", "topic", "--class", "oli"],
            "did you mean 'oil'",
        ),
        (
            ["train.csv", "--text", "body", "--label", "topic", "--time-limit", "5x"],
            "cannot be read",
        ),
        (
            ["train.csv", "--text", "body", "--label", "topic", "-o", "train.csv"],
            "is the input itself",
        ),
        (
            ["train.csv", "--text", "body", "--label", "topic", "-o", "no/a.json"],
            "does not exist",
        ),
        (["train.csv", "--text", "body", "--label", "topic", "--report", "."], "it is a folder"),
        (["train.csv", "--text", "body", "--label", "topic", "-o", "a.xls"], "in .json or .csv"),
        (
            ["train.csv", "--text", "body", "--label", "topic", "-o", "a.csv", "-o", "a.csv"],
            "same file",
        ),
    ],
)
def test_one_clear_line_and_exit_code_2(run, table, tmp_path, arguments, message):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "header.csv").write_text("body,topic\n")
    (tmp_path / "latin.csv").write_bytes("body,topic\ncaf\xe9,oil\n".encode("latin-1"))
    table.write_csv(tmp_path / "semicolon.csv", separator=";")
    (tmp_path / "oneclass.csv").write_text("body,topic\na,oil\nb,oil\n")
    (tmp_path / "nolabel.csv").write_text("body,topic\na,oil\nb,\n")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    code, out, err = run(*arguments, "--methods", "ros", "--quiet")
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert out == ""
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_full_disk_is_one_line_and_leaves_no_partial_file(run, table, tmp_path, monkeypatch):
    import errno
    from pathlib import Path

    def full(self, text, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    arguments = ["train.csv", "--text", "body", "--label", "topic", *FAST]
    code, _, err = run(*arguments, "-o", "a.json")
    assert code == 2
    assert "a.json" in err
    assert len(err.strip().splitlines()) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["train.csv"]
    code, _, err = run(*arguments, "--resume", "train.csv")
    assert code == 2
    assert "it is a file; name a folder" in err


def one_line_each(out, methods):
    lines = out.splitlines()
    return [next(line for line in lines if line[2:].startswith(name)) for name in methods]


@pytest.mark.parametrize("columns", ["60", "80", "200"])
def test_one_line_per_method_at_any_width(run, table, columns):
    methods = "ros,threshold(emco(0.1),f1),class-weight"
    code, out, _ = run(
        *("train.csv", "--text", "body", "--label", "topic", "--methods", methods),
        *("--classifier", "logistic-regression", "--folds", "2", "--repeats", "1", "--quiet"),
        columns=columns,
    )
    assert code == 0
    # Names whole, the plain row named after the classifier, numbers and interval on one line.
    names = ["plain logistic-regression", "ros", "threshold(emco(0.1),f1)", "class-weight"]
    for line in one_line_each(out, names):
        assert re.search(r"\d\.\d{3}  \d\.\d{3} to \d\.\d{3}", line)
        assert len(line) <= int(columns)
    marked = [line for line in out.splitlines() if line.startswith("* ")]
    assert len(marked) == 1
    assert ("ROC" in out) == (columns == "200")


def test_methods_that_are_left_out_are_no_classes_to_name(run, table):
    read = ("train.csv", "--text", "body", "--label", "topic", "--folds", "2", "--repeats", "1")
    _, out, _ = run(*read, "--methods", "class-weight", "--classifier", "complement-nb", "--quiet")
    assert "Note: Left out: class-weight." in out
    assert "--class LABEL" not in out


def test_the_snippet_can_be_pasted_as_it_stands(run, table):
    code, out, _ = run("train.csv", "--text", "body", "--label", "topic", *FAST, columns="40")
    assert code == 0
    snippet = "# In Python" + out.split("# In Python")[1].split("\n\nNote:")[0]
    names = {
        "texts": table["body"].to_list(),
        "y": table["topic"].to_list(),
        "new_texts": ["crude opec barrel"],
    }
    exec(snippet, names)
    assert names["in_class"].tolist() == [True]


def test_a_row_per_class_and_no_class_hidden(run, table):
    topics = ["oil"] * 10 + ["odd"] * 8 + ["other"] * 42
    table.with_columns(topic=pl.Series(topics)).write_csv("three.csv")
    code, out, _ = run(
        *("three.csv", "--text", "body", "--label", "topic", "--class", "oil", "--class", "odd"),
        *FAST,
        columns="80",
    )
    assert code == 0
    lines = one_line_each(out, ["oil", "odd", "(mean of classes)"])
    assert all(re.search(r"\d\.\d{3}", line) for line in lines)
    assert "For all classes together" in out


def test_an_interrupt_says_what_was_kept_and_how_to_go_on(run, table, monkeypatch):
    import imbtext.comparison._running as running

    real, begun = running.fit_method, []

    def stopped(*args, **kwargs):
        begun.append(1)
        if len(begun) % 3 == 0:
            raise KeyboardInterrupt
        return real(*args, **kwargs)

    monkeypatch.setattr(running, "fit_method", stopped)
    arguments = ["train.csv", "--text", "body", "--label", "topic", *FAST]
    code, _, err = run(*arguments, "--resume", "kept")
    assert code == 130
    assert "2 finished fits are kept in kept; the same command resumes from there" in err
    code, _, err = run(*arguments)
    assert code == 130
    assert "nothing was kept; with --resume FOLDER" in err


def test_progress_is_a_line_now_and_then_where_there_is_no_terminal(run, table, monkeypatch):
    import imbtext.progress as progress

    monkeypatch.setattr(progress, "_FIRST_LINE", 0.0)
    arguments = ["train.csv", "--text", "body", "--label", "topic", *FAST]
    code, out, err = run(*[word for word in arguments if word != "--quiet"])
    assert code == 0
    assert err.splitlines() == ["2 of 4, last: oil, repeat 1, fold 1"]
    assert "last:" not in out
    assert run(*arguments)[2] == ""


def test_names_and_times():
    assert split_names(["a,b(c,d),,threshold(emco(0.1), f2) ", "c", "a"]) == [
        "a",
        "b(c,d)",
        "threshold(emco(0.1), f2)",
        "c",
    ]
    assert split_names(None) is None
    assert parse_time("1.5h") == 5400


def test_groups_of_a_test_file_are_drawn_together(run, table, tmp_path):
    table.write_csv(tmp_path / "test.csv")
    arguments = ["train.csv", "--text", "body", "--label", "topic", *FAST, "--test", "test.csv"]
    code, out, _ = run(*arguments, "--group", "author")
    assert code == 0
    assert "belong to a group of the training documents" in " ".join(out.split())
    code, out, _ = run(*arguments, "--metric", "alarms_per_thousand(50)", "--language", "german")
    assert code == 0
    assert "recall within 50" in out


def test_labels_that_look_like_the_class_are_told_and_can_be_joined(run, table, tmp_path):
    spellings = ["Oil", "oil", "oil ", "OIL?"]
    topics = [spellings[i % 4] if name == "oil" else name for i, name in enumerate(table["topic"])]
    topics[-8:] = ["Law", "law", "n/a", "n/a", *["vote"] * 4]
    table.with_columns(topic=pl.Series(topics)).write_csv(tmp_path / "train.csv")
    arguments = ["train.csv", "--text", "body", "--label", "topic", *FAST]
    each = "'OIL?' (2), 'Oil' (3), 'oil' (3), 'oil ' (2)"
    code, out, err = run(*arguments, "--class", "Oil")
    assert code == 0, err
    assert "Oil (3 of 60 documents)" in out
    assert (
        f"labels that look alike are separate classes: {each}; to count all of them as Oil" in err
    )
    named = "--class Oil --class 'OIL?' --class oil --class 'oil ' --one-class"
    assert f"as Oil, use {named}" in err
    assert "'Law'" not in err
    assert "'n/a' (2) is taken for not Oil" in err
    # Named side by side they are compared as two classes, and probably should not be.
    code, out, err = run(*arguments, "--class", "oil", "--class", "vote", "--class", "Oil")
    assert code == 0, err
    assert "as oil, use --class oil --class Oil --class 'OIL?' --class 'oil ' --one-class" in err
    code, out, err = run(*arguments, *shlex.split(named), "--ignore-label", "n/a")
    assert (code, err) == (0, "")
    assert "Oil (10 of 58 documents)" in out
    code, _, err = run(*arguments, "--one-class")
    assert code == 2
    assert "one_class (--one-class) joins the labels that classes (--class) names" in err


@pytest.mark.filterwarnings("ignore::imbtext.tables.TableWarning")
def test_documents_without_words_are_counted_once(run, table):
    unlike = {"body": ["?", "...", ""], "topic": ["other", None, None], "author": ["x"] * 3}
    pl.concat([table, pl.DataFrame(unlike)]).write_csv("messy.csv")
    ran = run("messy.csv", "--text", "body", "--label", "topic", *FAST)
    assert "1 of 61 texts in column 'body'" in ran.err
    assert "Documents without words: 1 of 61." in " ".join(ran.out.split())
