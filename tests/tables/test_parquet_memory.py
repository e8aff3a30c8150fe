"""Parquet files are read in bounded memory, whatever their bytes stand for."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from imbtext.documents._roles import Roles
from imbtext.tables import Layout, _documents, _parquet
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


def test_texts_that_do_not_fit_into_memory_are_refused_while_they_are_read(tmp_path, monkeypatch):
    codes = pa.array(np.zeros(5_000, np.int32))
    text = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * 10_000])).cast(pa.string())
    parquet.write_table(pa.table({"body": text}), tmp_path / "t.parquet", compression="zstd")
    monkeypatch.setattr(_documents, "FITS_ANYWHERE", 0)
    monkeypatch.setattr("imbtext._memory.memory_size", lambda: 40_000_000)
    with pytest.raises(ValueError, match=r"the texts of .* take at least 0.0 GiB and do not fit"):
        _documents.read_documents(tmp_path / "t.parquet", Roles.of("body"))
