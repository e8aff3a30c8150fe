"""TextDataset: the one thing every loader returns."""

import gzip
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext._messages import did_you_mean

TextKind = Literal["titles", "full"]
# What the readers of archives, tables and text raise on files that are cut off or changed.
_UNREADABLE = (
    *(zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError, UnicodeDecodeError),
    *(pl.exceptions.PolarsError, KeyError, FileNotFoundError),
)


class DamagedDataError(ValueError):
    """A data file is truncated, tampered with or not the data set it should be."""


@dataclass(frozen=True, eq=False, repr=False)
class TextDataset:
    """Documents with their classes, the official split, and whom to cite.

    Attributes
    ----------
    name : str
        Short name of the data set, such as ``"reuters"``.
    texts : list of str
        The documents, in the order of the source.
    labels : list of str or list of frozenset of str
        One class per document, or one set of classes where a document may have several
        (`multilabel` is then true).
    classes : tuple of str
        All classes, sorted.
    train, test : ndarray of int or None
        Rows of the official split; None where the data set has none.
    description, citation, license_note : str
        What the documents are, whom to cite, and what you may do with them.
    checksum : str
        SHA-256 of the whole content (every text, class and split), the same for a plain,
        compressed or unpacked copy, and the same for ``text="titles"`` and ``text="full"``.

    Examples
    --------
    >>> toy = TextDataset("toy", ["corn up", "oil down"], ["grain", "oil"], ("grain", "oil"))
    >>> toy
    TextDataset('toy': 2 documents, 2 classes, no official split)
    >>> toy.in_class("oil")
    array([False,  True])
    """

    name: str
    texts: list[str]
    labels: list[str] | list[frozenset[str]]
    classes: tuple[str, ...]
    train: NDArray[np.intp] | None = None
    test: NDArray[np.intp] | None = None
    description: str = ""
    citation: str = ""
    license_note: str = ""
    checksum: str = ""

    def __post_init__(self) -> None:
        if len(self.texts) != len(self.labels):
            raise ValueError(
                f"number of texts ({len(self.texts)}) does not match number of labels "
                f"({len(self.labels)}); give one label or label set per text"
            )

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        split = (
            "no official split"
            if self.train is None or self.test is None
            else f"{len(self.train)} train and {len(self.test)} test"
        )
        return (
            f"TextDataset({self.name!r}: {len(self)} documents, "
            f"{len(self.classes)} classes, {split})"
        )

    @property
    def multilabel(self) -> bool:
        """Whether a document may belong to several classes."""
        return bool(self.labels) and isinstance(self.labels[0], frozenset)

    def in_class(self, label: str) -> NDArray[np.bool_]:
        """Return, for every document, whether it belongs to the class `label`."""
        if label not in self.classes:
            hint = did_you_mean(label, self.classes) or "; see .classes"
            raise ValueError(f"{self.name} has no class {label!r}{hint}")
        if self.multilabel:
            return np.array([label in classes for classes in self.labels], dtype=np.bool_)
        return np.array([label == other for other in self.labels], dtype=np.bool_)

    def class_sizes(self) -> dict[str, int]:
        """Return the number of documents of every class, in the order of `classes`."""
        counts: Counter[str] = Counter()
        for label in self.labels:
            counts.update([label] if isinstance(label, str) else label)
        return {label: counts[label] for label in self.classes}


def check_text_kind(text: str) -> None:
    """Raise unless `text` is one of the two kinds of text."""
    if text not in get_args(TextKind):
        raise ValueError(f"text is {text!r}; give 'titles' or 'full'")


@contextmanager
def whole_copy_of(name: str, source: Path, remedy: str = "download it again") -> Iterator[None]:
    """Turn errors of reading `source` into one that says that the copy is not complete."""
    try:
        yield
    except _UNREADABLE as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DamagedDataError(
            f"{source} is not a complete copy of {name} ({reason}); {remedy}"
        ) from error


def refuse_unless_known(
    name: str, checksum: str, known: str, source: object, *, verify: bool
) -> None:
    """Raise if the content of `source` is not what the published numbers were computed on."""
    if verify and checksum != known:
        raise DamagedDataError(
            f"{source} has as many documents as {name}, but other content (checksum "
            f"{checksum[:12]}..., expected {known[:12]}...): it was changed; download it again, or "
            f"pass verify=False to use it as it is"
        )
