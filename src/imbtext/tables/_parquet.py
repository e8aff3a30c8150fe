"""Parquet files in bounded memory, every column as Arrow reads it.

A file is read some rows at a time and written row group by row group. Columns are converted only
if several files disagree on their types: see :func:`one_schema`.
"""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import IO, ClassVar

import numpy as np
import pyarrow as arrow
import pyarrow.compute as pc
from pyarrow import parquet

from imbtext._typing import Record
from imbtext.tables._batches import Batch, TableFile, TableWriter, arrow_column
from imbtext.tables._errors import TableError, check_column
from imbtext.tables._formats import DAMAGE, open_input

# The limits of a batch and of a row group, in rows and in bytes.
_BATCH_ROWS, _BATCH_BYTES = 20_000, 16_000_000
_ROWS_PER_GROUP, _BYTES_PER_GROUP = 100_000, 64_000_000
# Uncompressed; a task that works on a part needs a small multiple of it in memory.
_BYTES_PER_PART = 64_000_000


@dataclass(frozen=True)
class ParquetTable(TableFile):
    """A Parquet file, or some of its row groups, with `rows_before` rows in earlier ones.

    If a `schema` is given, the rows get its columns and types.
    """

    row_groups: tuple[int, ...] | None = None
    rows_before: int = 0
    unit: ClassVar[str] = "row"

    def __post_init__(self) -> None:
        if self.schema is None:
            with self._open() as file:
                object.__setattr__(self, "schema", file.schema_arrow.remove_metadata())

    def _read_header(self) -> list[str]:
        """Return the names of the columns."""
        names: list[str] = self.schema.names
        return names

    def check_columns(self, names: Sequence[str]) -> None:
        """Raise unless the table has each of the columns once."""
        for column in names:
            check_column(column, self.columns, self.name)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """Read these columns, by default all; the lines of a batch are the numbers of its rows."""
        n_rows = self.rows_before
        names = self.columns if columns is None else columns
        self.check_columns(names)
        schema = arrow.schema([self.schema.field(name) for name in names])
        with self._open(_in_codes(self.schema)) as file:
            groups = range(file.metadata.num_row_groups)
            for part in file.iter_batches(
                _batch_rows(file.metadata),
                row_groups=list(groups if self.row_groups is None else self.row_groups),
                columns=[name for name in names if name in file.schema_arrow.names],
                use_threads=False,
            ):
                for rows in _bounded(part):
                    table = _conformed(arrow.Table.from_batches([rows]), schema, self.name)
                    yield Batch.from_arrow(table, n_rows)
                    n_rows += len(table)

    def parts(self) -> "list[ParquetTable]":
        """Return the file in parts of whole row groups, each of bounded size."""
        parts: list[ParquetTable] = []
        groups: list[int] = []
        before = n_rows = n_bytes = 0
        with self._open() as file:
            metadata = file.metadata
        for i in range(metadata.num_row_groups):
            group = metadata.row_group(i)
            if groups and n_bytes + group.total_byte_size > _BYTES_PER_PART:
                parts.append(replace(self, row_groups=tuple(groups), rows_before=before))
                groups, before, n_rows, n_bytes = [], before + n_rows, 0, 0
            groups.append(i)
            n_rows += group.num_rows
            n_bytes += group.total_byte_size
        return [*parts, replace(self, row_groups=tuple(groups), rows_before=before)]

    @contextmanager
    def _open(self, in_codes: Sequence[str] = ()) -> Iterator[parquet.ParquetFile]:
        try:
            with open_input(self.path) as stream:
                # A compressed file cannot be read from its end, as Parquet must be.
                plain = isinstance(stream, io.BufferedReader)
                source = self.path if plain else io.BytesIO(stream.read())
                with parquet.ParquetFile(
                    source, pre_buffer=False, read_dictionary=list(in_codes)
                ) as file:
                    yield file
        except (arrow.ArrowException, *DAMAGE, OSError) as error:
            if isinstance(error, FileNotFoundError | PermissionError):
                raise OSError(f"cannot read {self.path}: {error.strerror}") from error
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise TableError(
                f"{self.name} is not a whole Parquet file ({reason}); repair it or leave it out"
            ) from error


def one_schema(schemas: Iterable[tuple[str, arrow.Schema]]) -> arrow.Schema:
    """Return one schema that fits all tables of these names and schemas.

    If a table lacks a column, its rows have missing values there. If types differ, the wider one is
    taken: 32- and 64-bit numbers become 64-bit, categories become the strings they stand for.
    """
    fields: Record = {}
    first_table: dict[str, str] = {}
    for name, schema in schemas:
        for field in schema:
            check_column(field.name, schema.names, name)
            known = fields.setdefault(field.name, field)
            before = first_table.setdefault(field.name, name)
            if known.type != field.type:
                others = "other lines" if before == name else before
                fields[field.name] = _wider(known, field, others, name)
    return arrow.schema(list(fields.values()))


def _wider(known: arrow.Field, field: arrow.Field, first_table: str, name: str) -> arrow.Field:
    types = [
        kind.value_type if arrow.types.is_dictionary(kind) else kind
        for kind in (known.type, field.type)
    ]
    # Arrow finds no common type of strings and string views, though one holds what the other does.
    types = [arrow.large_string() if arrow.types.is_string_view(kind) else kind for kind in types]
    try:
        (wider,) = arrow.unify_schemas(
            [arrow.schema([(field.name, kind)]) for kind in types], promote_options="permissive"
        )
    except arrow.ArrowException:
        raise TableError(
            f"column {field.name!r} is {field.type} in {name} and {known.type} in {first_table}; "
            f"convert it in one of the files, or leave that file out"
        ) from None
    return wider


def _conformed(table: arrow.Table, schema: arrow.Schema, name: str) -> arrow.Table:
    columns = []
    for field in schema:
        if field.name not in table.column_names:
            columns.append(_missing(field.type, len(table)))
            continue
        column = table[field.name]
        try:
            columns.append(arrow_column(column, field.type))
        except arrow.ArrowInvalid as error:
            raise TableError(
                f"column {field.name!r} of {name} is {column.type} and does not fit {field.type}, "
                f"which the other files need ({error}); give it one type in all files"
            ) from error
    return arrow.Table.from_arrays(columns, schema=schema)


class ParquetWriter(TableWriter):
    """Writes Parquet, row group by row group; `text` is the column of the documents, if any."""

    def __init__(self, stream: IO[bytes], schema: arrow.Schema, text: str | None = None) -> None:
        super().__init__(stream)
        # New rows lack most columns, so any may be missing.
        fields = [field.with_nullable(True) for field in schema]
        if text is not None and schema.field(text).type == arrow.null():
            fields[schema.names.index(text)] = arrow.field(text, arrow.string())
        self.schema = arrow.schema(fields)
        self._waiting: list[arrow.Table] = []
        try:
            self._file = parquet.ParquetWriter(stream, self.schema, compression="zstd")
        except arrow.ArrowNotImplementedError as error:  # such as records without any field
            raise TableError(
                f"the table has a column that Parquet cannot hold ({error}); drop it, or write "
                f"JSON lines"
            ) from error

    def originals(self, batch: Batch, added: Mapping[str, Sequence[object]]) -> None:
        """Write rows of the input."""
        self.new(dict(zip(batch.names, batch.columns, strict=True)) | dict(added))

    def new(self, cells: Mapping[str, Sequence[object]]) -> None:
        """Write new rows."""
        n = len(next(iter(cells.values())))
        columns = [
            arrow_column(cells[field.name], field.type)
            if field.name in cells
            else _missing(field.type, n)
            for field in self.schema
        ]
        self._write(arrow.Table.from_arrays(columns, schema=self.schema))

    def close(self) -> None:
        """Write the last row group and the footer."""
        self._write_waiting()
        self._file.close()

    def abandon(self) -> None:
        """Close the file, which would otherwise complain when its stream is gone."""
        with suppress(OSError, ValueError, arrow.ArrowException):
            self._file.close()

    def _write(self, table: arrow.Table) -> None:
        self._waiting.append(table)
        n_rows = sum(map(len, self._waiting))
        n_bytes = sum(waiting.get_total_buffer_size() for waiting in self._waiting)
        if n_rows >= _ROWS_PER_GROUP or n_bytes >= _BYTES_PER_GROUP:
            self._write_waiting()

    def _write_waiting(self) -> None:
        if self._waiting:
            # Categories differ from batch to batch; a row group has one set.
            group = arrow.concat_tables(self._waiting).unify_dictionaries().combine_chunks()
            self._file.write_table(group, row_group_size=_ROWS_PER_GROUP)
        self._waiting = []


def _batch_rows(metadata: parquet.FileMetaData) -> int:
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    n_bytes = sum(int(group.total_byte_size) for group in groups)
    return min(_BATCH_ROWS, max(_BATCH_BYTES * int(metadata.num_rows) // max(n_bytes, 1), 1))


def _in_codes(schema: arrow.Schema) -> list[str]:
    """Return the columns to read as codes of a dictionary: strings and bytes.

    A few hundred bytes of a file can stand for gigabytes, if a long text is written once and
    repeated by its code. As codes it is in memory once, until rows are decoded a few at a time.
    """
    kinds = (arrow.string(), arrow.large_string(), arrow.binary(), arrow.large_binary())
    return [field.name for field in schema if field.type in kinds]


def _bounded(batch: arrow.RecordBatch) -> Iterator[arrow.RecordBatch]:
    """Cut a batch so that the strings of each part take bounded memory when they are decoded."""
    n_bytes = np.zeros(len(batch), np.int64)
    for column in batch.columns:
        if arrow.types.is_dictionary(column.type) and _is_string(column.type.value_type):
            lengths = (
                pc.binary_length(column.dictionary).fill_null(0).to_numpy(zero_copy_only=False)
            )
            codes = column.indices.fill_null(0).to_numpy(zero_copy_only=False)
            n_bytes += lengths[codes] if len(lengths) else 0
    ends = np.cumsum(n_bytes)
    start = 0
    while start < len(batch):
        before = ends[start - 1] if start else 0
        end = max(int(np.searchsorted(ends, before + _BYTES_PER_GROUP, "right")), start + 1)
        yield batch.slice(start, end - start)
        start = end


def _is_string(kind: arrow.DataType) -> bool:
    return bool(
        arrow.types.is_string(kind)
        or arrow.types.is_large_string(kind)
        or arrow.types.is_binary(kind)
        or arrow.types.is_large_binary(kind)
    )


def _missing(kind: arrow.DataType, n: int) -> arrow.Array:
    if isinstance(kind, arrow.BaseExtensionType):
        return arrow.ExtensionArray.from_storage(kind, arrow.nulls(n, kind.storage_type))
    return arrow.nulls(n, kind)
