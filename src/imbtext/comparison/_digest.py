"""A digest of settings that tells any two settings apart, or says that it cannot.

Finished work may be used again only where nothing that decides the numbers has changed. Numbers,
texts and scikit-learn's estimators (by all their parameters) can be told apart surely; so can a
function that reads nothing but its arguments, by its code. Anything else might differ where it
looks the same, and is refused here.
"""

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from types import BuiltinFunctionType, CodeType, FunctionType, MethodDescriptorType
from typing import Any, Final

import numpy as np

_OURS: Final = "imbalanced-text"


class NotDigestibleError(ValueError):
    """A value of which two that differ cannot surely be told apart."""


def settings_digest(**settings: Any) -> str:
    """Return a digest of settings and of the versions of what computes with them."""
    versions = {name: version(name) for name in (_OURS, "scikit-learn", "numpy")}
    whole = _described({"versions": versions, **settings})
    return hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _described(value: Any) -> str:
    """Spell a value out, so that values that differ are spelt differently."""
    for kinds, describe in _KINDS:
        if isinstance(value, kinds):
            return describe(value)
    if hasattr(value, "get_params"):
        return f"estimator:{_home(type(value))}{_described(value.get_params(deep=False))}"
    raise NotDigestibleError(f"two objects of {_home(type(value))} cannot surely be told apart")


def _mapping(value: Any) -> str:
    pairs = sorted((_described(key), _described(item)) for key, item in value.items())
    return f"{type(value).__name__}[{','.join(f'{key}={item}' for key, item in pairs)}]"


def _array(value: Any) -> str:
    if value.dtype == object:
        return f"array:{value.shape}{_described(value.ravel().tolist())}"
    raw = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    return f"array:{value.dtype}{value.shape}{raw}"


def _builtin(value: Any) -> str:
    # A method of a compiled pattern or of a string, or a function written in C.
    owner = value.__self__
    home = owner.__name__ if hasattr(owner, "__name__") else _described(owner)
    return f"builtin:{home}.{value.__qualname__}"


def _function(function: Any) -> str:
    try:
        free = [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:  # a cell that is still empty
        free = [function]
    names = [name for name in _names(function.__code__) if name in function.__globals__]
    if function in free or names:
        raise NotDigestibleError(
            f"the function {function.__qualname__} uses what is defined outside it "
            f"({', '.join(names) or 'itself'}), so two of its versions cannot surely be told apart"
        )
    rest = _described([function.__defaults__, function.__kwdefaults__, free])
    return f"function:{_code(function.__code__)}{rest}"


# The first kind that a value is of says how it is spelt.
_KINDS: Final[tuple[tuple[Any, Callable[[Any], str]], ...]] = (
    (np.generic, lambda v: f"numpy.{type(v).__name__}:{v.item()!r}"),
    (type(None) | bool | int | float | str | bytes, lambda v: f"{type(v).__name__}:{v!r}"),
    (type, lambda v: f"type:{v.__module__}.{v.__qualname__}"),
    (list | tuple, lambda v: f"{type(v).__name__}[{','.join(map(_described, v))}]"),
    (set | frozenset, lambda v: f"{type(v).__name__}[{','.join(sorted(map(_described, v)))}]"),
    (Mapping, _mapping),
    (np.ndarray, _array),
    (re.Pattern, lambda v: f"pattern:{v.pattern!r}{v.flags}"),
    (partial, lambda v: f"partial:{_described([v.func, v.args, v.keywords])}"),
    (BuiltinFunctionType, _builtin),
    (MethodDescriptorType, lambda v: f"method:{v.__objclass__.__name__}.{v.__name__}"),
    (FunctionType, _function),
)


def _home(kind: type) -> str:
    """Return where a class comes from, with the version of its package."""
    name = f"{kind.__module__}.{kind.__qualname__}"
    package = kind.__module__.partition(".")[0]
    known = {"sklearn": "scikit-learn", "imblearn": "imbalanced-learn", "imbtext": _OURS}
    try:
        return f"{name} {version(known.get(package, package))}"
    except PackageNotFoundError:
        raise NotDigestibleError(
            f"the class {name} is of no installed package, so two of its versions cannot surely "
            "be told apart"
        ) from None


def _names(code: CodeType) -> list[str]:
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return [*code.co_names, *(name for c in inner for name in _names(c))]


def _code(code: CodeType) -> str:
    constants = [
        _code(c) if isinstance(c, CodeType) else _described(c) if c is not ... else "..."
        for c in code.co_consts
    ]
    return f"{code.co_code.hex()}{code.co_names}{code.co_varnames}{constants}"
