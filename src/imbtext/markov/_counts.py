"""What one pass over a corpus counts.

Counts add: a corpus can be counted in pieces, in a stream or on many machines. Counts subtract:
the majority of any class is the whole corpus less that class, so one count of a corpus serves
every class and every gamma.
"""

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext._archive import Arrays
from imbtext.documents import Corpus
from imbtext.markov._grams import (
    NGramCounts,
    count_arrays,
    count_grams,
    read_transitions,
    transition_arrays,
)

_ARRAYS = ("initial", "ending", "words", "lengths", "length_counts")
# Sums stay exact in 64 bits, as integers and as floats.
_MOST = 2.0**53
# No document has so many words; a file that claims it would be drawn from for hours.
_LONGEST = 10**8
# Each order stores the documents once more; no text repeats contexts of so many words.
_MOST_ORDER = 100


@dataclass(frozen=True, eq=False)
class TransitionCounts:
    """Word transitions, document beginnings and endings, words and lengths of a set of documents.

    Empty documents count nothing.

    Attributes
    ----------
    pairs : sparse array of int64, shape (n_words, n_words)
        ``pairs[i, j]`` is how often word j follows word i (C_ij of the paper, the diagonal
        included; the chain sets it to zero).
    initial, ending, words : ndarray of int64, shape (n_words,)
        How often each word begins a document (I), ends one (E), and occurs at all (C_j).
    lengths, length_counts : ndarray of int64
        The distinct document lengths in increasing order, and how many documents have each.
    longer : tuple of NGramCounts
        For an order n > 1, the contexts of 2, ..., n ids. The ``<stop>`` before the first word
        counts as a word of the context.

    Examples
    --------
    >>> corpus = Corpus.from_tokens([["a", "b", "a"], ["b"]])
    >>> counts = TransitionCounts.of(corpus)
    >>> counts.pairs.toarray().tolist()
    [[0, 1], [1, 0]]
    >>> counts.initial.tolist(), counts.ending.tolist()
    ([1, 1], [1, 1])
    >>> rest = counts - TransitionCounts.of(corpus.select([0]))
    >>> rest.pairs.nnz, rest.words.tolist(), rest.lengths.tolist()
    (0, [0, 1], [1])
    """

    pairs: sparse.csr_array
    initial: NDArray[np.int64]
    ending: NDArray[np.int64]
    words: NDArray[np.int64]
    lengths: NDArray[np.int64]
    length_counts: NDArray[np.int64]
    longer: tuple[NGramCounts, ...] = ()

    @classmethod
    def of(cls, corpus: Corpus, order: int = 1) -> Self:
        """Count the documents of `corpus`, with contexts of up to `order` words."""
        check_order(order)
        ids, n_words = corpus.ids, corpus.n_words
        starts = corpus.offsets[:-1][corpus.lengths > 0]
        ends = np.append(starts[1:], len(ids)) - 1 if len(starts) else starts
        lengths, length_counts = np.unique(ends - starts + 1, return_counts=True)
        return cls(
            pairs=_pair_counts(corpus),
            initial=np.bincount(ids[starts], minlength=n_words),
            ending=np.bincount(ids[ends], minlength=n_words),
            words=corpus.word_counts(),
            lengths=lengths,
            length_counts=length_counts.astype(np.int64),
            longer=tuple(count_grams(corpus, k) for k in range(2, order + 1)),
        )

    @property
    def n_words(self) -> int:
        """Size of the vocabulary."""
        return len(self.words)

    @property
    def n_documents(self) -> int:
        """Number of documents that have words."""
        return int(self.length_counts.sum())

    @property
    def order(self) -> int:
        """The longest context that was counted."""
        return len(self.longer) + 1

    def __add__(self, other: "TransitionCounts") -> Self:
        return self._merge(other, 1)

    def __sub__(self, other: "TransitionCounts") -> Self:
        difference = self._merge(other, -1)
        parts = [difference.words, difference.initial, difference.ending, difference.length_counts]
        parts += [difference.pairs.data, *(level.counts for level in difference.longer)]
        if any(np.any(part < 0) for part in parts):
            raise ValueError(
                "cannot subtract counts of documents that are not part of the whole; "
                "subtract a class from the corpus it belongs to"
            )
        return difference

    def _merge(self, other: "TransitionCounts", sign: int) -> Self:
        if (self.n_words, self.order) != (other.n_words, other.order):
            raise ValueError(
                f"cannot combine counts over {self.n_words} words of order {self.order} with "
                f"counts over {other.n_words} words of order {other.order}; "
                "count both on one vocabulary, with one order"
            )
        pairs = (self.pairs + sign * other.pairs).tocsr()
        pairs.eliminate_zeros()
        pairs.sort_indices()
        lengths, where = np.unique(
            np.concatenate([self.lengths, other.lengths]), return_inverse=True
        )
        length_counts = np.zeros(len(lengths), dtype=np.int64)
        np.add.at(
            length_counts, where, np.concatenate([self.length_counts, sign * other.length_counts])
        )
        kept = length_counts != 0
        return type(self)(
            pairs=pairs,
            initial=self.initial + sign * other.initial,
            ending=self.ending + sign * other.ending,
            words=self.words + sign * other.words,
            lengths=lengths[kept],
            length_counts=length_counts[kept],
            longer=tuple(
                mine.merge(theirs, sign)
                for mine, theirs in zip(self.longer, other.longer, strict=True)
            ),
        )

    def relabel(self, new_ids: NDArray[np.integer], n_words: int) -> Self:
        """Give word i the id ``new_ids[i]``, all increasing, in a vocabulary of `n_words` words."""
        pairs, index = self.pairs, self.pairs.indices.dtype
        row_sizes = np.zeros(n_words + 1, dtype=index)
        row_sizes[new_ids + 1] = np.diff(pairs.indptr)
        placed = new_ids.astype(index)[pairs.indices]
        pairs = sparse.csr_array(
            (pairs.data, placed, np.cumsum(row_sizes, dtype=index)), shape=(n_words, n_words)
        )

        def moved(values: NDArray[np.int64]) -> NDArray[np.int64]:
            placed = np.zeros(n_words, dtype=np.int64)
            placed[new_ids] = values
            return placed

        return replace(
            self,
            pairs=pairs,
            initial=moved(self.initial),
            ending=moved(self.ending),
            words=moved(self.words),
            longer=self.renumbered(new_ids, n_words),
        )

    def restrict(self, word_ids: NDArray[np.integer]) -> Self:
        """Renumber the counts on `word_ids` alone, which must include every word that occurs."""
        new_ids = np.zeros(self.n_words, dtype=np.int64)
        new_ids[word_ids] = np.arange(len(word_ids))
        return replace(
            self,
            pairs=self.pairs[word_ids][:, word_ids],
            initial=self.initial[word_ids],
            ending=self.ending[word_ids],
            words=self.words[word_ids],
            longer=self.renumbered(new_ids, len(word_ids)),
        )

    def renumbered(self, new_ids: NDArray[np.integer], n_words: int) -> tuple[NGramCounts, ...]:
        """Return the longer contexts with id ``new_ids[i]`` for word i, among `n_words`."""
        with_stop = np.append(new_ids, n_words).astype(np.int32)
        return tuple(NGramCounts(with_stop[level.grams], level.counts) for level in self.longer)

    def to_arrays(self) -> Arrays:
        """Return the counts as plain arrays by name, for a file."""
        others = {name: getattr(self, name) for name in _ARRAYS}
        return transition_arrays(self.pairs, self.longer, others)

    @classmethod
    def from_arrays(cls, arrays: Arrays, order: int, *, pruned: bool = False) -> Self:
        """Rebuild the counts from :meth:`to_arrays`, checking that they fit together.

        Pruned counts have fewer transitions than their words and documents tell.
        """
        plain = count_arrays(arrays, order, _ARRAYS)
        n_words = len(plain["words"])
        for name in ("initial", "ending", "words"):
            if plain[name].shape != (n_words,):
                raise ValueError(f"{name!r} does not fit a vocabulary of {n_words} words")
        lengths, length_counts = plain["lengths"], plain["length_counts"]
        if lengths.ndim != 1 or lengths.shape != length_counts.shape:
            raise ValueError("the lengths and their counts differ in number")
        if (
            np.any(lengths < 1)
            or np.any(np.diff(lengths) < 1)
            or np.any(length_counts < 1)
            or lengths.max(initial=0) > _LONGEST
        ):
            raise ValueError("the lengths are not those of documents")
        pairs, longer = read_transitions(plain, order, (n_words, n_words))
        if pairs.nnz < 2**31:
            pairs.indices = pairs.indices.astype(np.int32)
            pairs.indptr = pairs.indptr.astype(np.int32)
        counts = cls(pairs=pairs, longer=longer, **{name: plain[name] for name in _ARRAYS})
        counts._check_sums(pruned)
        return counts

    def _check_sums(self, pruned: bool) -> None:
        """Refuse numbers that no documents can have."""
        parts = [self.pairs.data, self.words, self.length_counts]
        n_tokens = float(np.dot(self.lengths.astype(float), self.length_counts.astype(float)))
        if max(n_tokens, *(part.sum(dtype=float) for part in parts)) >= _MOST:
            raise ValueError("it counts more words than there can be")
        missing = self._missing()
        if any(part < 0 for part in missing) or (any(missing) and not pruned):
            raise ValueError("the counts of words, transitions and documents contradict each other")

    def _missing(self) -> tuple[int, ...]:
        """Return how far sums that documents make equal differ; negative where they cannot."""
        n_tokens = int(self.lengths @ self.length_counts)
        following = self.words - self.pairs.sum(axis=1) - self.ending
        preceding = self.words - self.pairs.sum(axis=0) - self.initial
        return (
            n_tokens - int(self.words.sum()),
            # Each document with <stop> before and behind it has so many runs of k + 1 ids.
            *(
                int(np.maximum(self.lengths + 2 - k, 0) @ self.length_counts)
                - int(level.counts.sum())
                for k, level in enumerate(self.longer, start=2)
            ),
            self.n_documents - int(self.initial.sum()),
            self.n_documents - int(self.ending.sum()),
            *(
                int(part.min() if (part < 0).any() else part.sum())
                for part in (following, preceding)
            ),
        )

    @property
    def is_pruned(self) -> bool:
        """Whether transitions or words of the documents were forgotten."""
        return any(self._missing())


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """The counts of one class on its own words, and the ids of these in the whole vocabulary."""

    word_ids: NDArray[np.int64]
    counts: TransitionCounts

    @classmethod
    def of(cls, corpus: Corpus, rows: NDArray[np.int64], order: int = 1) -> Self:
        """Count the documents `rows` of `corpus`."""
        documents = corpus.select(rows)
        occurs = documents.word_counts() > 0
        return cls(np.flatnonzero(occurs), TransitionCounts.of(documents.keep_words(occurs), order))

    @property
    def n_transitions(self) -> int:
        """Number of stored transitions, longer contexts included."""
        return int(self.counts.pairs.nnz) + sum(len(level.counts) for level in self.counts.longer)

    def __add__(self, other: "ClassCounts") -> Self:
        word_ids = np.union1d(self.word_ids, other.word_ids)
        mine, theirs = (
            part.counts.relabel(np.searchsorted(word_ids, part.word_ids), len(word_ids))
            for part in (self, other)
        )
        return type(self)(word_ids, mine + theirs)


def check_order(order: int) -> None:
    """Raise unless contexts of up to `order` words can be counted.

    Examples
    --------
    >>> check_order(10**9)
    Traceback (most recent call last):
    ...
    ValueError: order is 1000000000; expected a number of words from 1 to 100
    """
    if not isinstance(order, Integral) or not 1 <= order <= _MOST_ORDER:
        raise ValueError(f"order is {order!r}; expected a number of words from 1 to {_MOST_ORDER}")


def _pair_counts(corpus: Corpus) -> sparse.csr_array:
    # numba takes a third of a second to import: only when something is counted.
    from imbtext.markov._kernels import count_pairs

    indptr, columns, counts = count_pairs(corpus.ids, corpus.offsets, corpus.n_words)
    # Both arrays of indices have one type, 32 bits as long as the number of pairs allows it.
    index = indptr.dtype if len(columns) >= 2**31 else columns.dtype
    return sparse.csr_array(
        (counts, columns.astype(index, copy=False), indptr.astype(index, copy=False)),
        shape=(corpus.n_words, corpus.n_words),
    )
