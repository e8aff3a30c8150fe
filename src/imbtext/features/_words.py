"""The two ways documents are cut into words, and stems: once for each different word."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext.documents import Corpus, Documents, extract_words

# Runs of letters; scripts without spaces, whose runs are clauses, by the character.
_UNSPACED: Final = r"\p{Han}\p{Hiragana}\p{Katakana}"
LETTERS: Final = rf"[{_UNSPACED}]|[\p{{L}}--[{_UNSPACED}]]+"
# Single letters are left out, but for those of scripts that write words with them.
_LAST_LETTER: Final = "\u2e7f"
# What str.split() keeps: the regex engine of Polars counts fewer characters as white space.
RUNS: Final = r"[^\s\x1c-\x1f]+"


def read_words(documents: Documents, language: str | None) -> tuple[Corpus, NDArray[np.object_]]:
    """Return the stems of runs of letters, and how each stem is mostly spelt.

    Stopwords stay: their idf is small, and left in they ranked held-out training documents better.

    Token lists are taken as they are: whoever cut them has chosen their words.
    """
    if isinstance(documents.content, Corpus):
        return documents.content, documents.content.vocabulary
    raw = extract_words(documents.content, LETTERS, lower=True)
    if language is None:
        return raw, raw.vocabulary
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
    return raw.relabel(new_ids, vocabulary), spelt


def stems_of(words: Sequence[str], language: str | None) -> list[str | None]:
    """Return the stem of each word, None for a single letter, which is left out."""
    if language is None:
        return list(words)
    import Stemmer

    stems = Stemmer.Stemmer(language).stemWords(list(words))
    return [
        stem if len(word) > 1 or word > _LAST_LETTER else None
        for word, stem in zip(words, stems, strict=True)
    ]


def spelt(documents: Sequence[str], pattern: str) -> list[list[str]]:
    """Return what a pattern finds in each text as it stands there."""
    return pl.Series(documents, dtype=pl.String).str.extract_all(pattern).to_list()


def read_runs(documents: Documents) -> Corpus:
    """Return what stands between white space, lower-cased; token lists are taken as they are."""
    if isinstance(documents.content, Corpus):
        return documents.content
    return extract_words(documents.content, RUNS, lower=True)


def languages() -> list[str]:
    """Return the languages whose stems are known."""
    import Stemmer

    return Stemmer.algorithms()
