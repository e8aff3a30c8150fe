"""Documents as rows of equal length for a network: cut and padded."""

import numpy as np
from numpy.typing import NDArray

from imbtext.documents._corpus import Corpus


def padded(corpus: Corpus, length: int) -> NDArray[np.int32]:
    """Return documents as rows of `length` word numbers, which begin at 1; 0 is padding.

    Examples
    --------
    >>> corpus = Corpus.from_tokens([["up", "oil"], [], ["oil", "price", "up"]])
    >>> padded(corpus, 2)
    array([[3, 1],
           [0, 0],
           [1, 2]], dtype=int32)
    """
    rows = np.zeros((corpus.n_documents, length), dtype=np.int32)
    document = np.repeat(np.arange(corpus.n_documents), corpus.lengths)
    position = np.arange(corpus.n_tokens) - corpus.offsets[document]
    kept = position < length
    rows[document[kept], position[kept]] = corpus.ids[kept] + 1
    return rows
