"""How many documents: the paper's sampling ratio, and any strategy from the sizes of classes alone.

imbalanced-learn counts the labels it is given. Where documents come in streams or lie on other
machines, they are counted already; the meaning is the same, as a test holds.
"""

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class minority_share:  # noqa: N801
    """After resampling, the class makes up the share `share` of all documents.

    This is the paper's "sampling ratio"; imbalanced-learn's float is the ratio of the minority to
    the *majority*, here ``share / (1 - share)``. Pass it as `sampling_strategy` to any sampler of
    imbalanced-learn or of this package, for two classes or more.

    The count is exact: with n documents, m of them in the class, ``(share * n - m) / (1 - share)``
    are added, rounded down, so the class reaches the share and never exceeds it. The arithmetic is
    done on the decimal fraction as it was written, free of rounding error.

    Parameters
    ----------
    share : float
        Between 0 and 1, both excluded.
    label : object or list, optional
        The class, or the classes each of which shall make up this share. By default the class with
        the fewest documents (of several such, the first in sorted order).

    Examples
    --------
    >>> minority_share(0.2)(["rare"] * 10 + ["common"] * 90)  # 22 of 112 documents
    {'rare': 22}
    >>> minority_share(0.25, label=["a", "b"])(["a"] + ["b"] * 2 + ["c"] * 10)
    {'a': 5, 'b': 5}
    """

    share: float
    label: Any = None

    def __post_init__(self) -> None:
        if isinstance(self.share, bool) or not isinstance(self.share, int | float | np.number):
            raise TypeError(
                f"share is {self.share!r} ({type(self.share).__name__}); "
                "expected a number between 0 and 1, such as 0.2"
            )
        if not 0 < self.share < 1:
            raise ValueError(
                f"share is {self.share}; expected a number between 0 and 1 (both excluded): "
                "0.2 makes the class 20 % of all documents"
            )

    def __call__(self, y: ArrayLike) -> dict[Hashable, int]:
        """Return the number of documents that each chosen class shall have."""
        labels, counts = np.unique(np.asarray(y), return_counts=True)
        return self.targets(dict(zip(labels.tolist(), counts.tolist(), strict=True)))

    def targets(self, present: dict[Hashable, int]) -> dict[Hashable, int]:
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
                    f"class {label!r} has {present[label]} of {n_documents} documents "
                    f"({present[label] / n_documents:.1%}), already {self.share:.1%} or "
                    "more; oversampling cannot lower a share: choose a larger one"
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
        return Fraction(repr(float(self.share)))

    def _chosen(self, present: dict[Hashable, int]) -> list[Hashable]:
        if self.label is None:
            return [min(present, key=lambda label: present[label])]
        many = isinstance(self.label, Collection) and not isinstance(self.label, str | bytes)
        chosen = list(dict.fromkeys(self.label)) if many else [self.label]
        for label in chosen:
            if label not in present:
                known = ", ".join(map(repr, list(present)[:10]))
                raise ValueError(f"there is no class {label!r} in y; its classes are {known}")
        return chosen


def strategy_targets(strategy: Any, sizes: Mapping[Hashable, int]) -> dict[Hashable, int]:
    """Return the number of documents that each class to oversample shall have.

    The strategy is a sampler's, but for callables other than `minority_share`: they ask for all
    labels, which are in no one place. The sizes are in sorted order of the labels.

    Examples
    --------
    >>> strategy_targets("auto", {"a": 10, "b": 2, "c": 7})
    {'b': 10, 'c': 10}
    >>> strategy_targets(0.5, {"a": 10, "b": 2})
    {'b': 5}
    """
    if isinstance(strategy, minority_share):
        return strategy.targets(dict(sizes))
    if isinstance(strategy, str):
        return _by_name(strategy, sizes)
    if isinstance(strategy, Mapping):
        return _by_label(strategy, sizes)
    if isinstance(strategy, int | float) and not isinstance(strategy, bool):
        return _by_ratio(float(strategy), sizes)
    raise TypeError(
        f"sampling_strategy is {strategy!r}; expected a string, a number, a dict or minority_share"
    )


def _by_name(strategy: str, sizes: Mapping[Hashable, int]) -> dict[Hashable, int]:
    largest = max(sizes, key=lambda label: sizes[label])
    smallest = min(sizes, key=lambda label: sizes[label])
    chosen = {
        "minority": [smallest],
        "not minority": [label for label in sizes if label != smallest],
        "not majority": [label for label in sizes if label != largest],
        "auto": [label for label in sizes if label != largest],
        "all": list(sizes),
    }
    if strategy not in chosen:
        raise ValueError(
            f"sampling_strategy is {strategy!r}; expected one of {', '.join(map(repr, chosen))}"
        )
    return dict.fromkeys(chosen[strategy], sizes[largest])


def _by_label(strategy: Mapping[Hashable, int], sizes: Mapping[Hashable, int]) -> dict[Any, int]:
    for label, n in strategy.items():
        if label not in sizes:
            known = ", ".join(map(repr, list(sizes)[:10]))
            raise ValueError(f"there is no class {label!r}; the classes are {known}")
        if n < sizes[label]:
            raise ValueError(
                f"class {label!r} has {sizes[label]} documents, more than the {n} asked for; "
                "oversampling cannot remove documents: ask for more"
            )
    return dict(strategy)


def _by_ratio(strategy: float, sizes: Mapping[Hashable, int]) -> dict[Hashable, int]:
    if not 0 < strategy <= 1:
        raise ValueError(
            f"sampling_strategy is {strategy}; expected a number above 0 and up to 1, the size of "
            "the smaller class relative to the larger"
        )
    if len(sizes) != 2:
        raise ValueError(
            f"sampling_strategy is a number, which is for two classes; there are {len(sizes)}: "
            "give a dict of sizes, or minority_share"
        )
    largest = max(sizes, key=lambda label: sizes[label])
    (smaller,) = (label for label in sizes if label != largest)
    n_new = int(strategy * sizes[largest] - sizes[smaller])
    if n_new <= 0:
        raise ValueError(
            f"class {smaller!r} has {sizes[smaller]} documents to {sizes[largest]}, already the "
            f"ratio {strategy:g} or more; oversampling cannot remove documents: ask for more"
        )
    return {smaller: sizes[smaller] + n_new}
