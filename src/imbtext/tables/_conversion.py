"""Writing a table of one format in another, some rows at a time.

Parquet says the type of a column before its first row. In CSV files all cells are strings; the
types of JSON lines are found out by a look at all of them. The other way, Polars writes the rows
of a Parquet file as text.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import IO, Any

import polars as pl
import pyarrow as arrow

from imbtext.tables._errors import TableError, check_column
from imbtext.tables._formats import Layout
from imbtext.tables._parquet import ArrowBatch, ParquetWriter, one_schema
from imbtext.tables._reading import Batch, CsvTable, JsonTable, TableFile
from imbtext.tables._writing import AddedColumns, RowWriter, row_writer


def table_writer(
    stream: IO[bytes],
    tables: Sequence[TableFile],
    layout: Layout,
    text: str,
    added: AddedColumns,
) -> RowWriter:
    """Return what writes rows of tables, all of one format, and new ones in a layout.

    `text` is the column of the documents. What becomes Parquet went through :func:`typed`.
    """
    first, schema = tables[0], tables[0].schema
    header = _header(tables, layout) if schema is None else schema.names
    added.check(header, first.name)
    if not isinstance(first, CsvTable) or layout.format == "jsonl":
        for column in header:  # of two columns of one name, only CSV can hold both
            check_column(column, header, first.name)
    if schema is None:
        return row_writer(stream, layout, header, added)
    schema = arrow.schema([*schema, *added.types.items()])
    if layout.format == "parquet":
        return ParquetWriter(stream, schema, text)
    return FrameWriter(stream, layout, schema, text)


def _header(tables: Sequence[TableFile], layout: Layout) -> list[str]:
    if layout.format == "jsonl" or isinstance(tables[0], CsvTable):
        return tables[0].header()
    listed = [table.all_columns() for table in tables if isinstance(table, JsonTable)]
    return list(dict.fromkeys(name for names in listed for name in names))


def typed(tables: Sequence[TableFile]) -> list[TableFile]:
    """Return tables with the types that Parquet gives their columns, the same for all of them."""
    if tables[0].schema is not None:
        return list(tables)
    schema = one_schema((table.name, found) for table in tables for found in _schemas(table))
    return [replace(table, schema=schema) for table in tables]


def _schemas(table: TableFile) -> Iterator[Any]:
    if isinstance(table, CsvTable):
        yield arrow.schema([(name, arrow.string()) for name in table.header()])
        return
    for batch in table.batches():
        fields = []
        for name in batch.columns:
            try:
                fields.append((name, arrow.array(batch.column(name)).type))
            except (arrow.ArrowException, OverflowError) as error:
                raise TableError(
                    f"column {name!r} of {table.name} mixes types that Parquet cannot hold "
                    f"together ({error}); write JSON lines, or convert it first"
                ) from error
        yield arrow.schema(fields)


class FrameWriter(RowWriter):
    """Writes the rows of Parquet files as CSV, TSV or JSON lines.

    `schema` has the columns of the input and those that are added, `text` is that of the documents.
    """

    def __init__(self, stream: IO[bytes], layout: Layout, schema: Any, text: str) -> None:
        super().__init__(stream)
        self.layout, self.text = layout, text
        self._empty = self._frame(schema.empty_table())
        self._has_header = False

    def originals(self, batch: Batch, added: Mapping[str, Sequence[Any]]) -> None:
        """Write rows of the input."""
        assert isinstance(batch, ArrowBatch)
        frame = self._frame(batch.table)
        self._write(frame.with_columns(self._columns(added)))

    def new(self, cells: Mapping[str, Sequence[Any]]) -> None:
        """Write new rows."""
        given = pl.DataFrame(self._columns(cells))
        self._write(pl.concat([self._empty, given], how="diagonal"))

    def _columns(self, cells: Mapping[str, Sequence[Any]]) -> list[pl.Series]:
        types = self._empty.schema
        return [pl.Series(name, values, dtype=types[name]) for name, values in cells.items()]

    def close(self) -> None:
        """Write the header, where no row came."""
        if not self._has_header:
            self._write(self._empty)

    def _write(self, frame: pl.DataFrame) -> None:
        _write_frame(frame, self.stream, self.layout, header=not self._has_header)
        self._has_header = True

    def _frame(self, table: Any) -> pl.DataFrame:
        for at, column in enumerate(table.schema):
            if arrow.types.is_decimal256(column.type):  # longer than the numbers of Polars
                table = table.set_column(at, column.name, table[at].cast(arrow.string()))
        try:
            frame = pl.DataFrame(pl.from_arrow(table))
        except (arrow.ArrowException, pl.exceptions.PolarsError, TypeError, ValueError) as error:
            reason = str(error).splitlines()[0]
            raise TableError(
                f"the input has a column that the format {self.layout.format} has no place for "
                f"({reason}); drop or convert it, or write Parquet"
            ) from error
        return frame.with_columns(pl.col(self.text).cast(pl.String))


def _write_frame(frame: pl.DataFrame, stream: IO[bytes], layout: Layout, *, header: bool) -> None:
    for column, dtype in frame.schema.items():
        if _holds_bytes(dtype):
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
        if layout.format == "jsonl":
            frame.write_ndjson(buffer)
        else:
            frame.write_csv(buffer, separator=layout.separator, include_header=header)
    except pl.exceptions.PolarsError as error:
        reason = str(error).splitlines()[0]
        raise TableError(f"the table does not fit the format {layout.format} ({reason})") from error
    stream.write(buffer.getbuffer())


def _holds_bytes(dtype: Any) -> bool:
    """Return whether a type is one of bytes or of foreign objects, or holds one inside."""
    if isinstance(dtype, pl.Struct):
        return any(_holds_bytes(field.dtype) for field in dtype.fields)
    if isinstance(dtype, pl.List | pl.Array):
        return _holds_bytes(dtype.inner)
    return isinstance(dtype, pl.Binary | pl.Object)
