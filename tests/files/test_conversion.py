"""From text formats to Parquet and back, in pieces: what one piece would give."""

import datetime
import decimal
import json

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from imbtext import EMCO
from imbtext.files import oversample_files
from imbtext.tables import TableError

TEXTS = ["oil up", "oil price up", None, "gold, down", 'he said "gold"', "gold up"]
TOPICS = ["oil", "oil", "gold", "gold", "gold", "gold"]


@pytest.fixture(autouse=True)
def pieces(monkeypatch):
    """Cut tables into batches of two rows."""
    monkeypatch.setattr("imbtext.tables._parquet._BATCH_ROWS", 2)
    monkeypatch.setattr("imbtext.tables._csv._BATCH_ROWS", 2)
    monkeypatch.setattr("imbtext.tables._jsonl._BATCH_ROWS", 2)


def oversampled(source, out, kind, *, folder=False, count=5):
    sampler = EMCO(sampling_strategy={"oil": count}, random_state=0)
    columns = {"text": "body", "label": "topic"}
    target = f"{out}/" if folder else out
    return oversample_files(source, target, **columns, sampler=sampler, output_format=kind)


def json_lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def typed_table():
    n = len(TEXTS)
    moment = datetime.datetime(2020, 1, 2, 3, 4)
    return pa.table(
        {
            "body": pa.array(TEXTS, pa.large_string()),
            "topic": pa.array(TOPICS).dictionary_encode(),
            "n": pa.array([1, None, 3, 4, 5, 6], pa.int16()),
            "x": [0.1, 1e300, 2.5, None, -0.0, 1.0],
            "price": pa.array([decimal.Decimal("1.50")] * n, pa.decimal128(9, 2)),
            "at": pa.array([moment] * n, pa.timestamp("us", "Europe/Helsinki")),
            "day": [moment.date()] * n,
            "nothing": pa.nulls(n),
        }
    )


def test_numbers_longer_than_polars_has(tmp_path):
    long = [decimal.Decimal("9" * 45 + ".50")] * len(TEXTS)
    table = pa.table({"body": TEXTS, "topic": TOPICS, "n": pa.array(long, pa.decimal256(50, 2))})
    pq.write_table(table, tmp_path / "in.parquet")
    oversampled(tmp_path / "in.parquet", tmp_path / "out.csv", "csv")
    found = pl.read_csv(tmp_path / "out.csv", infer_schema=False)
    assert found["n"].to_list() == [*map(str, long), *[None] * 3]


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_parquet_to_text_is_what_polars_writes_at_once(tmp_path, typed_table, kind):
    pq.write_table(typed_table, tmp_path / "in.parquet")
    oversampled(tmp_path / "in.parquet", tmp_path / f"out.{kind}", kind)
    written = (tmp_path / f"out.{kind}").read_text()
    originals = pl.DataFrame(pl.from_arrow(typed_table)).with_columns(synthetic=pl.lit(False))
    expected = (
        originals.write_ndjson()
        if kind == "jsonl"
        else originals.write_csv(separator="\t" if kind == "tsv" else ",")
    )
    assert written.startswith(expected)
    behind = written.removeprefix(expected).splitlines()
    assert len(behind) == 3
    if kind == "jsonl":
        new = [json.loads(line) for line in behind]
        assert all(row["synthetic"] is True and row["topic"] == "oil" for row in new)
        assert all(row["n"] is None and row["price"] is None for row in new)
    else:
        assert all(line.endswith("true") for line in behind)


def test_csv_to_parquet_keeps_cells_as_strings(tmp_path):
    (tmp_path / "in.csv").write_text("topic,body,n\noil,oil up,1\ngold,,2\ngold,gold up,x\n")
    oversampled(tmp_path / "in.csv", tmp_path / "out.parquet", "parquet", count=2)
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.schema.types == [pa.string(), pa.string(), pa.string(), pa.bool_()]
    assert found["body"].to_pylist()[:3] == ["oil up", "", "gold up"]
    assert found["n"].to_pylist() == ["1", "2", "x", None]
    assert found["synthetic"].to_pylist() == [False, False, False, True]


def test_json_lines_to_parquet_finds_types_over_all_lines(tmp_path):
    rows = [
        {"body": "oil up", "topic": "oil", "n": 1, "of": {"a": 1}},
        {"body": "oil", "topic": "oil", "list": []},
        {"body": None, "topic": "gold", "n": 2},
        {"body": "gold up", "topic": "gold", "n": 2.5, "of": {"b": ["x"]}},
        {"body": "gold", "topic": "gold", "late": True, "list": [1, None]},
    ]
    json_lines(tmp_path / "in.jsonl", rows)
    oversampled(tmp_path / "in.jsonl", tmp_path / "out.parquet", "parquet", count=3)
    found = pq.read_table(tmp_path / "out.parquet").to_pylist()
    assert len(found) == 6
    for row, written in zip(rows, found, strict=False):
        of = row.get("of") and {"a": None, "b": None} | row["of"]
        whole = {"body": None, "topic": None, "n": None, "list": None, "late": None} | row
        assert written == whole | {"of": of, "synthetic": False}
    assert found[5]["synthetic"]
    assert found[5]["n"] is None


def test_json_lines_that_mix_types(tmp_path):
    rows = [{"body": "oil", "topic": "oil", "n": value} for value in (1, 2, "x", "y")]
    json_lines(tmp_path / "in.jsonl", rows)
    with pytest.raises(TableError, match=r"column 'n' is string in .*in\.jsonl and int64 in other"):
        oversampled(tmp_path / "in.jsonl", tmp_path / "out.parquet", "parquet")
    rows[1]["n"] = "z"
    json_lines(tmp_path / "in.jsonl", rows)
    with pytest.raises(TableError, match=r"column 'n' of .* holds values that Parquet"):
        oversampled(tmp_path / "in.jsonl", tmp_path / "out.parquet", "parquet")
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize("kinds", [("parquet", "csv"), ("jsonl", "parquet"), ("csv", "parquet")])
def test_folders_too(tmp_path, kinds):
    """Every row arrives: a folder of Parquet files once gave a folder of empty CSV files."""
    before, after = kinds
    (tmp_path / "in").mkdir()
    table = pl.DataFrame({"body": TEXTS, "topic": TOPICS})
    for i, part in enumerate([table[:4], table[4:]]):
        path = tmp_path / "in" / f"{i}.{before}"
        {"parquet": part.write_parquet, "csv": part.write_csv, "jsonl": part.write_ndjson}[before](
            path
        )
    oversampled(tmp_path / "in", tmp_path / "out", after, folder=True)
    read = {"csv": pl.read_csv, "parquet": pl.read_parquet}[after]
    parts = [read(path) for path in sorted((tmp_path / "out").glob("[!.]*"))]
    assert [part.height for part in parts] == [4, 2, 3]
    assert pl.concat(parts[:2])["topic"].to_list() == TOPICS


@pytest.mark.parametrize(
    ("values", "named"),
    [
        (pa.array([b"x"] * 6), r"column 'other' holds Binary, which the format"),
        (pa.array([[1, 2]] * 6), r"the table does not fit the format csv"),
    ],
)
def test_what_a_text_format_has_no_place_for(tmp_path, values, named):
    pq.write_table(
        pa.table({"body": TEXTS, "topic": TOPICS, "other": values}), tmp_path / "in.parquet"
    )
    with pytest.raises(TableError, match=named):
        oversampled(tmp_path / "in.parquet", tmp_path / "out.csv", "csv")
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_two_columns_of_one_name(tmp_path, kind):
    table = pa.table([TEXTS, TOPICS, TOPICS, TOPICS], names=["body", "topic", "n", "n"])
    pq.write_table(table, tmp_path / "in.parquet")
    with pytest.raises(TableError, match="has 2 columns named 'n'; rename all but one"):
        oversampled(tmp_path / "in.parquet", tmp_path / f"out.{kind}", kind)
