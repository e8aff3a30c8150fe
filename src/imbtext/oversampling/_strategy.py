"""How many documents to add: the paper's ratio, and other strategies."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import Final

import numpy as np
from imblearn.utils import check_sampling_strategy
from numpy.typing import ArrayLike

from imbtext._memory import FITS_ANYWHERE, check_memory
from imbtext._messages import class_name, did_you_mean, listed
from imbtext._typing import Array, Label, SamplingStrategy
from imbtext.documents._labels import label_array

# What a new document takes at the least, whatever the sampler: its place in the result, its label,
# its parent, and copies of these on the way. ROS, which writes no new text, takes 73 bytes.
_LEAST_BYTES: Final = 64


@dataclass(frozen=True)
class minority_share:  # noqa: N801
    """After resampling, the class makes up the share `share` of all documents.

    This is the paper's "sampling ratio"; imbalanced-learn's float is the ratio of the minority to
    the *majority*, here ``share / (1 - share)``. Pass it as `sampling_strategy` to any sampler of
    imbalanced-learn or of this package, for two classes or more.

    The count is exact: with n documents, m of them in the class, ``(share * n - m) / (1 - share)``
    are added, rounded down. So the class comes as close to the share as whole documents allow, and
    never exceeds it. The arithmetic is done on the decimal fraction as it was written, free of
    rounding error.

    Parameters
    ----------
    share : float
        Between 0 and 1, both excluded.
    label : object or list, optional
        The class, or a list of classes that should each make up this share. By default the class
        with the fewest documents; if several have the fewest, the first in sorted order.

    Examples
    --------
    >>> minority_share(0.2)(["rare"] * 10 + ["common"] * 90)  # 22 of 112 documents
    {'rare': 22}
    >>> minority_share(0.25, label=["a", "b"])(["a"] + ["b"] * 2 + ["c"] * 10)
    {'a': 5, 'b': 5}
    """

    share: float
    label: Label | Collection[Label] = None

    def __post_init__(self) -> None:
        if isinstance(self.share, bool) or not isinstance(self.share, int | float | np.number):
            raise TypeError(
                f"share is {self.share!r} ({type(self.share).__name__}); "
                "expected a number between 0 and 1, such as 0.2"
            )
        if not 0 < self.share < 1:
            raise ValueError(
                f"share is {self.share}; expected a number between 0 and 1 (both excluded): "
                "0.2 makes the class 20% of all documents"
            )
        if not self._labels():
            raise ValueError(
                f"label is {self.label!r}, which names no class; name one or more, or leave label "
                "out for the class with the fewest documents"
            )

    def __call__(self, y: ArrayLike) -> dict[Label, int]:
        """Return the number of documents that each chosen class should have."""
        return self.targets(class_sizes(y))

    def targets(self, present: dict[Label, int]) -> dict[Label, int]:
        """Do the same from the number of documents of each class, in sorted order."""
        chosen = self._chosen(present)
        n_documents = sum(present.values())
        share = self._exact()
        if share * len(chosen) >= 1:
            raise ValueError(
                f"{len(chosen)} classes cannot each make up {self.share:g} of all documents; "
                "choose a smaller share or fewer classes"
            )
        rest = sum(count for label, count in present.items() if label not in chosen)
        target = int(share * rest / (1 - share * len(chosen)))
        for label in chosen:
            if present[label] > target:
                raise ValueError(
                    f"class {label!r} has {present[label]} of {n_documents} documents, already "
                    f"{100 * self.share:.3g}% or more; oversampling cannot lower a share: choose "
                    "a larger one"
                )
        return dict.fromkeys(chosen, target)

    def missing(self, n_documents: int, n_class: int) -> int:
        """Return how many documents a class lacks; none where it has its share already.

        Examples
        --------
        >>> minority_share(0.2).missing(n_documents=100, n_class=10)
        12
        >>> minority_share(0.2).missing(n_documents=100, n_class=30)
        0
        """
        share = self._exact()
        return max(0, int(share * (n_documents - n_class) / (1 - share)) - n_class)

    def _exact(self) -> Fraction:
        # The shortest decimal that stands for the number, whatever its precision.
        return Fraction(str(self.share))

    def _labels(self) -> list[Label]:
        if isinstance(self.label, Collection) and not isinstance(self.label, str | bytes):
            return list(dict.fromkeys(self.label))
        return [self.label]

    def _chosen(self, present: dict[Label, int]) -> list[Label]:
        if self.label is None:
            return [min(present, key=lambda label: present[label])]
        chosen = self._labels()
        for label in chosen:
            if label not in present:
                raise ValueError(
                    f"there is no class {label!r} in y; its classes are {listed(present)}"
                )
        return chosen


def missing_documents(strategy: SamplingStrategy, sizes: Mapping[Label, int]) -> dict[Label, int]:
    """Return how many documents a `sampling_strategy` adds to each class, from class sizes alone.

    imbalanced-learn reads the strategy from labels. Where documents come in streams or lie on other
    machines, only the sizes are known. So each class gets a number, and imbalanced-learn is given
    that number as often as the class has documents. It takes one byte with fewer than 256 classes.

    Parameters
    ----------
    strategy : str, float, dict or callable
        As a sampler's `sampling_strategy`.
    sizes : mapping of labels to int
        The classes in sorted order.

    Examples
    --------
    >>> missing_documents("auto", {"a": 10, "b": 2, "c": 7})
    {'b': 8, 'c': 3}
    >>> missing_documents(0.5, {"a": 10, "b": 2})
    {'b': 3}
    """
    labels = list(sizes)
    if isinstance(strategy, minority_share):  # exact from sizes, however many documents there are
        targets = strategy.targets(dict(sizes))
        return {label: n - sizes[label] for label, n in targets.items()}
    if callable(strategy):
        strategy = called_strategy(strategy, np.repeat(label_array(labels), list(sizes.values())))
    if isinstance(strategy, Mapping):
        return missing_to_targets(strategy, sizes)
    codes = np.arange(len(labels), dtype=np.min_scalar_type(len(labels)))
    repeated = np.repeat(codes, list(sizes.values()))
    missing = check_sampling_strategy(strategy, repeated, "over-sampling")
    return {labels[code]: int(n) for code, n in missing.items()}


def class_sizes(y: ArrayLike) -> dict[Label, int]:
    """Return the number of documents of each class, in sorted order.

    Examples
    --------
    >>> class_sizes(["b", "a", "b"])
    {'a': 1, 'b': 2}
    """
    labels, counts = np.unique(np.asarray(y), return_counts=True)
    return dict(zip(labels.tolist(), counts.tolist(), strict=True))


def missing_by_label(
    strategy: SamplingStrategy, y: Array, vector_bytes: int = 0
) -> dict[Label, int]:
    """Return how many documents a `sampling_strategy` adds to each class of `y`.

    imbalanced-learn reads the strategy. What it would refuse without naming the class, or would not
    notice, is refused here first, and so are more documents than memory holds. Each of these takes
    `vector_bytes` besides what every document takes.
    """
    if callable(strategy):
        strategy = called_strategy(strategy, y)
    if isinstance(strategy, Mapping):
        n_new = missing_to_targets(strategy, class_sizes(y))
    else:
        missing, classes = check_sampling_strategy(strategy, y, "over-sampling"), np.unique(y)
        labels = dict(zip(classes, classes.tolist(), strict=True))
        n_new = {labels[value]: int(n) for value, n in missing.items()}
    check_new_documents(n_new, vector_bytes)
    return n_new


def called_strategy(
    strategy: Callable[[Array], Mapping[Label, int]], y: Array
) -> Mapping[Label, int]:
    """Return how many documents each class should have, as a function returned it."""
    targets = strategy(y)
    if not isinstance(targets, Mapping):
        raise TypeError(
            f"the function given as sampling_strategy returned {targets!r:.60} "
            f"({type(targets).__name__}); it must return a dict from each class to its number of "
            "documents"
        )
    return targets


def missing_to_targets(
    targets: Mapping[Label, float], sizes: Mapping[Label, int]
) -> dict[Label, int]:
    """Return how many documents bring each class to its target, in the order of `sizes`."""
    for label, n in targets.items():
        if label not in sizes:
            raise ValueError(
                f"there is no class {label!r}; the classes are {listed(sizes)}"
                f"{did_you_mean(label, sizes)}"
            )
        if isinstance(n, bool) or not isinstance(n, Real):
            raise TypeError(
                f"sampling_strategy asks for {n!r} documents of class {label!r}; give whole numbers"
            )
        if not float(n).is_integer():  # nor are NaN and infinity
            raise ValueError(
                f"sampling_strategy asks for a fraction of a document ({n} of class {label!r}); "
                "give whole numbers"
            )
        if n < sizes[label]:
            raise ValueError(
                f"class {label!r} has {sizes[label]} documents, more than the {n} asked for; "
                "oversampling cannot remove documents: ask for more"
            )
    return {label: int(targets[label]) - n for label, n in sizes.items() if label in targets}


def check_new_documents(n_new: Mapping[Label, int], vector_bytes: int = 0) -> None:
    """Raise if these numbers of new documents, by class, cannot be in memory together."""
    n = sum(n_new.values())
    n_bytes = float(n) * (_LEAST_BYTES + vector_bytes)
    if n_bytes > FITS_ANYWHERE:
        which = class_name(*n_new) if len(n_new) == 1 else f"{len(n_new):,} classes"
        check_memory(
            n_bytes,
            f"{n:,} new documents of {which}",
            "ask for fewer, such as with sampling_strategy=minority_share(0.5)",
        )
