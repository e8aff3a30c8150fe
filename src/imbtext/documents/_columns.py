"""Columns and tables of any kind: rows out of them, and the same kind, longer, back.

A list, a tuple, a NumPy array, a pandas, Polars or Arrow column, or a table with such a column.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Self

import numpy as np
import polars as pl
from narwhals import dependencies as native
from numpy.typing import NDArray

KINDS = "a list of strings, a list of token lists, or a NumPy, pandas, Polars or Arrow column"


@dataclass(frozen=True, eq=False)
class Table:
    """A table, and the name of its column of documents."""

    frame: Any
    text: Any

    @classmethod
    def of(cls, frame: Any, text: Any, name: str) -> Self:
        """Take a table; a single column needs no name."""
        names = list(frame.column_names if native.is_pyarrow_table(frame) else frame.columns)
        shown = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
        if text is None and len(names) == 1:
            text = names[0]
        if text is None:
            raise TypeError(
                f"{name} is a table ({type(frame).__name__}) with the columns {shown}; name the "
                "one of the documents, as in EMCO(text='body'), or pass that column itself"
            )
        if names.count(text) != 1:
            found = "has no" if text not in names else f"has {names.count(text)} times the"
            raise ValueError(f"{name} {found} column {text!r}; its columns are {shown}")
        return cls(frame, text)

    @property
    def column(self) -> Any:
        """The column of the documents."""
        return self.frame[self.text]

    def extend(self, new: list[Any]) -> Any:
        """Return the table with rows behind it that have a document and else missing values."""
        frame, longer = self.frame, extend(self.column, new)
        if native.is_polars_dataframe(frame):
            whole = pl.concat([frame, frame.clear(len(new))])
            return whole.with_columns(longer.alias(self.text))
        if native.is_pyarrow_table(frame):
            arrow = native.get_pyarrow()
            columns = {
                name: longer
                if name == self.text
                else arrow.chunked_array(
                    [*frame[name].chunks, arrow.nulls(len(new), frame[name].type)]
                )
                for name in frame.column_names
            }
            return arrow.table(columns)
        whole = frame.reset_index(drop=True).reindex(range(len(frame) + len(new)))
        whole[self.text] = longer.to_numpy() if longer.dtype == object else longer.array
        return whole


def is_table(container: Any) -> bool:
    """Say whether this is a table held in memory, of pandas, Polars or Arrow."""
    return (
        native.is_pandas_dataframe(container)
        or native.is_polars_dataframe(container)
        or native.is_pyarrow_table(container)
    )


def rows_of(container: Any, name: str, expected: str = KINDS) -> Sequence[Any]:
    """Return the rows of a one-dimensional container as a sequence of Python objects."""
    given = type(container).__name__
    if isinstance(container, str | bytes | bytearray):
        raise TypeError(f"{name} is a single {given}; expected {expected}: wrap it in a list")
    if isinstance(container, list | tuple):
        return container
    if isinstance(container, np.ndarray):
        if container.ndim != 1:
            raise ValueError(
                f"{name} is an array of shape {container.shape}; expected one dimension, one "
                "document per row: pass one column, or a list of token lists"
            )
        return container.tolist()
    if native.is_polars_series(container):
        return container.to_list()
    if native.is_pandas_series(container) or native.is_pandas_index(container):
        return container.to_list()
    if is_arrow(container):
        return container.to_pylist()
    if native.is_into_dataframe(container) or native.is_polars_lazyframe(container):
        raise TypeError(f"{name} is a table ({given}); pass one of its columns, as table['text']")
    raise TypeError(f"{name} is a {given}; expected {expected}")


def is_arrow(container: Any) -> bool:
    """Say whether this is an Arrow column, in one piece or several."""
    arrow = native.get_pyarrow()
    return arrow is not None and isinstance(container, arrow.Array | arrow.ChunkedArray)


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
    pandas = native.get_pandas()
    series = container if native.is_pandas_series(container) else container.to_series()
    if isinstance(new, list):
        if isinstance(series.dtype, pandas.CategoricalDtype):
            series = series.astype(series.cat.categories.dtype)
        new = pandas.Series(new, dtype=series.dtype, name=series.name)
    longer = pandas.concat([series, new], ignore_index=True)
    return longer if native.is_pandas_series(container) else pandas.Index(longer)


def _extend_array(array: NDArray[Any], new: list[Any]) -> NDArray[Any]:
    if array.dtype != object:
        return np.concatenate([array, np.array(new, dtype=array.dtype.type)]) if new else array
    return np.fromiter(chain(array, new), object, len(array) + len(new))


def _extend_arrow(container: Any, new: Any) -> Any:
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
