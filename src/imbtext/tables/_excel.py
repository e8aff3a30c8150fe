"""Excel workbooks: the sheet to read, and one to write with filters."""

import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

import polars as pl

from imbtext._extras import require
from imbtext._memory import check_memory
from imbtext._messages import did_you_mean, listed, warn_user
from imbtext.tables._batches import Batch, TableWriter
from imbtext.tables._errors import TableError, TableWarning
from imbtext.tables._jsonl import as_cell

_MOST_ROWS, _MOST_CHARACTERS = 1_048_576, 32_767
# Above the header of a sheet, people write titles and notes, but not more rows than this.
_MOST_ABOVE: Final = 10
# The rows and cells of a sheet with their places, such as B12, as its XML writes them.
_PLACE: Final = re.compile(rb"""<(?:\w+:)?(row|c)\b(?:[^>]*?\br=["']([A-Z]{0,4})(\d{1,20})["'])?""")
# What the reader of workbooks takes for a place, whether it has a cell or not; and for a byte.
_OF_PLACE, _OF_BYTE = 40, 4
# A full sheet of a million rows and ten columns has half of this.
_MOST_BYTES: Final = 1 << 30
_PIECE: Final = 1 << 20


def check_workbook(archive: zipfile.ZipFile, name: str) -> None:
    """Refuse a workbook that would not fit into memory, before anything reads it as a whole.

    A small file can unpack to gigabytes, and two cells in opposite corners make a sheet of 17
    billion places.
    """
    n_bytes = 0
    for member in archive.infolist():
        if not member.filename.startswith("xl/"):
            continue
        n_bytes += member.file_size
        if n_bytes > _MOST_BYTES:
            raise TableError(f"{name} unpacks to more than 1 GiB; save the table as CSV")
        check_memory(_OF_BYTE * n_bytes, f"the cells of {name}", "save the table as CSV")
        if member.filename.startswith("xl/worksheets/"):
            places = _n_places(archive, member)
            check_memory(
                _OF_PLACE * places,
                f"the {places:,} places of a sheet in {name}",
                "clear what stands far from the table, or save it as CSV",
            )
        else:
            with archive.open(member) as packed:  # which is not larger than it says
                while packed.read(_PIECE):
                    pass


def _n_places(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> int:
    """Return how many places a sheet has, up to the last row and the last column with a cell."""
    row = column = last = widest = 0
    rest = b""
    with archive.open(member) as packed:
        while piece := packed.read(_PIECE):
            text = rest + piece
            end = text.rfind(b"<")  # a tag may be cut
            rest, text = text[end:], text[:end]
            for tag, letters, digits in _PLACE.findall(text):
                # A cell, or a row, that does not say where it is follows the one before it.
                if tag == b"row":
                    row, column = int(digits[:8] or row + 1), 0
                else:
                    column = _number_of(letters) if letters else column + 1
                    last, widest = max(last, int(digits[:8] or row)), max(widest, column)
            last = max(last, row)
    return widest * last


def _number_of(column: bytes) -> int:
    """Return the number of a column by its letters.

    Examples
    --------
    >>> _number_of(b"A"), _number_of(b"XFD")
    (1, 16384)
    """
    number = 0
    for letter in column:
        number = 26 * number + letter - ord("A") + 1
    return number


def sheet_of(path: Path, name: Path, asked: str | None = None) -> pl.DataFrame:
    """Return a sheet as strings, from its header row on; by default that with the most cells."""
    fastexcel: Any = require("fastexcel", "excel")
    try:
        return _sheet_of(fastexcel.read_excel(path), name, asked)
    except fastexcel.FastExcelError as error:
        problem = str(error).partition("Context:")[0].strip()
        raise TableError(
            f"{name} is a damaged workbook ({problem}); save it again, or save the table as CSV"
        ) from error


def _sheet_of(reader: Any, name: Path, asked: str | None) -> pl.DataFrame:
    titles: list[str] = reader.sheet_names
    if asked is not None and asked not in titles:
        raise TableError(
            f"{name} has no sheet {asked!r}; its sheets are {listed(titles)}"
            f"{did_you_mean(asked, titles)}"
        )
    tables = {}
    for title in titles if asked is None else [asked]:
        sheet = reader.load_sheet(title, header_row=None, dtypes="string").to_polars()
        if sheet.height:
            tables[title] = sheet
    if not tables:
        raise TableError(f"{name} has no sheet with cells")
    title = max(tables, key=lambda title: _n_cells(tables[title]))
    if len(tables) > 1:
        others = listed([other for other in tables if other != title])
        warn_user(
            f"{name} is read from its sheet {title!r}, which has the most cells; an option names "
            f"another: {others}",
            TableWarning,
        )
    return _from_header(tables[title])


def _n_cells(sheet: pl.DataFrame) -> int:
    n_missing: int = sum(sheet.null_count().row(0))
    return sheet.height * sheet.width - n_missing


def _from_header(sheet: pl.DataFrame) -> pl.DataFrame:
    """Return the named columns of a sheet, from its header row on, without empty rows."""
    head = sheet.head(_MOST_ABOVE)
    n_cells = [sum(cell is not None for cell in row) for row in head.iter_rows()]
    first = n_cells.index(max(n_cells))
    header = sheet.row(first)
    named = [column for column, cell in zip(sheet.columns, header, strict=True) if cell]
    rows = sheet.select(named).slice(first)
    filled: pl.DataFrame = rows.filter(~pl.all_horizontal(pl.all().is_null()))
    return filled


class ExcelWriter(TableWriter):
    """Writes a workbook; `columns` is the header, added columns included.

    Texts are texts: nothing becomes a formula, a link or a date. Excel has room for 32,767
    characters in a cell, so longer texts are cut.
    """

    def __init__(self, stream: IO[bytes], columns: Sequence[str]) -> None:
        super().__init__(stream)
        self.columns = list(columns)
        workbook: Any = require("xlsxwriter", "excel").Workbook
        self._book = workbook(stream, {"strings_to_formulas": False, "strings_to_urls": False})
        self._sheet = self._book.add_worksheet()
        self._n_rows = 0
        self._write([[name] for name in self.columns])

    def originals(self, batch: Batch, added: Mapping[str, Sequence[object]]) -> None:
        """Write rows of the input."""
        names = self.columns[: len(self.columns) - len(added)]
        self._write([*(batch.values(name) for name in names), *added.values()])

    def new(self, cells: Mapping[str, Sequence[object]]) -> None:
        """Write new rows."""
        n = len(next(iter(cells.values())))
        self._write([cells.get(name, [None] * n) for name in self.columns])

    def close(self) -> None:
        """Write the workbook."""
        if self._n_rows > 1:
            self._sheet.autofilter(0, 0, self._n_rows - 1, len(self.columns) - 1)
        self._sheet.freeze_panes(1, 0)
        self._book.close()

    def _write(self, columns: Sequence[Sequence[object]]) -> None:
        for row in zip(*columns, strict=True):
            if self._n_rows >= _MOST_ROWS:
                raise TableError(
                    f"a sheet has room for {_MOST_ROWS:,} rows; write CSV or Parquet instead"
                )
            for place, cell in enumerate(row):
                if isinstance(cell, int | float) and not isinstance(cell, bool) and cell == cell:  # noqa: PLR0124
                    self._sheet.write_number(self._n_rows, place, cell)
                elif text := as_cell(cell):
                    self._sheet.write_string(self._n_rows, place, text[:_MOST_CHARACTERS])
            self._n_rows += 1
