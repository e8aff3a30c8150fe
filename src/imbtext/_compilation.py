"""Compiling loops with numba. Imported by kernels only: numba takes a while to load."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function, *, fastmath: bool | set[str] = False) -> Function:
    """Compile with numba, and cache the result on disk if possible.

    For a type checker, the result has the signature of `function`.
    """
    try:
        return cast(Function, numba.njit(cache=True, nogil=True, fastmath=fastmath)(function))
    except RuntimeError:  # neither the package's folder nor the user's cache is writable
        return cast(Function, numba.njit(nogil=True, fastmath=fastmath)(function))
