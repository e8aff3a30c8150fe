"""Parquet files are read in bounded memory, whatever their bytes stand for."""

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from imbtext.tables import Layout, _parquet
from imbtext.tables._opening import open_table


def test_a_long_text_that_is_written_once_is_decoded_a_few_rows_at_a_time(tmp_path, monkeypatch):
    codes = pa.array(np.zeros(300, np.int32))
    text = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * 10_000])).cast(pa.string())
    table = pa.table({"body": text, "id": pa.array(range(300))})
    parquet.write_table(table, tmp_path / "t.parquet", compression="zstd")
    assert (tmp_path / "t.parquet").stat().st_size < 10_000
    monkeypatch.setattr(_parquet, "_BYTES_PER_GROUP", 100_000)
    batches = list(open_table(tmp_path / "t.parquet", Layout()).batches())
    assert max(map(len, batches)) == 10
    assert [row for batch in batches for row in batch.values("id")] == list(range(300))
    assert {row for batch in batches for row in batch.values("body")} == {"x" * 10_000}
    lines = np.concatenate([batch.lines for batch in batches])
    assert lines.tolist() == list(range(1, 301))
