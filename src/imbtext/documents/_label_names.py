"""The name of a label, its kind, and how people type and misspell labels.

A label is a string, a number, true or false; all labels of `y`, or of a column, are of one kind. A
missing label, or one of white space alone, is no label (:func:`is_no_label`).
"""

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from numbers import Real
from typing import Any, Final, TypeVar

import numpy as np

from imbtext._messages import did_you_mean, listed
from imbtext._typing import Label
from imbtext.documents._tokenization import is_missing

AnyLabel = TypeVar("AnyLabel", bound=Label)
# What people write where they do not know the class.
_PLACEHOLDERS: Final = frozenset(
    (
        *("?", "??", "-", "--", "n/a", "#n/a", "n.a.", "na", "nan", "null", "unknown", "unsure"),
        *("undefined", "unlabeled", "unlabelled", "not known", "not labelled", "tbd"),
    )
)
_COLLECTIONS: Final = (list, tuple, set, frozenset, np.ndarray)
LETTER: Final = re.compile(r"[^\W\d_]")


def is_no_label(label: object) -> bool:
    """Return whether a label is missing, or nothing but white space.

    Examples
    --------
    >>> [is_no_label(label) for label in (None, float("nan"), " ", "", "no", 0, frozenset())]
    [True, True, True, True, False, False, False]
    """
    return not label.strip() if isinstance(label, str) else is_missing(label)


def is_named(label: object, names: frozenset[str]) -> bool:
    """Return whether a label, or one of a set of labels, has one of these names.

    pandas turns 9 into 9.0 where other labels are missing, so 9.0 has the name 9, too.

    Examples
    --------
    >>> names = frozenset(["?", "9"])
    >>> [is_named(label, names) for label in ("?", {"a", "?"}, 9.0, "a", None)]
    [True, True, True, False, False]
    """
    for one in label if isinstance(label, _COLLECTIONS) else (label,):
        if is_missing(one):
            continue
        whole = isinstance(one, float) and one.is_integer() and str(int(one)) in names
        if whole or label_name(one) in names:
            return True
    return False


def as_list(labels: object) -> list[Any]:
    """Return labels as a list: none, one, or several in a collection.

    Examples
    --------
    >>> as_list(None), as_list("oil"), as_list({"oil"}), as_list(3)
    ([], ['oil'], ['oil'], [3])
    """
    if labels is None:
        return []
    if isinstance(labels, Iterable) and not isinstance(labels, str):
        return list(labels)
    return [labels]


def label_name(label: Label) -> str:
    """Return a label as a user types it.

    Examples
    --------
    >>> label_name("sport"), label_name(3), label_name(True), label_name(np.int64(3))
    ('sport', '3', 'true', '3')
    """
    if isinstance(label, np.generic):
        label = label.item()
    return label if isinstance(label, str) else json.dumps(label, default=str).strip('"')


def find_label(wanted: Label, labels: Iterable[AnyLabel]) -> AnyLabel:
    """Return the label that a user means: it is equal to `wanted`, or written like it.

    Examples
    --------
    >>> find_label("3", [1, 3]), find_label("true", [False, True])
    (3, True)
    """
    known = list(labels)
    if isinstance(wanted, Hashable) and wanted in known:
        return known[known.index(wanted)]
    names = {name: label for label in known for name in (str(label), label_name(label))}
    if str(wanted) not in names:
        shown = list(map(label_name, known))
        raise ValueError(
            f"there is no class {wanted!r:.60}; the classes are {listed(shown)}"
            f"{did_you_mean(wanted, shown)}"
        )
    return names[str(wanted)]


def named_label(label: Label) -> Label:
    """Return a label, or a set of them, by name."""
    return frozenset(map(label_name, label)) if isinstance(label, frozenset) else label_name(label)


def kind_of_label(label: Hashable) -> str:
    """Return what kind of label this is, in words; a column has labels of one kind."""
    if isinstance(label, bool | np.bool_):
        return "true/false"
    if isinstance(label, Real):
        return "numbers"
    return "strings" if isinstance(label, str) else type(label).__name__


def check_one_kind(labels: Iterable[Hashable]) -> None:
    """Raise if the parts of a table have labels of different kinds."""
    kinds = sorted({kind_of_label(label) for label in labels})
    if len(kinds) > 1:
        raise ValueError(
            f"some partitions have {' and others '.join(kinds)} for labels; use labels of one kind"
        )


def labels_to_find(
    labels: Sequence[Label], classes: Sequence[str], *, one_class: bool = False
) -> Sequence[Label]:
    """Return the labels with only these classes left.

    One class, or several that count as one, is there or not. Of several, a document has some or
    none.

    Examples
    --------
    >>> labels_to_find(["oil", "rain"], ["oil"])
    ['oil', 'not oil']
    >>> labels_to_find(["oil", "gold", "rain"], ["oil", "gold"], one_class=True)
    ['oil', 'oil', 'not oil']
    >>> labels_to_find(["oil", "rain"], ["oil", "gold"])
    [frozenset({'oil'}), frozenset()]
    """
    if one_class or len(classes) == 1:
        return class_or_not(labels, classes)
    chosen = frozenset(classes)
    return [chosen & (label if isinstance(label, frozenset) else {label}) for label in labels]


def class_or_not(labels: Sequence[Label], classes: Sequence[Label]) -> list[Label]:
    """Return two labels: the first of `classes` stands for all of them, and another for the rest.

    The other is "not" the class; if labels are true and false, or numbers, it is False or 0, or 1
    if the class is 0.

    Examples
    --------
    >>> class_or_not(["oil", "rain", frozenset({"rain", "crude"})], ["oil", "crude"])
    ['oil', 'not oil', 'oil']
    >>> class_or_not([1, None, 3], [1]), class_or_not([True, None], [True])
    ([1, 0, 0], [True, False])
    """
    chosen, first = frozenset(classes), classes[0]
    other: Label = f"not {label_name(first)}"
    if isinstance(first, Real):
        other = not first
        other = other if isinstance(first, bool | np.bool_) else int(other)
    return [
        first if (chosen & label if isinstance(label, frozenset) else label in chosen) else other
        for label in labels
    ]


def look_alikes(names: Iterable[str]) -> list[list[str]]:
    """Return groups of labels that differ only in case, spaces, hyphens, underscores and ``?!.``.

    The marks ``?!.`` are ignored at the end of a label alone.

    Examples
    --------
    >>> look_alikes(["yes", "no", " YES", "YES?", "C", "C++", "not oil", "not-oil"])
    [[' YES', 'YES?', 'yes'], ['not oil', 'not-oil']]
    """
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        folded = unicodedata.normalize("NFKC", name).casefold()
        if LETTER.search(folded):  # 1-1 and 11 may be two codes
            groups[re.sub(r"[\s_-]+|[\s?!.]+$", "", folded)].append(name)
    return [group for group in groups.values() if len(group) > 1]


def placeholders(names: Iterable[str]) -> list[str]:
    """Return the labels that mean that the class is not known.

    Examples
    --------
    >>> placeholders(["fraud", "Unknown", "n/a", "no"])
    ['Unknown', 'n/a']
    """
    return [name for name in names if " ".join(name.casefold().split()) in _PLACEHOLDERS]
