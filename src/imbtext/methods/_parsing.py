"""The small language of names.

A name is a Python call of names, numbers and calls: ``mco``, ``emco(0.1)``,
``threshold(emco(gamma=0.1, similarity=3), f2)``. Python's own parser reads it, and nothing is run.
Unlike in Python, a name may contain hyphens, case does not matter, and a bare word such as
``heaps`` or ``f2`` is a call without arguments; the method decides whether it names an option or a
method. A goal such as ``alarms_per_thousand(5)``, a sum such as ``words+pairs`` and a text in
quotes, which keeps its case, are options too.
Tables call ``rare`` RareTextClassifier, so users may type that name, too.
"""

import ast
import re
from dataclasses import dataclass
from typing import Final

_WORDS: Final = {"true": True, "false": False, "none": None}
# Stands for a hyphen while Python reads the name, which may contain it.
_DOT: Final = "\N{MIDDLE DOT}"
# Stands for the point of ``f0.5``.
_POINT: Final = 2 * _DOT


@dataclass(frozen=True)
class Call:
    """A parsed name with its arguments, and as it is written."""

    name: str
    written: str
    args: tuple["Value", ...] = ()
    kwargs: tuple[tuple[str, "Value"], ...] = ()

    def __str__(self) -> str:
        return self.written


# What stands in the parentheses of a name.
Value = int | float | bool | str | None | Call


def parse_name(text: str) -> Call:
    """Parse a method name.

    Examples
    --------
    >>> str(parse_name("threshold( emco(gamma=.5,similarity=3), f2 )"))
    'threshold(emco(gamma=0.5, similarity=3), f2)'
    >>> str(parse_name("RareTextClassifier(f1)"))
    'rare(f1)'
    >>> parse_name("emco(0.1")
    Traceback (most recent call last):
    ...
    ValueError: cannot read the method name 'emco(0.1': '(' was never closed; write it like \
'emco', 'emco(0.1)' or 'emco(0.1, similarity=3)'
    """
    # A hyphen of a name, such as borderline-2, and not that of 1e-05.
    source = re.sub(r"(?<=[A-Za-z])-(?=[A-Za-z])|(?<=[A-Za-z]{2})-(?=\d)", _DOT, text.strip())
    source = re.sub(r"(?i)\braretextclassifier\b", "rare", source)
    source = re.sub(r"\b([Ff]\d+)\.(?=\d)", rf"\1{_POINT}", source)
    try:
        call = _value(ast.parse(source, mode="eval").body)
        if isinstance(call, Call):
            return call
        reason = f"{str(call).lower()} is a value, not a name"
    except SyntaxError as error:
        at = source[error.offset - 1 :] if error.offset else ""
        vague = error.msg == "invalid syntax"
        reason = f"it breaks off at {at[:20]!r}" if vague and at else error.msg
        reason = "it is empty" if not source else reason
    except _NotAllowedError as error:
        reason = f"{_as_typed(str(error))!r} is not a name, number or call"
    except (ValueError, RecursionError, MemoryError):
        reason = "it is nested too deeply or contains characters that no name has"
    raise ValueError(
        f"cannot read the method name {text[:80]!r}: {reason}; write it like 'emco', 'emco(0.1)' "
        "or 'emco(0.1, similarity=3)'"
    )


class _NotAllowedError(Exception):
    """Python that is not a method name."""


def _value(node: ast.expr) -> Value:
    match node:
        case ast.Name():
            name = _written(node)
            return _WORDS[name] if name in _WORDS else Call(name, name)
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.Constant(value=str() as text):
            return _as_typed(text)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.BinOp() if _is_sum_of_names(node):
            name = _written(node).replace(" ", "")
            return Call(name, name)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if all(
            keyword.arg for keyword in keywords
        ):
            names = [keyword.arg for keyword in keywords]
            if len(set(names)) < len(names):
                raise SyntaxError(f"{max(names, key=names.count)} is given twice")
            return Call(
                _as_typed(name.lower()),
                _written(node),
                tuple(_value(argument) for argument in args),
                tuple((str(keyword.arg), _value(keyword.value)) for keyword in keywords),
            )
    raise _NotAllowedError(ast.unparse(node))


def _is_sum_of_names(node: ast.expr) -> bool:
    match node:
        case ast.BinOp(op=ast.Add(), left=left, right=ast.Name()):
            return isinstance(left, ast.Name) or _is_sum_of_names(left)
    return False


def _written(node: ast.expr) -> str:
    return _as_typed(ast.unparse(node).lower())


def _as_typed(name: str) -> str:
    return name.replace(_POINT, ".").replace(_DOT, "-")
