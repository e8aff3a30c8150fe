"""The command line: argument parsing and printing only, one command a module.

A new command also has a line in the table of jobs in ``_help.py``, which is read here. What a
command needs it imports when it runs: help, the version and shell completion answer without
scikit-learn, or even Rich.
"""

from importlib import import_module
from typing import Annotated

import typer

from imbtext import __version__
from imbtext.cli._help import JOBS
from imbtext.cli._terminal import CommandLine, run

app = CommandLine(
    name="imbtext",
    pretty_exceptions_enable=False,
    epilog="Begin with imbtext demo. Then, with a file of your own: "
    "imbtext compare FILE --text COLUMN --label COLUMN --report report.html. "
    "imbtext COMMAND --help explains a command.",
)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"imbtext {__version__}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Find the few documents that matter among the many that do not."""


def main() -> None:
    """Run the command line; a mistake of the user's is one line on stderr and exit code 2."""
    run(app)


# Each registers its command.
for _name in JOBS:
    import_module(f"{__name__}.{_name}")
