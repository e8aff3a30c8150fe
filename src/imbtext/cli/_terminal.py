"""Text for the terminal: what documents and labels contain is shown, never carried out."""

import typer

from imbtext.reporting.escaping import visible


def say(line: str, *, err: bool = False) -> None:
    r"""Print a line; control characters in it are shown by their codes.

    Examples
    --------
    >>> say("class \x1b[31mred")
    class <U+001B>[31mred
    """
    typer.echo(visible(line), err=err)
