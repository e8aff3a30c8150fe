"""Counts and fitted chains as files.

Every number is checked when a file is read, because compiled code trusts its input. Counts are what
users save and load; the chain is the file of :class:`imbtext.EMCO`.
"""

import os
from collections.abc import Hashable, Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl

from imbtext._typing import Record
from imbtext.documents._labels import label_array
from imbtext.markov._accumulation import CorpusCounts
from imbtext.markov._counts import ClassCounts, TransitionCounts
from imbtext.markov._similarity import SimilarCounts
from imbtext.markov._surface import SurfaceCounts
from imbtext.records import (
    Arrays,
    check_storable,
    checked,
    read_archive,
    rising,
    word_array,
    write_archive,
)

_COUNTS: Final = ("file of counts", 2)
_CHAIN: Final = ("chain", 5)
_SETTINGS: Final = ("gamma", "similarity", "random_state", "is_tokens")


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
    write_archive(path, *_COUNTS, *_stored(counts))


def load_counts(path: str | os.PathLike[str]) -> CorpusCounts:
    """Read and check a file of counts; whatever is wrong with it is a ValueError."""
    return read_archive(path, *_COUNTS, _counts)


def save_chain(
    path: str | os.PathLike[str],
    counts: CorpusCounts,
    similar: Sequence[SimilarCounts],
    settings: Mapping[str, object],
) -> None:
    """Write what a fitted sampler draws from: its counts, and the settings named above."""
    about, arrays = _stored(counts)
    for i, units in enumerate(similar):
        arrays |= _named(f"similar{i}.", units.to_arrays())
    write_archive(path, *_CHAIN, about | dict(settings), arrays)


def load_chain(
    path: str | os.PathLike[str],
) -> tuple[CorpusCounts, list[SimilarCounts], Record]:
    """Read and check what :func:`save_chain` wrote; whatever is wrong with it is a ValueError."""
    return read_archive(path, *_CHAIN, _chain)


def _stored(counts: CorpusCounts) -> tuple[Record, Arrays]:
    labels, surface = list(counts.sizes), counts.surface
    check_storable(labels)
    about = {
        "labels": labels,
        "sizes": [counts.sizes[label] for label in labels],
        "vocabulary": counts.vocabulary.to_list(),
        "surface": None if surface is None else surface.strings(),
    }
    arrays = {} if surface is None else _named("surface.", surface.to_arrays())
    for i, label in enumerate(labels):
        class_counts = counts.classes[label]
        arrays |= _named(
            f"class{i}.", {"word_ids": class_counts.word_ids, **class_counts.counts.to_arrays()}
        )
    return about, arrays


def _counts(about: Record, arrays: Arrays) -> CorpusCounts:
    words, labels = about["vocabulary"], about["labels"]
    vocabulary = pl.Series(values=word_array(words), dtype=pl.String)
    if not (vocabulary.is_sorted() and vocabulary.n_unique() == len(words)):
        raise ValueError("its vocabulary is not distinct and in order")
    check_storable(labels)
    if len(set(labels)) != len(labels) or len({isinstance(label, str) for label in labels}) > 1:
        raise ValueError("its labels are not distinct, or not of one kind")
    sizes: dict[Hashable, int] = dict(zip(labels, map(int, about["sizes"]), strict=True))
    classes: dict[Hashable, ClassCounts] = {}
    used = np.zeros(len(words), dtype=bool)
    for i, label in enumerate(labels):
        part = _taken(f"class{i}.", arrays)
        word_ids = rising(part.pop("word_ids"), np.int64, len(words))
        counts = TransitionCounts.from_arrays(part)
        if len(word_ids) != counts.n_words:
            raise ValueError(f"class {label!r:.60} does not have one count per word")
        if sizes[label] < counts.n_documents:
            raise ValueError(f"class {label!r:.60} has fewer documents than were counted")
        classes[label] = ClassCounts(word_ids, counts)
        used[word_ids] = True
    surface = None
    if (strings := about.get("surface")) is not None:
        surface = SurfaceCounts.from_arrays(_taken("surface.", arrays), strings, len(words))
    if arrays:
        raise ValueError(f"it holds the unknown array {next(iter(arrays))!r:.60}")
    if not used.all():
        raise ValueError("its vocabulary holds words that no class has")
    return CorpusCounts(vocabulary, classes, sizes, surface)


def _chain(about: Record, arrays: Arrays) -> tuple[CorpusCounts, list[SimilarCounts], Record]:
    labels, settings = about["labels"], {name: about[name] for name in _SETTINGS}
    if not labels or np.unique(label_array(labels)).tolist() != labels:
        raise ValueError("its labels are not distinct and in order")
    n_similar = 0
    if settings["similarity"] is not None:
        checked(settings["similarity"], float)
        n_similar = len(labels)
    parts = [_taken(f"similar{i}.", arrays) for i in range(n_similar)]
    counts = _counts(about, arrays)
    if checked(settings["is_tokens"], bool) and counts.surface is not None:
        raise ValueError("it has surface forms, but was fitted on token lists")
    similar = [
        SimilarCounts.from_arrays(part, class_counts, len(counts.vocabulary))
        for part, class_counts in zip(parts, counts.classes.values(), strict=False)
    ]
    return counts, similar, settings


def _named(prefix: str, arrays: Arrays) -> Arrays:
    return {prefix + name: values for name, values in arrays.items()}


def _taken(prefix: str, arrays: Arrays) -> Arrays:
    """Take the arrays of that prefix out."""
    names = [name for name in arrays if name.startswith(prefix)]
    return {name.removeprefix(prefix): arrays.pop(name) for name in names}
