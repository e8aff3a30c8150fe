"""Which rows of a table models learn from, and counts of the unusual ones.

Models do not learn from rows without a label, nor from rows that :class:`LabelRules` excludes.
:class:`RowTally` counts them over batches. After the last row, :meth:`RowTally.check` refuses what
must be a mistake (no word in any text, ids instead of labels) and warns of the rest.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final

from imbtext._messages import did_you_mean, listed, warn_user
from imbtext.documents._label_names import LETTER, label_name
from imbtext.documents._labels import Unlabelled, check_unlabelled
from imbtext.documents._roles import Roles
from imbtext.documents._tokenization import has_words
from imbtext.tables._errors import TableError, TableWarning

# More classes than this, most of them with one document, are probably ids.
_MANY_CLASSES: Final = 100


@dataclass(frozen=True)
class LabelRules:
    """Which rows models learn from, by their labels.

    Parameters
    ----------
    unlabelled : {"skip", "refuse", "no"}, optional
        Whether to leave out rows without a label, to raise an error that names the first, or to
        count them as documents outside every class. By default they are left out; with a
        separator, an empty cell is a set without labels.
    ignored : tuple of str, default=()
        Labels whose rows are left out, such as ``"unknown"``. A document with several labels is
        left out if one of them is ignored.
    many_classes : bool, default=False
        Whether to accept more than 100 classes if most of them have a single document. By default
        they are refused, because they look like ids.
    several : bool, default=False
        Whether a label may be a list of labels, as in JSON lines and Parquet.
    """

    unlabelled: Unlabelled | None = None
    ignored: tuple[str, ...] = ()
    many_classes: bool = False
    several: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.ignored, str):
            object.__setattr__(self, "ignored", (self.ignored,))
        check_unlabelled(self.unlabelled)


DEFAULT_RULES: Final = LabelRules()


@dataclass
class RowTally:
    """How many rows were read, and how many of them are unusual, by what is wrong with them.

    Tallies of parts add up to that of the whole.

    Attributes
    ----------
    n_rows, n_unlabelled, n_ungrouped : int
        All rows; those without a label; those without a group.
    n_texts, n_without_words, n_numbers : int
        The texts of rows that models learn from; those without a letter or digit; those with digits
        but no letter.
    ignored : Counter of str
        The rows of each ignored label.
    classes : Counter
        The rows of each class that the model learns from.
    """

    n_rows: int = 0
    n_texts: int = 0
    n_without_words: int = 0
    n_numbers: int = 0
    n_unlabelled: int = 0
    n_ungrouped: int = 0
    ignored: Counter[str] = field(default_factory=Counter)
    classes: Counter[Hashable] = field(default_factory=Counter)

    def __add__(self, other: "RowTally") -> "RowTally":
        return RowTally(
            self.n_rows + other.n_rows,
            self.n_texts + other.n_texts,
            self.n_without_words + other.n_without_words,
            self.n_numbers + other.n_numbers,
            self.n_unlabelled + other.n_unlabelled,
            self.n_ungrouped + other.n_ungrouped,
            self.ignored + other.ignored,
            self.classes + other.classes,
        )

    @property
    def n_left_out(self) -> int:
        """The rows that models do not learn from: without a label, or with an ignored one."""
        return self.n_unlabelled + self.ignored.total()

    def count_texts(self, texts: Sequence[str]) -> None:
        """Count the texts of more rows, and those that have no words or are numbers."""
        self.n_texts += len(texts)
        for text in texts:
            # Digits but no letter, such as 12.50 or 2024-05-01: a number rather than a text.
            if not LETTER.search(text):
                if has_words(text):
                    self.n_numbers += 1
                else:
                    self.n_without_words += 1

    def check(self, roles: Roles, rules: LabelRules, name: str, *, for_test: bool = False) -> None:
        """Refuse what must be a mistake, and warn of unusual rows of the table called `name`."""
        if not self.n_rows:
            raise TableError(f"{name} has no rows")
        if roles.label is not None and not for_test:
            self._check_training(roles, rules, name)
        if self.n_unlabelled:
            kind = "tested on" if for_test else "learnt from"
            problem = (
                f"{self.n_unlabelled:,} of {self.n_rows:,} rows of {name} have no label in column "
                f"{roles.label!r}"
            )
            if rules.unlabelled == "no":
                warn_user(f"{problem}; they count as outside the class", TableWarning)
            else:
                # A sampler gives every row back with its label, so it cannot count them as others.
                advice = ". If they are outside the class, name it and add --unlabelled no"
                advice *= rules.several and rules.unlabelled is None and not for_test
                warn_user(f"{problem}; nothing is {kind} them{advice}", TableWarning)
        if self.n_ungrouped:
            warn_user(
                f"{self.n_ungrouped:,} of {self.n_rows:,} rows of {name} have no group in column "
                f"{roles.group!r}, so they are kept together as one; give each a group of its "
                f"own if they do not belong together",
                TableWarning,
            )
        if self.n_without_words:
            warn_user(
                f"{self.n_without_words:,} of {self.n_texts:,} texts in {roles.text_title} of "
                f"{name} have no word in them",
                TableWarning,
            )
        if 2 * self.n_numbers > self.n_texts - self.n_without_words:
            warn_user(
                f"{roles.text_title} of {name} holds numbers rather than texts in "
                f"{self.n_numbers:,} of {self.n_texts:,} rows; is it the column of the documents?",
                TableWarning,
            )

    def _check_training(self, roles: Roles, rules: LabelRules, name: str) -> None:
        """Refuse documents without words, and labels that look like ids."""
        if 0 < self.n_without_words == self.n_texts:
            raise TableError(
                f"none of the {self.n_texts:,} texts in {roles.text_title} of {name} has a "
                f"word in it, so there is nothing to learn; name another column"
            )
        for label in rules.ignored:
            if not self.ignored[label]:
                names = [label_name(known) for known in self.classes]
                raise TableError(
                    f"column {roles.label!r} of {name} has no label {label!r} to ignore; its "
                    f"labels are {listed(names)}{did_you_mean(label, names)}"
                )
        n_single = sum(n == 1 for n in self.classes.values())
        if (
            not rules.many_classes
            and len(self.classes) > _MANY_CLASSES
            and 2 * n_single > len(self.classes)
        ):
            raise TableError(
                f"column {roles.label!r} of {name} has {len(self.classes):,} classes, "
                f"{n_single:,} of them with a single document; is it an id? Name the column of the "
                f"classes, or if these are the classes",
                "many_classes",
                True,
            )
