"""Workbooks, zip archives and JSON arrays become plain tables.

Each becomes a plain file in a temporary folder, which the readers of tables then read.
"""

import json
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import polars as pl

from imbtext._extras import require
from imbtext._messages import listed
from imbtext.tables._errors import TableError
from imbtext.tables._formats import Layout, format_by_name, open_text

_ZIP: Final = b"PK\x03\x04"
_WORKBOOK: Final = "xl/workbook.xml"
# Above the header of a sheet, people write titles and notes, but not more rows than this.
_MOST_ABOVE: Final = 10


@contextmanager
def unpacked(path: Path, name: Path, layout: Layout) -> Iterator[tuple[Path, Path, Layout]]:
    """Give a file that table readers read, the name that tells its format, and its layout."""
    start = b""
    if (layout.format or format_by_name(name)) in (None, "xlsx"):  # others need no second look
        with path.open("rb") as file:
            start = file.read(4096)
    if (layout.format or format_by_name(name)) == "xlsx" and not start.startswith(_ZIP):
        raise TableError(f"{name} is not a workbook of Excel; save it as .xlsx, or as CSV")
    is_array = start.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] == b"["
    if not (start.startswith(_ZIP) or is_array):
        yield path, name, layout
        return
    with tempfile.TemporaryDirectory(prefix="imbtext-input-") as folder:
        copy = Path(folder) / "table"
        if not start.startswith(_ZIP):
            _write_lines(path, name, layout, copy)
            yield copy, name, replace(layout, format="jsonl", encoding="utf-8")
            return
        try:
            with zipfile.ZipFile(path) as archive:
                if _WORKBOOK not in archive.namelist():
                    member = _only_table(archive, name)
                    with archive.open(member) as packed, copy.open("wb") as plain:
                        while piece := packed.read(1 << 20):
                            plain.write(piece)
                    yield copy, Path(member), layout
                    return
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            raise TableError(f"{name} is a damaged zip archive or workbook ({error})") from error
        _sheet(path, name).write_csv(copy, include_header=False)
        yield copy, name, Layout("csv")


def _only_table(archive: zipfile.ZipFile, name: Path) -> str:
    """Return the one table of an archive."""
    members = [
        member.filename
        for member in archive.infolist()
        if not member.is_dir()
        and not member.filename.startswith("__MACOSX")
        and format_by_name(Path(member.filename)) is not None
    ]
    if len(members) != 1:
        has = listed(members) if members else "no table"
        raise TableError(f"{name} is a zip archive with {has}; expected one table: unpack it")
    return members[0]


def _sheet(path: Path, name: Path) -> pl.DataFrame:
    """Return the first sheet that has cells, as strings, from its header row on."""
    reader: Any = require("fastexcel", "excel").read_excel(path)
    for title in reader.sheet_names:
        sheet = reader.load_sheet(title, header_row=None, dtypes="string").to_polars()
        if not sheet.height:
            continue
        head = sheet.head(_MOST_ABOVE)
        n_cells = [sum(cell is not None for cell in row) for row in head.iter_rows()]
        first = n_cells.index(max(n_cells))
        header = sheet.row(first)
        named = [column for column, cell in zip(sheet.columns, header, strict=True) if cell]
        rows = sheet.select(named).slice(first)
        filled: pl.DataFrame = rows.filter(~pl.all_horizontal(pl.all().is_null()))
        return filled
    raise TableError(f"{name} has no sheet with cells")


def _write_lines(path: Path, name: Path, layout: Layout, copy: Path) -> None:
    """Write the objects of a JSON array one per line."""
    with open_text(path, str(name), layout.encoding) as stream:
        try:
            rows = json.load(stream)
        except (ValueError, RecursionError) as error:
            raise TableError(
                f"{name} begins a JSON array and is not JSON ({error}); repair it, or write one "
                "object per line"
            ) from error
    with copy.open("w", encoding="utf-8") as lines:
        for i, row in enumerate(rows):
            if not isinstance(row, dict):
                raise TableError(
                    f"{name} is a JSON array whose entry {i} is {str(row)[:40]!r}; expected "
                    'objects such as {"text": "...", "label": "..."}'
                )
            lines.write(json.dumps(row) + "\n")
