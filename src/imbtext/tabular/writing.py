"""Writing rows as CSV, TSV or JSON lines."""

import csv
import io
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import IO, Any

from imbtext.tabular.reading import Batch, Layout


class RowWriter(ABC):
    """Writes a table row by row: first the originals, then the synthetic documents.

    Parameters
    ----------
    stream : binary file
        Where to write; always UTF-8.
    mark : str or None
        Name of the column that tells synthetic rows from originals; None for no such column.
    """

    def __init__(self, stream: IO[bytes], mark: str | None) -> None:
        self.stream = stream
        self.mark = mark

    @abstractmethod
    def originals(self, batch: Batch) -> None:
        """Write rows of the input."""

    @abstractmethod
    def synthetic(
        self, columns: Sequence[str], text: str, label: str, rows: Iterable[tuple[str, Any]]
    ) -> None:
        """Write new rows: a text and a label each, all other columns empty."""


class CsvWriter(RowWriter):
    """Writes CSV or TSV."""

    def __init__(
        self, stream: IO[bytes], mark: str | None, layout: Layout, columns: Sequence[str]
    ) -> None:
        super().__init__(stream, mark)
        self.n_columns = len(columns)
        self.quotes = layout.quotes
        self.delimiter = layout.delimiter
        self._write([[*columns, mark] if mark is not None else list(columns)])

    def originals(self, batch: Batch) -> None:
        """Write rows of the input."""
        rows = batch.rows
        if batch.raw:
            # The first JSON lines may lack keys that come later.
            missing = [""] * (self.n_columns - len(batch.columns))
            rows = [[*map(as_cell, row), *missing] for row in rows]
        if self.mark is not None:
            rows = [[*row, "false"] for row in rows]
        self._write(rows)

    def synthetic(
        self, columns: Sequence[str], text: str, label: str, rows: Iterable[tuple[str, Any]]
    ) -> None:
        """Write new rows."""
        empty = [""] * len(columns) + (["true"] if self.mark is not None else [])
        at_text, at_label = list(columns).index(text), list(columns).index(label)
        made = []
        for document, value in rows:
            row = empty.copy()
            row[at_text], row[at_label] = document, as_cell(value)
            made.append(row)
        self._write(made)

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
            raise ValueError(
                f"a cell contains the delimiter or a line break and --no-quotes forbids to quote "
                f"it ({error}); write another format"
            ) from error
        self.stream.write(buffer.getvalue().encode())


class JsonWriter(RowWriter):
    """Writes JSON lines; lines that were JSON lines before are copied, not written anew."""

    def originals(self, batch: Batch) -> None:
        """Write rows of the input."""
        if batch.raw:
            lines = [self._marked(line) for line in batch.raw]
        else:
            lines = [
                json.dumps(
                    dict(zip(batch.columns, row, strict=True)) | self._mark(False),
                    ensure_ascii=False,
                )
                for row in batch.rows
            ]
        self._write(lines)

    def synthetic(
        self, columns: Sequence[str], text: str, label: str, rows: Iterable[tuple[str, Any]]
    ) -> None:
        """Write new rows."""
        empty = dict.fromkeys(columns)
        self._write(
            [
                json.dumps(
                    empty | {text: document, label: value} | self._mark(True), ensure_ascii=False
                )
                for document, value in rows
            ]
        )

    def _mark(self, synthetic: bool) -> dict[str, bool]:
        return {} if self.mark is None else {self.mark: synthetic}

    def _marked(self, line: str) -> str:
        if self.mark is None:
            return line
        # A JSON object ends with its brace, so a field put before it leaves the rest as it was.
        body = line[:-1].rstrip()
        comma = "" if body == "{" else ", "
        return f"{body}{comma}{json.dumps(self.mark, ensure_ascii=False)}: false}}"

    def _write(self, lines: list[str]) -> None:
        self.stream.write("".join(f"{line}\n" for line in lines).encode())


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
    stream: IO[bytes], mark: str | None, layout: Layout, columns: Sequence[str]
) -> RowWriter:
    """Return the writer of a text format."""
    if layout.format == "jsonl":
        return JsonWriter(stream, mark)
    return CsvWriter(stream, mark, layout, columns)
