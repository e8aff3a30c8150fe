"""Where original and synthetic rows go: one file, or a folder of files."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from imbtext._folders import folder_written_whole
from imbtext.markov import Pruned
from imbtext.tabular import (
    Batch,
    CsvTable,
    DocumentColumns,
    FrameWriter,
    JsonTable,
    Layout,
    ParquetWriter,
    RowWriter,
    Table,
    TableError,
    check_column,
    open_output,
    row_writer,
)

_ROWS_PER_FILE = 200_000


class Oversampled(NamedTuple):
    """What was written.

    Attributes
    ----------
    originals, synthetic : dict of str to int
        The number of rows of each class.
    pruned : Pruned, optional
        What `min_count` and `max_words` forgot, and what that changes.
    """

    originals: dict[str, int]
    synthetic: dict[str, int]
    pruned: Pruned | None = None


def check_mark(columns: Sequence[str], mark: str | None, name: str) -> None:
    """Refuse to write a column that is there already."""
    if mark in columns:
        raise TableError(
            f"{name} already has a column {mark!r}; name the column that marks synthetic rows "
            f"otherwise, or leave it out",
            "mark",
            f"{mark}-2",
        )


def check_folder(folder: Path, tables: Sequence[Table]) -> None:
    """Refuse to write a folder that holds the input, which would go with what it replaces."""
    inside = [table for table in tables if folder.resolve() in table.path.resolve().parents]
    if inside:
        raise ValueError(f"{folder} holds the input {inside[0].name}; name another folder")


class MarkedRows:
    """Writes rows to one file: originals, read from `tables`, and behind them synthetic ones.

    `mark` is the name of the column that marks synthetic rows; None for no such column.
    """

    def __init__(
        self,
        stream: IO[bytes],
        tables: Sequence[Table],
        layout: Layout,
        columns: DocumentColumns,
        mark: str | None,
    ) -> None:
        self.columns = columns
        self.mark = mark
        self.added = [] if mark is None else [mark]
        self.header = _header(tables, layout)
        check_mark(self.header, mark, tables[0].name)
        self.writer = _writer(stream, tables, layout, columns, [*self.header, *self.added])
        self.n_rows = 0

    def originals(self, batch: Batch) -> None:
        """Write rows of a table."""
        check_mark(batch.columns, self.mark, "the input")
        if len(batch.columns) > len(self.header):
            self.header = batch.columns
        n = len(batch.lines)
        self.writer.originals(batch, {name: [False] * n for name in self.added})
        self.n_rows += n

    def synthetic(self, texts: Sequence[str], labels: Sequence[Hashable]) -> None:
        """Write synthetic rows."""
        cells: dict[str, Sequence[Any]] = {
            self.columns.text: texts,
            str(self.columns.label): labels,
        }
        cells |= {name: [True] * len(texts) for name in self.added}
        self.writer.new([*self.header, *self.added], cells)
        self.n_rows += len(texts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.writer.close()


class FileOutput(MarkedRows):
    """One file for all rows."""

    @contextmanager
    def originals_of(self, _: Table) -> Iterator[Callable[[Batch], None]]:
        """Give what writes the rows of a table."""
        yield self.originals


class FolderOutput:
    """A folder: a file for each table, and others for synthetic rows. Whole or not at all."""

    def __init__(
        self,
        folder: Path,
        layout: Layout,
        columns: DocumentColumns,
        mark: str | None,
        *,
        overwrite: bool = False,
    ) -> None:
        self.layout, self.columns, self.mark = layout, columns, mark
        self._whole: AbstractContextManager[Path] = folder_written_whole(
            folder, overwrite=overwrite
        )
        self._open = ExitStack()
        self._tables: list[Table] = []
        self._rows: MarkedRows | None = None
        self._n_files = 0

    def __enter__(self) -> Self:
        self.folder = self._whole.__enter__()
        return self

    def __exit__(self, *raised: Any) -> None:
        try:
            self._open.__exit__(*raised)
        except BaseException as error:
            self._whole.__exit__(type(error), error, error.__traceback__)
            raise
        self._whole.__exit__(*raised)

    @contextmanager
    def originals_of(self, table: Table) -> Iterator[Callable[[Batch], None]]:
        """Give what writes the rows of a table, to a file of its own."""
        path = self.folder / part_name("part", len(self._tables), self.layout)
        self._tables.append(table)
        with rows_to(path, [table], self.layout, self.columns, self.mark) as rows:
            yield rows.originals

    def synthetic(self, texts: Sequence[str], labels: Sequence[Hashable]) -> None:
        """Write synthetic rows; a new file begins when one is full."""
        if self._rows is None or self._rows.n_rows >= _ROWS_PER_FILE:
            self._open.close()
            path = self.folder / part_name("synthetic", self._n_files, self.layout)
            self._rows = self._open.enter_context(
                rows_to(path, self._tables[:1], self.layout, self.columns, self.mark)
            )
            self._n_files += 1
        self._rows.synthetic(texts, labels)


def part_name(kind: str, number: int, layout: Layout) -> str:
    """Return the name of a file in a folder.

    Examples
    --------
    >>> part_name("synthetic", 3, Layout("parquet"))
    'synthetic-00003.parquet'
    """
    return f"{kind}-{number:05}.{layout.format}"


@contextmanager
def rows_to(
    path: Path,
    tables: Sequence[Table],
    layout: Layout,
    columns: DocumentColumns,
    mark: str | None,
) -> Iterator[MarkedRows]:
    """Give what writes rows to a file of a folder."""
    with open_output(path) as stream, MarkedRows(stream, tables, layout, columns, mark) as rows:
        yield rows


def _header(tables: Sequence[Table], layout: Layout) -> list[str]:
    first = tables[0]
    if first.schema is not None:
        names: list[str] = first.schema.names
        return names
    if isinstance(first, JsonTable) and layout.format != "jsonl":
        listed = [table.all_columns() for table in tables if isinstance(table, JsonTable)]
        return list(dict.fromkeys(name for names in listed for name in names))
    header = first.header()
    if isinstance(first, CsvTable) and layout.format == "jsonl":
        for column in header:
            check_column(column, header, first.name)
    return header


def _writer(
    stream: IO[bytes],
    tables: Sequence[Table],
    layout: Layout,
    columns: DocumentColumns,
    header: list[str],
) -> RowWriter:
    schema = tables[0].schema
    if schema is None:
        return row_writer(stream, layout, header)
    added = [name for name in header if name not in schema.names]
    if layout.format == "parquet":
        return ParquetWriter(stream, schema, columns.text, added)
    return FrameWriter(stream, layout, schema, columns.text, added)
