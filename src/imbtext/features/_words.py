"""The two ways documents are cut into words, and stems: once for each different word."""

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext.containers import Documents
from imbtext.corpus import Corpus
from imbtext.tokenization import extract_words

_LETTERS: Final = r"\p{L}+"
# What str.split() keeps: the regex engine of Polars counts fewer characters as white space.
_RUNS: Final = r"[^\s\x1c-\x1f]+"


def read_words(documents: Documents, language: str | None) -> Corpus:
    """Return the stems of runs of letters, without stopwords.

    Token lists are taken as they are: whoever cut them has chosen their words.
    """
    if isinstance(documents.content, Corpus):
        return documents.content
    raw = extract_words(documents.content, _LETTERS, lower=True)
    if language is None:
        return raw
    import Stemmer

    left_out = stopwords(language)
    words = raw.vocabulary.tolist()
    stems = Stemmer.Stemmer(language).stemWords(words)
    used = [len(word) > 1 and word not in left_out for word in words]
    kept = sorted({stem for stem, use in zip(stems, used, strict=True) if use})
    position = {stem: i for i, stem in enumerate(kept)}
    new_ids = np.fromiter(
        (position[stem] if use else -1 for stem, use in zip(stems, used, strict=True)),
        np.int64,
        len(words),
    )
    vocabulary: NDArray[np.object_] = np.empty(len(kept), dtype=object)
    vocabulary[:] = kept
    return raw.relabel(new_ids, vocabulary)


def read_runs(documents: Documents) -> Corpus:
    """Return what stands between white space, lower-cased; token lists are taken as they are."""
    if isinstance(documents.content, Corpus):
        return documents.content
    return extract_words(documents.content, _RUNS, lower=True)


def languages() -> list[str]:
    """Return the languages whose stems are known."""
    import Stemmer

    return Stemmer.algorithms()


@cache
def stopwords(language: str) -> frozenset[str]:
    """Return the words of a language that say nothing of the topic, where a list is known."""
    if language not in ("english", "porter"):
        return frozenset()
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return ENGLISH_STOP_WORDS
