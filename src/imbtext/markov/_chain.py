"""The matrix P of the paper for one class, ready to draw from."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext._memory import FITS_ANYWHERE, check_memory
from imbtext.documents._corpus import Corpus, offsets_of
from imbtext.markov._counts import TransitionCounts

if TYPE_CHECKING:
    from types import ModuleType

# Below this many tokens a thread costs more than it brings.
_TOKENS_PER_THREAD = 100_000
# Beyond this the counts of the class are lost in rounding, and sums of weights may overflow.
_MOST_GAMMA = 2.0**53


@dataclass(frozen=True, eq=False)
class MarkovChain:
    """The extrapolated Markov chain of one class.

    A state is what the next word depends on: a word of the minority vocabulary, one state shared
    by all majority-only words (their rows are equal: the minority word distribution), or
    ``<stop>``.

    Attributes
    ----------
    n_words : int
        Size of the whole vocabulary; also the id that stands for ``<stop>``.
    minority : ndarray of int64
        The ids of the minority vocabulary; state s < len(minority) is the word ``minority[s]``.
    indptr, words, weights : ndarray
        The rows of P, one per state: ``words[indptr[s]:indptr[s + 1]]`` and their unnormalised
        weights.
    following : ndarray of int32
        The state that each entry of ``words`` leads to.
    lengths, length_counts : ndarray of int64
        The length distribution L of the minority documents.
    gamma : float
        The weight that the transitions in the other documents were given.

    Examples
    --------
    >>> from imbtext.documents import Corpus
    >>> corpus = Corpus.from_tokens([["oil", "up"], ["oil", "price", "up"], ["gold", "up"]])
    >>> total = TransitionCounts.of(corpus)
    >>> minority = TransitionCounts.of(corpus.select([0]))
    >>> chain = MarkovChain.extrapolate(total, minority, gamma=0.5)
    >>> corpus.vocabulary.tolist()
    ['gold', 'oil', 'price', 'up']
    >>> chain.matrix().toarray()[1].tolist()  # oil: 0.5 price, 1 up
    [0.0, 0.0, 0.5, 1.0, 0.0]
    >>> chain.matrix().toarray()[2].tolist()  # price is majority-only: back to oil or up
    [0.0, 1.0, 0.0, 1.0, 0.0]
    >>> chain.draw(corpus.vocabulary, 2, seed=0).lengths.tolist()
    [2, 2]
    """

    n_words: int
    minority: NDArray[np.int64]
    indptr: NDArray[np.int64]
    words: NDArray[np.int32]
    weights: NDArray[np.float64]
    following: NDArray[np.int32]
    lengths: NDArray[np.int64]
    length_counts: NDArray[np.int64]
    gamma: float

    @classmethod
    def extrapolate(
        cls,
        total: TransitionCounts,
        minority: TransitionCounts,
        gamma: float,
        word_ids: NDArray[np.int64] | None = None,
    ) -> Self:
        """Estimate the chain of a class (section 4.2 of the paper).

        Parameters
        ----------
        total : TransitionCounts
            Counts of all documents, those of the class included.
        minority : TransitionCounts
            Counts of the documents of the class.
        gamma : float
            Weight of the transitions in the other documents; 0 is plain MCO.
        word_ids : ndarray of int64, optional
            Where `minority` was counted on the class's own words alone: the increasing ids of
            these words in the whole vocabulary.
        """
        if not len(minority.lengths):
            raise ValueError("the class has no document with a word in it; nothing can be learned")
        if not 0 <= gamma <= _MOST_GAMMA:
            raise ValueError(
                f"gamma is {gamma}; expected a number from 0 to {_MOST_GAMMA:.0e}, usually at most "
                "1: larger ones drown the class in the other documents"
            )
        if word_ids is None:
            _check_vocabulary(total, minority, np.arange(total.n_words))
            word_ids = np.flatnonzero(minority.words)
            minority = minority.restrict(word_ids)
        else:
            _check_vocabulary(total, minority, word_ids)
        indptr, words, weights = _kernels().extrapolated_rows(
            word_ids,
            total.pairs.indptr,
            total.pairs.indices,
            total.pairs.data,
            minority.pairs.indptr,
            minority.pairs.indices,
            minority.pairs.data,
            minority.ending,
            float(gamma),
        )
        # The row that all majority-only words share (C_j), and the row of <stop> (I).
        initial = np.flatnonzero(minority.initial)
        indptr = np.append(indptr, indptr[-1] + np.cumsum([len(word_ids), len(initial)]))
        words = np.concatenate([words, word_ids, word_ids[initial]]).astype(np.int32)
        weights = np.concatenate([weights, minority.words, minority.initial[initial]])
        if not np.all(np.diff(indptr) > 0):
            raise ValueError(
                "nothing follows one of the words of the class; the counts of the class must be "
                "part of the total"
            )
        state_of_word = np.full(total.n_words + 1, len(word_ids), dtype=np.int32)
        state_of_word[word_ids] = np.arange(len(word_ids))
        state_of_word[total.n_words] = len(word_ids) + 1
        return cls(
            n_words=total.n_words,
            minority=word_ids,
            indptr=indptr,
            words=words,
            weights=weights,
            following=state_of_word[words],
            lengths=minority.lengths,
            length_counts=minority.length_counts,
            gamma=float(gamma),
        )

    @property
    def stop_state(self) -> int:
        """The state in which a document begins."""
        return len(self.minority) + 1

    @cached_property
    def _tables(self) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
        from imbtext.markov._kernels import alias_tables

        return alias_tables(self.indptr, self.words, self.following, self.weights)

    def matrix(self) -> sparse.csr_array:
        """Return P as in Table 1 of the paper: words and, last, ``<stop>``.

        The rows of the majority-only words are written out, so this is for looking at small
        corpora; drawing never needs it.
        """
        row_state = np.full(self.n_words + 1, len(self.minority))
        row_state[self.minority] = np.arange(len(self.minority))
        row_state[self.n_words] = self.stop_state
        rows = sparse.csr_array(
            (self.weights, self.words, self.indptr),
            shape=(len(self.minority) + 2, self.n_words + 1),
        )
        return rows[row_state]

    def draw(
        self,
        vocabulary: NDArray[np.object_],
        n: int,
        seed: int,
        stream: int = 0,
        first: int = 0,
        length: int | None = None,
        n_jobs: int = 1,
    ) -> Corpus:
        """Draw documents ``first, ..., first + n - 1`` of a stream.

        Parameters
        ----------
        vocabulary : ndarray of object
            The words that the chain's ids stand for.
        n : int
            How many documents.
        seed, stream : int
            What the documents are keyed by; document i of a stream is the same whatever `n`,
            `first` and `n_jobs` are.
        first : int, default=0
            Index of the first document.
        length : int, optional
            Length of every document; by default each draws the length of a minority document.
        n_jobs : int, default=1
            Number of threads.
        """
        if n < 0:
            raise ValueError(f"n is {n}; ask for 0 or more documents")
        if length is not None and length < 1:
            raise ValueError(f"length is {length}; every document needs at least one word")
        if len(vocabulary) != self.n_words:
            raise ValueError(
                f"the vocabulary has {len(vocabulary)} words and the chain {self.n_words}; pass "
                "the vocabulary of the documents that the chain was learned from"
            )
        _check_size(n, float(n) if length is None else float(n) * float(length))
        kernels = _kernels()
        key = (np.uint64(seed), np.uint64(stream))
        if length is None:
            lengths = kernels.draw_lengths(
                n, first, *key, self.lengths, np.cumsum(self.length_counts)
            )
        else:
            lengths = np.full(n, length, dtype=np.int64)
        _check_size(n, float(lengths.sum(dtype=float)))
        offsets = offsets_of(lengths)
        ids = np.empty(offsets[-1], dtype=np.int32)
        cut, outcome = self._tables

        def draw_part(start: int, end: int) -> None:
            kernels.draw_documents(
                ids,
                offsets[start : end + 1],
                first + start,
                *key,
                self.indptr,
                cut,
                outcome,
                self.n_words,
                self.stop_state,
            )

        n_threads = min(n_jobs, 1 + len(ids) // _TOKENS_PER_THREAD)
        if n_threads <= 1:
            draw_part(0, n)
        else:
            bounds = np.linspace(0, n, n_threads + 1).astype(int).tolist()
            with ThreadPoolExecutor(n_threads) as pool:
                list(pool.map(draw_part, bounds[:-1], bounds[1:]))
        return Corpus(ids, offsets, vocabulary)


def _check_vocabulary(
    total: TransitionCounts, minority: TransitionCounts, word_ids: NDArray[np.int64]
) -> None:
    """Raise unless `minority` counts the words `word_ids` of `total`."""
    if (
        minority.n_words != len(word_ids)
        or not 0 <= word_ids.min(initial=0) <= word_ids.max(initial=0) < total.n_words
    ):
        raise ValueError(
            f"the counts of the class ({minority.n_words} words) do not belong to those of all "
            f"documents ({total.n_words} words); count both on one vocabulary"
        )


def _check_size(n_documents: int, n_tokens: float) -> None:
    """Refuse what no memory holds, before sums of lengths overflow."""
    # A word takes four bytes as an id, and more as soon as somebody reads it.
    n_bytes = 16.0 * n_documents + 16.0 * n_tokens
    if n_bytes > FITS_ANYWHERE:
        check_memory(
            n_bytes,
            f"{n_documents:,} documents of {n_tokens:.3g} words together",
            "draw fewer or shorter ones at a time",
        )


def _kernels() -> "ModuleType":
    # numba takes a third of a second to import: only when a chain is made.
    from imbtext.markov import _kernels as kernels

    return kernels
