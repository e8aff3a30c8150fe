"""What the features that a user brings may return, refused in one place."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def checked_rows(features: Any, found: Any, n: int) -> Any:
    """Return what `features` made of `n` documents, a sparse matrix or an array of numbers."""
    if not sparse.issparse(found):
        found = np.asarray(found)
        if found.ndim != 2 or found.dtype.kind not in "fiub":
            raise ValueError(
                f"features={features!r:.60} returned an array of shape {found.shape} and "
                f"type {found.dtype}; expected numbers, one row per document"
            )
    if found.shape[0] != n:
        raise ValueError(
            f"features={features!r:.60} returned {found.shape[0]} rows for {n} documents; "
            "expected one row per document"
        )
    return found


def check_finite(features: Any, values: NDArray[np.floating]) -> None:
    """Refuse values that are infinite or no numbers, as they are stored."""
    if not np.isfinite(values).all():
        raise ValueError(
            f"features={features!r:.60} returned values that are infinite or no numbers"
        )
