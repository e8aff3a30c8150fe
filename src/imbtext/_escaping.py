"""Untrusted text: documents, labels and file names stay text whatever they contain."""

import re
import unicodedata
from typing import Final

# Besides control characters: what reorders the text around it, and what cannot be seen at all.
_INVISIBLE: Final = re.compile("[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u3164\uffa0]")
_HIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible(text: str) -> str:
    r"""Show control characters, direction marks and other invisible characters by their code.

    Examples
    --------
    >>> visible("a\u202eb\x00\n")
    'a<U+202E>b<U+0000><U+000A>'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"<U+{ord(character):04X}>"
        if unicodedata.category(character) in _HIDDEN_CATEGORIES or _INVISIBLE.match(character)
        else character
        for character in text
    )
