"""A user's documents, read from any container and returned in the same kind of container.

Users hold documents in a list, a tuple, a NumPy array, a pandas, Polars or Arrow column, or a table
with such a column. They should not have to convert anything, and a sampler should return the kind
of container it was given: Polars in, Polars out. So every estimator and every command reads
documents through :class:`Documents`, and only this module knows the containers. Inside the package,
documents are a Polars column of strings or an encoded :class:`~imbtext.documents.Corpus`:

>>> documents = Documents.of(("oil up", "gold down"))
>>> documents.corpus().vocabulary.tolist()
['down', 'gold', 'oil', 'up']
>>> documents.extend(["oil down"])
('oil up', 'gold down', 'oil down')

If a container cannot be read, the error names the wrong row and what to do about it. A missing
document is such an error. A missing cell of a table is not: it is an empty text, since tables have
gaps, and whoever passes a list can fill it.

Documents also remember what was computed from them (:attr:`Documents.near_duplicates`,
:meth:`Documents.derived`). To fit several models to the same documents, read them once with
``Documents.of`` and pass the result wherever documents are expected.
"""

import hashlib
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Self, TypeGuard, TypeVar

import numpy as np
import polars as pl
from narwhals import dependencies as native
from numpy.typing import NDArray
from scipy.sparse import issparse

from imbtext._messages import listed
from imbtext._typing import (
    Array,
    ArrowColumn,
    Column,
    ColumnName,
    ColumnNames,
    Document,
    DocumentsLike,
    TableLike,
)
from imbtext.documents._corpus import Corpus
from imbtext.documents._duplicates import near_duplicate_groups
from imbtext.documents._table_rows import (
    TableDocument,
    TableText,
    check_names,
    column_title,
    names_of,
    read_table,
)
from imbtext.documents._tokenization import (
    Tokenizer,
    encode_texts,
    is_missing,
    refuse_first,
    string_column,
)

KINDS = "a list of strings, a list of token lists, or a NumPy, pandas, Polars or Arrow column"
_TOKEN_LISTS = (list, tuple, np.ndarray)
Derived = TypeVar("Derived")


class Documents:
    """A user's documents: strings or token lists, from any container.

    `content` is what the package works on: strings as a Polars column, token lists as a corpus.
    `rows` are the documents as Python objects; they are built from the content when first used,
    unless the container held them already. If the documents are rows of a table, `table` has its
    text columns one by one and the columns beside them.
    """

    def __init__(
        self,
        container: object,
        content: pl.Series | Corpus,
        rows: Sequence[Document] | None = None,
        table: TableText | None = None,
    ) -> None:
        self.container = container
        self.content = content
        self.table = table
        self._rows = rows
        self._derived: dict[str, tuple[Hashable, Any]] = {}

    @classmethod
    def of(
        cls,
        X: DocumentsLike,
        name: str = "X",
        text: ColumnNames = None,
        columns: ColumnNames = None,
    ) -> Self:
        """Read a container of documents; an instance of this class is returned as it is.

        Errors call the container `name`. If `X` is a table of several columns, `text` names the
        column that holds the documents, or several columns in a list. Columns of an array of two
        dimensions have numbers. `columns` names the columns beside the text; ``"all"`` takes all
        others.
        """
        if isinstance(X, cls):
            return X
        if isinstance(text, list | tuple) and len(text) == 1:
            (text,) = text
        if columns is not None or isinstance(text, list | tuple):
            return cls._of_table(X, text, columns, name)
        container: object = X
        column: Column = X
        if is_table(X, arrays=text is not None):
            container = table = _Table.of(X, text, name)
            column, name = table.filled_column(name), column_title(X, table.text, name)
        if isinstance(column, pl.Series) and column.dtype == pl.String and not column.null_count():
            return cls(container, column)
        rows = rows_of(column, name)
        first = _first_present(rows)
        if isinstance(first, _TOKEN_LISTS):
            return cls(container, _token_corpus(rows, name), rows)
        if isinstance(first, TableDocument):
            return cls._of_table_text(container, TableText.of_rows(rows), rows)
        return cls(container, string_column(rows, name), rows)

    @classmethod
    def _of_table(cls, X: DocumentsLike, text: Any, columns: ColumnNames, name: str) -> Self:
        if isinstance(X, list | np.ndarray) and len(X) and isinstance(X[0], TableDocument):
            return cls.of(X, name)
        text_columns = list(text) if isinstance(text, list | tuple) else [text]
        if not is_table(X, arrays=True):
            beside = columns if isinstance(columns, list | tuple) else [columns]
            names = [column for column in (*text_columns, *beside) if column is not None]
            raise TypeError(
                f"{name} is a {type(X).__name__}; expected a table with the columns "
                f"{listed(names)}: a pandas, Polars or Arrow table, or an array of two dimensions"
            )
        if text_columns in ([], [None]):
            raise ValueError(
                f"text is {text!r}; name the column that holds the documents, one of "
                f"{listed(names_of(X))}"
            )
        return cls._of_table_text(X, read_table(X, text_columns, columns, name))

    @classmethod
    def _of_table_text(
        cls, container: object, table: TableText, rows: Sequence[Document] | None = None
    ) -> Self:
        return cls(container, table.content, rows, table)

    @property
    def rows(self) -> Sequence[Document]:
        """The documents as Python objects."""
        if self._rows is None:
            content = self.content
            if self.table is not None:
                self._rows = self.table.rows()
            else:
                self._rows = content.tokens() if isinstance(content, Corpus) else content.to_list()
        return self._rows

    def __len__(self) -> int:
        return self.content.n_documents if isinstance(self.content, Corpus) else len(self.content)

    @property
    def is_tokens(self) -> bool:
        """Whether the documents are token lists rather than strings."""
        return isinstance(self.content, Corpus)

    def corpus(self, tokenizer: Tokenizer | None = None) -> Corpus:
        """Encode the documents; token lists are taken as they are."""
        if isinstance(self.content, Corpus):
            return self.content
        return encode_texts(self.content, tokenizer)

    def decode(
        self, corpus: Corpus, tokenizer: Tokenizer | None = None
    ) -> list[str] | list[list[str]]:
        """Return the documents of `corpus` in the form of these: strings or token lists."""
        return corpus.tokens() if self.is_tokens else corpus.texts(tokenizer)

    @property
    def column_names(self) -> tuple[ColumnName, ...]:
        """The names of the columns that held the documents, as far as they have names."""
        if self.table is not None:
            return tuple(self.table.fields)
        if isinstance(self.container, _Table):
            return (self.container.text,)
        name = getattr(self.container, "name", None)
        return (name,) if isinstance(name, str) and name else ()

    @property
    def n_pieces(self) -> int:
        """How many text columns a document has."""
        return 1 if self.table is None else len(self.table.fields)

    @property
    def pieces(self) -> pl.Series:
        """The texts of all columns, those of a document one after the other."""
        if isinstance(self.content, Corpus):
            raise TypeError("the documents are token lists, which have no text columns")
        if self.table is None or self.n_pieces == 1:
            return self.content
        columns = [column.alias(str(i)) for i, column in enumerate(self.table.fields.values())]
        return pl.select(pl.concat_list(columns)).to_series().explode()

    def field(self, name: ColumnName) -> "Documents":
        """Return one text column of documents that are rows of a table."""
        if self.table is None or name not in self.table.fields:
            raise ValueError(
                f"the documents have no text column {name!r}; pass a table that has it"
            )
        column = self.table.fields[name]
        return Documents(column, column)

    @cached_property
    def near_duplicates(self) -> NDArray[np.int64]:
        """A number per document; near-duplicates, and only they, share it."""
        return near_duplicate_groups(self.corpus())

    def derived(self, kind: str, key: Hashable, build: Callable[[], Derived]) -> Derived:
        """Return what `build` makes of the documents, and keep the latest of each kind.

        Classifiers of several classes share their features this way: the first one learns them, and
        the others find them here under the same key.
        """
        if kind not in self._derived or self._derived[kind][0] != key:
            self._derived[kind] = (key, build())
        product: Derived = self._derived[kind][1]
        return product

    def followed_by(self, others: "Documents") -> "Documents":
        """Return these documents and then others, such as a test set, as documents of their own."""
        if self.is_tokens != others.is_tokens:
            raise TypeError("training and test documents must both be texts or token lists")
        return Documents.of([*self.rows, *others.rows])

    def take(self, rows: NDArray[np.integer]) -> list[Document]:
        """Return some documents, as they are."""
        if self._rows is None and isinstance(self.content, pl.Series) and self.table is None:
            return self.content.gather(rows).to_list()
        return [self.rows[i] for i in rows.tolist()]

    def select(self, rows: NDArray[np.integer]) -> "Documents":
        """Return some documents, as documents of their own."""
        name = self.column_names[0] if self.column_names else None
        if self.table is None and not self.is_tokens and isinstance(name, str):
            return Documents.of(pl.Series(name, self.take(rows), pl.String))
        return Documents.of(self.take(rows))

    def extend(self, new: Sequence[Document]) -> Any:
        """Return a container of the same kind: these documents, untouched, then `new`.

        A pandas Series keeps its name and gets a fresh RangeIndex, as from imbalanced-learn. In a
        table, the new rows have missing values in all other columns.
        """
        if isinstance(self.container, _Table):
            return self.container.extend(new)
        return extend(self.container, new)


def _first_present(rows: Sequence[object]) -> object:
    return next((row for row in rows if not is_missing(row)), None)


def _token_corpus(rows: Sequence[Any], name: str) -> Corpus:
    if not all(issubclass(kind, _TOKEN_LISTS) for kind in set(map(type, rows))):
        refuse_first(rows, name, _TOKEN_LISTS, "token lists")
    try:
        return Corpus.from_tokens(rows)
    except (TypeError, UnicodeEncodeError):
        for i, row in enumerate(rows):
            refuse_first(row, f"{name}[{i}]", str, "words")
        raise


@dataclass(frozen=True, eq=False)
class _Table:
    """A table, and the name of its column of documents."""

    frame: Any
    text: ColumnName

    @classmethod
    def of(cls, frame: TableLike, text: Any, name: str) -> Self:
        """Take a table; a single column needs no name."""
        names = names_of(frame)
        if text is None and len(names) == 1:
            text = names[0]
        if text is None:
            raise TypeError(
                f"{name} is a table ({type(frame).__name__}) with the columns {listed(names)}; "
                f"pass the column that holds the documents, such as {name}[{names[0]!r}] (samplers "
                "and RareTextClassifier also take its name, as in EMCO(text='body'))"
                if names
                else f"{name} is a table ({type(frame).__name__}) without columns; pass {KINDS}"
            )
        check_names(names, [text], name)
        return cls(frame, text)

    @property
    def column(self) -> Any:
        """The column of the documents."""
        is_array = isinstance(self.frame, np.ndarray)
        return self.frame[:, self.text] if is_array else self.frame[self.text]

    def filled_column(self, name: str) -> pl.Series | list[object]:
        """Return the documents; a missing cell is an empty one."""
        column = self.column
        if isinstance(column, pl.Series) and column.dtype == pl.String:
            return column.fill_null("")
        cells = rows_of(column, name)
        is_tokens = isinstance(_first_present(cells), _TOKEN_LISTS)
        return [([] if is_tokens else "") if is_missing(cell) else cell for cell in cells]

    def extend(self, new: Sequence[Document]) -> Any:
        """Return the table with a new row per document; its other columns are missing there."""
        frame, longer = self.frame, extend(self.column, new)
        if isinstance(frame, np.ndarray):
            rows: Any = np.full((len(new), frame.shape[1]), None, dtype=object)
            rows[:, self.text] = longer[len(frame) :]
            return np.concatenate([frame, rows]) if new else frame
        if native.is_polars_dataframe(frame):
            longer_frame = pl.concat([frame, frame.clear(len(new))])
            return longer_frame.with_columns(longer.alias(self.text))
        if native.is_pyarrow_table(frame):
            arrow = native.get_pyarrow()
            columns = {
                name: longer
                if name == self.text
                else arrow.chunked_array(
                    [*frame[name].chunks, arrow.nulls(len(new), frame[name].type)]
                )
                for name in frame.column_names
            }
            return arrow.table(columns)
        longer_frame = frame.reset_index(drop=True).reindex(range(len(frame) + len(new)))
        longer_frame[self.text] = longer.to_numpy() if longer.dtype == object else longer.array
        return longer_frame


def is_table(container: object, *, arrays: bool = False) -> "TypeGuard[TableLike]":
    """Return whether this is a pandas, Polars or Arrow table, or with `arrays` a 2-D array."""
    if isinstance(container, np.ndarray):
        return arrays and container.ndim == 2
    return (
        native.is_pandas_dataframe(container)
        or native.is_polars_dataframe(container)
        or native.is_pyarrow_table(container)
    )


def are_texts(
    documents: Sequence[Document] | pl.Series,
) -> TypeGuard[Sequence[str] | pl.Series]:
    """Return whether documents are strings, not token lists; all of them are of one kind."""
    return not len(documents) or isinstance(documents[0], str)


def rows_of(container: Any, name: str, expected: str = KINDS) -> Sequence[Any]:
    """Return the rows of a one-dimensional container as a sequence of Python objects."""
    kind = type(container).__name__
    if isinstance(container, str | bytes | bytearray):
        raise TypeError(f"{name} is a single {kind}; expected {expected}: wrap it in a list")
    if isinstance(container, list | tuple):
        return container
    if isinstance(container, np.ndarray):
        if container.ndim != 1:
            advice = f": pass one of its columns, such as {name}[:, 0]"
            raise ValueError(
                f"{name} is an array of shape {container.shape}; expected {expected}, in one "
                f"dimension{advice * (container.ndim == 2)}"
            )
        if container.dtype.kind in "mM":  # NumPy lists times of other units as numbers
            container = container.astype(f"{container.dtype.kind}8[us]")
        return list(container.tolist())
    if native.is_polars_series(container):
        return container.to_list()
    if native.is_pandas_series(container) or native.is_pandas_index(container):
        return container.to_list()
    if is_pandas_array(container):
        return list(container.tolist())
    if is_arrow(container):
        return list(container.to_pylist())
    if native.is_into_dataframe(container) or native.is_polars_lazyframe(container):
        names = names_of(container) if is_table(container) else []
        frame = f"{name}.collect()" if native.is_polars_lazyframe(container) else name
        column = column_title(container, names[0] if names else "text", frame)
        raise TypeError(f"{name} is a table ({kind}); pass one of its columns, such as {column}")
    vectors = ": give documents, as they are before a vectorizer" if issparse(container) else ""
    raise TypeError(f"{name} is a {kind}; expected {expected}{vectors}")


def is_arrow(container: object) -> TypeGuard[ArrowColumn]:
    """Return whether this is an Arrow column, in one piece or several."""
    arrow = native.get_pyarrow()
    return arrow is not None and isinstance(container, arrow.Array | arrow.ChunkedArray)


def is_pandas_array(container: object) -> bool:
    """Return whether this is the array inside a pandas column, as in ``table["text"].values``.

    Since version 3, pandas does not keep texts in a NumPy array.
    """
    pandas = native.get_pandas()
    return pandas is not None and isinstance(container, pandas.api.extensions.ExtensionArray)


def extend(container: Any, new: Any) -> Any:
    """Return a column of the same kind: `container`, then `new`."""
    if isinstance(container, list):
        return [*container, *new]
    if isinstance(container, tuple):
        return (*container, *new)
    if isinstance(container, np.ndarray):
        return _extend_array(container, new)
    if native.is_polars_series(container):
        if container.dtype in (pl.Categorical, pl.Enum):
            container = container.cast(pl.String)
        elif isinstance(container.dtype, pl.Array):
            # New documents have lengths of their own.
            container = container.cast(pl.List(container.dtype.inner))
        return pl.concat([container, pl.Series(container.name, new, dtype=container.dtype)])
    if is_arrow(container):
        return _extend_arrow(container, new)
    return _extend_pandas(container, new)


def _extend_pandas(container: Any, new: Any) -> Any:
    pandas = native.get_pandas()
    if is_pandas_array(container):
        # Without a dtype, pandas 3 makes a column of strings of an array of objects. The type is
        # compared exactly: in pandas 2 arrays of strings derive from it.
        of_numpy = type(container) is pandas.arrays.NumpyExtensionArray
        dtype = container.dtype.numpy_dtype if of_numpy else container.dtype
        return _extend_pandas(pandas.Series(container, dtype=dtype), new).array
    series = container if native.is_pandas_series(container) else container.to_series()
    if isinstance(new, list):
        if isinstance(series.dtype, pandas.CategoricalDtype):
            series = series.astype(series.cat.categories.dtype)
        new = pandas.Series(new, dtype=series.dtype, name=series.name)
    longer = pandas.concat([series, pandas.Series(new)], ignore_index=True)
    return longer if native.is_pandas_series(container) else pandas.Index(longer)


def _extend_array(array: Array, new: list[object]) -> Array:
    if array.dtype != object:
        return np.concatenate([array, np.array(new, dtype=array.dtype.type)]) if new else array
    return np.fromiter(chain(array, new), object, len(array) + len(new))


def _extend_arrow(container: "ArrowColumn", new: "list[object] | ArrowColumn") -> "ArrowColumn":
    arrow = native.get_pyarrow()
    if arrow.types.is_dictionary(container.type) and isinstance(new, list):
        container = container.cast(container.type.value_type)
    if arrow.types.is_fixed_size_list(container.type):
        # New documents have lengths of their own.
        container = container.cast(arrow.list_(container.type.value_type))
    if isinstance(new, list):
        new = arrow.array(new, type=container.type)
    chunks = [
        *(container.chunks if isinstance(container, arrow.ChunkedArray) else [container]),
        *(new.chunks if isinstance(new, arrow.ChunkedArray) else [new]),
    ]
    longer = arrow.chunked_array(chunks, type=container.type)
    if isinstance(container, arrow.ChunkedArray):
        return longer
    return longer.combine_chunks() if len(longer) else container


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
