"""What features a user may ask for, and what those that he brings may return: refused once."""

from inspect import isclass
from typing import Any, Final, Literal, get_args

import numpy as np
from scipy import sparse

from imbtext._svm import for_liblinear

Kind = Literal["auto", "words", "words+pairs", "characters"]
FEATURES: Final[tuple[Kind, ...]] = get_args(Kind)


def check_features(features: Any) -> None:
    """Refuse what is no kind of features and makes no vectors.

    Examples
    --------
    >>> check_features("wrds")
    Traceback (most recent call last):
    ...
    ValueError: features is 'wrds'; choose one of auto, words, words+pairs, characters, or give a \
scikit-learn vectorizer, a pipeline on text, or a callable that returns vectors
    """
    if isinstance(features, str):
        good = features in FEATURES
    else:  # a class is callable, and returns no vectors
        good = (callable(features) or is_vectorizer(features)) and not isclass(features)
    if not good:
        raise ValueError(
            f"features is {features!r:.60}; choose one of {', '.join(FEATURES)}, or give a "
            "scikit-learn vectorizer, a pipeline on text, or a callable that returns vectors"
        )


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
