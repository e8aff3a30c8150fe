"""Fitted chains as a file. Every number is checked before compiled code, which trusts its input."""

import os
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from imbtext._archive import Arrays, read_archive, write_archive
from imbtext.markov._counts import ClassCounts, TransitionCounts

_FORMAT: Final = ("chain", 2)


@dataclass(frozen=True, eq=False)
class SavedChains:
    """What a fitted EMCO needs to draw documents, and what its file holds."""

    gamma: float | str
    order: int
    random_state: int | None
    is_tokens: bool
    labels: list[Any]
    vocabulary: NDArray[np.object_]
    total: TransitionCounts
    classes: list[ClassCounts]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file, whole or not at all."""
        about = {
            "gamma": self.gamma,
            "order": self.order,
            "random_state": self.random_state,
            "is_tokens": self.is_tokens,
            "labels": self.labels,
            "vocabulary": self.vocabulary.tolist(),
        }
        arrays = {f"all.{name}": values for name, values in self.total.to_arrays().items()}
        for i, own in enumerate(self.classes):
            arrays |= class_arrays(i, own)
        write_archive(path, *_FORMAT, about, arrays)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read and check a file; whatever is wrong with it is a ValueError."""
        return read_archive(path, *_FORMAT, cls._of)

    @classmethod
    def _of(cls, about: dict[str, Any], arrays: Arrays) -> Self:
        words, labels, order = about["vocabulary"], about["labels"], int(about["order"])
        if not all(isinstance(word, str) for word in words):
            raise ValueError("its vocabulary holds something else than words")
        if not labels or np.unique(np.array(labels)).tolist() != labels:
            raise ValueError("its labels are not distinct and in order")
        total = TransitionCounts.from_arrays(_part(arrays, "all."), order)
        if total.n_words != len(words):
            raise ValueError("the vocabulary and the counts differ in size")
        classes = [read_class(i, arrays, order, len(words)) for i in range(len(labels))]
        for own in classes:  # refused if it is no part of the whole
            total - own.counts.relabel(own.word_ids, len(words))
        if arrays:
            raise ValueError(f"it holds the unknown array {next(iter(arrays))!r:.60}")
        vocabulary = np.empty(len(words), dtype=object)
        vocabulary[:] = words
        return cls(
            gamma=about["gamma"],
            order=order,
            random_state=about["random_state"],
            is_tokens=bool(about["is_tokens"]),
            labels=labels,
            vocabulary=vocabulary,
            total=total,
            classes=classes,
        )


def class_arrays(i: int, own: ClassCounts) -> Arrays:
    """Return the counts of class number `i` as arrays by name."""
    named = {"word_ids": own.word_ids, **own.counts.to_arrays()}
    return {f"class{i}.{name}": values for name, values in named.items()}


def read_class(i: int, arrays: Arrays, order: int, n_words: int) -> ClassCounts:
    """Take the arrays of class number `i` out and return its counts, checked."""
    part = _part(arrays, f"class{i}.")
    word_ids = part.pop("word_ids").astype(np.int64)
    counts = TransitionCounts.from_arrays(part, order)
    increasing = word_ids.ndim == 1 and bool(np.all(np.diff(word_ids) > 0))
    inside = np.all((word_ids >= 0) & (word_ids < n_words))
    if not (increasing and inside and len(word_ids) == counts.n_words):
        raise ValueError(f"the words of class {i} are not among the vocabulary")
    return ClassCounts(word_ids, counts)


def _part(arrays: Arrays, prefix: str) -> Arrays:
    """Take the arrays of that prefix out."""
    names = [name for name in arrays if name.startswith(prefix)]
    return {name.removeprefix(prefix): arrays.pop(name) for name in names}
