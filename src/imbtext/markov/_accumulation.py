"""Counts of labelled documents that come in pieces.

Counts add once they stand on one vocabulary. Vocabularies are kept sorted, so two of them merge in
one pass over both, and putting counts on the merged one keeps rows and columns in order: nothing
is sorted twice. What comes out depends on the documents alone, not on how they were cut.
"""

from bisect import insort
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext._messages import listed
from imbtext._typing import DocumentsLike
from imbtext.documents._corpus import Corpus
from imbtext.documents._documents import Documents
from imbtext.documents._tokenization import Tokenizer, encode_texts
from imbtext.markov._counts import ClassCounts, TransitionCounts
from imbtext.markov._surface import SurfaceCounts, refuse_tokens

# Texts wait until this many bytes have come together: small pieces have almost as many words as
# tokens, so counting them one by one saves nothing and merging them costs.
_BYTES_AT_ONCE = 32_000_000


@dataclass(frozen=True, eq=False)
class CorpusCounts:
    """What is counted in labelled documents: their words, and the transitions of each class.

    Attributes
    ----------
    vocabulary : polars Series of str
        All words, sorted.
    classes : mapping of labels to ClassCounts
        The counts of each class, on its own words.
    sizes : mapping of labels to int
        The number of documents of each class, those without words included.
    surface : SurfaceCounts or None
        How the documents write their words, where that was counted too.

    Examples
    --------
    >>> one = CorpusCounts.of(Corpus.from_tokens([["oil", "up"], ["gold", "up"]]), ["a", "b"])
    >>> two = CorpusCounts.of(Corpus.from_tokens([["oil", "price", "up"]]), ["a"])
    >>> both = one + two
    >>> both.vocabulary.to_list(), both.sizes
    (['gold', 'oil', 'price', 'up'], {'a': 2, 'b': 1})
    >>> both.total().words.tolist()
    [1, 2, 1, 3]
    """

    vocabulary: pl.Series
    classes: Mapping[Hashable, ClassCounts]
    sizes: Mapping[Hashable, int]
    surface: SurfaceCounts | None = None

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        labels: Sequence[Hashable],
        surface: SurfaceCounts | None = None,
    ) -> Self:
        """Count documents, one label each; the vocabulary of `corpus` must be sorted."""
        _check_lengths(corpus.n_documents, len(labels))
        vocabulary = pl.Series(values=corpus.vocabulary, dtype=pl.String)
        if not vocabulary.is_sorted():
            raise ValueError(
                "the vocabulary of the corpus is not sorted, so its counts could not be added to "
                "others; Corpus.from_tokens and encode_texts sort it"
            )
        numbers = {label: i for i, label in enumerate(dict.fromkeys(labels))}
        codes = np.fromiter(map(numbers.__getitem__, labels), np.int64, len(labels))
        rows = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
        return cls(
            vocabulary,
            {label: ClassCounts.of(corpus, rows[i]) for label, i in numbers.items()},
            {label: len(rows[i]) for label, i in numbers.items()},
            surface,
        )

    def __add__(self, other: "CorpusCounts") -> Self:
        other.check_addable_to(with_surface=self.surface is not None)
        vocabulary, mine, theirs = _merged(self.vocabulary, other.vocabulary)
        classes: dict[Hashable, ClassCounts] = {}
        for counts, new_ids in ((self, mine), (other, theirs)):
            for label, class_counts in counts.classes.items():
                moved = ClassCounts(new_ids[class_counts.word_ids], class_counts.counts)
                classes[label] = classes[label] + moved if label in classes else moved
        sizes = {
            label: self.sizes.get(label, 0) + other.sizes.get(label, 0)
            for label in (*self.sizes, *other.sizes)
        }
        surface, n_words = None, len(vocabulary)
        if self.surface is not None and other.surface is not None:
            surface = self.surface.relabel(mine, n_words) + other.surface.relabel(theirs, n_words)
        return type(self)(vocabulary, classes, sizes, surface)

    def check_addable_to(self, *, with_surface: bool) -> None:
        """Raise unless these counts can be added to counts of this kind."""
        if (self.surface is not None) != with_surface:
            raise ValueError(
                "cannot add counts with surface forms and counts without; count both with them, or "
                "both without"
            )

    def sorted_sizes(self) -> dict[Hashable, int]:
        """Return the classes in sorted order with their sizes; there must be two or more."""
        if len(self.sizes) < 2:
            present = ", ".join(f"only one class, {label!r}" for label in self.sizes)
            raise ValueError(
                f"the documents have {present or 'no classes'}; at least two classes are needed"
            )
        return {label: self.sizes[label] for label in self.sorted_labels()}

    def sorted_labels(self) -> list[Hashable]:
        """Return the classes in sorted order."""
        try:
            return sorted(self.sizes)  # type: ignore[type-var]
        except TypeError:
            raise TypeError(
                f"the classes {listed(self.sizes)} are of several types and have no order; use "
                "labels of one type"
            ) from None

    def total(self) -> TransitionCounts:
        """Return the counts of all documents, on the whole vocabulary."""
        size = attrgetter("n_transitions")
        parts = sorted(self.classes.values(), key=size)
        if not parts:
            return TransitionCounts.of(Corpus.from_tokens([]))
        # The smallest two first, so that a small class is not carried through many additions.
        while len(parts) > 1:
            insort(parts, parts.pop(0) + parts.pop(0), key=size)
        return parts[0].counts.relabel(parts[0].word_ids, len(self.vocabulary))

    @property
    def n_transitions(self) -> int:
        """Number of stored transitions, over all classes."""
        return sum(class_counts.n_transitions for class_counts in self.classes.values())


class CountsAccumulator:
    """Counts documents that come in batches; memory grows only with the counts.

    Parameters
    ----------
    tokenizer : callable, optional
        From a string to its words; by default as :func:`imbtext.documents.encode_texts`.
    surface : bool, default=False
        Whether to count also how the documents write their words.

    Examples
    --------
    >>> accumulator = CountsAccumulator()
    >>> accumulator.add(["oil up", "gold up"], ["a", "b"])
    >>> accumulator.add(["oil price up"], ["a"])
    >>> accumulator.result().sizes
    {'a': 2, 'b': 1}
    """

    def __init__(self, tokenizer: Tokenizer | None = None, *, surface: bool = False) -> None:
        self.tokenizer = tokenizer
        self.surface = surface
        # Largest first. Equals are added to equals: n batches cost log n passes over the counts.
        self._parts: list[CorpusCounts] = []
        self._texts: list[pl.Series] = []
        self._labels: list[Hashable] = []
        self._n_bytes = 0

    @classmethod
    def of(cls, counts: CorpusCounts) -> "CountsAccumulator":
        """Begin with counts that were made elsewhere, and take more of their kind."""
        accumulator = cls(surface=counts.surface is not None)
        accumulator.merge(counts)
        return accumulator

    def add(
        self, documents: DocumentsLike | pl.Series | Corpus, labels: Sequence[Hashable]
    ) -> None:
        """Take in documents, strings or token lists, and the label of each."""
        if not isinstance(documents, Corpus):
            documents = Documents.of(documents, name="documents").texts
        if isinstance(documents, Corpus):
            if self.surface:
                refuse_tokens()
            self.merge(CorpusCounts.of(documents, labels))
            return
        _check_lengths(len(documents), len(labels))
        if self.tokenizer is not None:
            self._count(documents, labels)
            return
        self._texts.append(documents)
        self._labels.extend(labels)
        self._n_bytes += int(documents.str.len_bytes().sum())
        if self._n_bytes >= _BYTES_AT_ONCE:
            self._count_waiting()

    def merge(self, counts: CorpusCounts) -> None:
        """Add counts that were made elsewhere."""
        counts.check_addable_to(with_surface=self.surface)
        self._parts.append(counts)
        while len(self._parts) > 1 and self._parts[-2].n_transitions < 2 * max(
            self._parts[-1].n_transitions, 1
        ):
            self._join_last()

    def result(self) -> CorpusCounts:
        """Return the counts of all that was added; more can be added afterwards."""
        self._count_waiting()
        if not self._parts:
            self._count(pl.Series(dtype=pl.String), [])
        while len(self._parts) > 1:
            self._join_last()
        return self._parts[0]

    def _count_waiting(self) -> None:
        if self._texts:
            texts, labels = pl.concat(self._texts), self._labels
            self._texts, self._labels, self._n_bytes = [], [], 0
            self._count(texts, labels)

    def _count(self, texts: pl.Series, labels: Sequence[Hashable]) -> None:
        corpus = encode_texts(texts, self.tokenizer)
        surface = SurfaceCounts.of(texts, corpus, self.tokenizer) if self.surface else None
        self.merge(CorpusCounts.of(corpus, labels, surface))

    def _join_last(self) -> None:
        last = self._parts.pop()
        self._parts[-1] = self._parts[-1] + last


def _check_lengths(n_documents: int, n_labels: int) -> None:
    if n_documents != n_labels:
        raise ValueError(
            f"there are {n_documents} documents and {n_labels} labels; give one label per document"
        )


def _merged(
    first: pl.Series, second: pl.Series
) -> tuple[pl.Series, NDArray[np.int64], NDArray[np.int64]]:
    """Merge two sorted vocabularies; return also the new ids of the words of each."""
    halves = [
        pl.DataFrame({"word": words, "second": np.full(len(words), side)})
        for words, side in ((first, False), (second, True))
    ]
    both = halves[0].merge_sorted(halves[1], key="word")
    words = both["word"]
    new = (words != words.shift()).fill_null(value=True)
    place = new.cum_sum().to_numpy().astype(np.int64) - 1
    of_second = both["second"].to_numpy()
    return words.filter(new), place[~of_second], place[of_second]
