"""Which columns of a table make up a document, and what they contain.

:class:`DocumentColumns` names the columns, and :class:`LabelledDocuments` holds their cells. A
column with a new meaning (another text, a time, an id) is a field in each of them and a line in
`DocumentReader.documents`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import polars as pl

from imbtext._messages import listed
from imbtext._typing import Label
from imbtext.documents import table_of_cells
from imbtext.tables._errors import TableError


@dataclass(frozen=True)
class LabelRules:
    """Which rows models learn from, by their labels.

    Parameters
    ----------
    unlabelled : {"skip", "refuse"}, default="skip"
        Whether to leave out rows without a label, or to raise an error that names the first.
    ignored : tuple of str, default=()
        Labels whose rows are left out, such as ``"unknown"``. A document with several labels is
        left out if one of them is ignored.
    many_classes : bool, default=False
        Whether to accept more than 100 classes if most of them have a single document. By default
        they are refused, because they look like ids.
    """

    unlabelled: Literal["skip", "refuse"] = "skip"
    ignored: tuple[str, ...] = ()
    many_classes: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.ignored, str):
            object.__setattr__(self, "ignored", (self.ignored,))
        if self.unlabelled not in ("skip", "refuse"):
            raise ValueError(f"unlabelled is {self.unlabelled!r}; choose skip or refuse")


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
