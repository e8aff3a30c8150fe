"""Counts and fitted chains as files.

The type hints of the records are the format (:mod:`imbtext.records`). What the numbers mean
together is checked when a file is read, because compiled code trusts its input. Users save counts;
the chain is the file of :class:`imbtext.EMCO`.
"""

import os
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext._typing import Label
from imbtext.documents._labels import label_array
from imbtext.markov._accumulation import CorpusCounts
from imbtext.markov._counts import ClassCounts
from imbtext.markov._similarity import SimilarCounts
from imbtext.markov._surface import SurfaceCounts
from imbtext.records import StoredAs, load, rising, save

_COUNTS: Final = ("file of counts", 3)
_CHAIN: Final = ("chain", 6)


@dataclass(frozen=True, eq=False)
class ClassRecord:
    """How the counts of a class are stored; its size includes documents without words."""

    label: Label
    size: int
    counts: ClassCounts


@dataclass(frozen=True, eq=False)
class CountsRecord:
    """How counts of labelled documents are stored, checked when they are read."""

    vocabulary: NDArray[np.object_]
    classes: tuple[ClassRecord, ...]
    surface: SurfaceCounts | None

    @classmethod
    def of(cls, counts: CorpusCounts) -> "CountsRecord":
        """Take the counts apart."""
        classes = [
            ClassRecord(label, counts.sizes[label], counts.classes[label]) for label in counts.sizes
        ]
        return cls(counts.vocabulary.to_numpy(), tuple(classes), counts.surface)

    def restored(self) -> CorpusCounts:
        """Return the counts again."""
        n_words, labels = len(self.vocabulary), [one.label for one in self.classes]
        vocabulary = pl.Series(values=self.vocabulary, dtype=pl.String)
        if not (vocabulary.is_sorted() and vocabulary.n_unique() == n_words):
            raise ValueError("its vocabulary is not distinct and in order")
        if len(set(labels)) != len(labels) or len({isinstance(one, str) for one in labels}) > 1:
            raise ValueError("its labels are not distinct, or not of one kind")
        classes: dict[Hashable, ClassCounts] = {}
        used = np.zeros(n_words, dtype=bool)
        for one in self.classes:
            word_ids, counts = rising(one.counts.word_ids, np.int64, n_words), one.counts.counts
            if len(word_ids) != counts.n_words:
                raise ValueError(f"class {one.label!r:.60} does not have one count per word")
            counts.check()
            if one.size < counts.n_documents:
                raise ValueError(f"class {one.label!r:.60} has fewer documents than were counted")
            classes[one.label] = one.counts
            used[word_ids] = True
        if not used.all():
            raise ValueError("its vocabulary holds words that no class has")
        surface = None if self.surface is None else self.surface.checked(n_words)
        return CorpusCounts(vocabulary, classes, {o.label: o.size for o in self.classes}, surface)


@dataclass(frozen=True, eq=False)
class CountsFile:
    """The content of a file of counts."""

    counts: Annotated[CorpusCounts, StoredAs(CountsRecord)]


@dataclass(frozen=True, eq=False)
class ChainRecord:
    """The counts and settings that a fitted sampler draws from."""

    counts: Annotated[CorpusCounts, StoredAs(CountsRecord)]
    similar: tuple[SimilarCounts, ...]
    gamma: float | str
    similarity: float | None
    random_state: int | None
    is_tokens: bool

    def __post_init__(self) -> None:
        labels, classes = list(self.counts.sizes), self.counts.classes.values()
        if not labels or np.unique(label_array(labels)).tolist() != labels:
            raise ValueError("its labels are not distinct and in order")
        if self.is_tokens and self.counts.surface is not None:
            raise ValueError("it has surface forms, but was fitted on token lists")
        if len(self.similar) != (0 if self.similarity is None else len(labels)):
            raise ValueError("its similarities are those of other classes")
        for similar, class_counts in zip(self.similar, classes, strict=False):
            similar.check(class_counts, len(self.counts.vocabulary))


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
    save(path, *_COUNTS, CountsFile(counts))


def load_counts(path: str | os.PathLike[str]) -> CorpusCounts:
    """Read and check a file of counts; whatever is wrong with it is a ValueError."""
    kind, version = _COUNTS
    return load(path, kind, {version: CountsFile}).counts


def save_chain(path: str | os.PathLike[str], chain: ChainRecord) -> None:
    """Write what a fitted sampler draws from."""
    save(path, *_CHAIN, chain)


def load_chain(path: str | os.PathLike[str]) -> ChainRecord:
    """Read and check what :func:`save_chain` wrote; whatever is wrong with it is a ValueError."""
    kind, version = _CHAIN
    return load(path, kind, {version: ChainRecord})
