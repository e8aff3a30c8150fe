"""The one way from a table to documents and their labels.

Every command reads through this module, so all accept and refuse the same files in the same words.
A missing text is a document without words. A label is a string, a number, true or false; all
labels of a column are of one kind. Messages name the line (in Parquet files, the row).

:func:`read_documents` reads a file. :class:`DocumentReader` reads batch by batch.
"""

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
import polars as pl
import pyarrow as arrow

from imbtext._memory import FITS_ANYWHERE, check_memory
from imbtext._typing import Label
from imbtext.documents._documents import Documents, joined_fields
from imbtext.documents._label_names import is_no_label, kind_of_label, label_name, named_label
from imbtext.documents._labels import several_labels
from imbtext.documents._roles import Roles
from imbtext.documents._table_rows import table_of_cells
from imbtext.documents._tokenization import is_missing
from imbtext.tables._batches import Batch, BatchColumn, TableFile
from imbtext.tables._errors import TableError
from imbtext.tables._formats import Layout
from imbtext.tables._opening import open_tables
from imbtext.tables._rules import DEFAULT_RULES, LabelRules, RowTally


def read_documents(
    path: str | Path,
    roles: Roles,
    layout: Layout | None = None,
    rules: LabelRules = DEFAULT_RULES,
    *,
    for_test: bool = False,
) -> Documents:
    r"""Read the documents of a file and their labels, by name.

    Parameters
    ----------
    path : path
        A file, a folder, a pattern, or ``-`` for standard input.
    roles : Roles
        Which columns hold the documents and their labels. Without a column of labels, all
        documents are read.
    layout : Layout, optional
        How the file is written. By default the name and the content of the file tell it.
    rules : LabelRules, optional
        Which rows are left out, by their labels.
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
    >>> documents = read_documents(path, Roles.of("body", label="topic"))
    >>> documents.to_list(), documents.y, documents.ids
    (['oil up', 'sun'], ['oil', 'rain'], ['2', '3'])
    """
    reader = DocumentReader(roles, rules)
    with open_tables(path, layout or Layout()) as tables:
        parts = []
        for part in reader.read(tables):
            parts.append(part)
            if reader.n_bytes > FITS_ANYWHERE:  # a small file can stand for gigabytes
                check_memory(reader.n_bytes, f"the texts of {path}", "give fewer or shorter ones")
    if roles.label is not None:
        reader.classes(1 if for_test else 2)
    reader.check(for_test=for_test)
    documents = Documents.joined(parts)
    _ = documents.times  # all of them are needed to read dates such as 01/02/2024
    return documents if documents.y is None else documents.with_labels(named(documents.y))


def named(labels: Iterable[Label]) -> list[Label]:
    """Return labels, or sets of them, by name; one that is missing stays so."""
    return [None if is_missing(label) else named_label(label) for label in labels]


@dataclass
class DocumentReader:
    """Reads documents from batches, refuses cells that are not texts or labels, counts classes.

    One reader reads all batches of all tables, so it notices labels of different kinds. `name` is
    what messages call the table, `unit` what the numbers of a batch count: lines or rows.

    Examples
    --------
    >>> import pyarrow
    >>> reader = DocumentReader(Roles.of("body", label="topic"), name="the table", unit="row")
    >>> batch = Batch.from_arrow(pyarrow.table({"body": ["oil", None], "topic": [1, 2]}))
    >>> documents = reader.documents(batch)
    >>> documents.to_list(), documents.y, reader.classes()
    (['oil', ''], [1, 2], {1: 1, 2: 1})
    """

    roles: Roles
    rules: LabelRules = DEFAULT_RULES
    name: str = ""
    unit: str = "line"
    tally: RowTally = field(default_factory=RowTally)
    all_columns: tuple[str, ...] = ()
    n_bytes: int = 0  # of the texts that were read
    _kind: str | None = None
    _known_labels: set[str | None] = field(default_factory=set)
    # Of labels, and of groups, that are equal numbers, such as 1 and 1.0 in JSON lines, the one
    # that came first.
    _first_spelling: dict[Label, Label] = field(default_factory=dict)
    _first_group: dict[float, float] = field(default_factory=dict)

    def start(self, table: TableFile) -> None:
        """Begin with a table, or continue with another; it must have the columns."""
        if self.roles.columns == "all":
            self.roles = self.roles.resolved(table.all_columns())
        table.check_columns(self.names)
        self.name, self.unit, self.all_columns = table.name, table.unit, tuple(table.columns)

    @property
    def names(self) -> list[str]:
        """The columns that are read; those of files have strings for names."""
        return list(map(str, self.roles.names))

    def read(self, tables: Iterable[TableFile]) -> Iterator[Documents]:
        """Read the documents of tables, batch by batch."""
        for table in tables:
            self.start(table)
            for batch in table.batches(self.names):
                yield self.documents(batch)

    def documents(self, batch: Batch) -> Documents:
        """Return the documents of a batch that models learn from; all if there are no labels.

        A label is the cell of the table, or a set of labels. Documents are named by the cells of
        the id column, or by their lines.
        """
        roles, n_before = self.roles, self.tally.n_rows
        fields = {name: self._texts(batch, str(name)) for name in roles.text}
        texts = joined_fields(fields)
        cells = {str(name): batch.values(str(name)) for name in roles.columns}
        self.tally.n_rows += len(batch)
        values: dict[str, Any] = {"id": self._ids(batch)}
        if roles.group is not None:
            values["group"] = list(map(self._group, batch.values(str(roles.group))))
            self.tally.n_ungrouped += values["group"].count("")
        if roles.time is not None:
            values["time"] = batch.values(str(roles.time))
        left_out: set[int] = set()
        if roles.label is not None:
            values["label"], left_out = self._labels(batch, str(roles.label))
        kept = [row for row in range(len(batch)) if row not in left_out]
        read = texts.gather(kept) if left_out else texts
        self.tally.count_texts(read.to_list())
        self.n_bytes += int(read.str.len_bytes().sum())
        if roles.time is not None:
            self._check_times(batch, values["time"], kept)
        documents = Documents(
            texts,
            container=texts,
            text_columns=roles.text,
            fields=fields if len(fields) > 1 or cells else {},
            columns=table_of_cells(cells) if cells else None,
            rows=np.arange(n_before, n_before + len(batch)),
            values=values,
            titles={"label": f"column {roles.label!r}", "time": f"the column {roles.time!r}"},
        )
        documents.all_columns, documents._time_format = self.all_columns, roles.time_format
        return documents.select(np.array(kept, np.int64)) if left_out else documents

    def labels(self, batch: Batch) -> list[Label]:
        """Return the labels of a batch that models learn from; other columns are not read."""
        if self.roles.label is None:
            return []
        labels, left_out = self._labels(batch, str(self.roles.label))
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
        if self.roles.id is None:
            return list(map(str, batch.lines.tolist()))
        return [
            "" if is_missing(value) else label_name(value)
            for value in batch.values(str(self.roles.id))
        ]

    def _check_times(self, batch: Batch, times: list[object], rows: list[int]) -> None:
        missing = [row for row in rows if is_no_label(times[row])]
        if missing:
            raise TableError(
                f"{self.unit} {batch.lines[missing[0]]} of {self.name} has no time in column "
                f"{self.roles.time!r}; fill it in, drop the row, or leave the time out"
            )

    def check(self, *, for_test: bool = False) -> None:
        """After all rows, refuse what must be a mistake, and warn of unusual rows."""
        self.tally.check(self.roles, self.rules, self.name, for_test=for_test)

    def _texts(self, batch: Batch, name: str) -> pl.Series:
        """Return a column of texts; a missing one has no words."""
        texts = self._strings(batch.column(name))
        if texts is None:
            texts = [
                self._text(value, line, name)
                for value, line in zip(batch.values(name), batch.lines, strict=True)
            ]
        return pl.Series(name, texts, pl.String).fill_null("")

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
        if strings is not None and self.roles.separator is None:
            labels_of_rows = list(strings)
            return labels_of_rows, self._check_strings(batch, name, labels_of_rows)
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
            else:
                self.tally.classes.update(row_labels)
            if reasons and not self._counts_as_no(reasons[0]):
                left_out.add(row)
            labels.append(row_labels[0] if several is None else frozenset(row_labels))
        if self.rules.unlabelled == "no" and any(isinstance(row, frozenset) for row in labels):
            labels = [frozenset() if is_no_label(label) else label for label in labels]
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
        odd = {label for label in odd if not self._counts_as_no(label)}
        return {row for row, label in enumerate(labels) if label in odd} if odd else set()

    def _is_left_out(self, label: Label) -> bool:
        return is_no_label(label) or label_name(label) in self.rules.ignored

    def _counts_as_no(self, label: Label) -> bool:
        return self.rules.unlabelled == "no" and is_no_label(label)

    def _count_left_out(self, label: Label, n: int) -> None:
        if is_no_label(label):
            self.tally.n_unlabelled += n
        else:
            self.tally.ignored[label_name(label)] += n

    def _strings(self, column: BatchColumn) -> Sequence[str | None] | pl.Series | None:
        """Return a column of strings, or None if it is not one.

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
        return pl.Series(column).cast(pl.String)

    def classes(self, least: int = 2) -> dict[Hashable, int]:
        """Return the classes in sorted order with their sizes; raise if they are too few.

        Rows without a label are the other class if they count as outside the one that is named.
        """
        counts, rules, n_unlabelled = self.tally.classes, self.rules, self.tally.n_unlabelled
        if not self.tally.n_rows:
            raise TableError(f"{self.name} has no rows")
        if rules.unlabelled == "no" and n_unlabelled and counts:
            least = 1
        if len(counts) < least:
            only = ", ".join(repr(label_name(label)) for label in counts)
            has = f"has the single class {only}" if only else "has no labels"
            advice = ""
            if only and n_unlabelled and rules.several and rules.unlabelled is None:
                advice = (
                    f". If the {n_unlabelled:,} rows without a label are outside the class, name "
                    "it and add --unlabelled no"
                )
            raise TableError(
                f"column {self.roles.label!r} of {self.name} {has}; at least {least} classes "
                f"are needed{advice}"
            )
        return {label: counts[label] for label in sorted(counts)}  # type: ignore[type-var]

    def _several(self, value: object) -> frozenset[Label] | None:
        separated = self.roles.separator is not None and (value is None or isinstance(value, str))
        if separated and is_no_label(value) and self.rules.unlabelled in ("skip", "refuse"):
            return None
        if self.roles.separator is not None and separated:
            return several_labels(value, self.roles.separator)
        if not (self.rules.several and isinstance(value, list)):
            return None
        return None if any(isinstance(label, list | dict) for label in value) else frozenset(value)

    def _check_label(self, line: int, column: str, label: Label) -> None:
        if is_no_label(label):
            if self.rules.unlabelled != "refuse":
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
