"""From text formats to Parquet and back, some rows at a time.

Parquet says the type of a column before its first row. In CSV files all cells are strings; the
types of JSON lines are found out by a look at all of them. The other way, Polars writes the rows
of a Parquet file as text.
"""

import copy
from collections.abc import Mapping, Sequence
from typing import IO, Any

import polars as pl
import pyarrow as arrow

from imbtext.tabular.columns import check_column
from imbtext.tabular.errors import TableError
from imbtext.tabular.frames import Table, write_frame
from imbtext.tabular.layout import Layout
from imbtext.tabular.parquet import ArrowBatch, ParquetTable, wider
from imbtext.tabular.reading import Batch, CsvTable, JsonTable
from imbtext.tabular.writing import RowWriter


def typed(tables: Sequence[Table]) -> list[Table]:
    """Return tables with the types that Parquet gives their columns, the same for all of them."""
    if isinstance(tables[0], ParquetTable):
        return list(tables)
    texts = [table for table in tables if isinstance(table, CsvTable | JsonTable)]
    fields: dict[str, Any] = {}
    for table in texts:
        _find_types(table, fields)
    schema = arrow.schema(list(fields.values()))
    with_types: list[Table] = []
    for table in texts:
        own = copy.copy(table)
        own.schema = schema
        with_types.append(own)
    return with_types


def _find_types(table: CsvTable | JsonTable, fields: dict[str, Any]) -> None:
    if isinstance(table, CsvTable):
        header = table.header()
        for name in header:
            check_column(name, header, table.name)
            fields.setdefault(name, arrow.field(name, arrow.string()))
        return
    for batch in table.batches():
        for name in batch.columns:
            try:
                found = arrow.field(name, arrow.array(batch.column(name)).type)
            except (arrow.ArrowException, OverflowError) as error:
                raise TableError(
                    f"column {name!r} of {table.name} mixes types that Parquet cannot hold "
                    f"together ({error}); write JSON lines, or convert it first"
                ) from error
            known = fields.setdefault(name, found)
            if known.type != found.type:
                fields[name] = wider(known, found, "other lines", table.name)


class FrameWriter(RowWriter):
    """Writes the rows of Parquet files as CSV, TSV or JSON lines.

    Parameters
    ----------
    stream : binary file
        Where to write.
    layout : Layout
        How to write.
    schema : pyarrow.Schema
        The columns of the input.
    text : str
        Which of them holds the documents.
    added : sequence of str
        Columns of booleans that are added.
    """

    def __init__(
        self, stream: IO[bytes], layout: Layout, schema: Any, text: str, added: Sequence[str]
    ) -> None:
        super().__init__(stream)
        self.layout, self.text = layout, text
        empty = self._frame(schema.empty_table())
        self._empty = empty.with_columns(pl.lit(None, pl.Boolean).alias(name) for name in added)
        self._has_header = False

    def originals(self, batch: Batch, added: Mapping[str, Sequence[Any]]) -> None:
        """Write rows of the input."""
        assert isinstance(batch, ArrowBatch)
        frame = self._frame(batch.table)
        self._write(frame.with_columns(pl.Series(name, values) for name, values in added.items()))

    def new(self, columns: Sequence[str], cells: Mapping[str, Sequence[Any]]) -> None:  # noqa: ARG002
        """Write new rows."""
        given = pl.DataFrame(
            {
                name: pl.Series(values, dtype=self._empty.schema[name])
                for name, values in cells.items()
            }
        )
        self._write(pl.concat([self._empty, given], how="diagonal"))

    def close(self) -> None:
        """Write the header, where no row came."""
        if not self._has_header:
            self._write(self._empty)

    def _write(self, frame: pl.DataFrame) -> None:
        write_frame(frame, self.stream, self.layout, header=not self._has_header)
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
