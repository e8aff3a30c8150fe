"""Which writer writes a table: in the format of its input, or in another.

Parquet declares the type of each column before the first row. Cells of CSV files are strings. JSON
lines are read once to learn the types of their columns (:func:`typed`). In the other direction,
Polars writes the rows of a Parquet file as text (:class:`FrameWriter`).
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

import polars as pl
import pyarrow as arrow

from imbtext.tables._batches import AddedColumns, Batch, TableFile, TableWriter
from imbtext.tables._csv import CsvTable, CsvWriter, csv_bytes
from imbtext.tables._errors import TableError, check_column
from imbtext.tables._excel import ExcelWriter
from imbtext.tables._formats import Layout, open_output
from imbtext.tables._jsonl import JsonWriter
from imbtext.tables._parquet import ParquetWriter, one_schema
from imbtext.writing import output_file


def table_writer(
    stream: IO[bytes],
    tables: Sequence[TableFile],
    layout: Layout,
    text: str,
    added: AddedColumns,
) -> TableWriter:
    """Return a writer for rows of tables, all of one format, and for new ones.

    `text` is the column of the documents. Tables to write as Parquet must come from :func:`typed`.
    """
    first, schema = tables[0], tables[0].schema
    names = _all_columns(tables, layout) if schema is None else schema.names
    added.check(names, first.name)
    if not isinstance(first, CsvTable) or layout.format == "jsonl":
        for name in names:  # only CSV can hold two columns of one name
            check_column(name, names, first.name)
    if layout.format == "xlsx":
        return ExcelWriter(stream, [*names, *added.types])
    if schema is None:
        return _text_writer(stream, layout, names, added)
    schema = arrow.schema([*schema, *added.types.items()])
    if layout.format == "parquet":
        return ParquetWriter(stream, schema, text)
    return FrameWriter(stream, layout, schema, text)


def new_table_writer(stream: IO[bytes], layout: Layout, types: Mapping[str, object]) -> TableWriter:
    """Return a writer for a table of new rows; `types` are Arrow types by column name."""
    if layout.format == "parquet":
        return ParquetWriter(stream, arrow.schema(list(types.items())))
    if layout.format == "xlsx":
        return ExcelWriter(stream, list(types))
    return _text_writer(stream, layout, list(types), AddedColumns())


def write_table(
    out: Path,
    layout: Layout,
    cells: Mapping[str, Sequence[object]],
    types: Mapping[str, object] | None = None,
) -> None:
    """Write a table of new rows, whole or not at all; ``-`` is standard output.

    `types` are Arrow types by column name; other columns are strings.
    """
    types = dict.fromkeys(cells, arrow.string()) | dict(types or {})
    with (
        output_file(out) as partial,
        open_output(partial) as stream,
        new_table_writer(stream, layout, types) as writer,
    ):
        writer.new(cells)


def _text_writer(
    stream: IO[bytes], layout: Layout, names: Sequence[str], added: AddedColumns
) -> TableWriter:
    if layout.format == "jsonl":
        return JsonWriter(stream, names, added)
    return CsvWriter(stream, layout, [*names, *added.types])


def _all_columns(tables: Sequence[TableFile], layout: Layout) -> list[str]:
    if layout.format == "jsonl" or isinstance(tables[0], CsvTable):
        return tables[0].columns
    return list(dict.fromkeys(name for table in tables for name in table.all_columns()))


def typed(tables: Sequence[TableFile]) -> list[TableFile]:
    """Return tables with the types that Parquet gives their columns, the same for all of them."""
    if tables[0].schema is not None:
        return list(tables)
    schema = one_schema((table.name, schema) for table in tables for schema in _schemas(table))
    return [table.with_schema(schema) for table in tables]


def _schemas(table: TableFile) -> Iterator[arrow.Schema]:
    if isinstance(table, CsvTable):
        yield arrow.schema([(name, arrow.string()) for name in table.columns])
        return
    for batch in table.batches():
        fields = []
        for name in batch.names:
            try:
                fields.append((name, arrow.array(batch.column(name)).type))
            except (arrow.ArrowException, OverflowError, UnicodeEncodeError) as error:
                raise TableError(
                    f"column {name!r} of {table.name} holds values that Parquet cannot hold in "
                    f"one column ({error}); write JSON lines, or convert it first"
                ) from error
        yield arrow.schema(fields)


class FrameWriter(TableWriter):
    """Writes the rows of Parquet files as CSV, TSV or JSON lines.

    `schema` has the columns of the input and the added ones; `text` is the column of the documents.
    """

    def __init__(self, stream: IO[bytes], layout: Layout, schema: arrow.Schema, text: str) -> None:
        super().__init__(stream)
        self.layout, self.text = layout, text
        self._empty = self._frame(schema.empty_table())
        if layout.format != "jsonl":
            header = pl.DataFrame({name: [name] for name in self._empty.columns})
            stream.write(csv_bytes(header, layout))

    def originals(self, batch: Batch, added: Mapping[str, Sequence[object]]) -> None:
        """Write rows of the input."""
        frame = self._frame(arrow.Table.from_arrays(batch.columns, batch.names))
        self._write(frame.with_columns(self._columns(added)))

    def new(self, cells: Mapping[str, Sequence[object]]) -> None:
        """Write new rows."""
        rows = pl.DataFrame(self._columns(cells))
        self._write(pl.concat([self._empty, rows], how="diagonal"))

    def _columns(self, cells: Mapping[str, Sequence[object]]) -> list[pl.Series]:
        types = self._empty.schema
        return [pl.Series(name, values, dtype=types[name]) for name, values in cells.items()]

    def _frame(self, table: arrow.Table) -> pl.DataFrame:
        for at, field in enumerate(table.schema):
            if arrow.types.is_decimal256(field.type):  # longer than the numbers of Polars
                table = table.set_column(at, field.name, table[at].cast(arrow.string()))
        try:
            frame = pl.DataFrame(pl.from_arrow(table))
        except (arrow.ArrowException, pl.exceptions.PolarsError, TypeError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise TableError(
                f"the input has a column that the format {self.layout.format} cannot hold "
                f"({reason}); drop or convert it, or write Parquet"
            ) from error
        return frame.with_columns(pl.col(self.text).cast(pl.String))

    def _write(self, frame: pl.DataFrame) -> None:
        for name, dtype in frame.schema.items():
            if _holds_bytes(dtype):
                raise TableError(
                    f"column {name!r} holds {dtype}, which the format {self.layout.format} "
                    f"cannot hold; drop or decode it, or write Parquet"
                )
        try:
            if self.layout.format == "jsonl":
                self.stream.write(_json_bytes(frame))
            else:
                self.stream.write(csv_bytes(frame, self.layout))
        except pl.exceptions.PolarsError as error:
            reason = str(error).splitlines()[0]
            raise TableError(
                f"the table does not fit the format {self.layout.format} ({reason})"
            ) from error


def _json_bytes(frame: pl.DataFrame) -> bytes:
    for name, dtype in frame.schema.items():
        if dtype.is_float() and frame[name].is_infinite().any():
            raise TableError(
                f"column {name!r} holds infinite numbers, which JSON does not have; write CSV or "
                f"Parquet"
            )
    buffer = io.BytesIO()
    frame.write_ndjson(buffer)
    return buffer.getvalue()


def _holds_bytes(dtype: object) -> bool:
    """Return whether a type is bytes or a foreign object, or contains one."""
    if isinstance(dtype, pl.Struct):
        return any(_holds_bytes(field.dtype) for field in dtype.fields)
    if isinstance(dtype, pl.List | pl.Array):
        return _holds_bytes(dtype.inner)
    return isinstance(dtype, pl.Binary | pl.Object)
