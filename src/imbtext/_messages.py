"""Parts of messages: short lists, the nearest name, visible text, warnings.

Documents, labels and file names are untrusted: they stay text whatever they contain.
Numbers are refused in one form, by :func:`check_whole_number`.
"""

import difflib
import re
import sys
import unicodedata
import warnings
from collections.abc import Collection, Iterable
from numbers import Integral
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:  # the command line's help needs messages, and no NumPy
    from imbtext._typing import Label

Known = TypeVar("Known")
_INSIDE: Final = ("imbtext", "sklearn", "imblearn", "joblib")
_MOST_NAMES: Final = 10
# Besides control characters: those that reorder the text around them, and those nobody can see.
_INVISIBLE: Final = re.compile("[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u3164\uffa0]")
_HIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


class FallbackWarning(UserWarning):
    """A method could not be applied as asked, and a documented substitute was used."""


class DataWarning(UserWarning):
    """Something about a user's data is odd; the command line always shows it."""


def warn_user(message: str, category: type[Warning] = FallbackWarning) -> None:
    """Warn at the innermost line outside this package and those that call it on a user's behalf."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in _INSIDE:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def listed(names: Collection[object], most: int = _MOST_NAMES) -> str:
    """Return names in quotes; if there are many, only the first of them.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    "'a', 'b', 'c'"
    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = [repr(name) for name in list(names)[:most]]
    n_left = len(names) - len(shown)
    return ", ".join(shown) + (f" and {n_left:,} more" if n_left > 0 else "")


def nearest(word: object, known: Iterable[Known]) -> Known | None:
    """Return the known name that a mistyped one most likely means, None if none is near.

    Case and spaces around the names do not matter, except between names that differ in nothing
    else: the one that is spelt most like the word wins, and of equals the first.

    Examples
    --------
    >>> nearest("smoot", ["smote", "plain"]), nearest(" OIL", ["oil"]), nearest("x", ["smote"])
    ('smote', 'oil', None)
    >>> nearest("Frad", ["fraud", "Fraud", "fraud "])
    'Fraud'
    """
    spellings: dict[str, list[Known]] = {}
    for name in known:
        spellings.setdefault(str(name).lower().strip(), []).append(name)
    matches = difflib.get_close_matches(str(word).lower().strip(), spellings, n=1)
    if not matches:
        return None
    matcher = difflib.SequenceMatcher(b=str(word))

    def likeness(name: Known) -> float:
        matcher.set_seq1(str(name))
        return matcher.ratio()

    return max(spellings[matches[0]], key=likeness)


def did_you_mean(word: object, known: Collection[object]) -> str:
    """Return a hint to end a message with: the nearest name, or nothing.

    Examples
    --------
    >>> f"there is no method 'smoot'{did_you_mean('smoot', ['smote', 'plain'])}"
    "there is no method 'smoot'; did you mean 'smote'?"
    """
    near = nearest(word, known)
    return "" if near is None else f"; did you mean {near!r}?"


def check_whole_number(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return a whole number as a Python integer, or refuse it.

    Examples
    --------
    >>> check_whole_number("random_state", None, least=0, most=9)
    Traceback (most recent call last):
    ...
    ValueError: random_state is None; give a whole number from 0 to 9
    """
    if isinstance(value, Integral) and not isinstance(value, bool):
        number = int(value)
        if number >= least and (most is None or number <= most):
            return number
    up_to = "up" if most is None else f"to {most}"
    raise ValueError(f"{name} is {value!r:.60}; give a whole number from {least} {up_to}")


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


def class_name(label: "Label") -> str:
    """Return what messages call a class; it may have no name."""
    return "the class" if label is None else f"class {label!r}"
