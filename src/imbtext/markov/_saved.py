"""Fitted chains as a file: an archive of plain arrays, with no pickle in it.

Nothing in the file is ever executed, and every number is checked before compiled code, which trusts
its input, gets to see it.
"""

import io
import json
import os
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from imbtext._files import written_whole
from imbtext.markov import ClassCounts, TransitionCounts

_FORMAT = "imbalanced-text chain 1"


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
            "format": _FORMAT,
            "gamma": self.gamma,
            "order": self.order,
            "random_state": self.random_state,
            "is_tokens": self.is_tokens,
            "labels": self.labels,
        }
        words = [word.encode() for word in self.vocabulary]
        arrays: dict[str, Any] = {
            "about": np.frombuffer(json.dumps(about).encode(), dtype=np.uint8),
            "vocabulary": np.frombuffer(b"".join(words), dtype=np.uint8),
            "word_lengths": np.array([len(word) for word in words], dtype=np.int64),
        }
        for name, values in self.total.to_arrays().items():
            arrays[f"all.{name}"] = values
        for i, own in enumerate(self.classes):
            arrays[f"class{i}.word_ids"] = own.word_ids
            for name, values in own.counts.to_arrays().items():
                arrays[f"class{i}.{name}"] = values
        with written_whole(path) as partial, partial.open("wb") as file:
            np.savez_compressed(file, **arrays)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read and check a file; whatever is wrong with it is a ValueError."""
        content = Path(path).read_bytes()
        try:
            # NumPy would take other bytes for a pickle, and advise to trust it.
            if not content.startswith(b"PK"):
                raise ValueError("it is no archive of arrays")
            with np.load(io.BytesIO(content), allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
            return cls._of(arrays)
        except (
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            IndexError,
            EOFError,
            OverflowError,
            OSError,
            RuntimeError,  # encrypted, of a version to come, or nested without end
            zipfile.BadZipFile,
            zlib.error,
        ) as error:
            raise ValueError(
                f"{Path(path)} is not a chain that this version of imbalanced-text saved: {error}"
            ) from error

    @classmethod
    def _of(cls, arrays: dict[str, NDArray[Any]]) -> Self:
        about = json.loads(arrays["about"].tobytes())
        if about["format"] != _FORMAT:
            raise ValueError(f"its format is {about['format']!r}, not {_FORMAT!r}")
        order = int(about["order"])
        vocabulary = _words(arrays["vocabulary"].tobytes(), arrays["word_lengths"].tolist())
        total = TransitionCounts.from_arrays(_part(arrays, "all."), order)
        if total.n_words != len(vocabulary):
            raise ValueError("the vocabulary and the counts differ in size")
        classes = []
        for i in range(len(about["labels"])):
            part = _part(arrays, f"class{i}.")
            word_ids = part.pop("word_ids").astype(np.int64)
            counts = TransitionCounts.from_arrays(part, order)
            sorted_ids = word_ids.ndim == 1 and bool(np.all(np.diff(word_ids) > 0))
            inside = np.all((word_ids >= 0) & (word_ids < len(vocabulary)))
            if not (sorted_ids and inside and len(word_ids) == counts.n_words):
                raise ValueError(f"the words of class {i} are not among the vocabulary")
            classes.append(ClassCounts(word_ids, counts))
        return cls(
            gamma=about["gamma"],
            order=order,
            random_state=about["random_state"],
            is_tokens=bool(about["is_tokens"]),
            labels=about["labels"],
            vocabulary=vocabulary,
            total=total,
            classes=classes,
        )


def _words(text: bytes, lengths: list[int]) -> NDArray[np.object_]:
    ends = np.cumsum(lengths, dtype=np.int64).tolist()
    words = [text[end - n : end].decode() for n, end in zip(lengths, ends, strict=True)]
    vocabulary = np.empty(len(words), dtype=object)
    vocabulary[:] = words
    return vocabulary


def _part(arrays: dict[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    return {
        name.removeprefix(prefix): values
        for name, values in arrays.items()
        if name.startswith(prefix)
    }
