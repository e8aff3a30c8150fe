r"""CSV and TSV files, in which every cell stays as it is written.

Nothing becomes a number or a missing value: ``007``, `` spaced `` and ``NA`` are strings. Arrow's
reader is fast but too forgiving for us. It reads the cell ``"x" y`` as ``x y``, and if a quotation
mark is never closed, it takes the rest of the file for one cell. It counts rows where a user looks
for lines, and its delimiters have one byte. So we cut the text into blocks of whole rows and check
the quotation marks of a block before Arrow parses it (:class:`_Block`). Each mark must open a cell,
close it, or be doubled inside. The same check finds on which line each row ends.

If anything is odd, Python's strict ``csv`` module continues from there. It either names the problem
and its line, or finds that all is well: a cell such as ``5" disk``, without quotes around it, looks
broken to our check and is not.
"""

import csv
import io
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import IO, Any

import numpy as np
import polars as pl
import pyarrow as arrow
import pyarrow.csv as arrow_csv
from numpy.typing import NDArray

from imbtext._typing import ArrowColumn
from imbtext.tables._batches import Batch, BatchColumn, TableFile, TableWriter
from imbtext.tables._errors import LIKELY_DELIMITERS, TableError, check_column, typeable
from imbtext.tables._formats import LONGEST_LINE, Layout, lines_of, open_text, too_long
from imbtext.tables._jsonl import as_cell

_BATCH_ROWS = 20_000
_BATCH_BYTES = 8 * 1024 * 1024
_QUOTE, _NEWLINE, _RETURN = b'"\n\r'
# The first cell of the line sep=; is "sep=" if the semicolon cuts it off, and "sep=;" if the file
# is read with another delimiter.
_FOR_EXCEL = frozenset(f"sep={delimiter}" for delimiter in ("", *LIKELY_DELIMITERS))


def _is_for_excel(row: list[str]) -> bool:
    """Return whether a line only gives Excel the delimiter, as ``sep=;`` does."""
    return row[0].lower() in _FOR_EXCEL and not any(row[1:])


class CsvTable(TableFile):
    """A CSV or TSV file with a header line, perhaps after the line ``sep=;`` for Excel."""

    def _read_header(self) -> list[str]:
        """Return the cells of the header line."""
        with open_text(self.path, self.name, self.layout.codec) as stream:
            return self._header(self._reader(lines_of(stream, self.name)))

    def take_header(self, first_lines: str) -> None:
        """Take the header from lines that were read already, if they hold it."""
        with suppress(TableError):
            header = self._header(self._reader(io.StringIO(first_lines, newline="")))
            self.__dict__["columns"] = header

    def check_columns(self, names: Sequence[str]) -> None:
        """Raise unless the table has each of the columns once."""
        header = self.columns
        for column in names:
            check_column(column, header, self.name, self.layout.separator)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """Read these columns, by default all, from the beginning of the file."""
        with open_text(self.path, self.name, self.layout.codec) as stream:
            reader = self._reader(lines_of(stream, self.name))
            names = self._header(reader)
            kept = [i for i, name in enumerate(names) if columns is None or name in columns]
            unread, n_lines = "", reader.line_num
            if self.layout.separator.isascii():
                unread, n_lines = yield from self._read_by_arrow(stream, names, kept, n_lines)
            yield from self._read_by_python(stream, unread, names, kept, n_lines)

    def _reader(self, lines: Iterable[str]) -> Any:
        csv.field_size_limit(LONGEST_LINE)
        quotes = self.layout.quotes
        return csv.reader(
            lines,
            delimiter=self.layout.separator,
            quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
            strict=quotes,
        )

    def _header(self, reader: Iterator[list[str]]) -> list[str]:
        try:
            header = next((row for row in reader if row and not _is_for_excel(row)), None)
        except csv.Error as error:
            raise self._malformed(1, error) from error
        if header is None:
            raise TableError(f"{self.name} is empty; expected a header line and rows")
        return header

    def _read_by_arrow(
        self, stream: IO[str], names: list[str], kept: list[int], n_lines: int
    ) -> Generator[Batch, None, tuple[str, int]]:
        """Read on after `n_lines`; return what is left for Python, and the lines before it."""
        data, size = b"", _BATCH_BYTES
        while True:
            text = stream.read(size)
            is_last = len(text) < size
            while text.endswith("\r") and (character := stream.read(1)):
                text += character  # perhaps the line feed that belongs to it
            block = _Block(data + text.encode(), self.layout, is_last)
            data = block.data
            if block.is_odd:
                return data.decode(), n_lines
            ends, lines = block.rows()
            start = 0
            for first in range(0, len(ends), _BATCH_ROWS):
                row_lines = lines[first : first + _BATCH_ROWS]
                end = int(ends[first + len(row_lines) - 1])
                table = _parsed(data[start:end], self.layout, len(names), kept)
                if table is None or len(table) != len(row_lines):
                    n_before = int(lines[first - 1]) if first else 0
                    return data[start:].decode(), n_lines + n_before
                yield Batch([names[i] for i in kept], table.columns, n_lines + row_lines)
                start = end
            end, n_whole_lines = block.end()
            data, n_lines = data[end:], n_lines + n_whole_lines
            if is_last:
                return "", n_lines
            if len(data) > LONGEST_LINE:
                raise too_long(self.name, n_lines + 1)
            # If a row is longer than a block, double the block: long rows stay cheap.
            size = _BATCH_BYTES if end else min(len(data), LONGEST_LINE + 1 - len(data))

    def _read_by_python(
        self, stream: IO[str], unread: str, names: list[str], kept: list[int], n_lines: int
    ) -> Iterator[Batch]:
        """Read what is left, `unread` first; `n_lines` came before."""
        following = lines_of(stream, self.name)
        unread += next(following, "")  # its last line may have been cut
        lines = io.StringIO(unread, newline="") if unread else ()
        reader = self._reader(chain(lines, following))
        rows: list[list[str]] = []
        numbers: list[int] = []
        n_characters, begin = 0, n_lines + 1
        while True:
            try:
                row = next(reader, None)
            except csv.Error as error:
                raise self._malformed(begin, error) from error
            begin = n_lines + reader.line_num + 1
            if row:  # an empty line is not a row
                self._check_width(row, begin - 1, len(names))
                rows.append(row)
                numbers.append(begin - 1)
                n_characters += sum(map(len, row))
            is_full = len(rows) >= _BATCH_ROWS or n_characters >= _BATCH_BYTES
            if rows and (is_full or row is None):
                columns: list[BatchColumn] = [[row[i] for row in rows] for i in kept]
                yield Batch([names[i] for i in kept], columns, np.array(numbers))
                rows, numbers, n_characters = [], [], 0
            if row is None:
                return

    def _check_width(self, row: list[str], line: int, n_columns: int) -> None:
        if len(row) != n_columns:
            cells = "1 cell" if len(row) == 1 else f"{len(row)} cells"
            raise TableError(
                f"line {line} of {self.name} has {cells}, the header has {n_columns}; "
                f"quote cells that contain {typeable(self.layout.separator)!r}, or complete the row"
            )

    def _malformed(self, line: int, error: csv.Error) -> TableError:
        return TableError(
            f"line {line} of {self.name} is not well formed ({error}); a cell that begins with a "
            f"quotation mark must end with one, and double those inside it. If quotation marks "
            f"mean nothing in this file",
            "quotes",
            False,
        )


@dataclass(frozen=True)
class _Block:
    """Text that begins where a row begins; `is_last` if nothing follows it.

    Positions count bytes, and lines are numbered from 1.
    """

    data: bytes
    layout: Layout
    is_last: bool

    @cached_property
    def _bytes(self) -> NDArray[np.uint8]:
        return np.frombuffer(self.data, np.uint8)

    @cached_property
    def _marks(self) -> NDArray[np.int64]:
        if not self.layout.quotes:
            return np.empty(0, np.int64)
        return np.flatnonzero(self._bytes == _QUOTE)

    @property
    def is_odd(self) -> bool:
        """Whether a quotation mark is neither at the edge of a cell nor doubled inside one."""
        marks, data = self._marks, self._bytes
        if self.is_last and len(marks) % 2:
            return True
        # Consider a run of marks that touch each other. If an even number of marks comes before
        # its first, that one opens a cell. If an odd number comes before its last, that one closes
        # a cell.
        is_even = np.arange(len(marks)) % 2 == 0
        gaps = np.diff(marks) > 1
        opening = marks[is_even & np.append(True, gaps)[: len(marks)]]
        closing = marks[~is_even & np.append(gaps, True)[: len(marks)]]
        neighbours = np.append(
            data[opening[opening > 0] - 1], data[closing[closing < len(data) - 1] + 1]
        )
        edges = [ord(self.layout.separator), _NEWLINE, _RETURN]
        return not np.isin(neighbours, edges).all()

    @cached_property
    def _row_ends(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The end and the number of each line on which a row ends; empty lines are included."""
        is_break = self._bytes == _NEWLINE
        if b"\r" in self.data:  # which ends a line unless a line feed follows
            is_return = self._bytes == _RETURN
            is_return[:-1] &= ~is_break[1:]
            is_break |= is_return
        breaks = np.flatnonzero(is_break)
        if self.is_last and self.data and not is_break[-1]:
            breaks = np.append(breaks, len(self.data))
        is_outside = np.searchsorted(self._marks, breaks) % 2 == 0
        return breaks[is_outside], np.flatnonzero(is_outside) + 1

    def rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return where each whole row ends, and on which line; an empty line is not a row."""
        breaks, lines = self._row_ends
        starts = np.append(0, breaks[:-1] + 1)[: len(breaks)]
        sizes = breaks - starts
        is_row = (sizes > 1) | ((sizes == 1) & (self._bytes[starts * (sizes > 0)] != _RETURN))
        return np.minimum(breaks + 1, len(self.data))[is_row], lines[is_row]

    def end(self) -> tuple[int, int]:
        """Return where the last whole row ends, and on which line."""
        breaks, lines = self._row_ends
        return (int(breaks[-1]) + 1, int(lines[-1])) if len(breaks) else (0, 0)


def _parsed(data: bytes, layout: Layout, n_columns: int, kept: list[int]) -> arrow.Table | None:
    """Return the cells of whole rows as Arrow parses them; None if it refuses them."""
    names = [str(i) for i in range(n_columns)]
    try:
        return arrow_csv.read_csv(
            arrow.BufferReader(data),
            arrow_csv.ReadOptions(use_threads=False, column_names=names, block_size=len(data) + 1),
            arrow_csv.ParseOptions(
                delimiter=layout.separator,
                quote_char='"' if layout.quotes else False,
                newlines_in_values=layout.quotes,
            ),
            arrow_csv.ConvertOptions(
                check_utf8=False,  # it was decoded before
                column_types=dict.fromkeys(names, arrow.string()),
                include_columns=[names[i] for i in kept],
            ),
        )
    except arrow.ArrowInvalid:  # such as a row of more cells
        return None


class CsvWriter(TableWriter):
    """Writes CSV or TSV of strings; `columns` is the header, added columns included."""

    def __init__(self, stream: IO[bytes], layout: Layout, columns: Sequence[str]) -> None:
        super().__init__(stream)
        self.layout, self.columns = layout, columns
        self._write([[name] for name in columns])

    def originals(self, batch: Batch, added: Mapping[str, Sequence[object]]) -> None:
        """Write rows of the input."""
        columns = batch.columns
        if batch.raw:  # JSON lines: the first may lack keys that come later
            names = self.columns[: len(self.columns) - len(added)]
            columns = [batch.column(name) for name in names]
        self._write([*columns, *added.values()])

    def new(self, cells: Mapping[str, Sequence[object]]) -> None:
        """Write new rows."""
        n = len(next(iter(cells.values())))
        self._write([cells.get(name, [""] * n) for name in self.columns])

    def _write(self, columns: "Sequence[Sequence[object] | ArrowColumn]") -> None:
        frame = pl.DataFrame([_strings(column).alias(str(i)) for i, column in enumerate(columns)])
        if frame.width > 1:  # Polars writes "" for an empty string; alone on a line, it needs that
            frame = frame.select(pl.when(pl.all() != "").then(pl.all()))
        self.stream.write(csv_bytes(frame, self.layout))


def _strings(column: "Sequence[object] | ArrowColumn") -> pl.Series:
    if isinstance(column, arrow.Array | arrow.ChunkedArray):
        return pl.Series(column)
    try:
        return pl.Series(list(map(as_cell, column)), dtype=pl.String)
    except UnicodeEncodeError as error:
        raise TableError(
            f"a cell holds half a surrogate pair, which CSV cannot hold ({error}); repair it, or "
            f"write JSON lines"
        ) from error


def csv_bytes(frame: pl.DataFrame, layout: Layout) -> bytes:
    """Return a frame as CSV or TSV, without a header, with quotes only where they are needed."""
    if not layout.quotes:
        cells = pl.selectors.string().str.contains_any([layout.separator, "\n", "\r"])
        if any(frame.select(cells.any()).row(0)):
            raise TableError(
                "a cell contains the delimiter or a line break, and quotation marks mean nothing "
                "in this file, so the cell cannot be written; write another format"
            )
    # Written to memory first: for a full disk, Polars would raise an error in its own words.
    buffer = io.BytesIO()
    if layout.separator.isascii():
        frame.write_csv(
            buffer,
            separator=layout.separator,
            include_header=False,
            quote_style="necessary" if layout.quotes else "never",
        )
        return buffer.getvalue()
    text = io.StringIO(newline="")
    writer = csv.writer(
        text,
        delimiter=layout.separator,
        quoting=csv.QUOTE_ALL if layout.quotes else csv.QUOTE_NONE,
        quotechar='"' if layout.quotes else None,
        lineterminator="\n",
    )
    writer.writerows(frame.iter_rows())
    return text.getvalue().encode()


def without_formula(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula.

    Examples
    --------
    >>> without_formula("=cmd()"), without_formula("oil")
    ("'=cmd()", 'oil')
    """
    return "'" + text if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
