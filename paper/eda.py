"""EDA as in the paper's experiments: on raw text, with a fixed number of copies."""

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext.documents import Corpus, extract_words
from imbtext.methods import register_method
from imbtext.oversampling import New, Replaced, Request, Sampler, synonym_lookup
from imbtext.oversampling.eda_operations import Rates, augment
from imbtext.oversampling.synonyms import ENGLISH_STOPWORDS, Synonyms, SynonymTable


class PublishedEDA(Sampler):
    """EDA as in the paper's experiments: raw text, the same number of children of each document.

    Every document of the class yields ``1 + n // m`` new ones, where the class has m documents:
    never fewer than asked for, and often more. EDA's cleaning, which joins what an apostrophe
    separates ("don't" becomes "dont"), also changes the class's own documents, but no others. On
    texts with many apostrophes this lowers the scores.
    """

    space = "text"
    title = "EDA"

    def __init__(self, *, sampling_strategy: str = "auto", random_state: int | None = None) -> None:
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state

    def draw(self, request: Request) -> New:
        """Edit the documents of the class, and replace them by their cleaned selves."""
        rows = request.rows
        copies = 1 + request.n // len(rows)
        texts, parents = augment_texts_as_published(
            list(request.documents.select(rows).to_list()),
            copies,
            seed=request.seed,
            stream=request.stream,
        )
        # Each document's cleaned self follows its children.
        is_cleaned = np.arange(len(texts)) % (copies + 1) == copies
        children, cleaned = np.flatnonzero(~is_cleaned), np.flatnonzero(is_cleaned)
        return New(
            rows[parents[children]],
            [texts[i] for i in children.tolist()],
            Replaced(rows, [texts[i] for i in cleaned.tolist()]),
        )


def augment_texts_as_published(
    texts: Sequence[str],
    c: int,
    *,
    rates: Rates | None = None,
    synonyms: Synonyms = None,
    keep_originals: bool = True,
    seed: int,
    stream: int = 0,
) -> tuple[list[str], NDArray[np.int64]]:
    """Make `c` new texts of each text, as the paper's experiments did.

    The text is cleaned first: it is lower-cased, apostrophes go, and everything else but letters
    becomes a space. Random insertion takes the same arbitrary synonym of a word every time (the
    authors' code takes the first of a set). The published size of EDA's vocabulary (71.55 new
    words per class of Reuters headlines) is only reached this way. One thing differs from the
    authors' code: a text without letters is not dropped, and its new texts are empty too.

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
        Put each text itself, cleaned, behind its new texts.
    seed, stream : int
        The randomness; text ``i`` draws from a stream of its own.

    Returns
    -------
    texts : list of str
        The new texts, text by text.
    parents : ndarray of int
        The position of the text that each was made of.

    Examples
    --------
    >>> new, parents = augment_texts_as_published(
    ...     ["Oil's UP 5%", "17"], 2, synonyms={"up": ["upward"]}, seed=0
    ... )
    >>> parents.tolist()
    [0, 0, 0, 1, 1, 1]
    >>> new[2:]
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
        return new.texts(), parents
    n = corpus.n_documents
    with_originals = new.concatenate(Corpus(corpus.ids, corpus.offsets, table.vocabulary))
    order = np.column_stack([np.arange(n * c).reshape(n, c), n * c + np.arange(n)]).ravel()
    return with_originals.select(order).texts(), np.repeat(np.arange(n), c + 1)


def clean_as_published(texts: Sequence[str]) -> Corpus:
    """Clean raw text as EDA's authors do, and encode its words.

    Examples
    --------
    >>> clean_as_published(["Don't PANIC: oil-price at $5"]).texts()
    ['dont panic oil price at']
    """
    column = pl.Series(values=texts, dtype=pl.String)
    return extract_words(column.str.replace_all("['\u2019]", ""), "[a-z]+", lower=True)


register_method("eda-published", PublishedEDA)
