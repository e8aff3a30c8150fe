"""A command on the terminal: how it prints, how it fails and how it is stopped.

Documents and labels may contain control characters. They are shown by their codes, so that they
cannot steer the terminal.
"""

import errno
import io
import os
import select
import sqlite3
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypedDict, Unpack

import typer
from typer.core import TyperCommand
from typer.models import CommandFunctionType

from imbtext._messages import DataWarning, nearest, visible
from imbtext._signals import terminated_cleanly
from imbtext.cli._groups import ungrouped
from imbtext.cli._help import CommandsByJob, usage_pieces, write_options
from imbtext.cli._options import with_dask_values

if TYPE_CHECKING:
    from rich.console import Console
    from typer._click import Context, HelpFormatter
    from typer._click.exceptions import UsageError

# The base of what Typer raises for arguments that it cannot read, whichever click it brings.
_UsageError: "type[UsageError]" = typer.BadParameter.__mro__[1]


# How the settings that messages of the package name are typed.
_FLAGS: Final = {
    "delimiter": "--delimiter '{}'",
    "encoding": "--encoding {}",
    "quotes": "--no-quotes",
    "prefix": "--prefix {}",
    "overwrite": "--overwrite",
    "many_classes": "--many-classes",
    "mark": "--synthetic-column NAME or --no-synthetic-column",
}


class Command(TyperCommand):
    """A command that refuses an option given twice, unless it takes several learning.

    Left alone, Typer would take the last one and say nothing about the others. The help of a
    command has a section for each kind of option.
    """

    def format_options(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write the part of the help that is about options."""
        write_options(self, ctx, formatter)

    def collect_usage_pieces(self, ctx: "Context") -> list[str]:
        """Return what the line of usage names."""
        return usage_pieces(super().collect_usage_pieces(ctx))

    def invoke(self, ctx: "Context") -> object:
        """Run the command. Left alone, Typer would say nothing after Ctrl-C."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            print("interrupted", file=sys.stderr)
            raise typer.Exit(130) from None
        except BrokenPipeError:
            # Typer would recognise its number and exit with code 1, whatever the reason.
            raise BrokenPipeError from None

    def parse_args(self, ctx: "Context", args: list[str]) -> list[str]:
        """Read the arguments of the command."""
        _, _, parameters = self.make_parser(ctx).parse_args(args=list(args))
        for option, times in Counter(parameters).items():
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


class _Settings(TypedDict, total=False):
    """What commands, or a group of them, may say about themselves."""

    name: str
    help: str
    epilog: str
    pretty_exceptions_enable: bool


class CommandLine(typer.Typer):
    """Commands, each of which refuses an option given twice and has plain, ordered help."""

    def __init__(self, **settings: Unpack[_Settings]) -> None:
        super().__init__(cls=CommandsByJob, no_args_is_help=True, rich_markup_mode=None, **settings)

    def command(
        self, name: str | None = None, *, cls: type[TyperCommand] | None = Command, **settings: Any
    ) -> Callable[[CommandFunctionType], CommandFunctionType]:
        """Register a command; options may come in groups."""
        register = super().command(name, cls=cls, **settings)

        def grouped(command: CommandFunctionType) -> CommandFunctionType:
            register(ungrouped(command))
            return command

        return grouped


def named_output(out: object) -> str:
    """Return what a message calls an output; - is standard output.

    Examples
    --------
    >>> named_output("-"), named_output("scored.csv")
    ('standard output', 'scored.csv')
    """
    return "standard output" if str(out) in ("-", "/dev/stdout") else str(out)


def say(line: str, *, err: bool = False) -> None:
    r"""Print a line; control characters in it are shown by their codes.

    Examples
    --------
    >>> say("class \x1b[31mred")
    class <U+001B>[31mred
    """
    print(visible(line), file=sys.stderr if err else sys.stdout)


def console(*, highlight: bool = True, markup: bool = True, soft_wrap: bool = False) -> "Console":
    """Return rich's console for what a command prints.

    Left alone, it would end the command with exit code 1 when its reader stops reading.
    """
    from rich.console import Console

    class Printing(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Printing(highlight=highlight, markup=markup, soft_wrap=soft_wrap)


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
            code = app(arguments, prog_name="imbtext", standalone_mode=False) or 0
            if sys.stdout is not None:
                sys.stdout.flush()  # when Python does it on exit, an error is a traceback
        sys.exit(code)
    except _UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # the help, where a command is missing
            error.show()
            sys.exit(error.exit_code)
        _fail(_usage_message(error))
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
        if isinstance(error, BrokenPipeError) and _has_no_reader():
            sys.exit(0)
        _fail(_message(error))


def _message(error: Exception) -> str:
    """Return the message of an error, with the option that would help where there is one."""
    from imbtext.writing import FolderExistsError

    # Whoever did not import the tables did not raise their error, and need not import them now.
    tables = sys.modules.get("imbtext.tables")
    if tables is not None and isinstance(error, tables.TableError) and error.setting:
        return f"{error.problem}: pass {flag(error.setting, error.value)}"
    if isinstance(error, FolderExistsError):
        return f"{error} with {flag('overwrite', True)}"
    if isinstance(error, MemoryError):
        return f"there is not enough memory ({error or 'no more could be had'})"
    if isinstance(error, OSError) and error.strerror:
        where = "" if error.filename is None else f"{error.filename}: "
        advice = "; free some space or write elsewhere" * (error.errno == errno.ENOSPC)
        return f"{where}{error.strerror}{advice}"
    return str(error) or type(error).__name__


def _usage_message(error: Any) -> str:
    """Return what is wrong with the arguments of a command."""
    if type(error).__name__ == "MissingParameter" and error.param is not None:
        parameter, command = error.param, error.ctx.command_path
        is_option = parameter.param_type_name == "option"
        name = parameter.opts[0] if is_option else ""
        named = f"{name} {parameter.metavar or ''}".strip()
        return f"{command} needs {named}; {command} --help explains it"
    arguments = [] if error.ctx is None else [of.metavar for of in error.ctx.command.params]
    if "unexpected extra argument" in str(error.message) and "IN" in arguments:
        return (
            f"{error.ctx.command_path} reads one IN, and more was given; for several files name "
            "their folder, or a pattern in quotes, such as 'data/*.csv'"
        )
    if type(error).__name__ != "NoSuchOption" or error.ctx is None:
        return str(error.format_message())
    name, command = error.option_name, error.ctx.command_path
    options = (option for parameter in error.ctx.command.params for option in parameter.opts)
    near = nearest(name.strip("-"), (option.strip("-") for option in options))
    meant = f" (did you mean --{near}?)" if near else ""
    return f"{command} has no option {name}{meant}; {command} --help lists its options"


def flag(setting: str, value: object) -> str:
    """Return the option that gives a setting of :mod:`imbtext.tables` this value.

    Examples
    --------
    >>> flag("delimiter", ";"), flag("quotes", False)
    ("--delimiter ';'", '--no-quotes')
    """
    return _FLAGS[setting].format(value)


def _fail(message: str) -> None:
    print(f"imbtext: error: {_one_line(message)}", file=sys.stderr)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:  # Python would try again on exit, complain, and exit with code 120
        _send_nowhere(sys.stdout.fileno())
    sys.exit(2)


def _one_line(message: object) -> str:
    return visible(" ".join(str(message).split()))


def _has_no_reader() -> bool:
    """Return whether whoever read our output has seen enough, as in ``| head -1``.

    What is left to print then goes nowhere, so that Python does not complain on exit.
    """
    if not hasattr(select, "poll"):  # Windows
        return False
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    poll.register(sys.stderr.fileno(), 0)
    broken = [descriptor for descriptor, _ in poll.poll(0)]
    for descriptor in broken:
        _send_nowhere(descriptor)
    return bool(broken)


def _send_nowhere(descriptor: int) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


@contextmanager
def _warnings_in_one_line() -> Iterator[None]:
    def show(message: Warning | str, *_: object, **__: object) -> None:
        print(f"imbtext: warning: {_one_line(message)}", file=sys.stderr)

    with warnings.catch_warnings():
        warnings.showwarning = show
        warnings.simplefilter("always", DataWarning)
        yield


def _never_fail_to_print() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
