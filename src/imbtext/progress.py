"""Progress of long work on stderr: a bar, or a line now and then."""

import sys
import time
from typing import Any, Final

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from imbtext._messages import visible

__all__ = ["progress_bar"]

# Seconds before the first line, and between lines: a log should show life, not fill up.
_FIRST_LINE: Final = 5.0
_BETWEEN_LINES: Final = 15.0


class _Description(ProgressColumn):
    """The current work; a class or file name in it is text, whatever it contains."""

    def render(self, task: Task) -> Text:
        return Text(visible(task.description))


def progress_bar(*, quiet: bool = False, lines: bool = False) -> Progress:
    """Return rich's progress display in the one form that every command uses.

    A context manager: ``with progress_bar() as bar: bar.track(items, description="...")``. With
    `lines`, work that is followed by ``update`` prints a line now and then where there is no
    terminal.
    """
    console = Console(stderr=True)
    shown = console.is_terminal or console.is_jupyter
    console.quiet = not shown  # before rich 15 a display that nobody sees ends in an empty line
    kind = _Lines if lines and not quiet and not shown else Progress
    return kind(
        SpinnerColumn(),
        _Description(),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=quiet or not shown,
    )


class _Lines(Progress):
    """A display for logs and pipes."""

    def __init__(self, *columns: str | ProgressColumn, **options: Any) -> None:
        super().__init__(*columns, **options)
        self._due = time.monotonic() + _FIRST_LINE

    def update(self, task_id: TaskID, **fields: Any) -> None:
        super().update(task_id, **fields)
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + _BETWEEN_LINES
        task = self._tasks[task_id]
        total = "" if task.total is None else f" of {task.total:,.0f}"
        line = f"{task.completed:,.0f}{total}, last: {visible(task.description)}"
        print(line, file=sys.stderr, flush=True)
