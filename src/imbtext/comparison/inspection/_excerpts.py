"""Documents cut to what fits on a page."""

import re
from collections.abc import Sequence
from itertools import islice
from typing import Final

LONGEST: Final = 420
# Enough to find the right place, however long the document.
_WORDS: Final = 4
_PLACES_PER_WORD: Final = 5


def excerpt(text: str, said: Sequence[tuple[str, float]], most: int = LONGEST) -> str:
    """Return the part of a text in which the words that spoke weigh most, the start if it may be.

    `said` are words with what they added to its score, `most` the characters to return.

    Examples
    --------
    >>> excerpt("one two three four five oil price up and so on", [("oil", 0.5)], most=16)
    '…five oil price…'
    """
    if len(text) <= most:
        return text
    lowered = text.lower()
    loudest = sorted(said, key=lambda pair: -abs(pair[1]))[:_WORDS]
    places = [
        (found.start(), word, abs(value))
        for word, value in loudest
        for found in islice(
            re.finditer(rf"(?<!\w){re.escape(word.lower())}(?!\w)", lowered), _PLACES_PER_WORD
        )
    ]

    def heard(start: int) -> float:
        inside = {word: value for at, word, value in places if start <= at < start + most}
        return sum(inside.values())

    starts = [max(0, text.rfind(" ", 0, max(0, at - most // 6)) + 1) for at, _, _ in places]
    best = max(starts, key=heard, default=0)
    # The beginning says what a document is about, unless it says little of what counted.
    if heard(0) >= 0.7 * heard(best):
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
