"""Tables as Polars frames: Parquet, and whole tables of any format."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import polars as pl

from imbtext.tabular.columns import check_column
from imbtext.tabular.formats import (
    Format,
    check_format,
    format_by_content,
    format_by_name,
    input_file,
    open_input,
)
from imbtext.tabular.reading import JsonTable, Layout, open_table


def layout_of(
    path: Path,
    file_format: str | None = None,
    delimiter: str | None = None,
    *,
    quotes: bool = True,
    encoding: str = "utf-8",
    name: Path | None = None,
) -> Layout:
    r"""Settle how a file is written, from what was said, its name, or how it begins.

    Examples
    --------
    >>> layout_of(Path("train.tsv")).delimiter
    '\t'
    >>> layout_of(Path("train.csv"), delimiter="tab").delimiter
    '\t'
    """
    found: Format | None = (
        check_format(file_format) if file_format else format_by_name(name or path)
    )
    if found is None:
        found = format_by_content(path)
    if delimiter is None:
        delimiter = "\t" if found == "tsv" else ","
    delimiter = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise ValueError(
            f"the delimiter {delimiter!r} is not one character; give one, such as ';' or 'tab'"
        )
    return Layout(found, delimiter, quotes, encoding)


def read_table(
    path: str | Path,
    columns: Sequence[str] = (),
    *,
    file_format: str | None = None,
    delimiter: str | None = None,
    quotes: bool = True,
    encoding: str = "utf-8",
) -> pl.DataFrame:
    """Read a table of any format as a frame, with all the checks of this package.

    Parameters
    ----------
    path : path
        A CSV, TSV, JSON lines or Parquet file, compressed or not; ``-`` is standard input.
    columns : sequence of str
        The columns to read; by default all. A missing one is an error that lists what is there.
    file_format, delimiter, quotes, encoding
        How the file is written, where its name does not tell.

    Returns
    -------
    polars.DataFrame
        Cells of CSV and TSV files are strings as they stand; JSON lines and Parquet keep types.
    """
    given = Path(path)
    with input_file(given) as source:
        layout = layout_of(
            source, file_format, delimiter, quotes=quotes, encoding=encoding, name=given
        )
        return read_frame(source, layout, str(given), columns)


def read_frame(
    source: Path, layout: Layout, name: str, columns: Sequence[str] = ()
) -> pl.DataFrame:
    """Read a whole table."""
    if layout.format == "parquet":
        frame = _read_parquet(source, name)
        for column in columns:
            check_column(column, frame.columns, name)
        return frame.select(columns) if columns else frame
    table = open_table(source, layout, name)
    is_json = isinstance(table, JsonTable)
    header = table.all_columns() if isinstance(table, JsonTable) else table.header()
    for column in columns:
        check_column(column, header, name, None if is_json else layout.delimiter)
    kept = list(columns) if columns else header
    if len(set(kept)) != len(kept):
        twice = next(column for column in kept if kept.count(column) > 1)
        raise ValueError(f"{name} has several columns named {twice!r}; rename them")
    parts: dict[str, list[object]] = {column: [] for column in kept}
    for batch in table.batches():
        for column, values in parts.items():
            known = column in batch.columns
            values.extend(batch.column(column) if known else [None] * len(batch.rows))
    try:
        return pl.DataFrame(
            {
                column: pl.Series(values, dtype=None if is_json else pl.String, strict=True)
                for column, values in parts.items()
            }
        )
    except (TypeError, pl.exceptions.PolarsError) as error:
        raise ValueError(
            f"a column of {name} mixes types that a table cannot hold together ({error})"
        ) from error


def _read_parquet(source: Path, name: str) -> pl.DataFrame:
    with open_input(source) as stream:
        try:
            return pl.read_parquet(io.BytesIO(stream.read()))
        except (pl.exceptions.PolarsError, OSError) as error:
            reason = str(error).splitlines()[0]
            raise ValueError(f"{name} is not a whole Parquet file ({reason})") from error


def write_frame(frame: pl.DataFrame, stream: IO[bytes], layout: Layout) -> None:
    """Write a whole table."""
    # Polars says what is wrong with a disk in its own words; in memory it meets none.
    buffer = io.BytesIO()
    try:
        if layout.format == "parquet":
            frame.write_parquet(buffer)
        elif layout.format == "jsonl":
            frame.write_ndjson(buffer)
        else:
            frame.write_csv(buffer, separator=layout.delimiter)
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise ValueError(f"the table does not fit the format {layout.format} ({reason})") from error
    stream.write(buffer.getbuffer())
