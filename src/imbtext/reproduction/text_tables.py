"""Tables as text: numbers as the paper writes them, CSV, Markdown and the terminal."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl
from polars import selectors
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from imbtext.writing import write_text

# A look for tables with many columns.
NARROW: Final = {"box": SIMPLE_HEAD, "pad_edge": False}


def number(value: float | None, *, signed: bool = False) -> str:
    """Write a number as the paper does: three decimals, no leading zero.

    Examples
    --------
    >>> number(0.6194), number(1.0), number(-0.0123, signed=True), number(None)
    ('.619', '1.000', '-.012', 'NA')
    >>> number(-0.0001, signed=True)
    '+.000'
    """
    if value is None:
        return "NA"
    # Adding zero turns the minus zero that rounding leaves into zero.
    text = f"{round(value, 3) + 0.0:{'+' if signed else ''}.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 0.9995 else text


def distance(difference: float | None) -> str:
    """Write how far a value is from the published one, where there is one."""
    return "" if difference is None else number(difference, signed=True)


def with_interval(row: Mapping[str, Any], mark: str = "") -> str:
    """Write the value of a row, marked, and its interval."""
    return f"{number(row['value'])}{mark} [{number(row['lower'])}, {number(row['upper'])}]"


def write_csv(frame: pl.DataFrame, path: Path) -> None:
    """Write a table as CSV with six significant digits; a table without rows is not written."""
    if not frame.is_empty():
        write_text(frame.with_columns(selectors.float().round_sig_figs(6)).write_csv(), path)


def write_tables(folder: Path, tables: Mapping[str, pl.DataFrame]) -> None:
    """Write tables as CSV into a folder, under their names."""
    for name, frame in tables.items():
        write_csv(frame, folder / f"{name}.csv")


def markdown_rows(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table; a row is its name and a cell for each column."""
    return [
        f"| | {' | '.join(columns)} |",
        f"|---|{'---:|' * len(columns)}",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
    ]


def print_rows(
    console: Console, title: str, columns: Iterable[str], rows: Iterable[Sequence[str]], **look: Any
) -> None:
    """Print a table to the terminal; an empty row begins a section."""
    grid = Table(title=title, title_justify="left", **look)
    grid.add_column("", no_wrap=True)
    for column in columns:
        grid.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        if row:
            grid.add_row(*row)
        else:
            grid.add_section()
    console.print(grid)


def say(console: Console, line: str, **look: Any) -> None:
    """Print a line as it is, however long."""
    console.print(line, highlight=False, soft_wrap=True, **look)
