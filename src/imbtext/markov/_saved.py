"""Counts of a class, and surface forms, as arrays of a file, and back, checked."""

import numpy as np

from imbtext._archive import Arrays
from imbtext.markov._counts import ClassCounts, TransitionCounts
from imbtext.surface import SurfaceCounts


def class_arrays(i: int, own: ClassCounts) -> Arrays:
    """Return the counts of class number `i` as arrays by name."""
    named = {"word_ids": own.word_ids, **own.counts.to_arrays()}
    return {f"class{i}.{name}": values for name, values in named.items()}


def read_class(
    i: int, arrays: Arrays, order: int, n_words: int, *, pruned: bool = False
) -> ClassCounts:
    """Take the arrays of class number `i` out and return its counts, checked."""
    part = take_part(arrays, f"class{i}.")
    word_ids = part.pop("word_ids").astype(np.int64)
    counts = TransitionCounts.from_arrays(part, order, pruned=pruned)
    increasing = word_ids.ndim == 1 and bool(np.all(np.diff(word_ids) > 0))
    inside = np.all((word_ids >= 0) & (word_ids < n_words))
    if not (increasing and inside and len(word_ids) == counts.n_words):
        raise ValueError(f"the words of class {i} are not among the vocabulary")
    return ClassCounts(word_ids, counts)


def surface_arrays(surface: SurfaceCounts | None) -> Arrays:
    """Return surface forms as arrays by name; none where there are none."""
    arrays = {} if surface is None else surface.to_arrays()
    return {f"surface.{name}": values for name, values in arrays.items()}


def read_surface(
    strings: dict[str, list[str]] | None, arrays: Arrays, n_words: int
) -> SurfaceCounts | None:
    """Take the arrays of surface forms out and return these, checked; None where none are told."""
    if strings is None:
        return None
    return SurfaceCounts.from_arrays(take_part(arrays, "surface."), strings, n_words)


def take_part(arrays: Arrays, prefix: str) -> Arrays:
    """Take the arrays of that prefix out."""
    names = [name for name in arrays if name.startswith(prefix)]
    return {name.removeprefix(prefix): arrays.pop(name) for name in names}
