"""Which rows of a table models learn from, by their labels."""

from dataclasses import dataclass
from typing import Final

from imbtext.documents._labels import Unlabelled


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
        if self.unlabelled not in (None, "skip", "refuse", "no"):
            raise ValueError(f"unlabelled is {self.unlabelled!r}; choose skip, refuse or no")


DEFAULT_RULES: Final = LabelRules()
