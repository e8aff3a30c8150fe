"""EDA as the paper's experiments ran it: on raw text, a fixed number of new ones per document."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext.documents import Corpus, extract_words
from imbtext.oversampling._eda_operations import Rates, augment
from imbtext.oversampling._synonyms import (
    ENGLISH_STOPWORDS,
    Synonyms,
    SynonymTable,
    synonym_lookup,
)


class AugmentedTexts(NamedTuple):
    """Texts and the document that each was made of."""

    texts: list[str]
    parents: NDArray[np.int64]


def augment_texts_as_published(
    texts: Sequence[str],
    c: int,
    *,
    rates: Rates | None = None,
    synonyms: Synonyms = None,
    keep_originals: bool = True,
    seed: int,
    stream: int = 0,
) -> AugmentedTexts:
    """Make `c` new texts of each text, as the paper's experiments did.

    The text is cleaned first: apostrophes go, everything else but letters becomes a space, lower
    case. Random insertion always takes the same synonym of a word, an arbitrary one (there: the
    first of a set); the published size of EDA's vocabulary (71.55 new words per class of Reuters
    headlines) comes of that. Unlike there, a text that has no letters left is not dropped; its new
    ones are empty too.

    Parameters
    ----------
    texts : sequence of str
        Raw text.
    c : int
        New texts of each text, at least 1.
    rates : Rates, optional
        All four rates; 0.1 each by default.
    synonyms : path-like, mapping or callable, optional
        As in :func:`synonym_lookup`; WordNet by default.
    keep_originals : bool, default=True
        Let each text itself, cleaned, follow its new ones.
    seed, stream : int
        The randomness; text ``i`` draws from a stream of its own.

    Returns
    -------
    AugmentedTexts
        ``texts`` and ``parents``.

    Examples
    --------
    >>> new = augment_texts_as_published(
    ...     ["Oil's UP 5%", "17"], 2, synonyms={"up": ["upward"]}, seed=0
    ... )
    >>> new.parents.tolist()
    [0, 0, 0, 1, 1, 1]
    >>> new.texts[2:]
    ['oils up', '', '', '']
    """
    if c < 1:
        raise ValueError(f"c is {c}; each text must yield at least 1 new one")
    corpus = clean_as_published(texts)
    table = SynonymTable.of(corpus.vocabulary, synonym_lookup(synonyms), ENGLISH_STOPWORDS)
    new, parents = augment(
        corpus, table, c, rates or Rates(), seed=seed, stream=stream, fixed_insertions=True
    )
    if not keep_originals:
        return AugmentedTexts(new.texts(), parents)
    n = corpus.n_documents
    with_originals = new.concatenate(Corpus(corpus.ids, corpus.offsets, table.vocabulary))
    order = np.column_stack([np.arange(n * c).reshape(n, c), n * c + np.arange(n)]).ravel()
    return AugmentedTexts(with_originals.select(order).texts(), np.repeat(np.arange(n), c + 1))


def clean_as_published(texts: Sequence[str]) -> Corpus:
    """Clean raw text as EDA's authors do, and encode its words.

    Examples
    --------
    >>> clean_as_published(["Don't PANIC: oil-price at $5"]).texts()
    ['dont panic oil price at']
    """
    column = pl.Series(values=texts, dtype=pl.String)
    return extract_words(column.str.replace_all("['\u2019]", ""), "[a-z]+", lower=True)
