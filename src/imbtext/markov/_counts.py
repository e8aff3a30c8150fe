"""What one pass over a corpus counts.

Counts add: a corpus can be counted in pieces, in a stream or on many machines. Counts subtract:
the majority of any class is the whole corpus less that class, so one count of a corpus serves
every class and every gamma.
"""

from dataclasses import dataclass, replace
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext.documents._corpus import Corpus
from imbtext.records import StoredAs

# Sums stay exact in 64 bits, as integers and as floats.
_MOST = 2.0**53
# No document has more words than this; a file that claims it would be drawn from for hours.
_LONGEST = 10**8


@dataclass(frozen=True, eq=False)
class PairsRecord:
    """How a sparse array of counts is stored, checked when it is read."""

    n_rows: int
    n_columns: int
    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    data: NDArray[np.int64]

    @classmethod
    def of(cls, pairs: sparse.csr_array) -> Self:
        """Take the array apart."""
        parts = (pairs.indptr, pairs.indices, pairs.data)
        return cls(*pairs.shape, *(part.astype(np.int64, copy=False) for part in parts))

    def restored(self) -> sparse.csr_array:
        """Return the array again."""
        indptr, indices = self.indptr, self.indices
        # scipy does not look at indptr where nothing is stored, and then writes wherever it points.
        if (
            len(indptr) != self.n_rows + 1
            or indptr[0] != 0
            or (indptr[:-1] > indptr[1:]).any()
            or indptr[-1] != len(indices)
        ):
            raise ValueError("the ends of its rows of transitions are not in order")
        check_counts(indices, self.data)
        shape = (self.n_rows, self.n_columns)
        pairs = sparse.csr_array((self.data, indices, indptr), shape=shape)
        pairs.check_format(full_check=True)
        pairs.sum_duplicates()
        if pairs.nnz < 2**31:
            pairs.indices = pairs.indices.astype(np.int32)
            pairs.indptr = pairs.indptr.astype(np.int32)
        return pairs


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

    pairs: Annotated[sparse.csr_array, StoredAs(PairsRecord)]
    initial: NDArray[np.int64]
    ending: NDArray[np.int64]
    words: NDArray[np.int64]
    lengths: NDArray[np.int64]
    length_counts: NDArray[np.int64]

    @classmethod
    def of(cls, corpus: Corpus) -> Self:
        """Count the documents of `corpus`."""
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
        )

    @property
    def n_words(self) -> int:
        """Size of the vocabulary."""
        return len(self.words)

    @property
    def n_documents(self) -> int:
        """Number of documents that have words."""
        return int(self.length_counts.sum())

    def __add__(self, other: "TransitionCounts") -> Self:
        return self._merge(other, 1)

    def __sub__(self, other: "TransitionCounts") -> Self:
        difference = self._merge(other, -1)
        parts = [difference.words, difference.initial, difference.ending, difference.length_counts]
        if any(np.any(part < 0) for part in [*parts, difference.pairs.data]):
            raise ValueError(
                "cannot subtract counts of documents that are not part of the whole; "
                "subtract a class from the corpus it belongs to"
            )
        return difference

    def _merge(self, other: "TransitionCounts", sign: int) -> Self:
        if self.n_words != other.n_words:
            raise ValueError(
                f"cannot combine counts over {self.n_words} words with counts over "
                f"{other.n_words} words; count both on one vocabulary"
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
        )

    def restrict(self, word_ids: NDArray[np.integer]) -> Self:
        """Renumber the counts on `word_ids` alone, which must include every word that occurs."""
        return replace(
            self,
            pairs=self.pairs[word_ids][:, word_ids],
            initial=self.initial[word_ids],
            ending=self.ending[word_ids],
            words=self.words[word_ids],
        )

    def check(self) -> None:
        """Raise unless these numbers, which a file holds, are those of documents."""
        n_words, lengths = self.n_words, self.lengths
        if self.pairs.shape != (n_words, n_words):
            raise ValueError(f"its transitions do not fit a vocabulary of {n_words} words")
        if not len(self.initial) == len(self.ending) == n_words:
            raise ValueError(f"its ends of documents do not fit a vocabulary of {n_words} words")
        check_counts(self.initial, self.ending, self.words, self.length_counts)
        if len(lengths) != len(self.length_counts):
            raise ValueError("the lengths and their counts differ in number")
        if (
            np.any(lengths < 1)
            or np.any(np.diff(lengths) < 1)
            or np.any(self.length_counts < 1)
            or lengths.max(initial=0) > _LONGEST
        ):
            raise ValueError("the lengths are not those of documents")
        self._check_sums()

    def _check_sums(self) -> None:
        """Refuse numbers that no documents can have."""
        parts = [self.pairs.data, self.words, self.length_counts]
        n_tokens = float(np.dot(self.lengths.astype(float), self.length_counts.astype(float)))
        if max(n_tokens, *(part.sum(dtype=float) for part in parts)) >= _MOST:
            raise ValueError("it counts more words than there can be")
        # Each occurrence of a word is followed by a word or ends a document, and begins one or
        # follows a word.
        followed = self.pairs.sum(axis=1) + self.ending
        preceded = self.pairs.sum(axis=0) + self.initial
        if not (
            n_tokens == int(self.words.sum())
            and self.n_documents == int(self.initial.sum()) == int(self.ending.sum())
            and np.array_equal(self.words, followed)
            and np.array_equal(self.words, preceded)
        ):
            raise ValueError("the counts of words, transitions and documents contradict each other")


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """The counts of one class on its own words, and the ids of these in the whole vocabulary."""

    word_ids: NDArray[np.int64]
    counts: TransitionCounts

    @classmethod
    def of(cls, corpus: Corpus, members: NDArray[np.int64]) -> Self:
        """Count the documents `members` of `corpus`."""
        documents = corpus.select(members)
        occurs = documents.word_counts() > 0
        return cls(np.flatnonzero(occurs), TransitionCounts.of(documents.keep_words(occurs)))

    @property
    def n_transitions(self) -> int:
        """Number of stored transitions."""
        return int(self.counts.pairs.nnz)

    def __add__(self, other: "ClassCounts") -> Self:
        word_ids = np.union1d(self.word_ids, other.word_ids)
        mine, theirs = (
            part.counts.relabel(np.searchsorted(word_ids, part.word_ids), len(word_ids))
            for part in (self, other)
        )
        return type(self)(word_ids, mine + theirs)


def check_counts(*arrays: NDArray[np.int64]) -> None:
    """Raise if an array that a file holds has a number below 0."""
    if any(values.min(initial=0) < 0 for values in arrays):
        raise ValueError("an array holds something other than counts")


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
