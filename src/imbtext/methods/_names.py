"""The small language of method names: ``emco(0.1)``, ``emco(gamma=0.1, order=2)``, ``mco``.

A name is a Python call of names, numbers and calls, read by Python's own parser and never run.
What is more: a name may contain hyphens, case does not matter, and a bare word such as ``heaps``
or ``f2`` is a call without arguments; the method decides whether it names an option or a method.
"""

import ast
import re
from dataclasses import dataclass
from typing import Final

_WORDS: Final = {"true": True, "false": False, "none": None}
# Stands for a hyphen while Python reads the name, which may contain it.
_DOT: Final = "\N{MIDDLE DOT}"


@dataclass(frozen=True)
class Call:
    """A parsed name with its arguments, and as it is written."""

    name: str
    written: str
    args: tuple["Value", ...] = ()
    kwargs: tuple[tuple[str, "Value"], ...] = ()

    def __str__(self) -> str:
        return self.written


Value = int | float | bool | None | Call


def parse_name(text: str) -> Call:
    """Parse a method name.

    Examples
    --------
    >>> str(parse_name("threshold( emco(gamma=.5,order=2), f2 )"))
    'threshold(emco(gamma=0.5, order=2), f2)'
    >>> parse_name("emco(0.1")
    Traceback (most recent call last):
    ...
    ValueError: cannot read the method name 'emco(0.1': '(' was never closed; write it like \
'emco', 'emco(0.1)' or 'emco(gamma=0.1, order=2)'
    """
    source = re.sub(r"(?<=[A-Za-z])-(?=[A-Za-z])", _DOT, text.strip())
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
        reason = f"{str(error).replace(_DOT, '-')!r} is no name, number or call"
    except (ValueError, RecursionError, MemoryError):
        reason = "it is nested too deeply or holds characters that no name has"
    raise ValueError(
        f"cannot read the method name {text[:80]!r}: {reason}; write it like 'emco', 'emco(0.1)' "
        "or 'emco(gamma=0.1, order=2)'"
    )


class _NotAllowedError(Exception):
    """Python that is no method name."""


def _value(node: ast.expr) -> Value:
    match node:
        case ast.Name():
            name = _written(node)
            return _WORDS[name] if name in _WORDS else Call(name, name)
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if all(
            keyword.arg for keyword in keywords
        ):
            names = [keyword.arg for keyword in keywords]
            if len(set(names)) < len(names):
                raise SyntaxError(f"{max(names, key=names.count)} is given twice")
            return Call(
                name.lower().replace(_DOT, "-"),
                _written(node),
                tuple(_value(argument) for argument in args),
                tuple((str(keyword.arg), _value(keyword.value)) for keyword in keywords),
            )
    raise _NotAllowedError(ast.unparse(node))


def _written(node: ast.expr) -> str:
    return ast.unparse(node).lower().replace(_DOT, "-")
