"""Text for the terminal: what documents and labels contain is shown, never carried out."""

import sys

from imbtext._messages import visible


def say(line: str, *, err: bool = False) -> None:
    r"""Print a line; control characters in it are shown by their codes.

    Examples
    --------
    >>> say("class \x1b[31mred")
    class <U+001B>[31mred
    """
    print(visible(line), file=sys.stderr if err else sys.stdout)
