"""Folds: which documents are held out when.

All give every fold its part of a rare class and never split documents that belong together. They
differ in who shares the folds:

* :func:`assign_folds`: for a comparison. Its classes share repeated stratified folds, because the
  work for a fold (words, idf, transition counts) then serves all of them. It refuses a class that
  cannot be spread over all folds. :func:`assign_periods` does the same for documents with a time:
  each fold is a period, and its model learns from the periods before it.
* :func:`deal_folds`: for one model of many classes at once, in which a document may have several
  labels or none. scikit-learn stratifies by one label per document, so this function deals the
  folds itself, the rarest class first. It accepts any class, even one of two documents. A model
  takes its folds as :class:`DealtFolds` or as :class:`Periods`, which answer the same questions.
* :func:`tuning_folds`: for the choice of a setting inside a training set, by one class against the
  rest. These are scikit-learn's own folds, so that anybody can repeat the choice with
  ``TunedThresholdClassifierCV``.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from imbtext._typing import Array
from imbtext.documents._periods import Periods, cut_periods
from imbtext.randomness import keyed_generator

# With groups, chance decides whether each fold gets some of a class; this many shuffles are tried.
_ATTEMPTS: Final = 20
_STREAM: Final = 0xF01D5
Split = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class Folds:
    """The fold in which every document is tested, for each repeat, and the layout of each class.

    All classes share the first layout, unless one of its folds lacks the class. If folds are
    periods that follow one another, `periods` has those of each layout, and documents of the first
    period have the fold -1: they are never tested.
    """

    layouts: list[NDArray[np.int16]]
    layout_of: dict[str, int]
    periods: list[Periods] | None = None

    def tested(self, name: str, repeat: int, fold: int) -> NDArray[np.bool_]:
        """Return which documents a fold of a class tests."""
        return np.asarray(self.layouts[self.layout_of[name]][repeat] == fold)

    def split(self, name: str, repeat: int, fold: int) -> Split:
        """Return the training and the test documents of a fold of a class."""
        tested, layout = self.tested(name, repeat, fold), self.layout_of[name]
        learnt = ~tested if self.periods is None else self.periods[layout].trained_on(fold + 1)
        return np.flatnonzero(learnt), np.flatnonzero(tested)


def assign_folds(
    classes: Mapping[str, NDArray[np.bool_]],
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
        for name, is_class in classes.items():
            if len(np.unique(groups[is_class])) < n_folds:
                raise _not_spread(name, groups[is_class], n_folds)
    shared = _layout(list(classes.values()), n_folds, n_repeats, seed, groups)
    layouts, layout_of = [shared], dict.fromkeys(classes, 0)
    for name, is_class in classes.items():
        if not _spread(shared, is_class, n_folds):
            layout_of[name] = len(layouts)
            layouts.append(_layout([is_class], n_folds, n_repeats, seed, groups))
            if groups is not None and not _spread(layouts[-1], is_class, n_folds):
                raise _not_spread(name, groups[is_class], n_folds)
    return Folds(layouts, layout_of)


def assign_periods(
    classes: Mapping[str, NDArray[np.bool_]],
    n_folds: int,
    times: Array,
    groups: NDArray[np.int64] | None = None,
) -> Folds:
    """Cut documents into periods; each but the first is a fold, and trains on those before it.

    A class that a period would lack has periods of its own, cut by its documents alone.
    """
    members = {name: np.flatnonzero(is_class) for name, is_class in classes.items()}
    periods = [cut_periods(times, list(members.values()), n_folds, groups)]
    layout_of = dict.fromkeys(classes, 0)
    for name, is_class in classes.items():
        if not _testable(periods[0], is_class, n_folds):
            class_periods = cut_periods(times, [members[name]], n_folds, groups, class_share=1.0)
            if not _testable(class_periods, is_class, n_folds):
                n_times = len(np.unique(times[is_class]))
                raise ValueError(
                    f"the class {name!r} occurs at {n_times} point{'s' * (n_times != 1)} in time, "
                    f"which cannot be cut into {n_folds + 1} periods with documents of the class "
                    "and of the rest in each; use fewer folds, or leave the time out"
                )
            layout_of[name] = len(periods)
            periods.append(class_periods)
    layouts = [cut.numbers.astype(np.int16)[None] - 1 for cut in periods]
    return Folds(layouts, layout_of, periods)


def _testable(periods: Periods, is_class: NDArray[np.bool_], n_folds: int) -> bool:
    """Return whether each tested period, and the documents before it, have both classes."""
    sides = [
        side
        for fold in range(1, n_folds + 1)
        for side in (periods.trained_on(fold), periods.numbers == fold)
    ]
    return all(len(np.unique(is_class[side])) == 2 for side in sides)


def _not_spread(name: str, groups: NDArray[np.int64], n_folds: int) -> ValueError:
    return ValueError(
        f"the class {name!r} lies in {len(np.unique(groups))} groups, which cannot be spread over "
        f"{n_folds} folds with both classes in each; use fewer folds or finer groups"
    )


def _layout(
    masks: Sequence[NDArray[np.bool_]],
    n_folds: int,
    n_repeats: int,
    seed: int,
    groups: NDArray[np.int64] | None,
) -> NDArray[np.int16]:
    strata = np.zeros(len(masks[0]), dtype=np.int64)
    for number, is_class in enumerate(sorted(masks, key=np.sum, reverse=True), start=1):
        strata[is_class] = number
    folds = np.zeros((n_repeats, len(strata)), dtype=np.int16)
    for repeat in range(n_repeats):
        for attempt in range(1 if groups is None else _ATTEMPTS):
            state = int(np.random.SeedSequence([seed, repeat, attempt]).generate_state(1)[0])
            if groups is not None:
                folds[repeat] = group_folds(strata, groups, n_folds, state)
            else:
                splitter = StratifiedKFold(n_folds, shuffle=True, random_state=state)
                with warnings.catch_warnings():
                    # A fold may lack a class; this is checked below.
                    warnings.simplefilter("ignore", UserWarning)
                    for fold, (_, test) in enumerate(splitter.split(strata, strata)):
                        folds[repeat, test] = fold
            if all(_spread(folds[[repeat]], is_class, n_folds) for is_class in masks):
                break
    return folds


def group_folds(
    strata: NDArray[np.integer | np.bool_], groups: Array, n_folds: int, state: int
) -> NDArray[np.int64]:
    """Return the fold that tests each document; every fold has its share of each stratum.

    These are the folds of scikit-learn's shuffled `StratifiedGroupKFold`. It calls NumPy for each
    fold and each group, and where only near-duplicates are groups, nearly every document is one.

    Examples
    --------
    >>> group_folds(np.array([1, 1, 1, 0, 0, 0]), np.array([0, 0, 1, 2, 2, 3]), 2, 0).tolist()
    [1, 1, 0, 0, 0, 1]
    """
    from imbtext.documents._kernels import deal_evenly

    _, of_stratum, totals = np.unique(strata, return_inverse=True, return_counts=True)
    _, of_group = np.unique(groups, return_inverse=True)
    n_groups, n_strata = int(of_group.max()) + 1, len(totals)
    numbers = np.bincount(of_group * n_strata + of_stratum, minlength=n_groups * n_strata)
    order = np.arange(n_groups)
    np.random.RandomState(state).shuffle(order)
    counts = numbers.reshape(n_groups, n_strata)[order].astype(np.float64)
    uneven_first = np.argsort(-np.std(counts, axis=1), kind="stable")
    fold_of = np.empty(n_groups, np.int64)
    fold_of[order[uneven_first]] = deal_evenly(counts[uneven_first], totals, n_folds)
    return fold_of[of_group]


def _spread(layout: NDArray[np.int16], is_class: NDArray[np.bool_], n_folds: int) -> bool:
    """Return whether each fold tests both the class and the rest, and so trains on both."""
    return all(
        len(np.unique(folds[side])) == n_folds for folds in layout for side in (is_class, ~is_class)
    )


@dataclass(frozen=True, eq=False)
class DealtFolds:
    """Folds that hold out each document once; its model learns from the other folds.

    Attributes
    ----------
    numbers : ndarray of int
        The fold that holds each document out.
    copies : ndarray of int64 or None
        Documents that share a number, such as near-duplicates in other groups: none of them is
        learnt from while one is held out.

    Examples
    --------
    >>> folds = DealtFolds(np.array([0, 1, 0, 1]), copies=np.array([0, 1, 2, 2]))
    >>> folds.tested, np.flatnonzero(folds.trained_on(1)).tolist()
    ([0, 1], [0])
    """

    numbers: NDArray[np.signedinteger]
    copies: NDArray[np.int64] | None = None
    in_time: ClassVar[bool] = False

    @property
    def tested(self) -> list[int]:
        """The numbers of the folds."""
        return list(map(int, np.unique(self.numbers)))

    def trained_on(self, fold: int) -> NDArray[np.bool_]:
        """Return which documents are learnt from while a fold is held out."""
        trained_on = np.asarray(self.numbers != fold)
        if self.copies is not None:
            has_held_out = np.zeros(int(self.copies.max()) + 1, bool)
            has_held_out[self.copies[~trained_on]] = True
            trained_on &= ~has_held_out[self.copies]
        return trained_on


def deal_folds(
    members: Sequence[NDArray[np.int64]],
    n_documents: int,
    groups: NDArray[np.int64],
    n_folds: int,
    seed: int,
) -> NDArray[np.int8]:
    """Return the fold that holds out each document, the same for all classes.

    Classes are dealt out from the rarest to the most common, each group of documents to the fold
    that has the fewest documents of the class so far (then the fewest of all). A document may be
    in several classes or in none.

    Examples
    --------
    >>> rare, common = np.arange(5), np.arange(5, 20)
    >>> folds = deal_folds([rare, common], 20, np.arange(20), n_folds=5, seed=0)
    >>> np.bincount(folds[rare]).tolist(), np.bincount(folds[common]).tolist()
    ([1, 1, 1, 1, 1], [3, 3, 3, 3, 3])
    """
    from imbtext.documents._kernels import deal

    generator = keyed_generator(seed, _STREAM)
    fold_of = np.full(int(groups.max()) + 1, -1, np.int8)
    sizes = np.bincount(groups)
    totals = np.zeros(n_folds, np.int64)
    everything = np.arange(n_documents)
    for indices in (*sorted(members, key=len), everything):
        class_groups, n_here = np.unique(groups[indices], return_counts=True)
        order = generator.permutation(len(class_groups))
        # Large groups first: small ones can even out what they leave.
        order = order[np.argsort(-n_here[order], kind="stable")]
        deal(class_groups[order], n_here[order], sizes, fold_of, totals)
    return fold_of[groups]


def tuning_folds(
    is_class: NDArray[np.bool_], n_folds: int, seed: int, groups: Array | None = None
) -> list[Split]:
    """Return the training and held-out documents of stratified folds, for the choice of a setting.

    Documents of one group stay together if that leaves two folds or more with both classes in
    training and test. Otherwise groups are split up.
    """
    rows, state = np.zeros((len(is_class), 1)), seed % 2**32
    n_groups = 0 if groups is None else len(np.unique(groups[is_class]))
    if n_groups >= 2:
        n_grouped = min(n_folds, n_groups)
        folds = group_folds(is_class, np.asarray(groups), n_grouped, state)
        sides = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(n_grouped)]
        splits = [
            (train, test)
            for train, test in sides
            if all(len(np.unique(is_class[side])) == 2 for side in (train, test))
        ]
        if len(splits) >= 2:
            return splits
    return list(StratifiedKFold(n_folds, shuffle=True, random_state=state).split(rows, is_class))
