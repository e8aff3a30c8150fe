"""Containers of other libraries are read as they come, and what is added comes back as Arrow."""

from collections import UserList, deque

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from imbtext import EMCO, RareTextClassifier
from imbtext.documents import Documents

TEXTS = ["oil price up", "crude oil"] * 5 + ["rain today", "sun and rain", "sun"] * 12
LABELS = ["oil"] * 10 + ["other"] * 36
TABLE = pl.DataFrame({"body": TEXTS, "topic": LABELS})


class Stream:
    """What speaks Arrow's PyCapsule interface and nothing else, such as a relation of DuckDB."""

    def __init__(self, data):
        self._data = data

    def __arrow_c_stream__(self, requested_schema=None):
        return self._data.__arrow_c_stream__(requested_schema)


class OneArray:
    def __arrow_c_array__(self, requested_schema=None):
        return pa.array(TEXTS).__arrow_c_array__(requested_schema)


def relation():
    duckdb = pytest.importorskip("duckdb", reason="duckdb is missing: pip install duckdb")
    arrow = TABLE.to_arrow()
    return duckdb.from_arrow(arrow)


def data_set():
    datasets = pytest.importorskip("datasets", reason="datasets is missing: pip install datasets")
    return datasets.Dataset.from_dict(TABLE.to_dict(as_series=False))


TABLES = {
    "lazy frame": TABLE.lazy,
    "stream": lambda: Stream(TABLE.to_arrow()),
    "DuckDB": relation,
    "Hugging Face": data_set,
}
COLUMNS = {
    "stream": lambda: Stream(pa.chunked_array([TEXTS[:7], TEXTS[7:]])),
    "array": OneArray,
    "sequence": lambda: UserList(TEXTS),
    "deque": lambda: deque(TEXTS),
    "Hugging Face": lambda: data_set()["body"],
}


@pytest.mark.parametrize("kind", TABLES)
def test_tables_of_other_libraries(kind):
    expected = RareTextClassifier(text="body", random_state=0).fit(TABLE, LABELS)
    model = RareTextClassifier(text="body", random_state=0).fit(TABLES[kind](), LABELS)
    scores = model.decision_function(TABLES[kind]())
    np.testing.assert_array_equal(scores, expected.decision_function(TABLE))
    sampler = EMCO(text="body", sampling_strategy={"oil": 20}, random_state=0)
    longer, labels = sampler.fit_resample(TABLES[kind](), LABELS)
    assert longer["body"].to_pylist() if kind != "lazy frame" else longer["body"].to_list()
    same = EMCO(sampling_strategy={"oil": 20}, random_state=0).fit_resample(TEXTS, LABELS)
    assert (pl.DataFrame(longer)["body"].to_list(), list(labels)) == same


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_of_other_libraries(kind):
    assert Documents.of(COLUMNS[kind]()).to_list() == TEXTS


def test_labels_in_any_sequence():
    model = RareTextClassifier(random_state=0).fit(UserList(TEXTS), deque(LABELS))
    assert model.classes_.tolist() == ["oil", "other"]


LABELS_OF_ONE_COLUMN = {
    "lazy frame": lambda: TABLE.lazy().select("topic"),
    "stream": lambda: Stream(TABLE.select("topic").to_arrow()),
    "DuckDB": lambda: relation().select("topic"),
    "Hugging Face": lambda: data_set().select_columns("topic"),
}


@pytest.mark.parametrize("kind", LABELS_OF_ONE_COLUMN)
def test_labels_that_come_as_a_table_of_one_column(kind):
    y = LABELS_OF_ONE_COLUMN[kind]()
    model = RareTextClassifier(random_state=0).fit(TEXTS, y)
    assert model.classes_.tolist() == ["oil", "other"]
    sampler = EMCO(sampling_strategy={"oil": 12}, random_state=0)
    assert list(map(str, sampler.fit_resample(TEXTS, y)[1])) == [*LABELS, "oil", "oil"]
    with pytest.raises(ValueError, match=r"pass y\['topic'\]"):  # a frame has a way to give one
        RareTextClassifier().fit(TEXTS, TABLE.select("topic"))


@pytest.mark.parametrize("container", [(text for text in TEXTS), {"body": TEXTS}, 3])
def test_what_is_no_container_is_refused(container):
    with pytest.raises(TypeError, match="expected a list of strings"):
        Documents.of(container)
