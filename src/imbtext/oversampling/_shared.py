"""What calls on the same documents share: counts, chains, topic models.

Most of the time of a method goes into things that do not depend on everything it is asked for. A
chain serves any number of documents, a topic model any share, transition counts every class. An
engine that is given a :class:`SharedWork` looks there first; without one it computes everything
anew. Nothing in it changes a result, so it may be emptied at any time.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

Result = TypeVar("Result")

# Enough for a handful of methods that work on the same class at the same time.
_N_OF_CLASSES: Final = 16


class SharedWork:
    """Results that are computed on first use and kept, for one set of documents.

    Examples
    --------
    >>> shared = SharedWork()
    >>> shared.of_documents("total", lambda: 3)
    3
    >>> shared.of_documents("total", lambda: 4)  # already computed
    3
    """

    def __init__(self) -> None:
        self._of_class: OrderedDict[Hashable, Any] = OrderedDict()
        self._of_documents: dict[Hashable, Any] = {}

    def of_class(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """Return a result that belongs to a class; only the latest ones are kept.

        Repetitions and shares of one class follow one another, so what they have in common is still
        there.
        """
        if key not in self._of_class:
            self._of_class[key] = compute()
            while len(self._of_class) > _N_OF_CLASSES:
                self._of_class.popitem(last=False)
        self._of_class.move_to_end(key)
        result: Result = self._of_class[key]
        return result

    def of_documents(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """Return a result that belongs to all documents, and serves every class."""
        if key not in self._of_documents:
            self._of_documents[key] = compute()
        result: Result = self._of_documents[key]
        return result

    def forget(self, *, everything: bool = False) -> None:
        """Drop what belongs to classes, or everything."""
        self._of_class.clear()
        if everything:
            self._of_documents.clear()
