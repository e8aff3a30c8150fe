"""The two blocks of features: words with their pairs, and character grams.

A block learns its terms from documents and then reads any documents in these terms.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from imbtext.containers import Documents
from imbtext.features._grams import Alphabet
from imbtext.features._occurrences import Occurrences
from imbtext.features._words import read_runs, read_words, spelt_runs, spelt_words, stems_of

# A term and the words of a document that it stands in.
Found = tuple[int, str]
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

    def find(self, documents: Sequence[Any]) -> list[list[Found]]:
        """Return the occurrences of known terms in each document, with the words they stand in."""
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

    def find(self, documents: Sequence[Any]) -> list[list[Found]]:
        """Return the occurrences of known terms in each document, with the words they stand in."""
        if _are_tokens(documents):
            spelt = [list(document) for document in documents]
            words, language = spelt, None
        else:
            spelt, language = spelt_words(documents), self.language
            words = [[word.lower() for word in document] for document in spelt]
        place_of = self._places(dict.fromkeys(chain.from_iterable(words)), language)
        places = [[place_of[word] for word in document] for document in words]
        kept = [
            [(place, word) for place, word in zip(*both, strict=True) if place is not None]
            for both in zip(places, spelt, strict=True)
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

    def _places(self, words: Iterable[str], language: str | None) -> dict[str, int | None]:
        """Return where each word stands among the known, -1 for an unknown, None for no word."""
        listed = list(words)
        stems = stems_of(listed, language)
        names: NDArray[np.object_] = np.empty(len(listed), dtype=object)
        names[:] = ["" if stem is None else stem for stem in stems]
        places = positions(self.words, names).tolist()
        return {
            word: None if stem is None else place
            for word, stem, place in zip(listed, stems, places, strict=True)
        }

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

    def find(self, documents: Sequence[Any]) -> list[list[Found]]:
        """Return the occurrences of known terms in each document, with the words they stand in."""
        tokens = _are_tokens(documents)
        spelt = [list(document) for document in documents] if tokens else spelt_runs(documents)
        found_in: dict[str, list[Found]] = {}
        different = list(dict.fromkeys(chain.from_iterable(spelt)))
        runs: NDArray[np.object_] = np.empty(len(different), dtype=object)
        runs[:] = different if tokens else [run.lower() for run in different]
        grams, starts = self.alphabet.grams(runs)
        places = positions(self.grams, grams).tolist()
        for i, run in enumerate(different):
            bare = _EDGES.sub("", run) or run
            here = places[starts[i] : starts[i + 1]]
            found_in[run] = [(place, bare) for place in here if place >= 0]
        return [[found for run in document for found in found_in[run]] for document in spelt]

    def names(self, *, spelt: bool = False) -> list[str]:  # noqa: ARG002  as they are
        """Return each term as text."""
        return [self.alphabet.text(int(gram)) for gram in self.grams]


def _are_tokens(documents: Sequence[Any]) -> bool:
    return len(documents) > 0 and not isinstance(documents[0], str)


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
