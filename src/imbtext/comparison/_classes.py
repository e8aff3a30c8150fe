"""From a column of labels to the classes that a comparison looks for, each against the rest.

A label is one value per document, or a set of them (multi-label). For each class the comparison
asks the same: does the document belong to it?
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from imbtext.documents import Labels, label_sets

# What is looked for unless classes are named: rare ones, with enough documents to learn from.
RARE_BELOW: Final = 0.05
LEAST_DOCUMENTS: Final = 5
MOST_CLASSES: Final = 10

Label = Any


@dataclass(frozen=True)
class Labelling:
    """The labels of all documents as sets.

    Examples
    --------
    >>> labelling = Labelling.of(["oil", "rain", "oil"], 3)
    >>> labelling.counts
    {'oil': 2, 'rain': 1}
    >>> Labelling.of([{"oil", "trade"}, set(), {"oil"}], 3).counts
    {'oil': 2, 'trade': 1}
    """

    sets: tuple[frozenset[Label], ...]
    multilabel: bool

    @classmethod
    def of(cls, y: Any, n_documents: int, name: str = "y") -> "Labelling":
        """Read one label, or one collection of labels, per document."""
        several = label_sets(y, n_documents, name)
        if several is not None:
            return cls(tuple(several), multilabel=True)
        values = Labels.of(y, n_documents, name).values.tolist()
        return cls(tuple(frozenset([value]) for value in values), multilabel=False)

    @cached_property
    def counts(self) -> dict[Label, int]:
        """Number of documents of each class, the largest first."""
        counts = Counter(label for labels in self.sets for label in labels)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], str(item[0]))))

    def members(self, label: Label) -> NDArray[np.bool_]:
        """Return which documents belong to a class."""
        return np.fromiter((label in labels for labels in self.sets), bool, len(self.sets))

    def find(self, label: Any) -> Label:
        """Return the class that `label` names, itself or its text."""
        try:
            if label in self.counts:
                return next(known for known in self.counts if known == label)
        except TypeError:
            pass
        by_name = {str(known): known for known in self.counts}
        if str(label) in by_name:
            return by_name[str(label)]
        near = get_close_matches(str(label), by_name, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"the classes are {listed(by_name)}"
        raise ValueError(f"there is no class {label!r} among the labels; {hint}")


def choose_classes(
    labelling: Labelling, classes: Any, share: float, n_least: int
) -> tuple[list[Label], list[str]]:
    """Choose the classes to look for, the smallest first; also say in words what was left out.

    Without `classes` it takes the rarer of two, and of more than two those under 5 % of the
    documents with at least five of them, ten at most. Where no class is that rare, the smallest is
    taken. `share` is what oversampling brings a class to; a class of fewer than `n_least` documents
    cannot be cross-validated.
    """
    counts, n = labelling.counts, len(labelling.sets)
    if len(counts) < 2 and not labelling.multilabel:
        raise ValueError(f"y has only one class, {next(iter(counts))!r}; at least two are needed")
    notes: list[str] = []
    if classes is not None:
        one = not isinstance(classes, list | tuple | set | frozenset | np.ndarray)
        named = {labelling.find(label) for label in ([classes] if one else classes)}
        if not named:
            raise ValueError("classes is an empty list; name at least one class")
        chosen = _smallest_first({label: counts[label] for label in named})
    elif len(counts) == 2 and not labelling.multilabel:
        chosen = list(counts)[-1:]
    else:
        chosen, notes = _rare_classes(counts, n, n_least)
    for label in chosen:
        _refuse_unless_fit(label, counts[label], n, share, n_least)
    return chosen, notes


def _rare_classes(counts: dict[Label, int], n: int, n_least: int) -> tuple[list[Label], list[str]]:
    least = max(LEAST_DOCUMENTS, n_least)
    smallest_first = _smallest_first(counts)
    tiny = [label for label in smallest_first if counts[label] < least]
    enough = [label for label in smallest_first if counts[label] >= least]
    rare = [label for label in enough if counts[label] < RARE_BELOW * n]
    if not enough:
        raise ValueError(
            f"no class is left to look for: none of the {len(counts)} has {least} documents; use "
            "fewer folds, or name classes"
        )
    chosen = rare[:MOST_CLASSES] or enough[:1]
    left = {
        f"with fewer than {least} documents": tiny,
        f"beyond the {MOST_CLASSES} smallest": rare[MOST_CLASSES:],
        f"since they make up {RARE_BELOW:.0%} of the documents or more": [
            label for label in enough if label not in chosen and label not in set(rare)
        ],
    }
    notes = [
        f"Not looked for, {why}: {listed([str(label) for label in labels])}; name classes to "
        "look for them."
        for why, labels in left.items()
        if labels
    ]
    return chosen, notes


def _smallest_first(counts: dict[Label, int]) -> list[Label]:
    return sorted(counts, key=lambda label: (counts[label], str(label)))


def _refuse_unless_fit(label: Label, count: int, n: int, share: float, n_least: int) -> None:
    if count < n_least:
        raise ValueError(
            f"the class {str(label)!r} has {count} documents, and {n_least} folds need at least "
            f"{n_least}; use fewer folds (2 at least) or gather more documents of it"
        )
    if count >= share * n:
        raise ValueError(
            f"the class {str(label)!r} already makes up {count / n:.0%} of the documents, so "
            f"oversampling it to a share of {share:g} adds nothing; ask for a larger share, such "
            f"as {min(0.5, 1.5 * count / n) if count < n / 2 else 0.9:.2g}, or another class"
        )


def listed(names: Sequence[str] | dict[str, Any], most: int = 8) -> str:
    """Return names in quotes, the first of them where there are many.

    Examples
    --------
    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = [repr(name) for name in list(names)[:most]]
    left = len(names) - len(shown)
    return ", ".join(shown) + (f" and {left} more" if left > 0 else "")
