"""The one way from a table to documents and their labels.

Every command reads through this module, so all accept and refuse the same files in the same words.
A missing text is a document without words. A label is a string, a number, true or false; all
labels of a column are of one kind. Messages name the line (in Parquet files, the row).

What a document has is listed in :class:`DocumentColumns` and comes back in
:class:`LabelledDocuments`: a column with a new meaning (another text, a time, an id) is a field in
each of them and a line in :meth:`DocumentReader.documents`.
"""

import json
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as arrow

from imbtext._messages import did_you_mean, listed
from imbtext.tables._batches import Batch, TableFile
from imbtext.tables._errors import TableError
from imbtext.tables._formats import Layout, input_file
from imbtext.tables._opening import open_table


@dataclass(frozen=True)
class DocumentColumns:
    """Which columns of a table hold the documents, their classes and what groups rows.

    A document may have several labels, or none, where a `separator` cuts them or `several` allows
    lists (JSON lines and Parquet).
    """

    text: str
    label: str | None = None
    group: str | None = None
    separator: str | None = None
    several: bool = False

    def __post_init__(self) -> None:
        for name, times in Counter(self.names).items():
            if times > 1:
                raise TableError(
                    f"the column {name!r} is named twice; texts, labels and groups are columns of "
                    f"their own"
                )

    @property
    def names(self) -> list[str]:
        """The columns that are there."""
        return [name for name in (self.text, self.label, self.group) if name is not None]


@dataclass(frozen=True)
class LabelledDocuments:
    """Documents of a table, the label of each (or a set of them), and its group."""

    texts: list[str]
    labels: list[Any]
    groups: list[str] | None = None


def read_documents(
    path: Path, columns: DocumentColumns, layout: Layout | None = None, least_classes: int = 2
) -> LabelledDocuments:
    r"""Read the documents of a file and their labels, by name.

    Parameters
    ----------
    path : Path
        The file; ``-`` is standard input.
    columns : DocumentColumns
        Which columns hold the documents and their labels.
    layout : Layout, optional
        How the file is written. By default this is found out from the file.
    least_classes : int, default=2
        Fewer classes than this are refused.

    See Also
    --------
    open_tables : Reads tables batch by batch, with all of their columns.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "train.csv"
    >>> _ = path.write_text("body,topic\noil up,oil\n,rain\n")
    >>> read_documents(path, DocumentColumns("body", "topic"))
    LabelledDocuments(texts=['oil up', ''], labels=['oil', 'rain'], groups=None)
    """
    reader = DocumentReader(columns)
    documents = LabelledDocuments([], [], None if columns.group is None else [])
    with input_file(path) as source:
        for batch in reader.read([open_table(source, layout or Layout(), path)]):
            documents.texts.extend(batch.texts)
            documents.labels.extend(map(_named, batch.labels))
            if documents.groups is not None:
                documents.groups.extend(batch.groups or [])
    reader.classes(least_classes)
    return documents


@dataclass
class DocumentReader:
    """Reads the documents of batches, refuses what is no text or no label, and counts classes.

    One reader reads all batches of all tables, so that it sees whether labels are of one kind.
    `name` is what messages call the table, `unit` what the numbers of a batch count: lines or rows.

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
    counts: Counter[Hashable] = field(default_factory=Counter)
    n_rows: int = 0
    _kind: str | None = None
    _known_labels: set[str] = field(default_factory=set)

    def start(self, table: TableFile) -> None:
        """Begin with a table, or go on with another; it must have the columns."""
        table.check_columns(self.columns.names)
        self.name, self.unit = table.name, table.unit

    def read(self, tables: Iterable[TableFile]) -> Iterator[LabelledDocuments]:
        """Read the documents of tables, batch by batch."""
        for table in tables:
            self.start(table)
            for batch in table.batches(self.columns.names):
                yield self.documents(batch)

    def documents(self, batch: Batch) -> LabelledDocuments:
        """Return the documents of a batch: labels as they stand in the table, or sets of them."""
        self.n_rows += len(batch)
        columns = self.columns
        return LabelledDocuments(
            self._texts(batch, columns.text),
            [] if columns.label is None else self._labels(batch, columns.label),
            None
            if columns.group is None
            else ["" if value is None else str(value) for value in batch.values(columns.group)],
        )

    def _texts(self, batch: Batch, name: str) -> list[str]:
        """Return the documents; one that is missing has no words."""
        texts = self._strings(batch.column(name))
        if texts is not None:
            return [text or "" for text in texts] if None in texts else texts
        return [
            self._text(value, line, name)
            for value, line in zip(batch.values(name), batch.lines, strict=True)
        ]

    def _text(self, value: Any, line: int, name: str) -> str:
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self._wrong(line, name, value, "texts must be strings")
        self._check_characters(line, name, value)
        return value

    def _labels(self, batch: Batch, name: str) -> list[Any]:
        strings = self._strings(batch.column(name))
        if strings is not None and self.columns.separator is None:
            # Rows are many and classes are few: each is looked at where it comes first.
            first_rows = dict(zip(reversed(strings), reversed(range(len(strings))), strict=True))
            for label in sorted(first_rows.keys() - self._known_labels, key=first_rows.__getitem__):
                self._check_label(int(batch.lines[first_rows[label]]), name, label)
                self._known_labels.add(label)
            self.counts.update(strings)
            return strings
        labels = []
        for value, line in zip(batch.values(name), batch.lines, strict=True):
            several = self._several(value)
            for label in [value] if several is None else several:
                self._check_label(line, name, label)
                self.counts[label] += 1
            labels.append(value if several is None else several)
        return labels

    def _strings(self, column: Any) -> list[Any] | None:
        """Return a column of strings as a list; None if it holds anything else but None.

        A list that has None, or half a character, is not taken for one of strings.
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
        """Return the classes in sorted order with their sizes; there must be enough of them."""
        if not self.n_rows:
            raise TableError(f"{self.name} has no rows")
        if len(self.counts) < least:
            only = ", ".join(repr(label_name(label)) for label in self.counts)
            has = f"has the single class {only}" if only else "has no labels"
            raise TableError(
                f"column {self.columns.label!r} of {self.name} {has}; at least {least} classes "
                f"are needed"
            )
        return {label: self.counts[label] for label in sorted(self.counts)}  # type: ignore[type-var]

    def _several(self, value: Any) -> frozenset[Any] | None:
        if self.columns.separator is not None and (value is None or isinstance(value, str)):
            names = (value or "").split(self.columns.separator)
            return frozenset(name.strip() for name in names if name.strip())
        is_list = self.columns.several and isinstance(value, list)
        if is_list and not any(isinstance(label, list | dict) for label in value):
            return frozenset(value)
        return None

    def _check_label(self, line: int, column: str, label: Any) -> None:
        if label is None or label == "" or label != label:  # noqa: PLR0124  NaN
            raise TableError(
                f"{self.unit} {line} of {self.name} has no label in column {column!r}; give it one "
                f"or drop the row"
            )
        if isinstance(label, list | dict | bytes) or label in (math.inf, -math.inf):
            raise self._wrong(line, column, label, "a label must be a string or a finite number")
        if isinstance(label, str):
            self._check_characters(line, column, label)
            if label.endswith("\0"):
                expected = "it ends in a NUL character, which is lost on the way: remove it"
                raise self._wrong(line, column, label, expected)
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
                f"{column!r}, which is no character; repair or drop the row"
            ) from error

    def _wrong(self, line: int, column: str, value: Any, expected: str) -> TableError:
        return TableError(
            f"{self.unit} {line} of {self.name} has {value!r:.40} ({type(value).__name__}) in "
            f"column {column!r}; {expected}"
        )


def _are_strings(values: list[Any]) -> bool:
    """Return whether all are strings of whole characters."""
    if set(map(type, values)) != {str}:
        return False
    try:
        "".join(values).encode()
    except UnicodeEncodeError:
        return False
    return True


def label_name(label: Any) -> str:
    """Return a label as one types it.

    Examples
    --------
    >>> label_name("sport"), label_name(3), label_name(True)
    ('sport', '3', 'true')
    """
    return label if isinstance(label, str) else json.dumps(label, default=str).strip('"')


def label_named(name: str, labels: Iterable[Any]) -> Any:
    """Return the label that one types so; another name is refused with those that there are.

    Examples
    --------
    >>> label_named("3", [1, 3])
    3
    """
    names = {label_name(label): label for label in labels}
    if name not in names:
        raise ValueError(
            f"there is no class {name!r}; the classes are {listed(names)}"
            f"{did_you_mean(name, names)}"
        )
    return names[name]


def _named(label: Any) -> Any:
    return frozenset(map(label_name, label)) if isinstance(label, frozenset) else label_name(label)


def kind_of_label(label: Hashable) -> str:
    """Return what kind of label this is, in words; a column has labels of one kind."""
    if isinstance(label, bool):
        return "true/false"
    if isinstance(label, int | float):
        return "numbers"
    return "strings" if isinstance(label, str) else type(label).__name__
