"""The command line: argument parsing and printing only, one module a command."""

import sys
from importlib.metadata import version
from typing import Annotated

import typer
from rich.console import Console

app = typer.Typer(
    name="imbtext",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(wanted: bool) -> None:
    if wanted:
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
    try:
        app()
    except (ValueError, TypeError, OSError, ImportError) as error:
        message = " ".join(str(error).split()) or type(error).__name__
        print(f"imbtext: error: {message}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        Console(stderr=True).print("interrupted")
        sys.exit(130)


from imbtext.cli import compare, demo, oversample, reproduce, vocabulary  # noqa: E402, F401  registers the commands
