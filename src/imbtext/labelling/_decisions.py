"""The classes to find, what people say of a document, and its label.

Labels come from forms, from columns of tables and from people who type. pandas turns 0 and 1 into
0.0 and 1.0 where labels are missing, and NumPy has its own True. Each of them means a class or
"no", or is refused with an error that says what to give (:class:`ClassLabels`).

A labeller has one decision per document, the last one. The label is what they all say; where they
disagree, are unsure or skipped the document, there is none (:class:`Decisions`).
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Final

import numpy as np

from imbtext._messages import did_you_mean, listed
from imbtext._typing import Label, LabelsLike
from imbtext.documents._containers import rows_of
from imbtext.documents._label_names import is_named, is_no_label, label_name
from imbtext.documents._tokenization import is_missing

YES: Final = "yes"
NO: Final = "no"
UNSURE: Final = "unsure"
SKIPPED: Final = "skip"
# What tables write for "no".
_NO_NAMES: Final = {NO, "0", "0.0", "false"}
# How a labeller came to a document.
GIVEN: Final = "given"
RANKING: Final = "ranking"
RANDOM: Final = "random"
DISAGREEMENT: Final = "disagreement"


class ClassLabels:
    """The classes to find.

    Parameters
    ----------
    classes : str or iterable of labels
        One class or several, other than "no" and 0.

    Attributes
    ----------
    classes : list of labels
        The classes in the order they were given.

    Examples
    --------
    >>> labels = ClassLabels("fraud")
    >>> [labels.read(label) for label in ("fraud", 1.0, np.True_, "no", 0.0, False)]
    ['fraud', 'fraud', 'fraud', 'no', 'no', 'no']
    """

    def __init__(self, classes: object) -> None:
        several: list[Label] = list(classes) if isinstance(classes, Iterable) else []
        if isinstance(classes, str):
            several = [classes]
        several = [c.item() if isinstance(c, np.generic) else c for c in several]
        is_label = [
            isinstance(c, Hashable) and not is_missing(c) and c not in ("", NO, 0)  # False equals 0
            for c in several
        ]
        if not several or not all(is_label) or len(set(several)) < len(several):
            raise ValueError(
                f"classes is {classes!r}; expected one or more different labels other than {NO!r} "
                "and 0, which mean that a document is of no class"
            )
        self.classes = several

    def check(self, label: Label) -> Label:
        """Return a class; raise if there is no such class."""
        if label not in self.classes:
            raise ValueError(
                f"there is no class {label!r} to find; the classes are {listed(self.classes)}"
                f"{did_you_mean(label, self.classes)}"
            )
        return label

    def read(self, label: Label, place: str = "") -> Label:
        """Return the class that a user's label means, or "no"; an error begins with `place`."""
        if is_missing(label):
            raise ValueError(
                f"{label!r} is not a label; leave out the row, or set it aside with skip()"
            )
        meant = self._meant(label)
        if meant is None:
            raise ValueError(
                f"{place}{label!r} is not a label here; give {listed(self.classes)} or {NO!r}"
                f"{did_you_mean(label, [*self.classes, NO])}"
            )
        return meant

    def of_column(self, labels: Sequence[object], name: str = "labels") -> list[Label]:
        """Return labels as `fit` takes them: a class, "no" for other labels, None if missing.

        If "yes" is the only class, a label is "yes" or "no", and others are refused.

        Examples
        --------
        >>> ClassLabels("oil").of_column(["oil", "rain", " ", {"oil", "gas"}, set(), None])
        ['oil', 'no', None, 'oil', 'no', None]
        """
        names = {c: frozenset([label_name(c)]) for c in self.classes}
        meant: list[Label] = []
        for row, label in enumerate(labels):
            if is_no_label(label):
                meant.append(None)
            elif self.classes == [YES]:
                meant.append(self.read(label, f"{name}[{row}]: "))
            elif (known := self._meant(label)) is not None:
                meant.append(known)
            else:
                meant.append(next((c for c in self.classes if is_named(label, names[c])), NO))
        check_some_are_found(self.classes, meant, labels, "classes=")
        return meant

    def _meant(self, label: object) -> Label:
        """Return the class that a label means, or "no"; None if it is neither."""
        if isinstance(label, np.generic):
            label = label.item()
        if label in self.classes and not isinstance(label, bool):
            return self.classes[self.classes.index(label)]
        if label in (NO, 0):  # 0.0 and False equal 0
            return NO
        # 1 means "yes", unless classes are numbers.
        is_yes = label == 1 and not isinstance(self.classes[0], Real)
        return self.classes[0] if len(self.classes) == 1 and (is_yes or label is True) else None

    @property
    def no_of_model(self) -> Label:
        """What "no" is called in a model, whose labels must be of one kind.

        Examples
        --------
        >>> ClassLabels(["fraud"]).no_of_model, ClassLabels([1, 2]).no_of_model
        ('no', 0)
        """
        if all(isinstance(c, bool) for c in self.classes):
            return False
        return 0 if all(isinstance(c, Real) for c in self.classes) else NO


def check_some_are_found(
    classes: Sequence[Label], meant: Sequence[Label], labels: Sequence[object], option: str
) -> None:
    """Raise if labels of a column name classes, and none of them is one of those to find."""
    if set(classes) & set(meant):
        return
    known = {label_name(label) for label in labels if not is_no_label(label)}
    if known - _NO_NAMES:
        raise ValueError(
            f"no document has the label {listed(classes)}; the column has "
            f"{listed(sorted(known), 8)}{did_you_mean(classes[0], known)}; name the class to "
            f"find with {option}"
        )


def list_of_labels(labels: LabelsLike | Iterable[Label]) -> list[Label]:
    """Return the labels of a container as Python's values."""
    if isinstance(labels, Iterator):
        return list(labels)
    return list(rows_of(labels, "labels", "a list or a column of labels"))


@dataclass(frozen=True)
class Decision:
    """What a labeller said about a document.

    Attributes
    ----------
    row : int
        The document.
    decision : str
        A class, ``"no"``, ``"unsure"`` or ``"skip"``.
    labeller : str
        Who said it; empty for labels that the table already had.
    note : str
        A remark.
    chosen : str
        How the labeller came to the document: ``"ranking"``, ``"search"``, ``"random"`` and so on.
        A label with ``"disagreement"`` settles what labellers disagreed about.
    time : str
        When, in UTC.
    """

    row: int
    decision: str
    labeller: str = ""
    note: str = ""
    chosen: str = RANKING
    time: str = ""

    @property
    def label(self) -> str | None:
        """What to learn from; None if there is nothing."""
        return None if self.decision in (UNSURE, SKIPPED) else self.decision

    @property
    def key(self) -> str:
        """The key that distinguishes a labeller's decisions."""
        return f"{self.row} {self.decision} {self.time}"

    @property
    def settles(self) -> bool:
        """Whether it ends a disagreement."""
        return self.chosen == DISAGREEMENT and self.label is not None


class Decisions:
    """The decisions of all labellers, in the order they were made.

    Examples
    --------
    >>> decisions = Decisions()
    >>> decisions._put_only([Decision(3, "yes", "anna"), Decision(3, "no", "ben")])
    >>> decisions.is_disputed(3), decisions.label_of(3), decisions.last_of("anna").decision
    (True, None, 'yes')
    """

    def __init__(self) -> None:
        # By document and labeller, in the order they were made; and the same by document.
        self._decisions: dict[tuple[int, str], Decision] = {}
        self._by_row: dict[int, dict[str, Decision]] = {}

    def __iter__(self) -> Iterator[Decision]:
        """Give all decisions in the order they were made."""
        return iter(self._decisions.values())

    def __contains__(self, row: int) -> bool:
        """Return whether anybody decided on a document."""
        return row in self._by_row

    def of_row(self, row: int) -> list[Decision]:
        """Return the decisions on a document, the last one last."""
        return list(self._by_row.get(row, {}).values())

    def _labels_of(self, row: int) -> set[str]:
        """Return the labels that count: one of them, or several if labellers disagree."""
        decisions = self.of_row(row)
        if decisions and decisions[-1].settles:
            decisions = decisions[-1:]
        return {decision.label for decision in decisions if decision.label is not None}

    def label_of(self, row: int) -> str | None:
        """Return what to learn from; None if there is nothing, or labellers disagree."""
        labels = self._labels_of(row)
        return labels.pop() if len(labels) == 1 else None

    def is_disputed(self, row: int) -> bool:
        """Return whether labellers disagree about a document."""
        return len(self._labels_of(row)) > 1

    @property
    def disputed(self) -> list[int]:
        """The documents that labellers disagree about."""
        return [row for row in self._by_row if self.is_disputed(row)]

    @property
    def unsure(self) -> list[int]:
        """The documents that somebody is unsure about and nobody has decided."""
        return [
            row
            for row, decisions in self._by_row.items()
            if any(decision.decision == UNSURE for decision in decisions.values())
            and all(decision.label is None for decision in decisions.values())
        ]

    def last_of(self, labeller: str, key: str = "") -> Decision | None:
        """Return the last decision of a labeller, or the one with a key."""
        latest_first = reversed(self._decisions.values())
        theirs = (decision for decision in latest_first if decision.labeller == labeller)
        return next((decision for decision in theirs if key in ("", decision.key)), None)

    def _put_only(self, decisions: Iterable[Decision]) -> None:
        self._decisions, self._by_row = {}, {}
        for decision in decisions:
            self._put(decision)

    def _put(self, decision: Decision) -> None:
        """Note a decision as the last one, in place of the labeller's earlier one."""
        key = decision.row, decision.labeller
        self._decisions.pop(key, None)
        self._decisions[key] = decision
        decisions = self._by_row.setdefault(decision.row, {})
        decisions.pop(decision.labeller, None)
        decisions[decision.labeller] = decision
