"""The synonyms of EDA, as the table that compiled loops read."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from imbtext.oversampling._wordnet import WordNet

SynonymLookup = Callable[[str], Iterable[str]]
Synonyms = str | os.PathLike[str] | Mapping[str, Iterable[str]] | SynonymLookup | None

# The function words of English that EDA's authors leave alone: the 127 words of NLTK's older
# English list. NLTK's present one has 179; the other 52 are contractions and their pieces ("don't",
# "ll"), none of which has a synonym in WordNet that would be worth protecting.
ENGLISH_STOPWORDS = frozenset(
    """
    i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she
    her hers herself it its itself they them their theirs themselves
    what which who whom this that these those
    am is are was were be been being have has had having do does did doing can will should
    a an the and but if or because as until while
    of at by for with about against between into through during before after above below to from
    up down in out on off over under
    again further then once here there when where why how
    all any both each few more most other some such no nor not only own same so than too very
    just now don s t
    """.split()  # noqa: SIM905
)


def synonym_lookup(synonyms: Synonyms = None) -> SynonymLookup:
    """Return a function from a word to its synonyms.

    Parameters
    ----------
    synonyms : path-like, mapping or callable, optional
        None reads the WordNet that :func:`imbtext.oversampling.find_wordnet` finds, and a path
        reads the one there. A mapping or a callable gives the synonyms of a word itself.

    Examples
    --------
    >>> lookup = synonym_lookup({"oil": ["crude", "crude oil"]})
    >>> lookup("oil"), lookup("price")
    (['crude', 'crude oil'], ())
    """
    if synonyms is None or isinstance(synonyms, str | os.PathLike):
        return WordNet.read(synonyms).synonyms
    if isinstance(synonyms, Mapping):
        mapping: Mapping[str, Iterable[str]] = synonyms
        return lambda word: mapping.get(word, ())
    if callable(synonyms):
        return synonyms
    raise TypeError(
        f"synonyms is {synonyms!r:.60} ({type(synonyms).__name__}); expected None (WordNet), the "
        "path of a WordNet, a mapping of words to lists of synonyms, or a callable"
    )


@dataclass(frozen=True, eq=False)
class SynonymTable:
    """The synonyms of every word of a vocabulary, as ids.

    The synonyms of word ``w`` are numbered ``first[w]`` to ``first[w + 1] - 1``; synonym ``s`` is
    the tokens ``tokens[bounds[s]:bounds[s + 1]]``, more than one for "crude oil".

    Attributes
    ----------
    vocabulary : ndarray of object
        The given words, then the words that occur in synonyms only.
    replaceable : ndarray of bool
        The given words that have a synonym and are not stopwords.

    Examples
    --------
    >>> table = SynonymTable.of(["oil", "price"], synonym_lookup({"oil": ["crude oil", "oil"]}))
    >>> table.vocabulary.tolist(), table.replaceable.tolist()
    (['oil', 'price', 'crude'], [True, False])
    >>> table.tokens.tolist()
    [2, 0]
    """

    vocabulary: NDArray[np.object_]
    replaceable: NDArray[np.bool_]
    first: NDArray[np.int64]
    bounds: NDArray[np.int64]
    tokens: NDArray[np.int32]

    @classmethod
    def of(
        cls,
        words: Iterable[str],
        lookup: SynonymLookup,
        stopwords: Collection[str] = (),
    ) -> "SynonymTable":
        """Look up all `words`."""
        distinct = list(dict.fromkeys(words))
        protected = _lowered(stopwords)
        first, bounds, tokens = [0], [0], list[str]()
        for word in distinct:
            for synonym in _spelt_out(word, lookup(word)):
                tokens += synonym
                bounds.append(len(tokens))
            first.append(len(bounds) - 1)
        ids = {word: i for i, word in enumerate(dict.fromkeys(chain(distinct, tokens)))}
        starts = np.array(first, dtype=np.int64)
        stops = np.fromiter(
            (word.lower() in protected for word in distinct), np.bool_, len(distinct)
        )
        return cls(
            vocabulary=np.array(list(ids), dtype=object),
            replaceable=(np.diff(starts) > 0) & ~stops,
            first=starts,
            bounds=np.array(bounds, dtype=np.int64),
            tokens=np.fromiter(map(ids.__getitem__, tokens), np.int32, len(tokens)),
        )


def _lowered(stopwords: Collection[str]) -> set[str]:
    if isinstance(stopwords, str) or not all(isinstance(word, str) for word in stopwords):
        raise TypeError(f"stopwords is {stopwords!r:.60}; expected a collection of strings")
    return {word.lower() for word in stopwords}


def _spelt_out(word: str, synonyms: Iterable[str]) -> list[list[str]]:
    """Return the synonyms as token lists; sorted, so that a set's order decides nothing."""
    if isinstance(synonyms, str) or not isinstance(synonyms, Iterable):
        raise TypeError(
            f"the synonyms of {word!r} are {synonyms!r:.60} ({type(synonyms).__name__}); "
            "expected a list of strings"
        )
    strings = list(synonyms)
    for synonym in strings:
        if not isinstance(synonym, str):
            raise TypeError(
                f"the synonyms of {word!r} include {synonym!r:.60} ({type(synonym).__name__}); "
                "expected strings"
            )
    spelt = [synonym.split() for synonym in sorted(set(strings) - {word})]
    return [tokens for tokens in spelt if tokens]
