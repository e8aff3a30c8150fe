"""The command line: argument parsing and printing only, one module per command. Internal."""

from importlib.metadata import version
from typing import Annotated

import typer

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
    from imbtext.cli._running import run

    run(app)


from imbtext.cli import (  # noqa: E402  registers the commands
    compare,  # noqa: F401
    counts,  # noqa: F401
    demo,  # noqa: F401
    oversample,  # noqa: F401
    predict,  # noqa: F401
    reproduce,  # noqa: F401
    train,  # noqa: F401
    vocabulary,  # noqa: F401
)
