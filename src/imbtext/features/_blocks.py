"""The two blocks of features: words with their pairs, and character grams.

A block learns its terms from documents and then reads any documents in these terms.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from imbtext.containers import Documents
from imbtext.features._grams import Alphabet
from imbtext.features._occurrences import Occurrences
from imbtext.features._words import read_runs, read_words, spelt_runs, spelt_words, stems_of

# A pair of one document alone is nearly always chance, and there are very many of them.
LEAST_FOR_PAIRS: Final = 2
# Punctuation around a word, which it is shown without.
_EDGES: Final = re.compile(r"^\W+|\W+$")


class Block(Protocol):
    """Terms of one kind."""

    @property
    def n_terms(self) -> int:
        """Number of known terms."""
        ...

    @property
    def least(self) -> NDArray[np.int64]:
        """In how many documents each term must be to be known."""
        ...

    def learn(self, documents: Documents) -> Occurrences:
        """Take the terms of the documents as the known ones; return where they occur."""
        ...

    def read(self, documents: Documents) -> Occurrences:
        """Return where the known terms occur in other documents."""
        ...

    def names(self, *, spelt: bool = False) -> list[str]:
        """Return each term as text; `spelt`, words as they are mostly written."""
        ...

    def find(self, document: str | Sequence[str]) -> Iterator[tuple[int, str]]:
        """Yield every occurrence of a known term in a document, with the words it stands in."""
        ...


class WordBlock:
    """Words and, where asked for, pairs of neighbours.

    Attributes
    ----------
    words : ndarray of object
        The known words, sorted.
    spelt : ndarray of object
        How each of them is mostly written, before stemming.
    pairs : ndarray of int64
        The known pairs, sorted; the pair of words ``a`` and ``b`` is ``a * len(words) + b``.
    """

    def __init__(self, language: str | None, pairs: bool) -> None:
        self.language = language
        self.with_pairs = pairs
        self.words: NDArray[np.object_] = np.empty(0, dtype=object)
        self.spelt = self.words
        self.pairs = np.empty(0, np.int64)

    @property
    def n_terms(self) -> int:
        """Number of known terms."""
        return len(self.words) + len(self.pairs)

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
        position = {word: i for i, word in enumerate(self.words)}
        new_ids = np.fromiter(
            (position.get(word, -1) for word in corpus.vocabulary), np.int32, corpus.n_words
        )
        return self._occurrences(new_ids[corpus.ids], corpus.offsets, len(self.words), self.pairs)

    def names(self, *, spelt: bool = False) -> list[str]:
        """Return each term as text; `spelt`, words as they are mostly written."""
        words = self.spelt if spelt else self.words
        left, right = np.divmod(self.pairs, max(len(words), 1))
        pairs = zip(words[left], words[right], strict=True)
        return [*words, *(f"{first} {second}" for first, second in pairs)]

    def find(self, document: str | Sequence[str]) -> Iterator[tuple[int, str]]:
        """Yield every occurrence of a known term in a document, with the words it stands in."""
        spelt = spelt_words(document) if isinstance(document, str) else list(document)
        stems: list[str | None] = list(spelt)
        if isinstance(document, str):
            stems = stems_of([word.lower() for word in spelt], self.language)
        kept = [(stem, word) for stem, word in zip(stems, spelt, strict=True) if stem is not None]
        names = np.array([stem for stem, _ in kept], dtype=object)
        places = positions(self.words, names) if kept else np.empty(0, np.int64)
        for place, (_, word) in zip(places.tolist(), kept, strict=True):
            if place >= 0:
                yield place, word
        if self.with_pairs:
            ends = np.array([0, len(kept)])
            keys = _pair_keys(places.astype(np.int32), ends, len(self.words))
            found = positions(self.pairs, keys)
            for i in np.flatnonzero(found >= 0).tolist():
                yield len(self.words) + int(found[i]), f"{kept[i][1]} {kept[i + 1][1]}"

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
    """Grams of four characters within words.

    Attributes
    ----------
    alphabet : Alphabet
        The known characters.
    grams : ndarray of uint64
        The known grams, sorted.
    """

    def __init__(self) -> None:
        self.alphabet = Alphabet(np.empty(0, np.uint32))
        self.grams = np.empty(0, np.uint64)

    @property
    def n_terms(self) -> int:
        """Number of known terms."""
        return len(self.grams)

    @property
    def least(self) -> NDArray[np.int64]:
        """In how many documents each term must be to be known."""
        return np.ones(len(self.grams), np.int64)

    def learn(self, documents: Documents) -> Occurrences:
        """Take the terms of the documents as the known ones; return where they occur."""
        corpus = read_runs(documents)
        self.alphabet = Alphabet.of(corpus.vocabulary)
        grams, starts = self.alphabet.grams(corpus.vocabulary)
        met, members = np.unique(grams, return_inverse=True)
        found = Occurrences(corpus.ids, corpus.offsets, starts, members.astype(np.int32), len(met))
        # Only a character outside the alphabet makes a 0.
        kept = (found.frequencies() > 0) & (met > 0)
        self.grams = met[kept]
        return found.keep(kept)

    def read(self, documents: Documents) -> Occurrences:
        """Return where the known terms occur in other documents."""
        corpus = read_runs(documents)
        grams, starts = self.alphabet.grams(corpus.vocabulary)
        places = positions(self.grams, grams)
        known = places >= 0
        starts = np.concatenate([[0], np.cumsum(known)])[starts]
        return Occurrences(
            corpus.ids, corpus.offsets, starts, places[known].astype(np.int32), self.n_terms
        )

    def find(self, document: str | Sequence[str]) -> Iterator[tuple[int, str]]:
        """Yield every occurrence of a known term in a document, with the words it stands in."""
        spelt = spelt_runs(document) if isinstance(document, str) else list(document)
        lowered: NDArray[np.object_] = np.empty(len(spelt), dtype=object)
        lowered[:] = [run.lower() for run in spelt] if isinstance(document, str) else spelt
        grams, starts = self.alphabet.grams(lowered)
        places = positions(self.grams, grams)
        for i, run in enumerate(spelt):
            bare = _EDGES.sub("", run) or run
            for place in places[starts[i] : starts[i + 1]].tolist():
                if place >= 0:
                    yield place, bare

    def names(self, *, spelt: bool = False) -> list[str]:  # noqa: ARG002  as they are
        """Return each term as text."""
        return [self.alphabet.text(int(gram)) for gram in self.grams]


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


def positions(known: NDArray[Any], keys: NDArray[Any]) -> NDArray[np.int64]:
    """Return where each key stands among the sorted known ones, -1 where it does not.

    Examples
    --------
    >>> positions(np.array([2, 5]), np.array([5, 3, 2, 9])).tolist()
    [1, -1, 0, -1]
    """
    if not len(known):
        return np.full(len(keys), -1, np.int64)
    places = np.searchsorted(known, keys)
    places[places == len(known)] = 0
    return np.where(known[places] == keys, places, -1)
