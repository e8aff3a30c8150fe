"""The documents that a report shows, cut around their weightiest words.

It is a module of its own because the numbers of the inspection count all documents.
"""

import re
from collections.abc import Sequence
from itertools import islice
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from imbtext.comparison._documents import ComparedDocuments
from imbtext.comparison._words import at_even_distances

# Characters of a document that an excerpt is chosen from.
_READ: Final = 8000
# Characters of the excerpt.
_LONGEST_EXCERPT: Final = 420
_LONGEST_LABEL: Final = 80
# Enough to find the right place, however long the document.
_EXCERPT_WORDS: Final = 4
_PLACES_PER_WORD: Final = 5


class ShownDocument(NamedTuple):
    """A document of the sample: an excerpt, its labels, and whether it is of the class.

    `name` is its id, or else its row.
    """

    text: str
    labels: str
    n_words: int
    of_class: bool
    name: str


def sample(members: NDArray[np.int64], rest: NDArray[np.int64], n_shown: int) -> NDArray[np.int64]:
    """Take documents of the class at even distances, and the first of the rest.

    Three of five are of the class; if the class has fewer, the rest takes the room.

    Examples
    --------
    >>> sample(np.arange(9), np.array([20, 11, 15, 12]), 5).tolist()
    [0, 4, 8, 11, 20]
    """
    n_members = min(len(members), max(n_shown * 3 // 5, n_shown - len(rest)))
    members = at_even_distances(members, n_members)
    return np.sort(np.concatenate([members, rest[: n_shown - n_members]]))


def shown_document(
    documents: ComparedDocuments,
    row: int,
    contributions: Sequence[tuple[str, float]],
    *,
    of_class: bool,
) -> ShownDocument:
    """Cut a document to an excerpt that fits on a page and has its weightiest words."""
    document = documents.rows[row]
    text = document if isinstance(document, str) else " ".join(document[:_READ])
    labels = ", ".join(sorted(map(str, documents.label_sets[row])))
    return ShownDocument(
        excerpt(" ".join(text[:_READ].split()), contributions),
        cut(labels, _LONGEST_LABEL),
        int(documents.corpus.lengths[row]),
        of_class,
        cut(documents.name(row), _LONGEST_LABEL),
    )


def excerpt(
    text: str, contributions: Sequence[tuple[str, float]], most: int = _LONGEST_EXCERPT
) -> str:
    """Return the part of a text that has its weightiest words, or its start if that will do.

    `contributions` are words with what they added to the score of the document, and `most` is the
    number of characters to return.

    Examples
    --------
    >>> excerpt("one two three four five oil price up and so on", [("oil", 0.5)], most=16)
    '…five oil price…'
    """
    if len(text) <= most:
        return text
    lowered = text.lower()
    weightiest = sorted(contributions, key=lambda pair: -abs(pair[1]))[:_EXCERPT_WORDS]
    places = [
        (match.start(), word, abs(value))
        for word, value in weightiest
        for match in islice(
            re.finditer(rf"(?<!\w){re.escape(word.lower())}(?!\w)", lowered), _PLACES_PER_WORD
        )
    ]

    def weight(start: int) -> float:
        inside = {word: value for at, word, value in places if start <= at < start + most}
        return sum(inside.values())

    starts = [max(0, text.rfind(" ", 0, max(0, at - most // 6)) + 1) for at, _, _ in places]
    best = max(starts, key=weight, default=0)
    # The beginning says what a document is about, unless it has few of the words that counted.
    if weight(0) >= 0.7 * weight(best):
        best = 0
    return ("\u2026" if best else "") + cut(text[best:], most)


def cut(text: str, most: int) -> str:
    """Cut a text after a word, if it is too long.

    Examples
    --------
    >>> cut("crude oil price", 12)
    'crude oil…'
    """
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    return (kept[: kept.rfind(" ")] if " " in kept else kept).rstrip() + "\u2026"
