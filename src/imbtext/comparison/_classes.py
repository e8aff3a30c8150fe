"""From a column of labels to the classes that a comparison looks for, each against the rest.

A label is one value per document, or a set of them (multi-label). For each class the comparison
asks the same: does the document belong to it?
"""

from typing import Any, Final

import numpy as np

from imbtext._messages import listed
from imbtext.documents import Labels

# What is looked for unless classes are named: rare ones, with enough documents to learn from.
RARE_BELOW: Final = 0.05
LEAST_DOCUMENTS: Final = 5
MOST_CLASSES: Final = 10

Label = Any


def choose_classes(
    labels: Labels, classes: Any, share: float, n_least: int
) -> tuple[list[Label], list[str]]:
    """Choose the classes to look for, the smallest first; also say in words what was left out.

    Without `classes` it takes the rarer of two, and of more than two those under 5 % of the
    documents with at least five of them, ten at most. Where no class is that rare, the smallest is
    taken. `share` is what oversampling brings a class to; a class of fewer than `n_least` documents
    cannot be cross-validated.
    """
    labels.check_classes()
    counts, n = labels.counts, labels.n_documents
    notes: list[str] = []
    if classes is not None:
        one = not isinstance(classes, list | tuple | set | frozenset | np.ndarray)
        named = {labels.find(label) for label in ([classes] if one else classes)}
        if not named:
            raise ValueError("classes is an empty list; name at least one class")
        chosen = _smallest_first({label: counts[label] for label in named})
    elif len(counts) == 2 and labels.form == "single":
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
