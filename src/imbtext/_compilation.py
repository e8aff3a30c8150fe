"""Compiling loops with numba. Imported by kernels only: numba takes a while to load."""

from collections.abc import Callable
from typing import Any

import numba


def compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compile with numba, cached on disk where a cache can be written."""
    try:
        return numba.njit(cache=True, nogil=True, **options)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache is writable
        return numba.njit(nogil=True, **options)(function)
