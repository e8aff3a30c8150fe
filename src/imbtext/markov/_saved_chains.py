"""Fitted chains as a file. Every number is checked before compiled code, which trusts its input."""

import os
from dataclasses import dataclass, field
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from imbtext._archive import Arrays, read_archive, word_array, write_archive
from imbtext.markov._counts import ClassCounts, TransitionCounts
from imbtext.markov._saved import (
    class_arrays,
    read_class,
    read_surface,
    surface_arrays,
    take_part,
)
from imbtext.markov._similarity import SimilarCounts
from imbtext.surface import SurfaceCounts

_FORMAT: Final = ("chain", 3)


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
    similarity: float | None = None
    similar: list[SimilarCounts] = field(default_factory=list)
    surface: SurfaceCounts | None = None

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file, whole or not at all."""
        about = {
            "gamma": self.gamma,
            "order": self.order,
            "random_state": self.random_state,
            "is_tokens": self.is_tokens,
            "pruned": self.total.is_pruned,
            "labels": self.labels,
            "vocabulary": self.vocabulary.tolist(),
            "similarity": self.similarity,
            "surface": None if self.surface is None else self.surface.strings(),
        }
        arrays = {f"all.{name}": values for name, values in self.total.to_arrays().items()}
        for i, own in enumerate(self.classes):
            arrays |= class_arrays(i, own)
        for i, similar in enumerate(self.similar):
            arrays |= {f"similar{i}.{name}": v for name, v in similar.to_arrays().items()}
        arrays |= surface_arrays(self.surface)
        write_archive(path, *_FORMAT, about, arrays)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read and check a file; whatever is wrong with it is a ValueError."""
        return read_archive(path, *_FORMAT, cls._of)

    @classmethod
    def _of(cls, about: dict[str, Any], arrays: Arrays) -> Self:
        words, labels, order = about["vocabulary"], about["labels"], int(about["order"])
        pruned = bool(about.get("pruned", False))
        vocabulary = word_array(words)
        if not labels or np.unique(np.array(labels)).tolist() != labels:
            raise ValueError("its labels are not distinct and in order")
        total = TransitionCounts.from_arrays(take_part(arrays, "all."), order, pruned=pruned)
        if total.n_words != len(words):
            raise ValueError("the vocabulary and the counts differ in size")
        classes = [
            read_class(i, arrays, order, len(words), pruned=pruned) for i in range(len(labels))
        ]
        for own in classes:  # refused if it is no part of the whole
            total - own.counts.relabel(own.word_ids, len(words))
        similar = []
        if about.get("similarity") is not None:
            similar = [
                SimilarCounts.from_arrays(take_part(arrays, f"similar{i}."), own, len(words))
                for i, own in enumerate(classes)
            ]
        surface = read_surface(about["surface"], arrays, len(words))
        if arrays:
            raise ValueError(f"it holds the unknown array {next(iter(arrays))!r:.60}")
        return cls(
            gamma=about["gamma"],
            order=order,
            random_state=about["random_state"],
            is_tokens=bool(about["is_tokens"]),
            labels=labels,
            vocabulary=vocabulary,
            total=total,
            classes=classes,
            similarity=about.get("similarity"),
            similar=similar,
            surface=surface,
        )
