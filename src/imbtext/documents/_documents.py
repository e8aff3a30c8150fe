"""Documents: what a user gives, with labels, from any container or file.

Users hold documents in a list, a tuple, a NumPy array, a pandas, Polars or Arrow column, or a table
with such a column; a file gives them in batches, and a cluster in partitions. They should not have
to convert anything, and a sampler should return the kind of container it was given: Polars in,
Polars out. So every estimator and every command reads documents through :class:`Documents`:

>>> documents = Documents.of(("oil up", "gold down", "?"), ["yes", "no", "?"])
>>> documents.corpus().vocabulary.tolist()
['down', 'gold', 'oil', 'up']
>>> documents.like_given(["oil down"])
('oil up', 'gold down', '?', 'oil down')

Documents without a label are left out by one rule (:meth:`Documents.labelled`), and `rows` says
where each of the others stood:

>>> with_label = documents.labelled(ignored=["no", "?"])
>>> with_label.to_list(), with_label.labels.values.tolist(), with_label.rows.tolist()
(['oil up'], ['yes'], [0])

If a container cannot be read, the error names the wrong row and what to do about it. A missing
document is such an error. A missing cell of a table is not: it is an empty text, since tables have
gaps, and whoever passes a list can fill it.

Documents also remember what was computed of them (:mod:`imbtext.documents._cache`). To fit several
models to the same documents, read them once with ``Documents.of`` and pass the result wherever
documents are expected.
"""

import hashlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext._messages import listed
from imbtext._typing import (
    Array,
    Column,
    ColumnName,
    Document,
    DocumentsLike,
    Label,
    LabelsLike,
    Record,
)
from imbtext.documents._cache import Cache
from imbtext.documents._containers import (
    adopted,
    check_names,
    column_title,
    extend,
    extend_table,
    is_table,
    names_of,
    rows_of,
    single_text_column,
    table_column,
)
from imbtext.documents._corpus import Corpus
from imbtext.documents._duplicates import near_duplicate_groups
from imbtext.documents._labels import (
    Labels,
    Unlabelled,
    labelled_rows,
    read_groups,
    read_weights,
)
from imbtext.documents._periods import read_times
from imbtext.documents._roles import NO_ROLES, Roles
from imbtext.documents._table_rows import (
    TableDocument,
    columns_of_rows,
    read_table,
    table_of_cells,
    table_rows,
)
from imbtext.documents._tokenization import (
    Tokenizer,
    encode_texts,
    is_missing,
    refuse_first,
    string_column,
)

_TOKEN_LISTS: Final = (list, tuple, np.ndarray)
_VALUES: Final = ("label", "group", "time", "id", "weight")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Row:
    """One document: its text or tokens, each of its text columns, and the cells beside them."""

    text: Document
    fields: Mapping[ColumnName, str] = field(default_factory=dict)
    columns: Mapping[ColumnName, object] = field(default_factory=dict)


class Documents:
    """What a user gives: documents, and perhaps labels, groups, times, names and weights.

    Attributes
    ----------
    texts : polars Series or Corpus
        The documents: strings, or token lists as ids. Neither is converted into the other. Several
        text columns of a table are joined.
    text_columns : tuple of column names
        The columns that held the documents, as far as they have names.
    fields : dict of column name to polars Series
        The text columns one by one, if the documents are rows of a table with several, or with
        columns beside the text.
    columns : polars DataFrame or None
        The columns beside the text.
    rows : ndarray of int64
        Where each document stood in what the user gave; `labelled` and `select` keep it.
    container : object
        What the user gave; None if it was cut or joined.
    """

    def __init__(
        self,
        texts: pl.Series | Corpus,
        *,
        container: object = None,
        objects: Sequence[Document] | None = None,
        text_columns: tuple[ColumnName, ...] = (),
        fields: Mapping[ColumnName, pl.Series] | None = None,
        columns: pl.DataFrame | None = None,
        rows: NDArray[np.int64] | None = None,
        values: Mapping[str, Any] | None = None,
        cache: Cache | None = None,
    ) -> None:
        self.texts = texts
        self.container = container
        self.text_columns = text_columns
        self.fields = dict(fields or {})
        self.columns = columns
        self.rows = np.arange(len(self)) if rows is None else rows
        self._objects = objects
        # Labels, groups, times, names and weights as the user gave them, and as they were read.
        self._given: Record = {k: v for k, v in (values or {}).items() if v is not None}
        self._read: Record = {}
        self._titles: dict[str, str] = {}
        self._separator: str | None = None
        self._cache = Cache() if cache is None else cache

    @classmethod
    def of(
        cls,
        X: "DocumentsLike | Documents",
        y: LabelsLike | None = None,
        *,
        roles: Roles = NO_ROLES,
        groups: Column | None = None,
        time: Column | None = None,
        ids: Column | None = None,
        sample_weight: Column | None = None,
        name: str = "X",
        y_name: str = "y",
    ) -> "Documents":
        """Read documents from any container, with what else is known of them.

        Parameters
        ----------
        X : documents
            A column of documents or a table; documents that were read before keep what was computed
            of them.
        y : labels, optional
            A label or a set of labels per document, or a column of 0 and 1 per class.
        roles : Roles, optional
            Which columns of a table mean what. Columns of arrays have numbers.
        groups, time, ids, sample_weight : columns, optional
            One value per document each.
        name, y_name : str
            What errors call `X` and `y`.
        """
        given = map(adopted, (y, groups, time, ids, sample_weight))
        values = dict(zip(_VALUES, given, strict=True))
        named = {role: getattr(roles, role) for role in _VALUES}
        for role in _VALUES:
            if named[role] is not None and values[role] is not None:
                raise TypeError(
                    f"roles name the column {named[role]!r} for the {role}, and its values were "
                    "passed, too; do one of the two"
                )
        if isinstance(X, Documents):
            has_values = any(value is not None for value in values.values())
            return X._with(values, y_name) if has_values else X
        container: Column = adopted(X)
        if any(column is not None for column in named.values()):
            values |= _columns_of(container, named, name)
        documents = cls._read_container(container, roles, name)
        documents._given = {role: v for role, v in values.items() if v is not None}
        documents._titles = {"label": y_name} | {
            role: column_title(container, column, name)
            for role, column in named.items()
            if column is not None
        }
        documents._separator = roles.separator
        return documents

    @classmethod
    def _read_container(cls, X: DocumentsLike, roles: Roles, name: str) -> Self:
        if roles.columns or len(roles.text) > 1:
            return cls._of_columns(X, roles, name)
        container: object = X
        column: Column = X
        text_columns: tuple[ColumnName, ...] = ()
        if is_table(X, arrays=bool(roles.text)):
            text = single_text_column(X, roles.text[0] if roles.text else None, name)
            column, text_columns = table_column(X, text), (text,)
            column, name = _filled(column, name), column_title(X, text, name)
        elif isinstance(title := getattr(X, "name", None), str) and title:
            text_columns = (title,)
        if isinstance(column, pl.Series) and column.dtype == pl.String and not column.null_count():
            return cls(column, container=container, text_columns=text_columns)
        objects = rows_of(column, name)
        first = _first_present(objects)
        if isinstance(first, TableDocument):
            fields, columns = columns_of_rows(objects)
            return cls._of_fields(fields, columns, container, objects)
        read = _token_corpus if isinstance(first, _TOKEN_LISTS) else string_column
        texts = read(objects, name)
        return cls(texts, container=container, objects=objects, text_columns=text_columns)

    @classmethod
    def _of_columns(cls, X: DocumentsLike, roles: Roles, name: str) -> Self:
        """Read a table with several text columns, or with columns beside the text."""
        if isinstance(X, list | np.ndarray) and len(X) and isinstance(X[0], TableDocument):
            return cls._read_container(X, NO_ROLES, name)
        if not is_table(X, arrays=True):
            beside = (roles.columns,) if roles.columns == "all" else roles.columns
            raise TypeError(
                f"{name} is a {type(X).__name__}; expected a table with the columns "
                f"{listed([*roles.text, *beside])}: a pandas, Polars or Arrow table, or an array "
                "of two dimensions"
            )
        if not roles.text:
            raise ValueError(
                f"no text column is named; name the column that holds the documents, one of "
                f"{listed(names_of(X))}"
            )
        return cls._of_fields(*read_table(X, roles, name), container=X)

    @classmethod
    def _of_fields(
        cls,
        fields: Mapping[ColumnName, pl.Series],
        columns: pl.DataFrame | None,
        container: object = None,
        objects: Sequence[Document] | None = None,
    ) -> Self:
        return cls(
            joined_fields(fields),
            container=container,
            objects=objects,
            text_columns=tuple(fields),
            fields=fields,
            columns=columns,
        )

    # What is known of the documents.

    @property
    def labels(self) -> Labels:
        """The labels; `labelled` leaves out documents without one."""
        title = self._titles.get("label", "y")
        labels = self._value("label", lambda y: Labels.of(y, len(self), title, several=True))
        if labels is None:
            raise ValueError(f"{title} is None; pass one label per document")
        return labels

    @property
    def groups(self) -> Array | None:
        """The group of each document; documents that share a value belong together."""
        return self._value("group", lambda given: read_groups(given, len(self)))

    @property
    def times(self) -> Array | None:
        """The time of each document, as numbers or points in time."""
        title = self._titles.get("time", "time")
        return self._value("time", lambda given: read_times(given, len(self), title))

    @property
    def weights(self) -> NDArray[np.float64] | None:
        """How much each document counts; None counts each of them once."""
        return self._value("weight", lambda given: read_weights(given, len(self)))

    @property
    def ids(self) -> list[str] | None:
        """The name of each document."""
        return self._value("id", lambda given: _read_ids(given, len(self)))

    def _value(self, role: str, read: Callable[[Any], Result]) -> Result | None:
        if role not in self._given:
            return None
        if role not in self._read:
            self._read[role] = read(self._given[role])
        value: Result = self._read[role]
        return value

    def labelled(
        self,
        *,
        ignored: object = (),
        unlabelled: Unlabelled | None = None,
        classes: Sequence[Label] = (),
        purpose: str = "learnt from",
    ) -> "Documents":
        """Return the documents that have a label, by the one rule of the package.

        See :func:`imbtext.documents._labels.labelled_rows` for the rule and the parameters. The
        labels, and what else is known of the documents, are read and checked.
        """
        y, title = self._given.get("label"), self._titles.get("label", "y")
        kept, labels = labelled_rows(
            y,
            len(self),
            title,
            ignored=ignored,
            unlabelled=unlabelled,
            classes=classes,
            separator=self._separator,
            purpose=purpose,
        )
        documents = self if labels is y else self._with({"label": labels}, title)
        if kept is not None:
            documents = self.select(kept)
            documents._given["label"] = labels
            documents._read.pop("label", None)
        _ = documents.labels, documents.groups, documents.times, documents.ids, documents.weights
        return documents

    def _with(self, values: Mapping[str, Any], y_name: str) -> Self:
        """Return the same documents, and what was computed of them, with other values."""
        documents = type(self).__new__(type(self))
        documents.__dict__ |= self.__dict__
        new = {role: value for role, value in values.items() if value is not None}
        documents._given = self._given | new
        documents._read = {role: v for role, v in self._read.items() if role not in new}
        documents._titles = self._titles | {"label": y_name}
        return documents

    def without_values(self) -> Self:
        """Return the same documents, and what was computed of them, without labels and the rest."""
        documents = self._with({}, "y")
        documents._given, documents._read = {}, {}
        return documents

    # The documents.

    def __len__(self) -> int:
        return self.texts.n_documents if isinstance(self.texts, Corpus) else len(self.texts)

    @property
    def is_tokens(self) -> bool:
        """Whether the documents are token lists rather than strings."""
        return isinstance(self.texts, Corpus)

    def to_list(self) -> Sequence[Document]:
        """Return the documents as Python objects: strings or token lists."""
        if self._objects is None:
            if self.fields:
                self._objects = table_rows(self.fields, self.columns)
            else:
                texts = self.texts
                self._objects = texts.tokens() if isinstance(texts, Corpus) else texts.to_list()
        return self._objects

    def row(self, i: int) -> Row:
        """Return one document with its cells."""
        (text,) = self.select(np.array([i])).to_list()
        fields = {name: column[i] for name, column in self.fields.items()}
        columns = {} if self.columns is None else self.columns.to_dict()
        cells: dict[ColumnName, object] = {n: column[i] for n, column in columns.items()}
        return Row(str(text) if isinstance(text, str) else text, fields, cells)

    def corpus(self, tokenizer: Tokenizer | None = None) -> Corpus:
        """Return the documents as word ids, encoded once; token lists are taken as they are.

        The vocabulary has the words of these documents and no others.
        """
        texts = self.texts
        if isinstance(texts, Corpus):
            return texts

        def encode() -> Corpus:
            return self.of_rows(("ids", tokenizer), lambda: encode_texts(texts, tokenizer))

        return self.of_all(("corpus", tokenizer), lambda: encode().without_unused_words())

    def decode(
        self, corpus: Corpus, tokenizer: Tokenizer | None = None
    ) -> list[str] | list[list[str]]:
        """Return the documents of `corpus` in the form of these: strings or token lists."""
        return corpus.tokens() if self.is_tokens else corpus.texts(tokenizer)

    @property
    def n_pieces(self) -> int:
        """How many text columns a document has."""
        return max(len(self.fields), 1)

    @property
    def pieces(self) -> pl.Series:
        """The texts of all columns, those of a document one after the other."""
        if isinstance(self.texts, Corpus):
            raise TypeError("the documents are token lists, which have no text columns")
        if self.n_pieces == 1:
            return self.texts
        columns = [column.alias(str(i)) for i, column in enumerate(self.fields.values())]
        return pl.select(pl.concat_list(columns)).to_series().explode()

    def field(self, name: ColumnName) -> "Documents":
        """Return one text column of documents that are rows of a table."""
        if name not in self.fields:
            raise ValueError(
                f"the documents have no text column {name!r}; pass a table that has it"
            )
        column = self.fields[name]
        return Documents(column, container=column)

    @property
    def near_duplicates(self) -> NDArray[np.int64]:
        """A number per document; near-duplicates, and only they, share it."""
        return self.of_all("near-duplicates", lambda: near_duplicate_groups(self.corpus()))

    # Some of them, and others behind them.

    def select(self, indices: NDArray[np.integer]) -> "Documents":
        """Return the documents at `indices`, with what is known of each of them."""
        places = indices.tolist()
        objects = None if self._objects is None else [self._objects[i] for i in places]
        fields = {name: column.gather(indices) for name, column in self.fields.items()}
        if isinstance(self.texts, Corpus):
            texts: pl.Series | Corpus = self.texts.select(indices).without_unused_words()
        elif len(fields) == 1:
            (texts,) = fields.values()
        else:
            texts = self.texts.gather(indices)
        part = Documents(
            texts,
            objects=objects,
            text_columns=self.text_columns,
            fields=fields,
            columns=None if self.columns is None else self.columns[indices],
            rows=self.rows[indices],
            cache=self._cache.select(indices),
        )
        part._titles, part._separator = self._titles, self._separator
        part._given = {role: _at(v, indices, len(self)) for role, v in self._given.items()}
        part._read = {
            role: v.select(indices) if isinstance(v, Labels) else _at(v, indices, len(self))
            for role, v in self._read.items()
        }
        return part

    def __add__(self, other: "Documents") -> "Documents":
        """Return these documents and then others; values that only some of them have are left out.

        Labels are joined as they were given, so those of both must be of one kind.
        """
        if self.is_tokens != other.is_tokens:
            raise TypeError("the documents must all be texts or all be token lists")
        if tuple(self.fields) != tuple(other.fields) or self._column_names != other._column_names:
            raise TypeError(
                f"the documents have the columns {listed([*self.fields, *self._column_names])} and "
                f"{listed([*other.fields, *other._column_names])}; they must be the same"
            )
        fields = {n: pl.concat([column, other.fields[n]]) for n, column in self.fields.items()}
        texts: Any = (self.texts, other.texts)
        texts = texts[0].joined(texts[1]) if self.is_tokens else pl.concat(texts)
        objects = None
        if self._objects is not None and other._objects is not None:
            objects = [*self._objects, *other._objects]
        both = Documents(
            texts,
            objects=objects,
            text_columns=self.text_columns,
            fields=fields,
            columns=_joined_columns(self.columns, other.columns),
            rows=np.concatenate([self.rows, other.rows]),
            cache=self._cache.joined(other._cache),
        )
        both._titles, both._separator = self._titles, self._separator
        for role in self._given.keys() & other._given.keys():
            first, second = self._given[role], other._given[role]
            title = self._titles.get(role, role)
            both._given[role] = [*rows_of(first, title), *rows_of(second, title)]
        return both

    @property
    def _column_names(self) -> list[str]:
        return [] if self.columns is None else self.columns.columns

    def like_given(self, new: Sequence[Document]) -> Any:
        """Return a container as the user gave it: these documents, untouched, then `new`.

        A pandas Series keeps its name and gets a fresh RangeIndex, as from imbalanced-learn. In a
        table, the new rows have missing values in all other columns.
        """
        if is_table(self.container, arrays=True):
            return extend_table(self.container, self.text_columns[0], new)
        container = self.to_list() if self.container is None else self.container
        return extend(container, new)

    # What was computed of them.

    def of_rows(self, key: Hashable, build: Callable[[], Result]) -> Result:
        """Return what `build` makes of each document alone; it is cut and joined with them."""
        return self._cache.of_rows(key, build)

    def of_all(self, key: Hashable, build: Callable[[], Result]) -> Result:
        """Return what `build` makes of these documents together; others begin without it.

        The latest few of each kind are kept; the kind is the key, or its first item.
        """
        return self._cache.of_all(key, build)

    def of_class(
        self, indices: NDArray[np.integer], key: Hashable, build: Callable[[], Result]
    ) -> Result:
        """Return what `build` makes of the documents at `indices`; the latest few are kept."""
        return self._cache.of_class(indices, key, build)


def _first_present(rows: Sequence[object]) -> object:
    return next((row for row in rows if not is_missing(row)), None)


def _filled(column: Column, name: str) -> pl.Series | list[object]:
    """Return a column of a table; a missing cell is an empty document."""
    if isinstance(column, pl.Series) and column.dtype == pl.String:
        return column.fill_null("")
    cells = rows_of(column, name)
    is_tokens = isinstance(_first_present(cells), _TOKEN_LISTS)
    return [([] if is_tokens else "") if is_missing(cell) else cell for cell in cells]


def _token_corpus(rows: Sequence[Any], name: str) -> Corpus:
    if not all(issubclass(kind, _TOKEN_LISTS) for kind in set(map(type, rows))):
        refuse_first(rows, name, _TOKEN_LISTS, "token lists")
    try:
        return Corpus.from_tokens(rows)
    except (TypeError, UnicodeEncodeError):
        for i, row in enumerate(rows):
            refuse_first(row, f"{name}[{i}]", str, "words")
        raise


def joined_fields(fields: Mapping[ColumnName, pl.Series]) -> pl.Series:
    """Return text columns as one: the texts of a row, one below the other."""
    if len(fields) == 1:
        return next(iter(fields.values()))
    columns = [column.alias(str(i)) for i, column in enumerate(fields.values())]
    return pl.select(pl.concat_str(columns, separator="\n")).to_series()


def _joined_columns(first: pl.DataFrame | None, second: pl.DataFrame | None) -> Any:
    """Return the columns beside the text of both; those of several types become strings."""
    if first is None or second is None:
        return None
    if first.schema == second.schema:
        return pl.concat([first, second])
    return table_of_cells({n: [*first[n].to_list(), *second[n].to_list()] for n in first.columns})


def _columns_of(X: object, named: Mapping[str, Any], name: str) -> Record:
    """Return the columns of a table that have a role besides the text, by role."""
    if not is_table(X, arrays=True):
        columns = [column for column in named.values() if column is not None]
        raise TypeError(
            f"{name} is a {type(X).__name__}; expected a table with the columns {listed(columns)}"
        )
    check_names(names_of(X), [c for c in named.values() if c is not None], name)
    return {role: table_column(X, c) for role, c in named.items() if c is not None}


def _at(values: Any, indices: NDArray[np.integer], n_documents: int) -> Any:
    """Return some of the values; the reader of a column of wrong length raises an error."""
    if not hasattr(values, "__len__") or len(values) != n_documents:
        return values
    if isinstance(values, np.ndarray):
        return values[indices]
    if len(getattr(values, "shape", (0,))) != 1:
        return Labels.of(values, n_documents, several=True).select(indices).container
    rows = values if isinstance(values, range) else rows_of(values, "a column", "a column")
    return [rows[i] for i in indices.tolist()]


def _read_ids(ids: Column, n_documents: int) -> list[str]:
    names = [str(name) for name in ids]
    if len(names) != n_documents:
        raise ValueError(
            f"there are {n_documents} documents to test and {len(names)} ids; give one for each"
        )
    return names


def content_checksum(*columns: Sequence[str]) -> str:
    """Return the SHA-256 of columns of text, so that no two contents can be confused.

    Every value is written with its length, so moving a word from one value to the next changes
    the checksum.

    Examples
    --------
    >>> content_checksum(["ab"], ["c"]) == content_checksum(["a"], ["bc"])
    False
    """
    digest = hashlib.sha256()
    for column in columns:
        digest.update(b"%d values\n" % len(column))
        for value in column:
            raw = value.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(raw))
            digest.update(raw)
    return digest.hexdigest()
