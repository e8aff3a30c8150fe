"""Tables of our own beside the paper's: rankings, intervals, tests, and methods it did not try.

Nothing here was published. The intervals are over categories; a star marks a difference to the
plain SVM that Wilcoxon's paired test, with Holm's correction, puts below 5 %.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import polars as pl
from rich.console import Console

from imbtext.metrics import METRIC_TABLE
from imbtext.reproduction.averages import ROW, in_the_papers_order
from imbtext.reproduction.experiments import EXTRA_METHODS, ROW_TITLES
from imbtext.reproduction.published_values import KEY, PUBLISHED_METHODS
from imbtext.reproduction.text_tables import (
    NARROW,
    markdown_rows,
    number,
    print_rows,
    with_interval,
)

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

    `wanted` names the columns of each table; the differences in `compared` are starred.
    """
    starred = set()
    if not compared.is_empty():
        starred = set(compared.filter(pl.col("p_holm") < 0.05).select(KEY).iter_rows())
    present = set(averages["method"].to_list())
    for metric, methods in wanted.items():
        columns = [method for method in methods if method in present]
        part = averages.filter(pl.col("metric") == metric, pl.col("method").is_in(columns))
        rows = []
        for key, group in in_the_papers_order(part).group_by(*ROW, maintain_order=True):
            dataset, text, frequency, ratio = key
            cells = {}
            for row in group.iter_rows(named=True):
                star = "*" if (metric, *key, row["method"]) in starred else ""
                cells[row["method"]] = with_interval(row, star)
            name = f"{ROW_TITLES[dataset, text]}, {frequency.replace('_', ' ')}, {ratio:.0%}"
            rows.append([name, *(cells.get(method, "") for method in columns)])
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
        yield from (f"## {title}", "")
        yield from (line.replace("*", r"\*") for line in markdown_rows(columns, rows))


def print_extra(averages: pl.DataFrame, compared: pl.DataFrame, console: Console) -> None:
    """Print our tables to the terminal, without the intervals."""
    for title, columns, rows in extra_blocks(averages, compared):
        heads = [_HEADS.get(column, column) for column in columns]
        short = ([cell.split(" [", maxsplit=1)[0] for cell in row] for row in rows)
        print_rows(console, f"Ours: {title}", heads, short, **NARROW, padding=(0, 1, 0, 0))
    console.print(_NOTE, style="dim", highlight=False, markup=False)


def against(
    averages: pl.DataFrame,
    compared: pl.DataFrame,
    method: str,
    reference: str,
    metrics: Iterable[str],
) -> list[str]:
    """Return a phrase per metric: mean gap, rows ahead, rows where the test is sure, and lost."""
    mine, other = (averages.filter(method=name) for name in (method, reference))
    both = mine.join(other, on=["metric", *ROW], suffix="_other")
    phrases = []
    for metric in metrics:
        part = both.filter(metric=metric)
        if part.is_empty():
            continue
        tests = compared.filter(metric=metric, method=method, reference=reference)
        sure = tests.filter(pl.col("p_holm") < 0.05)["mean_difference"]
        gap = float((part["value"] - part["value_other"]).to_numpy().mean())
        phrases.append(
            f"{METRIC_TABLE[metric].title} {number(gap, signed=True)}, ahead in "
            f"{(part['value'] > part['value_other']).sum()} of {part.height} rows (by the paired "
            f"test ahead in {(sure > 0).sum()}, behind in {(sure < 0).sum()})"
        )
    return phrases
