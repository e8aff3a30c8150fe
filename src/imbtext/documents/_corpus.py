"""A corpus as two arrays: every token as an id, and where documents begin.

Encode once, then stay in ids. Counting, drawing and vectorising work on the arrays. Only documents
for people become text again, with a space between two words, but not between two words of a script
without spaces (:data:`UNSPACED`).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, count, pairwise
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

__all__ = ["Corpus"]

_JOINED_AT_ONCE = 10_000
# The letters, marks and digits of scripts that are written without spaces: Thai, Lao, Burmese,
# Khmer, Chinese and Japanese. These are ranges because Python's regex engine does not know the
# names of scripts, as that of Polars does.
UNSPACED = (
    r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0edf\u1000-\u1049\u1050-\u109d"
    r"\u1780-\u17d3\u17d7\u17dc-\u17e9\u2e80-\u2fd5\u3005-\u3007\u3021-\u3029\u3038-\u303b"
    r"\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u32d0-\u32fe"
    r"\u3300-\u3357\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufad9\uff66-\uff9d\U00020000-\U000323af"
)


@dataclass(frozen=True, eq=False)
class Corpus:
    """Ragged documents over a vocabulary.

    Parameters
    ----------
    ids : ndarray of int32
        The word ids of all documents, one document after the other.
    offsets : ndarray of int64
        Document ``i`` is ``ids[offsets[i]:offsets[i + 1]]``.
    vocabulary : ndarray of object
        The word of each id. Sorted when the corpus was made from words, so that the ids depend on
        the set of words alone and not on the order of the documents.

    Examples
    --------
    >>> corpus = Corpus.from_tokens([["oil", "price"], [], ["price", "up", "price"]])
    >>> corpus.vocabulary.tolist()
    ['oil', 'price', 'up']
    >>> corpus.lengths.tolist()
    [2, 0, 3]
    >>> corpus.counts().toarray().tolist()
    [[1, 1, 0], [0, 0, 0], [0, 2, 1]]
    >>> corpus.texts()
    ['oil price', '', 'price up price']
    """

    ids: NDArray[np.int32]
    offsets: NDArray[np.int64]
    vocabulary: NDArray[np.object_]

    def __post_init__(self) -> None:
        """Raise unless ids and offsets fit together: compiled code trusts them."""
        ids, offsets = self.ids, self.offsets
        if any(part.ndim != 1 or part.dtype.kind not in "iu" for part in (ids, offsets)):
            raise ValueError(
                f"the ids and offsets of the corpus have the types {ids.dtype} and "
                f"{offsets.dtype}, and {ids.ndim} and {offsets.ndim} dimensions; expected whole "
                "numbers in one dimension"
            )
        if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(ids) or self._falls():
            raise ValueError(
                f"the offsets of the corpus do not cut its {len(ids)} tokens into documents; they "
                f"must begin with 0, never fall and end with {len(ids)}. Corpus.from_tokens "
                "computes them"
            )
        if len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < self.n_words:
            raise ValueError(
                f"the ids of the corpus run from {ids.min()} to {ids.max()}, but its vocabulary "
                f"has {self.n_words} words; each id must be the place of a word in the vocabulary"
            )

    def _falls(self) -> bool:
        return bool((self.offsets[:-1] > self.offsets[1:]).any())

    @classmethod
    def from_tokens(
        cls, documents: Sequence[Sequence[str]], vocabulary: ArrayLike | None = None
    ) -> Self:
        """Encode token lists; words outside `vocabulary` are dropped, if it is given."""
        if isinstance(documents, str) or any(isinstance(document, str) for document in documents):
            raise TypeError("expected token lists, but found a string; encode_texts splits strings")
        lengths = np.fromiter(map(len, documents), dtype=np.int64, count=len(documents))
        # Words are numbered in the order they first occur, in one pass: a string remembers its
        # hash, so looking up repeated words in a dictionary is fast.
        number_of: defaultdict[str, int] = defaultdict(count().__next__)
        codes = np.fromiter(
            map(number_of.__getitem__, chain.from_iterable(documents)), np.int32, int(lengths.sum())
        )
        "".join(number_of).encode()  # fails for anything but strings, and for half a surrogate pair
        words = np.array([str(word) for word in number_of], dtype=object)
        order = np.argsort(words)
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        corpus = cls(rank[codes], offsets_of(lengths), words[order])
        return corpus if vocabulary is None else corpus.with_vocabulary(vocabulary)

    @classmethod
    def from_words(cls, pieces: Iterable[tuple[pl.Series, NDArray[np.int64]]]) -> Self:
        """Encode columns of words, each cut into documents of the given lengths.

        Pieces of some hundred thousand words are numbered fastest: lookups slow down when the
        vocabulary does not fit the processor's cache.
        """
        pieces_in_numbers = [(*numbered(words), lengths) for words, lengths in pieces]
        if len(pieces_in_numbers) == 1:
            ((levels, ids, lengths),) = pieces_in_numbers
            return cls(ids, offsets_of(lengths), levels.to_numpy())
        vocabulary = pl.concat([levels for levels, _, _ in pieces_in_numbers]).unique().sort()
        return cls(
            np.concatenate(
                [
                    vocabulary.search_sorted(levels).to_numpy().astype(np.int32)[ids]
                    for levels, ids, _ in pieces_in_numbers
                ]
            ),
            offsets_of(np.concatenate([lengths for _, _, lengths in pieces_in_numbers])),
            vocabulary.to_numpy(),
        )

    @property
    def n_documents(self) -> int:
        """Number of documents, empty ones included."""
        return len(self.offsets) - 1

    @property
    def n_words(self) -> int:
        """Size of the vocabulary."""
        return len(self.vocabulary)

    @property
    def n_tokens(self) -> int:
        """Number of tokens in all documents."""
        return len(self.ids)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each document."""
        return np.diff(self.offsets)

    def select(self, indices: ArrayLike) -> Self:
        """Return the documents `rows` (indices or a boolean mask), in that order."""
        index = np.asarray(indices)
        if index.dtype == bool:
            # Unlike flatnonzero, this refuses a mask of another length.
            index = np.arange(self.n_documents)[index]
        index = index.astype(np.int64, copy=False)
        lengths = self.lengths[index]
        offsets = offsets_of(lengths)
        positions = np.repeat(self.offsets[index] - offsets[:-1], lengths)
        positions += np.arange(offsets[-1])
        return type(self)(self.ids[positions], offsets, self.vocabulary)

    def concatenate(self, other: "Corpus") -> Self:
        """Return these documents followed by the documents of `other`, on the same vocabulary."""
        if other.vocabulary is not self.vocabulary and not np.array_equal(
            other.vocabulary, self.vocabulary
        ):
            raise ValueError(
                f"the corpora have different vocabularies ({self.n_words} and {other.n_words} "
                "words); re-encode one with with_vocabulary() first"
            )
        return type(self)(
            np.concatenate([self.ids, other.ids]),
            np.concatenate([self.offsets, other.offsets[1:] + self.n_tokens]),
            self.vocabulary,
        )

    def joined(self, other: "Corpus") -> Self:
        """Return these documents followed by those of `other`, on the words of both.

        Examples
        --------
        >>> corpus = Corpus.from_tokens([["oil", "up"]]).joined(Corpus.from_tokens([["gas"]]))
        >>> corpus.vocabulary.tolist(), corpus.tokens()
        (['gas', 'oil', 'up'], [['oil', 'up'], ['gas']])
        """
        if not np.array_equal(self.vocabulary, other.vocabulary):
            words = sorted({*self.vocabulary.tolist(), *other.vocabulary.tolist()})
            vocabulary = np.array(words, dtype=object)
            return self.with_vocabulary(vocabulary).concatenate(other.with_vocabulary(vocabulary))
        return self.concatenate(other)

    def without_unused_words(self) -> Self:
        """Return the same documents on the vocabulary of those words that occur."""
        occurs = self.word_counts() > 0
        return self if occurs.all() else self.keep_words(occurs)

    def keep_words(self, mask: NDArray[np.bool_]) -> Self:
        """Drop the words outside `mask` from the documents and from the vocabulary."""
        new_ids = np.where(mask, np.cumsum(mask) - 1, -1)
        return self.relabel(new_ids, self.vocabulary[mask])

    def with_vocabulary(self, vocabulary: ArrayLike) -> Self:
        """Encode the documents with another vocabulary; words outside it are dropped."""
        words = np.asarray(vocabulary, dtype=object)
        position = {word: i for i, word in enumerate(words)}
        new_ids = np.fromiter(
            (position.get(word, -1) for word in self.vocabulary), np.int64, self.n_words
        )
        return self.relabel(new_ids, words)

    def relabel(self, new_ids: NDArray[np.integer], vocabulary: NDArray[np.object_]) -> Self:
        """Give each word the id ``new_ids[id]`` in `vocabulary`; -1 drops the word."""
        ids = new_ids[self.ids].astype(np.int32)
        kept = ids >= 0
        if kept.all():
            return type(self)(ids, self.offsets, vocabulary)
        kept_before = np.concatenate([[0], np.cumsum(kept)])
        return type(self)(ids[kept], kept_before[self.offsets], vocabulary)

    def counts(self) -> sparse.csr_array:
        """Return the bag of words: documents by words, with sorted indices."""
        # Copies, because summing duplicates works in place on the arrays it is given.
        matrix = sparse.csr_array(
            (np.ones(self.n_tokens, dtype=np.int64), self.ids.copy(), self.offsets.copy()),
            shape=(self.n_documents, self.n_words),
        )
        matrix.sum_duplicates()
        return matrix

    def word_counts(self) -> NDArray[np.int64]:
        """Return how often each word of the vocabulary occurs."""
        return np.bincount(self.ids, minlength=self.n_words)

    def tokens(self) -> list[list[str]]:
        """Return the documents as lists of words."""
        words = self.vocabulary[self.ids].tolist()
        bounds = self.offsets.tolist()
        return [words[start:end] for start, end in pairwise(bounds)]

    def texts(self, tokenizer: Callable[[str], Sequence[str]] | None = None) -> list[str]:
        """Return the documents as strings.

        Words are joined with a space, and words of scripts without spaces without one. If
        `tokenizer` would then find other words in a document, all its words are joined with spaces.
        """
        texts: list[str] = []
        # Join many documents and cut the result: several times faster than joining each.
        for first in range(0, self.n_documents, _JOINED_AT_ONCE):
            bounds = self.offsets[first : first + _JOINED_AT_ONCE + 1]
            ids = self.ids[bounds[0] : bounds[-1]]
            words = self.vocabulary[ids].tolist()
            joined = " ".join(words)
            widths = np.fromiter(map(len, words), np.int64, len(words)) + 1
            bounds = bounds - bounds[0]
            touch = None if joined.isascii() else self._touching(ids, bounds)
            if touch is not None:
                gaps = np.where(touch, "", " ").tolist()
                joined = "".join(chain.from_iterable(zip(words, gaps, strict=True)))
                widths = widths - touch
            ends = offsets_of(widths)[bounds].tolist()
            texts += [
                joined[start : end - 1] if end > start else "" for start, end in pairwise(ends)
            ]
            if touch is not None and tokenizer is not None:
                for row in np.flatnonzero(np.diff(offsets_of(touch)[bounds])).tolist():
                    document_words = words[bounds[row] : bounds[row + 1]]
                    if list(tokenizer(texts[first + row])) != document_words:
                        texts[first + row] = " ".join(document_words)
        return texts

    def _touching(
        self, ids: NDArray[np.int32], bounds: NDArray[np.int64]
    ) -> NDArray[np.bool_] | None:
        """Return after which tokens no space belongs; None if a space follows every word."""
        used, codes = np.unique(ids, return_inverse=True)
        words = pl.Series(values=self.vocabulary[used], dtype=pl.String)
        begins, ends = (
            words.str.contains(edge).to_numpy() for edge in (f"^[{UNSPACED}]", f"[{UNSPACED}]$")
        )
        touch = np.zeros(len(ids), dtype=bool)
        touch[:-1] = ends[codes[:-1]] & begins[codes[1:]]
        last_words = bounds[1:][np.diff(bounds) > 0] - 1
        touch[last_words] = False
        return touch if touch.any() else None


def numbered(strings: pl.Series) -> tuple[pl.Series, NDArray[np.int32]]:
    """Return the different strings, sorted, and the number of each string among them.

    Examples
    --------
    >>> levels, numbers = numbered(pl.Series(["up", "oil", "up"]))
    >>> levels.to_list(), numbers.tolist()
    (['oil', 'up'], [1, 0, 1])
    """
    levels = strings.unique().sort()
    return levels, strings.cast(pl.Enum(levels)).to_physical().to_numpy().astype(np.int32)


def offsets_of(lengths: Iterable[int]) -> NDArray[np.int64]:
    """Return where documents of these lengths, one after the other, begin, and where all end."""
    sizes = np.asarray(lengths, dtype=np.int64)
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
