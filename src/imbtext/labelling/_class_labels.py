"""The classes to find, and what users may write for them.

Labels come from forms, from columns of tables and from people who type. pandas turns 0 and 1 into
0.0 and 1.0 where labels are missing, and NumPy has its own True. Each of them means a class or
"no", or is refused with an error that says what to give.
"""

from collections.abc import Hashable, Iterable, Iterator
from numbers import Real
from typing import Final

import numpy as np

from imbtext._messages import did_you_mean, listed
from imbtext._typing import Label, LabelsLike
from imbtext.documents._containers import rows_of
from imbtext.documents._tokenization import is_missing

YES: Final = "yes"
NO: Final = "no"


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
        if isinstance(label, np.generic):
            label = label.item()
        if label in self.classes and not isinstance(label, bool):
            return self.classes[self.classes.index(label)]
        if label in (NO, 0):  # 0.0 and False equal 0
            return NO
        # 1 means "yes", unless classes are numbers.
        is_yes = label == 1 and not isinstance(self.classes[0], Real)
        if len(self.classes) == 1 and (is_yes or label is True):
            return self.classes[0]
        raise ValueError(
            f"{place}{label!r} is not a label here; give {listed(self.classes)} or {NO!r}"
            f"{did_you_mean(label, [*self.classes, NO])}"
        )

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


def list_of_labels(labels: LabelsLike | Iterable[Label]) -> list[Label]:
    """Return the labels of a container as Python's values."""
    if isinstance(labels, Iterator):
        return list(labels)
    return list(rows_of(labels, "labels", "a list or a column of labels"))
