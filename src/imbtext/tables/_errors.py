"""Errors and warnings of tables, with the setting that would help."""

from collections.abc import Hashable, Sequence

from imbtext._messages import DataWarning, did_you_mean, listed

LIKELY_DELIMITERS = (",", ";", "\t", "|")


class TableError(ValueError):
    """A table cannot be read or written as asked.

    If a setting of a table would help, the error has its name and the value to give it. The
    command line turns both into its option.

    Examples
    --------
    >>> str(TableError("t.csv is UTF-16, not utf-8", "encoding", "utf-16"))
    "t.csv is UTF-16, not utf-8: pass encoding='utf-16'"
    """

    def __init__(self, problem: str, setting: str = "", value: object = None) -> None:
        super().__init__(f"{problem}: pass {setting}={value!r}" if setting else problem)
        self.problem = problem
        self.setting = setting
        self.value = value

    def __reduce__(self) -> tuple[type["TableError"], tuple[str, str, object]]:
        return type(self), (self.problem, self.setting, self.value)


class TableWarning(DataWarning):
    """Something about the rows of a table is odd: no labels, no words, numbers instead of texts."""


def typeable(delimiter: str) -> str:
    """Return a delimiter as a user can type it."""
    return "tab" if delimiter == "\t" else delimiter


def check_column(
    column: Hashable, columns: Sequence[Hashable], name: str, delimiter: str | None = None
) -> None:
    """Raise if `columns` does not have `column` exactly once.

    The message lists the columns and suggests the nearest. If the header looks as if it was split
    at the wrong character, the message names the right one.

    Examples
    --------
    >>> check_column("body", ["id;body"], "train.csv", ",")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    ...
    TableError: train.csv has no column 'body'; its header reads as the single column 'id;body', ...
    """
    n_columns = list(columns).count(column)
    if n_columns == 1:
        return
    if n_columns > 1:
        raise TableError(f"{name} has {n_columns} columns named {column!r}; rename all but one")
    if delimiter is not None and len(columns) == 1:
        header = str(columns[0])
        likely = max(LIKELY_DELIMITERS, key=header.count)
        if likely != delimiter and header.count(likely):
            raise TableError(
                f"{name} has no column {column!r}; its header reads as the single column "
                f"{header[:80]!r}, so its cells seem to be separated by "
                f"{typeable(likely)!r}",
                "delimiter",
                typeable(likely),
            )
    raise TableError(
        f"{name} has no column {column!r}; its columns are {listed(columns)}"
        f"{did_you_mean(column, columns)}"
    )
