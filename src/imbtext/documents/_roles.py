"""Roles: which columns of a table mean what.

A user names columns once, and everything reads them from here: ``fit`` of a table in memory, a file
in batches, a Dask partition. :class:`~imbtext.documents.Documents` turns a table and its roles into
documents. A role is named, or its values are passed, but not both.

>>> Roles.of("body", label="topic", time="sent").names
['body', 'topic', 'sent']
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, Self

import numpy as np

from imbtext._messages import listed
from imbtext._typing import ColumnName, ColumnNames


@dataclass(frozen=True)
class Roles:
    """Which columns of a table mean what.

    Parameters
    ----------
    text : tuple of column names
        The text columns. A document is their texts, one below the other.
    label : column name, optional
        The column of the labels.
    columns : tuple of column names or "all"
        The columns beside the text; ``"all"`` takes all that have no other role.
    group : column name, optional
        Rows that share a value in this column stay together.
    time : column name, optional
        The column of the time of each row. It may be a column beside the text, too.
    id : column name, optional
        The column that names the rows. It may have another role, too.
    weight : column name, optional
        The column that says how much each row counts.
    time_format : str, optional
        How times are written, as ``strptime`` takes it, such as ``"%d-%m-%Y %H.%M"``.
    separator : str, optional
        What separates the labels in a cell, if a document may have several.

    Examples
    --------
    >>> Roles(("subject", "body"), label="topic")
    Roles(text=('subject', 'body'), label='topic')
    >>> Roles.of("body", label="body")
    Traceback (most recent call last):
        ...
    ValueError: the column 'body' has 2 roles (text and label); give each role a column of its own
    """

    text: tuple[ColumnName, ...] = ()
    label: ColumnName | None = None
    columns: tuple[ColumnName, ...] | Literal["all"] = ()
    group: ColumnName | None = None
    time: ColumnName | None = None
    id: ColumnName | None = None
    weight: ColumnName | None = None
    separator: str | None = None
    time_format: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.text, str) or (isinstance(self.columns, str) and self.columns != "all"):
            raise TypeError(
                f"text is {self.text!r} and columns is {self.columns!r}; expected tuples of names: "
                "Roles.of takes single names too"
            )
        roles = [("text", name) for name in self.text]
        roles += [
            (role, name)
            for role in ("label", "group", "time", "weight")
            if (name := getattr(self, role)) is not None
        ]
        # A group or a time may be a column beside the text, a text or a label may not.
        beside = () if self.columns == "all" else self.columns
        roles += [
            ("columns", name) for name in beside if name not in (self.group, self.time, self.weight)
        ]
        for name, n_roles in Counter(name for _, name in roles).items():
            if n_roles > 1:
                of_name = [role for role, column in roles if column == name]
                raise ValueError(
                    f"the column {name!r} has {n_roles} roles ({' and '.join(of_name)}); give each "
                    "role a column of its own"
                )

    @classmethod
    def of(cls, text: ColumnNames = None, columns: ColumnNames = None, **others: Any) -> Self:
        """Take names as users pass them: one name, several in a list, or None.

        Examples
        --------
        >>> Roles.of(["subject", "body"], "all")
        Roles(text=('subject', 'body'), columns='all')
        """
        beside = columns if isinstance(columns, str) and columns == "all" else _names(columns)
        return cls(text=_names(text), columns=beside, **others)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        given = {
            name: value
            for name, value in self.__dict__.items()
            if value is not None and value != ()
        }
        return f"Roles({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    @property
    def names(self) -> list[ColumnName]:
        """All columns that have a role, each once; of ``columns="all"`` nothing is known yet."""
        beside = () if self.columns == "all" else self.columns
        names = (*self.text, self.label, self.group, self.time, self.weight, *beside, self.id)
        return list(dict.fromkeys(name for name in names if name is not None))

    @property
    def text_title(self) -> str:
        """The text columns as messages name them."""
        return f"column{'s' * (len(self.text) > 1)} {listed(self.text)}"

    def resolved(self, names: Sequence[ColumnName]) -> Self:
        """Replace ``columns="all"`` by the columns that it means in a table with these names."""
        if self.columns != "all":
            return self
        own = self.names
        return replace(self, columns=tuple(dict.fromkeys(n for n in names if n not in own)))


NO_ROLES: Final = Roles()


def _names(names: ColumnNames) -> tuple[ColumnName, ...]:
    if names is None:
        return ()
    if isinstance(names, str | int | np.integer):
        return (names,)
    return tuple(names)
