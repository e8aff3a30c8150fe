"""Documents as rows of a table: text columns, and columns beside the text.

A team's document is a row: a subject and a body, an amount, a country, a date. The package works on
texts, so such a row becomes a :class:`TableDocument`: a string of its text columns, one below the
other, that also carries each of them and the cells beside them. Code that works on strings
(oversamplers, tokenizers, near-duplicates) sees a string:

>>> row = TableDocument(("subject", "body"), ("Invoice", "Pay now"), ("amount",), (120.5,))
>>> row.splitlines(), row.texts, row.cells
(['Invoice', 'Pay now'], ('Invoice', 'Pay now'), (120.5,))

:func:`read_table` reads columns of pandas, Polars and Arrow tables by name, and columns of
two-dimensional arrays by number. Other columns are ignored.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from narwhals import dependencies as native

from imbtext._messages import DataWarning, listed, warn_user
from imbtext._typing import ColumnName, TableLike
from imbtext.documents._containers import check_names, column_title, names_of
from imbtext.documents._roles import Roles
from imbtext.documents._tokenization import is_missing, string_column


class TableDocument(str):
    """The text columns of a row, joined, with each of them and the cells beside them."""

    __slots__ = ("cells", "columns", "names", "texts")
    names: tuple[ColumnName, ...]
    texts: tuple[str, ...]
    columns: tuple[ColumnName, ...]
    cells: tuple[object, ...]

    def __new__(
        cls,
        names: tuple[ColumnName, ...],
        texts: tuple[str, ...],
        columns: tuple[ColumnName, ...] = (),
        cells: tuple[object, ...] = (),
    ) -> "TableDocument":
        document = super().__new__(cls, "\n".join(texts))
        document.names, document.texts = names, texts
        document.columns, document.cells = columns, cells
        return document

    def __reduce__(self) -> tuple[object, ...]:
        return TableDocument, (self.names, self.texts, self.columns, self.cells)


def table_rows(
    fields: Mapping[ColumnName, pl.Series], columns: pl.DataFrame | None
) -> list[TableDocument]:
    """Return rows of a table, given by their text columns and those beside them."""
    names = tuple(fields)
    texts = zip(*(column.to_list() for column in fields.values()), strict=True)
    if columns is None:
        return [TableDocument(names, row) for row in texts]
    beside, cells = tuple(columns.columns), columns.rows()
    return [TableDocument(names, t, beside, c) for t, c in zip(texts, cells, strict=True)]


def columns_of_rows(
    rows: Sequence[TableDocument],
) -> tuple[dict[ColumnName, pl.Series], pl.DataFrame | None]:
    """Return the text columns, and those beside them, of rows that were documents of a table."""
    first = rows[0]
    fields = {
        name: pl.Series(str(name), [row.texts[i] for row in rows], pl.String)
        for i, name in enumerate(first.names)
    }
    if not first.columns:
        return fields, None
    columns = [
        _column_of_cells(name, [row.cells[i] for row in rows])
        for i, name in enumerate(first.columns)
    ]
    return fields, pl.DataFrame(columns)


def table_of_cells(cells: Mapping[str, list[object]]) -> pl.DataFrame:
    """Return a table from columns that are lists of Python values.

    Examples
    --------
    >>> table_of_cells({"amount": [1, None, 2.5], "code": ["A", 7, None]}).rows()
    [(1.0, 'A'), (None, '7'), (2.5, None)]
    """
    return pl.DataFrame([_column_of_cells(name, values) for name, values in cells.items()])


def is_table_row(document: object, text: Sequence[ColumnName]) -> bool:
    """Return whether this is a row of a table with these text columns: its cells by column.

    A row of pandas is a Series with the names of the columns in its index. Columns without names
    have numbers, as rows do, so a Series of theirs could as well be a column; it is not taken.

    Examples
    --------
    >>> is_table_row({"subject": "Oil", "id": 7}, ["subject"]), is_table_row("Oil", ["subject"])
    (True, False)
    """
    if isinstance(document, Mapping):
        return bool(text)
    return native.is_pandas_series(document) and any(
        isinstance(name, str) and name in document.index for name in text
    )


def read_table(
    table: TableLike, roles: Roles, name: str
) -> tuple[dict[ColumnName, pl.Series], pl.DataFrame | None]:
    """Read the text columns of a table and those beside them.

    ``columns="all"`` takes all that have no other role. It leaves out lists and records with a
    warning, because the user cannot.
    """
    names = names_of(table)
    take_all = roles.columns == "all"
    # A model remembers columns by their names as strings; those of an array are numbers.
    spelt = {str(column): column for column in names}
    columns = roles.resolved(names).columns
    beside = [c if c in names else spelt.get(str(c), c) for c in columns]
    check_names(names, [*roles.text, *beside], name)
    if both := [column for column in beside if column in roles.text]:
        raise ValueError(
            f"the column {both[0]!r} is a text column and a column beside the text; name it once"
        )
    fields = {column: _text_column(table, column, name) for column in roles.text}
    cells = {column: _column_of(table, column) for column in beside}
    if take_all:
        nested = [column for column in beside if cells[column].dtype.is_nested()]
        beside = [column for column in beside if column not in nested]
        if nested:
            warn_of_nested(nested)
    return fields, pl.DataFrame([cells[column] for column in beside]) if beside else None


def warn_of_nested(names: Sequence[ColumnName]) -> None:
    """Warn of columns of lists and records that were left out."""
    warn_user(
        f"left out {listed(names)}: lists and records cannot stand beside the text", DataWarning
    )


def _text_column(table: TableLike, column: ColumnName, name: str) -> pl.Series:
    """Return a text column; a missing cell is an empty text, and other values are refused."""
    cells = _polars_or_list(table, column)
    if isinstance(cells, pl.Series) and cells.dtype == pl.String:
        return cells.fill_null("")
    texts = ["" if is_missing(cell) else cell for cell in cells]
    return string_column(texts, column_title(table, column, name)).alias(str(column))


def _column_of(table: TableLike, name: ColumnName) -> pl.Series:
    """Return a column as a Polars column; categories and values of several kinds are strings."""
    cells = _polars_or_list(table, name)
    return cells if isinstance(cells, pl.Series) else _column_of_cells(name, cells)


def _polars_or_list(table: Any, name: Any) -> pl.Series | list[object]:
    """Return a column as a Polars column, or as a list if its values are of several kinds."""
    if isinstance(table, np.ndarray):
        return list(table[:, name].tolist())
    column = nw.from_native(table[name], series_only=True)
    try:
        series: pl.Series = column.to_polars().alias(str(name))
    except (TypeError, ValueError, ImportError, pl.exceptions.PolarsError):
        return list(column.to_list())
    return series.cast(pl.String) if series.dtype in (pl.Categorical, pl.Enum) else series


def _column_of_cells(name: ColumnName, values: list[object]) -> pl.Series:
    values = [None if is_missing(value) else value for value in values]
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) > 1 and not kinds <= {int, float}:
        values = [None if value is None else str(value) for value in values]
    return pl.Series(str(name), values, strict=False)
