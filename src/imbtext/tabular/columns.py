"""Finding a column by its name, and saying what is there when it is not."""

import difflib
from collections.abc import Sequence

from imbtext.tabular.errors import TableError

LIKELY_DELIMITERS = (",", ";", "\t", "|")


def shown(delimiter: str) -> str:
    r"""Return a delimiter as one can type it.

    Examples
    --------
    >>> shown(";"), shown("\t")
    ("';'", "'tab'")
    """
    return "'tab'" if delimiter == "\t" else repr(delimiter)


def check_column(
    wanted: str, columns: Sequence[str], name: str, delimiter: str | None = None
) -> None:
    """Raise if `columns` does not have `wanted` exactly once.

    The message lists the columns, names the nearest, and where the header looks like it was cut
    at the wrong character, names the right one.

    Examples
    --------
    >>> check_column("body", ["id;body"], "train.csv", ",")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    ...
    TableError: train.csv has no column 'body'; its header reads as the single column 'id;body', ...
    """
    found = list(columns).count(wanted)
    if found == 1:
        return
    if found > 1:
        raise TableError(
            f"{name} has {found} columns named {wanted!r}; rename them so that one is left"
        )
    if delimiter is not None and len(columns) == 1:
        header = columns[0]
        likely = max(LIKELY_DELIMITERS, key=header.count)
        if likely != delimiter and header.count(likely):
            raise TableError(
                f"{name} has no column {wanted!r}; its header reads as the single column "
                f"{header[:80]!r}, so its cells seem to be separated by {shown(likely)}",
                "delimiter",
                "tab" if likely == "\t" else likely,
            )
    listed = ", ".join(map(repr, columns[:20])) + (", ..." if len(columns) > 20 else "")
    lowered = {column.lower().strip(): column for column in columns}
    near = difflib.get_close_matches(wanted.lower().strip(), lowered, n=1, cutoff=0.5)
    hint = f"; did you mean {lowered[near[0]]!r}?" if near else ""
    raise TableError(f"{name} has no column {wanted!r}; its columns are {listed}{hint}")
