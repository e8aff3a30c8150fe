"""How many documents to add to each class, from the sizes of the classes alone."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from imbtext._typing import SamplingStrategy
from imbtext.documents._label_names import find_label
from imbtext.oversampling._strategy import minority_share, missing_documents


@dataclass(frozen=True)
class ClassSizes:
    """A `sampling_strategy` that calls classes by their names, as files and commands do.

    A label in a file may be a number or a boolean; its name is what you type for it. Give at most
    one of `share`, `ratio` and `counts`. Without them, every class grows to the size of the
    largest.

    Parameters
    ----------
    share : float, optional
        Bring each of `classes` to this share of all documents; by default the smallest class.
        See :class:`imbtext.minority_share`.
    ratio : float, optional
        Bring each of `classes` to this size relative to the largest class; by default every class
        that is smaller.
    counts : mapping of names to int, optional
        The number of documents to bring each of these classes to, originals included.
    classes : tuple of str, optional
        Names of the classes to oversample; not with `counts`, which name their classes.

    Examples
    --------
    >>> ClassSizes(ratio=0.5).targets({"a": 10, "b": 2, "c": 7})
    {'b': 5}
    >>> ClassSizes().targets({"a": 10, "b": 2, "c": 7})
    {'b': 10, 'c': 10}
    >>> ClassSizes(counts={"3": 5}).targets({1: 10, 3: 2})
    {3: 5}
    """

    share: float | None = None
    ratio: float | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    classes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        settings = {"share": self.share, "ratio": self.ratio, "count": self.counts or None}
        names = [name for name, value in settings.items() if value is not None]
        if len(names) > 1:
            raise ValueError(f"{' and '.join(names)} exclude each other; give one of them")
        if self.counts and self.classes:
            raise ValueError("count already names its classes; leave the class out")
        if self.ratio is not None and not 0 < self.ratio <= 1:
            raise ValueError(
                f"the ratio is {self.ratio}; expected a number above 0 and up to 1: 0.5 brings "
                f"classes to half the size of the largest"
            )

    def __call__(self, y: ArrayLike) -> dict[Hashable, int]:
        """Return the number of documents to bring each class to."""
        labels, sizes = np.unique(np.asarray(y), return_counts=True)
        return self.targets(dict(zip(labels.tolist(), sizes.tolist(), strict=True)))

    def targets(self, sizes: Mapping[Hashable, int]) -> dict[Hashable, int]:
        """Do the same from the sizes of the classes, in sorted order."""
        named = self.counts or dict.fromkeys(self.classes, 0)
        counts = {find_label(name, sizes): n for name, n in named.items()}
        chosen = [label for label in sizes if label in counts]
        if self.counts:
            return {label: counts[label] for label in chosen}
        if self.share is not None:
            return minority_share(self.share, label=chosen or None).targets(dict(sizes))
        ratio = Fraction(repr(float(self.ratio))) if self.ratio is not None else Fraction(1)
        target = int(ratio * max(sizes.values()))
        chosen = chosen or [label for label, n in sizes.items() if n < target]
        return dict.fromkeys(chosen, target)


def documents_to_add(
    strategy: SamplingStrategy, sizes: Mapping[Hashable, int]
) -> dict[Hashable, int]:
    """Return how many documents to add to each class; classes that need none are left out.

    `strategy` is a sampler's, `sizes` has the classes in sorted order.
    """
    if isinstance(strategy, ClassSizes):
        strategy = strategy.targets(sizes)
    return {label: n for label, n in missing_documents(strategy, sizes).items() if n > 0}
