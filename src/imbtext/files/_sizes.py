"""How many documents each class shall have."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from imbtext.oversampling import minority_share, missing_documents
from imbtext.tables import label_named


@dataclass(frozen=True)
class ClassSizes:
    """What to bring the classes to. At most one of `share`, `ratio` and `counts` is given.

    With a `share` each of `classes` shall make up that share of all documents, by default the
    smallest class: see :class:`imbtext.minority_share`. With a `ratio`, imbalanced-learn's float,
    or with nothing, each of `classes` gets that size relative to the largest, by default every
    class that is smaller. `counts` are documents of classes, originals included. Classes are given
    by their names.

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
        sizes = {"share": self.share, "ratio": self.ratio, "count": self.counts or None}
        given = [name for name, value in sizes.items() if value is not None]
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
        named = self.counts or dict.fromkeys(self.classes, 0)
        found = {label_named(name, present): n for name, n in named.items()}
        chosen = [label for label in present if label in found]
        if self.counts:
            return _added({label: found[label] for label in chosen}, present)
        if self.share is not None:
            return minority_share(self.share, label=chosen or None).targets(dict(present))
        ratio = Fraction(repr(float(self.ratio))) if self.ratio is not None else Fraction(1)
        target = int(ratio * max(present.values()))
        chosen = chosen or [label for label, n in present.items() if n < target]
        return _added(dict.fromkeys(chosen, target), present)


def _added(targets: Mapping[Hashable, int], present: Mapping[Hashable, int]) -> dict[Hashable, int]:
    missing = missing_documents(dict(targets), present)
    return {label: present[label] + n for label, n in missing.items()}
