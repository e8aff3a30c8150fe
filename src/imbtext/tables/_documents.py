"""The one way from a table to documents and their classes.

Every command reads through this module, so all accept and refuse the same files in the same words.
A cell without a text is a document without words. A label is a string, a number, true or false;
within a column all are of one kind. What is wrong is said with the line (in Parquet files, the row)
it is wrong in.
"""

import difflib
import json
import math
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from imbtext.tables._errors import TableError, listed
from imbtext.tables._formats import Layout, input_file
from imbtext.tables._opening import open_table
from imbtext.tables._reading import Batch, TableFile


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
    """Documents of a table, the class of each by its name (or a set of them), and its group."""

    texts: list[str]
    labels: list[Any]
    groups: list[str] | None = None


def read_documents(
    path: Path, columns: DocumentColumns, layout: Layout | None = None, least_classes: int = 2
) -> LabelledDocuments:
    r"""Read the documents of a file (``-`` is standard input), and their classes by name.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "train.csv"
    >>> _ = path.write_text("body,topic\noil up,oil\n,rain\n")
    >>> read_documents(path, DocumentColumns("body", "topic"))
    LabelledDocuments(texts=['oil up', ''], labels=['oil', 'rain'], groups=None)
    """
    texts: list[str] = []
    labels: list[Any] = []
    groups: list[str] = []
    with input_file(path) as source:
        table = open_table(source, layout or Layout(), path)
        checks = DocumentChecks(columns)
        checks.turn_to(table)
        for batch in table.batches(columns.names):
            texts += checks.texts(batch)
            labels += map(_named, checks.labels(batch))
            if columns.group is not None:
                groups += [
                    "" if value is None else str(value) for value in batch.column(columns.group)
                ]
    checks.classes(least_classes)
    return LabelledDocuments(texts, labels, groups if columns.group is not None else None)


@dataclass
class DocumentChecks:
    """Looks at the cells of a table as they pass: refuses what is no text or no label, and counts.

    `name` is what messages call the table, `unit` what the numbers of a batch count: lines or rows.
    """

    columns: DocumentColumns
    name: str = ""
    unit: str = "line"
    counts: Counter[Hashable] = field(default_factory=Counter)
    n_rows: int = 0
    _kind: str | None = None
    _seen: set[str] = field(default_factory=set)

    def turn_to(self, table: TableFile) -> None:
        """Begin, or go on with another table, which must have the columns."""
        table.check_columns(self.columns.names)
        self.name, self.unit = table.name, table.unit

    def texts(self, batch: Batch) -> list[str]:
        """Return the documents of a batch; one that is missing has no words."""
        column = self.columns.text
        texts = batch.column(column)
        self.n_rows += len(texts)
        if _are_strings(texts):
            return texts
        for at, text in enumerate(texts):
            if text is None:
                texts[at] = ""
            elif not isinstance(text, str):
                raise self._wrong(batch.lines[at], column, text, "texts must be strings")
            else:
                self._check_characters(batch.lines[at], column, text)
        return texts

    def labels(self, batch: Batch) -> list[Any]:
        """Return the labels of a batch: values as they stand in the table, or sets of them."""
        column = str(self.columns.label)
        values = batch.column(column)
        if self.columns.separator is None and _are_strings(values):
            # Rows are many and classes are few: each is looked at where it comes first.
            for value, line in zip(values, batch.lines, strict=True):
                if value not in self._seen:
                    self._check_label(line, column, value)
                    self._seen.add(value)
            self.counts.update(values)
            return values
        found = []
        for value, line in zip(values, batch.lines, strict=True):
            several = self._several(value)
            for label in [value] if several is None else several:
                self._check_label(line, column, label)
                self.counts[label] += 1
            found.append(value if several is None else several)
        return found

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
        near = difflib.get_close_matches(name, names, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"there is no class {name!r}; the classes are {listed(list(names))}{hint}")
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
