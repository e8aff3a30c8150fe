"""Documents as rows of equal length, ready for a network: cut at the end, padded with 0."""

import numpy as np
from numpy.typing import NDArray

from imbtext.documents import Corpus

LENGTH_QUANTILE = 0.75
# Every document, however short, becomes a row of `length` numbers, so the length has a limit.
LONGEST = 2**20


def common_length(corpus: Corpus) -> int:
    """Return the 75% quantile of the lengths of the documents that have words, at least 1.

    Examples
    --------
    >>> common_length(Corpus.from_tokens([["oil"], [], ["oil", "price", "up"]]))
    2
    """
    lengths = corpus.lengths[corpus.lengths > 0]
    if not lengths.size:
        return 1
    return min(max(1, int(np.quantile(lengths, LENGTH_QUANTILE))), LONGEST)


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
