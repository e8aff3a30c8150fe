"""The matrix P of the paper for one class, ready to draw from."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext._memory import FITS_ANYWHERE, check_memory
from imbtext.documents import Corpus, offsets_of
from imbtext.markov._counts import TransitionCounts
from imbtext.markov._grams import NGramCounts

if TYPE_CHECKING:
    from types import ModuleType

# Below this many tokens a thread costs more than it brings.
_TOKENS_PER_THREAD = 100_000
# Beyond this the counts of the class are lost in rounding, and sums of weights may overflow.
_MOST_GAMMA = 2.0**53


@dataclass(frozen=True, eq=False)
class MarkovChain:
    """The extrapolated Markov chain of one class.

    A state is what the next word depends on. For order 1 the states are the words of the minority
    vocabulary, one state shared by all majority-only words (their rows are equal: the minority
    word distribution), and ``<stop>``. A higher order adds one state for each longer context that
    occurs in the minority documents.

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
                "nothing follows one of the words of the class: max_words has dropped the words "
                "that did (keep a class whole to draw from it), or the counts of the class are not "
                "part of the total"
            )
        states = _States(word_ids, total.n_words, minority.order)
        minority_levels = minority.renumbered(word_ids, total.n_words)
        for total_level, minority_level in zip(total.longer, minority_levels, strict=True):
            row_words, row_weights, row_ends = states.rows(total_level, minority_level, gamma)
            indptr = np.append(indptr, indptr[-1] + row_ends)
            words = np.append(words, row_words)
            weights = np.append(weights, row_weights)
        return cls(
            n_words=total.n_words,
            minority=word_ids,
            indptr=indptr,
            words=words,
            weights=weights,
            following=states.following(indptr, words),
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
        """Return P of order 1 as in Table 1 of the paper: words and, last, ``<stop>``.

        The rows of the majority-only words are written out, so this is for looking at small
        corpora; drawing never needs it.
        """
        row_state = np.full(self.n_words + 1, len(self.minority))
        row_state[self.minority] = np.arange(len(self.minority))
        row_state[self.n_words] = self.stop_state
        n_states = len(self.minority) + 2
        end = self.indptr[n_states]
        rows = sparse.csr_array(
            (self.weights[:end], self.words[:end], self.indptr[: n_states + 1]),
            shape=(n_states, self.n_words + 1),
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

        def walk(start: int, end: int) -> None:
            kernels.walk(
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
            walk(0, n)
        else:
            bounds = np.linspace(0, n, n_threads + 1).astype(int).tolist()
            with ThreadPoolExecutor(n_threads) as pool:
                list(pool.map(walk, bounds[:-1], bounds[1:]))
        return Corpus(ids, offsets, vocabulary)


class _States:
    """The states of a chain, and the way back to shorter contexts.

    Contexts of k words are numbered level after level. ``child`` leads from a context to the one
    that is longer by the word drawn; ``suffix`` drops the oldest word. A context that the minority
    never saw, or saw only before a repetition of its last word, is left for its suffix (back-off).
    """

    def __init__(self, vocabulary: NDArray[np.int64], n_words: int, order: int) -> None:
        self.stop = n_words
        self.base = n_words + 1
        self.order = order
        self.first = np.full(self.base, len(vocabulary), dtype=np.int64)
        self.first[vocabulary] = np.arange(len(vocabulary))
        self.first[self.stop] = len(vocabulary) + 1
        self.majority_only = len(vocabulary)
        self.suffix = np.full(len(vocabulary) + 2, -1, dtype=np.int64)
        self.child_keys = np.empty(0, dtype=np.int64)
        self.child_states = np.empty(0, dtype=np.int64)

    def find(self, contexts: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the state of each context, -1 where the minority has none."""
        states = self.first[contexts[:, 0]]
        states[states == self.majority_only] = -1
        for column in contexts.T[1:]:
            states = self.child(states, column)
        return states

    def child(self, states: NDArray[np.int64], words: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the context longer by a word, -1 where there is none."""
        if not len(self.child_keys):
            return np.full(len(states), -1, dtype=np.int64)
        keys = states * self.base + words
        where = np.minimum(np.searchsorted(self.child_keys, keys), len(self.child_keys) - 1)
        exists = (self.child_keys[where] == keys) & (states >= 0)
        return np.where(exists, self.child_states[where], -1)

    def rows(
        self, total: NGramCounts, minority: NGramCounts, gamma: float
    ) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int64]]:
        """Add the states of one more level; return their rows of P and where each row ends."""
        contexts = minority.grams[:, :-1]
        # The rows are in lexicographic order, so equal contexts stand together.
        new = np.concatenate([[True], np.any(contexts[1:] != contexts[:-1], axis=1)])
        contexts = contexts[new[: len(contexts)]]
        n_before = len(self.suffix)
        shorter, last = self.find(contexts[:, :-1]), contexts[:, -1]
        suffix = self.find(contexts[:, 1:])
        keys = np.concatenate([self.child_keys, shorter * self.base + last])
        states = np.append(self.child_states, n_before + np.arange(len(contexts)))
        order = np.argsort(keys)
        self.child_keys, self.child_states = keys[order], states[order]
        self.suffix = np.append(self.suffix, suffix)

        grams = np.concatenate([total.grams, minority.grams])
        not_stop = grams[:, -1] != self.stop
        of_total = np.arange(len(grams)) < len(total.grams)
        # gamma C + (1 - gamma) C_min, and E_min for the endings, as in the rows of order 1
        weights = np.concatenate([total.counts, minority.counts]) * np.where(
            of_total, gamma * not_stop, np.where(not_stop, 1 - gamma, 1.0)
        )
        at = self.find(grams[:, :-1])
        kept = (at >= 0) & (grams[:, -1] != grams[:, -2])
        cells = (at[kept] - n_before) * self.base + grams[kept, -1]
        cells, where = np.unique(cells, return_inverse=True)
        sums: NDArray[np.float64] = np.zeros(len(cells))
        np.add.at(sums, where, weights[kept])
        positive = sums > 0
        cells, sums = cells[positive], sums[positive]
        ends = np.cumsum(np.bincount(cells // self.base, minlength=len(contexts)))
        return (cells % self.base).astype(np.int32), sums, ends.astype(np.int64)

    def following(self, indptr: NDArray[np.int64], words: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the state that each entry leads to: the longest context there is."""
        shortest = self.first[words]
        if self.order == 1:
            return shortest.astype(np.int32)
        state = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        empty = np.diff(indptr) == 0
        result = np.full(len(words), -1, dtype=np.int64)
        for _ in range(self.order):
            child = self.child(state, words)
            child[(child >= 0) & empty[child]] = -1
            result = np.where(result < 0, child, result)
            state = np.where(state >= 0, self.suffix[state], -1)
        return np.where(result < 0, shortest, result).astype(np.int32)


def _check_vocabulary(
    total: TransitionCounts, minority: TransitionCounts, word_ids: NDArray[np.int64]
) -> None:
    """Raise unless `minority` counts the words `word_ids` of `total`, with contexts as long."""
    if (
        minority.n_words != len(word_ids)
        or total.order != minority.order
        or not 0 <= word_ids.min(initial=0) <= word_ids.max(initial=0) < total.n_words
    ):
        raise ValueError(
            f"the counts of the class ({minority.n_words} words, order {minority.order}) do not "
            f"belong to those of all documents ({total.n_words} words, order {total.order}); count "
            "both on one vocabulary, with one order"
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
