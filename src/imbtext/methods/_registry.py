"""Methods by name: the small language of names, and the registry that holds them.

A name is a Python call of names, numbers and calls: ``mco``, ``emco(0.1)``,
``threshold(emco(gamma=0.1, similarity=3), f2)``. Python's own parser reads it, and nothing is run.
Unlike in Python, a name may contain hyphens, case does not matter, and a bare word such as
``heaps`` or ``f2`` is a call without arguments; the method decides whether it names an option or a
method. A goal such as ``alarms_per_thousand(5)`` and a sum such as ``words+pairs`` are options too.
Tables call ``rare`` RareTextClassifier, so users may type that name, too.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, get_args

from imbtext._messages import did_you_mean
from imbtext.methods._method import Method, SamplerMethod, WorksOn
from imbtext.metrics import GOAL_NAMES, METRICS

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


# What stands in the parentheses of a name, as it is read and as the factory of the method gets it.
Value = int | float | bool | None | Call
Argument = int | float | bool | None | str | Method


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
    source = re.sub(r"(?<=[A-Za-z])-(?=[A-Za-z])", _DOT, text.strip())
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


# Each factory with what its sampler works on, if it makes a sampler.
_FACTORIES: dict[str, tuple[Callable[..., object], WorksOn | None]] = {}
# Words that stand for a value in a name: ``adasyn(exact=false)``, ``threshold(f2)``.
_RESERVED = {"true", "false", "none", "heaps", *METRICS, *GOAL_NAMES}


def register_method(
    name: str, factory: Callable[..., object], works_on: WorksOn | None = None
) -> None:
    """Make a method known by `name` to every command and experiment.

    Parameters
    ----------
    name : str
        What users will write, in lower case, such as ``"my-method"``.
    factory : callable
        It is called with the parameters in the name: ``my-method(3)`` calls ``factory(3)``. It
        returns a `Method`, or an imbalanced-learn sampler, which needs `works_on`.
    works_on : {"text", "tokens", "counts", "tfidf"}, default=None
        What the sampler's ``fit_resample`` gets.

    Examples
    --------
    >>> from imblearn.over_sampling import SVMSMOTE
    >>> register_method("svm-smote", lambda k=5: SVMSMOTE(k_neighbors=k), works_on="tfidf")
    >>> get_method("svm-smote(3)").works_on
    'tfidf'
    >>> unregister_method("svm-smote")
    """
    if not isinstance(name, str) or not callable(factory):
        raise TypeError(
            f"got the name {name!r:.60} and the factory {factory!r:.60}; expected a string and "
            "a callable that returns a Method or a sampler"
        )
    if works_on is not None and works_on not in get_args(WorksOn):
        raise ValueError(
            f"works_on is {works_on!r}; expected one of {', '.join(map(repr, get_args(WorksOn)))}"
        )
    if name in _RESERVED:
        raise ValueError(f"{name!r} already has a meaning inside names; choose another name")
    call = parse_name(name)
    if str(call) != name or call.name != name:
        raise ValueError(
            f"{name!r} cannot be a method's name; use a lower-case word such as {call.name!r}"
        )
    if name in _FACTORIES:
        raise ValueError(f"there already is a method {name!r}; choose another name")
    _FACTORIES[name] = (factory, works_on)


def unregister_method(name: str) -> None:
    """Forget the method of that name."""
    if name not in _FACTORIES:
        raise _unknown(name)
    del _FACTORIES[name]


def method_names() -> list[str]:
    """Return the names of all methods, in the order they were registered.

    Examples
    --------
    >>> "emco" in method_names()
    True
    """
    return list(_FACTORIES)


def registered_by_users(name: str) -> bool:
    """Say whether a name contains a method that was registered outside this package.

    Examples
    --------
    >>> registered_by_users("threshold(emco(0.1), f2)")
    False
    """

    def names(value: Value) -> Iterator[str]:
        if isinstance(value, Call):
            yield value.name
            for argument in (*value.args, *dict(value.kwargs).values()):
                yield from names(argument)

    factories = [_FACTORIES[known][0] for known in names(parse_name(name)) if known in _FACTORIES]
    return any(str(factory.__module__).partition(".")[0] != "imbtext" for factory in factories)


def get_method(name: str | Method) -> Method:
    """Return the method that `name` describes, parameters included.

    Examples
    --------
    >>> get_method("emco(0.1)").works_on
    'tokens'
    >>> get_method("threshold(emco(0.1), f2)").scoring
    'f2'
    >>> get_method("smoot")
    Traceback (most recent call last):
    ...
    ValueError: there is no method 'smoot'; did you mean 'smote'?
    """
    if isinstance(name, Method):
        return name
    if not isinstance(name, str):
        raise TypeError(
            f"the method is {name!r:.60} ({type(name).__name__}); "
            "give its name, such as 'emco(0.1)', or a Method"
        )
    return replace(_make(parse_name(name)), name=name.strip())


def _make(call: Call) -> Method:
    if call.name not in _FACTORIES:
        raise _unknown(call.name)
    factory, works_on = _FACTORIES[call.name]
    args = [argument_of(value) for value in call.args]
    kwargs = {key: argument_of(value) for key, value in call.kwargs}
    signature = inspect.signature(factory)
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
        raise ValueError(
            f"cannot read {str(call)!r}: {error}; the parameters are "
            f"{call.name}{inspect.Signature(parameters)}"
        ) from None
    method = _as_method(factory(*args, **kwargs), call.name, works_on)
    if method.family:  # of the method whose threshold is tuned, or which users registered again
        return replace(method, name=str(call))
    bound.apply_defaults()
    return replace(
        method,
        name=str(call),
        family=call.name,
        parameters=dict(bound.arguments),
        title=method.title or str(call),
    )


def _as_method(product: object, name: str, works_on: WorksOn | None) -> Method:
    if isinstance(product, Method):
        return product
    if not hasattr(product, "fit_resample"):
        raise TypeError(
            f"the factory of method {name!r} returned {product!r}; "
            "it must return a Method or a sampler with fit_resample(X, y)"
        )
    if not hasattr(product, "get_params"):
        raise TypeError(
            f"the sampler of method {name!r} ({type(product).__name__}) has no get_params, so it "
            "cannot be cloned for each fold; derive it from sklearn.base.BaseEstimator"
        )
    if works_on in (None, "classifier", "documents"):
        raise ValueError(
            f"the factory of method {name!r} returned a sampler; register it with "
            "works_on='text', 'tokens', 'counts' or 'tfidf'"
        )
    return Method(name, works_on, SamplerMethod(product, works_on))


def argument_of(value: Value) -> Argument:
    """Turn a word that names a method into that method and any other word into a string."""
    if not isinstance(value, Call):
        return value
    if value.name in GOAL_NAMES:
        return str(value)
    if value.name in _FACTORIES or value.args or value.kwargs:
        return _make(value)
    return value.name


def _unknown(name: str) -> ValueError:
    hint = did_you_mean(name, _FACTORIES) or f"; choose one of {', '.join(_FACTORIES)}"
    return ValueError(f"there is no method {name!r}{hint}")
