"""Near-duplicates, which a model may recognise instead of judging.

Two documents are near-duplicates if their sets of words overlap by four fifths or more (Jaccard).
The search finds all such pairs without comparing every document with every other. It orders the
words of each document from the rarest to the most frequent. Two documents that overlap that much
share a word among their first fifth, the rarest (the prefix filter of Chaudhuri, Ganti and Kaushik,
ICDE 2006). Boilerplate is frequent, so it comes last and does not bring documents together.

In scripts without spaces each character is a word, and two documents share most characters whatever
they say. There three neighbouring characters count as one word.

:func:`near_duplicate_groups` finds all near-duplicates in a corpus. :func:`near_copies` finds the
new documents that nearly repeat an original.
"""

from collections.abc import Iterable
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from imbtext.documents._corpus import UNSPACED, Corpus

OVERLAP: Final = 0.8
# A smaller share of tested documents with a near-duplicate in training does not move a score.
_WORTH_A_NOTE: Final = 0.01


def near_duplicate_groups(corpus: Corpus, overlap: float = OVERLAP) -> NDArray[np.int64]:
    """Give every document a number that only its near-duplicates share.

    Near-duplicates of near-duplicates count too. A document without words has no duplicates.

    Examples
    --------
    >>> documents = ["oil up", "up oil oil", "rain", "", ""]
    >>> corpus = Corpus.from_tokens([document.split() for document in documents])
    >>> near_duplicate_groups(corpus).tolist()
    [0, 0, 1, 2, 3]
    """
    from imbtext.documents._kernels import linked_groups

    counts = _fingerprints(corpus).counts()
    n_words = counts.shape[1]
    frequency = np.bincount(counts.indices, minlength=n_words)
    # Numbered from the rarest word up.
    rank = np.empty(n_words, dtype=np.int64)
    rank[np.argsort(frequency, kind="stable")] = np.arange(n_words)
    words = sparse.csr_array((counts.data, rank[counts.indices], counts.indptr), counts.shape)
    words.sort_indices()
    # Short documents first: each document looks back only at those that are not much shorter.
    order = np.argsort(np.diff(words.indptr), kind="stable")
    ordered = words[order]
    links = linked_groups(
        ordered.indptr.astype(np.int64), ordered.indices.astype(np.int64), n_words, overlap
    )
    representative = np.empty(len(order), dtype=np.int64)
    representative[order] = order[links]
    # Groups are numbered by their first document.
    _, first_rows, codes = np.unique(representative, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first_rows))[codes].astype(np.int64)


def near_copies(new: Corpus, originals: Corpus) -> NDArray[np.int64]:
    """Return for each new document the original that it repeats most closely, or -1.

    Examples
    --------
    >>> new = Corpus.from_tokens([["oil", "is", "up"], ["gold", "is", "down"]])
    >>> near_copies(new, Corpus.from_tokens([["rain"], ["oil", "up", "is"]])).tolist()
    [1, -1]
    """
    corpora = [_fingerprints(corpus) for corpus in (new, originals)]
    vocabulary = np.unique(np.concatenate([corpus.vocabulary for corpus in corpora]))
    words, original_words = (
        corpus.with_vocabulary(vocabulary).counts().astype(bool).astype(np.float64)
        for corpus in corpora
    )
    shared = (words @ original_words.T).toarray()
    sizes = words.sum(axis=1)[:, None] + original_words.sum(axis=1)[None, :]
    overlaps = shared / np.maximum(sizes - shared, 1.0)
    return np.where(overlaps.max(axis=1) >= OVERLAP, overlaps.argmax(axis=1), -1)


def _fingerprints(corpus: Corpus) -> Corpus:
    """Return documents in which three characters of a script without spaces are one word."""
    words = pl.Series(values=corpus.vocabulary, dtype=pl.String)
    is_character = words.str.contains(f"^[{UNSPACED}]$").to_numpy()
    if not is_character.any():
        return corpus
    grams, vocabulary = corpus.ids.astype(np.int64), corpus.vocabulary
    # Whether the gram that begins at a token has a next character in the same document.
    goes_on = is_character[corpus.ids]
    last_rows = np.zeros(len(grams) + 2, dtype=bool)
    last_rows[corpus.offsets[1:] - 1] = True
    for distance in (1, 2):
        goes_on &= ~last_rows[distance - 1 : len(grams) + distance - 1]
        nothing = corpus.n_words
        after = np.full(len(grams), nothing)
        after[:-distance] = corpus.ids[distance:]
        goes_on &= np.append(is_character, False)[after]
        pairs, grams = np.unique(
            grams * (nothing + 1) + np.where(goes_on, after, nothing), return_inverse=True
        )
        left, right = np.divmod(pairs, nothing + 1)
        vocabulary = vocabulary[left] + np.append(corpus.vocabulary, "")[right]
    return Corpus(grams.astype(np.int32), corpus.offsets, vocabulary)


def duplicate_notes(
    groups: NDArray[np.int64],
    folds: Iterable[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]],
    remedy: str,
) -> tuple[list[str], list[str]]:
    """Return caveats and remarks: how many tested documents have a near-duplicate in training.

    It is a caveat if the scores may be too good for it, and a remark if there is none. Each fold
    has its training documents, its test documents, and a mask of the documents of the class;
    `remedy` is what the reader can do.
    """
    n_duplicates = int((np.bincount(groups)[groups] > 1).sum())
    if not n_duplicates:
        return [], []
    shares, class_shares = [], []
    for train, test, is_class in folds:
        seen = np.isin(groups[test], groups[train])
        shares.append(seen.mean())
        class_shares.append(seen[is_class[test]].mean())
    share, class_share = np.mean(shares), np.mean(class_shares)
    opening = (
        f"{n_duplicates:,} of {len(groups):,} documents have a near-duplicate, which shares at "
        "least four fifths of their words."
    )
    if share == 0:
        return [], [f"{opening} None of them is in training and test at once."]
    if max(share, class_share) < _WORTH_A_NOTE:
        return [], []
    caveat = (
        f"{opening} In an average fold, {share:.1%} of the tested documents, and "
        f"{class_share:.1%} of those of the class, have one among the training documents. "
        f"So the scores may be too good for new documents; {remedy}."
    )
    return [caveat], []


def group_codes(*groupings: NDArray[np.generic]) -> NDArray[np.int64]:
    """Return one number per document; documents that share any group share the number.

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
