"""Untrusted text on a page: documents, labels and file names stay text whatever they contain."""

import html
import json
import re
import unicodedata
from typing import Any, Final

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


def escaped(text: Any) -> str:
    """Return text for use in HTML content and in quoted attributes.

    Examples
    --------
    >>> escaped('<script>"')
    '&lt;script&gt;&quot;'
    """
    return html.escape(visible(str(text)), quote=True)


def untrusted(text: Any) -> str:
    """Return text for HTML content, kept from changing the direction of what stands around it.

    Examples
    --------
    >>> untrusted("<b>")
    '<bdi>&lt;b&gt;</bdi>'
    """
    return f"<bdi>{escaped(text)}</bdi>"


def code_block(text: str) -> str:
    """Return lines of code for HTML content; line breaks stay."""
    return "\n".join(escaped(line) for line in text.split("\n"))


def script_json(value: Any) -> str:
    r"""Return JSON that cannot end the script element it stands in.

    Examples
    --------
    >>> script_json("</script>")
    '"\\u003c/script\\u003e"'
    """
    text = json.dumps(value, ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
