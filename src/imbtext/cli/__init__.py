"""The command line: argument parsing and printing only, one module a command."""

import sys

import typer
from rich.console import Console

app = typer.Typer(
    name="imbtext",
    help="Find the rare class in text: oversample, compare and check the science.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


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
