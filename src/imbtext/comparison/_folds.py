"""Which documents are tested when: repeated stratified folds, with groups kept together."""

import warnings
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

_ATTEMPTS: Final = 20


def assign_folds(
    members: NDArray[np.bool_],
    n_folds: int,
    n_repeats: int,
    seed: int,
    groups: NDArray[np.int64] | None = None,
    name: str = "",
) -> NDArray[np.int16]:
    """Give every document the fold in which it is tested, once per repeat.

    Parameters
    ----------
    members : ndarray of bool
        Which documents belong to the class; every fold gets its part of them.
    n_folds, n_repeats : int
        How many folds, and how often they are drawn anew.
    seed : int
        Owns the shuffling.
    groups : ndarray of int64, default=None
        Documents of one group are always in the same fold.
    name : str, default=""
        The class, for messages.

    Returns
    -------
    ndarray of int16, shape (n_repeats, n_documents)

    Examples
    --------
    >>> members = np.array([True, True, False, False, False, False])
    >>> folds = assign_folds(members, 2, 3, seed=0)
    >>> [sorted(fold[members].tolist()) for fold in folds]
    [[0, 1], [0, 1], [0, 1]]
    """
    repeats = [
        _one_repeat(members, n_folds, [seed, repeat], groups, name) for repeat in range(n_repeats)
    ]
    return np.stack(repeats)


def _one_repeat(
    members: NDArray[np.bool_],
    n_folds: int,
    key: list[int],
    groups: NDArray[np.int64] | None,
    name: str,
) -> NDArray[np.int16]:
    blank = np.zeros((len(members), 1))
    n_groups = 0 if groups is None else len(np.unique(groups[members]))
    impossible = groups is not None and n_groups < n_folds
    for attempt in range(0 if impossible else 1 if groups is None else _ATTEMPTS):
        state = int(np.random.SeedSequence([*key, attempt]).generate_state(1)[0])
        splitter = (
            StratifiedKFold(n_folds, shuffle=True, random_state=state)
            if groups is None
            else StratifiedGroupKFold(n_folds, shuffle=True, random_state=state)
        )
        folds = np.zeros(len(members), dtype=np.int16)
        with warnings.catch_warnings():
            # Groups may leave a fold without the class; that is looked at below.
            warnings.simplefilter("ignore", UserWarning)
            for fold, (_, test) in enumerate(splitter.split(blank, members, groups)):
                folds[test] = fold
        # Each fold tests both classes and, since there are two folds at least, trains on both.
        if all(len(np.unique(folds[members == side])) == n_folds for side in (True, False)):
            return folds
    raise ValueError(
        f"the class {name!r} lies in {n_groups} groups, which cannot be spread over {n_folds} "
        "folds so that each fold has some of both classes; use fewer folds or finer groups"
    )
