"""Documents of tables that are larger than memory: all of a class, and a sample of the others.

A rare class is small however large the table is, and what there is to learn from the others is
learnt from a sample of them. Each document of the sample counts for all that it stands for, so that
alarms and precision are told for the whole table.

It stands apart from the reading of whole tables because it keeps nothing but what it returns.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext._typing import Label
from imbtext.randomness import keyed_generator
from imbtext.tables._documents import (
    DocumentColumns,
    DocumentReader,
    LabelledDocuments,
    label_named,
    named_label,
)
from imbtext.tables._errors import TableError
from imbtext.tables._formats import Layout
from imbtext.tables._opening import name_of_tables, open_tables, source_files

_STREAM: Final = 0x5A3B1E
# What training takes per byte of text and per document (benchmarks/large_table.py), rounded up.
_PER_BYTE: Final = 60
_PER_DOCUMENT: Final = 2_000
# Compressed files and Parquet are at most so much larger when they are read, by a rough rule.
_UNPACKED: Final = 6
_PLAIN: Final = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".txt")


@dataclass(frozen=True, eq=False)
class SampledDocuments:
    """All documents of a class and a sample of the others, in the order of the table.

    Attributes
    ----------
    documents : LabelledDocuments
        What was kept.
    weights : ndarray of float64
        How many documents each of them stands for.
    n_class, n_others, n_sampled : int
        Documents of the class, others, and how many of the others were kept.
    """

    documents: LabelledDocuments
    weights: NDArray[np.float64]
    n_class: int
    n_others: int
    n_sampled: int


def read_sample(
    source: Path,
    columns: DocumentColumns,
    classes: Collection[str],
    n_sampled: int,
    layout: Layout | None = None,
    seed: int = 0,
) -> SampledDocuments:
    r"""Read all documents of a class and a random sample of the others, in one pass.

    Memory holds the documents of the class and twice the sample, however large the tables are.
    Which documents are drawn follows from the seed and their place in the tables.

    Parameters
    ----------
    source : Path
        A file, a folder, a pattern, or ``-`` for standard input.
    columns : DocumentColumns
        Which columns hold the documents and their labels.
    classes : collection of str
        The labels that make the class, by name.
    n_sampled : int
        How many of the others to keep.
    layout, seed
        How the files are written, and the seed of the draw.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "train.csv"
    >>> rows = ["oil up,oil"] + ["sun,rain"] * 100
    >>> _ = path.write_text("\n".join(["body,topic", *rows]))
    >>> sample = read_sample(path, DocumentColumns("body", "topic"), ["oil"], 20)
    >>> sample.n_class, sample.n_sampled, sample.weights.max().item()
    (1, 20, 5.0)
    """
    wanted, reader = frozenset(classes), DocumentReader(columns)
    generator = keyed_generator(seed, _STREAM)
    of_class, others = _Kept(), _Kept()
    n_read = n_class = 0
    with open_tables(source, layout or Layout()) as tables:
        for read in reader.read(tables):
            batch = replace(read, labels=[named_label(label) for label in read.labels])
            is_class = np.fromiter(
                (
                    bool(wanted & label) if isinstance(label, frozenset) else label in wanted
                    for label in batch.labels
                ),
                bool,
                len(batch.labels),
            )
            places = n_read + np.arange(len(is_class))
            keys = generator.random(len(is_class))
            n_read, n_class = n_read + len(is_class), n_class + int(is_class.sum())
            of_class.add(batch, places, keys, np.flatnonzero(is_class))
            others.add(batch, places, keys, np.flatnonzero(~is_class), n_sampled)
        name = name_of_tables(tables)
    names = sorted({named for label in reader.classes() for named in _names(label)})
    for label in wanted:
        label_named(label, names)
    reader.tally.check(columns, name)
    if n_class in (0, n_read):
        raise TableError(f"{name} has documents of one class alone; documents of both are needed")
    others.prune(n_sampled)
    documents, places = of_class.followed_by(others)
    n_others, n_kept = n_read - n_class, len(places) - n_class
    weights = np.repeat([1.0, n_others / n_kept], [n_class, n_kept])
    order = np.argsort(places, kind="stable")
    return SampledDocuments(documents.at(order.tolist()), weights[order], n_class, n_others, n_kept)


def documents_that_fit(
    source: Path, columns: DocumentColumns, layout: Layout, memory: int
) -> int | None:
    """Return how many documents of tables can be learnt from in so many bytes; None if all can.

    It is an estimate, by the size of the files and their first rows. Of standard input nothing is
    known beforehand, so all of it is read.
    """
    paths = source_files(source)
    if str(source) == "-" or not all(path.is_file() for path in paths):
        return None  # the reader says what is wrong
    n_bytes = sum(
        path.stat().st_size * (1 if path.suffix.lower() in _PLAIN else _UNPACKED) for path in paths
    )
    if n_bytes * _PER_BYTE <= memory:
        return None
    with open_tables(source, layout) as tables:
        batch = next(iter(DocumentReader(columns).read(tables)), None)
    if batch is None or not batch.texts:
        return None
    length = sum(len(text.encode()) for text in batch.texts) / len(batch.texts)
    return max(int(memory / (length * _PER_BYTE + _PER_DOCUMENT)), 1)


def _names(label: Label) -> list[str]:
    named = named_label(label)
    return sorted(named) if isinstance(named, frozenset) else [str(named)]


class _Kept:
    """Documents that are kept so far, their places in the tables and their random keys."""

    def __init__(self) -> None:
        self.documents: LabelledDocuments | None = None
        self.places: NDArray[np.int64] = np.empty(0, np.int64)
        self.keys: NDArray[np.float64] = np.empty(0)

    def add(
        self,
        batch: LabelledDocuments,
        places: NDArray[np.int64],
        keys: NDArray[np.float64],
        rows: NDArray[np.int64],
        most: int | None = None,
    ) -> None:
        """Keep some rows of a batch; if there are `most`, those of the lowest keys."""
        if most is not None and len(self.keys) >= most:
            rows = rows[keys[rows] < np.partition(self.keys, most - 1)[most - 1]]
        chosen = batch.at(rows.tolist())
        if self.documents is None:
            self.documents = chosen
        else:
            self.documents.extend(chosen)
        self.places = np.concatenate([self.places, places[rows]])
        self.keys = np.concatenate([self.keys, keys[rows]])
        if most is not None and len(self.keys) > 2 * most:
            self.prune(most)

    def prune(self, most: int) -> None:
        """Keep the documents of the lowest keys."""
        if self.documents is None or len(self.keys) <= most:
            return
        kept = np.sort(np.argsort(self.keys, kind="stable")[:most])
        self.documents = self.documents.at(kept.tolist())
        self.places, self.keys = self.places[kept], self.keys[kept]

    def followed_by(self, others: "_Kept") -> tuple[LabelledDocuments, NDArray[np.int64]]:
        """Return these documents and others, with their places."""
        documents = self.documents or LabelledDocuments([], [])
        if others.documents is not None:
            documents.extend(others.documents)
        return documents, np.concatenate([self.places, others.places])
