"""Parquet files in pieces of bounded size, every column as Arrow has it.

Nothing is converted but what files disagree on: a column of 32-bit numbers here and 64-bit ones
there becomes 64-bit, one that a file lacks is missing in its rows.
"""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from imbtext._extras import require
from imbtext._files import written_whole

if TYPE_CHECKING:
    import pyarrow

# Uncompressed. Texts take most of it; a task needs a small multiple in memory.
_BYTES_PER_PIECE = 64_000_000


@dataclass(frozen=True)
class Piece:
    """Some row groups of a file.

    Attributes
    ----------
    path : Path
        The file.
    row_groups : tuple of int
        Which of its row groups.
    first_row : int
        The number of rows before them in the file.
    n_rows : int
        Their rows.
    """

    path: Path
    row_groups: tuple[int, ...]
    first_row: int
    n_rows: int

    def read(self, schema: "pyarrow.Schema") -> "pyarrow.Table":
        """Read the columns of `schema`, in its types."""
        parquet = require("pyarrow.parquet", extra="parquet")
        with _readable(self.path), parquet.ParquetFile(self.path) as file:
            there = [name for name in schema.names if name in file.schema_arrow.names]
            table = file.read_row_groups(list(self.row_groups), columns=there, use_threads=False)
            return _conformed(table, schema)


def parquet_pieces(paths: Sequence[Path]) -> "tuple[pyarrow.Schema, list[Piece]]":
    """Return the schema that holds the rows of all files, and the files in pieces.

    Only the footers of the files are read.
    """
    arrow, parquet = require("pyarrow", extra="parquet"), require("pyarrow.parquet", extra="parquet")
    schema = None
    pieces = []
    for path in paths:
        with _readable(path), parquet.ParquetFile(path) as file:
            own = file.schema_arrow.remove_metadata()
            pieces += list(_pieces(path, file.metadata))
        twice = next((name for name in own.names if own.names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"{path} has two columns named {twice!r}; rename one")
        schema = own if schema is None else _unified(schema, own, path, paths[0])
    if schema is None:
        raise ValueError("there are no files to read")
    # Synthetic rows have but a text and a label, so every other column may be missing.
    return arrow.schema([field.with_nullable(True) for field in schema]), pieces


def _pieces(path: Path, metadata: Any) -> Iterator[Piece]:
    groups: list[int] = []
    first_row = n_rows = n_bytes = 0
    for i in range(metadata.num_row_groups):
        group = metadata.row_group(i)
        if groups and n_bytes + group.total_byte_size > _BYTES_PER_PIECE:
            yield Piece(path, tuple(groups), first_row, n_rows)
            groups, first_row, n_rows, n_bytes = [], first_row + n_rows, 0, 0
        groups.append(i)
        n_rows += group.num_rows
        n_bytes += group.total_byte_size
    yield Piece(path, tuple(groups), first_row, n_rows)


def _unified(
    schema: "pyarrow.Schema", own: "pyarrow.Schema", path: Path, first: Path
) -> "pyarrow.Schema":
    arrow = require("pyarrow", extra="parquet")
    fields = {field.name: field for field in schema}
    for field in own:
        known = fields.get(field.name)
        if known is None or known.type == field.type:
            fields.setdefault(field.name, field)
            continue
        types = [
            kind.value_type if arrow.types.is_dictionary(kind) else kind
            for kind in (known.type, field.type)
        ]
        try:
            (both,) = arrow.unify_schemas(
                [arrow.schema([(field.name, kind)]) for kind in types],
                promote_options="permissive",
            )
        except arrow.ArrowException:
            raise ValueError(
                f"column {field.name!r} is {field.type} in {path} and {known.type} in files before "
                f"it, such as {first}; convert one of them, or leave it out"
            ) from None
        fields[field.name] = both
    return arrow.schema(list(fields.values()))


def _conformed(table: "pyarrow.Table", schema: "pyarrow.Schema") -> "pyarrow.Table":
    arrow = require("pyarrow", extra="parquet")
    columns = []
    for field in schema:
        if field.name not in table.column_names:
            columns.append(_missing(field.type, len(table)))
            continue
        column = table[field.name]
        columns.append(column if column.type == field.type else column.cast(field.type))
    return arrow.Table.from_arrays(columns, schema=schema)


def synthetic_table(
    texts: Sequence[str],
    labels: Sequence[Hashable],
    schema: "pyarrow.Schema",
    columns: tuple[str, str, str | None],
) -> "pyarrow.Table":
    """Return rows with a text, a label and perhaps a mark; all other columns are missing."""
    arrow = require("pyarrow", extra="parquet")
    text, label, mark = columns
    given = {text: texts, label: labels}
    if mark is not None:
        given[mark] = [True] * len(texts)
    return arrow.Table.from_arrays(
        [
            _array(given[field.name], field.type)
            if field.name in given
            else _missing(field.type, len(texts))
            for field in schema
        ],
        schema=schema,
    )


def marked(
    table: "pyarrow.Table", schema: "pyarrow.Schema", mark: str | None
) -> "pyarrow.Table":
    """Return original rows, marked as such where `schema` has the mark behind their columns."""
    arrow = require("pyarrow", extra="parquet")
    if mark is not None:
        table = table.append_column(schema.field(mark), arrow.array([False] * len(table)))
    return table


def write_table(table: "pyarrow.Table", path: Path) -> int:
    """Write a Parquet file, whole or not at all; return the number of rows."""
    parquet = require("pyarrow.parquet", extra="parquet")
    try:
        with written_whole(path) as partial:
            parquet.write_table(table, partial, compression="zstd")
    except OSError as error:
        raise OSError(f"cannot write {path}: {error}") from error
    return len(table)


def _array(values: Sequence[Any], kind: Any) -> Any:
    arrow = require("pyarrow", extra="parquet")
    if arrow.types.is_dictionary(kind):
        return arrow.array(values, type=kind.value_type).dictionary_encode().cast(kind)
    return arrow.array(values, type=kind)


def _missing(kind: Any, n: int) -> Any:
    arrow = require("pyarrow", extra="parquet")
    if isinstance(kind, arrow.BaseExtensionType):
        return arrow.ExtensionArray.from_storage(kind, arrow.nulls(n, kind.storage_type))
    return arrow.nulls(n, kind)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    arrow = require("pyarrow", extra="parquet")
    try:
        yield
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}") from None
    except (arrow.ArrowException, OSError) as error:
        raise ValueError(
            f"{path} cannot be read as Parquet: {str(error).splitlines()[0]}; repair the file or "
            "leave it out"
        ) from error
