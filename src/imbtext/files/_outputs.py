"""Where original and synthetic rows go."""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow

from imbtext.markov import Pruned
from imbtext.tables import (
    AddedColumns,
    Batch,
    DocumentColumns,
    Layout,
    TableFile,
    TableWriter,
    open_output,
    table_writer,
)


class Oversampled(NamedTuple):
    """The number of rows that were written of each class, and what was forgotten on request."""

    originals: dict[str, int]
    synthetic: dict[str, int]
    pruned: Pruned | None = None


@dataclass(frozen=True)
class Form:
    """How rows are written: the layout, where documents and classes are, the column of marks.

    `mark` is the name of the column that marks synthetic rows; None for no such column.
    """

    layout: Layout
    columns: DocumentColumns
    mark: str | None = "synthetic"

    @contextmanager
    def rows_to(self, path: Path, tables: Sequence[TableFile]) -> "Iterator[MarkedRows]":
        """Give what writes rows of these tables, and behind them synthetic ones, to a file."""
        added = AddedColumns(
            {} if self.mark is None else {self.mark: pyarrow.bool_()},
            "name the column that marks synthetic rows otherwise, or leave it out",
            "mark",
            f"{self.mark}-2",
        )
        with (
            open_output(path) as stream,
            table_writer(stream, tables, self.layout, self.columns.text, added) as writer,
        ):
            yield MarkedRows(writer, self)

    def part(self, kind: str, number: int) -> str:
        """Return the name of a file in a folder, such as ``synthetic-00003.parquet``."""
        return f"{kind}-{number:05}.{self.layout.format}"


@dataclass
class MarkedRows:
    """Writes rows to one file, and counts them."""

    writer: TableWriter
    form: Form
    n_rows: int = 0

    def originals(self, batch: Batch) -> None:
        """Write rows of a table."""
        self.writer.originals(batch, self._marks(len(batch), is_synthetic=False))

    def synthetic(self, texts: Sequence[str], labels: Sequence[Hashable]) -> None:
        """Write synthetic rows."""
        columns = self.form.columns
        cells: dict[str, Sequence[Any]] = {columns.text: texts, str(columns.label): labels}
        self.writer.new(cells | self._marks(len(texts), is_synthetic=True))

    def _marks(self, n: int, *, is_synthetic: bool) -> dict[str, Sequence[Any]]:
        self.n_rows += n
        return {} if self.form.mark is None else {self.form.mark: [is_synthetic] * n}


def check_folder(folder: Path, tables: Sequence[TableFile]) -> None:
    """Refuse to write a folder that holds the input, which would go with what it replaces."""
    inside = [table for table in tables if folder.resolve() in table.path.resolve().parents]
    if inside:
        raise ValueError(f"{folder} holds the input {inside[0].name}; name another folder")
