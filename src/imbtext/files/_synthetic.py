"""Synthetic rows from documents that come in batches, in bounded memory.

EMCO and MCO need only counts. Counts add up, so documents can be counted batch by batch or on many
machines. Document i of a class can be drawn without those before it, so any machine can draw any
run of :class:`SyntheticRows`. The rows are those that :meth:`imbtext.EMCO.fit_resample` adds to the
same documents.

ROS and EDA copy or change documents, so the documents of the classes to oversample are kept, and no
others (:func:`rows_from_documents`).
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, TypeVar

import numpy as np
from sklearn.base import clone

from imbtext._typing import Label
from imbtext.documents._documents import Documents
from imbtext.files._sizes import documents_to_add
from imbtext.markov._accumulation import CorpusCounts, CountsAccumulator
from imbtext.oversampling._counting import CountingSampler, SyntheticDocuments
from imbtext.oversampling._sampler import Sampler
from imbtext.randomness import draw_seed
from imbtext.tables._rules import RowTally

# Texts and labels of some rows.
Rows = tuple[Sequence[str], Sequence[Hashable]]

_ROWS_AT_ONCE = 20_000
_TOKENS_AT_ONCE = 2_000_000


Kind = TypeVar("Kind", bound=Sampler)


def fresh_sampler(
    sampler: object, kinds: tuple[type[Kind], ...], expected: str, method: str
) -> Kind:
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
    fresh: Kind = clone(sampler)
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
    """The counts of the documents of some rows, and of unusual rows."""

    counts: CorpusCounts
    tally: RowTally


def accumulator_for(sampler: CountingSampler) -> CountsAccumulator:
    """Return an accumulator that counts what a sampler learns from."""
    return CountsAccumulator(sampler.tokenizer, surface=sampler.writes_surface)


def rows_from_counts(sampler: CountingSampler, batches: Iterable[Documents]) -> Iterator[Rows]:
    """Count all documents, then yield the rows to add, in pieces."""
    accumulator = accumulator_for(sampler)
    for documents in batches:
        accumulator.add(documents, documents.y)
    rows = SyntheticRows.of(accumulator.result(), sampler, draw_seed(sampler.random_state))
    yield from rows.pieces(0, len(rows), sampler.n_jobs)


def rows_from_documents(
    sampler: Sampler, batches: Iterable[Documents], sizes: Mapping[Hashable, int]
) -> Iterator[Rows]:
    """Keep the documents of the classes to oversample, then yield the rows to add, in pieces.

    `sampler` copies or changes documents, as ROS and EDA do. `sizes` has all classes in sorted
    order. The sampler gets an empty text for each document of another class.
    """
    n_new = documents_to_add(sampler.sampling_strategy, sizes)
    codes = {label: code for code, label in enumerate(sizes)}
    texts: list[str] = []
    y: list[int] = []
    for documents in batches:
        if n_new:
            rows = zip(documents.strings(), documents.y, strict=True)
            texts += [text if label in n_new else "" for text, label in rows]
            y += [codes[label] for label in documents.y]
    if not n_new:
        return
    targets = {codes[label]: sizes[label] + n for label, n in n_new.items()}
    sampler = clone(sampler).set_params(sampling_strategy=targets)
    resampled, _ = sampler.fit_resample(texts, np.array(y, np.int32))
    first = len(texts)
    for label, n in n_new.items():
        for start in range(first, first + n, _ROWS_AT_ONCE):
            piece = resampled[start : min(start + _ROWS_AT_ONCE, first + n)]
            yield piece, [label] * len(piece)
        first += n
