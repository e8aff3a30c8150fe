"""The small language of method names: ``emco(0.1)``, ``emco(gamma=0.1, order=2)``, ``mco``.

::

    call     = name [ "(" [ argument { "," argument } ] ")" ]
    argument = [ name "=" ] value
    value    = number | true | false | none | call

A bare word such as ``heaps`` or ``f2`` is a call without arguments; the method decides whether it
names an option or another method.
"""

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w-]))"
    r"|(?P<name>[A-Za-z][\w-]*)|(?P<mark>[(),=]))"
)
_WORDS = {"true": True, "false": False, "none": None}


@dataclass(frozen=True)
class Call:
    """A parsed name with its arguments."""

    name: str
    args: tuple["Value", ...] = ()
    kwargs: tuple[tuple[str, "Value"], ...] = ()

    def __str__(self) -> str:
        arguments = [_shown(value) for value in self.args]
        arguments += [f"{key}={_shown(value)}" for key, value in self.kwargs]
        return f"{self.name}({', '.join(arguments)})" if arguments else self.name


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
    ValueError: cannot read the method name 'emco(0.1': expected ',' or ')' at its end; write it \
like 'emco', 'emco(0.1)' or 'emco(gamma=0.1, order=2)'
    """
    return _Parser(text).parse()


def _shown(value: Value) -> str:
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


class _Parser:
    """Recursive descent over the tokens of one name."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str]] = []
        position, end = 0, len(text.rstrip())
        while position < end:
            match = _TOKEN.match(text, position)
            if match is None:
                raise self.error("a name, a number, '(', ')', ',' or '='", text[position:].strip())
            self.tokens.append((match.lastgroup or "", match[match.lastgroup or 0]))
            position = match.end()
        self.at = 0

    def parse(self) -> Call:
        call = self.call()
        if self.peek() is not None:
            raise self.error("nothing more")
        return call

    def call(self) -> Call:
        name = self.take("name")
        if self.peek() != ("mark", "("):
            return Call(name.lower())
        self.at += 1
        args: list[Value] = []
        kwargs: list[tuple[str, Value]] = []
        while self.peek() != ("mark", ")"):
            if self.tokens[self.at + 1 : self.at + 2] == [("mark", "=")]:
                key = self.take("name")
                if key in dict(kwargs):
                    self.at -= 1
                    raise self.error(f"{key} only once")
                self.at += 1
                kwargs.append((key, self.value()))
            elif kwargs:
                raise self.error("an argument written key=value, as the one before it")
            else:
                args.append(self.value())
            if self.peek() == ("mark", ","):
                self.at += 1
            elif self.peek() != ("mark", ")"):
                raise self.error("',' or ')'")
        self.at += 1
        return Call(name.lower(), tuple(args), tuple(kwargs))

    def value(self) -> Value:
        token = self.peek()
        if token is not None and token[0] == "number":
            self.at += 1
            return float(token[1]) if set(token[1]) & set(".eE") else int(token[1])
        call = self.call()
        if not call.args and not call.kwargs and call.name in _WORDS:
            return _WORDS[call.name]
        return call

    def take(self, kind: str) -> str:
        token = self.peek()
        if token is None or token[0] != kind:
            raise self.error(f"a {kind}")
        self.at += 1
        return token[1]

    def peek(self) -> tuple[str, str] | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def error(self, expected: str, found: str | None = None) -> ValueError:
        if found is None:
            token = self.peek()
            found = token[1] if token is not None else None
        where = f"at {found!r}" if found else "at its end"
        return ValueError(
            f"cannot read the method name {self.text!r}: expected {expected} {where}; write it "
            "like 'emco', 'emco(0.1)' or 'emco(gamma=0.1, order=2)'"
        )
