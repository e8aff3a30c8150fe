"""From a column of labels to the yes-or-no questions of a comparison: one class, or each of many.

A label is one value a document, or a set of them (multi-label). Every question is the same: does
the document belong to this class? The classes asked about are those that oversampling is for.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

Label = Any


@dataclass(frozen=True, eq=False)
class Target:
    """One class against the rest.

    Attributes
    ----------
    name : str
        The class as text.
    label : object
        The class as it stands in the labels.
    positive : ndarray of bool
        Which documents belong to it.
    """

    name: str
    label: Label
    positive: NDArray[np.bool_]

    @property
    def n_positive(self) -> int:
        """Number of documents of the class."""
        return int(self.positive.sum())


@dataclass(frozen=True)
class Labelling:
    """The labels of all documents as sets.

    Examples
    --------
    >>> labelling = Labelling.of(["oil", "rain", "oil"])
    >>> labelling.counts
    {'oil': 2, 'rain': 1}
    >>> Labelling.of([{"oil", "trade"}, set(), {"oil"}]).counts
    {'oil': 2, 'trade': 1}
    """

    sets: tuple[frozenset[Label], ...]
    multilabel: bool

    @classmethod
    def of(cls, y: Iterable[Any]) -> "Labelling":
        """Read one label, or one collection of labels, a document."""
        if isinstance(y, str):
            raise TypeError(f"y is the string {y!r:.40}; give one label a document")
        if getattr(y, "ndim", 1) != 1:
            raise ValueError(
                f"y has {y.ndim} dimensions; give one label a document, or one set of labels a "  # type: ignore[attr-defined]
                "document for multi-label data"
            )
        for as_list in ("to_pylist", "to_list", "tolist"):
            if hasattr(y, as_list):
                y = getattr(y, as_list)()
                break
        values = [_plain(value) for value in y]
        multilabel = any(isinstance(value, set | frozenset | list | tuple) for value in values)
        sets = []
        for row, value in enumerate(values):
            if multilabel and value is not None and not isinstance(value, str):
                sets.append(frozenset(_plain(label) for label in value))
            elif value is None or (isinstance(value, float) and math.isnan(value)):
                raise ValueError(
                    f"document {row} (counted from 0) has no label; remove such documents or give "
                    "them a label of their own"
                )
            else:
                sets.append(frozenset([value]))
        return cls(tuple(sets), multilabel)

    @property
    def counts(self) -> dict[Label, int]:
        """Number of documents of each class, the largest first."""
        counts = Counter(label for labels in self.sets for label in labels)
        return dict(sorted(counts.items(), key=lambda item: (-item[1], str(item[0]))))

    def target(self, label: Label) -> Target:
        """Return the question about one class."""
        positive = np.fromiter((label in labels for labels in self.sets), bool, len(self.sets))
        return Target(str(label), label, positive)

    def find(self, label: Any) -> Label:
        """Return the class that `label` names, itself or its text."""
        counts = self.counts
        try:
            if label in counts:
                return next(known for known in counts if known == label)
        except TypeError:
            pass
        by_name = {str(known): known for known in counts}
        if str(label) in by_name:
            return by_name[str(label)]
        near = get_close_matches(str(label), by_name, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"the classes are {_listed(by_name)}"
        raise ValueError(f"there is no class {label!r} among the labels; {hint}")


def choose_targets(
    labelling: Labelling, positive: Any, share: float, n_least: int
) -> tuple[list[Target], list[str]]:
    """Choose the classes to ask about.

    Parameters
    ----------
    labelling : Labelling
        The labels of the training documents.
    positive : label, list of labels or None
        The classes; None takes the rarer of two classes, and of more than two every class that
        makes up less than `share` of the documents.
    share : float
        The share that oversampling brings a class to.
    n_least : int
        The number of documents below which a class cannot be cross-validated.

    Returns
    -------
    targets : list of Target
        The classes, the largest first.
    notes : list of str
        What was left out, in words.

    Examples
    --------
    >>> labelling = Labelling.of(["oil"] * 2 + ["rain"] * 20)
    >>> targets, notes = choose_targets(labelling, None, 0.2, 2)
    >>> [target.name for target in targets]
    ['oil']
    """
    counts, n = labelling.counts, len(labelling.sets)
    if len(counts) < 2 and not (labelling.multilabel and counts):
        found = f"the only label is {next(iter(counts))!r}" if counts else "there are no labels"
        raise ValueError(f"{found}; a comparison needs documents of two classes at least")
    names = Counter(str(label) for label in counts)
    if len(names) < len(counts):
        twice = names.most_common(1)[0][0]
        raise ValueError(
            f"two different labels are both written {twice!r} (such as 1 and '1'); "
            "make all labels the same type"
        )
    if positive is not None:
        one = not isinstance(positive, list | tuple | set | frozenset | np.ndarray)
        wanted = [labelling.find(label) for label in ([positive] if one else positive)]
        if not wanted:
            raise ValueError("positive is an empty list; name at least one class")
        for label in wanted:
            _refuse_unless_fit(label, counts[label], n, share, n_least)
        return [labelling.target(label) for label in dict.fromkeys(wanted)], []
    if len(counts) == 2 and not labelling.multilabel:
        rarer = list(counts)[-1]
        _refuse_unless_fit(rarer, counts[rarer], n, share, n_least)
        return [labelling.target(rarer)], []
    rare = [label for label, count in counts.items() if count < share * n]
    kept = [label for label in rare if counts[label] >= n_least]
    notes = []
    if len(rare) < len(counts):
        common = [str(label) for label in counts if label not in set(rare)]
        notes.append(
            f"Left out, since oversampling to a share of {share:g} adds nothing to a class that "
            f"has it already: {_listed(common)}."
        )
    if len(kept) < len(rare):
        tiny = [str(label) for label in rare if counts[label] < n_least]
        notes.append(
            f"Left out, since a class needs {n_least} documents (one a fold): {_listed(tiny)}."
        )
    if not kept:
        raise ValueError(
            f"no class is left to compare on: a class must make up less than {share:g} of the "
            f"documents and have at least {n_least}; change the share or the number of folds"
        )
    return [labelling.target(label) for label in kept], notes


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


def _listed(names: Sequence[str] | dict[str, Any], most: int = 8) -> str:
    listed = [repr(name) for name in list(names)[:most]]
    left = len(names) - len(listed)
    return ", ".join(listed) + (f" and {left} more" if left > 0 else "")


def _plain(value: Any) -> Any:
    """Take numpy's scalars and arrays for what they hold."""
    if isinstance(value, np.generic):
        return value.item()
    return list(value) if hasattr(value, "tolist") and hasattr(value, "__len__") else value
