"""Opening tables by name: a file, a folder, a pattern, or a packed table."""

import glob
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from imbtext._extras import require
from imbtext._messages import listed
from imbtext.tables._batches import TableFile
from imbtext.tables._csv import CsvTable
from imbtext.tables._errors import TableError
from imbtext.tables._excel import check_workbook, sheet_of
from imbtext.tables._formats import (
    DAMAGE,
    Layout,
    format_by_name,
    input_file,
    is_json,
    open_input,
    open_text,
)
from imbtext.tables._jsonl import JsonTable, lines_of_array
from imbtext.tables._parquet import ParquetTable, one_schema
from imbtext.tables._recognition import recognised

_ZIP: Final = b"PK\x03\x04"
_WORKBOOK: Final = "xl/workbook.xml"
# What a DuckDB database begins with, after a checksum of eight bytes.
_DATABASE: Final = b"DUCK"
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
    if layout.format in _KINDS:
        return _KINDS[layout.format](path, layout, called)
    layout, first_lines = recognised(path, layout, called)
    table = CsvTable(path, layout, called)
    table.take_header(first_lines)
    return table


def source_files(source: str | Path) -> list[Path]:
    """Return the files that a name, a folder or a pattern stands for, sorted by name.

    In a folder, files are skipped if their names begin with a dot or an underscore, as in other
    tools, or do not show a format.

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
            if path.is_file() and path.name[0] not in "._" and _is_table(path)
        ]
        if not paths:
            raise TableError(f"the folder {source} holds no CSV, TSV, JSON, Parquet or Excel files")
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


def _is_table(path: Path) -> bool:
    return format_by_name(path) is not None or ".json" in map(str.lower, path.suffixes[-2:])


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
    with ExitStack() as files:
        tables: list[TableFile] = []
        for path in paths:
            file = files.enter_context(input_file(path))
            plain, name, of_plain = files.enter_context(_unpacked(file, path, layout))
            tables.append(open_table(plain, of_plain, path, name))
        yield tables if len(tables) == 1 else _alike(tables)


def _alike(tables: list[TableFile]) -> list[TableFile]:
    """Return tables of one format with the same columns, and the same types if they have some."""
    first = tables[0]
    for table in tables:
        if table.layout.format != first.layout.format:
            raise TableError(
                f"{table.name} is {table.layout.format} and {first.name} is "
                f"{first.layout.format}; name files of one format"
            )
        if isinstance(table, CsvTable) and table.columns != first.columns:
            raise TableError(
                f"{table.name} has the columns {listed(table.columns)} and {first.name} has "
                f"{listed(first.columns)}; all files must have the same columns"
            )
    if first.schema is None:
        return tables
    schema = one_schema((table.name, table.schema) for table in tables)
    return [replace(table, schema=schema) for table in tables]


def name_of_tables(tables: Sequence[TableFile]) -> str:
    """Return what messages call tables that are read as one."""
    n_others = len(tables) - 1
    others = f" and {n_others:,} other file{'s' * (n_others > 1)}" if n_others else ""
    return f"{tables[0].name}{others}"


# Workbooks, zip archives and JSON arrays become plain files in a temporary folder, which the
# readers of tables then read.


@contextmanager
def _unpacked(path: Path, name: Path, layout: Layout) -> Iterator[tuple[Path, Path, Layout]]:
    """Give a file that table readers read, the name that shows its format, and its layout."""
    named_format = layout.format or format_by_name(name)
    if layout.query is not None or (named_format is None and _is_database(path)):
        with tempfile.TemporaryDirectory(prefix="imbtext-input-") as folder:
            copy = Path(folder) / "table"
            _ask_database(path, name, layout.query, copy)
            yield copy, name, Layout("parquet")
        return
    start = b""
    if named_format in (None, "xlsx"):  # others need no second look
        start = _first_bytes(path)
    if named_format == "xlsx" and not start.startswith(_ZIP):
        raise TableError(f"{name} is not a workbook of Excel; save it as .xlsx, or as CSV")
    is_array = is_json(start, [b"["])
    if not (start.startswith(_ZIP) or is_array):
        yield path, name, layout
        return
    with tempfile.TemporaryDirectory(prefix="imbtext-input-") as folder:
        copy = Path(folder) / "table"
        if is_array:
            with open_text(path, str(name), layout.codec) as stream, copy.open("wb") as lines:
                lines.writelines(f"{line}\n".encode() for line in lines_of_array(stream, name))
            yield copy, name, replace(layout, format="jsonl", encoding="utf-8")
            return
        try:
            with zipfile.ZipFile(path) as archive:
                if is_workbook := _WORKBOOK in archive.namelist():
                    check_workbook(archive, str(name))
                else:
                    member = _only_table(archive, name)
                    _unpack(archive, member, copy, name)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, *DAMAGE) as error:
            raise TableError(f"{name} is a damaged zip archive or workbook ({error})") from error
        if not is_workbook:
            yield copy, Path(member.filename), layout
            return
        sheet_of(path, name, layout.sheet).write_csv(copy, include_header=False)
        yield copy, name, Layout("csv", ",", encoding="utf-8")


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
            # Others may write, such as copy ... to a file, even if the database is read-only.
            kinds = [statement.type for statement in database.extract_statements(query)]
            if kinds != [duckdb.StatementType.SELECT]:
                raise TableError(
                    f"--query reads rows of {name} and does nothing else; give one select"
                )
            database.sql(query).write_parquet(str(copy))
    except duckdb.Error as error:
        said = " ".join(str(error).split())
        raise TableError(f"DuckDB cannot answer the query from {name}: {said}") from error


def _first_bytes(path: Path) -> bytes:
    """Return how a file begins, unpacked if it is compressed; nothing if it is damaged."""
    with suppress(*DAMAGE), open_input(path) as stream:
        return stream.read(4096)
    return b""


def _unpack(archive: zipfile.ZipFile, member: zipfile.ZipInfo, copy: Path, name: Path) -> None:
    """Write a table of an archive to a file, if it fits; it cannot be larger than it says."""
    free = shutil.disk_usage(copy.parent).free
    if member.file_size > free:
        raise TableError(
            f"{member.filename} in {name} has {member.file_size / 2**30:,.1f} GiB, and "
            f"{copy.parent.parent} has {free / 2**30:,.1f} GiB left; unpack it elsewhere, or set "
            "the variable TMPDIR to a folder with more space"
        )
    with archive.open(member) as packed, copy.open("wb") as plain:
        shutil.copyfileobj(packed, plain, 1 << 20)


def _only_table(archive: zipfile.ZipFile, name: Path) -> zipfile.ZipInfo:
    """Return the one table of an archive."""
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir()
        and not member.filename.startswith("__MACOSX")
        and format_by_name(Path(member.filename)) is not None
    ]
    if len(members) != 1:
        has = listed([member.filename for member in members]) if members else "no table"
        raise TableError(f"{name} is a zip archive with {has}; expected one table: unpack it")
    return members[0]
