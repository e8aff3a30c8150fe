"""``imbtext oversample``: the API's documents, through files, whole or not at all."""

import csv
import gc
import gzip
import io
import json
import os
import random
import subprocess
import sys
from functools import partial
from pathlib import Path

import polars as pl
import pytest

from imbtext import EMCO, MCO, minority_share
from imbtext.cli.oversample import parse_count
from imbtext.files import ClassSizes, _synthetic
from imbtext.oversampling._eda import EDA
from imbtext.oversampling._ros import ROS
from imbtext.tables import Layout, _csv, _jsonl
from imbtext.tables._jsonl import as_cell
from imbtext.tables._opening import open_table

WORDS = ["oil", "price", "up", "down", "gold", "share", "firm", "the", "crude", "barrel", "falls"]
RARE = "rare=a, b"


def made_rows(n=120):
    lot = random.Random(0)
    rows = []
    for i in range(n):
        text = " ".join(lot.choices(WORDS, k=lot.randint(1, 9)))
        label = RARE if i % 12 == 0 else "mid" if i % 5 == 0 else "common"
        rows.append([f"{i:03d}", text + ("\n=cmd() \u00e9\u6f22" if i % 7 == 0 else ""), label, ""])
    return rows


ROWS = made_rows()
COLUMNS = ["id", "body", "topic", "note"]
TEXTS, LABELS = [row[1] for row in ROWS], [row[2] for row in ROWS]


def write_csv(path, rows=ROWS, delimiter=","):
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, delimiter=delimiter).writerows([COLUMNS, *rows])
    return path


@pytest.fixture
def table(tmp_path):
    return write_csv(tmp_path / "train.csv")


@pytest.fixture
def run(run_command):
    return partial(run_command, "oversample")


def read_csv(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.reader(stream))


def new_texts(path):
    header, *rows = read_csv(path)
    return [
        (row[header.index("body")], row[header.index("topic")]) for row in rows if row[-1] == "true"
    ]


BASE = ("--text", "body", "--label", "topic")


# What comes out


def test_originals_are_kept_and_synthetic_rows_marked(table, tmp_path, run):
    out = tmp_path / "out.csv"
    code, stdout, stderr = run(table, "-o", out, *BASE, "--share", "0.2")
    assert (code, stdout) == (0, "")
    assert stderr == f"{out}: 120 originals, synthetic: 17 of rare=a, b\n"
    header, *rows = read_csv(out)
    assert header == [*COLUMNS, "synthetic"]
    assert [row[:-1] for row in rows[:120]] == ROWS
    assert {row[-1] for row in rows[:120]} == {"false"}
    assert all(row[0] == "" == row[3] and row[4] == "true" for row in rows[120:])
    assert all(row[1] and row[2] == RARE for row in rows[120:])


@pytest.mark.parametrize("batch_rows", [1, 7, 1000])
@pytest.mark.parametrize(
    ("options", "sampler"),
    [
        (["--gamma", "0.1"], EMCO(gamma=0.1)),
        (["--gamma", "heaps"], EMCO(gamma="heaps")),
        (["--surface", "--jobs", "2"], EMCO(surface=True)),
        (["--method", "mco"], MCO()),
        (["--method", "ros"], ROS()),
    ],
)
def test_same_documents_as_the_samplers(
    table, tmp_path, run, monkeypatch, options, sampler, batch_rows
):
    monkeypatch.setattr(_csv, "_BATCH_ROWS", batch_rows)
    monkeypatch.setattr(_jsonl, "_BATCH_ROWS", batch_rows)
    monkeypatch.setattr(_synthetic, "_ROWS_AT_ONCE", 10 * batch_rows)
    out = tmp_path / "out.csv"
    assert run(table, "-o", out, *BASE, "--seed", "5", *options)[0] == 0
    texts, labels = sampler.set_params(random_state=5).fit_resample(TEXTS, LABELS)
    assert new_texts(out) == list(zip(texts[120:], labels[120:], strict=True))


def test_eda_is_the_sampler_too(table, tmp_path, run):
    out = tmp_path / "out.csv"
    code, _, stderr = run(table, "-o", out, *BASE, "--method", "eda", "--share", "0.2")
    if code and "WordNet" in stderr:
        pytest.skip("WordNet is not installed (Debian: apt-get install wordnet-base)")
    sampler = EDA(sampling_strategy=minority_share(0.2), random_state=0)
    texts, labels = sampler.fit_resample(TEXTS, LABELS)
    assert new_texts(out) == list(zip(texts[120:], labels[120:], strict=True))


FORMATS = ["csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.bz2", "tsv.xz"]


def as_rows(path):
    table = open_table(path, Layout())
    rows = []
    for batch in table.batches():
        rows += zip(*(batch.column(name) for name in batch.columns), strict=True)
    return [tuple(as_cell(cell) for cell in row) for row in rows]


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_gives_the_same_table(table, tmp_path, run, kind):
    there, back = tmp_path / f"there.{kind}", tmp_path / "back.csv"
    direct = tmp_path / "direct.csv"
    assert run(table, "-o", there, *BASE, "--seed", "1")[0] == 0
    assert run(table, "-o", direct, *BASE, "--seed", "1")[0] == 0
    assert as_rows(there) == as_rows(direct)
    # and as an input: the same documents again, with a mark of their own
    again = ("--synthetic-column", "again", "--count", f"{RARE}=120")
    assert run(there, "-o", back, *BASE, *again)[0] == 0
    header, *rows = read_csv(back)
    assert header == [*COLUMNS, "synthetic", "again"]
    reference = tmp_path / "reference.csv"
    assert run(direct, "-o", reference, *BASE, *again)[0] == 0
    assert rows == read_csv(reference)[1:]


def test_json_lines_keep_types_and_letters(tmp_path, run):
    path = tmp_path / "t.jsonl"
    lines = [
        json.dumps({"body": text, "topic": int(label == RARE), "n": 1.5})
        for text, label in zip(TEXTS, LABELS, strict=True)
    ]
    lines[0] = lines[0].replace("1.5", "1.50")
    path.write_text("\n".join(lines))
    out = tmp_path / "out.jsonl"
    assert run(path, "-o", out, *BASE, "--count", "1=50", "--no-synthetic-column")[0] == 0
    found = out.read_text("utf-8").splitlines()
    assert found[:120] == lines
    new = [json.loads(line) for line in found[120:]]
    assert len(new) == 40
    assert all(row["topic"] == 1 and row["n"] is None for row in new)


def test_parquet_keeps_types(tmp_path, run):
    path, out = tmp_path / "t.parquet", tmp_path / "out.parquet"
    frame = pl.DataFrame(
        {
            "body": TEXTS,
            "topic": pl.Series(LABELS, dtype=pl.Categorical),
            "when": pl.Series([0] * 120).cast(pl.Date),
            "tags": [["a", "b"]] * 120,
        }
    )
    frame.write_parquet(path)
    assert run(path, "-o", out, *BASE, "--share", "0.2")[0] == 0
    found = pl.read_parquet(out)
    assert found[:120].drop("synthetic").equals(frame)
    assert found[120:].select("when", "tags").null_count().row(0) == (17, 17)
    assert found["synthetic"].sum() == 17
    # a nested column has no place in a CSV file
    code, _, stderr = run(path, "-o", tmp_path / "out.csv", *BASE)
    assert code == 2
    assert "does not fit the format csv" in stderr


def test_json_to_csv_unites_keys(tmp_path, run, monkeypatch):
    monkeypatch.setattr(_csv, "_BATCH_ROWS", 2)
    monkeypatch.setattr(_jsonl, "_BATCH_ROWS", 2)
    path, out = tmp_path / "t.jsonl", tmp_path / "out.csv"
    rows = [{"body": "oil up", "topic": "a"}] * 3 + [
        {"topic": "b", "body": "gold", "more": {"x": [1, None]}, "ok": True}
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    assert run(path, "-o", out, *BASE)[0] == 0
    found = read_csv(out)
    assert found[0] == ["body", "topic", "more", "ok", "synthetic"]
    assert found[1] == ["oil up", "a", "", "", "false"]
    assert found[4] == ["gold", "b", '{"x": [1, null]}', "true", "false"]
    assert found[5] == ["gold", "b", "", "", "true"]


def test_delimiter_and_quotes_go_through(tmp_path, run):
    path = tmp_path / "t.csv"
    path.write_text('body;topic\n"Stop" he said;a\nplain;b\nwords;b\n')
    out = tmp_path / "out.csv"
    assert run(path, "-o", out, *BASE, "--delimiter", ";", "--no-quotes")[0] == 0
    assert out.read_text().splitlines()[1] == '"Stop" he said;a;false'


# How many


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], {"mid": 66, RARE: 78}),
        (["--ratio", "0.5"], {"mid": 22, RARE: 34}),
        (["--class", RARE], {RARE: 78}),
        (["--class", RARE, "--class", "mid", "--share", "0.25"], {"mid": 22, RARE: 34}),
        (["--count", f"{RARE}=11", "--count", "mid=100"], {"mid": 78, RARE: 1}),
        (["--count", f"{RARE}=10"], {}),
    ],
)
def test_how_many(table, tmp_path, run, options, expected):
    out = tmp_path / "out.csv"
    code, _, stderr = run(table, "-o", out, *BASE, *options, "--method", "ros")
    assert code == 0, stderr
    made = [label for _, label in new_texts(out)]
    assert [LABELS.count(label) for label in ("common", "mid", RARE)] == [88, 22, 10]
    assert {label: made.count(label) for label in sorted(set(made))} == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--share", "0.2", "--ratio", "0.5"], "share and ratio exclude each other"),
        (["--share", "1.5"], "share is 1.5; expected a number between 0 and 1"),
        (["--ratio", "0"], "the ratio is 0.0; expected"),
        (["--count", "mid"], "cannot read the count 'mid'; write LABEL=N"),
        (["--count", "mid=-3"], "cannot read the count"),
        (["--count", "mud=30"], "there is no class 'mud'; the classes are 'common', 'mid'"),
        (["--count", f"mid={10**30}"], "is too large; N is at most 1,000,000,000,000"),
        (["--count", "mid=" + "9" * 9000], "is too large; N is at most 1,000,000,000,000"),
        (["--seed", "4294967296"], "Invalid value for '--seed'"),
        (["--count", "mid=3"], "oversampling cannot remove documents"),
        (["--count", "mid=99", "--count", "mid=98"], "--count is given twice for 'mid'"),
        (["--count", "mid=99", "--class", "mid"], "leave the class out"),
        (["--class", "common", "--share", "0.1"], "oversampling cannot lower a share"),
        (["--method", "smote"], "'smote' is not known; the methods that make documents are emco"),
        (["--gamma", "-1"], "gamma is '-1'; expected a number from 0 up, or 'heaps'"),
        (["--gamma", "nan"], "gamma is 'nan'"),
        (["--method", "ros", "--gamma", "1"], "--gamma works with --method emco, not with ros"),
        (
            ["--method", "eda", "--surface"],
            "--surface works with --method emco and mco",
        ),
        (["--format", "xls"], "the format 'xls' is not known"),
        (["--text", "topic"], "takes one value; this command reads one text column, so join"),
        (["--seed", "1", "--seed", "1"], "--seed is given 2 times"),
        (["--delimiter", ";"], "separated by ',': pass --delimiter ','"),
        (["--synthetic-column", "note"], "already has a column 'note'"),
        (["--encoding", "ascii"], "is not ascii"),
    ],
)
def test_mistakes_are_one_line(table, tmp_path, run, options, message):
    before, out = table.read_bytes(), tmp_path / "out.csv"
    code, stdout, stderr = run(table, "-o", out, *BASE, *options)
    assert (code, stdout) == (2, "")
    assert message in stderr
    assert stderr.startswith("imbtext: error: ")
    assert stderr.count("\n") == 1
    assert table.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["train.csv"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("body,topic\n", "has no rows"),
        ("body,topic\nx,a\ny,a\n", "has the single class 'a'"),
        ("body,topic\nx,a\ny,\n", "has the single class 'a'"),
        ("body,topic\nx,a\ny,b,c\n", "line 3 of {} has 3 cells"),
        (b"body,topic\nx,a\n\xff\x81,b\n", "line 3 of {} is not utf-8"),  # nor cp1252
    ],
)
def test_bad_files_are_one_line(tmp_path, run, content, message):
    path, out = tmp_path / "t.csv", tmp_path / "out.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    out.write_text("before")
    code, stdout, stderr = run(path, "-o", out, *BASE)
    assert (code, stdout) == (2, "")
    assert message.format(path) in stderr
    assert stderr.count("\n") == 1
    assert out.read_text() == "before"
    assert sorted(found.name for found in tmp_path.iterdir()) == ["out.csv", "t.csv"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"body": "x", "topic": 1}, {"body": "y", "topic": "1"}], "mixes numbers and strings"),
        ([{"body": 3, "topic": "a"}], "line 1 of {} has 3 (int) in column 'body'"),
        ([{"body": "x", "topic": ["a"]}], "a label must be a string or a finite number"),
        ([{"body": "\ud800", "topic": "a"}], "half a surrogate pair"),
        ([{"body": "x", "topic": "a"}, {"synthetic": 1}], "already has a column 'synthetic'"),
    ],
)
def test_bad_json_values(tmp_path, run, rows, message):
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    code, _, stderr = run(path, "-o", tmp_path / "out.jsonl", *BASE)
    assert code == 2
    assert message.format(path) in stderr


def test_columns_that_are_wrong(table, tmp_path, run):
    out = ("-o", tmp_path / "out.csv")
    assert "'topic' has 2 roles" in run(table, *out, "--text", "topic", "--label", "topic")[2]
    said = run(table, *out, "--text", "bdy", "--label", "topic")[2]
    assert "no column 'bdy'; its columns are 'id', 'body'" in said


def test_a_class_without_words(tmp_path, run):
    path = tmp_path / "t.csv"
    path.write_text("body,topic\nx y,a\n..,b\nx z,a\n")
    code, _, stderr = run(path, "-o", tmp_path / "out.csv", *BASE)
    assert code == 2
    warning, error = stderr.splitlines()
    assert "1 of 3 texts in column 'body'" in warning
    assert "class 'b' has no document with a word" in error


@pytest.mark.parametrize("method", ["emco", "ros"])
@pytest.mark.parametrize("options", [[], ["--ignore-label", "unknown"]])
def test_rows_without_a_label_pass_through(tmp_path, run, method, options):
    rows = ["oil up,a", "gold,b", "sun,", "gold down,b", "gold up,b", "rain, "]
    path, out = tmp_path / "t.csv", tmp_path / "out.csv"
    path.write_text("\n".join(["body,topic", *rows, *["wind,unknown"] * bool(options)]) + "\n")
    code, _, stderr = run(path, "-o", out, *BASE, "--method", method, *options)
    assert code == 0, stderr
    n = 6 + bool(options)
    assert f"2 of {n} rows of {path} have no label in column 'topic'; nothing is learnt" in stderr
    assert f"{n} originals ({n - 4} of them not learnt from), synthetic: 2 of a" in stderr
    written = read_csv(out)
    assert [",".join(row[:2]) for row in written[1 : n + 1]] == path.read_text().splitlines()[1:]
    assert [row[1:] for row in written[n + 1 :]] == [["a", "true"]] * 2
    assert not {"sun", "rain", "wind"} & {
        word for row in written[n + 1 :] for word in row[0].split()
    }


def test_labels_that_look_alike(tmp_path, run):
    path = tmp_path / "t.csv"
    path.write_text("body,topic\noil up,yes\noil,YES\ngold,no\ngold up,no\nsun,n/a\n")
    stderr = run(path, "-o", tmp_path / "out.csv", *BASE)[2]
    assert "labels that look alike are separate classes: 'YES' (1), 'yes' (1); write them" in stderr
    assert "'n/a' (1) is taken for a class" in stderr
    assert "--ignore-label n/a" in stderr


def test_missing_texts_are_documents_without_words(tmp_path, run):
    path, out = tmp_path / "t.csv", tmp_path / "out.csv"
    path.write_text("body,topic\noil up,a\n,a\noil down,b\n,b\ngold,b\n")
    code, _, stderr = run(path, "-o", out, *BASE)
    assert code == 0
    assert "2 of 5 texts in column 'body'" in stderr
    assert read_csv(out)[2] == ["", "a", "false"]
    assert len(read_csv(out)) == 7


def test_nothing_is_written_over_the_input(table, tmp_path, run):
    before = table.read_bytes()
    link = tmp_path / "link.csv"
    link.symlink_to(table)
    for out in (table, link):
        code, _, stderr = run(table, "-o", out, *BASE)
        assert code == 2
        assert "is the input itself" in stderr
    assert table.read_bytes() == before


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("nowhere/out.csv", "the folder"),
        (".", "it is a folder"),
        ("/proc/out.csv", "cannot write /proc/out.csv"),
        ("/dev/full", "cannot write /dev/full: No space left on device"),
    ],
)
def test_unwritable(table, tmp_path, run, out, message, monkeypatch):
    if not Path("/proc" if out.startswith("/proc") else "/dev/full").exists() and out[0] == "/":
        pytest.skip(f"no {out} on this system")
    monkeypatch.chdir(tmp_path)
    code, _, stderr = run(table, "-o", out, *BASE)
    assert code == 2
    assert message in stderr
    assert stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["train.csv"]


def test_parquet_that_is_not_finished_is_one_line_too(tmp_path, run):
    source = tmp_path / "train.csv"
    source.write_text("body,topic\nrain,common\noil,\n")
    arguments = (*BASE, "--unlabelled", "refuse")
    code, _, stderr = run(source, "-o", tmp_path / "out.parquet", *arguments)
    gc.collect()  # what is left open complains at the latest now
    assert code == 2
    assert "line 3 of" in stderr
    assert stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["train.csv"]


def test_disk_that_fills_up(table, tmp_path, run, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_synthetic.SyntheticRows, "pieces", full)
    out = tmp_path / "out.csv"
    code, _, stderr = run(table, "-o", out, *BASE)
    assert code == 2
    assert f"cannot write {out}: No space left on device; free some space" in stderr
    assert [path.name for path in tmp_path.iterdir()] == ["train.csv"]


# Pipes, in processes of their own


def test_through_a_pipe(table, tmp_path, run):
    out = tmp_path / "out.csv"
    run(table, "-o", out, *BASE)
    done = subprocess.run(
        [sys.executable, "-m", "imbtext", "oversample", "-", "-o", "-", *BASE, "--quiet"],
        input=gzip.compress(table.read_bytes()),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == out.read_bytes()


@pytest.mark.slow
def test_reader_that_stops_early(table):
    command = f"{sys.executable} -m imbtext oversample {table} -o - --text body --label topic"
    done = subprocess.run(
        ["bash", "-c", f"{command} | head -c 10"], check=False, capture_output=True
    )
    assert done.stdout == b"id,body,to"
    assert b"Traceback" not in done.stderr
    assert b"Broken" not in done.stderr


def test_bad_standard_input_is_one_line_and_no_output(run, monkeypatch):
    class Stdin:
        buffer = io.BytesIO(b"body,topic\nx,a\n")

    monkeypatch.setattr(sys, "stdin", Stdin())
    code, stdout, stderr = run("-", "-o", "-", *BASE)
    assert (code, stdout) == (2, "")
    assert stderr == (
        "imbtext: error: column 'topic' of standard input has the single class 'a'; at least 2 "
        "classes are needed\n"
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_named_pipe(table, tmp_path, run):
    pipe, out = tmp_path / "pipe.csv", tmp_path / "out.csv"
    os.mkfifo(pipe)
    with subprocess.Popen(["cp", "--", str(table), str(pipe)]) as _:
        assert run(pipe, "-o", out, *BASE)[0] == 0
    assert len(read_csv(out)) > 121


# Plans and formulas


def test_counts_may_contain_anything():
    assert parse_count("a=b,c=3") == ("a=b,c", 3)
    assert parse_count("=5") == ("", 5)
    assert ClassSizes(counts={"3": 7}).targets({3: 5, 4: 9}) == {3: 7}
    assert ClassSizes(classes=("true",)).targets({False: 5, True: 2}) == {True: 5}


def test_synthetic_text_is_no_formula(tmp_path, run):
    rows = [["1", f"=cmd() +{word} -1 @x", "a", "=1+1"] for word in WORDS] + [
        ["2", "plain words here", "b", ""]
    ] * 30
    path, out = write_csv(tmp_path / "t.csv", rows), tmp_path / "out.csv"
    for method in ("emco", "mco"):
        assert run(path, "-o", out, *BASE, "--method", method)[0] == 0
        assert all(text[0] not in "=+-@\t\r" for text, _ in new_texts(out))
    assert read_csv(out)[1][1] == rows[0][1]


def test_output_is_utf8_without_mark(table, tmp_path, run):
    path, out = tmp_path / "bom.csv", tmp_path / "out.csv"
    path.write_bytes(b"\xef\xbb\xbf" + table.read_bytes())
    assert run(path, "-o", out, *BASE)[0] == 0
    assert out.read_bytes().startswith(b"id,body,topic,note,synthetic\n")
    assert [row[:-1] for row in read_csv(out)[1:121]] == ROWS
