"""Writing rows as CSV, TSV or JSON lines."""

import csv
import io
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Final, Self

from imbtext.tables._errors import TableError
from imbtext.tables._formats import Layout
from imbtext.tables._reading import Batch

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class AddedColumns:
    """Columns behind those of the input: their Arrow types, and what helps if one is there."""

    types: Mapping[str, Any] = field(default_factory=dict)
    advice: str = ""
    setting: str = ""
    value: str = ""

    def check(self, columns: Sequence[str], name: str) -> None:
        """Refuse to write a column that a table has already."""
        for column in self.types:
            if column in columns:
                raise TableError(
                    f"{name} already has a column {column!r}; {self.advice}",
                    self.setting,
                    self.value,
                )


class RowWriter(ABC):
    """Writes a table row by row: rows of the input, perhaps with columns added, and new rows.

    What is written is always UTF-8. A context manager, which closes or abandons the table.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream = stream

    @abstractmethod
    def originals(self, batch: Batch, added: Mapping[str, Sequence[Any]]) -> None:
        """Write rows of the input, with values for the columns that are added."""

    @abstractmethod
    def new(self, cells: Mapping[str, Sequence[Any]]) -> None:
        """Write new rows: these cells, all other columns empty."""

    def close(self) -> None:  # noqa: B027  text formats have nothing there
        """Write what comes behind the last row."""

    def abandon(self) -> None:  # noqa: B027
        """Leave a table that will not be finished."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self.abandon()


class CsvWriter(RowWriter):
    """Writes CSV or TSV; `columns` is the header, added columns included."""

    def __init__(self, stream: IO[bytes], layout: Layout, columns: Sequence[str]) -> None:
        super().__init__(stream)
        self.columns = columns
        self.quotes = layout.quotes
        self.delimiter = layout.separator
        self._write([list(columns)])

    def originals(self, batch: Batch, added: Mapping[str, Sequence[Any]]) -> None:
        """Write rows of the input."""
        rows = batch.rows
        if batch.raw:
            # The first JSON lines may lack keys that come later.
            n = len(self.columns) - len(added)
            rows = [[*map(as_cell, row), *[""] * (n - len(row))] for row in rows]
        if added:
            more = zip(*added.values(), strict=True)
            rows = [[*row, *map(as_cell, cells)] for row, cells in zip(rows, more, strict=True)]
        self._write(rows)

    def new(self, cells: Mapping[str, Sequence[Any]]) -> None:
        """Write new rows."""
        self._write([[as_cell(row.get(name)) for name in self.columns] for row in _rows(cells)])

    def _write(self, rows: list[list[str]]) -> None:
        buffer = io.StringIO(newline="")
        writer = csv.writer(
            buffer,
            delimiter=self.delimiter,
            quoting=csv.QUOTE_MINIMAL if self.quotes else csv.QUOTE_NONE,
            quotechar='"' if self.quotes else None,
            lineterminator="\n",
        )
        # Before Python 3.13 the writer does not quote a lone carriage return, and no reader would
        # get it back.
        careful = csv.writer(
            buffer, delimiter=self.delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n"
        )
        try:
            for row in rows:
                has_return = self.quotes and any("\r" in cell for cell in row)
                (careful if has_return else writer).writerow(row)
        except csv.Error as error:
            raise TableError(
                f"a cell contains the delimiter or a line break, and quotation marks mean nothing "
                f"in this file, so that it cannot be written ({error}); write another format"
            ) from error
        self.stream.write(buffer.getvalue().encode())


class JsonWriter(RowWriter):
    """Writes JSON lines; lines that were JSON lines before are copied, not written anew."""

    def __init__(self, stream: IO[bytes], columns: Sequence[str], added: AddedColumns) -> None:
        super().__init__(stream)
        self.columns, self.added = dict.fromkeys(columns), added

    def originals(self, batch: Batch, added: Mapping[str, Sequence[Any]]) -> None:
        """Write rows of the input."""
        self.added.check(batch.columns, "the input")  # JSON lines may have new keys at any time
        self.columns |= dict.fromkeys(batch.columns)
        more: Iterable[dict[str, Any]] = _rows(added) if added else ({} for _ in batch.lines)
        if batch.raw:
            lines = list(map(_extended, batch.raw, more))
        else:
            lines = [
                _dumped(dict(zip(batch.columns, row, strict=True)) | cells)
                for row, cells in zip(batch.rows, more, strict=True)
            ]
        self._write(lines)

    def new(self, cells: Mapping[str, Sequence[Any]]) -> None:
        """Write new rows."""
        self._write([_dumped(self.columns | row) for row in _rows(cells)])

    def _write(self, lines: list[str]) -> None:
        self.stream.write("".join(f"{line}\n" for line in lines).encode())


def _rows(cells: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    for values in zip(*cells.values(), strict=True):
        yield dict(zip(cells, values, strict=True))


def _dumped(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False)


def _extended(line: str, cells: dict[str, Any]) -> str:
    if not cells:
        return line
    # A JSON object ends with its brace, so fields put before it leave the rest as it was.
    body = line[:-1].rstrip()
    comma = "" if body == "{" else ", "
    return f"{body}{comma}{_dumped(cells)[1:]}"


def as_cell(value: Any) -> str:
    """Return a JSON value as it stands in a CSV cell.

    Examples
    --------
    >>> as_cell(None), as_cell("a"), as_cell(True), as_cell([1, "b"])
    ('', 'a', 'true', '[1, "b"]')
    """
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def row_writer(
    stream: IO[bytes],
    layout: Layout,
    columns: Sequence[str],
    added: AddedColumns = AddedColumns(),  # noqa: B008  it is frozen
) -> RowWriter:
    """Return the writer of a text format."""
    if layout.format == "jsonl":
        return JsonWriter(stream, columns, added)
    return CsvWriter(stream, layout, [*columns, *added.types])


def without_formula(text: str) -> str:
    """Put an apostrophe before what a spreadsheet would take for a formula.

    Examples
    --------
    >>> without_formula("=cmd()"), without_formula("oil")
    ("'=cmd()", 'oil')
    """
    return "'" + text if text.startswith(_FORMULA_STARTS) else text
