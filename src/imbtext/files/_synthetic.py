"""Synthetic rows from documents that come in batches, in bounded memory.

EMCO and MCO need only counts, which :class:`CountedDocuments` collects. Counts add up, so documents
can be counted batch by batch or on many machines. Document i of a class can be drawn without those
before it, so any machine can draw any run of :class:`SyntheticRows`. The rows are those that
:meth:`imbtext.EMCO.fit_resample` adds to the same documents.

ROS and EDA copy or change documents, so :class:`ClassDocuments` keeps the documents of the classes
to oversample, and no others.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from imbtext._typing import Label
from imbtext.files._sizes import documents_to_add
from imbtext.markov import CorpusCounts, CountsAccumulator
from imbtext.oversampling._counting import CountingSampler, SyntheticDocuments
from imbtext.oversampling._sampler import Sampler as AnySampler
from imbtext.randomness import draw_seed
from imbtext.tables import RowTally

# Texts and labels of some rows.
Rows = tuple[Sequence[str], Sequence[Hashable]]

_ROWS_AT_ONCE = 20_000
_TOKENS_AT_ONCE = 2_000_000


Sampler = TypeVar("Sampler", bound=AnySampler)


def fresh_sampler(
    sampler: object, kinds: tuple[type[Sampler], ...], expected: str, method: str
) -> Sampler:
    """Return an unfitted copy of a sampler of these kinds, by default the first; check it first.

    Errors say what is `expected`, and by which `method` documents are counted.
    """
    if sampler is None:
        return kinds[0]()
    if not isinstance(sampler, kinds):
        raise TypeError(f"the sampler is a {type(sampler).__name__}; {expected}")
    sampler._validate_params()
    if isinstance(sampler, CountingSampler):
        sampler.check_counts_suffice(method)
    fresh: Sampler = clone(sampler)
    return fresh


@dataclass(frozen=True, eq=False)
class SyntheticRows:
    """The synthetic documents of all classes, one class after the other, none drawn yet.

    Examples
    --------
    >>> from imbtext.markov import CountsAccumulator
    >>> accumulator = CountsAccumulator()
    >>> accumulator.add(["oil up", "oil price up", "gold up"], ["a", "a", "b"])
    >>> from imbtext import EMCO
    >>> sampler = EMCO(sampling_strategy={"a": 5, "b": 3})
    >>> rows = SyntheticRows.of(accumulator.result(), sampler, seed=1)
    >>> len(rows), rows.draw(2, 4)[1]
    (5, ['a', 'b'])
    """

    classes: tuple[SyntheticDocuments, ...]

    @classmethod
    def of(cls, counts: CorpusCounts, sampler: CountingSampler, seed: int) -> "SyntheticRows":
        """Learn from the counts of all documents what `sampler` needs to add its rows."""
        n_new = documents_to_add(sampler.sampling_strategy, counts.sorted_sizes())
        if not n_new:
            return cls(())
        fitted = clone(sampler).fit_counts(counts)
        classes = [fitted.synthetic_documents(label, n, seed) for label, n in n_new.items()]
        return cls(tuple(classes))

    def __len__(self) -> int:
        return sum(documents.n for documents in self.classes)

    def draw(self, start: int, end: int, n_jobs: int | None = 1) -> tuple[list[str], list[Label]]:
        """Draw the rows from `start` to before `end`: texts, and their labels."""
        texts: list[str] = []
        labels: list[Label] = []
        n_before = accumulate((documents.n for documents in self.classes), initial=0)
        for documents, offset in zip(self.classes, n_before, strict=False):
            first, last = max(start - offset, 0), min(end - offset, documents.n)
            if first < last:
                texts += documents.draw(first, last, n_jobs=n_jobs)
                labels += [documents.label] * (last - first)
        return texts, labels

    def pieces(self, start: int, end: int, n_jobs: int | None = 1) -> Iterator[Rows]:
        """Draw the same rows in pieces, in bounded memory however long the documents are."""
        longest = max((documents.mean_length for documents in self.classes), default=1.0)
        at_once = min(max(int(_TOKENS_AT_ONCE / longest), 1), _ROWS_AT_ONCE)
        for first in range(start, end, at_once):
            yield self.draw(first, min(first + at_once, end), n_jobs)


class CountedRows(NamedTuple):
    """The counts of the documents of some rows, and what is odd about the rows."""

    counts: CorpusCounts
    tally: RowTally


@dataclass(frozen=True, eq=False)
class CountedDocuments:
    """The counts of documents that come in batches, from which EMCO and MCO learn."""

    sampler: CountingSampler
    accumulator: CountsAccumulator

    @classmethod
    def begin(cls, sampler: CountingSampler) -> "CountedDocuments":
        """Begin to count what the sampler needs."""
        return cls(sampler, CountsAccumulator(sampler.tokenizer, surface=sampler.writes_surface))

    def add(self, texts: Sequence[str], labels: Sequence[Hashable]) -> None:
        """Count some more documents."""
        self.accumulator.add(texts, labels)

    def new_rows(self) -> Iterator[Rows]:
        """Return the rows to add, in pieces."""
        sampler = self.sampler
        rows = SyntheticRows.of(self.accumulator.result(), sampler, draw_seed(sampler.random_state))
        return rows.pieces(0, len(rows), sampler.n_jobs)


class ClassDocuments:
    """The documents of the classes to oversample, for samplers that copy or change documents.

    Parameters
    ----------
    sampler : ROS or EDA
        What makes new documents; its `sampling_strategy` says how many.
    sizes : mapping of labels to int
        All classes in sorted order.
    """

    def __init__(self, sampler: AnySampler, sizes: Mapping[Hashable, int]) -> None:
        self.n_new = documents_to_add(sampler.sampling_strategy, sizes)
        self._codes = {label: code for code, label in enumerate(sizes)}
        targets = {self._codes[label]: sizes[label] + n for label, n in self.n_new.items()}
        self._sampler = clone(sampler).set_params(sampling_strategy=targets)
        self._texts: list[str] = []
        self._y: list[NDArray[np.int32]] = []

    def add(self, texts: Sequence[str], labels: Sequence[Hashable]) -> None:
        """Keep some more documents; an empty text stands for each one of another class."""
        if self.n_new:
            self._texts += [
                text if label in self.n_new else ""
                for text, label in zip(texts, labels, strict=True)
            ]
            codes = (self._codes[label] for label in labels)
            self._y.append(np.fromiter(codes, np.int32, len(labels)))

    def new_rows(self) -> Iterator[Rows]:
        """Return the rows to add, in pieces."""
        if not self.n_new:
            return
        resampled, _ = self._sampler.fit_resample(self._texts, np.concatenate(self._y))
        first = len(self._texts)
        for label, n in self.n_new.items():
            for start in range(first, first + n, _ROWS_AT_ONCE):
                texts = resampled[start : min(start + _ROWS_AT_ONCE, first + n)]
                yield texts, [label] * len(texts)
            first += n
