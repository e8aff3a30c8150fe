"""Tables of our own beside the paper's: rankings, intervals, tests, and methods it did not try.

Nothing here was published. The intervals are over categories; a star marks a difference to the
plain SVM that Wilcoxon's paired test, with Holm's correction, puts below 5 %.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import polars as pl
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from imbtext.reproduction.experiments import EXTRA_METHODS
from imbtext.reproduction.paper_tables import GROUPS, NAMES, number
from imbtext.reproduction.published_values import PUBLISHED_METHODS, ROWS

EXTRA_TITLES: Final = {
    "average_precision": "Area under the precision-recall curve (average precision)",
    "roc_auc": "Area under the ROC curve",
    "balanced_accuracy": "Balanced accuracy",
    "f1": "F1-score",
    "f2": "F2-score",
}
# Rankings of all methods; the paper's own measures only where a method is not in its tables.
_RANKINGS: Final = ("average_precision", "roc_auc")
_NOTE: Final = (
    "Ours, not published. In brackets: bootstrap 95 % interval of the average over categories. "
    "* differs from plain SVM: Wilcoxon's paired test over categories, Holm-corrected, p < .05."
)
# Narrow heads, so that thirteen columns fit a terminal.
_HEADS: Final = {
    "EMCO(1)": "EMCO\n(1)",
    "EMCO(0.1)": "EMCO\n(0.1)",
    "class-weight": "class\nweight",
    "threshold(balanced_accuracy)": "tuned\nfor BA",
    "threshold(f2)": "tuned\nfor F2",
}
_COMPARED: Final = ("SVM", *EXTRA_METHODS, "EMCO(1)", "EMCO(0.1)")


def extra_blocks(
    averages: pl.DataFrame, compared: pl.DataFrame
) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield a title, the column names and the rows of text of each table."""
    wanted = {
        metric: (*PUBLISHED_METHODS, *EXTRA_METHODS) if metric in _RANKINGS else _COMPARED
        for metric in EXTRA_TITLES
    }
    starred = compared if compared.is_empty() else compared.filter(reference="SVM")
    yield from blocks(averages, starred, wanted)


def blocks(
    averages: pl.DataFrame, compared: pl.DataFrame, wanted: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield a title, the column names and the rows of text of a table per metric.

    Parameters
    ----------
    averages : polars.DataFrame
        As `averages.intervals` gives them.
    compared : polars.DataFrame
        The comparisons whose differences are starred.
    wanted : mapping of metrics to method names
        The columns of each table.
    """
    key = ("metric", "dataset", "text", "frequency", "ratio", "method")
    sure = [] if compared.is_empty() else compared.filter(pl.col("p_holm") < 0.05).rows(named=True)
    different = {tuple(row[name] for name in key) for row in sure}
    values = {tuple(row[name] for name in key): row for row in averages.iter_rows(named=True)}
    present = set(averages["method"].to_list())
    ratios = sorted(averages["ratio"].unique())
    for metric, methods in wanted.items():
        columns = [method for method in methods if method in present]
        rows = []
        for frequency in GROUPS:
            for ratio in ratios:
                for dataset, text in ROWS:
                    keys = [(metric, dataset, text, frequency, ratio, m) for m in columns]
                    if not any(key in values for key in keys):
                        continue
                    name = f"{NAMES[dataset, text]}, {frequency.replace('_', ' ')}, {ratio:.0%}"
                    rows.append([name, *(_cell(values.get(k), k in different) for k in keys)])
        if rows and len(columns) > 1:
            yield EXTRA_TITLES[metric], columns, rows


def extra_markdown(averages: pl.DataFrame, compared: pl.DataFrame, signature: str) -> str:
    """Return our tables as Markdown."""
    lines = [_NOTE.replace("*", r"\*"), "", *markdown_tables(extra_blocks(averages, compared))]
    return "\n".join([*lines, f"`{signature}`", ""])


def markdown_tables(
    tables: Iterable[tuple[str, list[str], list[list[str]]]],
) -> Iterator[str]:
    """Yield the lines of tables in Markdown, each under its title."""
    for title, columns, rows in tables:
        yield from (f"## {title}", "", f"| | {' | '.join(columns)} |")
        yield f"|---|{'---:|' * len(columns)}"
        yield from ("| " + " | ".join(row).replace("*", r"\*") + " |" for row in rows)
        yield ""


def print_extra(averages: pl.DataFrame, compared: pl.DataFrame, console: Console) -> None:
    """Print our tables to the terminal, without the intervals."""
    for title, columns, rows in extra_blocks(averages, compared):
        grid = Table(
            title=f"Ours: {title}",
            title_justify="left",
            box=SIMPLE_HEAD,
            pad_edge=False,
            padding=(0, 1, 0, 0),
        )
        grid.add_column("", no_wrap=True)
        for column in columns:
            grid.add_column(_HEADS.get(column, column), justify="right", no_wrap=True)
        for name, *cells in rows:
            grid.add_row(name, *(_without_interval(cell) for cell in cells))
        console.print(grid)
    console.print(_NOTE, style="dim", highlight=False, markup=False)


def _cell(row: dict[str, float] | None, starred: bool) -> str:
    if row is None:
        return ""
    star = "*" if starred else ""
    return f"{number(row['value'])}{star} [{number(row['lower'])}, {number(row['upper'])}]"


def _without_interval(cell: str) -> str:
    return cell.split(" [", maxsplit=1)[0]
