"""Which documents are tested when: repeated stratified folds, shared by the classes.

What is prepared for a fold (words, idf, transition counts) serves all classes that share it.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

_ATTEMPTS: Final = 20


@dataclass(frozen=True, eq=False)
class Folds:
    """The fold in which every document is tested, for each repeat, and the layout of each class.

    The first layout is shared by all classes but those that it leaves out of a fold.
    """

    layouts: list[NDArray[np.int16]]
    layout_of: dict[str, int]

    def tested(self, name: str, repeat: int, fold: int) -> NDArray[np.bool_]:
        """Return which documents a fold of a class tests."""
        return self.layouts[self.layout_of[name]][repeat] == fold


def assign_folds(
    members: Mapping[str, NDArray[np.bool_]],
    n_folds: int,
    n_repeats: int,
    seed: int,
    groups: NDArray[np.int64] | None = None,
) -> Folds:
    """Give every document the fold in which it is tested, once per repeat.

    Every fold gets its part of every class. A document of several classes is counted to the rarest
    of them. A class that some fold would lack has folds of its own. Documents of one group are
    always in the same fold.
    """
    if groups is not None:
        for name, belong in members.items():
            if len(np.unique(groups[belong])) < n_folds:
                raise _not_spread(name, groups[belong], n_folds)
    shared = _layout(list(members.values()), n_folds, n_repeats, seed, groups)
    layouts, layout_of = [shared], dict.fromkeys(members, 0)
    for name, belong in members.items():
        if not _spread(shared, belong, n_folds):
            layout_of[name] = len(layouts)
            layouts.append(_layout([belong], n_folds, n_repeats, seed, groups))
            if groups is not None and not _spread(layouts[-1], belong, n_folds):
                raise _not_spread(name, groups[belong], n_folds)
    return Folds(layouts, layout_of)


def _not_spread(name: str, groups: NDArray[np.int64], n_folds: int) -> ValueError:
    return ValueError(
        f"the class {name!r} lies in {len(np.unique(groups))} groups, which cannot be spread over "
        f"{n_folds} folds so that each fold has some of both classes; use fewer folds or finer "
        "groups"
    )


def _layout(
    members: Sequence[NDArray[np.bool_]],
    n_folds: int,
    n_repeats: int,
    seed: int,
    groups: NDArray[np.int64] | None,
) -> NDArray[np.int16]:
    strata = np.zeros(len(members[0]), dtype=np.int64)
    for number, belong in enumerate(sorted(members, key=np.sum, reverse=True), start=1):
        strata[belong] = number
    folds = np.zeros((n_repeats, len(strata)), dtype=np.int16)
    for repeat in range(n_repeats):
        for attempt in range(1 if groups is None else _ATTEMPTS):
            state = int(np.random.SeedSequence([seed, repeat, attempt]).generate_state(1)[0])
            kind = StratifiedKFold if groups is None else StratifiedGroupKFold
            splitter = kind(n_folds, shuffle=True, random_state=state)
            with warnings.catch_warnings():
                # A fold may be left without a class; that is looked at afterwards.
                warnings.simplefilter("ignore", UserWarning)
                for fold, (_, test) in enumerate(splitter.split(strata, strata, groups)):
                    folds[repeat, test] = fold
            if all(_spread(folds[[repeat]], belong, n_folds) for belong in members):
                break
    return folds


def _spread(layout: NDArray[np.int16], belong: NDArray[np.bool_], n_folds: int) -> bool:
    """Say whether each fold tests both the class and the rest, and so trains on both."""
    return all(
        len(np.unique(folds[side])) == n_folds for folds in layout for side in (belong, ~belong)
    )
