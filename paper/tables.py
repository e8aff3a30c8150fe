"""The tables for people: in the terminal, in Markdown, in LaTeX and as CSV.

Three parts. First how numbers, rows and files are written. Then the paper's tables: each row takes
three lines, what this machine got (ranks of the best three behind the value), what was published,
and the difference. Then tables of our own, which nobody published: rankings, intervals, tests, and
methods the paper did not try. Their intervals are over categories; a star marks a difference to
plain SVM that Wilcoxon's paired test, with Holm's correction, puts below 5%.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import polars as pl
from polars import selectors
from rich.box import HEAVY_HEAD, SIMPLE_HEAD
from rich.console import Console
from rich.padding import PaddingDimensions
from rich.table import Table

from imbtext.metrics import METRIC_TABLE
from imbtext.writing import write_text
from paper.averages import ROW, in_the_papers_order, with_ranks
from paper.experiments import EXTRA_METHODS, ROW_TITLES
from paper.published import KEY, PUBLISHED_METHODS


def number(value: float | None, *, signed: bool = False) -> str:
    """Write a number as the paper does: three decimals, no leading zero.

    Examples
    --------
    >>> number(0.6194), number(1.0), number(-0.0123, signed=True), number(None)
    ('0.619', '1.000', '-0.012', 'NA')
    >>> number(-0.0001, signed=True)
    '+0.000'
    """
    if value is None:
        return "NA"
    # Adding zero turns the minus zero that rounding leaves into zero.
    return f"{round(value, 3) + 0.0:{'+' if signed else ''}.3f}"


def distance(difference: float | None) -> str:
    """Write how far a value is from the published one; nothing where none was published."""
    return "" if difference is None else number(difference, signed=True)


def with_interval(row: Mapping[str, float], mark: str = "") -> str:
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
    console: Console,
    title: str,
    columns: Iterable[str],
    rows: Iterable[Sequence[str]],
    *,
    narrow: bool = False,
    padding: PaddingDimensions = (0, 1),
) -> None:
    """Print a table to the terminal; an empty row begins a section.

    `narrow` leaves out the lines between columns, for tables that have many.
    """
    grid = Table(
        title=title,
        title_justify="left",
        box=SIMPLE_HEAD if narrow else HEAVY_HEAD,
        pad_edge=not narrow,
        padding=padding,
    )
    grid.add_column("", no_wrap=True)
    for column in columns:
        grid.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        if row:
            grid.add_row(*row)
        else:
            grid.add_section()
    console.print(grid)


def say(console: Console, line: str, *, style: str | None = None) -> None:
    """Print a line as it is, however long."""
    console.print(line, highlight=False, soft_wrap=True, style=style)


PAPER_TITLES: Final = {
    "balanced_accuracy": "Average balanced accuracy",
    "f1": "Macro-averaged F1-score",
    "f2": "Macro-averaged F2-score",
    "recall": "Average recall",
    "tnr": "Average true negative rate",
    "precision": "Average precision",
}
GROUPS: Final = {
    "very_low": "Very low frequency categories",
    "low": "Low frequency categories",
}
_PAPER_NOTE: Final = (
    "* Averages of a 5-fold split. Superscripts: the three largest of a row, of our values in our "
    "line and of the published ones in the published line."
)
_NOT_COMPARABLE: Final = (
    "* Averages of a 5-fold split. Only some categories were run: the published values are "
    "averages over all of them and no comparison, so they are left out."
)


@dataclass(frozen=True)
class _Style:
    """How one form of the tables writes ranks, the lines below ours and a star in a name."""

    ours: Mapping[int, str]
    published: Mapping[int, str]
    below: str
    star: str = "*"

    def tables(self, table: pl.DataFrame) -> Iterator[tuple[str, dict[str, list[list[str]]]]]:
        """Yield each measure's title and the lines of each of its groups and ratios."""
        columns, alone = _columns(table), not has_published(table)
        ranked = in_the_papers_order(with_ranks(table))
        for metric, title in PAPER_TITLES.items():
            blocks: dict[str, list[list[str]]] = {}
            for key, row in ranked.filter(metric=metric).group_by(ROW, maintain_order=True):
                dataset, text, frequency, ratio = key
                block = f"{GROUPS[frequency]}, sampling ratio {ratio:.0%}"
                name = ROW_TITLES[dataset, text].replace("*", self.star)
                cells = {cell["method"]: cell for cell in row.iter_rows(named=True)}
                lines = self._lines(name, [cells.get(method) for method in columns])
                blocks.setdefault(block, []).extend(islice(lines, 1 if alone else 3))
            if blocks:
                yield title, blocks

    def _lines(self, name: str, cells: Sequence[dict[str, Any] | None]) -> Iterator[list[str]]:
        """Yield a line for our values, one for the published ones, and one for the differences."""
        yield [name, *(_marked(c, "value", "rank", self.ours) for c in cells)]
        theirs = (_marked(c, "published", "published_rank", self.published) for c in cells)
        yield [self.below.format("published"), *theirs]
        apart = (distance(c["difference"]) if c else "" for c in cells)
        yield [self.below.format("difference"), *apart]


def _marked(cell: dict[str, Any] | None, value: str, rank: str, marks: Mapping[int, str]) -> str:
    return marks.get(cell[rank], "{}").format(number(cell[value])) if cell else ""


_SUPERSCRIPTS: Final = {1: "{}¹", 2: "{}²", 3: "{}³"}
_POWERS: Final = {1: "{}$^1$", 2: "{}$^2$", 3: "{}$^3$"}
_TERMINAL: Final = _Style({**_SUPERSCRIPTS, 1: "[bold]{}¹[/]"}, _SUPERSCRIPTS, "  {}")
_MARKDOWN: Final = _Style({**_SUPERSCRIPTS, 1: "**{}¹**"}, _SUPERSCRIPTS, "*{}*", star=r"\*")
_LATEX: Final = _Style({**_POWERS, 1: r"\textbf{{{}}}$^1$"}, _POWERS, r"\quad {}")


def print_tables(table: pl.DataFrame, console: Console, signature: str) -> None:
    """Print every table to the terminal."""
    heads = [method.replace("(", "\n(") for method in _columns(table)]
    for title, blocks in _TERMINAL.tables(table):
        for block, rows in blocks.items():
            print_rows(console, f"{title}. {block}", heads, rows, narrow=True)
    console.print(_note(table), style="dim", highlight=False)
    say(console, signature, style="dim")


def paper_markdown(table: pl.DataFrame, signature: str) -> str:
    """Return every table as Markdown."""
    lines: list[str] = []
    for title, blocks in _MARKDOWN.tables(table):
        lines += [f"## {title}", ""]
        for block, rows in blocks.items():
            lines += [f"**{block}**", "", *markdown_rows(_columns(table), rows)]
    return "\n".join([*lines, _note(table).replace("*", r"\*"), "", f"`{signature}`", ""])


def latex(table: pl.DataFrame, signature: str) -> str:
    """Return every table as LaTeX (needs the package booktabs)."""
    columns = _columns(table)
    lines_of_a_row = "ours, published, difference" if has_published(table) else "ours"
    lines: list[str] = [f"% {signature}"]
    for title, blocks in _LATEX.tables(table):
        lines += [
            r"\begin{table}[ht]",
            r"\centering\scriptsize",
            rf"\begin{{tabular}}{{l{'r' * len(columns)}}}",
            r"\toprule",
            " & ".join(["", *columns]) + r" \\",
        ]
        for block, rows in blocks.items():
            head = block.replace("%", r"\%")
            lines.append(r"\midrule")
            lines.append(rf"\multicolumn{{{len(columns) + 1}}}{{l}}{{\textbf{{{head}}}}} \\")
            lines += [" & ".join(row).replace("-", "$-$") + r" \\" for row in rows]
        lines += [
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{title}: {lines_of_a_row}.}}",
            r"\end{table}",
            "",
        ]
    return "\n".join(lines)


def has_published(table: pl.DataFrame) -> bool:
    """Return whether published values stand beside ours; they do not if few categories ran."""
    return table["published"].is_not_null().any()


def _note(table: pl.DataFrame) -> str:
    return _PAPER_NOTE if has_published(table) else _NOT_COMPARABLE


def _columns(table: pl.DataFrame) -> list[str]:
    present = set(table["method"].to_list())
    return [method for method in PUBLISHED_METHODS if method in present]


def print_summary(table: pl.DataFrame, console: Console) -> None:
    """Print how close the cells are to the published ones."""
    apart = table["difference"].drop_nulls().abs().to_numpy()
    if apart.size:
        console.print(
            f"{apart.size} published cells: mean absolute difference {apart.mean():.4f}, "
            f"{(apart <= 0.02).mean():.1%} within 0.02, largest {apart.max():.3f}",
            highlight=False,
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
_EXTRA_NOTE: Final = (
    "Ours, not published. In brackets: bootstrap 95% interval of the average over categories. "
    "* differs from plain SVM: Wilcoxon's paired test over categories, Holm-corrected, p < 0.05."
)
# Narrow heads, so that thirteen columns fit a terminal.
_NARROW_HEADS: Final = {
    "EMCO(1)": "EMCO\n(1)",
    "EMCO(0.1)": "EMCO\n(0.1)",
    "class-weight": "class\nweight",
    "threshold(balanced_accuracy)": "tuned\nfor BA",
    "threshold(f2)": "tuned\nfor F2",
}
_COMPARED_METHODS: Final = ("SVM", *EXTRA_METHODS, "EMCO(1)", "EMCO(0.1)")


def extra_blocks(
    averages: pl.DataFrame, compared: pl.DataFrame
) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield a title, the column names and the rows of text of each table."""
    columns = {
        metric: (*PUBLISHED_METHODS, *EXTRA_METHODS) if metric in _RANKINGS else _COMPARED_METHODS
        for metric in EXTRA_TITLES
    }
    starred = compared if compared.is_empty() else compared.filter(reference="SVM")
    yield from blocks(averages, starred, columns)


def blocks(
    averages: pl.DataFrame, compared: pl.DataFrame, methods_by_metric: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield a title, the column names and the rows of text of a table per metric.

    `methods_by_metric` names the columns of each table. A star marks the differences in `compared`
    that the test puts below 5%.
    """
    starred = set()
    if not compared.is_empty():
        starred = set(compared.filter(pl.col("p_holm") < 0.05).select(KEY).iter_rows())
    present = set(averages["method"].to_list())
    for metric, methods in methods_by_metric.items():
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
    lines = [
        _EXTRA_NOTE.replace("*", r"\*"),
        "",
        *markdown_tables(extra_blocks(averages, compared)),
    ]
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
        heads = [_NARROW_HEADS.get(column, column) for column in columns]
        short = ([cell.split(" [", maxsplit=1)[0] for cell in row] for row in rows)
        print_rows(console, f"Ours: {title}", heads, short, narrow=True, padding=(0, 1, 0, 0))
    console.print(_EXTRA_NOTE, style="dim", highlight=False, markup=False)


def against(
    averages: pl.DataFrame,
    compared: pl.DataFrame,
    method: str,
    reference: str,
    metrics: Iterable[str],
) -> list[str]:
    """Return a phrase per metric on how a method does against a reference.

    It gives the mean gap, the rows where the method is ahead, and the rows where the paired test
    puts it ahead and behind.
    """
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
