"""Counts as files: of a night or a year, to be added to others without reading documents again."""

import os
from collections.abc import Hashable
from typing import Any, Final

import numpy as np
import polars as pl

from imbtext._archive import Arrays, read_archive, word_array, write_archive
from imbtext.markov._accumulation import CorpusCounts
from imbtext.markov._saved import class_arrays, read_class, read_surface, surface_arrays

_FORMAT: Final = ("file of counts", 1)


def save_counts(counts: CorpusCounts, path: str | os.PathLike[str]) -> None:
    """Write counts to a file of plain arrays, whole or not at all.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from imbtext.markov import CountsAccumulator
    >>> path = Path(tempfile.mkdtemp()) / "monday.counts"
    >>> accumulator = CountsAccumulator()
    >>> accumulator.add(["oil up", "gold down"], ["a", "b"])
    >>> save_counts(accumulator.result(), path)
    >>> (load_counts(path) + load_counts(path)).sizes
    {'a': 2, 'b': 2}
    """
    labels = list(counts.sizes)
    if not all(isinstance(label, str | int | float) for label in labels):
        raise TypeError(
            f"classes of type {type(labels[0]).__name__} cannot be stored; "
            "use strings, numbers or booleans as labels"
        )
    about = {
        "order": counts.order,
        "labels": labels,
        "sizes": [counts.sizes[label] for label in labels],
        "pruned": any(own.counts.is_pruned for own in counts.classes.values()),
        "vocabulary": counts.vocabulary.to_list(),
        "surface": None if counts.surface is None else counts.surface.strings(),
    }
    arrays = surface_arrays(counts.surface)
    for i, label in enumerate(labels):
        arrays |= class_arrays(i, counts.classes[label])
    write_archive(path, *_FORMAT, about, arrays)


def load_counts(path: str | os.PathLike[str]) -> CorpusCounts:
    """Read and check a file of counts; whatever is wrong with it is a ValueError."""
    return read_archive(path, *_FORMAT, _build)


def _build(about: dict[str, Any], arrays: Arrays) -> CorpusCounts:
    words, labels, order = about["vocabulary"], about["labels"], int(about["order"])
    vocabulary = pl.Series(values=word_array(words), dtype=pl.String)
    if not (vocabulary.is_sorted() and vocabulary.n_unique() == len(words)):
        raise ValueError("its vocabulary is not distinct and in order")
    if len(set(labels)) != len(labels) or not all(
        isinstance(label, str | int | float) for label in labels
    ):
        raise ValueError("its labels are not distinct strings or numbers")
    pruned = bool(about["pruned"])
    classes = {
        label: read_class(i, arrays, order, len(words), pruned=pruned)
        for i, label in enumerate(labels)
    }
    sizes: dict[Hashable, int] = dict(zip(labels, map(int, about["sizes"]), strict=True))
    for label, own in classes.items():
        if sizes[label] < own.counts.n_documents:
            raise ValueError(f"class {label!r:.60} has fewer documents than lengths")
    surface = read_surface(about.get("surface"), arrays, len(words))
    if arrays:
        raise ValueError(f"it holds the unknown array {next(iter(arrays))!r:.60}")
    used = np.zeros(len(words), dtype=bool)
    for own in classes.values():
        used[own.word_ids] = True
    if not used.all():
        raise ValueError("its vocabulary holds words that no class has")
    return CorpusCounts(vocabulary, classes, sizes, order, surface)
