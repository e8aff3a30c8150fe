"""Writing originals and marked synthetic rows, and their numbers."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Self

import pyarrow

from imbtext.documents._documents import Documents
from imbtext.documents._label_names import label_name
from imbtext.documents._roles import Roles
from imbtext.tables._batches import AddedColumns, TableFile, TableWriter
from imbtext.tables._conversion import table_writer
from imbtext.tables._documents import DocumentReader
from imbtext.tables._formats import Layout, open_output
from imbtext.tables._rules import LabelRules
from imbtext.writing import STANDARD_STREAM, check_output_folder


class RowsWritten(NamedTuple):
    """The numbers of rows that were written, by the names of the classes.

    `n_left_out` rows have no label or an ignored one: they are copied, but the sampler does not
    learn from them.
    """

    originals: dict[str, int]
    synthetic: dict[str, int]
    n_left_out: int = 0

    @classmethod
    def of(
        cls,
        sizes: Mapping[Hashable, int],
        n_new: Mapping[Hashable, int],
        n_left_out: int,
    ) -> Self:
        """Call the classes by the names that users type."""
        originals, synthetic = (
            {label_name(label): n for label, n in numbers.items()} for numbers in (sizes, n_new)
        )
        return cls(originals, synthetic, n_left_out)


def check_folder(folder: Path, tables: Sequence[TableFile]) -> None:
    """Refuse standard output, and a folder that holds the input: replacing it would remove that."""
    if folder == STANDARD_STREAM:
        raise ValueError("the workers write files to a folder; name one instead of -")
    check_output_folder(folder, [table.path for table in tables])


@dataclass(frozen=True)
class MarkedTables:
    """Tables whose rows are originals or synthetic: their layout, columns and column of marks.

    `mark` is the name of the column that is true for synthetic rows; None for no such column.
    Workers get this record and write their files by it.
    """

    layout: Layout
    roles: Roles
    rules: LabelRules
    mark: str | None = "synthetic"

    @contextmanager
    def open(self, path: Path, sources: Sequence[TableFile]) -> "Iterator[MarkedRows]":
        """Give a writer to the file `path`, for rows of the sources and synthetic ones."""
        added = AddedColumns(
            {} if self.mark is None else {self.mark: pyarrow.bool_()},
            "name the column that marks synthetic rows otherwise, or leave it out",
            "mark",
            f"{self.mark}-2",
        )
        with (
            open_output(path) as stream,
            table_writer(stream, sources, self.layout, str(self.roles.text[0]), added) as writer,
        ):
            yield MarkedRows(writer, self)

    def file_name(self, kind: str, number: int) -> str:
        """Return the name of a file in a folder, such as ``synthetic-00003.parquet``."""
        return f"{kind}-{number:05}.{self.layout.format}"


@dataclass
class MarkedRows:
    """Writes rows to one file, and counts them."""

    writer: TableWriter
    tables: MarkedTables
    n_rows: int = 0

    def copy(self, table: TableFile, reader: DocumentReader) -> Iterator[Documents]:
        """Write all rows of a table; yield the documents of each batch."""
        reader.start(table)
        for batch in table.batches():
            documents = reader.documents(batch)
            self.writer.originals(batch, self._marks(len(batch), is_synthetic=False))
            yield documents

    def write_synthetic(self, texts: Sequence[str], labels: Sequence[Hashable]) -> None:
        """Write synthetic rows: a text and a label, nothing in the other columns."""
        roles = self.tables.roles
        cells: dict[str, Sequence[object]] = {
            str(roles.text[0]): texts,
            str(roles.label): labels,
        }
        self.writer.new(cells | self._marks(len(texts), is_synthetic=True))

    def _marks(self, n: int, *, is_synthetic: bool) -> dict[str, Sequence[object]]:
        self.n_rows += n
        return {} if self.tables.mark is None else {self.tables.mark: [is_synthetic] * n}
