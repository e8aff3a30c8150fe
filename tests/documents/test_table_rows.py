import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as arrow
import pytest

from imbtext.documents import Documents, TableDocument

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
    documents = Documents.of(table, text=["subject", "body"], columns=["amount", "country"])
    assert documents.rows == ["Invoice\npay now", "\noil up", "Rain\n"]
    assert documents.field("subject").rows == ["Invoice", "", "Rain"]
    assert documents.pieces.to_list() == ["Invoice", "pay now", "", "oil up", "Rain", ""]
    assert documents.table.beside.rows() == [(10.5, "de"), (None, "fr"), (3.0, None)]
    assert documents.column_names == ("subject", "body")


def test_an_array_of_two_dimensions_is_a_table_whose_columns_are_numbers():
    array = pd.DataFrame(CELLS).to_numpy()
    documents = Documents.of(array, text=[0, 1], columns="all")
    assert documents.rows == ["Invoice\npay now", "\noil up", "Rain\n"]
    assert documents.table.beside.rows() == [(10.5, "de"), (None, "fr"), (3.0, None)]


def test_rows_of_a_table_are_a_table_again():
    documents = Documents.of(TABLES["pandas"], text=["subject", "body"], columns="all")
    rows = np.array(pickle.loads(pickle.dumps(documents.rows)), dtype=object)
    again = Documents.of(rows[[2, 0]])
    assert isinstance(again.rows[0], TableDocument)
    assert again.field("body").rows == ["", "pay now"]
    assert again.table.beside.rows() == [(3.0, None), (10.5, "de")]
    assert again.followed_by(documents).table.beside.height == 5


def test_values_of_several_kinds_become_strings():
    table = pd.DataFrame({"body": ["a", "b", "c"], "code": [7, "x", None]})
    beside = Documents.of(table, text="body", columns=["code"]).table.beside
    assert beside["code"].to_list() == ["7", "x", None]


@pytest.mark.parametrize(
    ("table", "text", "columns", "message"),
    [
        (TABLES["polars"], ["subject", "bdy"], None, "no column 'bdy'.*did you mean 'body'"),
        (
            TABLES["pandas"],
            [],
            ["amount"],
            r"text is \[\]; name the column that holds the documents",
        ),
        (TABLES["pandas"], None, ["amount"], "text is None; name the column that holds"),
        (TABLES["pandas"], ["body", "body"], None, "'body' is named 2 times"),
        (TABLES["arrow"], ["subject", "body"], ["body"], "'body' is named 2 times"),
        (TABLES["pandas"], ["subject", "amount"], None, "'amount'.*expected only strings"),
        (["a", "b"], ["subject", "body"], None, "X is a list; expected a table with the columns"),
    ],
)
def test_columns_that_are_not_there_are_refused(table, text, columns, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Documents.of(table, text=text, columns=columns)


def test_columns_of_pandas_may_have_numbers_for_names():
    table = pd.DataFrame(list(zip(*CELLS.values(), strict=True)))
    documents = Documents.of(table, text=[0, 1], columns=[2])
    assert documents.rows == ["Invoice\npay now", "\noil up", "Rain\n"]
    assert documents.table.beside.rows() == [(10.5,), (None,), (3.0,)]


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_one_column_beside_the_text_need_not_be_in_a_list(table):
    documents = Documents.of(table, text="body", columns="amount")
    assert documents.table.beside.columns == ["amount"]
