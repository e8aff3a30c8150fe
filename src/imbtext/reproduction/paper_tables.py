"""The paper's tables for people: in the terminal, in Markdown, in LaTeX.

Each row of a table takes three lines: what this machine got (ranks of the best three behind the
value), what was published, and the difference.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import polars as pl
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from imbtext.reproduction.averages import with_ranks
from imbtext.reproduction.published_values import PUBLISHED_METHODS, ROWS

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
NAMES: Final = {
    ("reuters", "titles"): "Reuters titles",
    ("reuters", "full"): "Reuters full",
    ("huffpost-5fold", "titles"): "HuffPost titles*",
    ("huffpost", "titles"): "HuffPost titles",
    ("huffpost-5fold", "full"): "HuffPost full*",
    ("20newsgroups", "full"): "20Newsgroups",
}
_NOTE: Final = (
    "* Averages of a 5-fold split. Superscripts: the three largest of a row, of our values in our "
    "line and of the published ones in the published line."
)
_NOT_COMPARABLE: Final = (
    "* Averages of a 5-fold split. Only some categories were run: the published values are "
    "averages over all of them and no comparison, so they are left out."
)


@dataclass(frozen=True)
class PaperCell:
    """One cell: our value, the published one, and the ranks of both within their rows."""

    value: float
    published: float | None
    rank: int
    published_rank: int | None


@dataclass(frozen=True)
class TableBlock:
    """The rows of one frequency group at one ratio."""

    frequency: str
    ratio: float
    rows: tuple[tuple[str, dict[str, PaperCell]], ...]

    @property
    def title(self) -> str:
        """Name the group and the ratio."""
        return f"{GROUPS[self.frequency]}, sampling ratio {self.ratio:.0%}"


def blocks(table: pl.DataFrame, metric: str) -> Iterator[TableBlock]:
    """Cut one metric's cells into the blocks of the paper's table."""
    ranked = with_ranks(table.filter(pl.col("metric") == metric))
    published = with_ranks(
        table.filter((pl.col("metric") == metric) & pl.col("published").is_not_null()), "published"
    )
    published_ranks = {
        (r["dataset"], r["text"], r["frequency"], r["ratio"], r["method"]): r["rank"]
        for r in published.iter_rows(named=True)
    }
    for frequency in GROUPS:
        for ratio in sorted(ranked["ratio"].unique()):
            rows = []
            for dataset, text in ROWS:
                part = ranked.filter(
                    (pl.col("dataset") == dataset)
                    & (pl.col("text") == text)
                    & (pl.col("frequency") == frequency)
                    & (pl.col("ratio") == ratio)
                )
                row = {
                    r["method"]: PaperCell(
                        r["value"],
                        r["published"],
                        r["rank"],
                        published_ranks.get((dataset, text, frequency, ratio, r["method"])),
                    )
                    for r in part.iter_rows(named=True)
                }
                if row:
                    rows.append((NAMES[dataset, text], row))
            if rows:
                yield TableBlock(frequency, ratio, tuple(rows))


def metrics_of(table: pl.DataFrame) -> list[str]:
    """Return the metrics present, in the paper's order."""
    present = set(table["metric"].to_list())
    return [metric for metric in PAPER_TITLES if metric in present]


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


def difference(cell: PaperCell) -> str:
    """Write how far our value is from the published one."""
    if cell.published is None:
        return ""
    return number(cell.value - cell.published, signed=True)


def print_tables(table: pl.DataFrame, console: Console, signature: str) -> None:
    """Print every table to the terminal."""
    columns = _columns(table)
    for metric in metrics_of(table):
        for block in blocks(table, metric):
            grid = Table(
                title=f"{PAPER_TITLES[metric]}. {block.title}",
                title_justify="left",
                box=SIMPLE_HEAD,
                pad_edge=False,
            )
            grid.add_column("", no_wrap=True)
            for method in columns:
                grid.add_column(method.replace("(", "\n("), justify="right", no_wrap=True)
            for name, row in block.rows:
                cells = [row.get(method) for method in columns]
                grid.add_row(
                    name,
                    *(_marked(c.value, c.rank, "[bold]{}[/]") if c else "" for c in cells),
                )
                if has_published(table):
                    theirs = (_marked(c.published, c.published_rank) if c else "" for c in cells)
                    grid.add_row("  published", *theirs)
                    grid.add_row("  difference", *(difference(c) if c else "" for c in cells))
            console.print(grid)
    console.print(_note(table), style="dim", highlight=False)
    console.print(signature, style="dim", highlight=False, soft_wrap=True)


def paper_markdown(table: pl.DataFrame, signature: str) -> str:
    """Return every table as Markdown."""
    columns = _columns(table)
    lines: list[str] = []
    for metric in metrics_of(table):
        lines += [f"## {PAPER_TITLES[metric]}", ""]
        for block in blocks(table, metric):
            lines += [f"**{block.title}**", ""]
            lines += [f"| | {' | '.join(columns)} |", f"|---|{'---:|' * len(columns)}"]
            for name, row in block.rows:
                cells = [row.get(method) for method in columns]
                ours = [_marked(c.value, c.rank, "**{}**") if c else "" for c in cells]
                lines.append(f"| {_plain(name)} | {' | '.join(ours)} |")
                if has_published(table):
                    theirs = [_marked(c.published, c.published_rank) if c else "" for c in cells]
                    apart = [difference(c) if c else "" for c in cells]
                    lines.append(f"| *published* | {' | '.join(theirs)} |")
                    lines.append(f"| *difference* | {' | '.join(apart)} |")
            lines.append("")
    return "\n".join([*lines, _plain(_note(table)), "", f"`{signature}`", ""])


def latex(table: pl.DataFrame, signature: str) -> str:
    """Return every table as LaTeX (needs the package booktabs)."""
    columns = _columns(table)
    width = len(columns) + 1
    shown = "ours, published, difference" if has_published(table) else "ours"
    lines: list[str] = [f"% {signature}"]
    for metric in metrics_of(table):
        lines += [
            r"\begin{table}[ht]",
            r"\centering\scriptsize",
            rf"\begin{{tabular}}{{l{'r' * len(columns)}}}",
            r"\toprule",
            " & ".join(["", *columns]) + r" \\",
        ]
        for block in blocks(table, metric):
            lines.append(r"\midrule")
            title = block.title.replace("%", r"\%")
            lines.append(rf"\multicolumn{{{width}}}{{l}}{{\textbf{{{title}}}}} \\")
            for name, row in block.rows:
                cells = [row.get(method) for method in columns]
                ours = [_tex(c.value, c.rank, bold=True) if c else "" for c in cells]
                lines.append(" & ".join([name, *ours]) + r" \\")
                if has_published(table):
                    theirs = [_tex(c.published, c.published_rank) if c else "" for c in cells]
                    apart = [difference(c).replace("-", "$-$") if c else "" for c in cells]
                    lines.append(" & ".join([r"\quad published", *theirs]) + r" \\")
                    lines.append(" & ".join([r"\quad difference", *apart]) + r" \\")
        lines += [
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{PAPER_TITLES[metric]}: {shown}.}}",
            r"\end{table}",
            "",
        ]
    return "\n".join(lines)


def has_published(table: pl.DataFrame) -> bool:
    """Say whether the cells stand beside published values: not where only some categories ran."""
    return table["published"].is_not_null().any()


def _note(table: pl.DataFrame) -> str:
    return _NOTE if has_published(table) else _NOT_COMPARABLE


def _columns(table: pl.DataFrame) -> list[str]:
    present = set(table["method"].to_list())
    return [method for method in PUBLISHED_METHODS if method in present]


_SUPERSCRIPTS: Final = {1: "¹", 2: "²", 3: "³"}


def _marked(value: float | None, rank: int | None, best: str = "{}") -> str:
    mark = _SUPERSCRIPTS.get(rank or 0, "")
    text = number(value) + mark
    return best.format(text) if rank == 1 else text


def _tex(value: float | None, rank: int | None, *, bold: bool = False) -> str:
    text = number(value)
    if rank == 1 and bold:
        text = rf"\textbf{{{text}}}"
    return f"{text}$^{rank}$" if rank in _SUPERSCRIPTS else text


def _plain(text: str) -> str:
    return text.replace("*", r"\*")


def print_summary(table: pl.DataFrame, console: Console) -> None:
    """Print how close the cells are to the published ones."""
    apart = table["difference"].drop_nulls().abs().to_numpy()
    if apart.size:
        console.print(
            f"{apart.size} published cells: mean absolute difference {apart.mean():.4f}, "
            f"{(apart <= 0.02).mean():.1%} within .02, largest {apart.max():.3f}",
            highlight=False,
        )
