"""A command on the terminal: how it prints, how it fails and how it is stopped.

What documents and labels contain is shown and never carried out: control characters appear by their
codes.
"""

import io
import sqlite3
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperCommand

from imbtext._messages import DataWarning, visible
from imbtext._signals import terminated_cleanly
from imbtext.cli._help import CommandsByJob, usage_pieces, write_options
from imbtext.cli._options import with_dask_values
from imbtext.cli._values import flag

# The base of what Typer raises for arguments that it cannot read, whichever click it brings.
_UsageError: Any = typer.BadParameter.__mro__[1]


class Command(TyperCommand):
    """A command that refuses an option given twice, unless it takes several values.

    Left alone, the last one would win and the others be forgotten without a word. Its help has a
    section for each kind of option.
    """

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the part of the help that is about options."""
        write_options(self, ctx, formatter)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what the line of usage names."""
        return usage_pieces(super().collect_usage_pieces(ctx))

    def invoke(self, ctx: Any) -> Any:
        """Run the command. Typer would turn Ctrl-C into an exit without a word."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            raise typer.Exit(130) from None

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments of the command."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option, times in Counter(given).items():
            is_list = getattr(option, "multiple", True) or getattr(option, "is_flag", True)
            if times > 1 and not is_list:
                several = (
                    "; this command reads one text column, so join them into one first"
                    if option.name == "text"
                    else ""
                )
                raise _UsageError(
                    f"{option.opts[0]} is given {times} times and takes one value{several}"
                )
        return super().parse_args(ctx, args)


class CommandLine(typer.Typer):
    """Commands, each of which refuses an option given twice and has plain, ordered help."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(cls=CommandsByJob, no_args_is_help=True, rich_markup_mode=None, **settings)

    def command(self, name: str | None = None, **settings: Any) -> Any:
        """Register a command."""
        return super().command(name, **({"cls": Command} | settings))


def say(line: str, *, err: bool = False) -> None:
    r"""Print a line; control characters in it are shown by their codes.

    Examples
    --------
    >>> say("class \x1b[31mred")
    class <U+001B>[31mred
    """
    print(visible(line), file=sys.stderr if err else sys.stdout)


def run(app: typer.Typer) -> None:
    """Run the command that was typed, and leave Python with its exit code.

    A mistake of the user's is one line on stderr and exit code 2; so is a full disk. SIGTERM ends
    the command as Ctrl-C does, so that temporary files are removed. Characters that the terminal
    has no code for are shown by their numbers.
    """
    _never_fail_to_print()
    try:
        with terminated_cleanly(), _warnings_in_one_line():
            arguments = with_dask_values(sys.argv[1:])
            sys.exit(app(arguments, prog_name="imbtext", standalone_mode=False) or 0)
    except _UsageError as error:
        if len(sys.argv) == 1:  # the help that stands for no command
            error.show()
            sys.exit(error.exit_code)
        _fail(error.format_message())
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except sqlite3.Error as error:
        _fail(
            f"the store of finished work cannot be used ({error}); check whether its disk is full, "
            f"or start in another folder"
        )
    except BrokenExecutor as error:
        _fail(f"a process ended before its work was done ({error}); use fewer processes (--jobs)")
    except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
        _fail(_message(error))


def _message(error: Exception) -> str:
    """Return the message of an error, with the option that would help where there is one."""
    from imbtext.tables import TableError
    from imbtext.writing import FolderExistsError

    if isinstance(error, TableError) and error.setting:
        return f"{error.problem}: pass {flag(error.setting, error.value)}"
    if isinstance(error, FolderExistsError):
        return f"{error} with {flag('overwrite', True)}"
    if isinstance(error, MemoryError):
        return f"there is not enough memory ({error or 'no more could be had'})"
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


def _fail(message: str) -> None:
    print(f"imbtext: error: {_one_line(message)}", file=sys.stderr)
    sys.exit(2)


def _one_line(message: object) -> str:
    return visible(" ".join(str(message).split()))


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        print(f"imbtext: warning: {_one_line(message)}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show
        warnings.simplefilter("always", DataWarning)
        yield


def _never_fail_to_print() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
