"""The two blocks of features: words with their pairs, and character grams.

A block learns its terms from documents and then reads any documents in these terms. It also finds
them in documents as they are spelt, each with the words that it stands in.
"""

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from imbtext.documents import Documents
from imbtext.features._characters import Alphabet, positions
from imbtext.features._terms import Occurrences
from imbtext.features._words import LETTERS, RUNS, read_runs, read_words, spelt, stems_of

# A term and the words of a document that it stands in.
Found = tuple[int, str]
# A pair of one document alone is nearly always chance, and there are very many of them.
LEAST_FOR_PAIRS: Final = 2
# Punctuation around a word, which it is shown without.
_EDGES: Final = re.compile(r"^\W+|\W+$")


class WordBlock:
    """Words and, where asked for, pairs of neighbours, both sorted.

    `spelt` is how each word is mostly written, before stemming. The pair of words ``a`` and ``b``
    is the number ``a * len(words) + b``.
    """

    def __init__(self, language: str | None, pairs: bool) -> None:
        self.language = language
        self.with_pairs = pairs
        self.words: NDArray[np.object_] = np.empty(0, dtype=object)
        self.spelt = self.words
        self.pairs = np.empty(0, np.int64)

    @property
    def least(self) -> NDArray[np.int64]:
        """In how many documents each term must be to be known."""
        return np.repeat([1, LEAST_FOR_PAIRS], [len(self.words), len(self.pairs)])

    def learn(self, documents: Documents) -> Occurrences:
        """Take the terms of the documents as the known ones; return where they occur."""
        corpus, spelt = read_words(documents, self.language)
        n = corpus.n_words
        met = np.empty(0, np.int64)
        if self.with_pairs:
            keys = _pair_keys(corpus.ids, corpus.offsets, n)
            met, counts = np.unique(keys[keys >= 0], return_counts=True)
            met = met[counts >= LEAST_FOR_PAIRS]
        found = self._occurrences(corpus.ids, corpus.offsets, n, met)
        kept = found.frequencies() >= np.repeat([1, LEAST_FOR_PAIRS], [n, len(met)])
        self.words, self.spelt = corpus.vocabulary[kept[:n]], spelt[kept[:n]]
        met = met[kept[n:]]
        place = np.cumsum(kept[:n]) - 1
        self.pairs = place[met // max(n, 1)] * len(self.words) + place[met % max(n, 1)]
        return found.keep(kept)

    def read(self, documents: Documents) -> Occurrences:
        """Return where the known terms occur in other documents."""
        corpus, _ = read_words(documents, self.language)
        ids = positions(self.words, corpus.vocabulary).astype(np.int32)[corpus.ids]
        return self._occurrences(ids, corpus.offsets, len(self.words), self.pairs)

    def names(self, *, spelt: bool = False) -> list[str]:
        """Return each term as text; `spelt`, words as they are mostly written."""
        words = self.spelt if spelt else self.words
        left, right = np.divmod(self.pairs, max(len(words), 1))
        pairs = zip(words[left], words[right], strict=True)
        return [*words, *(f"{first} {second}" for first, second in pairs)]

    def find(self, documents: Sequence[Any]) -> list[list[Found]]:
        """Return the occurrences of known terms in each document, with the words they stand in."""
        shown, words = _cut(documents, LETTERS)
        different = list(dict.fromkeys(chain.from_iterable(words)))
        stems = stems_of(different, None if words is shown else self.language)
        places = positions(self.words, np.array([stem or "" for stem in stems], dtype=object))
        place_of = {
            word: place
            for word, stem, place in zip(different, stems, places.tolist(), strict=True)
            if stem is not None
        }
        kept = [
            [(place_of[word], as_is) for word, as_is in zip(*both, strict=True) if word in place_of]
            for both in zip(words, shown, strict=True)
        ]
        found = [[(place, word) for place, word in document if place >= 0] for document in kept]
        if self.with_pairs:
            ids = np.array([place for document in kept for place, _ in document], np.int32)
            ends = np.cumsum([0, *map(len, kept)])
            pairs = positions(self.pairs, _pair_keys(ids, ends, len(self.words))).tolist()
            for i, document in enumerate(kept):
                for k, pair in enumerate(pairs[ends[i] : ends[i + 1]]):
                    if pair >= 0:
                        both_words = f"{document[k][1]} {document[k + 1][1]}"
                        found[i].append((len(self.words) + pair, both_words))
        return found

    def _occurrences(
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        n_words: int,
        pairs: NDArray[np.int64],
    ) -> Occurrences:
        if not self.with_pairs:
            return Occurrences.of_terms(ids, offsets, n_words)
        # A word and the pair that it begins, in turn.
        tokens = np.empty((len(ids), 2), np.int32)
        tokens[:, 0] = ids
        places = positions(pairs, _pair_keys(ids, offsets, n_words))
        tokens[:, 1] = np.where(places >= 0, places + n_words, -1)
        return Occurrences.of_terms(tokens.ravel(), offsets * 2, n_words + len(pairs))


class GramBlock:
    """Grams of four characters of an alphabet within words, sorted; the methods as of words."""

    def __init__(self) -> None:
        self.alphabet = Alphabet(np.empty(0, np.uint32))
        self.grams = np.empty(0, np.uint64)

    @property
    def least(self) -> NDArray[np.int64]:
        return np.ones(len(self.grams), np.int64)

    def learn(self, documents: Documents) -> Occurrences:
        corpus = read_runs(documents)
        self.alphabet = Alphabet.of(corpus.vocabulary)
        grams, starts = self.alphabet.grams(corpus.vocabulary)
        met, members = np.unique(grams, return_inverse=True)
        columns = np.arange(len(met), dtype=np.int32)
        found = Occurrences(corpus.ids, corpus.offsets, starts, members.astype(np.int32), columns)
        # Only a character outside the alphabet makes a 0.
        kept = (found.frequencies() > 0) & (met > 0)
        self.grams = met[kept]
        return found.keep(kept)

    def read(self, documents: Documents) -> Occurrences:
        corpus = read_runs(documents)
        grams, starts = self.alphabet.grams(corpus.vocabulary)
        places = positions(self.grams, grams)
        known = places >= 0
        starts = np.concatenate([[0], np.cumsum(known)])[starts]
        columns = np.arange(len(self.grams), dtype=np.int32)
        return Occurrences(
            corpus.ids, corpus.offsets, starts, places[known].astype(np.int32), columns
        )

    def names(self, *, spelt: bool = False) -> list[str]:  # noqa: ARG002  as they are
        return [self.alphabet.text(int(gram)) for gram in self.grams]

    def find(self, documents: Sequence[Any]) -> list[list[Found]]:
        shown, words = _cut(documents, RUNS)
        lowered = dict(zip(chain.from_iterable(shown), chain.from_iterable(words), strict=True))
        grams, starts = self.alphabet.grams(np.array(list(lowered.values()), dtype=object))
        places = positions(self.grams, grams).tolist()
        found_in: dict[str, list[Found]] = {}
        for i, run in enumerate(lowered):
            bare = _EDGES.sub("", run) or run
            here = places[starts[i] : starts[i + 1]]
            found_in[run] = [(place, bare) for place in here if place >= 0]
        return [[found for run in document for found in found_in[run]] for document in shown]


Block = WordBlock | GramBlock


def _cut(documents: Sequence[Any], pattern: str) -> tuple[list[list[str]], list[list[str]]]:
    """Return documents in words as they are spelt and in lower case; token lists as they are."""
    if len(documents) and not isinstance(documents[0], str):
        tokens = [list(document) for document in documents]
        return tokens, tokens
    shown = spelt(documents, pattern)
    return shown, [[word.lower() for word in document] for document in shown]


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
