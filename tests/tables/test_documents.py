"""Documents and labels of tables: what is accepted, what is refused, and in which words."""

import polars as pl
import pyarrow as pa
import pytest

from imbtext.tables import Batch, DocumentColumns, DocumentReader, Layout, TableError, open_table


def documents(columns=("body", "topic"), **cells):
    reader = DocumentReader(DocumentColumns(*columns), "t.parquet", "row")
    return reader.documents(Batch.from_arrow(pa.table(cells))), reader


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())],
)
def test_strings_of_every_arrow_type(kind):
    texts = pa.array(["oil up", None, "", "oil up"]).cast(pa.string())
    labels = pa.array(["oil", "rain", "rain", "oil"])
    if pa.types.is_dictionary(kind):
        texts, labels = texts.dictionary_encode(), labels.dictionary_encode()
    else:
        texts, labels = texts.cast(kind), labels.cast(kind)
    batch, reader = documents(body=texts, topic=labels)
    assert batch.texts == ["oil up", "", "", "oil up"]
    assert batch.labels == ["oil", "rain", "rain", "oil"]
    assert reader.classes() == {"oil": 2, "rain": 2}


def test_a_label_is_checked_where_it_comes_first():
    with pytest.raises(TableError, match=r"row 3 .* has no label"):
        documents(body=["a"] * 4, topic=["x", "y", None, ""])
    with pytest.raises(TableError, match=r"row 2 .* has no label"):
        documents(body=["a"] * 4, topic=["x", "", "x", ""])


def test_labels_are_of_one_kind_over_all_batches():
    _, reader = documents(body=["a"], topic=[1])
    with pytest.raises(TableError, match="mixes numbers and strings"):
        reader.documents(Batch.from_arrow(pa.table({"body": ["a"], "topic": ["1"]})))


def test_bytes_that_are_no_text():
    broken = pa.array([b"caf\xe9"]).cast(pa.binary()).view(pa.string())
    with pytest.raises(TableError, match="strings that are not UTF-8"):
        documents(body=broken, topic=["x"])


def test_reading_leaves_the_batch_as_it_was(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"body": null, "topic": "a"}\n')
    (batch,) = open_table(path, Layout()).batches()
    reader = DocumentReader(DocumentColumns("body", "topic"))
    assert reader.documents(batch).texts == [""]
    assert batch.values("body") == [None]


def test_several_labels_and_groups():
    batch, _ = documents(
        ("body", "topic", "author", ";"), body=["a", "b"], topic=["x; y", ""], author=[1, None]
    )
    assert batch.labels == [{"x", "y"}, set()]
    assert batch.groups == ["1", ""]


def test_only_named_columns_are_read(tmp_path):
    frame = pl.DataFrame({"body": ["a"], "n": ["1"], "topic": ["x"]})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_ndjson(tmp_path / "t.jsonl")
    frame.write_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.jsonl", "t.parquet"):
        (batch,) = open_table(tmp_path / name, Layout()).batches(["body", "topic"])
        assert batch.names == ["body", "topic"]
