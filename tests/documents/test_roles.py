"""Roles: naming the columns of a table, or passing their values, but not both."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from imbtext.documents import Documents, Roles

CELLS = {
    "body": ["oil up", "rain", "gas"],
    "topic": ["oil; gas", "", "gas"],
    "who": ["a", "b", "a"],
    "sent": ["2024-05-31", "2024-06-01", "2024-06-02"],
    "key": ["k1", "k2", "k3"],
    "n": [1, 2, 3],
}
ROLES = Roles.of(
    "body", label="topic", group="who", time="sent", id="key", weight="n", separator=";"
)
TABLES = [pd.DataFrame(CELLS), pl.DataFrame(CELLS), pa.table(CELLS)]


@pytest.mark.parametrize("table", TABLES, ids=["pandas", "polars", "arrow"])
def test_every_role_is_a_column_of_the_table(table):
    documents = Documents.of(table, roles=ROLES).labelled()
    assert documents.to_list() == CELLS["body"]
    assert documents.labels.sets == ({"oil", "gas"}, set(), {"gas"})
    assert documents.groups.tolist() == CELLS["who"]
    assert documents.times.astype("M8[D]").astype(str).tolist() == CELLS["sent"]
    assert (documents.ids, documents.weights.tolist()) == (CELLS["key"], [1, 2, 3])
    assert documents.text_columns == ("body",)


def test_all_columns_are_those_without_another_role():
    documents = Documents.of(TABLES[1], roles=Roles.of("body", "all", label="topic", id="key"))
    assert documents.columns.columns == ["who", "sent", "n"]


def test_columns_of_arrays_have_numbers():
    array = pd.DataFrame(CELLS).to_numpy()
    documents = Documents.of(array, roles=Roles.of(0, label=2, weight=5)).labelled()
    assert documents.labels.values.tolist() == CELLS["who"]
    assert documents.weights.tolist() == [1, 2, 3]


@pytest.mark.parametrize("role", ["label", "group", "time", "id", "weight"])
def test_a_role_that_is_named_and_passed_is_refused(role):
    names = {"label": "y", "group": "groups", "time": "time", "id": "ids"}
    values = {names.get(role, "sample_weight"): ["1", "2", "3"]}
    with pytest.raises(TypeError, match=f"column 'who' for the {role}, and its values were passed"):
        Documents.of(TABLES[0], roles=Roles.of("body", **{role: "who"}), **values)


def test_a_column_has_one_role():
    with pytest.raises(ValueError, match=r"'body' has 2 roles \(text and label\)"):
        Roles.of("body", label="body")
    Roles.of("body", ["sent"], time="sent")  # a time may stand beside the text, too


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"X has no column 'tpic'.*did you mean 'topic'"):
        Documents.of(TABLES[0], roles=Roles.of("body", label="tpic"))
    with pytest.raises(TypeError, match="X is a list; expected a table with the columns 'topic'"):
        Documents.of(["x"], roles=Roles(label="topic"))
