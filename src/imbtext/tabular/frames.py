"""Tables opened by name, and whole tables as Polars frames."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import polars as pl

from imbtext.tabular.columns import check_column
from imbtext.tabular.errors import TableError
from imbtext.tabular.formats import input_file
from imbtext.tabular.layout import Layout
from imbtext.tabular.parquet import ParquetTable
from imbtext.tabular.reading import CsvTable, JsonTable

Table = CsvTable | JsonTable | ParquetTable


def open_table(path: Path, layout: Layout, name: Path | None = None) -> Table:
    """Return the reader of a file that can be read twice, as `input_file` gives it.

    `name` is what the user calls the file; ``-`` is standard input.
    """
    called = "standard input" if str(name) == "-" else str(name or path)
    layout = layout.settled(path, name)
    if layout.format == "parquet":
        return ParquetTable(path, layout, called)
    return (JsonTable if layout.format == "jsonl" else CsvTable)(path, layout, called)


def read_table(
    path: str | Path, columns: Sequence[str] = (), layout: Layout | None = None
) -> pl.DataFrame:
    """Read a table of any format as a frame, with all the checks of this package.

    By default all columns; a missing one is an error that lists what is there. Cells of CSV and TSV
    files are strings as they stand; JSON lines and Parquet keep types.
    """
    given = Path(path)
    with input_file(given) as source:
        return read_frame(open_table(source, layout or Layout(), given), columns)


def read_frame(table: Table, columns: Sequence[str] = ()) -> pl.DataFrame:
    """Read a whole table."""
    table.check_columns(columns)
    if isinstance(table, ParquetTable):
        frame = table.frame()
        return frame.select(columns) if columns else frame
    header = table.all_columns() if isinstance(table, JsonTable) else table.header()
    kept = list(columns) if columns else header
    for column in kept:
        check_column(column, kept, table.name)
    parts: dict[str, list[object]] = {column: [] for column in kept}
    for batch in table.batches():
        for column, values in parts.items():
            values.extend(batch.column(column))
    dtype = None if isinstance(table, JsonTable) else pl.String
    try:
        return pl.DataFrame(
            {
                column: pl.Series(values, dtype=dtype, strict=True)
                for column, values in parts.items()
            }
        )
    except (TypeError, OverflowError, pl.exceptions.PolarsError) as error:
        raise TableError(
            f"a column of {table.name} mixes types that a table cannot hold together ({error})"
        ) from error


def write_frame(
    frame: pl.DataFrame, stream: IO[bytes], layout: Layout, *, header: bool = True
) -> None:
    """Write a whole table, or without its `header` more rows of one (all formats but Parquet)."""
    for column, dtype in frame.schema.items():
        if layout.format != "parquet" and _holds(dtype, pl.Binary, pl.Object):
            raise TableError(
                f"column {column!r} holds {dtype}, which the format {layout.format} has no place "
                f"for; drop or decode it, or write Parquet"
            )
        if layout.format == "jsonl" and dtype.is_float() and frame[column].is_infinite().any():
            raise TableError(
                f"column {column!r} holds infinite numbers, which JSON does not have; write CSV or "
                f"Parquet"
            )
    # Polars says what is wrong with a disk in its own words; in memory it meets none.
    buffer = io.BytesIO()
    try:
        if layout.format == "parquet":
            frame.write_parquet(buffer)
        elif layout.format == "jsonl":
            frame.write_ndjson(buffer)
        else:
            frame.write_csv(buffer, separator=layout.separator, include_header=header)
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise TableError(f"the table does not fit the format {layout.format} ({reason})") from error
    stream.write(buffer.getbuffer())


def _holds(dtype: pl.DataType, *kinds: type[pl.DataType]) -> bool:
    """Return whether a type is one of these kinds, or holds one inside."""
    if isinstance(dtype, pl.Struct):
        return any(_holds(field.dtype, *kinds) for field in dtype.fields)  # type: ignore[arg-type]
    if isinstance(dtype, pl.List | pl.Array):
        return _holds(dtype.inner, *kinds)  # type: ignore[arg-type]
    return isinstance(dtype, kinds)
