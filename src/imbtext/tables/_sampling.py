"""Documents of large tables: all of a class, a sample of the others.

A rare class is small however large the table is, and a sample of the others is enough to learn
from. Each document of the sample counts for all documents it stands for, so alarms and precision
hold for the whole table.

Every labelled document has a random key, computed from the seed and the document's place in the
table. The sample has the lowest keys, so it is the same however the table is cut.
:func:`read_sample` reads in one pass. :class:`Sampling` also takes parts on many machines, once the
number of documents before each part is known.

This module is separate from the reading of whole tables because it keeps only what it returns.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext._typing import Label, RandomState
from imbtext.documents._documents import Documents
from imbtext.documents._label_names import check_one_kind, find_label, named_label
from imbtext.documents._roles import Roles
from imbtext.randomness import draw_seed, keyed_generator
from imbtext.tables._batches import Batch
from imbtext.tables._documents import DocumentReader, named
from imbtext.tables._errors import TableError
from imbtext.tables._formats import Layout
from imbtext.tables._opening import name_of_tables, open_tables, source_files
from imbtext.tables._rules import DEFAULT_RULES, LabelRules, RowTally

_STREAM: Final = 0x5A3B1E
# The memory that training takes per byte of text and per document (benchmarks/large_table.py).
_PER_BYTE: Final = 60
_PER_DOCUMENT: Final = 2_000
# As a rough rule, compressed files and Parquet grow by at most this factor when they are read.
_UNPACKED: Final = 6
_PLAIN: Final = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".txt")
# Philox draws this many numbers with each step of its counter.
_PER_STEP: Final = 4
# How many keys are drawn together.
_KEYS: Final = 1_000_000


def read_sample(
    source: str | Path,
    roles: Roles,
    classes: Collection[str],
    n_sampled: int | None,
    layout: Layout | None = None,
    random_state: RandomState = 0,
    rules: LabelRules = DEFAULT_RULES,
    memory: int | None = None,
) -> Documents:
    r"""Read all documents of a class and a random sample of the others, in one pass.

    Memory holds the documents of the class and twice the sample, however large the tables are.
    Which documents are drawn follows from the seed and their numbers in the tables. They come in
    the order of the tables, and their `weights` say how many documents each of them stands for.

    Parameters
    ----------
    source : path
        A file, a folder, a pattern, or ``-`` for standard input.
    roles : Roles
        Which columns hold the documents and their labels.
    classes : collection of str
        The names of the labels that make up the class, or its one name.
    n_sampled : int or None
        How many of the others to keep, at least 1. None keeps as many as fit into `memory`.
    layout, random_state, rules
        How the files are written, the seed of the draw, and which rows are left out.
    memory : int, optional
        The bytes that learning from the sample may take, as the first rows show it.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "train.csv"
    >>> rows = ["oil up,oil"] + ["sun,rain"] * 100
    >>> _ = path.write_text("\n".join(["body,topic", *rows]))
    >>> sample = read_sample(path, Roles.of("body", label="topic"), ["oil"], 20)
    >>> len(sample), sample.weights.max().item(), sample_in_words(sample, ["oil"])
    (21, 5.0, 'all 1 documents of the class and 20 of 100 others, each of which counts 5 times')
    """
    if n_sampled is not None and n_sampled < 1:
        raise ValueError(f"n_sampled is {n_sampled}; keep at least 1 of the other documents")
    reader = DocumentReader(roles, rules)
    names = [classes] if isinstance(classes, str) else classes
    with open_tables(source, layout or Layout()) as tables:
        batches = reader.read(tables)
        if n_sampled is None and memory is not None:
            first = list(islice(batches, 1))
            n_sampled = documents_that_fit([text for b in first for text in b.strings()], memory)
            batches = chain(first, batches)
        sampling = Sampling(names, n_sampled, draw_seed(random_state))
        for documents in batches:
            sampling.add(documents)
        name = name_of_tables(tables)
    sampling.tally = reader.tally
    return sampling.result(roles, rules, name)


def sample_in_words(sample: Documents, classes: Collection[str]) -> str:
    """Return what :func:`read_sample` kept of a table as a phrase."""
    is_class = _are_of(frozenset(classes), named(sample.y))
    weights = np.ones(len(sample)) if sample.weights is None else sample.weights
    n_class, n_sampled = int(is_class.sum()), int((~is_class).sum())
    n_others = round(float(weights[~is_class].sum()))
    times = n_others / n_sampled
    return (
        f"all {n_class:,} documents of the class and {n_sampled:,} of {n_others:,} others, each of "
        f"which counts {f'{times:.3g}' if times < 1000 else f'{times:,.0f}'} times"
    )


def is_larger_than(source: Path, memory: int) -> bool:
    """Return whether learning from all documents of files takes more than `memory` bytes.

    It is an estimate from the size of the files. That of standard input is not known beforehand, so
    all of it is read.
    """
    paths = source_files(source)
    if str(source) == "-" or not all(path.is_file() for path in paths):
        return False  # the reader raises an error for it
    n_bytes = sum(
        path.stat().st_size * (1 if path.suffix.lower() in _PLAIN else _UNPACKED) for path in paths
    )
    return n_bytes * _PER_BYTE > memory


def documents_that_fit(texts: Sequence[str], memory: int) -> int | None:
    """Return how many documents like these a model can learn from in `memory` bytes.

    None if there are no texts to measure.
    """
    if not texts:
        return None
    length = sum(len(text.encode()) for text in texts) / len(texts)
    return max(int(memory / (length * _PER_BYTE + _PER_DOCUMENT)), 1)


@dataclass(frozen=True)
class LabelCounts:
    """How many labelled documents a part has, and how many of them are of the class."""

    n_documents: int
    n_class: int

    @classmethod
    def of(
        cls, reader: DocumentReader, batches: Iterable[Batch], classes: Collection[str]
    ) -> "LabelCounts":
        """Count a part by its column of labels alone."""
        n_documents, n_class, chosen = 0, 0, frozenset(classes)
        for batch in batches:
            labels = reader.labels(batch)
            n_documents += len(labels)
            n_class += int(_are_of(chosen, named(labels)).sum())
        return cls(n_documents, n_class)


class Sampling:
    """Keeps the documents of a class and the sample of the others while documents pass.

    Documents come in the order of the table, from number `first` on: the whole table, or a part.
    Parts can be merged in any order. Others with a key above `limit` are skipped; if the whole
    table was counted, :func:`key_limit` computes it. Without `n_sampled` all others are kept.
    """

    def __init__(
        self,
        classes: Collection[str],
        n_sampled: int | None,
        seed: int,
        first: int = 0,
        limit: float = np.inf,
    ) -> None:
        self.classes, self.n_sampled, self.seed = frozenset(classes), n_sampled, seed
        self.limit = limit
        self.n_read, self.n_class, self._next = 0, 0, first
        self.of_class, self.others = _Kept(), _Kept()
        self.tally = RowTally()

    def add(self, documents: Documents) -> None:
        """Take the next documents of the table."""
        batch = documents.with_labels(named(documents.y))
        is_class = _are_of(self.classes, batch.y)
        numbers = self._next + np.arange(len(is_class))
        keys = _keys(self.seed, self._next, len(is_class))
        self._next += len(is_class)
        self.n_read, self.n_class = self.n_read + len(is_class), self.n_class + int(is_class.sum())
        self.of_class.add(batch, numbers, keys, np.flatnonzero(is_class))
        drawn = np.flatnonzero(~is_class & (keys <= self.limit))
        self.others.add(batch, numbers, keys, drawn, self.n_sampled)

    def merge(self, part: "Sampling") -> None:
        """Add the documents that another part of the table kept."""
        self.n_read, self.n_class = self.n_read + part.n_read, self.n_class + part.n_class
        self.tally += part.tally
        self.of_class.extend(part.of_class)
        self.others.extend(part.others, self.n_sampled)

    def result(self, roles: Roles, rules: LabelRules, name: str) -> Documents:
        """Return the sample in the order of the table, which messages call `name`.

        If the others were sampled, the documents have weights.
        """
        check_one_kind(self.tally.classes)
        classes = DocumentReader(roles, rules, name, tally=self.tally).classes()
        names = sorted({*chain.from_iterable(map(_names, classes))})
        for label in self.classes:
            find_label(label, names)
        self.tally.check(roles, rules, name)
        if self.classes and self.n_class in (0, self.n_read):
            raise TableError(
                f"{'all' if self.n_class else 'none'} of the {self.n_read:,} documents of {name} "
                f"are of the class; a model needs documents of the class and others"
            )
        if self.n_sampled is not None:
            self.others.prune(self.n_sampled)
        documents, numbers = self.of_class.followed_by(self.others)
        n_others, n_kept = self.n_read - self.n_class, len(numbers) - self.n_class
        if self.n_sampled is not None:
            weights = np.repeat([1.0, n_others / max(n_kept, 1)], [self.n_class, n_kept])
            documents = documents.with_weights(weights)
        documents = documents.select(np.argsort(numbers, kind="stable"))
        _ = documents.times  # refused before models are trained
        return documents


def key_limit(seed: int, n_documents: int, n_class: int, n_sampled: int) -> float:
    """Return a key that no document of the sample exceeds, and not many others stay below.

    This function does not know which documents belong to the class. If none of them has a low key,
    the sample has the `n_sampled` lowest keys of all; if all of them do, it needs `n_class` more.
    """
    n_lowest = n_sampled + n_class
    if n_lowest >= n_documents:
        return np.inf
    lowest: NDArray[np.float64] = np.empty(0)
    for first in range(0, n_documents, _KEYS):
        keys = _keys(seed, first, min(_KEYS, n_documents - first))
        lowest = np.concatenate([lowest, keys])
        if len(lowest) > n_lowest:
            lowest = np.partition(lowest, n_lowest - 1)[:n_lowest]
    return float(lowest.max())


def _keys(seed: int, first: int, n: int) -> NDArray[np.float64]:
    """Return the random keys of `n` documents from number `first` on."""
    generator = keyed_generator(seed, _STREAM)
    skipped = first % _PER_STEP
    generator.bit_generator.advance(first // _PER_STEP)  # type: ignore[attr-defined]
    return generator.random(skipped + n)[skipped:]


def _are_of(classes: frozenset[str], labels: Sequence[Label]) -> NDArray[np.bool_]:
    """Return which labels belong to the class; a label is a name or a set of names."""
    return np.fromiter(
        (
            bool(classes & label) if isinstance(label, frozenset) else label in classes
            for label in labels
        ),
        bool,
        len(labels),
    )


def _names(label: Label) -> list[str]:
    named = named_label(label)
    return sorted(named) if isinstance(named, frozenset) else [str(named)]


class _Kept:
    """The documents kept so far, their numbers in the table and their random keys."""

    def __init__(self) -> None:
        self.documents: Documents | None = None
        self.numbers: NDArray[np.int64] = np.empty(0, np.int64)
        self.keys: NDArray[np.float64] = np.empty(0)

    def add(
        self,
        batch: Documents,
        numbers: NDArray[np.int64],
        keys: NDArray[np.float64],
        indices: NDArray[np.int64],
        most: int | None = None,
    ) -> None:
        """Keep the documents at `indices` of a batch; of about twice `most`, the lowest keys."""
        if most is not None and len(self.keys) >= most:
            indices = indices[keys[indices] < np.partition(self.keys, most - 1)[most - 1]]
        self._extend(batch.select(indices), numbers[indices], keys[indices], most)

    def extend(self, others: "_Kept", most: int | None = None) -> None:
        """Keep what another part of the table kept, with the same limit."""
        if others.documents is not None:
            self._extend(others.documents, others.numbers, others.keys, most)

    def _extend(
        self,
        documents: Documents,
        numbers: NDArray[np.int64],
        keys: NDArray[np.float64],
        most: int | None,
    ) -> None:
        if self.documents is None:
            self.documents = documents
        else:
            self.documents = Documents.joined([self.documents, documents])
        self.numbers = np.concatenate([self.numbers, numbers])
        self.keys = np.concatenate([self.keys, keys])
        if most is not None and len(self.keys) > 2 * most:
            self.prune(most)

    def prune(self, most: int) -> None:
        """Keep the documents of the lowest keys."""
        if self.documents is None or len(self.keys) <= most:
            return
        kept = np.sort(np.lexsort((self.numbers, self.keys))[:most])
        self.documents = self.documents.select(kept)
        self.numbers, self.keys = self.numbers[kept], self.keys[kept]

    def followed_by(self, others: "_Kept") -> tuple[Documents, NDArray[np.int64]]:
        """Return these documents and others, with their numbers."""
        parts = [kept.documents for kept in (self, others) if kept.documents is not None]
        return Documents.joined(parts), np.concatenate([self.numbers, others.numbers])
