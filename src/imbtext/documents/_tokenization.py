"""Tokenization: from text to words, by default or by any callable.

Whatever a user passes as texts is checked here (:func:`string_column`).

Texts are split as scikit-learn's vectorizers do, so that samplers see the same words as the
classifier after them. Scripts without spaces need another rule, and the whole package has the same:
each character in :data:`UNSPACED` is a word for samplers, for the methods of ``compare`` and for
``RareTextClassifier``. :func:`words_and_characters` is the default as a function.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext._extras import require
from imbtext.documents._corpus import UNSPACED, Corpus

__all__ = ["encode_texts", "unicode_words", "words_and_characters"]

Tokenizer = Callable[[str], Sequence[str]]

_WORD_CHARACTER = re.compile(r"[^\W_]")

# scikit-learn's (?u)\b\w\w+\b as maximal runs, with \w spelt out as Python means it (the regex
# engine of Polars would also count combining marks as word characters), and each character of
# scripts without spaces, whose runs are clauses.
DEFAULT_WORDS = rf"[{UNSPACED}]|[[\p{{L}}\p{{N}}_]--[{UNSPACED}]]{{2,}}"
_WORDS_AND_CHARACTERS = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]{{2,}}")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")
# Texts are split piece by piece: the words of a piece are a small multiple of its text in memory.
_BYTES_AT_ONCE = 2_000_000
# For so few texts, columns of words take longer than Python's own lists.
_FEW_TEXTS = 16


def encode_texts(texts: Sequence[str] | pl.Series, tokenizer: Tokenizer | None = None) -> Corpus:
    """Split texts into words and encode them.

    Parameters
    ----------
    texts : sequence of str or polars Series
        The documents.
    tokenizer : callable, optional
        From a string to its words. By default the words are those of scikit-learn's vectorizers:
        runs of two or more letters, digits and underscores, lower-cased. In scripts without spaces
        (Thai, Chinese, Japanese and others) each character is a word.

    Examples
    --------
    >>> encode_texts(["Oil prices: up 5%", "A", "oil"]).tokens()
    [['oil', 'prices', 'up'], [], ['oil']]
    >>> encode_texts(["Oil up"], tokenizer=str.split).tokens()
    [['Oil', 'up']]
    >>> encode_texts(["OPEC: 石油 up"]).tokens()
    [['opec', '石', '油', 'up']]
    """
    if tokenizer is None:
        return extract_words(texts, DEFAULT_WORDS, lower=True, ascii_pattern=_WORDS_AND_CHARACTERS)
    return Corpus.from_tokens([_tokenize(tokenizer, text, i) for i, text in enumerate(texts)])


def words_and_characters(text: str) -> list[str]:
    """Split a text as this package does by default.

    Words are runs of two or more letters, digits and underscores, lower-cased, as in scikit-learn's
    vectorizers. Chinese, Japanese, Thai, Lao, Khmer and Burmese characters are a word each;
    :func:`unicode_words` finds whole words in them. Give this function to a vectorizer that should
    read texts as the samplers do, as in ``TfidfVectorizer(tokenizer=words_and_characters)``.

    Examples
    --------
    >>> words_and_characters("OPEC: 石油 up")
    ['opec', '石', '油', 'up']
    """
    return _WORDS_AND_CHARACTERS.findall(text.lower())


def unicode_words(text: str) -> list[str]:
    """Split text of any script into words as Unicode defines them, lower-cased.

    Chinese, Japanese, Thai, Lao, Khmer and Burmese are cut by the dictionaries of ICU, the library
    that browsers and databases use for it. Needs the package icu4py (the extra ``languages``).

    Examples
    --------
    >>> unicode_words("OPEC: 石油价格上涨, don't buy")
    ['opec', '石油', '价格', '上涨', "don't", 'buy']
    """
    breakers = require("icu4py.breakers", extra="languages")
    # The dictionaries are chosen by the script, so the language does not matter.
    words: Iterator[str] = iter(breakers.WordBreaker(text.lower(), "en"))
    return [word for word in words if _LETTER_OR_DIGIT.search(word)]


def extract_words(
    texts: Sequence[str] | pl.Series,
    pattern: str,
    *,
    lower: bool = False,
    ascii_pattern: re.Pattern[str] | None = None,
) -> Corpus:
    """Encode what a pattern of Polars' regex engine finds in each text.

    `ascii_pattern` finds the same in ASCII texts. For one or two texts, as a served model gets
    them, calling Polars would take longer than reading them.
    """
    if isinstance(texts, str):
        raise TypeError("texts is a single string; wrap it in a list")
    if isinstance(texts, pl.Series) and texts.dtype == pl.String and not texts.null_count():
        column = texts
    else:
        column = string_column(texts, "texts")
    if len(column) <= _FEW_TEXTS:
        strings = column.to_list()
        if ascii_pattern is None or not all(map(str.isascii, strings)):
            return Corpus.from_tokens(_word_lists(column, pattern, lower).to_list())
        lowered = map(str.lower, strings) if lower else strings
        return Corpus.from_tokens(list(map(ascii_pattern.findall, lowered)))
    return Corpus.from_words(_word_pieces(column, pattern, lower))


def _word_lists(column: pl.Series, pattern: str, lower: bool) -> pl.Series:
    texts = pl.col("texts").str.to_lowercase() if lower else pl.col("texts")
    return column.to_frame("texts").select_seq(texts.str.extract_all(pattern)).to_series()


def _word_pieces(
    column: pl.Series, pattern: str, lower: bool
) -> Iterator[tuple[pl.Series, NDArray[np.int64]]]:
    n_bytes = int(column.str.len_bytes().sum())
    rows = max(len(column) * _BYTES_AT_ONCE // max(n_bytes, 1), 1)
    for first in range(0, max(len(column), 1), rows):
        piece = column.slice(first, rows)
        words = _word_lists(piece, pattern, lower)
        lengths = words.list.len().to_numpy().astype(np.int64)
        yield words.explode().drop_nulls(), lengths


def _tokenize(tokenizer: Tokenizer, text: str, row: int) -> Sequence[str]:
    words = tokenizer(text)
    if isinstance(words, str) or not hasattr(words, "__iter__"):
        raise TypeError(
            f"the tokenizer returned {words!r:.60} ({type(words).__name__}) for document {row}; "
            "it must return a list of strings"
        )
    words = list(words)
    for word in words:
        if not isinstance(word, str):
            raise TypeError(
                f"the tokenizer returned a list with {word!r:.60} ({type(word).__name__}) for "
                f"document {row}; it must return a list of strings"
            )
    return words


def string_column(values: Sequence[object] | pl.Series, name: str) -> pl.Series:
    """Return texts as a Polars column; raise an error for the first that is not a string."""
    try:
        column = pl.Series(values=values, dtype=pl.String, strict=True)
        if not column.null_count():
            return column
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        pass
    refuse_first(values, name, str, "strings")
    raise ValueError(f"{name} could not be read as strings")


def refuse_first(
    values: Iterable[object], name: str, kind: type | tuple[type, ...], expected: str
) -> None:
    """Raise an error for the first row that does not fit, with its place and what to do."""
    for i, row in enumerate(values):
        if is_missing(row):
            raise ValueError(
                f"{name}[{i}] is missing ({row!r}); expected {expected}: "
                "drop such rows or fill them with an empty document"
            )
        if isinstance(row, bytes | bytearray):
            raise TypeError(
                f"{name}[{i}] is bytes ({bytes(row)!r:.40}); expected {expected}: decode it first, "
                "such as with .decode('utf-8')"
            )
        if not isinstance(row, kind):
            raise TypeError(
                f"{name}[{i}] is {row!r:.40} ({type(row).__name__}); expected only {expected}: "
                "convert it first, such as with str()"
            )
        if isinstance(row, str):
            try:
                row.encode()
            except UnicodeEncodeError:
                raise ValueError(
                    f"{name}[{i}] is not valid Unicode (it holds half of a surrogate pair); "
                    "repair it, such as with text.encode('utf-8', 'replace').decode()"
                ) from None


def has_words(text: str) -> bool:
    """Return whether a text has a letter or a digit, and so anything that could be a word.

    Examples
    --------
    >>> [has_words(text) for text in ("oil", "5", "?!", "")]
    [True, True, False, False]
    """
    return _WORD_CHARACTER.search(text) is not None


def is_missing(row: object) -> bool:
    """Return whether a cell has no value: it is None, NaN, NA or NaT."""
    if row is None:
        return True
    if isinstance(row, str | bytes | list | tuple | np.ndarray):
        return False
    # NaN and pandas' NaT differ from themselves; the comparison of pandas' NA has no truth value.
    try:
        return bool(row != row)  # noqa: PLR0124
    except TypeError:
        return True
    except ValueError:  # a container of several values
        return False
