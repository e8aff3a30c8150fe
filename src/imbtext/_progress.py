"""Progress of long work: on stderr, only on a terminal, never when told to be quiet."""

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


def progress_bar(*, quiet: bool = False) -> Progress:
    """Return rich's progress display in the one form that every command uses.

    A context manager: ``with progress_bar() as bar: bar.track(items, description="...")``.
    """
    console = Console(stderr=True)
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    )
