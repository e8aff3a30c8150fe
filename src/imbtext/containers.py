"""Documents and labels in whatever container they came in, and back into the same kind.

A list, a tuple, a NumPy array, a pandas, Polars or Arrow column goes in; the same kind, longer,
comes out. Everything between works on :class:`Documents` and NumPy arrays. What is wrong with a
container is said here, with the row it is wrong in.

Internal.
"""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
import polars as pl
from narwhals import dependencies as native
from numpy.typing import NDArray

from imbtext.corpus import Corpus
from imbtext.tokenization import Tokenizer, encode_texts

_KINDS = "a list of strings, a list of token lists, or a NumPy, pandas, Polars or Arrow column"


class Documents:
    """A user's documents: strings or token lists, from any container.

    Parameters
    ----------
    container : object
        What the user passed; :meth:`extend` gives the same kind back.
    rows : list
        Its documents as Python objects.
    content : polars Series or Corpus
        Strings as a Polars column, token lists as a corpus: what they are read from.

    Examples
    --------
    >>> documents = Documents.of(("oil up", "gold down"))
    >>> documents.extend(["oil down"])
    ('oil up', 'gold down', 'oil down')
    >>> documents.corpus().vocabulary.tolist()
    ['down', 'gold', 'oil', 'up']
    """

    def __init__(self, container: Any, rows: Sequence[Any], content: pl.Series | Corpus) -> None:
        self.container = container
        self.rows = rows
        self.content = content

    @classmethod
    def of(cls, X: Any, name: str = "X") -> Self:
        """Check a container of documents and take it in."""
        rows = _rows(X, name)
        if next((_is_token_list(row) for row in rows if row is not None), False):
            return cls(X, rows, _encoded(rows, name))
        return cls(X, rows, _string_column(rows, name))

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def is_tokens(self) -> bool:
        """Whether the documents are token lists rather than strings."""
        return isinstance(self.content, Corpus)

    def corpus(self, tokenizer: Tokenizer | None = None) -> Corpus:
        """Encode the documents; token lists are taken as they are."""
        if isinstance(self.content, Corpus):
            return self.content
        return encode_texts(self.content, tokenizer)

    def decode(self, corpus: Corpus) -> list[Any]:
        """Return the documents of `corpus` in the form of these: strings or token lists."""
        return corpus.tokens() if self.is_tokens else corpus.texts()

    def take(self, rows: NDArray[np.integer]) -> list[Any]:
        """Return some documents, as they are."""
        return [self.rows[i] for i in rows.tolist()]

    def extend(self, new: list[Any]) -> Any:
        """Return a container of the same kind: these documents, untouched, then `new`.

        A pandas Series keeps its name and gets a fresh RangeIndex, as from imbalanced-learn.
        """
        return _extend(self.container, new)


class Labels:
    """A user's labels from any container, and as a NumPy array.

    Examples
    --------
    >>> labels = Labels.of(["rare", "common", "common"], n_documents=3)
    >>> labels.extend(np.array([0, 0]))
    ['rare', 'common', 'common', 'rare', 'rare']
    """

    def __init__(self, container: Any, values: NDArray[Any]) -> None:
        self.container = container
        self.values = values

    @classmethod
    def of(cls, y: Any, n_documents: int, name: str = "y") -> Self:
        """Check a container of labels, one for each of `n_documents` documents."""
        if y is None:
            raise ValueError(f"{name} is None; pass one label a document")
        if isinstance(y, np.ndarray):
            if y.ndim != 1:
                raise ValueError(
                    f"{name} has shape {y.shape}; expected one label a document, "
                    f"an array of shape ({n_documents},)"
                )
            rows: Sequence[Any] = y.tolist()
            # scikit-learn does not know NumPy's strings of variable width.
            values = y.astype(object) if y.dtype.kind == "T" else y
        else:
            rows = _rows(y, name, "a list of labels, or a NumPy, pandas, Polars or Arrow column")
            for i, label in enumerate(rows):
                if isinstance(label, list | tuple | set | np.ndarray | dict):
                    raise ValueError(
                        f"{name}[{i}] is {label!r:.60}, a {type(label).__name__}; "
                        "expected one label a document"
                    )
            # NumPy's strings of fixed width lose zeros at their end.
            kept = any(isinstance(label, str) and label.endswith("\0") for label in rows)
            values = np.asarray(rows, dtype=object if kept or not len(rows) else None)
        if len(values) != n_documents:
            raise ValueError(
                f"X has {n_documents} documents and {name} has {len(values)} labels; "
                "they must be equally many"
            )
        if n_documents == 0:
            raise ValueError("X and y are empty; at least two classes of documents are needed")
        # NumPy makes the word "nan" of a missing label among strings: kind U is looked at too.
        all_strings = values.dtype.kind == "U" and all(isinstance(label, str) for label in rows)
        if values.dtype.kind in "fOc" or (values.dtype.kind == "U" and not all_strings):
            _check_no_missing(rows, name)
        if values.dtype.kind == "U" and not all_strings:
            raise TypeError(f"{name} mixes strings with other types; use labels of one type")
        if values.dtype == object:
            types = {type(label).__name__ for label in rows}
            if len(types) > 1 and "str" in types:
                raise TypeError(f"{name} mixes types ({', '.join(sorted(types))}); use one type")
        return cls(y, values)

    def extend(self, rows: NDArray[np.integer]) -> Any:
        """Return a container of the same kind: these labels, then those of `rows` again."""
        y = self.container
        if isinstance(y, np.ndarray):
            return np.concatenate([y, y[rows]])
        if native.is_pandas_series(y):
            return _extend(y, y.iloc[rows])
        if native.is_polars_series(y):
            return pl.concat([y, y.gather(rows.astype(np.uint32))])
        if _is_arrow(y):
            if _arrow().types.is_string_view(y.type):  # Arrow cannot take from it
                return _extend(y, [y[i].as_py() for i in rows.tolist()])
            return _extend(y, y.take(_arrow().array(rows)))
        return _extend(y, [y[i] for i in rows.tolist()])


def _rows(container: Any, name: str, expected: str = _KINDS) -> Sequence[Any]:
    """Return the rows of a one-dimensional container as a sequence of Python objects."""
    given = type(container).__name__
    if isinstance(container, str | bytes | bytearray):
        raise TypeError(f"{name} is a single {given}; expected {expected}: wrap it in a list")
    if isinstance(container, list | tuple):
        return container
    if isinstance(container, np.ndarray):
        if container.ndim != 1:
            raise ValueError(
                f"{name} is an array of shape {container.shape}; expected one dimension, one "
                "document a row: pass one column, or a list of token lists"
            )
        return container.tolist()
    if native.is_polars_series(container):
        return container.to_list()
    if native.is_pandas_series(container) or native.is_pandas_index(container):
        return container.to_list()
    if _is_arrow(container):
        return container.to_pylist()
    if native.is_into_dataframe(container):
        columns = list(getattr(container, "columns", []))
        shown = ", ".join(map(repr, columns[:5])) if native.is_pandas_dataframe(container) else ""
        raise TypeError(
            f"{name} is a table ({given}{' with columns ' + shown if shown else ''}); "
            "pass one of its columns, such as table['text']"
        )
    raise TypeError(f"{name} is a {given}; expected {expected}")


def _is_arrow(container: Any) -> bool:
    arrow = native.get_pyarrow()
    return arrow is not None and isinstance(container, arrow.Array | arrow.ChunkedArray)


def _arrow() -> Any:
    return native.get_pyarrow()


_TOKEN_LISTS = (list, tuple, np.ndarray)


def _is_token_list(row: Any) -> bool:
    return isinstance(row, _TOKEN_LISTS)


def _string_column(rows: Sequence[Any], name: str) -> pl.Series:
    try:
        column = pl.Series(values=rows, dtype=pl.String, strict=True)
        if not column.null_count():
            return column
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        pass
    _refuse_first(rows, name, lambda row: isinstance(row, str), "strings")
    raise ValueError(f"{name} could not be read as strings")


def _encoded(rows: Sequence[Any], name: str) -> Corpus:
    if not all(issubclass(kind, _TOKEN_LISTS) for kind in set(map(type, rows))):
        _refuse_first(rows, name, _is_token_list, "token lists")
    try:
        return Corpus.from_tokens(rows)
    except (TypeError, UnicodeEncodeError):
        for i, row in enumerate(rows):
            _refuse_first(row, f"{name}[{i}]", lambda word: isinstance(word, str), "words")
        raise


def _refuse_first(
    rows: Sequence[Any], name: str, fits: Callable[[Any], bool], expected: str
) -> None:
    """Raise for the first row that does not fit, saying which and what to do."""
    for i, row in enumerate(rows):
        if _is_missing(row):
            raise ValueError(
                f"{name}[{i}] is missing ({row!r}); expected {expected}: "
                "drop such rows or fill them with an empty document"
            )
        if isinstance(row, bytes | bytearray):
            raise TypeError(
                f"{name}[{i}] is bytes ({bytes(row)!r:.40}); expected {expected}: decode it first, "
                "such as with .decode('utf-8')"
            )
        if not fits(row):
            raise TypeError(
                f"{name}[{i}] is {row!r:.40} ({type(row).__name__}); expected only {expected}: "
                "convert it first, such as with str()"
            )
        if isinstance(row, str):
            try:
                row.encode()
            except UnicodeEncodeError:
                raise ValueError(
                    f"{name}[{i}] is not valid Unicode (it holds half of a surrogate pair); "
                    "repair it, such as with text.encode('utf-8', 'replace').decode()"
                ) from None


def _is_missing(row: Any) -> bool:
    if row is None:
        return True
    if isinstance(row, str | bytes | list | tuple | np.ndarray):
        return False
    # NaN is the only value that differs from itself; pandas' NA and NaT have no truth value or
    # differ from themselves too.
    try:
        return bool(row != row)  # noqa: PLR0124
    except TypeError:
        return True


def _check_no_missing(rows: Sequence[Any], name: str) -> None:
    for i, label in enumerate(rows):
        if _is_missing(label):
            raise ValueError(
                f"{name}[{i}] is missing ({label!r}); every document needs a label: "
                "drop such rows or give them a label of their own"
            )


def _extend(container: Any, new: Any) -> Any:
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
    if _is_arrow(container):
        return _extend_arrow(container, new)
    pandas = native.get_pandas()
    series = container if native.is_pandas_series(container) else container.to_series()
    if isinstance(series.dtype, pandas.CategoricalDtype) and isinstance(new, list):
        series = series.astype(series.cat.categories.dtype)
    if isinstance(new, list):
        new = pandas.Series(new, dtype=series.dtype, name=series.name)
    longer = pandas.concat([series, new], ignore_index=True)
    return longer if native.is_pandas_series(container) else pandas.Index(longer)


def _extend_array(array: NDArray[Any], new: list[Any]) -> NDArray[Any]:
    if array.dtype != object:
        return np.concatenate([array, np.array(new, dtype=array.dtype.type)]) if new else array
    longer = np.empty(len(array) + len(new), dtype=object)
    longer[: len(array)] = array
    for i, row in enumerate(new, start=len(array)):
        longer[i] = row
    return longer


def _extend_arrow(container: Any, new: Any) -> Any:
    arrow = _arrow()
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
