"""Tables in files: values stay as they are, and what is wrong is said with its line."""

import bz2
import contextlib
import csv
import gzip
import io
import json
import lzma
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from imbtext.tables import Layout, TableError, TableWarning, _csv, _formats, _jsonl, open_tables
from imbtext.tables._batches import AddedColumns, Batch
from imbtext.tables._conversion import table_writer, typed
from imbtext.tables._csv import CsvWriter
from imbtext.tables._errors import check_column
from imbtext.tables._formats import format_by_content, input_file, open_output
from imbtext.tables._jsonl import JsonWriter
from imbtext.tables._opening import open_table
from imbtext.writing import output_file


def write(path, content, encoding="utf-8"):
    path.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
    return path


def read(path, columns=None, **options):
    """Return a table's rows as dictionaries."""
    with input_file(path) as source:
        table = open_table(source, Layout(**options), path)
        table.check_columns(columns or [])
        batches = list(table.batches(columns))
    names = columns or batches[-1].names
    values = [[cell for batch in batches for cell in batch.values(name)] for name in names]
    return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


def batch_of(rows, names):
    columns = [list(column) for column in zip(*rows, strict=True)]
    return Batch(names, columns, np.arange(len(rows)))


def rows_of(path, **options):
    return [tuple(row.values()) for row in read(path, **options)]


# CSV


def test_cells_stay_as_they_are_written(tmp_path):
    path = write(
        tmp_path / "t.csv",
        '\ufeffid,text,value\r\n007,"two\nlines, ""quoted""",1.50\r\n\r\n1e3, spaced ,\r\n',
    )
    assert list(read(path)[0]) == ["id", "text", "value"]
    assert rows_of(path) == [
        ("007", 'two\nlines, "quoted"', "1.50"),
        ("1e3", " spaced ", ""),
    ]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=3, max_size=3),
        min_size=1,
    ),
    st.sampled_from([",", ";", "\t"]),
)
def test_csv_round_trip(tmp_path_factory, rows, delimiter):
    path = tmp_path_factory.mktemp("round") / "t.csv"
    layout = Layout("csv", delimiter)
    with path.open("wb") as stream:
        CsvWriter(stream, layout, ["a", "b", "c"]).originals(batch_of(rows, ["a", "b", "c"]), {})
    assert [list(row) for row in rows_of(path, delimiter=delimiter)] == rows


def read_strictly(text, quotes):
    """Return the rows and their lines as Python's own reader has them; None for a bad file."""
    quoting = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    reader = csv.reader(io.StringIO(text, newline=""), quoting=quoting, strict=quotes)
    try:
        rows = [(tuple(row), reader.line_num) for row in reader if row]
    except csv.Error:
        return None
    return rows[1:] if all(len(row) == 2 for row, _ in rows) else None


PIECES = [
    "a",
    ",",
    '"',
    '""',
    '","',
    "\n",
    "\r\n",
    "\r",
    "é",
    "\0",
    " ",
    "1,2\n",
    '"x\ny",',
    "\u2028",
]


@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    body=st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    n_bytes=st.integers(1, 20),
    n_rows=st.integers(1, 3),
    quotes=st.booleans(),
)
@example(body="\r\r\n,", end="\n", n_bytes=1, n_rows=1, quotes=False)
def test_cells_and_lines_are_those_of_a_strict_reader(
    tmp_path, monkeypatch, body, end, n_bytes, n_rows, quotes
):
    assume(body.count("\0") < 4)  # as many of them may be UTF-16
    monkeypatch.setattr(_csv, "_BATCH_BYTES", n_bytes)
    monkeypatch.setattr(_csv, "_BATCH_ROWS", n_rows)
    expected = read_strictly(f"a,b{end}{body}", quotes)
    path = write(tmp_path / "t.csv", f"a,b{end}{body}")
    table = open_table(path, Layout(quotes=quotes))
    if expected is None:
        with pytest.raises(TableError, match=r"line \d+ of"):
            list(table.batches())
        return
    rows = [
        ((a, b), line)
        for batch in table.batches()
        for a, b, line in zip(batch.values("a"), batch.values("b"), batch.lines, strict=True)
    ]
    assert rows == expected


@pytest.mark.parametrize("odd", ["", '5" '])  # which Arrow reads, and which Python does
@pytest.mark.parametrize("batch_rows", [1, 2, 100])
def test_batches_keep_lines_and_rows(tmp_path, monkeypatch, batch_rows, odd):
    monkeypatch.setattr(_csv, "_BATCH_ROWS", batch_rows)
    path = write(tmp_path / "t.csv", f'a,b\n1,"x\ny"\n\n2,{odd}z\n3,w\n')
    assert rows_of(path) == [("1", "x\ny"), ("2", f"{odd}z"), ("3", "w")]
    batches = list(open_table(path, Layout()).batches())
    assert [line for batch in batches for line in batch.lines] == [3, 5, 6]
    assert max(map(len, batches)) <= batch_rows


def test_batches_are_small_in_bytes_too(tmp_path, monkeypatch):
    monkeypatch.setattr(_csv, "_BATCH_BYTES", 1_000_000)
    long = "word " * 200_000
    path = write(tmp_path / "t.csv", "a,b\n" + f"1,{long}\n" * 4)
    assert [len(batch) for batch in open_table(path, Layout()).batches()] == [1, 1, 1, 1]


def test_a_delimiter_that_only_python_knows(tmp_path):
    path = write(tmp_path / "t.csv", 'a§b\n1§"x§y"\n')
    assert rows_of(path, delimiter="§") == [("1", "x§y")]
    stream = io.BytesIO()
    writer = CsvWriter(stream, Layout("csv", "§"), ["a", "b"])
    writer.originals(batch_of([["1", "x§y"]], ["a", "b"]), {})
    copy = write(tmp_path / "copy.csv", stream.getvalue())
    assert rows_of(copy, delimiter="§") == [("1", "x§y")]


def test_only_cells_that_need_quotes_get_them():
    stream = io.BytesIO()
    rows = [["007", ' a"b '], ["", "x\ry"], ["a,b", "two\nlines"], ["NA", "\u2028"]]
    CsvWriter(stream, Layout("csv"), ["a", "b"]).originals(batch_of(rows, ["a", "b"]), {})
    written = 'a,b\n007," a""b "\n,"x\ry"\n"a,b","two\nlines"\nNA,\u2028\n'
    assert stream.getvalue().decode() == written
    plain = CsvWriter(io.BytesIO(), Layout("csv", quotes=False), ["a", "b"])
    with pytest.raises(ValueError, match="quotation marks mean nothing in this file"):
        plain.originals(batch_of([["1", "a,b"]], ["a", "b"]), {})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty; expected a header line"),
        ("a,b\n1,2\n3\n", "line 3 of .* has 1 cell, the header has 2"),
        ("a,b\n1,2,3\n", "line 2 of .* has 3 cells"),
        ('a,b\n1,2\n3,"open\n', "line 3 of .* is not well formed"),
        ('a,b\n1,2\n3,"open\n' + "4,5\n" * 9, "line 3 of .* is not well formed"),
        ('a,b\n1,2\n3\n4,"x" y\n', "line 3 of .* has 1 cell"),
        ('a,b\n1,"x" y\n', "line 2 of .* is not well formed .* pass quotes=False"),
        (b"a,b\n1,\xe4\xe0\n", r"line 2 of .* is not utf-8 \(byte 0xe4 at position 3\)"),
        (b"a,b\n1,\x81\n", "may be latin-1: pass encoding='latin-1'"),
        (b"PK\x03\x04\x14\0\xff\xfe", "is a zip archive or a spreadsheet; unpack it, or save the"),
        (bytes.fromhex("d0cf11e0a1b11ae1"), "is a spreadsheet of an old Excel; save the table"),
        (b"PAR1\x15\x04\x15\xff", "is a Parquet file; end its name in .parquet"),
        (gzip.compress(b"a,b\n" + b"1,2\n" * 9999, mtime=0)[:40], "is damaged"),
        (bz2.compress(b"a,b\n1,2\n")[:20], "is damaged"),
        (lzma.compress(b"a,b\n1,2\n")[:40], "is damaged"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, content, message):
    path = write(tmp_path / "t.csv", content)
    with pytest.raises(ValueError, match=message):
        read(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n1,ok\n2,caf\xe9\n", r"line 3 of .* is not utf-8 \(byte 0xe9 at position 6\)"),
        ("a,b\n1,2\n".encode("utf-16"), "is UTF-16, not utf-8: pass encoding='utf-16'"),
        ("a,b\n1,2\n".encode("utf-32"), "is UTF-32, not utf-8: pass encoding='utf-32'"),
        ("a,b\n1,2\n".encode("utf-16-le"), "UTF-16 without .*: pass encoding='utf-16-le'"),
        ("a,b\n1,石油价格上涨\n".encode("utf-16-be"), "not utf-8: pass encoding='utf-16-be'"),
    ],
)
def test_an_encoding_is_recognised_unless_one_is_given(tmp_path, content, message):
    path = write(tmp_path / "t.csv", content)
    with pytest.warns(TableWarning, match="is read as .*, for it is not UTF-8"):
        assert rows_of(path)[-1] in [("2", "café"), ("1", "2"), ("1", "石油价格上涨")]
    with pytest.raises(ValueError, match=message):
        read(path, encoding="utf-8")


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t"])
def test_a_delimiter_is_recognised_unless_one_is_given(tmp_path, delimiter, name):
    rows = [("id", "body"), ("1", "oil, up"), ("2", "a\nb"), ("3", "")]
    text = "".join(f'{number}{delimiter}"{body}"\n' for number, body in rows)
    path = write(tmp_path / name, text)
    by_name = delimiter == "\t" and name != "t.csv"
    with contextlib.nullcontext() if by_name else pytest.warns(TableWarning, match="is read with"):
        assert rows_of(path) == rows[1:]
    with pytest.raises(ValueError, match=r"has 1 cell|has 2 cells"):
        rows_of(path, delimiter=",")


@pytest.mark.parametrize(
    "text",
    ["body\noil; up\nrain;\n", "a;b,c\n1;2,3\n", "a,b\n1;2,3\n", "body\n"],
)
def test_what_the_format_says_stays_if_it_fits_or_nothing_is_clear(tmp_path, text):
    path = write(tmp_path / "t.csv", text)
    assert open_table(path, Layout()).layout.separator == ","


@pytest.mark.parametrize("name", ["t.csv.gz", "t.jsonl.gz"])
def test_a_row_that_would_fill_the_memory_is_refused(tmp_path, name, monkeypatch):
    for module in (_csv, _formats, _jsonl):
        monkeypatch.setattr(module, "LONGEST_LINE", 100_000)
    monkeypatch.setattr(_csv, "_BATCH_BYTES", 10_000)
    long = "x" * 100_001
    for text in (f"a,b\n1,{long}\n", f'a,b\n1,5" disk\n2,{long}\n', f"{long},b\n1,2\n"):
        content = json.dumps({"a": long}) + "\n" if "json" in name else text
        path = write(tmp_path / name, gzip.compress(content.encode()))
        with pytest.raises(TableError, match=r"a row of more than|field larger than"):
            read(path)


def test_other_encodings_and_delimiters(tmp_path):
    path = write(tmp_path / "t.csv", "a;b\n1;café\n", "cp1252")
    assert rows_of(path, delimiter=";", encoding="cp1252") == [("1", "café")]
    path = write(tmp_path / "u.tsv", "a\tb\n1\tcafé\n", "utf-16")
    assert rows_of(path, encoding="utf-16") == [("1", "café")]
    assert rows_of(path, encoding="UTF-16LE") == [("1", "café")]
    path = write(tmp_path / "v.tsv", "a\tb\n1\tcafé\n", "utf-16-be")
    assert rows_of(path, encoding="utf-16-be") == [("1", "café")]
    for encoding in ("klingon", "hex"):
        with pytest.raises(ValueError, match=f"encoding '{encoding}' is not known"):
            rows_of(path, encoding=encoding)
    with pytest.raises(ValueError, match="';;' is not one character"):
        rows_of(path, delimiter=";;")


@pytest.mark.parametrize("encoding", ["utf-16", "ascii"])
def test_the_encoding_that_holds_is_the_one_that_is_suggested(tmp_path, encoding):
    path = write(tmp_path / "t.csv", "a,b\n1,é\n")
    with pytest.raises(ValueError, match=f"is not {encoding} .*: pass encoding='utf-8'"):
        rows_of(path, encoding=encoding)


def test_text_that_ends_in_half_a_character_is_damaged(tmp_path):
    path = write(tmp_path / "t.csv", "a,b\n1,2\n".encode("utf-16")[:-1])
    with pytest.raises(ValueError, match="is damaged UTF-16 text"):
        rows_of(path, encoding="utf-16")


def test_quotation_marks_that_mean_nothing(tmp_path):
    path = write(tmp_path / "t.tsv", 'a\tb\n1\t"Stop" he said\n')
    assert rows_of(path, quotes=False) == [("1", '"Stop" he said')]


# JSON lines


def test_json_keeps_types_and_unites_keys(tmp_path, monkeypatch):
    monkeypatch.setattr(_jsonl, "_BATCH_ROWS", 1)
    path = write(tmp_path / "t.jsonl", '{"a": 7}\n\n{"a": null, "b": "x"}\n')
    assert read(path) == [{"a": 7, "b": None}, {"a": None, "b": "x"}]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no column 'a'|is empty"),
        ('{"a": 1}\n{"a": }\n', "line 2 of .* is not JSON"),
        ('{\n"a": 1\n}\n', "line 1 of .* is not JSON .*; each line must be one whole JSON object"),
        ('[{"a": 1},\n{"a": 2}]\n', "begins a JSON array: turn it into one"),
        ('{"a": 1}\n3\n', "line 2 of .* is '3', not a JSON object"),
    ],
)
def test_bad_json(tmp_path, content, message):
    path = write(tmp_path / "t.jsonl", content)
    with pytest.raises(ValueError, match=message):
        read(path, ["a"])


def test_json_lines_are_copied_letter_for_letter():
    raw = ['{"n": 1.10, "big": 12345678901234567890, "e": "\\u00e9" }', "{}"]
    stream = io.BytesIO()
    batch = Batch([], [], np.array([1, 2]), raw)
    JsonWriter(stream, [], AddedColumns()).originals(batch, {"new": [False, False]})
    lines = stream.getvalue().decode().splitlines()
    assert lines[0] == '{"n": 1.10, "big": 12345678901234567890, "e": "\\u00e9", "new": false}'
    assert json.loads(lines[1]) == {"new": False}


# Formats


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_compressed_both_ways(tmp_path, kind, suffix):
    content = {"csv": b"a,b\n1,x\n", "tsv": b"a\tb\n1\tx\n", "jsonl": b'{"a": "1", "b": "x"}\n'}[
        kind
    ]
    path = tmp_path / f"t.{kind}{suffix}"
    with open_output(path) as stream:
        stream.write(content)
    assert (path.read_bytes() == content) == (suffix == "")
    assert rows_of(path) == [("1", "x")]
    assert format_by_content(path) == kind


def test_parquet(tmp_path):
    path = tmp_path / "t.parquet"
    pl.DataFrame({"a": [1], "b": ["x"]}).write_parquet(path)
    assert read(path, ["b"]) == [{"b": "x"}]
    with pytest.raises(ValueError, match="no column 'c'; its columns are 'a', 'b'"):
        read(path, ["c"])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match="is not a whole Parquet file"):
        read(path)


def test_numbers_that_do_not_fit_the_type_of_other_files_are_not_called_damage(tmp_path):
    pl.DataFrame({"id": [2**53 + 1]}).write_parquet(tmp_path / "a.parquet")
    pl.DataFrame({"id": [1.5]}).write_parquet(tmp_path / "b.parquet")
    with (
        open_tables(tmp_path, Layout()) as tables,
        pytest.raises(TableError, match=r"column .id. of .*a\.parquet is int64 and does not fit"),
    ):
        list(tables[0].batches())


def test_columns_of_one_name_are_refused_in_parquet(tmp_path):
    columns = [pa.array(["a"]), pa.array([1]), pa.array([2])]
    pq.write_table(pa.Table.from_arrays(columns, ["body", "n", "n"]), tmp_path / "t.parquet")
    with pytest.raises(TableError, match="has 2 columns named 'n'; rename all but one"):
        read(tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet", ["body"]) == [{"body": "a"}]


def test_strings_of_all_kinds_of_files_are_strings(tmp_path):
    kinds = [
        pa.string(),
        pa.string_view(),
        pa.large_string(),
        pa.dictionary(pa.int8(), pa.string()),
    ]
    n_files = 0
    for kind in kinds:
        table = pa.table({"body": pa.array(["oil", None], pa.string()).cast(kind)})
        try:
            pq.write_table(table, tmp_path / f"{n_files}.parquet")
        except pa.ArrowNotImplementedError:  # older versions cannot write string views
            assert kind == pa.string_view()
            (tmp_path / f"{n_files}.parquet").unlink(missing_ok=True)
        else:
            n_files += 1
    with open_tables(str(tmp_path), Layout()) as tables:
        cells = [batch.values("body") for table in tables for batch in table.batches()]
    assert cells == [["oil", None]] * n_files


def test_a_header_may_begin_as_compressed_files_do(tmp_path):
    assert rows_of(write(tmp_path / "t.csv", "BZhash,b\n1,2\n")) == [("1", "2")]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"body": "a", "z": "\\ud800"}', "cannot hold .*surrogates not allowed"),
        ('{"body": "a", "\\ud800": 1}', "has a key with half a surrogate pair"),
    ],
)
def test_half_a_character_that_a_format_cannot_hold_is_refused(tmp_path, kind, line, message):
    path = write(tmp_path / "t.jsonl", line)
    with (
        pytest.raises(TableError, match=message),
        open_tables(path, Layout()) as tables,
    ):
        converted(tables, kind)


def test_records_without_fields_do_not_fit_parquet(tmp_path):
    path = write(tmp_path / "t.jsonl", '{"body": "a", "z": {}}')
    with (
        pytest.raises(TableError, match="has a column that Parquet cannot hold"),
        open_tables(path, Layout()) as tables,
    ):
        converted(tables, "parquet")


def converted(tables, kind):
    tables = typed(tables) if kind == "parquet" else tables
    stream = io.BytesIO()
    with table_writer(stream, tables, Layout(kind), "body", AddedColumns()) as writer:
        for batch in tables[0].batches():
            writer.originals(batch, {})


def test_unknown_format_and_missing_file(tmp_path):
    with pytest.raises(ValueError, match="'ods' is not known; the formats are csv, tsv, jsonl"):
        Layout("ods")
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        read(tmp_path / "none.csv")
    with pytest.raises(IsADirectoryError, match="it is a folder"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.CSV", "", "csv"),
        ("a.ndjson.gz", "", "jsonl"),
        ("a", '{"x": 1}', "jsonl"),
        ("a", "x\ty,\tz", "tsv"),
        ("a.txt", "x,y", "csv"),
    ],
)
def test_layout(tmp_path, name, content, expected):
    assert Layout().settled(write(tmp_path / name, content)).format == expected


# Columns


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["Text ", "label"], "no column 'text'; its columns are 'Text ', 'label'; did you mean"),
        (["id\ttext\tlabel"], "separated by 'tab': pass delimiter='tab'"),
        (["text", "text"], "2 columns named 'text'"),
        (["x"], "its columns are 'x'$"),
    ],
)
def test_missing_column(columns, message):
    with pytest.raises(ValueError, match=message):
        check_column("text", columns, "t.csv", ",")


# Output


def test_failed_output_leaves_nothing(tmp_path):
    target = write(tmp_path / "t.csv", "before")

    def fail():
        with output_file(target) as partial:
            partial.write_text("half")
            raise RuntimeError("broke")

    with pytest.raises(RuntimeError, match="broke"):
        fail()
    assert target.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_full_device():
    with (
        pytest.raises(OSError, match="cannot write /dev/full: No space left on device"),
        output_file(Path("/dev/full")) as partial,
    ):
        partial.write_text("x" * 100_000)


def test_lone_carriage_returns_survive_python_csv(tmp_path):
    stream = io.BytesIO()
    CsvWriter(stream, Layout(), ["a"]).originals(batch_of([["x\ry"]], ["a"]), {})
    text = io.TextIOWrapper(io.BytesIO(stream.getvalue()), newline="")
    assert list(csv.reader(text)) == [["a"], ["x\ry"]]
