"""Documents and labels of tables: what is accepted, what is refused, and in which words."""

import json

import polars as pl
import pyarrow as pa
import pytest

from imbtext.tables import LabelRules, Layout, Roles, TableError, TableWarning, read_documents
from imbtext.tables._batches import Batch
from imbtext.tables._documents import DocumentReader
from imbtext.tables._opening import open_table
from imbtext.tables._rules import RowTally

PLAIN = LabelRules()
WITH_LABELS = Roles.of("body", label="topic")
WITH_GROUPS = Roles.of("body", label="topic", group="who")


def documents(roles=WITH_LABELS, rules=PLAIN, **cells):
    reader = DocumentReader(roles, rules, "t.parquet", "row")
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
    assert batch.to_list() == ["oil up", "", "", "oil up"]
    assert batch.y == ["oil", "rain", "rain", "oil"]
    assert reader.classes() == {"oil": 2, "rain": 2}


def test_a_label_is_checked_where_it_comes_first():
    with pytest.raises(TableError, match=r"row 3 .* has no label"):
        documents(rules=LabelRules("refuse"), body=["a"] * 4, topic=["x", "y", None, ""])
    with pytest.raises(TableError, match=r"row 2 .* has no label"):
        documents(rules=LabelRules("refuse"), body=["a"] * 4, topic=["x", "", "x", ""])


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
    reader = DocumentReader(WITH_LABELS)
    assert reader.documents(batch).to_list() == [""]
    assert batch.values("body") == [None]


def test_several_labels_and_groups():
    batch, _ = documents(
        Roles.of("body", label="topic", group="author", separator=";"),
        body=["a", "b"],
        topic=["x; y", ""],
        author=[1, None],
    )
    assert batch.y == [{"x", "y"}, set()]
    assert list(batch.groups) == ["1", ""]


def test_rows_without_a_group_are_told(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("body,topic,who\noil up,a,1\nsun out,b,\nrain on,b,\n")
    with pytest.warns(TableWarning, match="2 of 3 rows of .* have no group in column 'who'"):
        assert list(read_documents(path, WITH_GROUPS).groups) == ["1", "", ""]
    batch, _ = documents(WITH_GROUPS, body=["a", "b"], topic=["x", "y"], who=[1.0, float("nan")])
    assert list(batch.groups) == ["1.0", ""]


def test_equal_numbers_are_one_group(tmp_path):
    path = tmp_path / "t.jsonl"
    rows = [1, 1.0, "1", 2.5, [1], True]
    lines = [json.dumps({"body": "a", "topic": str(i), "who": row}) for i, row in enumerate(rows)]
    path.write_text("\n".join(lines))
    groups = list(read_documents(path, WITH_GROUPS).groups)
    assert groups == ["1", "1", "1", "2.5", "[1]", "1"]


def test_all_other_columns_must_have_names_of_their_own(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("body,topic,x,x\na b,c,1,2\n")
    with pytest.raises(TableError, match="has 2 columns named 'x'; rename all but one"):
        read_documents(path, Roles.of("body", "all", label="topic"))


def test_one_name_need_not_be_in_a_tuple(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("subject,body,topic,amount\na,b c,x,1\nd,e f,y,2\ng,h i,none,3\n")
    roles = Roles.of(["body", "subject"], "amount", label="topic")
    read = read_documents(path, roles, rules=LabelRules(ignored="none"))
    assert read.to_list() == ["b c\na", "e f\nd"]
    assert read.columns["amount"].to_list() == ["1", "2"]


def test_an_id_that_is_not_a_number_is_missing():
    reader = DocumentReader(Roles.of("body", id="id"), name="the table", unit="row")
    table = pa.table({"body": ["a", "b", "c"], "id": [1.0, float("nan"), None]})
    assert reader.documents(Batch.from_arrow(table)).ids == ["1.0", "", ""]


def test_numbers_that_are_equal_are_one_class_however_they_are_written(tmp_path):
    path = tmp_path / "t.jsonl"
    rows = [("a b", 1), ("c d", 1.0), ("e f", 0.0), ("g h", 0), ("i j", [1.0, 0])]
    path.write_text("\n".join(json.dumps({"body": b, "topic": t}) for b, t in rows[:4]))
    assert read_documents(path, WITH_LABELS).y == ["1", "1", "0.0", "0.0"]
    path.write_text("\n".join(json.dumps({"body": b, "topic": t}) for b, t in rows))
    labels = read_documents(path, WITH_LABELS, rules=LabelRules(several=True)).y
    assert labels[4] == frozenset({"1", "0.0"})


def test_only_named_columns_are_read(tmp_path):
    frame = pl.DataFrame({"body": ["a"], "n": ["1"], "topic": ["x"]})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_ndjson(tmp_path / "t.jsonl")
    frame.write_parquet(tmp_path / "t.parquet")
    for name in ("t.csv", "t.jsonl", "t.parquet"):
        (batch,) = open_table(tmp_path / name, Layout()).batches(["body", "topic"])
        assert batch.names == ["body", "topic"]


@pytest.mark.parametrize(
    "topic", [["x", None, "", "  ", "y"], [1.0, None, float("nan"), None, 2.0]]
)
def test_rows_without_a_label_are_left_out_and_counted(topic):
    batch, reader = documents(
        WITH_GROUPS, body=["a", "b", "c", "d", "e"], topic=topic, who=[1, 2, 3, 4, 5]
    )
    assert (batch.to_list(), batch.y, list(batch.groups)) == (
        ["a", "e"],
        [topic[0], topic[4]],
        ["1", "5"],
    )
    assert (reader.tally.n_rows, reader.tally.n_unlabelled) == (5, 3)
    with pytest.warns(TableWarning, match="3 of 5 rows of t.parquet have no label"):
        reader.check()


def test_a_list_of_labels_may_be_missing_and_may_be_empty():
    labels = pa.array([["x"], [], None, ["y", "unknown"]])
    reader = DocumentReader(WITH_LABELS, LabelRules(several=True, ignored=("unknown",)))
    table = pa.table({"body": ["a", "b", "c", "d"], "topic": labels})
    assert reader.documents(Batch.from_arrow(table)).y == [{"x"}, set()]
    assert (reader.tally.n_unlabelled, reader.tally.ignored) == (1, {"unknown": 1})


@pytest.mark.parametrize(
    ("name", "labels", "kept"),
    [
        ("?", ["x", "?", "y"], ["x", "y"]),
        ("3", [1, 3, 2], [1, 2]),
        ("true", [True, False], [False]),
    ],
)
def test_labels_to_ignore_are_called_as_one_types_them(name, labels, kept):
    batch, reader = documents(
        rules=LabelRules(ignored=(name,)), body=["a"] * len(labels), topic=labels
    )
    assert batch.y == kept
    assert reader.tally.ignored == {name: 1}


def test_a_label_to_ignore_must_be_there():
    _, reader = documents(rules=LabelRules(ignored=("unknwon",)), body=["a"], topic=["unknown"])
    with pytest.raises(TableError, match=r"no label 'unknwon' to ignore.*did you mean 'unknown'"):
        reader.check()
    reader.check(for_test=True)


def test_texts_without_a_word(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("body,topic\n,a\n--,b\n  ,b\n")
    with pytest.raises(TableError, match=r"none of the 3 texts in column 'body' .* has a word"):
        read_documents(path, WITH_LABELS)
    path.write_text("body,topic\n,a\noil,b\n  ,b\n\u6cb9,a\n", "utf-8")
    with pytest.warns(TableWarning, match=r"2 of 4 texts in column 'body' .* have no word in them"):
        assert len(read_documents(path, WITH_LABELS)) == 4


def test_numbers_for_texts(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("body,topic\n12.50,a\n2024-05-01,b\noil up 5 %,b\n")
    with pytest.warns(TableWarning, match="holds numbers rather than texts in 2 of 3 rows"):
        read_documents(path, WITH_LABELS)


def test_ids_are_no_classes():
    ids = [f"T{n}" for n in range(200)]
    _, reader = documents(body=["a"] * 200, topic=ids)
    with pytest.raises(TableError, match="200 classes, 200 of them with a single document; is it"):
        reader.check()
    _, reader = documents(rules=LabelRules(many_classes=True), body=["a"] * 200, topic=ids)
    reader.check()
    _, reader = documents(body=["a"] * 200, topic=[f"T{n % 80}" for n in range(200)])
    reader.check()


def test_tallies_add_up():
    _, whole = documents(body=["a", "", "1", "b"], topic=["x", "y", None, "x"])
    _, first = documents(body=["a", ""], topic=["x", "y"])
    _, second = documents(body=["1", "b"], topic=[None, "x"])
    assert sum((first.tally, second.tally), RowTally()) == whole.tally
