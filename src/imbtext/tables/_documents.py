"""The one way from a table to documents and their labels.

Every command reads through this module, so all accept and refuse the same files in the same words.
A missing text is a document without words. A label is a string, a number, true or false; all
labels of a column are of one kind. Messages name the line (in Parquet files, the row).

:func:`read_documents` reads a file. :class:`DocumentReader` reads batch by batch.
"""

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeGuard

import polars as pl
import pyarrow as arrow

from imbtext._typing import Label
from imbtext.documents import (
    is_missing,
    is_no_label,
    joined_text,
    kind_of_label,
    label_name,
    named_label,
    several_labels,
)
from imbtext.tables._batches import Batch, BatchColumn, TableFile
from imbtext.tables._document_columns import DocumentColumns, LabelledDocuments
from imbtext.tables._errors import TableError
from imbtext.tables._formats import Layout
from imbtext.tables._opening import open_tables
from imbtext.tables._row_tally import RowTally


def read_documents(
    path: str | Path,
    columns: DocumentColumns,
    layout: Layout | None = None,
    *,
    for_test: bool = False,
) -> LabelledDocuments:
    r"""Read the documents of a file and their labels, by name.

    Parameters
    ----------
    path : path
        A file, a folder, a pattern, or ``-`` for standard input.
    columns : DocumentColumns
        Which columns hold the documents and their labels. Without a column of labels, all
        documents are read.
    layout : Layout, optional
        How the file is written. By default the name and the content of the file tell it.
    for_test : bool, default=False
        Whether the documents are used for a test alone, so that a single class is enough.

    Warns
    -----
    TableWarning
        If rows have no label or no group, texts have no words, or texts are numbers.

    See Also
    --------
    open_tables : Reads tables batch by batch, with all of their columns.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "train.csv"
    >>> _ = path.write_text("body,topic\noil up,oil\nsun,rain\n")
    >>> read_documents(path, DocumentColumns("body", "topic"))
    LabelledDocuments(texts=['oil up', 'sun'], labels=['oil', 'rain'], groups=None)
    """
    reader = DocumentReader(columns)
    documents = LabelledDocuments(
        [], [], None if columns.group is None else [], None if columns.time is None else [], []
    )
    with open_tables(path, layout or Layout()) as tables:
        for batch in reader.read(tables):
            documents.extend(replace(batch, labels=list(map(named_label, batch.labels))))
    if columns.label is not None:
        reader.classes(1 if for_test else 2)
    reader.check(for_test=for_test)
    return documents


@dataclass
class DocumentReader:
    """Reads documents from batches, refuses cells that are not texts or labels, counts classes.

    One reader reads all batches of all tables, so it notices labels of different kinds. `name` is
    what messages call the table, `unit` what the numbers of a batch count: lines or rows.

    Examples
    --------
    >>> import pyarrow
    >>> reader = DocumentReader(DocumentColumns("body", "topic"), "the table", "row")
    >>> reader.documents(Batch.from_arrow(pyarrow.table({"body": ["oil", None], "topic": [1, 2]})))
    LabelledDocuments(texts=['oil', ''], labels=[1, 2], groups=None)
    >>> reader.classes()
    {1: 1, 2: 1}
    """

    columns: DocumentColumns
    name: str = ""
    unit: str = "line"
    tally: RowTally = field(default_factory=RowTally)
    _kind: str | None = None
    _known_labels: set[str | None] = field(default_factory=set)
    # Of labels, and of groups, that are equal numbers, such as 1 and 1.0 in JSON lines, the one
    # that came first.
    _first_spelling: dict[Label, Label] = field(default_factory=dict)
    _first_group: dict[float, float] = field(default_factory=dict)

    def start(self, table: TableFile) -> None:
        """Begin with a table, or continue with another; it must have the columns."""
        if self.columns.beside == "all":
            self.columns = self.columns.resolved(table.all_columns())
        table.check_columns(self.columns.names)
        self.name, self.unit = table.name, table.unit

    def read(self, tables: Iterable[TableFile]) -> Iterator[LabelledDocuments]:
        """Read the documents of tables, batch by batch."""
        for table in tables:
            self.start(table)
            for batch in table.batches(self.columns.names):
                yield self.documents(batch)

    def documents(self, batch: Batch) -> LabelledDocuments:
        """Return the documents of a batch that models learn from; all if there are no labels.

        A label is the cell of the table, or a set of labels.
        """
        columns = self.columns
        text_cells = [self._texts(batch, name) for name in columns.texts]
        texts = text_cells[0]
        cells: dict[str, list[Any]] = {}
        if len(text_cells) > 1 or columns.beside:
            texts = list(map(joined_text, zip(*text_cells, strict=True)))
            cells = dict(zip(columns.texts, text_cells, strict=True))
            cells |= {name: batch.values(name) for name in columns.beside}
        self.tally.n_rows += len(batch)
        self.tally.count_texts(texts)
        groups = None
        if columns.group is not None:
            groups = list(map(self._group, batch.values(columns.group)))
            self.tally.n_ungrouped += groups.count("")
        times = None if columns.time is None else batch.values(columns.time)
        ids = self._ids(batch)
        labels: list[Label] = []
        left_out: set[int] = set()
        if columns.label is not None:
            labels, left_out = self._labels(batch, columns.label)
        kept = [row for row in range(len(batch)) if row not in left_out]
        if times is not None:
            self._check_times(batch, times, kept)
        documents = LabelledDocuments(texts, labels, groups, times, ids, cells)
        return documents.at(kept) if left_out else documents

    def labels(self, batch: Batch) -> list[Label]:
        """Return the labels of a batch that models learn from; other columns are not read."""
        if self.columns.label is None:
            return []
        labels, left_out = self._labels(batch, self.columns.label)
        return [label for row, label in enumerate(labels) if row not in left_out]

    def _group(self, value: object) -> str:
        """Return the name of a group, an empty one for a missing cell."""
        if is_missing(value):
            return ""
        if isinstance(value, int | float):
            value = self._first_group.setdefault(value, value)
        return str(value)

    def _ids(self, batch: Batch) -> list[str]:
        """Return the names of the documents: the cells of the id column, or their lines."""
        if self.columns.id is None:
            return list(map(str, batch.lines.tolist()))
        return [
            "" if is_missing(value) else label_name(value)
            for value in batch.values(self.columns.id)
        ]

    def _check_times(self, batch: Batch, times: list[object], rows: list[int]) -> None:
        missing = [row for row in rows if is_no_label(times[row])]
        if missing:
            raise TableError(
                f"{self.unit} {batch.lines[missing[0]]} of {self.name} has no time in column "
                f"{self.columns.time!r}; fill it in, drop the row, or leave the time out"
            )

    def check(self, *, for_test: bool = False) -> None:
        """After all rows, refuse what must be a mistake, and warn of what is odd."""
        self.tally.check(self.columns, self.name, for_test=for_test)

    def _texts(self, batch: Batch, name: str) -> list[str]:
        """Return the documents; a missing one has no words."""
        texts = self._strings(batch.column(name))
        if texts is not None:
            return [text or "" for text in texts]
        return [
            self._text(value, line, name)
            for value, line in zip(batch.values(name), batch.lines, strict=True)
        ]

    def _text(self, value: object, line: int, name: str) -> str:
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self._wrong(line, name, value, "texts must be strings")
        self._check_characters(line, name, value)
        return value

    def _labels(self, batch: Batch, name: str) -> tuple[list[Label], set[int]]:
        """Return the labels of all rows, and the rows that models do not learn from."""
        strings = self._strings(batch.column(name))
        if strings is not None and self.columns.separator is None:
            return list(strings), self._check_strings(batch, name, strings)
        labels: list[Label] = []
        left_out: set[int] = set()
        for row, (value, line) in enumerate(zip(batch.values(name), batch.lines, strict=True)):
            several = self._several(value)
            row_labels = [value] if several is None else list(several)
            for label in row_labels:
                self._check_label(line, name, label)
            row_labels = [self._first_spelling.setdefault(label, label) for label in row_labels]
            reasons = [label for label in row_labels if self._is_left_out(label)]
            if reasons:
                self._count_left_out(reasons[0], 1)
                left_out.add(row)
            else:
                self.tally.classes.update(row_labels)
            labels.append(row_labels[0] if several is None else frozenset(row_labels))
        return labels, left_out

    def _check_strings(self, batch: Batch, name: str, labels: Sequence[str | None]) -> set[int]:
        """Check and count labels that are strings; return the rows that models do not learn from.

        Rows are many and classes are few, so each class is checked where it first occurs.
        """
        first_rows = dict(zip(reversed(labels), reversed(range(len(labels))), strict=True))
        for label in sorted(first_rows.keys() - self._known_labels, key=first_rows.__getitem__):
            self._check_label(int(batch.lines[first_rows[label]]), name, label)
            self._known_labels.add(label)
        odd = {label for label in first_rows if self._is_left_out(label)}
        self.tally.classes.update(labels)
        for label in odd:
            self._count_left_out(label, self.tally.classes.pop(label))
        return {row for row, label in enumerate(labels) if label in odd} if odd else set()

    def _is_left_out(self, label: Label) -> bool:
        return is_no_label(label) or label_name(label) in self.columns.rules.ignored

    def _count_left_out(self, label: Label, n: int) -> None:
        if is_no_label(label):
            self.tally.n_unlabelled += n
        else:
            self.tally.ignored[label_name(label)] += n

    def _strings(self, column: BatchColumn) -> Sequence[str | None] | None:
        """Return a column of strings as a list, or None if it is not one.

        An Arrow column may have missing cells. A list with a missing cell, or with half a
        surrogate pair, does not count as one of strings.
        """
        if isinstance(column, list):
            return column if _are_strings(column) else None
        kind = column.type.value_type if arrow.types.is_dictionary(column.type) else column.type
        if kind not in (arrow.string(), arrow.large_string(), arrow.string_view()):
            return None
        try:
            column.validate(full=True)  # no reader of Parquet looks at the characters
        except arrow.ArrowInvalid as error:
            raise TableError(
                f"{self.name} has a column of strings that are not UTF-8 ({error}); repair it"
            ) from error
        if kind == arrow.string_view():  # short ones, cast by Arrow, crash Polars before 2.1
            return list(column.to_pylist())
        return pl.Series(column).cast(pl.String).to_list()

    def classes(self, least: int = 2) -> dict[Hashable, int]:
        """Return the classes in sorted order with their sizes; raise if they are too few."""
        counts = self.tally.classes
        if not self.tally.n_rows:
            raise TableError(f"{self.name} has no rows")
        if len(counts) < least:
            only = ", ".join(repr(label_name(label)) for label in counts)
            has = f"has the single class {only}" if only else "has no labels"
            raise TableError(
                f"column {self.columns.label!r} of {self.name} {has}; at least {least} classes "
                f"are needed"
            )
        return {label: counts[label] for label in sorted(counts)}  # type: ignore[type-var]

    def _several(self, value: object) -> frozenset[Label] | None:
        if self.columns.separator is not None and (value is None or isinstance(value, str)):
            return several_labels(value, self.columns.separator)
        if not (self.columns.several and isinstance(value, list)):
            return None
        return None if any(isinstance(label, list | dict) for label in value) else frozenset(value)

    def _check_label(self, line: int, column: str, label: Label) -> None:
        if is_no_label(label):
            if self.columns.rules.unlabelled == "skip":
                return
            raise TableError(
                f"{self.unit} {line} of {self.name} has no label in column {column!r}; give it one "
                f"or drop the row"
            )
        if isinstance(label, list | dict | bytes) or label in (math.inf, -math.inf):
            raise self._wrong(line, column, label, "a label must be a string or a finite number")
        if isinstance(label, str):
            self._check_characters(line, column, label)
            if label.endswith("\0"):
                problem = "it ends in a NUL character, which NumPy would drop: remove it"
                raise self._wrong(line, column, label, problem)
        kind = kind_of_label(label)
        if self._kind not in (None, kind):
            raise TableError(
                f"column {column!r} of {self.name} mixes {self._kind} and {kind}: "
                f"{self.unit} {line} has {label_name(label)}; use labels of one kind"
            )
        self._kind = kind

    def _check_characters(self, line: int, column: str, text: str) -> None:
        if text.isascii():
            return
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise TableError(
                f"{self.unit} {line} of {self.name} has half a surrogate pair in column "
                f"{column!r}, which is not a character; repair or drop the row"
            ) from error

    def _wrong(self, line: int, column: str, value: object, expected: str) -> TableError:
        return TableError(
            f"{self.unit} {line} of {self.name} has {value!r:.40} ({type(value).__name__}) in "
            f"column {column!r}; {expected}"
        )


def _are_strings(values: list[Any]) -> TypeGuard[list[str]]:
    """Return whether all values are strings without half a surrogate pair."""
    if set(map(type, values)) != {str}:
        return False
    try:
        "".join(values).encode()
    except UnicodeEncodeError:
        return False
    return True
