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
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import reduce
from itertools import chain
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
    adopted_column,
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
    warn_of_nested,
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
    all_columns : tuple of str
        The columns of the file that the documents come from, read or not.
    """

    all_columns: tuple[str, ...] = ()

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
        titles: Mapping[str, str] | None = None,
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
        self._titles = dict(titles or {})  # what messages call the values
        self._separator: str | None = None
        self._time_format: str | None = None
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
        given = map(adopted_column, (y, groups, time, ids, sample_weight))
        values = dict(zip(_VALUES, given, strict=True))
        named = {role: getattr(roles, role) for role in _VALUES}
        for role in _VALUES:
            if named[role] is not None and values[role] is not None:
                raise TypeError(
                    f"roles name the column {named[role]!r} for the {role}, and its values were "
                    "passed, too; do one of the two"
                )
        if isinstance(X, Documents):
            X = X._without_nested() if roles.columns == "all" else X
            if not any(value is not None for value in values.values()):
                return X
            documents = X._with(values, y_name)
            documents.rows = np.arange(len(X))
            return documents
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
        documents._separator, documents._time_format = roles.separator, roles.time_format
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
        return self._value(
            "time", lambda given: read_times(given, len(self), title, self._time_format)
        )

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
        joined: bool = True,
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
            joined=joined,
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

    @property
    def y(self) -> Any:
        """The labels as they were given, None if there are none."""
        return self._given.get("label")

    def given(self, role: str) -> Any:
        """Return what was given for a role, such as times that only all batches can settle."""
        return self._given.get(role)

    def with_labels(self, y: LabelsLike) -> Self:
        """Return the same documents, and what was computed of them, with other labels."""
        return self._with({"label": y}, self._titles.get("label", "y"))

    def with_weights(self, weights: NDArray[np.float64]) -> Self:
        """Return the same documents, and what was computed of them, with other weights."""
        return self._with({"weight": weights}, self._titles.get("label", "y"))

    def with_text_columns(self, names: Sequence[ColumnName]) -> Self:
        """Return the same documents whose text columns have other names, in the same order."""
        documents = self._with({}, self._titles.get("label", "y"))
        documents.text_columns = tuple(names)
        documents.fields = dict(zip(names, self.fields.values(), strict=False))
        return documents

    def _without_nested(self) -> Self:
        """Leave out columns of lists and records, with a warning, if all columns were asked for."""
        columns = self.columns
        nested = [] if columns is None else [c.name for c in columns if c.dtype.is_nested()]
        if columns is None or not nested:
            return self
        warn_of_nested(nested)
        documents = self._with({}, self._titles.get("label", "y"))
        documents.columns = columns.drop(nested) if len(nested) < columns.width else None
        return documents

    def without_values(self) -> Self:
        """Return the same documents, and what was computed of them, without labels and the rest.

        They are known by themselves alone, so what they came in is left out as well.
        """
        documents = self._with({}, "y")
        documents.container = None
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

    def __iter__(self) -> Iterator[Document]:
        return iter(self.to_list())

    def __getitem__(self, i: int) -> Document:
        return self.to_list()[i]

    def strings(self) -> list[str]:
        """Return the documents as strings; tokens are joined by spaces."""
        if isinstance(self.texts, pl.Series):
            return self.texts.to_list()
        return [" ".join(tokens) for tokens in self.to_list()]

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
        objects = self._objects
        if objects is not None:
            objects = [objects[i] for i in indices.tolist()]
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
        part.all_columns, part._time_format = self.all_columns, self._time_format
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
        return Documents.joined([self, other])

    @staticmethod
    def joined(parts: Sequence["Documents"]) -> "Documents":
        """Return the documents of several, such as the batches of a table, one after the other."""
        if len(parts) == 1:
            return parts[0]
        first = parts[0]
        for part in parts:
            if part.is_tokens != first.is_tokens:
                raise TypeError("the documents must all be texts or all be token lists")
            names = [*part.fields, *part._column_names]
            expected = [*first.fields, *first._column_names]
            if names != expected:
                raise TypeError(
                    f"some documents have the columns {listed(expected)} and others "
                    f"{listed(names)}; they must be the same"
                )
        texts: Any = [part.texts for part in parts]
        objects = [part._objects for part in parts]
        both = Documents(
            reduce(Corpus.joined, texts) if first.is_tokens else pl.concat(texts),
            objects=None if None in objects else [one for part in objects for one in part or ()],
            text_columns=first.text_columns,
            fields={n: pl.concat([part.fields[n] for part in parts]) for n in first.fields},
            columns=_joined_columns([part.columns for part in parts]),
            rows=np.concatenate([part.rows for part in parts]),
            cache=reduce(Cache.joined, [part._cache for part in parts]),
        )
        both._titles, both._separator = first._titles, first._separator
        both.all_columns, both._time_format = first.all_columns, first._time_format
        for role in set.intersection(*(set(part._given) for part in parts)):
            columns = [rows_of(part._given[role], first._titles.get(role, role)) for part in parts]
            both._given[role] = list(chain.from_iterable(columns))
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

    def forget_classes(self) -> None:
        """Drop the results of `of_class`."""
        self._cache.forget_classes()


def _first_present(documents: Sequence[object]) -> object:
    return next((row for row in documents if not is_missing(row)), None)


def _filled(column: Column, name: str) -> pl.Series | list[object]:
    """Return a column of a table; a missing cell is an empty document."""
    if isinstance(column, pl.Series) and column.dtype == pl.String:
        return column.fill_null("")
    cells = rows_of(column, name)
    is_tokens = isinstance(_first_present(cells), _TOKEN_LISTS)
    return [([] if is_tokens else "") if is_missing(cell) else cell for cell in cells]


def _token_corpus(documents: Sequence[Any], name: str) -> Corpus:
    if not all(issubclass(kind, _TOKEN_LISTS) for kind in set(map(type, documents))):
        refuse_first(documents, name, _TOKEN_LISTS, "token lists")
    try:
        return Corpus.from_tokens(documents)
    except (TypeError, UnicodeEncodeError):
        for i, row in enumerate(documents):
            refuse_first(row, f"{name}[{i}]", str, "words")
        raise


def joined_fields(fields: Mapping[ColumnName, pl.Series]) -> pl.Series:
    """Return text columns as one: the texts of a row, one below the other."""
    if len(fields) == 1:
        return next(iter(fields.values()))
    columns = [column.alias(str(i)) for i, column in enumerate(fields.values())]
    return pl.select(pl.concat_str(columns, separator="\n")).to_series()


def _joined_columns(parts: Sequence[pl.DataFrame | None]) -> pl.DataFrame | None:
    """Return the columns beside the text of all parts; those of several types become strings."""
    tables = [part for part in parts if part is not None]
    if not tables:
        return None
    if all(table.schema == tables[0].schema for table in tables):
        return pl.concat(tables)
    names = tables[0].columns
    return table_of_cells(
        {n: list(chain.from_iterable(table[n].to_list() for table in tables)) for n in names}
    )


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
