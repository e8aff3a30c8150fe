"""Stemmers by language: PyStemmer's, or the same in pure Python without it.

PyStemmer is compiled and has no wheels for a new Python for a while. snowballstemmer is generated
from the same Snowball sources: it is slower and gives the same stems.
"""

from collections.abc import Sequence
from typing import Any

_make: Any
try:
    import Stemmer

    _make, _algorithms = Stemmer.Stemmer, Stemmer.algorithms
except ModuleNotFoundError:
    import snowballstemmer

    _make, _algorithms = snowballstemmer.stemmer, snowballstemmer.algorithms


def stem_words(words: Sequence[str], language: str) -> list[str]:
    """Return the stem of each word.

    Examples
    --------
    >>> stem_words(["calls", "calling"], "english")
    ['call', 'call']
    """
    return list(_make(language).stemWords(list(words)))


def languages() -> list[str]:
    """Return the languages whose stems are known."""
    return list(_algorithms())
