"""The command line: argument parsing and printing only, one command a module."""

from importlib.metadata import version
from typing import Annotated

import typer

from imbtext.cli._terminal import CommandLine, run

app = CommandLine(
    name="imbtext",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"imbtext {version('imbalanced-text')}")
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
    """Find the rare class in text: oversample, compare and check the science."""


def main() -> None:
    """Run the command line; a mistake of the user's is one line on stderr and exit code 2."""
    run(app)


# Each registers its command.
from imbtext.cli import compare, counts, demo, oversample, predict, reproduce, train, vocabulary  # noqa: E402, F401
