"""Near-duplicates: documents that would let a test document be recognised instead of understood.

Two documents are near-duplicates if their sets of words overlap by four fifths or more (Jaccard).
All such pairs are found, without comparing every document with every other: with the words of each
document ordered from the rarest to the most frequent, two documents that overlap that much share
one of their first, rarest fifth (the prefix filter of Chaudhuri, Ganti and Kaushik, ICDE 2006).
Boilerplate, being frequent, is at the end and brings no documents together.
"""

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from imbtext._compilation import compiled
from imbtext.corpus import Corpus

OVERLAP: Final = 0.8
# A smaller share of tested documents with a near-duplicate in training moves no score.
_WORTH_A_NOTE: Final = 0.01


def near_duplicate_groups(corpus: Corpus, overlap: float = OVERLAP) -> NDArray[np.int64]:
    """Give every document a number that it shares with its near-duplicates alone.

    Near-duplicates of near-duplicates count. Documents without words are nobody's duplicate.

    Examples
    --------
    >>> documents = ["oil up", "up oil oil", "rain", "", ""]
    >>> corpus = Corpus.from_tokens([document.split() for document in documents])
    >>> near_duplicate_groups(corpus).tolist()
    [0, 0, 1, 2, 3]
    """
    words = corpus.counts()
    frequency = np.bincount(words.indices, minlength=words.shape[1])
    # Numbered from the rarest word up.
    rank = np.empty(words.shape[1], dtype=np.int64)
    rank[np.argsort(frequency, kind="stable")] = np.arange(words.shape[1])
    words = words[:, :]
    words.indices = rank[words.indices].astype(words.indices.dtype)
    words.has_sorted_indices = False
    words.sort_indices()
    sizes = np.diff(words.indptr)
    # Short documents first: a document need only look back at those that are not much shorter.
    order = np.argsort(sizes, kind="stable")
    ordered = words[order]
    links = _links(
        ordered.indptr.astype(np.int64), ordered.indices.astype(np.int64), len(rank), overlap
    )
    first = np.empty(len(order), dtype=np.int64)
    first[order] = order[links]
    # Numbered by first appearance.
    _, where, codes = np.unique(first, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(where))[codes].astype(np.int64)


@compiled
def _links(
    starts: NDArray[np.int64], words: NDArray[np.int64], n_words: int, overlap: float
) -> NDArray[np.int64]:
    """Return for every document the representative of its group; documents by ascending size."""
    n = len(starts) - 1
    group = np.arange(n)
    # An index from each word to the documents that have it in their prefix, as linked lists.
    n_entries = 0
    for i in range(n):
        size = starts[i + 1] - starts[i]
        n_entries += size - np.int64(np.ceil(overlap * size - 1e-9)) + 1 if size else 0
    head = np.full(n_words, -1, dtype=np.int64)
    following = np.empty(n_entries, dtype=np.int64)
    holder = np.empty(n_entries, dtype=np.int64)
    seen = np.full(n, -1, dtype=np.int64)
    entry = 0
    for i in range(n):
        size = starts[i + 1] - starts[i]
        if size == 0:
            continue
        prefix = size - np.int64(np.ceil(overlap * size - 1e-9)) + 1
        shortest = overlap * size - 1e-9
        for k in range(starts[i], starts[i] + prefix):
            before = -1
            at = head[words[k]]
            while at >= 0:
                j = holder[at]
                if starts[j + 1] - starts[j] < shortest:
                    # Newer entries are larger: this one and all behind it are too short for good.
                    if before >= 0:
                        following[before] = -1
                    else:
                        head[words[k]] = -1
                    break
                if seen[j] != i:
                    seen[j] = i
                    if _root(group, i) != _root(group, j) and _alike(starts, words, i, j, overlap):
                        group[_root(group, i)] = _root(group, j)
                before = at
                at = following[at]
        for k in range(starts[i], starts[i] + prefix):
            holder[entry] = i
            following[entry] = head[words[k]]
            head[words[k]] = entry
            entry += 1
    for i in range(n):
        group[i] = _root(group, i)
    return group


@compiled
def _root(group: NDArray[np.int64], i: int) -> int:
    while group[i] != i:
        group[i] = group[group[i]]
        i = group[i]
    return i


@compiled
def _alike(
    starts: NDArray[np.int64], words: NDArray[np.int64], i: int, j: int, overlap: float
) -> bool:
    """Say whether shared words over all words of two documents reach `overlap`."""
    a, b = starts[i], starts[j]
    end_a, end_b = starts[i + 1], starts[j + 1]
    total = (end_a - a) + (end_b - b)
    # shared / (total - shared) >= overlap, solved for the number of shared words.
    needed = overlap * total / (1 + overlap) - 1e-9
    shared = 0
    while a < end_a and b < end_b:
        if shared + min(end_a - a, end_b - b) < needed:
            return False
        if words[a] == words[b]:
            shared += 1
            a += 1
            b += 1
        elif words[a] < words[b]:
            a += 1
        else:
            b += 1
    return shared >= needed


def duplicate_notes(
    groups: NDArray[np.int64],
    folds: Iterable[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]],
    remedy: str,
) -> list[str]:
    """Say how many tested documents have a near-duplicate in their training documents.

    A fold is its training documents, its test documents, and which of all documents belong to the
    class that is looked for; `remedy` is what the reader can do.
    """
    n = int((np.bincount(groups)[groups] > 1).sum())
    if not n:
        return []
    everyone, of_class = [], []
    for train, test, members in folds:
        seen = np.isin(groups[test], groups[train])
        everyone.append(seen.mean())
        of_class.append(seen[members[test]].mean())
    words = (
        f"{n:,} of {len(groups):,} documents have a near-duplicate (four fifths of their words "
        "or more in common)."
    )
    if np.mean(everyone) == 0:
        return [f"{words} None of them is in training and test at once."]
    if max(np.mean(everyone), np.mean(of_class)) < _WORTH_A_NOTE:
        return []
    return [
        f"{words} On average {np.mean(everyone):.1%} of the tested documents, and "
        f"{np.mean(of_class):.1%} of those of the class, have one in their training documents, so "
        f"scores may be too good for new documents; {remedy} to see."
    ]


def group_codes(*groupings: NDArray[np.generic]) -> NDArray[np.int64]:
    """Return one number per document such that documents that share any group share the number.

    Examples
    --------
    >>> group_codes(np.array(["a", "a", "b", "c"]), np.array([1, 2, 2, 3])).tolist()
    [0, 0, 0, 1]
    """
    columns: list[NDArray[np.int64]] = []
    n = len(groupings[0])
    for grouping in groupings:
        _, codes = np.unique(grouping, return_inverse=True)
        columns.append(codes.ravel() + (columns[-1].max() + 1 if columns else 0))
    rows = np.concatenate([np.arange(n)] * len(groupings))
    nodes = np.concatenate(columns) + n
    size = int(nodes.max()) + 1
    links = sparse.coo_array((np.ones(len(rows)), (rows, nodes)), shape=(size, size))
    _, labels = connected_components(links, directed=False)
    return np.unique(labels[:n], return_inverse=True)[1].astype(np.int64)
