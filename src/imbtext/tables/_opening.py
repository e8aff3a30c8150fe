"""Opening tables by name: a file, a folder or a pattern of files."""

import glob
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from imbtext._messages import listed
from imbtext.tables._batches import TableFile
from imbtext.tables._csv import CsvTable
from imbtext.tables._errors import TableError
from imbtext.tables._formats import Layout, format_by_name, input_file
from imbtext.tables._jsonl import JsonTable
from imbtext.tables._parquet import ParquetTable, one_schema
from imbtext.tables._unpacking import unpacked

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
            unpacked(file, paths[0], layout) as (plain, name, of_plain),
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
