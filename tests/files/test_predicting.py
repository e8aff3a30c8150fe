"""The rows worth reading are those that sorting all of them would give."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from imbtext.files._predicting import _HighestRows
from imbtext.tables import Batch


def batch_of(numbers, arrow):
    if arrow:
        # Categories that differ from batch to batch.
        texts = pa.array([str(n) for n in numbers])
        # Arrow itself cannot take rows of string views.
        lists = pa.array([[text] for text in texts.to_pylist()], pa.list_(pa.string_view()))
        columns = {"a": texts.dictionary_encode(), "view": texts.cast("string_view"), "list": lists}
        return Batch.from_arrow(pa.table(columns), numbers[0] if numbers else 0)
    raw = [f"line {n}" for n in numbers]
    return Batch(["a"], [[str(n) for n in numbers]], np.array(numbers) + 1, raw)


@given(st.lists(st.lists(st.integers(0, 5), min_size=1)), st.integers(1, 30), st.booleans())
def test_best_rows(parts, n, arrow):
    keys = np.array([key for part in [[3], *parts] for key in part], dtype=float)
    best, first = _HighestRows(n), 0
    for part in [[3], *parts]:
        numbers = list(range(first, first + len(part)))
        best.add(keys[numbers], batch_of(numbers, arrow), {"cell": numbers})
        first += len(part)
    batch, cells = best.rows()
    expected = np.argsort(-keys, kind="stable")[:n].tolist()
    assert cells["cell"] == (batch.lines - 1).tolist() == expected
    assert batch.values("a") == list(map(str, expected))
    if arrow:
        assert batch.values("view") == batch.values("a")
        assert batch.values("list") == [[text] for text in batch.values("a")]
    assert batch.raw == ([] if arrow else [f"line {i}" for i in expected])
