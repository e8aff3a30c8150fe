"""Every command that reads documents accepts the same files, and refuses in the same words."""

import gzip
import json

import polars as pl
import pytest

GOOD = [(f"oil {word}", "oil") for word in ("up", "down", "price", "barrel", "crude")] + [
    (f"rain and wind number{i}", "rain") for i in range(30)
]
COMMANDS = {
    "oversample": ("-o", "out.csv", "--share", "0.2", "--class"),
    "compare": ("--methods", "ros", "--folds", "2", "--repeats", "1", "--class"),
    "train": ("-o", "oil.model", "--class"),
}


def csv_of(rows, delimiter=",", header="body,topic"):
    lines = [header.replace(",", delimiter)]
    lines += [delimiter.join(f'"{cell}"' for cell in row) for row in rows]
    return "\n".join(lines) + "\n"


def jsonl_of(rows):
    return "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + "\n"


def objects(rows=GOOD):
    return [{"body": text, "topic": label} for text, label in rows]


def relabelled(**names):
    return [{"body": text, "topic": names[label]} for text, label in GOOD]


def parquet_of(**columns):
    frame = pl.DataFrame({"body": [t for t, _ in GOOD], "topic": [c for _, c in GOOD]})
    return lambda path: frame.with_columns(**columns).write_parquet(path)


# name: file name, content, options, name of the rare class
ACCEPTED = {
    "plain": ("t.csv", csv_of(GOOD), [], "oil"),
    "JSON array": ("t.json", json.dumps(objects()), [], "oil"),
    "empty texts": ("t.csv", csv_of([*GOOD, ("", "rain"), ("", "oil")]), [], "oil"),
    "only punctuation": ("t.csv", csv_of([*GOOD, ("...", "rain")]), [], "oil"),
    "white space": ("t.csv", csv_of([*GOOD, ("  ", "rain")]), [], "oil"),
    "no label": ("t.csv", csv_of([*GOOD, ("x", ""), ("y", " ")]), [], "oil"),
    "null label": ("t.jsonl", jsonl_of([*objects(), {"body": "x"}]), [], "oil"),
    "a label to ignore": (
        "t.csv",
        csv_of([*GOOD, ("x", "unknown")]),
        ["--ignore-label", "unknown"],
        "oil",
    ),
    "byte order mark": ("t.csv", b"\xef\xbb\xbf" + csv_of(GOOD).encode(), [], "oil"),
    "blank lines": ("t.csv", csv_of(GOOD).replace("\n", "\n\n"), [], "oil"),
    "windows lines": ("t.csv", csv_of(GOOD).replace("\n", "\r\n"), [], "oil"),
    "NUL in a text": ("t.csv", csv_of([*GOOD, ("a\0b", "rain")]), [], "oil"),
    "numbers as text": ("t.csv", csv_of([*GOOD, ("3.50", "rain"), ("007", "oil")]), [], "oil"),
    "label with a comma": (
        "t.csv",
        csv_of([(text, label.replace("oil", "oil, gas")) for text, label in GOOD]),
        [],
        "oil, gas",
    ),
    "NUL in a label": (
        "t.csv",
        csv_of([(text, label.replace("oil", "o\0il")) for text, label in GOOD]),
        [],
        "o\0il",
    ),
    "numbers as labels": ("t.jsonl", jsonl_of(relabelled(oil=1, rain=0)), [], "1"),
    "true and false": ("t.jsonl", jsonl_of(relabelled(oil=True, rain=False)), [], "true"),
    "markup": ("t.csv", csv_of([*GOOD, ("<script>alert(1)</script>", "rain")]), [], "oil"),
    "escape sequence": (
        "t.csv",
        csv_of([(text, label.replace("oil", "\x1b[31moil")) for text, label in GOOD]),
        [],
        "\x1b[31moil",
    ),
    "another column twice": (
        "t.csv",
        csv_of([(*row, "1", "2") for row in GOOD], header="body,topic,x,x"),
        [],
        "oil",
    ),
    "semicolons": ("t.csv", csv_of(GOOD, ";"), ["--delimiter", ";"], "oil"),
    "tabs": ("t.tsv", csv_of(GOOD, "\t"), [], "oil"),
    "no telling name": ("table", csv_of(GOOD), [], "oil"),
    "named format": ("t.txt", jsonl_of(objects()), ["--format", "jsonl"], "oil"),
    "code page": (
        "t.csv",
        csv_of([*GOOD, ("caf\xe9", "rain")]).encode("cp1252"),
        ["--encoding", "cp1252"],
        "oil",
    ),
    "quotation marks that mean nothing": (
        "t.csv",
        "body,topic\n" + "\n".join(f'"{text} he said,{label}' for text, label in GOOD) + "\n",
        ["--no-quotes"],
        "oil",
    ),
    "compressed": ("t.csv.gz", gzip.compress(csv_of(GOOD).encode()), [], "oil"),
    "null text": ("t.jsonl", jsonl_of([*objects(), {"body": None, "topic": "rain"}]), [], "oil"),
    "no text key": ("t.jsonl", jsonl_of([*objects(), {"topic": "rain"}]), [], "oil"),
    "more keys": ("t.jsonl", jsonl_of([*objects(), {**objects()[-1], "n": 1}]), [], "oil"),
    "parquet": ("t.parquet", parquet_of(), [], "oil"),
    "categories": (
        "t.parquet",
        parquet_of(
            topic=pl.col("topic").cast(pl.Categorical), body=pl.col("body").cast(pl.Categorical)
        ),
        [],
        "oil",
    ),
    "null text in parquet": (
        "t.parquet",
        parquet_of(body=pl.when(pl.col("body") == "oil up").then(None).otherwise("body")),
        [],
        "oil",
    ),
    "dates as labels": (
        "t.parquet",
        parquet_of(topic=(pl.col("topic") == "oil").cast(pl.Int32).cast(pl.Date)),
        [],
        "1970-01-02",
    ),
}

# name: file name, content, options, words of the refusal
REFUSED = {
    "no file": ("nowhere.csv", None, [], "there is no such file"),
    "empty file": ("t.csv", "", [], "is empty; expected a header line"),
    "empty JSON": ("t.jsonl", "", [], "is empty; expected one JSON object"),
    "only a header": ("t.csv", "body,topic\n", [], "has no rows"),
    "missing column": ("t.csv", "bodi,topic\na,b\n", [], "did you mean 'bodi'?"),
    "missing key": ("t.jsonl", jsonl_of([{"topic": "a"}] * 3), [], "has no column 'body'"),
    "column twice": ("t.csv", "body,body,topic\na,b,c\n", [], "2 columns named 'body'"),
    "label column twice": ("t.csv", "body,topic,topic\na,b,c\n", [], "2 columns named 'topic'"),
    "no label": (
        "t.csv",
        csv_of([*GOOD, ("x", "")]),
        ["--unlabelled", "refuse"],
        "line 37 of t.csv has no label",
    ),
    "null label": (
        "t.jsonl",
        jsonl_of([*objects(), {"body": "x"}]),
        ["--unlabelled", "refuse"],
        "line 36 of t.jsonl has no",
    ),
    "NaN label": (
        "t.parquet",
        parquet_of(topic=float("nan")),
        ["--unlabelled", "refuse"],
        "row 1 of t.parquet has no label",
    ),
    "no labels at all": ("t.csv", csv_of([(text, "") for text, _ in GOOD]), [], "has no labels"),
    "a rule that is none": ("t.csv", csv_of(GOOD), ["--unlabelled", "drop"], "skip, refuse or no"),
    "no word": ("t.csv", csv_of([("..", label) for _, label in GOOD]), [], "has a word in it"),
    "nothing to ignore": (
        "t.csv",
        csv_of(GOOD),
        ["--ignore-label", "unknown"],
        "has no label 'unknown' to ignore",
    ),
    "an option twice": ("t.csv", csv_of(GOOD), ["--label", "body"], "--label is given 2 times"),
    "infinite label": ("t.jsonl", '{"body": "x", "topic": Infinity}\n', [], "a finite number"),
    "infinite in parquet": ("t.parquet", parquet_of(topic=float("inf")), [], "a finite number"),
    "NUL at the end of a label": (
        "t.csv",
        csv_of([(text, label.replace("oil", "rain\0")) for text, label in GOOD]),
        [],
        "ends in a NUL character",
    ),
    "one class": ("t.csv", csv_of(GOOD[:2]), [], "has the single class 'oil'; at least 2 classes"),
    "short row": (
        "t.csv",
        "body,topic\na,b\nc\n",
        [],
        "line 3 of t.csv has 1 cell, the header has 2",
    ),
    "long row": ("t.csv", "body,topic\na,b,c\n", [], "line 2 of t.csv has 3 cells"),
    "open quotation": ("t.csv", 'body,topic\n"a,b\n', [], "is not well formed"),
    "text behind a quotation": ("t.csv", 'body,topic\n"a" he said,b\n', [], ": pass --no-quotes"),
    "wrong encoding": (
        "t.csv",
        b"body,topic\n\xe4\xe0,b\n",
        [],
        "line 2 of t.csv is not utf-8",
    ),
    "UTF-16": (
        "t.csv",
        csv_of(GOOD).encode("utf-16"),
        ["--encoding", "utf-8"],
        "is UTF-16, not utf-8: pass --encoding utf-16",
    ),
    "unknown encoding": ("t.csv", csv_of(GOOD), ["--encoding", "x"], "encoding 'x' is not known"),
    "unknown format": (
        "t.csv",
        csv_of(GOOD),
        ["--format", "xml"],
        "the formats are csv, tsv, jsonl",
    ),
    "wrong delimiter": ("t.csv", csv_of(GOOD, ";"), ["--delimiter", ","], ": pass --delimiter ';'"),
    "long delimiter": ("t.csv", csv_of(GOOD), ["--delimiter", ";;"], "is not one character"),
    "JSON array of numbers": ("t.json", "[1, 2]", [], "a JSON array whose entry 0 is '1'"),
    "half a JSON array": ("t.json", json.dumps(objects())[:-9], [], "JSON array and is not JSON"),
    "not JSON": ("t.jsonl", jsonl_of([*objects(), "{"]), [], "line 36 of t.jsonl is not JSON"),
    "no object": ("t.jsonl", jsonl_of([*objects(), "3"]), [], "is '3', not a JSON object"),
    "number as text": ("t.jsonl", jsonl_of([{"body": 3, "topic": "a"}]), [], "has 3 (int)"),
    "list as text": (
        "t.jsonl",
        jsonl_of([{"body": ["a"], "topic": "a"}]),
        [],
        "texts must be strings",
    ),
    "object as label": ("t.jsonl", jsonl_of([{"body": "a", "topic": {}}]), [], "a label must be"),
    "true and 1": (
        "t.jsonl",
        jsonl_of([{"body": "a", "topic": 1}, {"body": "b", "topic": True}]),
        [],
        "mixes numbers and true/false: line 2 has true",
    ),
    "1 and '1'": (
        "t.jsonl",
        jsonl_of([{"body": "a", "topic": 1}, {"body": "b", "topic": "1"}]),
        [],
        "mixes numbers and strings",
    ),
    "half a character": ("t.jsonl", '{"body": "\\ud800", "topic": "a"}\n', [], "half a surrogate"),
    "half a label": ("t.jsonl", '{"body": "a", "topic": "\\ud800"}\n', [], "half a surrogate"),
    "numbers in parquet": ("t.parquet", parquet_of(body=1), [], "row 1 of t.parquet has 1 (int)"),
    "bytes in parquet": (
        "t.parquet",
        parquet_of(body=pl.col("body").cast(pl.Binary)),
        [],
        "(bytes)",
    ),
    "bytes as labels": (
        "t.parquet",
        parquet_of(topic=pl.col("topic").cast(pl.Binary)),
        [],
        "(bytes)",
    ),
    "no Parquet": ("t.parquet", b"PAR1" + b"x" * 100, [], "is not a whole Parquet file"),
    "damaged": ("t.csv.gz", gzip.compress(csv_of(GOOD).encode())[:40], [], "is damaged"),
    "spreadsheet": ("t.xlsx", b"PK\x03\x04rest", [], "is a damaged zip archive or workbook"),
}


def put(name, content):
    from pathlib import Path

    if callable(content):
        content(name)
    elif content is not None:
        Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())


def run_all(run_command, name, label, options):
    for command, own in COMMANDS.items():
        columns = ("--text", "body", "--label", "topic", *options)
        yield command, run_command(command, name, *columns, *own, label)


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("case", ACCEPTED)
def test_all_commands_accept(run_command, case):
    name, content, options, label = ACCEPTED[case]
    put(name, content)
    for command, ran in run_all(run_command, name, label, options):
        assert ran.code == 0, (command, ran.err)
        assert "\x1b" not in ran.out + ran.err


@pytest.mark.parametrize("case", REFUSED)
def test_all_commands_refuse_in_the_same_words(run_command, tmp_path, case):
    name, content, options, words = REFUSED[case]
    put(name, content)
    before = sorted(tmp_path.iterdir())
    said = {}
    for command, ran in run_all(run_command, name, "oil", options):
        assert ran.code == 2, command
        assert ran.out == ""
        said[command] = ran.err
    (line,) = set(said.values())
    assert words in line
    assert line.startswith("imbtext: error: ")
    assert line.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_a_table_may_label_nothing_but_the_class(run_command, tmp_path, monkeypatch):
    """Real tables leave a label empty where there is nothing."""
    monkeypatch.chdir(tmp_path)
    rows = [(text, label if label == "oil" else "") for text, label in GOOD]
    (tmp_path / "t.csv").write_text(csv_of(rows))
    columns = ("t.csv", "--text", "body", "--label", "topic", "--class", "oil")
    every = [
        ("train", *columns, "-o", "oil.model"),
        ("train", *columns, "-o", "some.model", "--negatives", "20"),
        ("mislabelled", *columns, "-o", "doubts.csv"),
        ("compare", *columns, "--methods", "ros", "--folds", "2", "--repeats", "1"),
    ]
    for command in every:
        ran = run_command(*command)
        assert (ran.code, ran.err.count("\n")) == (2, 1), command
        assert "If the 30 rows without a label are outside the class" in ran.err
        ran = run_command(*command, "--unlabelled", "no")
        assert ran.code == 0, ran.err
        assert "they count as outside the class" in ran.err
