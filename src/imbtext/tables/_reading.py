"""Tables as batches of rows: CSV, TSV and JSON lines, read in constant memory.

Values stay as they are written: nothing in a CSV file becomes a number, and a JSON line can be
copied out letter for letter. What is wrong with a file is said with the line it is wrong in.
"""

import csv
import io
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from imbtext.tables._errors import TableError, check_column, typeable
from imbtext.tables._formats import DAMAGE, Layout, open_input

# One cell may be a long document, but an unclosed quotation mark must not read a whole file.
_LONGEST_CELL = 256 * 1024 * 1024
_UTF16_STARTS = (b"\xff\xfe", b"\xfe\xff")
Row = TypeVar("Row")
_BATCH_ROWS = 20_000
_BATCH_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class Batch:
    """Some rows of a table, the line of the file on which each ends, and the columns so far.

    JSON lines, which may add columns later, are here as they are written, too: in `raw`.
    """

    rows: list[list[Any]]
    lines: list[int]
    columns: list[str]
    raw: list[str] = field(default_factory=list)

    def column(self, name: str) -> list[Any]:
        """Return one column; what these rows do not have is None."""
        at = self.columns.index(name) if name in self.columns else len(self.columns)
        return [row[at] if at < len(row) else None for row in self.rows]

    def followed_by(self, *others: "Batch") -> "Batch":
        """Return these rows and later ones of the same table."""
        batches = [self, *others]
        return Batch(
            [row for batch in batches for row in batch.rows],
            [line for batch in batches for line in batch.lines],
            batches[-1].columns,
            [line for batch in batches for line in batch.raw],
        )

    def at(self, places: Sequence[int]) -> "Batch":
        """Return some of the rows."""
        raw = [self.raw[i] for i in places] if self.raw else []
        rows, lines = [self.rows[i] for i in places], [self.lines[i] for i in places]
        return Batch(rows, lines, self.columns, raw)


@dataclass(frozen=True)
class TableFile(ABC):
    """A table in a file, to be read as often as needed, in constant memory.

    `name` is what messages call the file, `schema` what Arrow calls its columns and their types,
    where they have any: those of text formats get some where they become Parquet.
    """

    path: Path
    layout: Layout
    name: str
    schema: Any = None
    unit: ClassVar[str] = "line"  # what `lines` of a batch counts

    @abstractmethod
    def header(self) -> list[str]:
        """Return the names of the columns, as far as the first row tells."""

    @abstractmethod
    def check_columns(self, wanted: Sequence[str]) -> None:
        """Raise unless the table has each of the columns once."""

    @abstractmethod
    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """Read the file from its beginning, where the format lets us these columns alone."""

    def parts(self) -> "Sequence[TableFile]":
        """Return the table in parts of bounded size, where the format has any."""
        return [self]


class TextTable(TableFile):
    """A table in a text format."""

    @abstractmethod
    def _batches(self, stream: io.TextIOWrapper, source: "_Counted") -> Iterator[Batch]:
        """Read the rows of an open file."""

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Batch]:  # noqa: ARG002
        """Read the file from its beginning, with all columns."""
        with self._open() as (stream, source):
            yield from self._batches(stream, source)

    @contextmanager
    def _open(self) -> Iterator[tuple[io.TextIOWrapper, "_Counted"]]:
        encoding = self.layout.encoding
        if encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
            encoding = "utf-8-sig"
        try:
            with open_input(self.path) as binary:
                source = _Counted(binary)
                buffered = io.BufferedReader(source, 1 << 18)
                with io.TextIOWrapper(buffered, encoding=encoding, newline="") as stream:
                    yield stream, source
        except UnicodeError as error:
            raise self._undecodable(error) from error
        except LookupError as error:
            raise TableError(f"the encoding {self.layout.encoding!r} is not known") from error
        except DAMAGE as error:
            raise TableError(
                f"{self.name} is damaged: its compressed data is cut short or broken ({error})"
            ) from error
        except OSError as error:
            if error.errno is not None:
                raise
            raise TableError(f"{self.name} is damaged: {error}") from error

    def _undecodable(self, error: UnicodeError) -> TableError:
        """Say in which line the encoding does not hold, and what it may be instead."""
        encoding = self.layout.encoding
        with open_input(self.path) as binary:
            for number, line in enumerate(binary, start=1):
                if number == 1 and line[:2] in _UTF16_STARTS and "16" not in encoding:
                    problem = f"{self.name} is UTF-16, not {encoding}"
                    return TableError(problem, "encoding", "utf-16")
                try:
                    line.decode(encoding)
                except UnicodeDecodeError as found:
                    byte = found.object[found.start]
                    return TableError(
                        f"line {number} of {self.name} is not {encoding} (byte 0x{byte:02x} at "
                        f"position {found.start + 1}); the right encoding may be cp1252 or latin-1",
                        "encoding",
                        "cp1252",
                    )
        return TableError(
            f"{self.name} is not {encoding} ({error}); find out the right encoding",
            "encoding",
            "...",
        )


class CsvTable(TextTable):
    """A CSV or TSV file with a header line."""

    def header(self) -> list[str]:
        """Return the cells of the header line."""
        with self._open() as (stream, _):
            return self._header(self._reader(stream))

    def check_columns(self, wanted: Sequence[str]) -> None:
        """Raise unless the table has each of the columns once."""
        header = self.header()
        for column in wanted:
            check_column(column, header, self.name, self.layout.separator)

    def _reader(self, stream: io.TextIOWrapper) -> Any:
        csv.field_size_limit(_LONGEST_CELL)
        quotes = self.layout.quotes
        return csv.reader(
            stream,
            delimiter=self.layout.separator,
            quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
            strict=quotes,
        )

    def _header(self, reader: Any) -> list[str]:
        try:
            header: list[str] | None = next((row for row in reader if row), None)
        except csv.Error as error:
            raise self._malformed(reader, error) from error
        if header is None:
            raise TableError(f"{self.name} is empty; expected a header line and rows")
        return header

    def _batches(self, stream: io.TextIOWrapper, source: "_Counted") -> Iterator[Batch]:
        reader = self._reader(stream)
        columns = self._header(reader)
        try:
            # A line with nothing on it is no row.
            numbered = ((row, reader.line_num) for row in reader if row)
            for rows in source.in_batches(numbered):
                self._check_widths(rows, columns)
                yield Batch([row for row, _ in rows], [line for _, line in rows], columns)
        except csv.Error as error:
            raise self._malformed(reader, error) from error

    def _check_widths(self, rows: list[tuple[list[str], int]], columns: Sequence[str]) -> None:
        for row, line in rows:
            if len(row) != len(columns):
                raise TableError(
                    f"line {line} of {self.name} has {len(row)} cells, the header has "
                    f"{len(columns)}; quote cells that contain "
                    f"{typeable(self.layout.separator)!r}, or complete the row"
                )

    def _malformed(self, reader: Any, error: csv.Error) -> TableError:
        return TableError(
            f"line {reader.line_num} of {self.name} is not well formed ({error}); a cell that "
            f"begins with a quotation mark must end with one, and double those inside it. If "
            f"quotation marks mean nothing in this file",
            "quotes",
            False,
        )


class JsonTable(TextTable):
    """A file of JSON objects, one per line."""

    def header(self) -> list[str]:
        """Return the keys of the first lines."""
        for batch in self.batches():
            return batch.columns
        raise TableError(f"{self.name} is empty; expected one JSON object per line")

    def check_columns(self, wanted: Sequence[str]) -> None:
        """Raise unless each of the columns is a key of some line."""
        # Keys that the first lines have need no look at the rest.
        if not set(wanted) <= set(self.header()):
            columns = self.all_columns()
            for column in wanted:
                check_column(column, columns, self.name)

    def all_columns(self) -> list[str]:
        """Return the keys of all lines, in the order of their first occurrence."""
        columns: list[str] = []
        for batch in self.batches():
            columns = batch.columns
        return columns

    def _batches(self, stream: io.TextIOWrapper, source: "_Counted") -> Iterator[Batch]:
        position: dict[str, int] = {}
        numbered = ((line, number) for number, line in enumerate(stream, start=1) if line.strip())
        for lines in source.in_batches(numbered):
            objects = [self._parse(line, number) for line, number in lines]
            for found in objects:
                for key in found:
                    position.setdefault(key, len(position))
            rows = [[found.get(key) for key in position] for found in objects]
            raw = [line.strip() for line, _ in lines]
            yield Batch(rows, [number for _, number in lines], list(position), raw)

    def _parse(self, line: str, number: int) -> dict[str, Any]:
        if line.lstrip().startswith("["):
            raise TableError(
                f"line {number} of {self.name} begins a JSON array: turn it into one object per "
                f"line, such as with jq -c '.[]'"
            )
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise TableError(f"line {number} of {self.name} is not JSON ({error})") from error
        if not isinstance(found, dict):
            raise TableError(
                f"line {number} of {self.name} is {line.strip()[:40]!r}, not a JSON object; each "
                f'line must be one, such as {{"text": "...", "label": "..."}}'
            )
        return found


class _Counted(io.RawIOBase):
    """A readable view of a stream that counts what was read; the stream stays its owner's."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.n_read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        self.n_read += len(data)
        return len(data)

    def in_batches(self, rows: Iterable[Row]) -> Iterator[list[Row]]:
        """Cut rows into batches that stay small in number and in bytes, however long the texts."""
        batch: list[Row] = []
        full_at = self.n_read + _BATCH_BYTES
        for row in rows:
            batch.append(row)
            if len(batch) >= _BATCH_ROWS or self.n_read >= full_at:
                yield batch
                batch = []
                full_at = self.n_read + _BATCH_BYTES
        if batch:
            yield batch
