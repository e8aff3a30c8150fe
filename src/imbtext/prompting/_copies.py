"""Which written documents nearly repeat an original."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from imbtext.tokenization import encode_texts

# Two documents are nearly the same if they share four fifths of all their words.
OVERLAP = 0.8


def near_copies(written: Sequence[str], originals: Sequence[str]) -> NDArray[np.int64]:
    """Return for each written document the original that it nearly repeats, or -1.

    Examples
    --------
    >>> near_copies(["Oil is up", "gold is down"], ["rain", "oil is UP"]).tolist()
    [1, -1]
    """
    corpus = encode_texts([*written, *originals])
    words = corpus.counts().astype(bool).astype(np.float64)
    new, old = words[: len(written)], words[len(written) :]
    shared = (new @ old.T).toarray()
    sizes = new.sum(axis=1)[:, None] + old.sum(axis=1)[None, :]
    overlap = shared / np.maximum(sizes - shared, 1.0)
    return np.where(overlap.max(axis=1) >= OVERLAP, overlap.argmax(axis=1), -1)
