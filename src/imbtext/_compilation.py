"""Compiling loops with numba. Imported by kernels only: numba takes a while to load."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function, **options: Any) -> Function:
    """Compile with numba, cached on disk where a cache can be written.

    To a type checker, what comes back takes and returns what `function` does.
    """
    try:
        return cast(Function, numba.njit(cache=True, nogil=True, **options)(function))
    except RuntimeError:  # neither the package's folder nor the user's cache is writable
        return cast(Function, numba.njit(nogil=True, **options)(function))
