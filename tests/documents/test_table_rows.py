import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as arrow
import pytest

from imbtext.documents import Documents, Roles
from imbtext.documents._table_rows import TableDocument, is_table_row

CELLS = {
    "subject": ["Invoice", None, "Rain"],
    "body": ["pay now", "oil up", ""],
    "amount": [10.5, None, 3.0],
    "country": ["de", "fr", None],
}
TABLES = {
    "pandas": pd.DataFrame(CELLS),
    "polars": pl.DataFrame(CELLS),
    "arrow": arrow.table(CELLS),
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_text_columns_are_joined_and_kept(table):
    documents = Documents.of(table, roles=Roles.of(["subject", "body"], ["amount", "country"]))
    assert documents.to_list() == ["Invoice\npay now", "\noil up", "Rain\n"]
    assert documents.field("subject").to_list() == ["Invoice", "", "Rain"]
    assert documents.pieces.to_list() == ["Invoice", "pay now", "", "oil up", "Rain", ""]
    assert documents.columns.rows() == [(10.5, "de"), (None, "fr"), (3.0, None)]
    assert documents.text_columns == ("subject", "body")


def test_an_array_of_two_dimensions_is_a_table_whose_columns_are_numbers():
    array = pd.DataFrame(CELLS).to_numpy()
    documents = Documents.of(array, roles=Roles.of([0, 1], "all"))
    assert documents.to_list() == ["Invoice\npay now", "\noil up", "Rain\n"]
    assert documents.columns.rows() == [(10.5, "de"), (None, "fr"), (3.0, None)]


def _with_gaps(dtype, gap):
    cells = pd.Series(["oil up", gap, "rain"], dtype=dtype)
    return pd.DataFrame({"s": cells, "b": ["x", "y", "z"]})


GAPS = {"s": ["oil up", None, "rain"], "b": ["x", "y", "z"]}
TABLES_WITH_GAPS = {
    "objects and None": _with_gaps(object, None),
    "objects and NaN": _with_gaps(object, np.nan),
    "objects and NA": _with_gaps(object, pd.NA),
    "objects and NaT": _with_gaps(object, pd.NaT),
    "strings of pandas": _with_gaps("string", pd.NA),
    "strings by default": pd.DataFrame(GAPS),
    "categories": _with_gaps("category", None),
    "pandas of Arrow": _with_gaps(pd.ArrowDtype(arrow.string()), None),
    "Polars": pl.DataFrame(GAPS),
    "categories of Polars": pl.DataFrame(GAPS).with_columns(pl.col("s").cast(pl.Categorical)),
    "Arrow": arrow.table(GAPS),
    "dictionary of Arrow": arrow.table(
        {"s": arrow.array(GAPS["s"]).dictionary_encode(), "b": GAPS["b"]}
    ),
}


@pytest.mark.parametrize("table", TABLES_WITH_GAPS.values(), ids=TABLES_WITH_GAPS)
def test_a_missing_text_of_a_table_is_empty_however_many_columns(table):
    for text in ("s", ["s"]):
        documents = Documents.of(table, roles=Roles.of(text))
        assert documents.to_list() == documents.texts.to_list() == ["oil up", "", "rain"]
    assert Documents.of(table, roles=Roles.of("s", "b")).to_list() == ["oil up", "", "rain"]
    assert Documents.of(table, roles=Roles.of(["s", "b"])).field("s").to_list() == [
        "oil up",
        "",
        "rain",
    ]
    alone = table.select(["s"]) if hasattr(table, "select") else table[["s"]]
    assert Documents.of(alone).to_list() == ["oil up", "", "rain"]
    with pytest.raises(ValueError, match=r"X\[1\] is missing"):
        Documents.of(table["s"])


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, arrow.table])
def test_a_column_without_any_text_is_empty_texts(kind):
    assert Documents.of(kind({"s": [None, None], "id": [1, 2]}), roles=Roles.of("s")).to_list() == [
        "",
        "",
    ]
    assert Documents.of(pd.DataFrame({"s": [np.nan] * 2}), roles=Roles.of("s")).to_list() == [
        "",
        "",
    ]


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, arrow.table])
def test_a_missing_token_list_of_a_table_is_an_empty_one(kind):
    documents = Documents.of(kind({"s": [None, ["oil", "up"], ["rain"]]}), roles=Roles.of("s"))
    assert documents.is_tokens
    assert documents.corpus().tokens() == [[], ["oil", "up"], ["rain"]]


@pytest.mark.parametrize("dtype", [object, str])
def test_one_column_of_an_array_has_a_number_too(dtype):
    array = np.array([["Invoice", "pay now"], ["Oil", "up"]], dtype=dtype)
    for text in (1, [1], np.int64(1)):
        documents = Documents.of(array, roles=Roles.of(text))
        assert documents.to_list() == ["pay now", "up"]
        assert documents.text_columns == (1,)
    assert Documents.of(array, roles=Roles.of(1, np.int64(0))).columns.columns == ["0"]
    with pytest.raises(ValueError, match="X has no column 2; its columns are 0, 1"):
        Documents.of(array, roles=Roles.of(2))
    with pytest.raises(ValueError, match=r"X is an array of shape \(2, 2\)"):
        Documents.of(array)


@pytest.mark.parametrize("text", ["body", ["body"], ["body", "subject"]])
@pytest.mark.parametrize("columns", [None, "amount"])
def test_a_number_among_texts_is_refused_however_many_columns(text, columns):
    table = pd.DataFrame({"body": ["oil", 12], "subject": ["a", "b"], "amount": [1, 2]})
    with pytest.raises(TypeError, match=r"X\['body'\]\[1\] is 12 \(int\); expected only strings"):
        Documents.of(table, roles=Roles.of(text, columns))
    with pytest.raises(TypeError, match=r"X\[:, 0\]\[1\] is 12 \(int\); expected only strings"):
        Documents.of(table.to_numpy(), roles=Roles.of(0 if text == "body" else [0, 1]))


def test_a_row_of_a_table_holds_its_cells_by_column():
    table = TABLES["pandas"]
    assert is_table_row(table.iloc[0], ["subject", "body"])
    assert is_table_row(TABLES["polars"].row(0, named=True), ["subject"])
    assert not is_table_row(table["subject"], ["subject", "body"])
    assert not is_table_row(table.iloc[0], [])
    # The index of a column may be the numbers of other columns.
    assert not is_table_row(table["subject"], [0, 1])


def test_rows_of_a_table_are_a_table_again():
    documents = Documents.of(TABLES["pandas"], roles=Roles.of(["subject", "body"], "all"))
    rows = np.array(pickle.loads(pickle.dumps(documents.to_list())), dtype=object)
    again = Documents.of(rows[[2, 0]])
    assert isinstance(again.to_list()[0], TableDocument)
    assert again.field("body").to_list() == ["", "pay now"]
    assert again.columns.rows() == [(3.0, None), (10.5, "de")]
    assert (again + documents).columns.height == 5


def test_values_of_several_kinds_become_strings():
    table = pd.DataFrame({"body": ["a", "b", "c"], "code": [7, "x", None]})
    beside = Documents.of(table, roles=Roles.of("body", ["code"])).columns
    assert beside["code"].to_list() == ["7", "x", None]


@pytest.mark.parametrize(
    ("table", "text", "columns", "message"),
    [
        (TABLES["polars"], ["subject", "bdy"], None, "no column 'bdy'.*did you mean 'body'"),
        (
            TABLES["pandas"],
            [],
            ["amount"],
            "no text column is named; name the column that holds the documents",
        ),
        (TABLES["pandas"], None, ["amount"], "no text column is named"),
        (TABLES["pandas"], ["body", "body"], None, "'body' has 2 roles"),
        (TABLES["arrow"], ["subject", "body"], ["body"], "'body' has 2 roles"),
        (TABLES["pandas"], ["subject", "amount"], None, "'amount'.*expected only strings"),
        (["a", "b"], ["subject", "body"], None, "X is a list; expected a table with the columns"),
    ],
)
def test_columns_that_are_not_there_are_refused(table, text, columns, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Documents.of(table, roles=Roles.of(text, columns))


def test_columns_of_pandas_may_have_numbers_for_names():
    table = pd.DataFrame(list(zip(*CELLS.values(), strict=True)))
    documents = Documents.of(table, roles=Roles.of([0, 1], [2]))
    assert documents.to_list() == ["Invoice\npay now", "\noil up", "Rain\n"]
    assert documents.columns.rows() == [(10.5,), (None,), (3.0,)]


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_one_column_beside_the_text_need_not_be_in_a_list(table):
    documents = Documents.of(table, roles=Roles.of("body", "amount"))
    assert documents.columns.columns == ["amount"]
