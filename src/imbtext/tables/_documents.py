"""The one way from a table to documents and their labels.

Every command reads through this module, so all accept and refuse the same files in the same words.
A missing text is a document without words. A label is a string, a number, true or false; all
labels of a column are of one kind. Messages name the line (in Parquet files, the row).

:class:`DocumentColumns` names the columns of a document, and :class:`LabelledDocuments` holds what
they contain. A column with a new meaning (another text, a time, an id) is a field in each of them
and a line in :meth:`DocumentReader.documents`.

Models do not learn from rows without a label, nor from rows that :class:`LabelRules` excludes. A
:class:`RowTally` counts them while rows pass by, perhaps on many machines. After the last row,
:meth:`RowTally.check` refuses what must be a mistake (no word in any text, ids instead of labels)
and warns of the rest.
"""

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeGuard

import polars as pl
import pyarrow as arrow

from imbtext._messages import did_you_mean, listed, warn_user
from imbtext._typing import Label
from imbtext.documents import is_missing, joined_text, table_of_cells
from imbtext.tables._batches import Batch, BatchColumn, TableFile
from imbtext.tables._errors import TableError, TableWarning
from imbtext.tables._formats import Layout
from imbtext.tables._labels import LETTER, LabelRules, kind_of_label, label_name, named_label
from imbtext.tables._opening import open_tables

# A cell with digits but no letter, such as 12.50 or 2024-05-01, is a number rather than a text.
_DIGIT: Final = re.compile(r"\d")
# More classes than this, most of them with one document, are probably ids.
_MANY_CLASSES: Final = 100


@dataclass(frozen=True)
class DocumentColumns:
    """Which columns of a table hold the documents, their labels and the rest.

    Parameters
    ----------
    text : str
        The column of the documents.
    label : str, optional
        The column of the labels. Without it, documents are read without labels.
    group : str, optional
        Rows that share a value in this column stay together.
    separator : str, optional
        What separates the labels of a document that has several, such as ``";"``.
    several : bool, default=False
        Whether a label may be a list of labels, as in JSON lines and Parquet.
    rules : LabelRules, optional
        Which rows models learn from, by their labels.
    time : str, optional
        The column of the time at which a document was written.
    id : str, optional
        The column of the name that the user has for a document; it may be one of the others.
    more_texts : tuple of str, default=()
        More text columns of the same document.
    beside : tuple of str or "all", default=()
        Columns beside the text; ``"all"`` takes all columns that have no other meaning.
    """

    text: str
    label: str | None = None
    group: str | None = None
    separator: str | None = None
    several: bool = False
    rules: LabelRules = field(default_factory=LabelRules)
    time: str | None = None
    id: str | None = None
    more_texts: tuple[str, ...] = ()
    beside: tuple[str, ...] | Literal["all"] = ()

    def __post_init__(self) -> None:
        if isinstance(self.more_texts, str):
            object.__setattr__(self, "more_texts", (self.more_texts,))
        if isinstance(self.beside, str) and self.beside != "all":
            object.__setattr__(self, "beside", (self.beside,))
        beside = [] if self.beside == "all" else list(self.beside)
        # A time may be a column beside the text too, a text or a label may not.
        apart = [name for name in beside if name not in (self.group, self.time)]
        for name, n_times in Counter([*self._with_one_meaning, *apart]).items():
            if n_times > 1:
                raise TableError(
                    f"the column {name!r} is named twice; texts, labels, groups and times must be "
                    f"different columns"
                )

    @property
    def names(self) -> list[str]:
        """All columns that are read, each once; of ``beside="all"`` nothing is known yet."""
        names = [*self._with_one_meaning, *(() if self.beside == "all" else self.beside)]
        names += [] if self.id is None else [self.id]
        return list(dict.fromkeys(names))

    @property
    def _with_one_meaning(self) -> list[str]:
        columns = (*self.texts, self.label, self.group, self.time)
        return [name for name in columns if name is not None]

    @property
    def texts(self) -> tuple[str, ...]:
        """The text columns."""
        return (self.text, *self.more_texts)

    @property
    def text_title(self) -> str:
        """What messages call the text columns."""
        return f"column{'s' * bool(self.more_texts)} {listed(self.texts)}"

    def resolved(self, names: Sequence[str]) -> "DocumentColumns":
        """Replace ``beside="all"`` by the columns that it means in a table with these names."""
        if self.beside != "all":
            return self
        others = dict.fromkeys(name for name in names if name not in self.names)
        return replace(self, beside=tuple(others))


@dataclass(frozen=True)
class LabelledDocuments:
    """The documents of a table, the label of each (or a set of labels), and its group.

    `times` are the cells of the table, unchanged. `ids` are the cells of the id column, or the line
    numbers of the file if there is none; None if the documents do not come from a table. If there
    are several columns, `cells` has the text columns and those beside them by name, and `texts`
    are the text columns joined.
    """

    texts: list[str]
    labels: list[Label]
    groups: list[str] | None = None
    times: list[object] | None = field(default=None, repr=False)
    ids: list[str] | None = field(default=None, repr=False)
    cells: dict[str, list[Any]] = field(default_factory=dict, repr=False)

    def at(self, rows: list[int]) -> "LabelledDocuments":
        """Return some of the documents."""
        cells = {name: _at(column, rows) for name, column in self.cells.items()}
        texts, labels, groups, times, ids = (_at(column, rows) for column in self._columns)
        return LabelledDocuments(texts, labels, groups, times, ids, cells)

    def extend(self, others: "LabelledDocuments") -> None:
        """Add more documents of the same table."""
        for column, more in zip(self._columns, others._columns, strict=True):
            if column is not None:
                column.extend(more or [])
        for name, values in others.cells.items():
            self.cells.setdefault(name, []).extend(values)

    def content(self, name: str) -> pl.Series | pl.DataFrame:
        """Return what a model reads: the column of the documents, called `name`, or a table."""
        return table_of_cells(self.cells) if self.cells else pl.Series(name, self.texts)

    @property
    def _columns(self) -> tuple[Any, ...]:
        return self.texts, self.labels, self.groups, self.times, self.ids


def _at(column: list[Any] | None, rows: list[int]) -> Any:
    return [column[row] for row in rows] if column else column  # there may be no labels, no times


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
class RowTally:
    """How many rows were read, and what is odd about how many of them.

    Tallies of parts add up to that of the whole.

    Attributes
    ----------
    n_rows, n_without_words, n_numbers, n_unlabelled, n_ungrouped : int
        All rows; those whose text has no letter or digit; those whose text has digits but no
        letter; those without a label; those without a group.
    ignored : Counter of str
        The rows of each ignored label.
    classes : Counter
        The rows of each class that the model learns from.
    """

    n_rows: int = 0
    n_without_words: int = 0
    n_numbers: int = 0
    n_unlabelled: int = 0
    n_ungrouped: int = 0
    ignored: Counter[str] = field(default_factory=Counter)
    classes: Counter[Hashable] = field(default_factory=Counter)

    def __add__(self, other: "RowTally") -> "RowTally":
        return RowTally(
            self.n_rows + other.n_rows,
            self.n_without_words + other.n_without_words,
            self.n_numbers + other.n_numbers,
            self.n_unlabelled + other.n_unlabelled,
            self.n_ungrouped + other.n_ungrouped,
            self.ignored + other.ignored,
            self.classes + other.classes,
        )

    @property
    def n_left_out(self) -> int:
        """The rows that models do not learn from: without a label, or with an ignored one."""
        return self.n_unlabelled + self.ignored.total()

    def count_texts(self, texts: Iterable[str]) -> None:
        """Count texts of more rows that have no words, or are numbers."""
        for text in texts:
            if not LETTER.search(text):
                if _DIGIT.search(text):
                    self.n_numbers += 1
                else:
                    self.n_without_words += 1

    def check(self, columns: DocumentColumns, name: str, *, for_test: bool = False) -> None:
        """Refuse what must be a mistake, and warn of what is odd; `name` is what was read."""
        if not self.n_rows:
            raise TableError(f"{name} has no rows")
        if columns.label is not None and not for_test:
            self._check_training(columns, name)
        if self.n_unlabelled:
            warn_user(
                f"{self.n_unlabelled:,} of {self.n_rows:,} rows of {name} have no label in column "
                f"{columns.label!r}; nothing is {'tested on' if for_test else 'learnt from'} them",
                TableWarning,
            )
        if self.n_ungrouped:
            warn_user(
                f"{self.n_ungrouped:,} of {self.n_rows:,} rows of {name} have no group in column "
                f"{columns.group!r}, so they are kept together as one; give each a group of its "
                f"own if they do not belong together",
                TableWarning,
            )
        if self.n_without_words:
            warn_user(
                f"{self.n_without_words:,} of {self.n_rows:,} texts in {columns.text_title} of "
                f"{name} have no word in them",
                TableWarning,
            )
        if 2 * self.n_numbers > self.n_rows - self.n_without_words:
            warn_user(
                f"{columns.text_title} of {name} holds numbers rather than texts in "
                f"{self.n_numbers:,} of {self.n_rows:,} rows; is it the column of the documents?",
                TableWarning,
            )

    def _check_training(self, columns: DocumentColumns, name: str) -> None:
        """Refuse documents without words, and labels that look like ids."""
        if self.n_without_words == self.n_rows:
            raise TableError(
                f"none of the {self.n_rows:,} texts in {columns.text_title} of {name} has a "
                f"word in it, so there is nothing to learn; name another column"
            )
        for label in columns.rules.ignored:
            if not self.ignored[label]:
                names = [label_name(known) for known in self.classes]
                raise TableError(
                    f"column {columns.label!r} of {name} has no label {label!r} to ignore; its "
                    f"labels are {listed(names)}{did_you_mean(label, names)}"
                )
        n_single = sum(n == 1 for n in self.classes.values())
        if (
            not columns.rules.many_classes
            and len(self.classes) > _MANY_CLASSES
            and 2 * n_single > len(self.classes)
        ):
            raise TableError(
                f"column {columns.label!r} of {name} has {len(self.classes):,} classes, "
                f"{n_single:,} of them with a single document; is it an id? Name the column of the "
                f"classes, or if these are the classes",
                "many_classes",
                True,
            )


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
    # Of numbers that are equal, such as 1 and 1.0 in JSON lines, the one that came first.
    _first_spelling: dict[Label, Label] = field(default_factory=dict)

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
            values = batch.values(columns.group)
            groups = ["" if is_missing(value) else str(value) for value in values]
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

    def _ids(self, batch: Batch) -> list[str]:
        """Return the names of the documents: the cells of the id column, or their lines."""
        if self.columns.id is None:
            return list(map(str, batch.lines.tolist()))
        return [
            "" if is_missing(value) else label_name(value)
            for value in batch.values(self.columns.id)
        ]

    def _check_times(self, batch: Batch, times: list[object], rows: list[int]) -> None:
        missing = [row for row in rows if _is_missing(times[row])]
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
        return _is_missing(label) or label_name(label) in self.columns.rules.ignored

    def _count_left_out(self, label: Label, n: int) -> None:
        if _is_missing(label):
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
            names = (value or "").split(self.columns.separator)
            return frozenset(name.strip() for name in names if name.strip())
        if not (self.columns.several and isinstance(value, list)):
            return None
        return None if any(isinstance(label, list | dict) for label in value) else frozenset(value)

    def _check_label(self, line: int, column: str, label: Label) -> None:
        if _is_missing(label):
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


def _is_missing(label: Label) -> bool:
    """Return whether a cell has no label: it is missing, or only white space."""
    return not label.strip() if isinstance(label, str) else is_missing(label)


def _are_strings(values: list[Any]) -> TypeGuard[list[str]]:
    """Return whether all values are strings without half a surrogate pair."""
    if set(map(type, values)) != {str}:
        return False
    try:
        "".join(values).encode()
    except UnicodeEncodeError:
        return False
    return True
