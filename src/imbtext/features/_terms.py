"""Documents as terms: words, pairs and parts of words, and their weights.

The slow work (reading words, counting terms) is done once and does not depend on which documents a
model may see. What depends on them (which terms are known, their idf, the length of a vector) is
one number per term. So all folds of a cross-validation share one set of counts, and held-out
documents get exactly the weights that new documents get.

The module goes from text to vectors, top to bottom:

* *Reading.* :func:`read_words` cuts texts into stems and numbers, :func:`read_runs` cuts them at
  white space. Both work on the vocabulary: once for each different word.
* *Blocks.* A :class:`WordBlock` holds words and pairs of neighbours, a :class:`GramBlock` four
  characters in a row within words. A block learns its terms from documents and then reads any
  documents in these terms. To explain a score, it also finds the words that a term occurs in.
* *Vectors.* :class:`Terms` count what occurs where, and :class:`Vectors` put weights on them.
"""

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any, Final, NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from imbtext._typing import Array, Document
from imbtext.documents._containers import are_texts
from imbtext.documents._corpus import UNSPACED, Corpus, offsets_of
from imbtext.documents._documents import Documents
from imbtext.documents._languages import language_of_each, languages_with_stems, stem_words
from imbtext.documents._tokenization import extract_words
from imbtext.records import rising

# Runs of letters; in scripts without spaces, where a run is a clause, each character.
LETTERS: Final = rf"[{UNSPACED}]|[\p{{L}}--[{UNSPACED}]]+"
# Runs of letters, and runs of digits.
WORDS: Final = rf"{LETTERS}|\p{{Nd}}+"
# The names of numbers with one digit, two digits and so on; the last is for all longer ones.
NUMBERS: Final = ("[1 digit]", *(f"[{n} digits]" for n in range(2, 12)), "[12 or more digits]")
# Single letters are left out unless they can be words: letters of scripts without spaces, and all
# that come after the Chinese radicals in Unicode, such as Korean syllables.
WORD_OF_ONE: Final = re.compile(rf"[{UNSPACED}]|[\u2e80-\U0010ffff]")
# What str.split() keeps; the regex engine of Polars knows fewer kinds of white space.
RUNS: Final = r"[^\s\x1c-\x1f]+"
# The same two for texts of ASCII, which Python's engine reads.
_ASCII_WORDS: Final = re.compile("[a-zA-Z]+|[0-9]+")
_ASCII_RUNS: Final = re.compile(RUNS)
# A term and the words of a document that it occurs in.
TermInWords = tuple[int, str]
# A pair that occurs in a single document is nearly always chance, and there are very many of them.
LEAST_FOR_PAIRS: Final = 2
# Punctuation around a word, which it is shown without.
_EDGES: Final = re.compile(r"^\W+|\W+$")
# Characters in a gram. Four numbers of at most 16 bits make one of 64.
WIDTH: Final = 4
_BITS: Final = np.uint64(16)
_LARGEST_ALPHABET: Final = 2**16 - 1


def read_words(documents: Documents, language: str | None) -> tuple[Corpus, NDArray[np.object_]]:
    """Return the stems of words, and the most frequent spelling of each stem.

    A word is a run of letters or a run of digits, which :func:`stems_of` replaces by its number of
    digits. A document of several text columns is several documents of the corpus, one per column.

    Stopwords stay: their idf is small, and held-out training documents ranked better with them.

    Token lists are taken as they are: their author has chosen the words.
    """
    if isinstance(documents.texts, Corpus):
        return documents.texts, documents.texts.vocabulary
    raw = extract_words(documents.pieces, WORDS, lower=True, ascii_pattern=_ASCII_WORDS)
    if language is not None and "+" in language:
        raw, stems = _stems_by_document(documents, raw, language)
    else:
        stems = stems_of(raw.vocabulary.tolist(), language)
    kept = sorted({stem for stem in stems if stem is not None})
    position = {stem: i for i, stem in enumerate(kept)}
    new_ids = np.fromiter(
        (-1 if stem is None else position[stem] for stem in stems), np.int64, len(stems)
    )
    vocabulary, spelt = np.empty((2, len(kept)), dtype=object)
    vocabulary[:] = kept
    used = np.flatnonzero(new_ids >= 0)
    # The last word written for a stem stays: the most frequent, of equals the first.
    rising = used[np.lexsort((-used, raw.word_counts()[used]))]
    spelt[new_ids[rising]] = raw.vocabulary[rising]
    for number in position.keys() & set(NUMBERS):  # never somebody's telephone number
        spelt[position[number]] = number
    return raw.relabel(new_ids, vocabulary), spelt


def _stems_by_document(
    documents: Documents, raw: Corpus, languages: str
) -> tuple[Corpus, list[str | None]]:
    """Give words of different languages ids of their own, and return the stem of each."""
    names = languages.split("+")
    of_pieces = np.repeat(documents_languages(documents, languages), documents.n_pieces)
    keys = raw.ids.astype(np.int64) * len(names) + np.repeat(of_pieces, raw.lengths)
    different, ids = np.unique(keys, return_inverse=True)
    words, of_words = raw.vocabulary[different // len(names)], different % len(names)
    stems = np.empty(len(words), dtype=object)
    for number, name in enumerate(names):
        stems[of_words == number] = stems_of(words[of_words == number].tolist(), name)
    return Corpus(ids.astype(np.int32), raw.offsets, words), stems.tolist()


def documents_languages(documents: Documents, languages: str) -> NDArray[np.int64]:
    """Return the number of each document's language among several; it is detected once."""
    content = documents.texts
    if isinstance(content, Corpus):  # tokens are taken as they are
        return np.zeros(len(documents), np.int64)
    return documents.of_rows(("languages", languages), lambda: language_of_each(content, languages))


def stems_of(words: Sequence[str], language: str | None) -> list[str | None]:
    """Return the stem of each word, None for a single letter, which is left out.

    Words of a language without stems stay as they are. In any language, a number becomes its number
    of digits: two telephone numbers, sums of money or years are seldom equal, but they show what
    kind of document they are in.

    Examples
    --------
    >>> stems_of(["call", "calling", "08712300220", "5", "i"], "english")
    ['call', 'call', '[11 digits]', '[1 digit]', None]
    """
    stemmed: Sequence[str] = words
    shortest = 1
    if language is not None and language in languages_with_stems():
        stemmed, shortest = stem_words(words, language), 2
    return [
        NUMBERS[min(len(word), len(NUMBERS)) - 1]
        if word[:1].isdecimal()
        else (stem if len(word) >= shortest or WORD_OF_ONE.match(word) else None)
        for word, stem in zip(words, stemmed, strict=True)
    ]


def read_runs(documents: Documents) -> Corpus:
    """Return texts cut at white space, lower-cased; token lists are taken as they are."""
    if isinstance(documents.texts, Corpus):
        return documents.texts
    return extract_words(documents.texts, RUNS, lower=True, ascii_pattern=_ASCII_RUNS)


class Occurrences(NamedTuple):
    """Where terms occur: tokens of documents, with a table of the terms each token stands for.

    Document ``i`` is ``tokens[offsets[i]:offsets[i + 1]]``, where -1 stands for nothing, and token
    ``t`` stands for ``terms[starts[t]:starts[t + 1]]``. `columns` has the column of each term, -1
    for one that is left out.
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    starts: NDArray[np.int64]
    terms: NDArray[np.int32]
    columns: NDArray[np.int32]

    @classmethod
    def of_terms(cls, terms: NDArray[np.int32], offsets: NDArray[np.int64], n_terms: int) -> Self:
        """Take tokens that are terms themselves."""
        numbers = np.arange(n_terms, dtype=np.int32)
        return cls(terms, offsets, np.arange(n_terms + 1), numbers, numbers)

    def frequencies(self) -> NDArray[np.int64]:
        """Return in how many documents each term occurs."""
        from imbtext.features._kernels import distinct_terms

        return distinct_terms(*self)[0]

    def keep(self, kept: NDArray[np.bool_]) -> Self:
        """Leave out the terms outside `kept`; the others are numbered anew."""
        return self._replace(columns=np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32))


@dataclass(frozen=True, eq=False)
class Alphabet:
    """The characters that grams are made of, sorted and numbered from 1; 0 stands for no character.

    Grams are a function of the word, so they are computed once for each different word. A word is
    read with a space on either side, as in scikit-learn's ``char_wb``. If it is then still shorter
    than a gram, it is one gram.
    """

    characters: NDArray[np.uint32]

    def __post_init__(self) -> None:
        rising(self.characters, np.uint32, sys.maxunicode + 1)

    @classmethod
    def of(cls, words: NDArray[np.object_]) -> Self:
        """Take the characters of the words; if they are too many, the most frequent."""
        codes, counts = np.unique(_code_points(words)[0], return_counts=True)
        if len(codes) > _LARGEST_ALPHABET:
            kept = np.argsort(-counts, kind="stable")[:_LARGEST_ALPHABET]
            codes = np.sort(codes[kept])
        return cls(codes)

    def grams(self, words: NDArray[np.object_]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the grams of every word, one word after the other, and where each word begins.

        A gram with a character outside the alphabet is 0.
        """
        codes, lengths = _code_points(words)
        numbers = (positions(self.characters, codes) + 1).astype(np.uint64)
        numbers = np.concatenate([numbers, np.zeros(WIDTH, np.uint64)])
        n_grams = np.maximum(lengths - WIDTH + 1, np.minimum(lengths, 1))
        starts = offsets_of(n_grams)
        begins = offsets_of(lengths)[:-1]
        first = np.repeat(begins - starts[:-1], n_grams) + np.arange(starts[-1])
        left = np.repeat(begins + lengths, n_grams) - first
        grams = np.zeros(len(first), np.uint64)
        known = np.ones(len(first), bool)
        for k in range(WIDTH):
            inside = left > k
            number = np.where(inside, numbers[first + k], 0)
            known &= ~inside | (number > 0)
            grams = (grams << _BITS) | number
        return np.where(known, grams, 0), starts

    def text(self, gram: int) -> str:
        """Return a gram as text."""
        numbers = [(gram >> 16 * k) & 0xFFFF for k in reversed(range(WIDTH))]
        return "".join(chr(self.characters[number - 1]) for number in numbers if number)


def _code_points(words: NDArray[np.object_]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return the characters of all words, each between two spaces, and each word's length."""
    lengths = np.fromiter(map(len, words), np.int64, len(words)) + 2
    joined = " " + "  ".join(words) + " " if len(words) else ""
    return np.frombuffer(joined.encode("utf-32-le"), dtype=np.uint32), lengths


def positions(known: Array, keys: Array) -> NDArray[np.int64]:
    """Return the index of each key among the sorted known ones, -1 if it is not there.

    Examples
    --------
    >>> positions(np.array([2, 5]), np.array([5, 3, 2, 9])).tolist()
    [1, -1, 0, -1]
    """
    if not len(known):
        return np.full(len(keys), -1, np.int64)
    found = np.searchsorted(known, keys)
    found[found == len(known)] = 0
    return np.where(known[found] == keys, found, -1)


def _no_words() -> NDArray[np.object_]:
    return np.empty(0, dtype=object)


@dataclass(eq=False, repr=False)
class WordBlock:
    """Words and, `with_pairs`, pairs of neighbours, both sorted.

    `spelt` is how each word is mostly written, before stemming. The pair of words ``a`` and ``b``
    is the number ``a * len(words) + b``.
    """

    language: str | None
    with_pairs: bool
    words: NDArray[np.object_] = field(default_factory=_no_words)
    spelt: NDArray[np.object_] = field(default_factory=_no_words)
    pairs: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))

    def __post_init__(self) -> None:
        if len(self.spelt) != len(self.words) or (self.words[:-1] >= self.words[1:]).any():
            raise ValueError("its words are not in order")
        rising(self.pairs, np.int64, len(self.words) ** 2)
        if len(self.pairs) and not self.with_pairs:
            raise ValueError("it has pairs of words, which its features lack")

    @property
    def least(self) -> NDArray[np.int64]:
        """How many documents must have each term for it to be known."""
        return np.repeat([1, LEAST_FOR_PAIRS], [len(self.words), len(self.pairs)])

    def learn(self, documents: Documents) -> Occurrences:
        """Learn the terms of the documents, and return where they occur."""
        corpus, spelt = read_words(documents, self.language)
        n = corpus.n_words
        pairs = np.empty(0, np.int64)
        if self.with_pairs:
            keys = _pair_keys(corpus.ids, corpus.offsets, n)
            pairs, counts = np.unique(keys[keys >= 0], return_counts=True)
            pairs = pairs[counts >= LEAST_FOR_PAIRS]
        step = documents.n_pieces
        occurrences = self._occurrences(corpus.ids, corpus.offsets, step, n, pairs)
        kept = occurrences.frequencies() >= np.repeat([1, LEAST_FOR_PAIRS], [n, len(pairs)])
        self.words, self.spelt = corpus.vocabulary[kept[:n]], spelt[kept[:n]]
        pairs = pairs[kept[n:]]
        place = np.cumsum(kept[:n]) - 1
        self.pairs = place[pairs // max(n, 1)] * len(self.words) + place[pairs % max(n, 1)]
        return occurrences.keep(kept)

    def read(self, documents: Documents) -> Occurrences:
        """Return where the known terms occur in other documents."""
        corpus, _ = read_words(documents, self.language)
        ids = positions(self.words, corpus.vocabulary).astype(np.int32)[corpus.ids]
        return self._occurrences(
            ids, corpus.offsets, documents.n_pieces, len(self.words), self.pairs
        )

    def known_shares(self, occurrences: Occurrences) -> NDArray[np.float64]:
        """Return the share of each document's words that are known, from what `read` returned.

        It is NaN for a document without words.
        """
        step = 2 if self.with_pairs else 1
        is_known = occurrences.tokens[::step] >= 0
        n_before = offsets_of(is_known)
        offsets = occurrences.offsets // step
        n_words = np.diff(offsets)
        shares = np.full(len(n_words), np.nan)
        np.divide(np.diff(n_before[offsets]), n_words, out=shares, where=n_words > 0)
        return shares

    def unknown_words(self, documents: Documents) -> dict[str, int]:
        """Return the unknown words in their usual spelling, and how many documents have each."""
        corpus, spelt = read_words(documents, self.language)
        unknown = np.flatnonzero(positions(self.words, corpus.vocabulary) < 0)
        occurrences = Occurrences.of_terms(corpus.ids, corpus.offsets, corpus.n_words)
        frequencies = occurrences.frequencies()[unknown]
        return dict(zip(spelt[unknown].tolist(), frequencies.tolist(), strict=True))

    def names(self, *, spelt: bool = False) -> list[str]:
        """Return each term as text; `spelt`, words as they are mostly written."""
        words = self.spelt if spelt else self.words
        left, right = np.divmod(self.pairs, max(len(words), 1))
        pairs = zip(words[left], words[right], strict=True)
        return [*words, *(f"{first} {second}" for first, second in pairs)]

    def find(
        self, documents: Sequence[Document], languages: NDArray[np.int64] | None = None
    ) -> list[list[TermInWords]]:
        """Return the known terms of each document, with the words they occur in.

        `languages` is the number of each document's language, where there are several.
        """
        spellings, words = _cut(documents, WORDS)
        names = [None] if words is spellings else (self.language or "").split("+")
        languages = np.zeros(len(words), np.int64) if languages is None else languages
        with_stem: list[list[TermInWords]] = [[] for _ in words]
        for number, name in enumerate(names):
            indices = np.flatnonzero(languages == number).tolist()
            term_of = self._terms([words[i] for i in indices], name)
            for i in indices:
                pairs = zip(words[i], spellings[i], strict=True)
                with_stem[i] = [(term_of[word], as_is) for word, as_is in pairs if word in term_of]
        terms = [[(term, word) for term, word in document if term >= 0] for document in with_stem]
        if self.with_pairs:
            ids = np.array([term for document in with_stem for term, _ in document], np.int32)
            ends = np.cumsum([0, *map(len, with_stem)])
            pairs = positions(self.pairs, _pair_keys(ids, ends, len(self.words))).tolist()
            for i, document in enumerate(with_stem):
                for k, pair in enumerate(pairs[ends[i] : ends[i + 1]]):
                    if pair >= 0:
                        both_words = f"{document[k][1]} {document[k + 1][1]}"
                        terms[i].append((len(self.words) + pair, both_words))
        return terms

    def _terms(self, words: Sequence[Sequence[str]], language: str | None) -> dict[str, int]:
        """Return the term of each word that has a stem; -1 where it is not known.

        `language` is None for token lists, whose words are taken as they are.
        """
        different = list(dict.fromkeys(chain.from_iterable(words)))
        stems = list(different) if language is None else stems_of(different, language)
        terms = positions(self.words, np.array([stem or "" for stem in stems], dtype=object))
        return {
            word: term
            for word, stem, term in zip(different, stems, terms.tolist(), strict=True)
            if stem is not None
        }

    def _occurrences(
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        n_pieces: int,
        n_words: int,
        pairs: NDArray[np.int64],
    ) -> Occurrences:
        # A document is several pieces, one per text column; pairs end where a piece ends.
        document_offsets = np.ascontiguousarray(offsets[::n_pieces])
        if not self.with_pairs:
            return Occurrences.of_terms(ids, document_offsets, n_words)
        # A word and the pair that it begins, in turn.
        tokens = np.empty((len(ids), 2), np.int32)
        tokens[:, 0] = ids
        known = positions(pairs, _pair_keys(ids, offsets, n_words))
        tokens[:, 1] = np.where(known >= 0, known + n_words, -1)
        return Occurrences.of_terms(tokens.ravel(), document_offsets * 2, n_words + len(pairs))


@dataclass(eq=False, repr=False)
class GramBlock:
    """Grams of four characters of an alphabet within words, sorted; same methods as `WordBlock`."""

    alphabet: Alphabet = field(default_factory=lambda: Alphabet(np.empty(0, np.uint32)))
    grams: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))

    def __post_init__(self) -> None:
        rising(self.grams, np.uint64, 2**64)
        numbers = self.grams.astype("<u8").view("<u2")  # each gram is four numbers of characters
        if int(numbers.max(initial=0)) > len(self.alphabet.characters):
            raise ValueError("a gram has a character outside its alphabet")

    @property
    def least(self) -> NDArray[np.int64]:
        return np.ones(len(self.grams), np.int64)

    def learn(self, documents: Documents) -> Occurrences:
        corpus = read_runs(documents)
        self.alphabet = Alphabet.of(corpus.vocabulary)
        grams, starts = self.alphabet.grams(corpus.vocabulary)
        distinct, terms = np.unique(grams, return_inverse=True)
        columns = np.arange(len(distinct), dtype=np.int32)
        occurrences = Occurrences(
            corpus.ids, corpus.offsets, starts, terms.astype(np.int32), columns
        )
        # A gram is 0 only if it has a character outside the alphabet.
        kept = (occurrences.frequencies() > 0) & (distinct > 0)
        self.grams = distinct[kept]
        return occurrences.keep(kept)

    def read(self, documents: Documents) -> Occurrences:
        corpus = read_runs(documents)
        grams, starts = self.alphabet.grams(corpus.vocabulary)
        terms = positions(self.grams, grams)
        known = terms >= 0
        starts = offsets_of(known)[starts]
        columns = np.arange(len(self.grams), dtype=np.int32)
        return Occurrences(
            corpus.ids, corpus.offsets, starts, terms[known].astype(np.int32), columns
        )

    def names(self, *, spelt: bool = False) -> list[str]:  # noqa: ARG002  as they are
        return [self.alphabet.text(int(gram)) for gram in self.grams]

    def find(self, documents: Sequence[Document]) -> list[list[TermInWords]]:
        runs, words = _cut(documents, RUNS)
        lowered = dict(zip(chain.from_iterable(runs), chain.from_iterable(words), strict=True))
        grams, starts = self.alphabet.grams(np.array(list(lowered.values()), dtype=object))
        terms = positions(self.grams, grams).tolist()
        terms_of: dict[str, list[TermInWords]] = {}
        for i, run in enumerate(lowered):
            bare = _EDGES.sub("", run) or run
            of_run = terms[starts[i] : starts[i + 1]]
            terms_of[run] = [(term, bare) for term in of_run if term >= 0]
        return [[term for run in document for term in terms_of[run]] for document in runs]


def _cut(documents: Sequence[Document], pattern: str) -> tuple[list[list[str]], list[list[str]]]:
    """Return the words of documents as spelt and in lower case; token lists as they are."""
    if not are_texts(documents):
        tokens = [list(document) for document in documents]
        return tokens, tokens
    spellings = pl.Series(documents, dtype=pl.String).str.extract_all(pattern).to_list()
    return spellings, [[word.lower() for word in document] for document in spellings]


def _pair_keys(
    ids: NDArray[np.int32], offsets: NDArray[np.int64], n_words: int
) -> NDArray[np.int64]:
    """Return a number for each word and its right neighbour; -1 at an end and beside unknowns."""
    keys = np.full(len(ids), -1, np.int64)
    if len(ids) > 1:
        left, right = ids[:-1].astype(np.int64), ids[1:]
        keys[:-1] = np.where((left >= 0) & (right >= 0), left * n_words + right, -1)
        ends = offsets[1:][np.diff(offsets) > 0] - 1
        keys[ends] = -1
    return keys


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of documents, in blocks: 1 + log of how often each occurs.

    Block ``b`` of document ``i`` is the segment ``s = i * n_blocks + b`` and holds the entries
    ``indptr[s]`` to ``indptr[s + 1]``; a block's terms are numbers of its own.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.float32]
    n_terms: int
    n_blocks: int

    @classmethod
    def of_blocks(cls, blocks: Sequence[Occurrences]) -> Self:
        """Count the terms of each block and lay the blocks of a document side by side."""
        from imbtext.features._kernels import distinct_terms, fill_rows

        n_distinct = np.column_stack([distinct_terms(*block)[1] for block in blocks])
        indptr = offsets_of(n_distinct.ravel())
        indices = np.empty(indptr[-1], np.int32)
        values = np.empty(indptr[-1], np.float32)
        first = 0
        for b, block in enumerate(blocks):
            columns = np.where(block.columns >= 0, block.columns + np.int32(first), np.int32(-1))
            # Contiguous, as for one block: numba would compile the loop again for strides.
            begins = np.ascontiguousarray(indptr[b : -1 : len(blocks)])
            fill_rows(*block._replace(columns=columns), begins, indices, values)
            first += int(block.columns.max(initial=-1)) + 1
        return cls(indptr, indices, values, first, len(blocks))

    @classmethod
    def of_matrix(cls, X: sparse.csr_array | NDArray[np.floating]) -> Self:
        """Take the vectors of another source as one block."""
        matrix = sparse.csr_array(X)
        matrix.sort_indices()
        return cls(
            matrix.indptr.astype(np.int64),
            matrix.indices.astype(np.int32),
            matrix.data.astype(np.float32),
            matrix.shape[1],
            1,
        )

    @classmethod
    def side_by_side(cls, parts: "Sequence[Terms]") -> "Terms":
        """Lay the blocks of several terms of the same documents side by side."""
        if len(parts) == 1:
            return parts[0]
        n_documents, n_blocks = parts[0].n_documents, sum(part.n_blocks for part in parts)
        sizes = [np.diff(part.indptr).reshape(n_documents, part.n_blocks) for part in parts]
        indptr = offsets_of(np.hstack(sizes).ravel())
        indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], np.float32)
        begins = indptr[:-1].reshape(n_documents, n_blocks)
        first, block = 0, 0
        for part, n_entries in zip(parts, sizes, strict=True):
            moved = begins[:, block : block + part.n_blocks].ravel() - part.indptr[:-1]
            targets = np.repeat(moved, n_entries.ravel()) + np.arange(len(part.indices))
            indices[targets] = part.indices + np.int32(first)
            values[targets] = part.values
            first, block = first + part.n_terms, block + part.n_blocks
        return cls(indptr, indices, values, first, n_blocks)

    @property
    def n_documents(self) -> int:
        return (len(self.indptr) - 1) // self.n_blocks

    @property
    def entries(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
        """The three arrays that compiled loops read."""
        return self.indptr, self.indices, self.values

    def named(self, names: NDArray[np.object_]) -> list[list[TermInWords]]:
        """Return the terms of each document, called by their names."""
        ends = self.indptr[:: self.n_blocks].tolist()
        indices = self.indices.tolist()
        return [
            [(term, str(names[term])) for term in indices[begin:end]]
            for begin, end in pairwise(ends)
        ]

    def frequencies(self, indices: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return in how many documents, all or some, each term occurs."""
        from imbtext.features._kernels import frequencies_of_rows

        if indices is None:
            return np.bincount(self.indices, minlength=self.n_terms)
        return frequencies_of_rows(self.indptr, self.indices, self.n_blocks, indices, self.n_terms)

    def vectors(self, weights: NDArray[np.float64]) -> "Vectors":
        """Multiply each term by its weight and scale all blocks of a document to equal length.

        The blocks of a document together have unit length.
        """
        from imbtext.features._kernels import squared_lengths

        lengths = np.sqrt(squared_lengths(*self.entries, weights))
        lengths *= np.sqrt(self.n_blocks)
        scales = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        return Vectors(self, weights, scales)


@dataclass(frozen=True, eq=False)
class Vectors:
    """Terms with a weight each, and a factor for every block of every document.

    The entry of document ``i`` for term ``j`` in block ``b`` is
    ``values * weights[j] * scales[i * n_blocks + b]``. A term of weight 0 is not known.
    `known_shares` is the share of each new document's words that are known; None if the features
    have no words. `dense` has a row per document with vectors beside the terms, such as those of a
    sentence encoder, or no columns.
    """

    terms: Terms
    weights: NDArray[np.float64]
    scales: NDArray[np.float64]
    known_shares: NDArray[np.float64] | None = None
    dense: NDArray[np.float32] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.dense is None:
            nothing = np.empty((self.terms.n_documents, 0), np.float32)
            object.__setattr__(self, "dense", nothing)

    def matrix(self) -> sparse.csr_array:
        """Return the vectors as scikit-learn takes them; unknown terms are zeros."""
        terms = self.terms
        data = terms.values * self.weights[terms.indices]
        data *= np.repeat(self.scales, np.diff(terms.indptr))
        indptr = terms.indptr[:: terms.n_blocks]
        matrix = sparse.csr_array(
            (data, terms.indices, indptr), shape=(terms.n_documents, terms.n_terms)
        )
        if self.dense.shape[1]:
            both: Any = [matrix, sparse.csr_array(self.dense)]
            matrix = sparse.csr_array(sparse.hstack(both))
        return matrix


def idf_weights(
    frequencies: NDArray[np.int64], n_documents: int, least: NDArray[np.int64] | int = 1
) -> NDArray[np.float64]:
    """Return scikit-learn's smoothed idf of each term, 0 for one in fewer documents than `least`.

    Examples
    --------
    >>> idf_weights(np.array([1, 2, 5]), n_documents=5, least=2).round(3).tolist()
    [0.0, 1.693, 1.0]
    """
    idf = np.log((1 + n_documents) / (1 + frequencies)) + 1
    return np.where(frequencies >= least, idf, 0.0)
