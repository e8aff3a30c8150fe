"""The containers of documents and labels: how each is read and extended.

Only this module knows pandas, Polars and Arrow columns, tables and arrays. :func:`rows_of` returns
the rows of any column as Python objects, and :func:`extend` returns a column of the same kind with
new values behind it:

>>> rows_of(pl.Series(["oil up", "gold down"]), "X"), extend(("oil up",), ["oil down"])
(['oil up', 'gold down'], ('oil up', 'oil down'))
"""

from collections.abc import Hashable, Sequence
from itertools import chain
from typing import Any, TypeGuard

import numpy as np
import polars as pl
from narwhals import dependencies as native
from scipy.sparse import issparse

from imbtext._extras import require
from imbtext._messages import did_you_mean, listed
from imbtext._typing import Array, ArrowColumn, ColumnName, Document, TableLike

KINDS = "a list of strings, a list of token lists, or a NumPy, pandas, Polars or Arrow column"


def adopted(container: Any) -> Any:
    """Return a container of another library as one of those below; these stay as they are.

    Lazy frames of Polars are collected. Data sets of Hugging Face and whatever speaks Arrow's
    PyCapsule interface (relations of DuckDB, tables of Ibis) become Arrow tables or columns. Any
    other sequence becomes a list.
    """
    if native.is_polars_lazyframe(container):
        return container.collect()
    if (
        container is None
        or isinstance(container, list | tuple | str | bytes | bytearray | np.ndarray)
        or native.is_polars_series(container)
        or native.is_pandas_series(container)
        or is_table(container)
        or is_arrow(container)
        or native.is_pandas_index(container)
        or is_pandas_array(container)
    ):
        return container
    if hasattr(container, "with_format") and type(container).__module__.startswith("datasets."):
        return container.with_format("arrow")[:]
    if hasattr(container, "__arrow_c_stream__") or hasattr(container, "__arrow_c_array__"):
        return _from_arrow(container)
    return list(container) if isinstance(container, Sequence) else container


def adopted_column(values: Any) -> Any:
    """Return values, one per document, as `adopted` does; what has one column is that column.

    Relations and lazy frames always have columns. A table whose column the user can take stays a
    table, which :meth:`Labels.of` refuses, because it may be a matrix with one class.
    """
    column = adopted(values)
    if column is values or not is_table(column) or len(names_of(column)) != 1:
        return column
    return table_column(column, names_of(column)[0])


def _from_arrow(container: Any) -> Any:
    """Return a table, or a column if the rows are single values."""
    arrow = require("pyarrow")
    if not hasattr(container, "__arrow_c_stream__"):
        return arrow.array(container)
    try:
        return arrow.table(container)
    except (TypeError, ValueError, arrow.ArrowException):
        return arrow.chunked_array(container)


def is_table(container: object, *, arrays: bool = False) -> "TypeGuard[TableLike]":
    """Return whether this is a pandas, Polars or Arrow table, or with `arrays` a 2-D array."""
    if isinstance(container, np.ndarray):
        return arrays and container.ndim == 2
    return (
        native.is_pandas_dataframe(container)
        or native.is_polars_dataframe(container)
        or native.is_pyarrow_table(container)
    )


def are_texts(
    documents: Sequence[Document] | pl.Series,
) -> TypeGuard[Sequence[str] | pl.Series]:
    """Return whether documents are strings, not token lists; all of them are of one kind."""
    return not len(documents) or isinstance(documents[0], str)


def rows_of(container: Any, name: str, expected: str = KINDS) -> Sequence[Any]:
    """Return the rows of a one-dimensional container as a sequence of Python objects."""
    container, kind = adopted(container), type(container).__name__
    if isinstance(container, str | bytes | bytearray):
        raise TypeError(f"{name} is a single {kind}; expected {expected}: wrap it in a list")
    if isinstance(container, list | tuple):
        return container
    if isinstance(container, np.ndarray):
        if container.ndim != 1:
            advice = f": pass one of its columns, such as {name}[:, 0]"
            raise ValueError(
                f"{name} is an array of shape {container.shape}; expected {expected}, in one "
                f"dimension{advice * (container.ndim == 2)}"
            )
        if container.dtype.kind in "mM":  # NumPy lists times of other units as numbers
            container = container.astype(f"{container.dtype.kind}8[us]")
        return list(container.tolist())
    if native.is_polars_series(container):
        return container.to_list()
    if native.is_pandas_series(container) or native.is_pandas_index(container):
        return container.to_list()
    if is_pandas_array(container):
        return list(container.tolist())
    if is_arrow(container):
        return list(container.to_pylist())
    if native.is_into_dataframe(container):
        names = names_of(container) if is_table(container) else []
        column = column_title(container, names[0] if names else "text", name)
        raise TypeError(f"{name} is a table ({kind}); pass one of its columns, such as {column}")
    vectors = ": give documents, as they are before a vectorizer" if issparse(container) else ""
    raise TypeError(f"{name} is a {kind}; expected {expected}{vectors}")


def is_arrow(container: object) -> TypeGuard[ArrowColumn]:
    """Return whether this is an Arrow column, in one piece or several."""
    arrow = native.get_pyarrow()
    return arrow is not None and isinstance(container, arrow.Array | arrow.ChunkedArray)


def is_pandas_array(container: object) -> bool:
    """Return whether this is the array inside a pandas column, as in ``table["text"].values``.

    Since version 3, pandas does not keep texts in a NumPy array.
    """
    pandas = native.get_pandas()
    return pandas is not None and isinstance(container, pandas.api.extensions.ExtensionArray)


def extend(container: Any, new: Any) -> Any:
    """Return a column of the same kind: `container`, then `new`."""
    if isinstance(container, list):
        return [*container, *new]
    if isinstance(container, tuple):
        return (*container, *new)
    if isinstance(container, np.ndarray):
        return _extend_array(container, new)
    if native.is_polars_series(container):
        if container.dtype in (pl.Categorical, pl.Enum):
            container = container.cast(pl.String)
        elif isinstance(container.dtype, pl.Array):
            # New documents have lengths of their own.
            container = container.cast(pl.List(container.dtype.inner))
        return pl.concat([container, pl.Series(container.name, new, dtype=container.dtype)])
    if is_arrow(container):
        return _extend_arrow(container, new)
    return _extend_pandas(container, new)


def _extend_pandas(container: Any, new: Any) -> Any:
    pandas = native.get_pandas()
    if is_pandas_array(container):
        # Without a dtype, pandas 3 makes a column of strings of an array of objects. The type is
        # compared exactly: in pandas 2 arrays of strings derive from it.
        of_numpy = type(container) is pandas.arrays.NumpyExtensionArray
        dtype = container.dtype.numpy_dtype if of_numpy else container.dtype
        return _extend_pandas(pandas.Series(container, dtype=dtype), new).array
    series = container if native.is_pandas_series(container) else container.to_series()
    if isinstance(new, list):
        if isinstance(series.dtype, pandas.CategoricalDtype):
            series = series.astype(series.cat.categories.dtype)
        new = pandas.Series(new, dtype=series.dtype, name=series.name)
    longer = pandas.concat([series, pandas.Series(new)], ignore_index=True)
    return longer if native.is_pandas_series(container) else pandas.Index(longer)


def _extend_array(array: Array, new: list[object]) -> Array:
    if array.dtype != object:
        return np.concatenate([array, np.array(new, dtype=array.dtype.type)]) if new else array
    return np.fromiter(chain(array, new), object, len(array) + len(new))


def _extend_arrow(container: "ArrowColumn", new: "list[object] | ArrowColumn") -> "ArrowColumn":
    arrow = native.get_pyarrow()
    if arrow.types.is_dictionary(container.type) and isinstance(new, list):
        container = container.cast(container.type.value_type)
    if arrow.types.is_fixed_size_list(container.type):
        # New documents have lengths of their own.
        container = container.cast(arrow.list_(container.type.value_type))
    if isinstance(new, list):
        new = arrow.array(new, type=container.type)
    chunks = [
        *(container.chunks if isinstance(container, arrow.ChunkedArray) else [container]),
        *(new.chunks if isinstance(new, arrow.ChunkedArray) else [new]),
    ]
    longer = arrow.chunked_array(chunks, type=container.type)
    if isinstance(container, arrow.ChunkedArray):
        return longer
    return longer.combine_chunks() if len(longer) else container


def names_of(table: TableLike) -> list[ColumnName]:
    """Return the names of a table's columns; those of an array are numbers."""
    if isinstance(table, np.ndarray):
        return list(range(table.shape[1]))
    return list(table.column_names if native.is_pyarrow_table(table) else table.columns)


def check_names(names: Sequence[Hashable], expected: Sequence[Hashable], table: str) -> None:
    """Raise unless a table of these column names has each of the expected ones once."""
    missing = [name for name in expected if name not in names]
    if missing:
        column = f"columns {listed(missing)}" if len(missing) > 1 else f"column {missing[0]!r}"
        advice = did_you_mean(missing[0], names)
        if names and all(isinstance(name, int) for name in names):
            advice = (
                "; let the step before it keep their names with .set_output(transform='pandas'), "
                "or name columns by their numbers"
            )
        raise ValueError(f"{table} has no {column}; its columns are {listed(names)}{advice}")
    for name in expected:
        n_columns = list(names).count(name)
        if n_columns > 1:
            raise ValueError(f"{table} has {n_columns} columns named {name!r}; rename all but one")


def column_title(table: object, column: ColumnName, name: str) -> str:
    """Return what messages call a column of the table `name`: the code that selects it."""
    return f"{name}[:, {column}]" if isinstance(table, np.ndarray) else f"{name}[{column!r}]"


def single_text_column(table: TableLike, text: ColumnName | None, name: str) -> ColumnName:
    """Return the text column of a table; a single column needs no name."""
    names = names_of(table)
    if text is None and len(names) == 1:
        text = names[0]
    if text is None:
        kind = type(table).__name__
        raise TypeError(
            f"{name} is a table ({kind}) with the columns {listed(names)}; "
            f"pass the column that holds the documents, such as {name}[{names[0]!r}] (samplers "
            "and RareTextClassifier also take its name, as in EMCO(text='body'))"
            if names
            else f"{name} is a table ({kind}) without columns; pass {KINDS}"
        )
    check_names(names, [text], name)
    return text


def table_column(table: Any, name: ColumnName) -> Any:
    """Return a column of a table as its library holds it."""
    key: Any = (slice(None), name) if isinstance(table, np.ndarray) else name
    return table[key]


def extend_table(table: Any, text: ColumnName, new: Sequence[Document]) -> Any:
    """Return the table with a new row per document; its other columns are missing there."""
    longer = extend(table_column(table, text), new)
    if isinstance(table, np.ndarray):
        rows: Any = np.full((len(new), table.shape[1]), None, dtype=object)
        rows[:, text] = longer[len(table) :]
        return np.concatenate([table, rows]) if new else table
    if native.is_polars_dataframe(table):
        longer_table = pl.concat([table, table.clear(len(new))])
        return longer_table.with_columns(longer.alias(text))
    if native.is_pyarrow_table(table):
        arrow = native.get_pyarrow()
        columns = {
            name: longer
            if name == text
            else arrow.chunked_array([*table[name].chunks, arrow.nulls(len(new), table[name].type)])
            for name in table.column_names
        }
        return arrow.table(columns)
    longer_table = table.reset_index(drop=True).reindex(range(len(table) + len(new)))
    longer_table[text] = longer.to_numpy() if longer.dtype == object else longer.array
    return longer_table
