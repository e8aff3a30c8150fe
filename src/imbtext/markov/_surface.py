"""Surface forms: how a corpus writes its words, counted and drawn.

A chain draws words, but a reader, a cased model or a model of characters sees text.
:class:`SurfaceCounts` counts how each word is written (its case) after the word before it, and what
stands between the two (spaces, punctuation): one :class:`PairTextCounts` for forms and one for
gaps. Counts add, as transitions do. Writing runs in compiled loops (``_surface_kernels.py``) and
never changes the words: the tokenizer finds in the text exactly the words that were drawn.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, NoReturn, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext._typing import Array, Document
from imbtext.documents._containers import are_texts
from imbtext.documents._corpus import Corpus, numbered, offsets_of
from imbtext.documents._tokenization import DEFAULT_WORDS, Tokenizer, words_and_characters

_WORD_AT_EDGE: Final = re.compile(r"^\w|\w$")
# Its lower case depends on what follows, so that it cannot be moved to other neighbours.
_SIGMA: Final = "\N{GREEK CAPITAL LETTER SIGMA}"


@dataclass(frozen=True, eq=False)
class PairTextCounts:
    """Which texts each pair of neighbouring words is written with, and how often."""

    pairs: NDArray[np.int64]  # left * (n_words + 1) + right, sorted; n_words stands for <stop>
    texts: NDArray[np.int64]  # the number of the text, increasing within a pair
    counts: NDArray[np.int64]
    strings: NDArray[np.object_]  # the text of each number, sorted

    @classmethod
    def of(cls, pairs: NDArray[np.int64], written: pl.Series) -> Self:
        """Count equal pairs with equal texts."""
        strings, numbers = numbered(written)
        counts = np.ones(len(pairs), dtype=np.int64)
        return cls.summed(pairs, numbers.astype(np.int64), counts, strings.to_numpy())

    @classmethod
    def summed(
        cls,
        pairs: NDArray[np.int64],
        texts: NDArray[np.int64],
        counts: NDArray[np.int64],
        strings: NDArray[np.object_],
    ) -> Self:
        """Add up equal entries and put them in order."""
        order = np.lexsort((texts, pairs))
        pairs, texts = pairs[order], texts[order]
        is_first = np.ones(len(pairs), dtype=bool)
        is_first[1:] = (pairs[1:] != pairs[:-1]) | (texts[1:] != texts[:-1])
        starts = np.flatnonzero(is_first)
        sums = np.add.reduceat(counts[order], starts) if len(starts) else counts
        return cls(pairs[starts], texts[starts], sums, strings)

    def checked(self, n_words: int) -> Self:
        """Return these counts, which a file holds, in order; raise if they do not fit together."""
        pairs, texts, counts = self.pairs, self.texts, self.counts
        if not (
            len(pairs) == len(texts) == len(counts)
            and np.all((pairs >= 0) & (pairs < (n_words + 1) ** 2))
            and np.all((texts >= 0) & (texts < len(self.strings)))
            and np.all(counts > 0)
            and counts.sum(dtype=float) < 2.0**32
        ):
            raise ValueError("its counts of surface forms do not fit together")
        return self.summed(pairs, texts, counts, self.strings)

    def merge(self, other: "PairTextCounts") -> Self:
        """Return the sum of both counts, over the same words."""
        mine, theirs = (pl.Series(values=part.strings, dtype=pl.String) for part in (self, other))
        strings = pl.concat([mine, theirs]).unique().sort()
        texts = [
            strings.search_sorted(mine).to_numpy()[self.texts],
            strings.search_sorted(theirs).to_numpy()[other.texts],
        ]
        return self.summed(
            np.concatenate([self.pairs, other.pairs]),
            np.concatenate(texts).astype(np.int64),
            np.concatenate([self.counts, other.counts]),
            strings.to_numpy(),
        )

    def relabel(self, new_ids: NDArray[np.integer], n_words: int) -> Self:
        """Give word i the id ``new_ids[i]``, all increasing, among `n_words`; -1 drops the word."""
        ids = np.append(new_ids, n_words).astype(np.int64)
        left, right = (ids[side] for side in np.divmod(self.pairs, len(ids)))
        kept = (left >= 0) & (right >= 0)
        used, texts = np.unique(self.texts[kept], return_inverse=True)
        # Increasing ids leave the entries in order.
        pairs = left[kept] * (n_words + 1) + right[kept]
        return type(self)(pairs, texts, self.counts[kept], self.strings[used])

    def by_pair(self, pairs: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return where the entries of each of `pairs` start, and the entries.

        `pairs` include all pairs counted here. An entry is a cumulative count within its pair, and
        a text.
        """
        starts = np.append(np.searchsorted(self.pairs, pairs), len(self.pairs))
        return starts.astype(np.int32), self._entries(starts)

    def by_word(
        self, words: NDArray[np.int64], n_words: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return where the entries of each word start, and the entries; `words` has one per entry.

        The entries of the word ``n_words``, which stands for no word, are left out.
        """
        kept = words < n_words
        by_word = self.summed(words[kept], self.texts[kept], self.counts[kept], self.strings)
        starts = np.searchsorted(by_word.pairs, np.arange(n_words + 1))
        return starts.astype(np.int32), by_word._entries(starts)

    def _entries(self, starts: NDArray[np.int64]) -> NDArray[np.int64]:
        sums = offsets_of(self.counts)
        before = np.repeat(sums[starts[:-1]], np.diff(starts))
        return np.column_stack([sums[1:] - before, self.texts])


@dataclass(frozen=True, eq=False)
class SurfaceCounts:
    """How a corpus writes its words.

    Attributes
    ----------
    forms : PairTextCounts
        The forms of the right of two words.
    gaps : PairTextCounts
        The text between the two.
    n_words : int
        Size of the vocabulary.

    Examples
    --------
    >>> from imbtext.documents import encode_texts
    >>> texts = ["Oil is up, says Opec.", "Gold: up? Oil: down!"]
    >>> corpus = encode_texts(texts)
    >>> surface = SurfaceCounts.of(texts, corpus)
    >>> surface.write(corpus.select([1, 0]), seed=0)
    ['Gold: up? Oil: down!', 'Oil is up, says Opec.']
    """

    forms: PairTextCounts
    gaps: PairTextCounts
    n_words: int

    @classmethod
    def of(
        cls,
        texts: Sequence[Document] | pl.Series,
        corpus: Corpus,
        tokenizer: Tokenizer | None = None,
    ) -> Self:
        """Count how `texts` write the words of `corpus`, which was made from them.

        Documents whose words cannot be found in their text, such as stems, count nothing. Token
        lists are refused.
        """
        if not are_texts(texts):
            refuse_tokens()
        written = written_words(texts, corpus, tokenizer)
        part, n = corpus.select(written.indices), corpus.n_words
        ids = part.ids.astype(np.int64)
        # Each document with a <stop> before and behind it: one gap more than words.
        left, right = np.insert(ids, part.offsets[:-1], n), np.insert(ids, part.offsets[1:], n)
        pairs = left * (n + 1) + right
        return cls(
            PairTextCounts.of(pairs[right < n], written.forms),
            PairTextCounts.of(pairs, written.gaps),
            n,
        )

    def __add__(self, other: "SurfaceCounts") -> Self:
        return type(self)(self.forms.merge(other.forms), self.gaps.merge(other.gaps), self.n_words)

    def relabel(self, new_ids: NDArray[np.integer], n_words: int) -> Self:
        """Give word i the id ``new_ids[i]``, all increasing, among `n_words`; -1 drops the word."""
        forms, gaps = (part.relabel(new_ids, n_words) for part in (self.forms, self.gaps))
        return type(self)(forms, gaps, n_words)

    def checked(self, n_words: int) -> Self:
        """Return these counts, which a file holds, in order; raise if they do not fit together."""
        if self.n_words != n_words:
            raise ValueError(f"its surface has {self.n_words} words and its vocabulary {n_words}")
        return type(self)(self.forms.checked(n_words), self.gaps.checked(n_words), n_words)

    @cached_property
    def _tables(self) -> tuple[Array, ...]:
        # numba takes a while to import: only where something is written.
        from imbtext.markov import _surface_kernels

        n, pairs = self.n_words, np.unique(self.gaps.pairs)
        left, right = np.divmod(self.gaps.pairs, n + 1)
        forms, gaps = self.forms.by_pair(pairs), self.gaps.by_pair(pairs)
        return (
            _surface_kernels.hashed(pairs, *forms, *gaps),
            *forms,
            *self.forms.by_word(self.forms.pairs % (n + 1), n),
            *gaps,
            # What stands at the ends of documents says nothing about their inside.
            *self.gaps.by_word(np.where(right == n, n, left), n),
        )

    @cached_property
    def usual_gap(self) -> str:
        """The most frequent gap between two words."""
        sums = self._inner_gaps()
        return str(self.gaps.strings[sums.argmax()]) if len(sums) else " "

    @cached_property
    def _gaps_can_join(self) -> bool:
        """Whether two words could run together in another gap than theirs.

        In scripts without spaces a gap may be empty, or a digit that does not count as a word.
        Between other words it is neither.
        """
        inner_gaps = self.gaps.strings[np.flatnonzero(self._inner_gaps())]
        return not all(inner_gaps) or any(map(_WORD_AT_EDGE.search, self.gaps.strings))

    def _inner_gaps(self) -> Array:
        """Return how often each gap stands between two words."""
        left, right = np.divmod(self.gaps.pairs, self.n_words + 1)
        inside = (left != self.n_words) & (right != self.n_words)
        return np.bincount(self.gaps.texts[inside], self.gaps.counts[inside])

    def write(
        self,
        corpus: Corpus,
        seed: int,
        stream: int = 0,
        first: int = 0,
        tokenizer: Tokenizer | None = None,
    ) -> list[str]:
        """Write documents as text, each word as the counted corpus writes it.

        Parameters
        ----------
        corpus : Corpus
            The words, on the vocabulary that was counted.
        seed, stream, first : int
            The randomness. The documents are ``first, first + 1, ...`` of the stream, and each is
            written the same whatever others are written with it.
        tokenizer : callable, optional
            The tokenizer of the corpus, if it is not the default. A document in which it would
            find other words is joined by the usual gap instead, or as `Corpus.texts` does it.
        """
        from imbtext.markov import _surface_kernels

        if corpus.n_words != self.n_words:
            raise ValueError(
                f"the corpus has a vocabulary of {corpus.n_words} words and the counts one of "
                f"{self.n_words}; write documents on the vocabulary that was counted"
            )
        codes = _surface_kernels.choose(
            corpus.ids,
            corpus.offsets,
            first,
            np.uint64(seed),
            np.uint64(stream),
            self.n_words,
            self._tables,
            len(self.forms.strings),
            len(self.gaps.strings),
        )
        strings, ends = self._strings(corpus.vocabulary)
        bounds = offsets_of(np.diff(ends)[codes])
        out = np.empty(bounds[-1], dtype=np.uint8)
        _surface_kernels.write(codes, strings, ends, out)
        cuts = bounds[2 * corpus.offsets + np.arange(corpus.n_documents + 1)].tolist()
        content = out.tobytes()
        texts = [content[start:end].decode() for start, end in pairwise(cuts)]
        if tokenizer is None and self._gaps_can_join and _are_default_words(corpus.vocabulary):
            tokenizer = words_and_characters
        return texts if tokenizer is None else self._checked(texts, corpus, tokenizer)

    def _strings(
        self, vocabulary: NDArray[np.object_]
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return all strings that can be written, as bytes, and where each of them ends."""
        strings = [*self.forms.strings, *self.gaps.strings, "", self.usual_gap, *vocabulary]
        content = [string.encode() for string in strings]
        ends = offsets_of(np.fromiter(map(len, content), np.int64, len(content)))
        return np.frombuffer(b"".join(content), dtype=np.uint8), ends

    def _checked(self, texts: list[str], corpus: Corpus, tokenizer: Tokenizer) -> list[str]:
        plain: list[str] = []
        for i, words in enumerate(corpus.tokens()):
            if list(tokenizer(texts[i])) != words:
                joined = self.usual_gap.join(words)
                if list(tokenizer(joined)) != words:
                    plain = plain or corpus.texts(tokenizer)
                    joined = plain[i]
                texts[i] = joined
        return texts


def _are_default_words(vocabulary: NDArray[np.object_]) -> bool:
    """Return whether the default tokenizer reads each word as that word."""
    words: list[str] = vocabulary.tolist()
    return words_and_characters(" ".join(words)) == words


def refuse_tokens() -> NoReturn:
    """Raise the error for token lists, which have no surface."""
    raise ValueError(
        "surface=True writes words as the texts write them, but token lists have no text; pass "
        "strings, or set surface=False"
    )


# Finding the words of a corpus in the texts that it was made from.


@dataclass(frozen=True, eq=False)
class WrittenWords:
    """The words of some documents as their texts write them.

    Documents without words are left out, and so are documents whose words were not all found.
    """

    indices: NDArray[np.int64]  # the documents
    forms: pl.Series  # each word as it is written
    gaps: pl.Series  # the text before, between and after words: one more per document than words


def written_words(
    texts: Sequence[str] | pl.Series, corpus: Corpus, tokenizer: Tokenizer | None
) -> WrittenWords:
    """Find the words of `corpus` in the texts that it was made from."""
    if tokenizer is not None:
        return _by_spans(texts, corpus, tokenizer)
    # Every word becomes a character that no text contains; the rest lies between words.
    column = pl.Series(values=texts, dtype=pl.String).str.replace_all("\0", " ", literal=True)
    forms = column.str.extract_all(DEFAULT_WORDS)
    gaps = column.str.replace_all(DEFAULT_WORDS, "\0").str.split("\0")
    lengths = forms.list.len().to_numpy().astype(np.int64)
    same_length = (lengths == corpus.lengths) & (lengths > 0)
    # Lower-casing the text and lower-casing its words differ for a few letters.
    flat = forms.filter(pl.Series(same_length)).explode()
    part = corpus.select(same_length)
    words = pl.Series(values=part.vocabulary, dtype=pl.String).gather(part.ids)
    equal = (flat.str.to_lowercase() == words).to_numpy()
    all_equal = np.add.reduceat(equal, part.offsets[:-1]) == part.lengths if len(equal) else equal
    indices = np.flatnonzero(same_length)[all_equal]
    flat = forms.gather(indices).explode().cast(pl.String)
    flat = pl.select(
        pl.when(flat.str.contains(_SIGMA, literal=True))
        .then(flat.str.to_lowercase())
        .otherwise(flat)
    ).to_series()
    return WrittenWords(indices, flat, gaps.gather(indices).explode().cast(pl.String))


def _by_spans(
    texts: Sequence[str] | pl.Series, corpus: Corpus, tokenizer: Tokenizer
) -> WrittenWords:
    indices: list[int] = []
    forms: list[str] = []
    gaps: list[str] = []
    for i, (text, words) in enumerate(zip(texts, corpus.tokens(), strict=True)):
        spans = list(_spans(text, words, tokenizer))
        if not words or len(spans) != len(words):
            continue
        indices.append(i)
        forms += [text[start:end] for start, end in spans]
        edges = [0, *(edge for span in spans for edge in span), len(text)]
        gaps += [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return WrittenWords(
        np.array(indices, dtype=np.int64),
        pl.Series(forms, dtype=pl.String),
        pl.Series(gaps, dtype=pl.String),
    )


def _spans(text: str, words: list[str], tokenizer: Tokenizer) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each word, up to the first that is not found."""
    pattern = getattr(tokenizer, "__self__", None)
    is_findall = getattr(tokenizer, "__name__", "") == "findall"
    if isinstance(pattern, re.Pattern) and pattern.groups == 0 and is_findall:
        yield from (match.span() for match in pattern.finditer(text))
        return
    lowered = text.lower()
    same_length = len(lowered) == len(text)
    end = 0
    for word in words:
        start = text.find(word, end)
        if start < 0 and same_length:
            start = lowered.find(word, end)
        if start < 0 or not word:
            return
        end = start + len(word)
        yield start, end
