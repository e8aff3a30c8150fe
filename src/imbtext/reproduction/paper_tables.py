"""The paper's tables for people: in the terminal, in Markdown, in LaTeX.

Each row of a table takes three lines: what this machine got (ranks of the best three behind the
value), what was published, and the difference.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import polars as pl
from rich.console import Console

from imbtext.reproduction.averages import ROW, in_the_papers_order, with_ranks
from imbtext.reproduction.experiments import ROW_TITLES
from imbtext.reproduction.published_values import PUBLISHED_METHODS
from imbtext.reproduction.text_tables import (
    NARROW,
    distance,
    markdown_rows,
    number,
    print_rows,
    say,
)

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
_NOTE: Final = (
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
        """Yield ours, what was published, and the difference."""
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
            print_rows(console, f"{title}. {block}", heads, rows, **NARROW)
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
    shown = "ours, published, difference" if has_published(table) else "ours"
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
            rf"\caption{{{title}: {shown}.}}",
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


def print_summary(table: pl.DataFrame, console: Console) -> None:
    """Print how close the cells are to the published ones."""
    apart = table["difference"].drop_nulls().abs().to_numpy()
    if apart.size:
        console.print(
            f"{apart.size} published cells: mean absolute difference {apart.mean():.4f}, "
            f"{(apart <= 0.02).mean():.1%} within .02, largest {apart.max():.3f}",
            highlight=False,
        )
