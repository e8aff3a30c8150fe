"""Parquet files in bounded memory, every column as Arrow has it.

A file is read some rows at a time and written row group by row group. Nothing is converted but
what several files disagree on: see :func:`one_schema`.
"""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import IO, Any, ClassVar

import pyarrow as arrow
from pyarrow import parquet

from imbtext.tables._errors import TableError, check_column
from imbtext.tables._formats import DAMAGE, open_input
from imbtext.tables._reading import Batch, TableFile
from imbtext.tables._writing import RowWriter

# Of a batch and of a row group: rows, and bytes, whichever comes first.
_BATCH_ROWS, _BATCH_BYTES = 20_000, 16_000_000
_ROWS_PER_GROUP, _BYTES_PER_GROUP = 100_000, 64_000_000
# Uncompressed; a task that works on a part needs a small multiple of it in memory.
_BYTES_PER_PART = 64_000_000


@dataclass(frozen=True)
class ArrowBatch(Batch):
    """Some rows of a Parquet file, as Arrow has them; `rows` stays empty."""

    table: Any = None

    def column(self, name: str) -> list[Any]:
        """Return one column as Python's values."""
        found: list[Any] = self.table[name].to_pylist()
        return found

    def followed_by(self, *others: Batch) -> "ArrowBatch":
        """Return these rows and later ones of the same table."""
        batches = [self, *(batch for batch in others if isinstance(batch, ArrowBatch))]
        whole = arrow.concat_tables([batch.table for batch in batches]).unify_dictionaries()
        lines = [line for batch in batches for line in batch.lines]
        return replace(self, lines=lines, table=whole)

    def at(self, places: Sequence[int]) -> "ArrowBatch":
        """Return some of the rows."""
        columns = [_taken(column, places) for column in self.table.columns]
        table = arrow.Table.from_arrays(columns, schema=self.table.schema)
        return replace(self, lines=[self.lines[i] for i in places], table=table)


@dataclass(frozen=True)
class ParquetTable(TableFile):
    """A Parquet file, or some row groups of it, behind so many rows of others.

    With a `schema` given, its rows get these columns and types.
    """

    row_groups: tuple[int, ...] | None = None
    rows_before: int = 0
    unit: ClassVar[str] = "row"

    def __post_init__(self) -> None:
        if self.schema is None:
            with self._open() as file:
                object.__setattr__(self, "schema", file.schema_arrow.remove_metadata())

    def header(self) -> list[str]:
        """Return the names of the columns."""
        names: list[str] = self.schema.names
        return names

    def check_columns(self, wanted: Sequence[str]) -> None:
        """Raise unless the table has each of the columns once."""
        for column in wanted:
            check_column(column, self.header(), self.name)

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[ArrowBatch]:
        """Read some columns, by default all; the lines of a batch are the numbers of its rows."""
        row = self.rows_before
        wanted = self.header() if columns is None else list(columns)
        schema = arrow.schema([self.schema.field(name) for name in wanted])
        with self._open() as file:
            there = [name for name in wanted if name in file.schema_arrow.names]
            groups = range(file.metadata.num_row_groups)
            for part in file.iter_batches(
                _batch_rows(file.metadata),
                row_groups=list(groups if self.row_groups is None else self.row_groups),
                columns=there,
                use_threads=False,
            ):
                table = _conformed(arrow.Table.from_batches([part]), schema)
                lines = list(range(row + 1, row + len(table) + 1))
                row += len(table)
                yield ArrowBatch([], lines, wanted, [], table)

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
    def _open(self) -> Iterator[Any]:
        try:
            with open_input(self.path) as stream:
                # A compressed file cannot be read from its end, as Parquet must be.
                plain = isinstance(stream, io.BufferedReader)
                source = self.path if plain else io.BytesIO(stream.read())
                with parquet.ParquetFile(source, pre_buffer=False) as file:
                    yield file
        except (arrow.ArrowException, *DAMAGE, OSError) as error:
            if isinstance(error, FileNotFoundError | PermissionError):
                raise OSError(f"cannot read {self.path}: {error.strerror}") from error
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise TableError(
                f"{self.name} is not a whole Parquet file ({reason}); repair it or leave it out"
            ) from error


def one_schema(found: Iterable[tuple[str, Any]]) -> Any:
    """Return the schema that holds what tables of these names and schemas hold.

    A column that a table lacks is missing in its rows. Where types differ, the wider is taken: 32-
    and 64-bit numbers become 64-bit, categories become what they stand for.
    """
    fields: dict[str, Any] = {}
    first: dict[str, str] = {}
    for name, schema in found:
        for own in schema:
            check_column(own.name, schema.names, name)
            known = fields.setdefault(own.name, own)
            before = first.setdefault(own.name, name)
            if known.type != own.type:
                others = "other lines" if before == name else before
                fields[own.name] = _wider(known, own, others, name)
    return arrow.schema(list(fields.values()))


def _wider(known: Any, own: Any, first: str, name: str) -> Any:
    types = [
        kind.value_type if arrow.types.is_dictionary(kind) else kind
        for kind in (known.type, own.type)
    ]
    try:
        (both,) = arrow.unify_schemas(
            [arrow.schema([(own.name, kind)]) for kind in types], promote_options="permissive"
        )
    except arrow.ArrowException:
        raise TableError(
            f"column {own.name!r} is {own.type} in {name} and {known.type} in {first}; convert it "
            f"in one of the files, or leave that file out"
        ) from None
    return both


def _taken(column: Any, places: Sequence[int]) -> Any:
    try:
        return column.take(arrow.array(places, arrow.int64()))
    except arrow.ArrowNotImplementedError:  # as for string views, alone or in lists
        return _array([column[i].as_py() for i in places], column.type)


def _conformed(table: Any, schema: Any) -> Any:
    columns = []
    for wished in schema:
        if wished.name not in table.column_names:
            columns.append(_missing(wished.type, len(table)))
            continue
        column = table[wished.name]
        columns.append(column if column.type == wished.type else column.cast(wished.type))
    return arrow.Table.from_arrays(columns, schema=schema)


class ParquetWriter(RowWriter):
    """Writes Parquet, row group by row group; `text` is the column of the documents."""

    def __init__(self, stream: IO[bytes], schema: Any, text: str) -> None:
        super().__init__(stream)
        # New rows lack most columns, so any may be missing.
        fields = [own.with_nullable(True) for own in schema]
        if schema.field(text).type == arrow.null():
            fields[schema.names.index(text)] = arrow.field(text, arrow.string())
        self.schema = arrow.schema(fields)
        self._waiting: list[Any] = []
        self._file = parquet.ParquetWriter(stream, self.schema, compression="zstd")

    def originals(self, batch: Batch, added: Mapping[str, Sequence[Any]]) -> None:
        """Write rows of the input."""
        if not isinstance(batch, ArrowBatch):
            own = {name: batch.column(name) for name in self.schema.names if name not in added}
            self.new(own | dict(added))
            return
        table = batch.table
        for name, values in added.items():
            table = table.append_column(name, _array(values, self.schema.field(name).type))
        self._write(_conformed(table, self.schema))

    def new(self, cells: Mapping[str, Sequence[Any]]) -> None:
        """Write new rows."""
        n = len(next(iter(cells.values())))
        self._write(
            arrow.Table.from_arrays(
                [
                    _array(cells[own.name], own.type)
                    if own.name in cells
                    else _missing(own.type, n)
                    for own in self.schema
                ],
                schema=self.schema,
            )
        )

    def close(self) -> None:
        """Write what is left, and where everything is."""
        self._write_waiting()
        self._file.close()

    def abandon(self) -> None:
        """Close the file, which would else complain when its stream is gone."""
        with suppress(OSError, ValueError, arrow.ArrowException):
            self._file.close()

    def _write(self, table: Any) -> None:
        self._waiting.append(table)
        n_rows, n_bytes = (sum(each) for each in zip(*map(_size, self._waiting), strict=True))
        if n_rows >= _ROWS_PER_GROUP or n_bytes >= _BYTES_PER_GROUP:
            self._write_waiting()

    def _write_waiting(self) -> None:
        if self._waiting:
            # Categories differ from batch to batch; a row group has one set.
            whole = arrow.concat_tables(self._waiting).unify_dictionaries().combine_chunks()
            self._file.write_table(whole, row_group_size=_ROWS_PER_GROUP)
        self._waiting = []


def _batch_rows(metadata: Any) -> int:
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    n_bytes = sum(group.total_byte_size for group in groups)
    return min(_BATCH_ROWS, max(_BATCH_BYTES * metadata.num_rows // max(n_bytes, 1), 1))


def _size(table: Any) -> tuple[int, int]:
    return len(table), table.get_total_buffer_size()


def _array(values: Sequence[Any], kind: Any) -> Any:
    if arrow.types.is_dictionary(kind):
        return arrow.array(values, type=kind.value_type).dictionary_encode().cast(kind)
    return arrow.array(values, type=kind)


def _missing(kind: Any, n: int) -> Any:
    if isinstance(kind, arrow.BaseExtensionType):
        return arrow.ExtensionArray.from_storage(kind, arrow.nulls(n, kind.storage_type))
    return arrow.nulls(n, kind)
