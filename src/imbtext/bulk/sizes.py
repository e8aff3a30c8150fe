"""How many documents each class shall have."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from imbtext.oversampling._strategy import minority_share
from imbtext.tabular import label_name, label_named


@dataclass(frozen=True)
class ClassSizes:
    """What to bring the classes to. At most one of `share`, `ratio` and `counts` is given.

    Attributes
    ----------
    share : float, optional
        The share of all documents that the class (or each of `classes`) shall make up; by default
        the smallest class. See :class:`imbtext.minority_share`.
    ratio : float, optional
        The size of the classes relative to the largest, as imbalanced-learn's float; 1 is balance.
    counts : mapping of str to int
        The number of documents of a class, originals included, by its name.
    classes : tuple of str
        The classes to oversample, by name; by default every class that the target exceeds.

    Examples
    --------
    >>> ClassSizes(ratio=0.5).targets({"a": 10, "b": 2, "c": 7})
    {'b': 5}
    >>> ClassSizes().targets({"a": 10, "b": 2, "c": 7})
    {'b': 10, 'c': 10}
    >>> ClassSizes(counts={"b": 3}).targets({"a": 10, "b": 2, "c": 7})
    {'b': 3}
    """

    share: float | None = None
    ratio: float | None = None
    counts: Mapping[str, int] = field(default_factory=dict)
    classes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        given = [
            name
            for name, value in (
                ("share", self.share is not None),
                ("ratio", self.ratio is not None),
                ("count", bool(self.counts)),
            )
            if value
        ]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} exclude each other; give one of them")
        if self.counts and self.classes:
            raise ValueError("counts name their classes themselves; leave the classes out")
        if self.ratio is not None and not 0 < self.ratio <= 1:
            raise ValueError(
                f"the ratio is {self.ratio}; expected a number above 0 and up to 1: 0.5 brings "
                f"classes to half the size of the largest"
            )

    def targets(self, present: Mapping[Hashable, int]) -> dict[Hashable, int]:
        """Return the number of documents each class to oversample shall have.

        `present` has the sizes of all classes, in sorted order of the labels.
        """
        if self.counts:
            return {
                label: self._not_below(label, n, present)
                for label, n in self._found(present, self.counts).items()
            }
        chosen = list(self._found(present, dict.fromkeys(self.classes, 0)))
        if self.share is not None:
            return minority_share(self.share, label=chosen or None).targets(dict(present))
        ratio = Fraction(repr(float(self.ratio))) if self.ratio is not None else Fraction(1)
        target = int(ratio * max(present.values()))
        if chosen:
            return {label: self._not_below(label, target, present) for label in chosen}
        return {label: target for label, n in present.items() if n < target}

    @staticmethod
    def _found(present: Mapping[Hashable, int], wanted: Mapping[str, int]) -> dict[Hashable, int]:
        """Give the labels for their names, in sorted order."""
        found = {label_named(name, present): n for name, n in wanted.items()}
        return {label: found[label] for label in present if label in found}

    @staticmethod
    def _not_below(label: Hashable, target: int, present: Mapping[Hashable, int]) -> int:
        if target < present[label]:
            raise ValueError(
                f"class {label_name(label)!r} has {present[label]} documents, more than the "
                f"{target} asked for; oversampling cannot remove documents: ask for more"
            )
        return target
