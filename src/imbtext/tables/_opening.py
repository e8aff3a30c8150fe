"""Opening tables by name: a file, a folder, a pattern, or a packed table."""

import glob
import json
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import polars as pl

from imbtext._extras import require
from imbtext._messages import listed
from imbtext.tables._batches import TableFile
from imbtext.tables._csv import CsvTable
from imbtext.tables._errors import TableError
from imbtext.tables._formats import Layout, format_by_name, input_file, open_text
from imbtext.tables._jsonl import JsonTable
from imbtext.tables._parquet import ParquetTable, one_schema

_ZIP: Final = b"PK\x03\x04"
_WORKBOOK: Final = "xl/workbook.xml"
# What a DuckDB database begins with, after a checksum of eight bytes.
_DATABASE: Final = b"DUCK"
# Above the header of a sheet, people write titles and notes, but not more rows than this.
_MOST_ABOVE: Final = 10
_KINDS: dict[str | None, type[TableFile]] = {"jsonl": JsonTable, "parquet": ParquetTable}


def open_table(
    path: Path, layout: Layout, name: Path | None = None, formatted: Path | None = None
) -> TableFile:
    """Return the reader of a file that can be read twice, as `input_file` gives it.

    `name` is what the user calls the file; ``-`` is standard input. The ending of `formatted` tells
    the format, by default that of `name`.
    """
    called = "standard input" if str(name) == "-" else str(name or path)
    layout = layout.settled(path, formatted or name)
    return _KINDS.get(layout.format, CsvTable)(path, layout, called)


def source_files(source: str | Path) -> list[Path]:
    """Return the files that a name, a folder or a pattern stands for, sorted by name.

    In a folder, files are skipped if their names begin with a dot or an underscore, as in other
    tools, or do not tell a format.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("b.csv", "a.csv", "_SUCCESS"):
    ...     folder.joinpath(name).touch()
    >>> [path.name for path in source_files(folder)]
    ['a.csv', 'b.csv']
    """
    source = Path(source)
    if source.is_dir():
        paths = [
            path
            for path in sorted(source.iterdir())
            if path.is_file() and path.name[0] not in "._" and format_by_name(path)
        ]
        if not paths:
            raise TableError(f"the folder {source} holds no CSV, TSV, JSON lines or Parquet files")
        return paths
    if not source.exists() and glob.has_magic(str(source)):
        matches = [Path(path) for path in sorted(glob.glob(str(source), recursive=True))]  # noqa: PTH207
        paths = [path for path in matches if path.is_file()]
        if not paths:
            raise FileNotFoundError(
                f"cannot read {source}: there is no such file, and no file matches the pattern"
            )
        return paths
    return [source]


@contextmanager
def open_tables(source: str | Path, layout: Layout) -> Iterator[list[TableFile]]:
    r"""Open a file, a folder or a pattern as tables of one format with the same columns.

    Parameters
    ----------
    source : path
        A file, a folder, a pattern such as ``data/*.parquet``, or ``-`` for standard input.
    layout : Layout
        How the files are written.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "train.csv"
    >>> _ = path.write_text("body,topic\noil up,oil\n")
    >>> with open_tables(path, Layout()) as tables:
    ...     [batch.values("body") for table in tables for batch in table.batches()]
    [['oil up']]
    """
    paths = source_files(source)
    if len(paths) == 1:
        with (
            input_file(paths[0]) as file,
            _unpacked(file, paths[0], layout) as (plain, name, of_plain),
        ):
            yield [open_table(plain, of_plain, paths[0], name)]
        return
    tables: list[TableFile] = []
    for path in paths:
        with input_file(path) as file:
            tables.append(open_table(file, layout, path))
        if tables[-1].layout.format != tables[0].layout.format:
            raise TableError(
                f"{path} is {tables[-1].layout.format} and {paths[0]} is "
                f"{tables[0].layout.format}; name files of one format"
            )
    if tables[0].schema is not None:
        schema = one_schema((table.name, table.schema) for table in tables)
        tables = [replace(table, schema=schema) for table in tables]
    first = tables[0]
    for table in tables:
        if isinstance(table, CsvTable) and table.columns != first.columns:
            raise TableError(
                f"{table.name} has the columns {listed(table.columns)} and {first.name} has "
                f"{listed(first.columns)}; all files must have the same columns"
            )
    yield tables


def name_of_tables(tables: Sequence[TableFile]) -> str:
    """Return what messages call tables that are read as one."""
    n_others = len(tables) - 1
    others = f" and {n_others:,} other file{'s' * (n_others > 1)}" if n_others else ""
    return f"{tables[0].name}{others}"


# Workbooks, zip archives and JSON arrays become plain files in a temporary folder, which the
# readers of tables then read.


@contextmanager
def _unpacked(path: Path, name: Path, layout: Layout) -> Iterator[tuple[Path, Path, Layout]]:
    """Give a file that table readers read, the name that tells its format, and its layout."""
    if layout.query is not None or _is_database(path):
        with tempfile.TemporaryDirectory(prefix="imbtext-input-") as folder:
            copy = Path(folder) / "table"
            _ask_database(path, name, layout.query, copy)
            yield copy, name, Layout("parquet")
        return
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


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(12)[8:] == _DATABASE


def _ask_database(path: Path, name: Path, query: str | None, copy: Path) -> None:
    """Write the answer of a DuckDB database to a query as Parquet."""
    if not _is_database(path):
        raise TableError(f"{name} is not a DuckDB database, which --query is for; leave it out")
    duckdb: Any = require("duckdb", "duckdb")
    try:
        with duckdb.connect(str(path), read_only=True) as database:
            if query is None:
                tables = [row[0] for row in database.sql("show tables").fetchall()]
                has = f"its tables are {listed(tables)}" if tables else "it has no table"
                raise TableError(
                    f"{name} is a DuckDB database; say what to read with --query 'select ...': "
                    f"{has}"
                )
            database.sql(query).write_parquet(str(copy))
    except duckdb.Error as error:
        said = " ".join(str(error).split())
        raise TableError(f"DuckDB cannot answer the query from {name}: {said}") from error
    except AttributeError as error:  # a statement that returns nothing
        raise TableError(f"the query returns no rows of {name}; begin it with select") from error


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
