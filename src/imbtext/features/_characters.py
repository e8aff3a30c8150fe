"""Character grams within words: a function of the word, so made once for each different word.

A word is read between two spaces, as scikit-learn's ``char_wb`` does; one that is shorter than a
gram with its spaces is one gram. Four characters of an alphabet of at most 65,535 are one number.
"""

from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

WIDTH: Final = 4
_BITS: Final = np.uint64(16)
_LARGEST_ALPHABET: Final = 2**16 - 1


@dataclass(frozen=True, eq=False)
class Alphabet:
    """The characters that grams are made of, sorted and numbered from 1; 0 is no character."""

    characters: NDArray[np.uint32]

    @classmethod
    def of(cls, words: NDArray[np.object_]) -> Self:
        """Take the characters of the words; of very many, the most frequent."""
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
        starts = np.concatenate([[0], np.cumsum(n_grams)])
        begins = np.concatenate([[0], np.cumsum(lengths)])[:-1]
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
