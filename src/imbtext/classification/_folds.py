"""Folds that all classes share: each class spread evenly, near-duplicates kept together."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext.randomness import keyed_generator

N_FOLDS: Final = 5
_STREAM: Final = 0xF01D5


def shared_folds(
    members: Sequence[NDArray[np.int64]],
    n_documents: int,
    groups: NDArray[np.int64],
    seed: int,
    n_folds: int = N_FOLDS,
) -> NDArray[np.int8]:
    """Give every document the fold that is to hold it out.

    Classes are dealt out from the rarest to the most common, each group of documents to the fold
    that has the fewest documents of the class so far (then the fewest of all). A document may be
    in several classes or in none.

    Examples
    --------
    >>> rare, common = np.array([0, 1]), np.arange(2, 8)
    >>> folds = shared_folds([rare, common], 8, np.arange(8), seed=0, n_folds=2)
    >>> np.bincount(folds[rare]).tolist(), np.bincount(folds[common]).tolist()
    ([1, 1], [3, 3])
    """
    from imbtext.classification._kernels import deal

    generator = keyed_generator(seed, _STREAM)
    fold_of = np.full(int(groups.max()) + 1, -1, np.int8)
    sizes = np.bincount(groups)
    totals = np.zeros(n_folds, np.int64)
    everything = np.arange(n_documents)
    for rows in (*sorted(members, key=len), everything):
        met, n_here = np.unique(groups[rows], return_counts=True)
        order = generator.permutation(len(met))
        # Large groups first: small ones can even out what they leave.
        order = order[np.argsort(-n_here[order], kind="stable")]
        deal(met[order], n_here[order], sizes, fold_of, totals)
    return fold_of[groups]
