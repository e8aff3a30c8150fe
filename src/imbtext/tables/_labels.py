"""The labels of a table: which rows models learn from, and how people type and misspell them.

A label is a string, a number, true or false; all labels of a column are of one kind.
"""

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

from imbtext._messages import did_you_mean, listed
from imbtext._typing import Label

AnyLabel = TypeVar("AnyLabel", bound=Label)
# What people write where they do not know the class.
_PLACEHOLDERS: Final = frozenset(
    (
        *("?", "??", "-", "--", "n/a", "#n/a", "n.a.", "na", "nan", "null", "unknown", "unsure"),
        *("undefined", "unlabeled", "unlabelled", "not known", "not labelled", "tbd"),
    )
)
LETTER: Final = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class LabelRules:
    """Which rows models learn from, by their labels.

    Parameters
    ----------
    unlabelled : {"skip", "refuse"}, default="skip"
        Whether to leave out rows without a label, or to raise an error that names the first.
    ignored : tuple of str, default=()
        Labels whose rows are left out, such as ``"unknown"``. A document with several labels is
        left out if one of them is ignored.
    many_classes : bool, default=False
        Whether to accept more than 100 classes if most of them have a single document. By default
        they are refused, because they look like ids.
    """

    unlabelled: Literal["skip", "refuse"] = "skip"
    ignored: tuple[str, ...] = ()
    many_classes: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.ignored, str):
            object.__setattr__(self, "ignored", (self.ignored,))
        if self.unlabelled not in ("skip", "refuse"):
            raise ValueError(f"unlabelled is {self.unlabelled!r}; choose skip or refuse")


def label_name(label: Label) -> str:
    """Return a label as a user types it.

    Examples
    --------
    >>> label_name("sport"), label_name(3), label_name(True)
    ('sport', '3', 'true')
    """
    return label if isinstance(label, str) else json.dumps(label, default=str).strip('"')


def label_named(name: str, labels: Iterable[AnyLabel]) -> AnyLabel:
    """Return the label that a user types as `name`; raise if there is none.

    Examples
    --------
    >>> label_named("3", [1, 3])
    3
    """
    names = {label_name(label): label for label in labels}
    if name not in names:
        raise ValueError(
            f"there is no class {name!r}; the classes are {listed(names)}"
            f"{did_you_mean(name, names)}"
        )
    return names[name]


def named_label(label: Label) -> Label:
    """Return a label, or a set of them, by name."""
    return frozenset(map(label_name, label)) if isinstance(label, frozenset) else label_name(label)


def kind_of_label(label: Hashable) -> str:
    """Return what kind of label this is, in words; a column has labels of one kind."""
    if isinstance(label, bool):
        return "true/false"
    if isinstance(label, int | float):
        return "numbers"
    return "strings" if isinstance(label, str) else type(label).__name__


def check_one_kind(labels: Iterable[Hashable]) -> None:
    """Raise if the parts of a table have labels of different kinds."""
    kinds = sorted({kind_of_label(label) for label in labels})
    if len(kinds) > 1:
        raise ValueError(
            f"some partitions have {' and others '.join(kinds)} for labels; use labels of one kind"
        )


def class_or_not(labels: Sequence[Label], classes: Sequence[str]) -> list[str]:
    """Return two labels: the first of `classes` stands for all of them, and "not" it for the rest.

    Examples
    --------
    >>> class_or_not(["oil", "rain", frozenset({"rain", "crude"})], ["oil", "crude"])
    ['oil', 'not oil', 'oil']
    """
    chosen = frozenset(classes)
    return [
        classes[0]
        if (chosen & label if isinstance(label, frozenset) else label in chosen)
        else f"not {classes[0]}"
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
