"""What the features that a user brings may return, refused in one place."""

from typing import Any

import numpy as np
from scipy import sparse

from imbtext._classifier import for_liblinear


def is_vectorizer(features: Any) -> bool:
    """Return whether features are learnt from documents, and not a function of a document."""
    return hasattr(features, "fit") and hasattr(features, "transform")


def checked_rows(features: Any, found: Any, n: int, dtype: Any = np.float64) -> Any:
    """Return what `features` made of `n` documents, sparse rows or an array of numbers."""
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
    rows: Any = for_liblinear(found) if sparse.issparse(found) else found
    rows = rows.astype(dtype, copy=False)
    if not np.isfinite(rows.data if sparse.issparse(found) else rows).all():
        raise ValueError(
            f"features={features!r:.60} returned values that are infinite or no numbers"
        )
    return rows
