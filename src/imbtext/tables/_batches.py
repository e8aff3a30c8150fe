"""Batches of rows, and the interfaces of readers and writers.

A :class:`TableFile` reads a file as batches; a :class:`TableWriter` writes batches, perhaps with
columns added, and new rows. Both work in bounded memory, so files may be larger than memory.

A batch holds its cells by column. Most columns are Arrow arrays: strings from CSV files, and from
Parquet files the type that the file declares. Two kinds of columns are lists of Python values: the
keys of JSON lines, which may hold a number in one line and a list in the next, and the columns of
a CSV file that Arrow cannot read (see ``_csv.py``).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import IO, Any, ClassVar, Self, TypeAlias

import numpy as np
import pyarrow as arrow
from numpy.typing import NDArray

from imbtext._typing import ArrowColumn
from imbtext.tables._errors import TableError
from imbtext.tables._formats import Layout

BatchColumn: TypeAlias = "list[object] | ArrowColumn"


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows of a table.

    Attributes
    ----------
    names : list of str
        The names of the columns. CSV files may repeat a name; JSON lines may add names later.
    columns : list of Arrow arrays or lists
        The cells of each column.
    lines : array of int
        The line of the file on which each row ends; in Parquet files, the row's number.
    raw : list of str
        JSON lines as they are written; empty for other formats.

    Examples
    --------
    >>> batch = Batch.from_arrow(arrow.table({"body": ["oil up", None]}))
    >>> batch.values("body"), batch.values("topic"), batch.lines.tolist()
    (['oil up', None], [None, None], [1, 2])
    """

    names: list[str]
    columns: list[BatchColumn]
    lines: NDArray[np.int64]
    raw: list[str] = field(default_factory=list)

    @classmethod
    def from_arrow(cls, table: arrow.Table, rows_before: int = 0) -> "Batch":
        """Return the rows of an Arrow table, numbered from those before it."""
        lines = np.arange(rows_before + 1, rows_before + len(table) + 1)
        return cls(table.column_names, table.columns, lines)

    def __len__(self) -> int:
        return len(self.lines)

    def column(self, name: str) -> BatchColumn:
        """Return one column, an Arrow array or a list; all None if the batch does not have it."""
        if name not in self.names:
            return [None] * len(self)
        return self.columns[self.names.index(name)]

    def values(self, name: str) -> list[object]:
        """Return one column as a list of Python values."""
        return _as_list(self.column(name))

    def select(self, indices: Sequence[int]) -> "Batch":
        """Return the rows at `indices`."""
        return replace(
            self,
            columns=[_taken(column, indices) for column in self.columns],
            lines=self.lines[list(indices)],
            raw=[self.raw[i] for i in indices] if self.raw else [],
        )

    def followed_by(self, *others: "Batch") -> "Batch":
        """Return these rows and later ones of the same table."""
        batches = [self, *others]
        names = batches[-1].names  # the last batch has the columns of all before it
        if len(set(names)) == len(names):
            columns = [[batch.column(name) for batch in batches] for name in names]
        else:
            columns = [list(pieces) for pieces in zip(*(b.columns for b in batches), strict=True)]
        return Batch(
            names,
            [_joined(pieces) for pieces in columns],
            np.concatenate([batch.lines for batch in batches]),
            [line for batch in batches for line in batch.raw],
        )


def _as_list(column: BatchColumn) -> list[object]:
    """Return a column of a batch as a list of Python values."""
    values: list[object] = column if isinstance(column, list) else column.to_pylist()
    return values


def _taken(column: BatchColumn, indices: Sequence[int]) -> BatchColumn:
    if isinstance(column, list):
        return [column[i] for i in indices]
    try:
        return column.take(arrow.array(indices, arrow.int64()))
    except arrow.ArrowNotImplementedError:  # as for string views, alone or in lists
        return arrow_column([column[i].as_py() for i in indices], column.type)


def _joined(pieces: Sequence[BatchColumn]) -> BatchColumn:
    arrays = [piece for piece in pieces if not isinstance(piece, list)]
    if len(arrays) < len(pieces):
        return [value for piece in pieces for value in _as_list(piece)]
    chunks = [chunk for array in arrays for chunk in _chunks(array)]
    return arrow.chunked_array(chunks, arrays[0].type).unify_dictionaries()


def _chunks(column: ArrowColumn) -> list[arrow.Array]:
    return column.chunks if isinstance(column, arrow.ChunkedArray) else [column]


def arrow_column(values: object, kind: arrow.DataType) -> ArrowColumn:
    """Return values, or a column of a batch, as an Arrow array of a type."""
    if isinstance(values, arrow.Array | arrow.ChunkedArray):
        column: Any = values
        if arrow.types.is_dictionary(column.type) and not arrow.types.is_dictionary(kind):
            column = column.cast(column.type.value_type)
        return column if column.type == kind else column.cast(kind)
    if arrow.types.is_dictionary(kind):
        return arrow.array(values, type=kind.value_type).dictionary_encode().cast(kind)
    return arrow.array(values, type=kind)


@dataclass(frozen=True)
class TableFile(ABC):
    """A table in a file, which can be read several times, in bounded memory.

    `name` is what messages call the file. `schema` has the Arrow types of the columns. The columns
    of CSV and JSON lines have no types until they are written as Parquet.
    """

    path: Path
    layout: Layout
    name: str
    schema: Any = None
    unit: ClassVar[str] = "line"  # what `lines` of a batch counts

    @cached_property
    def columns(self) -> list[str]:
        """The names of the columns that the first rows have; the file is looked at once."""
        return self._read_header()

    @abstractmethod
    def _read_header(self) -> list[str]:
        """Read the names of the columns."""

    @abstractmethod
    def check_columns(self, names: Sequence[str]) -> None:
        """Raise unless the table has each of the columns once."""

    @abstractmethod
    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """Read these columns, by default all, from the beginning of the file."""

    def all_columns(self) -> list[str]:
        """Return the names of all columns, including those that only some rows have."""
        return self.columns

    def with_schema(self, schema: object) -> Self:
        """Return the table with types for its columns, without looking at the file again."""
        table = replace(self, schema=schema)
        table.__dict__["columns"] = self.columns
        return table

    def parts(self) -> "Sequence[TableFile]":
        """Return the table in parts of bounded size, if its format has parts."""
        return [self]


@dataclass(frozen=True)
class AddedColumns:
    """Columns to add after those of the input: their Arrow types, and advice for a name clash."""

    types: Mapping[str, object] = field(default_factory=dict)
    advice: str = ""
    setting: str = ""
    value: str = ""

    def check(self, columns: Sequence[str], name: str) -> None:
        """Raise if a table already has a column that would be added."""
        for column in self.types:
            if column in columns:
                raise TableError(
                    f"{name} already has a column {column!r}; {self.advice}",
                    self.setting,
                    self.value,
                )


class TableWriter(ABC):
    """Writes a table: rows of the input, perhaps with columns added, and new rows.

    Text is always UTF-8. A context manager, which closes or abandons the table.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream

    @abstractmethod
    def originals(self, batch: Batch, added: Mapping[str, Sequence[object]]) -> None:
        """Write rows of the input, with values for the columns that are added."""

    @abstractmethod
    def new(self, cells: Mapping[str, Sequence[object]]) -> None:
        """Write new rows: these cells, all other columns empty."""

    def close(self) -> None:  # noqa: B027  text formats have nothing to add
        """Finish the table after the last row."""

    def abandon(self) -> None:  # noqa: B027
        """Give up a table that will not be finished."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()
