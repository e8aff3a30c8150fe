"""Near-duplicates: documents that would let a test document be recognised instead of understood.

Two documents are near-duplicates if their sets of words overlap by four fifths or more (Jaccard).
Candidates come from MinHash signatures cut into bands, so no document is compared with all others;
each candidate pair is then measured exactly.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from imbtext.corpus import Corpus

OVERLAP: Final = 0.8
# 16 bands of 4 hashes find a pair of overlap 0.8 with probability 0.9998.
_N_BANDS: Final = 16
_BAND_WIDTH: Final = 4
_PAIRS_AT_ONCE: Final = 100_000


def near_duplicate_groups(corpus: Corpus, overlap: float = OVERLAP) -> NDArray[np.int64]:
    """Give every document a number that it shares with its near-duplicates alone.

    Near-duplicates of near-duplicates count. Documents without words are nobody's duplicate.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    overlap : float, default=0.8
        Shared words over all words of two documents that make them near-duplicates.

    Examples
    --------
    >>> documents = ["oil up", "up oil oil", "rain", "", ""]
    >>> corpus = Corpus.from_tokens([document.split() for document in documents])
    >>> near_duplicate_groups(corpus).tolist()
    [0, 0, 1, 2, 3]
    """
    n = corpus.n_documents
    words = corpus.counts()
    words.data = np.ones_like(words.data)
    sizes = np.diff(words.indptr)
    pairs = _candidates(words, np.flatnonzero(sizes))
    similar = np.concatenate(
        [
            _similar(words, sizes, pairs[start : start + _PAIRS_AT_ONCE], overlap)
            for start in range(0, max(len(pairs), 1), _PAIRS_AT_ONCE)
        ]
    )
    first, second = pairs[similar].T
    links = sparse.coo_array((np.ones(len(first)), (first, second)), shape=(n, n))
    _, groups = connected_components(links, directed=False)
    # Numbered by first appearance, whatever order the graph was walked in.
    _, where, codes = np.unique(groups, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(where))[codes].astype(np.int64)


def _candidates(words: sparse.csr_array, filled: NDArray[np.int64]) -> NDArray[np.int64]:
    if not len(filled):
        return np.empty((0, 2), dtype=np.int64)
    # A fixed key: whether two documents are duplicates must not depend on the user's seed.
    generator = np.random.Generator(np.random.Philox(key=0))
    # A band's hashes are combined as they are made: memory for one value a document and band.
    starts = words.indptr[filled]
    found = []
    for _ in range(_N_BANDS):
        band = np.zeros(len(filled), dtype=np.uint64)
        for _ in range(_BAND_WIDTH):
            of_word = generator.integers(2**63, size=words.shape[1], dtype=np.uint64)
            lowest = np.minimum.reduceat(of_word[words.indices], starts)
            band = band * np.uint64(0x9E3779B97F4A7C15) + lowest
        order = np.argsort(band, kind="stable")
        neighbours = band[order][1:] == band[order][:-1]
        # A bucket's documents are linked in a row and to its first: no square of a large bucket.
        bucket = np.flatnonzero(np.concatenate([[True], ~neighbours]))
        head = order[np.repeat(bucket, np.diff(np.append(bucket, len(order))))]
        before, after = order[:-1][neighbours], order[1:][neighbours]
        found += [np.stack([before, after], 1), np.stack([head[1:][neighbours], after], 1)]
    return filled[np.unique(np.sort(np.concatenate(found), axis=1), axis=0)]


def _similar(
    words: sparse.csr_array, sizes: NDArray[np.int64], pairs: NDArray[np.int64], overlap: float
) -> NDArray[np.bool_]:
    if not len(pairs):
        return np.zeros(0, dtype=bool)
    shared = np.asarray(words[pairs[:, 0]].multiply(words[pairs[:, 1]]).sum(axis=1)).ravel()
    union = sizes[pairs[:, 0]] + sizes[pairs[:, 1]] - shared
    return shared >= overlap * union


def leaked(
    groups: NDArray[np.int64], train: NDArray[np.int64], test: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Say which test documents have a near-duplicate among the training documents.

    Examples
    --------
    >>> leaked(np.array([0, 1, 0, 2]), np.array([0, 1]), np.array([2, 3])).tolist()
    [True, False]
    """
    return np.isin(groups[test], groups[train])
