"""Aligning a corpus with its texts: the forms of words, and the gaps.

Only the counts use this. It stands alone because it is about texts and tokenizers, and the counts
are about numbers.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext.documents import DEFAULT_WORDS, Corpus, Tokenizer

# Its lower case depends on what follows, so that it cannot be moved to other neighbours.
_SIGMA = "\N{GREEK CAPITAL LETTER SIGMA}"


@dataclass(frozen=True, eq=False)
class WrittenWords:
    """The words of some documents as their texts write them.

    Documents without words are left out, and so are documents whose words were not all found.
    """

    rows: NDArray[np.int64]  # the documents
    forms: pl.Series  # each word as it is written
    gaps: pl.Series  # the text before, between and after words: one more per document than words


def written_words(
    texts: Sequence[str] | pl.Series, corpus: Corpus, tokenizer: Tokenizer | None
) -> WrittenWords:
    """Find the words of `corpus` in the texts that it was made from."""
    if tokenizer is not None:
        return _by_spans(texts, corpus, tokenizer)
    # Every word becomes a character that no text contains; the rest lies between words.
    column = pl.Series(values=texts, dtype=pl.String).str.replace_all("\0", " ", literal=True)
    forms = column.str.extract_all(DEFAULT_WORDS)
    gaps = column.str.replace_all(DEFAULT_WORDS, "\0").str.split("\0")
    lengths = forms.list.len().to_numpy().astype(np.int64)
    same_length = (lengths == corpus.lengths) & (lengths > 0)
    # Lower-casing the text and lower-casing its words differ for a few letters.
    flat = forms.filter(pl.Series(same_length)).explode()
    part = corpus.select(same_length)
    words = pl.Series(values=part.vocabulary, dtype=pl.String).gather(part.ids)
    equal = (flat.str.to_lowercase() == words).to_numpy()
    all_equal = np.add.reduceat(equal, part.offsets[:-1]) == part.lengths if len(equal) else equal
    rows = np.flatnonzero(same_length)[all_equal]
    flat = forms.gather(rows).explode().cast(pl.String)
    flat = pl.select(
        pl.when(flat.str.contains(_SIGMA, literal=True))
        .then(flat.str.to_lowercase())
        .otherwise(flat)
    ).to_series()
    return WrittenWords(rows, flat, gaps.gather(rows).explode().cast(pl.String))


def _by_spans(
    texts: Sequence[str] | pl.Series, corpus: Corpus, tokenizer: Tokenizer
) -> WrittenWords:
    rows: list[int] = []
    forms: list[str] = []
    gaps: list[str] = []
    for i, (text, words) in enumerate(zip(texts, corpus.tokens(), strict=True)):
        spans = list(_spans(text, words, tokenizer))
        if not words or len(spans) != len(words):
            continue
        rows.append(i)
        forms += [text[start:end] for start, end in spans]
        edges = [0, *(edge for span in spans for edge in span), len(text)]
        gaps += [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return WrittenWords(
        np.array(rows, dtype=np.int64),
        pl.Series(forms, dtype=pl.String),
        pl.Series(gaps, dtype=pl.String),
    )


def _spans(text: str, words: list[str], tokenizer: Tokenizer) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each word, up to the first that is not found."""
    pattern = getattr(tokenizer, "__self__", None)
    is_findall = getattr(tokenizer, "__name__", "") == "findall"
    if isinstance(pattern, re.Pattern) and pattern.groups == 0 and is_findall:
        yield from (match.span() for match in pattern.finditer(text))
        return
    lowered = text.lower()
    same_length = len(lowered) == len(text)
    end = 0
    for word in words:
        start = text.find(word, end)
        if start < 0 and same_length:
            start = lowered.find(word, end)
        if start < 0 or not word:
            return
        end = start + len(word)
        yield start, end
