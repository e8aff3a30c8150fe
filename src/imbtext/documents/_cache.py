"""What was computed of documents, kept for as long as it is true.

Tokens, vocabularies, counts and vectors take most of the time of a method, and most of them do not
depend on the method. So documents keep what was computed of them, and everybody asks there first.
There are three lifetimes:

* **of rows**: what belongs to a document alone, such as its word ids or its vector from an encoder.
  It is cut with the documents and joined with them.
* **of all**: what belongs to these documents together, such as the vocabulary, the idf, counts and
  near-duplicates. Other documents have others, so a selection and a sum begin without it.
* **of a class**: what belongs to some of these documents, such as the counts of a class. Only the
  latest are kept, since methods, shares and repetitions of one class follow one another.

Nothing here changes a result, so nothing of it is pickled.

>>> cache = Cache()
>>> cache.of_rows("length", lambda: np.array([3, 1, 2])).tolist(), cache.of_all("sum", lambda: 6)
([3, 1, 2], 6)
>>> some = cache.select(np.array([2, 0]))
>>> some.of_rows("length", lambda: None).tolist(), some.of_all("sum", lambda: 5)
([2, 3], 5)
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from imbtext.documents._corpus import Corpus

Result = TypeVar("Result")

# Enough for a handful of methods that work on the same class at the same time.
_N_OF_CLASSES: Final = 16
# Of each kind of result of all documents, such as the vectors of several models that read them.
_N_OF_A_KIND: Final = 4


class Cache:
    """Results that are computed on first use and kept, for one set of documents."""

    def __init__(self) -> None:
        self._of_rows: dict[Hashable, Any] = {}
        # How to cut or join what other documents have computed, once somebody asks for it.
        self._pending: dict[Hashable, Callable[[], Any]] = {}
        self._of_all: dict[Hashable, OrderedDict[Hashable, Any]] = {}
        self._of_class: OrderedDict[Hashable, Any] = OrderedDict()

    def of_rows(self, key: Hashable, build: Callable[[], Result]) -> Result:
        """Return a result that has one entry per document, which depends on that document alone.

        It is an array, a sparse matrix, a Polars column, a corpus or a list.
        """
        if key not in self._of_rows:
            self._of_rows[key] = self._pending.get(key, build)()
            self._pending.pop(key, None)
        result: Result = self._of_rows[key]
        return result

    def of_all(self, key: Hashable, build: Callable[[], Result]) -> Result:
        """Return a result that depends on all of these documents.

        The first item of a tuple is the kind of the result; the latest four of a kind are kept.
        """
        kind = key[0] if isinstance(key, tuple) and key else key
        return _latest(self._of_all.setdefault(kind, OrderedDict()), key, build, _N_OF_A_KIND)

    def of_class(
        self, indices: NDArray[np.integer], key: Hashable, build: Callable[[], Result]
    ) -> Result:
        """Return a result that depends on the documents at `indices`; the latest are kept."""
        members = np.asarray(indices, np.int64).tobytes()
        return _latest(self._of_class, (members, key), build, _N_OF_CLASSES)

    def forget_classes(self) -> None:
        """Drop what belongs to some of these documents, when no method asks for these any more."""
        self._of_class.clear()

    def select(self, indices: NDArray[np.integer]) -> "Cache":
        """Return the cache of the documents at `indices`."""
        part = Cache()
        for key in self._known():
            part._pending[key] = partial(_cut, partial(self.of_rows, key, _never), indices)
        return part

    def joined(self, other: "Cache") -> "Cache":
        """Return the cache of these documents and then others."""
        both = Cache()
        for key in self._known() & other._known():
            both._pending[key] = partial(
                _joined, partial(self.of_rows, key, _never), partial(other.of_rows, key, _never)
            )
        return both

    def _known(self) -> set[Hashable]:
        return self._of_rows.keys() | self._pending.keys()

    def __reduce__(self) -> tuple[type["Cache"], tuple[()]]:
        return Cache, ()


def _latest(
    kept: OrderedDict[Hashable, Any], key: Hashable, build: Callable[[], Result], n: int
) -> Result:
    if key not in kept:
        kept[key] = build()
        while len(kept) > n:
            kept.popitem(last=False)
    kept.move_to_end(key)
    result: Result = kept[key]
    return result


def _never() -> Any:
    raise AssertionError("the result is known")


def _cut(whole: Callable[[], Any], indices: NDArray[np.integer]) -> Any:
    result = whole()
    if isinstance(result, Corpus):
        return result.select(indices)
    if isinstance(result, pl.Series):
        return result.gather(indices)
    if isinstance(result, np.ndarray) or sparse.issparse(result):
        return result[indices]  # type: ignore[index]
    return [result[i] for i in indices.tolist()]


def _joined(first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    one: Any = first()
    two: Any = second()
    if isinstance(one, Corpus):
        return one.joined(two)
    if isinstance(one, pl.Series):
        return pl.concat([one, two])
    if isinstance(one, np.ndarray):
        return np.concatenate([one, two])
    if hasattr(one, "indptr"):
        return sparse.vstack([one, two], format="csr")
    return [*one, *two]
