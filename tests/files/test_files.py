"""Files on Dask: the rows of memory, every type of column, the same files refused."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from imbtext import DECOM, EDA, EMCO, minority_share
from imbtext.distributed import DaskPool
from imbtext.files import count_files, oversample_files
from imbtext.tables import Layout, TableError, TableWarning, open_tables

pytestmark = pytest.mark.slow

COLUMNS = {"text": "body", "label": "topic"}


@pytest.fixture
def folder(tmp_path, table):
    """Eight files; one without rows, the first two without the class."""
    source = tmp_path / "in"
    source.mkdir()
    whole = pa.Table.from_pandas(table)
    for i in range(8):
        rows = whole.slice(0, 0) if i == 4 else whole.slice(*cut(i))
        pq.write_table(rows, source / f"{i}.parquet", row_group_size=20)
    return source


def cut(i):
    bounds = [0, 50, 100, 150, 200, 200, 260, 330, 400]
    return bounds[i], bounds[i + 1] - bounds[i]


def emco(**options):
    return EMCO(0.5, sampling_strategy=minority_share(0.3), random_state=7, **options)


@pytest.fixture
def expected(table):
    return emco().fit_resample(table["body"].tolist(), table["topic"].tolist())


def oversampled(source, out, **options):
    settings = {**COLUMNS, "sampler": emco(), "output_format": "parquet", "pool": DaskPool()}
    return oversample_files(source, out, **(settings | options))


def test_the_rows_of_memory(client, folder, tmp_path, expected, monkeypatch):
    monkeypatch.setattr("imbtext.files._in_parts._ROWS_PER_FILE", (20, 40))
    monkeypatch.setattr("imbtext.tables._parquet._BYTES_PER_PART", 3000)
    originals, made, *_ = oversampled(folder / "*.parquet", tmp_path / "out")
    rows = pq.read_table(tmp_path / "out")
    assert (rows["body"].to_pylist(), rows["topic"].to_pylist()) == expected
    assert rows["number"].to_pylist()[:400] == list(range(400))
    assert originals == {"common": 380, "rare": 20}
    assert made == {"rare": len(rows) - 400}
    assert sum(rows["synthetic"].to_pylist()) == len(rows) - 400
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names[-1].startswith("synthetic-")
    assert len(names) > 10
    assert not (tmp_path / "out.partial").exists()


def test_surface_forms_are_those_of_memory(client, tmp_path):
    texts = [f"Oil: W{i % 7}, up" if i % 4 else f"Gold w{i % 5} - oil!" for i in range(60)]
    labels = ["rare" if i % 9 == 0 else "common" for i in range(60)]
    (tmp_path / "in").mkdir()
    whole = pa.table({"body": texts, "topic": labels})
    for i in range(3):
        pq.write_table(whole.slice(20 * i, 20), tmp_path / "in" / f"{i}.parquet")
    sampler = emco(surface=True)
    oversampled(tmp_path / "in" / "*.parquet", tmp_path / "out", sampler=sampler)
    rows = pq.read_table(tmp_path / "out")
    assert rows["body"].to_pylist() == sampler.fit_resample(texts, labels)[0]
    source = tmp_path / "in" / "*.parquet"
    counts = count_files(source, **COLUMNS, surface=True, pool=DaskPool())
    assert sampler.fit_counts(counts).sample(5, "rare") == sampler.fit(texts, labels).sample(
        5, "rare"
    )


def test_columns_of_every_type_pass_through(client, tmp_path, table):
    n = len(table)
    every = {
        "decimal": pa.array([decimal.Decimal("1.50")] * n, pa.decimal128(9, 2)),
        "wide": pa.array([decimal.Decimal("1.50")] * n, pa.decimal256(50, 2)),
        "map": pa.array([[("a", 1)]] * n, pa.map_(pa.string(), pa.int8())),
        "struct": pa.array([{"x": [1, 2], "y": None}] * n),
        "list": pa.array([[1.5], None] * (n // 2), pa.large_list(pa.float32())),
        "fixed": pa.array([[1, 2]] * n, pa.list_(pa.int8(), 2)),
        "duration": pa.array([datetime.timedelta(seconds=1)] * n, pa.duration("ms")),
        "time": pa.array([datetime.time(1, 2)] * n, pa.time64("ns")),
        "date": pa.array([datetime.date(2020, 1, 2)] * n),
        "stamp": pa.array([datetime.datetime(2020, 1, 2)] * n, pa.timestamp("ns", "UTC")),
        "bytes": pa.array([b"\x00x"] * n, pa.large_binary()),
        "two": pa.array([b"xy"] * n, pa.binary(2)),
        "half": pa.array(np.ones(n, np.float16)),
        "small": pa.array(np.arange(n) % 200, pa.uint8()),
        "flag": pa.array([True, False] * (n // 2)),
        "nothing": pa.nulls(n),
        "text": pa.array(["ä"] * n, pa.large_string()),
        "kind": pa.array(["x", "y"] * (n // 2)).dictionary_encode(),
    }
    whole = pa.table({"body": table["body"], "topic": pa.array(table["topic"]).dictionary_encode()})
    for name, values in every.items():
        whole = whole.append_column(name, values)
    (tmp_path / "in").mkdir()
    for i in range(2):
        pq.write_table(whole.slice(200 * i, 200), tmp_path / "in" / f"{i}.parquet")
    oversampled(tmp_path / "in", tmp_path / "out")
    rows = pq.read_table(tmp_path / "out")
    assert rows.slice(0, n).drop_columns("synthetic").equals(pq.read_table(tmp_path / "in"))
    assert rows.slice(n)["wide"].null_count == len(rows) - n


def test_files_that_differ_in_types_and_columns(client, tmp_path, table, expected):
    (tmp_path / "in").mkdir()
    first = pa.table({"body": table["body"][:200], "topic": table["topic"][:200]})
    second = pa.table(
        {
            "extra": pa.array(range(200)),
            "topic": pa.array(table["topic"][200:]).dictionary_encode(),
            "body": pa.array(table["body"][200:], pa.large_string()),
        }
    )
    pq.write_table(first.append_column("n", pa.array([1] * 200, pa.int8())), tmp_path / "in/1.pq")
    pq.write_table(second.append_column("n", pa.array([1.5] * 200)), tmp_path / "in/2.pq")
    oversampled(tmp_path / "in", tmp_path / "out")
    rows = pq.read_table(tmp_path / "out")
    assert (rows["body"].to_pylist(), rows["topic"].to_pylist()) == expected
    assert rows.schema.names == ["body", "topic", "n", "extra", "synthetic"]
    assert rows["n"].type == pa.float64()
    pq.write_table(second.append_column("n", pa.array(["x"] * 200)), tmp_path / "in/2.pq")
    with pytest.raises(TableError, match=r"column 'n' is string in .*2\.pq and int8 in .*1\.pq"):
        oversampled(tmp_path / "in", tmp_path / "out2")


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_text_formats_too(client, tmp_path, table, expected, kind):
    source = tmp_path / "in"
    source.mkdir()
    for i in range(3):
        part = table.iloc[[range(0, 150), range(150, 151), range(151, 400)][i]]
        if kind == "csv":
            part.to_csv(source / f"{i}.csv", index=False)
        else:
            part.to_json(source / f"{i}.jsonl", orient="records", lines=True)
    oversampled(source, tmp_path / "out", output_format=kind)
    with open_tables(tmp_path / "out", Layout()) as tables:
        batches = [batch for part in tables for batch in part.batches()]
    assert [text for batch in batches for text in batch.values("body")] == expected[0]
    assert [label for batch in batches for label in batch.values("topic")] == expected[1]


def test_counts_of_files_are_those_of_memory(client, folder, table):
    counts = count_files(folder, **COLUMNS, pool=DaskPool())
    sampler = EMCO(0.5, random_state=7)
    at_home = EMCO(0.5, random_state=7).fit(table["body"].tolist(), table["topic"].tolist())
    assert sampler.fit_counts(counts).sample(20, "rare") == at_home.sample(20, "rare")
    assert counts.sizes == {"common": 380, "rare": 20}


def test_misuse(client, folder, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(ValueError, match="EDA needs all documents of the class in one place"):
        oversampled(folder, out, sampler=EDA())
    with pytest.raises(TypeError, match="the sampler is a DECOM; files are oversampled with EMCO"):
        oversampled(folder, out, sampler=DECOM())
    with pytest.raises(ValueError, match="similarity=2 compares every document"):
        oversampled(folder, out, sampler=EMCO(similarity=2))
    with pytest.raises(TableError, match=r"no column 'text'; its columns are 'body'"):
        oversampled(folder, out, text="text")
    with pytest.raises(TableError, match="already has a column 'number'"):
        oversampled(folder, out, synthetic_column="number")
    assert not list(tmp_path.glob("out*"))


def test_no_scheduler_at_the_address(folder, tmp_path):
    with pytest.raises(ConnectionError, match="no Dask scheduler answers at 'tcp:"):
        oversampled(folder, tmp_path / "out", pool=DaskPool("tcp://127.0.0.1:9"))
    assert not list(tmp_path.glob("out*"))


def test_rows_without_a_label_pass_through_and_are_counted(client, tmp_path, table):
    rows = table.assign(topic=table["topic"].where(table.index % 10 != 0))
    labelled = rows[rows["topic"].notna()]
    (tmp_path / "in").mkdir()
    for part in range(2):
        rows[200 * part : 200 * (part + 1)].to_parquet(tmp_path / "in" / f"{part}.parquet")
    columns = {"text": "body", "label": "topic"}
    sampler = EMCO(0.5, sampling_strategy=minority_share(0.3), random_state=7)
    said = r"40 of 400 rows of .*0.parquet and 1 other file have no label in column 'topic'"
    with pytest.warns(TableWarning, match=said):
        oversample_files(
            tmp_path / "in", tmp_path / "out", **columns, sampler=sampler, pool=DaskPool()
        )
    written = pd.concat(map(pd.read_parquet, sorted((tmp_path / "out").glob("*.parquet"))))
    assert len(written[~written["synthetic"]]) == 400
    expected = sampler.fit_resample(labelled["body"].tolist(), labelled["topic"].tolist())[0]
    assert written["body"][written["synthetic"]].tolist() == expected[len(labelled) :]
    with pytest.warns(TableWarning, match=said):
        counts = count_files(tmp_path / "in", **columns, pool=DaskPool())
    assert sum(counts.sizes.values()) == 360
