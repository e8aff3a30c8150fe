"""Documents and labels in whatever container they came in, and back into the same kind.

A list, a tuple, a NumPy array, a pandas, Polars or Arrow column, or a table with such a column,
goes in; the same kind, longer, comes out. Everything between works on :class:`Documents` and NumPy
arrays. What is wrong with a container is said here, with the row it is wrong in.

Internal.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

import numpy as np
import polars as pl
from narwhals import dependencies as native
from numpy.typing import NDArray

from imbtext.documents._columns import Table, extend, is_arrow, is_table, rows_of
from imbtext.documents._corpus import Corpus
from imbtext.documents._tokenization import Tokenizer, encode_texts, warn_of_clauses

_ONE_LABEL = (
    "expected one label per document, in one dimension. Where documents have several labels, take "
    "one class at a time: y[:, j] of an indicator, or [label in labels for labels in y]"
)


class Documents:
    """A user's documents: strings or token lists, from any container.

    What they are read from is `content`: strings as a Polars column, token lists as a corpus. As
    Python objects they are made of it when they are asked for, unless they are given as `rows`.

    Examples
    --------
    >>> documents = Documents.of(("oil up", "gold down"))
    >>> documents.extend(["oil down"])
    ('oil up', 'gold down', 'oil down')
    >>> documents.corpus().vocabulary.tolist()
    ['down', 'gold', 'oil', 'up']
    """

    def __init__(
        self, container: Any, content: pl.Series | Corpus, rows: Sequence[Any] | None = None
    ) -> None:
        self.container = container
        self.content = content
        self._rows = rows

    @classmethod
    def of(cls, X: Any, name: str = "X", text: Any = None) -> Self:
        """Check a container of documents, which errors call `name`, and take it in.

        `text` is the column of the documents, where `X` is a table of several.
        """
        container = Table.of(X, text, name) if is_table(X) else X
        column = container.column if isinstance(container, Table) else X
        if isinstance(column, pl.Series) and column.dtype == pl.String and not column.null_count():
            return cls(container, column)
        rows = rows_of(column, name)
        if next((isinstance(row, _TOKEN_LISTS) for row in rows if row is not None), False):
            return cls(container, _encoded(rows, name), rows)
        return cls(container, _string_column(rows, name), rows)

    @property
    def rows(self) -> Sequence[Any]:
        """The documents as Python objects."""
        if self._rows is None:
            content = self.content
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
        corpus = encode_texts(self.content, tokenizer)
        if tokenizer is None:
            warn_of_clauses(self.content, corpus)
        return corpus

    def decode(self, corpus: Corpus) -> list[Any]:
        """Return the documents of `corpus` in the form of these: strings or token lists."""
        return corpus.tokens() if self.is_tokens else corpus.texts()

    def take(self, rows: NDArray[np.integer]) -> list[Any]:
        """Return some documents, as they are."""
        return [self.rows[i] for i in rows.tolist()]

    def extend(self, new: list[Any]) -> Any:
        """Return a container of the same kind: these documents, untouched, then `new`.

        A pandas Series keeps its name and gets a fresh RangeIndex, as from imbalanced-learn. In a
        table, the new rows have missing values in all other columns.
        """
        if isinstance(self.container, Table):
            return self.container.extend(new)
        return extend(self.container, new)


@dataclass(frozen=True, eq=False)
class Labels:
    """A user's labels from any container, and as a NumPy array.

    Examples
    --------
    >>> labels = Labels.of(["rare", "common", "common"], n_documents=3)
    >>> labels.extend(np.array([0, 0]))
    ['rare', 'common', 'common', 'rare', 'rare']
    """

    container: Any
    values: NDArray[Any]

    @classmethod
    def of(cls, y: Any, n_documents: int, name: str = "y") -> Self:
        """Check a container of labels, one for each of `n_documents` documents."""
        if y is None:
            raise ValueError(f"{name} is None; pass one label per document")
        if len(getattr(y, "shape", (0,))) != 1:
            raise ValueError(f"{name} is a {type(y).__name__} of shape {y.shape}; {_ONE_LABEL}")
        if isinstance(y, np.ndarray):
            rows: Sequence[Any] = y.tolist()
            # scikit-learn does not know NumPy's strings of variable width.
            values = y.astype(object) if y.dtype.kind == "T" else y
        else:
            rows = rows_of(y, name, _LABELS)
            if any(issubclass(kind, _CONTAINERS) for kind in set(map(type, rows))):
                i, label = next(
                    (i, label) for i, label in enumerate(rows) if isinstance(label, _CONTAINERS)
                )
                raise ValueError(
                    f"{name}[{i}] is {label!r:.60}, a {type(label).__name__}; {_ONE_LABEL}"
                )
            values = np.asarray(rows) if len(rows) else np.empty(0, dtype=object)
        if len(values) != n_documents:
            raise ValueError(_unequal(n_documents, f"{name} has {len(values)} labels"))
        if n_documents == 0:
            raise ValueError("X and y are empty; at least two classes of documents are needed")
        _refuse_last_zero(rows, name)
        # NumPy makes the word "nan" of a missing label among strings: kind U is looked at too.
        kinds = set(map(type, rows))
        mixed = values.dtype.kind == "U" and not all(issubclass(kind, str) for kind in kinds)
        if values.dtype.kind in "fOc" or mixed:
            _check_no_missing(rows, name)
        if mixed:
            raise TypeError(f"{name} mixes strings with other types; use labels of one type")
        if values.dtype == object:
            types = {kind.__name__ for kind in kinds}
            if len(types) > 1 and "str" in types:
                raise TypeError(f"{name} mixes types ({', '.join(sorted(types))}); use one type")
        return cls(y, values)

    def classes(self) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[np.intp]]:
        """Return the classes, sorted, the place of each document's class, and their sizes."""
        values = self.values
        if values.dtype.kind == "f" and (fractions := values[values != np.floor(values)]).size:
            raise ValueError(
                f"Unknown label type: continuous. y holds numbers such as {fractions[0]:g}; give "
                "classes"
            )
        classes, places, sizes = np.unique(values, return_inverse=True, return_counts=True)
        if len(classes) < 2:
            raise ValueError(
                f"y has only one class, {classes.tolist()[0]!r}; at least two classes are needed"
            )
        return classes, places, sizes

    def extend(self, rows: NDArray[np.integer]) -> Any:
        """Return a container of the same kind: these labels, then those of `rows` again."""
        y = self.container
        if isinstance(y, np.ndarray):
            return np.concatenate([y, y[rows]])
        if native.is_pandas_series(y):
            return extend(y, y.iloc[rows])
        if native.is_polars_series(y):
            return pl.concat([y, y.gather(rows.astype(np.uint32))])
        if is_arrow(y):
            if native.get_pyarrow().types.is_string_view(y.type):  # Arrow cannot take from it
                return extend(y, [y[i].as_py() for i in rows.tolist()])
            return extend(y, y.take(native.get_pyarrow().array(rows)))
        return extend(y, [y[i] for i in rows.tolist()])


def label_sets(y: Any, n_documents: int, name: str = "y") -> list[frozenset[Any]] | None:
    """Return the labels of each document where they come in collections, None where one by one.

    Examples
    --------
    >>> [sorted(labels) for labels in label_sets([["oil", "trade"], [], ["oil"]], n_documents=3)]
    [['oil', 'trade'], [], ['oil']]
    >>> label_sets(["oil", "trade", "oil"], n_documents=3)
    """
    if y is None or len(getattr(y, "shape", (0,))) != 1:
        return None
    rows = rows_of(y, name, _LABELS)
    if not any(issubclass(kind, _CONTAINERS) for kind in set(map(type, rows))):
        return None
    if len(rows) != n_documents:
        raise ValueError(_unequal(n_documents, f"{name} has {len(rows)} sets of labels"))
    for i, row in enumerate(rows):
        if not isinstance(row, _CONTAINERS) or isinstance(row, dict):
            raise ValueError(
                f"{name}[{i}] is {row!r:.60}, and other documents have collections of labels; give "
                "each document a set of its labels, empty where it has none"
            )
        if any(map(_is_missing, row)):
            raise ValueError(
                f"{name}[{i}] is {row!r:.60}, with a missing label; drop it from the set"
            )
    flat = [label for row in rows for label in row]
    if not flat:
        raise ValueError(f"{name} has no label in any of its sets; there is nothing to learn")
    labels = iter(Labels.of(flat, len(flat), f"the set of labels in {name}").values.tolist())
    return [frozenset(islice(labels, len(row))) for row in rows]


def _unequal(n_documents: int, found: str) -> str:
    return f"X has {n_documents} documents and {found}; they must be equally many"


_LABELS = "a list of labels, or a NumPy, pandas, Polars or Arrow column"
_CONTAINERS = (list, tuple, set, frozenset, np.ndarray, dict)
_TOKEN_LISTS = (list, tuple, np.ndarray)


def _string_column(rows: Sequence[Any], name: str) -> pl.Series:
    try:
        column = pl.Series(values=rows, dtype=pl.String, strict=True)
        if not column.null_count():
            return column
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        pass
    _refuse_first(rows, name, str, "strings")
    raise ValueError(f"{name} could not be read as strings")


def _encoded(rows: Sequence[Any], name: str) -> Corpus:
    if not all(issubclass(kind, _TOKEN_LISTS) for kind in set(map(type, rows))):
        _refuse_first(rows, name, _TOKEN_LISTS, "token lists")
    try:
        return Corpus.from_tokens(rows)
    except (TypeError, UnicodeEncodeError):
        for i, row in enumerate(rows):
            _refuse_first(row, f"{name}[{i}]", str, "words")
        raise


def _refuse_first(
    rows: Sequence[Any], name: str, kind: type | tuple[type, ...], expected: str
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
        if not isinstance(row, kind):
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


def _refuse_last_zero(rows: Sequence[Any], name: str) -> None:
    """Refuse what NumPy, and so every estimator, takes for the same label without its zero."""
    try:
        distinct: Collection[Any] = set(rows)  # few, where rows are many
    except TypeError:
        distinct = rows
    if not any(isinstance(label, str) and label.endswith("\0") for label in distinct):
        return
    for i, label in enumerate(rows):
        if isinstance(label, str) and label.endswith("\0"):
            raise ValueError(
                f"{name}[{i}] is {label!r:.60}, which ends in a NUL character and could not be "
                "told from the label without it; remove the character"
            )


def _check_no_missing(rows: Sequence[Any], name: str) -> None:
    for i, label in enumerate(rows):
        if _is_missing(label):
            raise ValueError(
                f"{name}[{i}] is missing ({label!r}); every document needs a label: "
                "drop such rows or give them a label of their own"
            )
