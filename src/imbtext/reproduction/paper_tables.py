"""The paper's tables for people: in the terminal, in Markdown, in LaTeX.

Each row of a table takes three lines: what this machine got (ranks of the best three behind the
value), what was published, and the difference.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

import polars as pl
from rich.console import Console

from imbtext.reproduction.averages import in_the_papers_order, with_ranks
from imbtext.reproduction.published_values import PUBLISHED_METHODS
from imbtext.reproduction.text_tables import NARROW, distance, markdown_rows, number, print_rows

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
    difference: float | None
    rank: int
    published_rank: int | None


_CELL: Final = tuple(field.name for field in fields(PaperCell))


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
    ranked = in_the_papers_order(with_ranks(table.filter(metric=metric)))
    for (frequency, ratio), block in ranked.group_by("frequency", "ratio", maintain_order=True):
        rows = tuple(
            (
                NAMES[str(dataset), str(text)],
                {
                    method: PaperCell(*cell)
                    for method, *cell in row.select("method", *_CELL).iter_rows()
                },
            )
            for (dataset, text), row in block.group_by("dataset", "text", maintain_order=True)
        )
        yield TableBlock(str(frequency), float(str(ratio)), rows)


@dataclass(frozen=True)
class _Style:
    """How one form of the tables writes ranks, the lines below ours and a star in a name."""

    ours: Mapping[int, str]
    published: Mapping[int, str]
    below: str
    star: str = "*"

    def rows(self, block: TableBlock, columns: Sequence[str], alone: bool) -> Iterator[list[str]]:
        """Yield the lines of a block: ours and, unless it stands alone, what was published."""
        for name, row in block.rows:
            cells = [row.get(method) for method in columns]
            ours = (_marked(c.value, c.rank, self.ours) if c else "" for c in cells)
            yield [name.replace("*", self.star), *ours]
            if not alone:
                ranks = self.published
                theirs = (_marked(c.published, c.published_rank, ranks) if c else "" for c in cells)
                yield [self.below.format("published"), *theirs]
                apart = (distance(c.difference) if c else "" for c in cells)
                yield [self.below.format("difference"), *apart]


def _marked(value: float | None, rank: int | None, marks: Mapping[int, str]) -> str:
    return marks.get(rank or 0, "{}").format(number(value))


_SUPERSCRIPTS: Final = {1: "{}¹", 2: "{}²", 3: "{}³"}
_POWERS: Final = {1: "{}$^1$", 2: "{}$^2$", 3: "{}$^3$"}
_TERMINAL: Final = _Style({**_SUPERSCRIPTS, 1: "[bold]{}¹[/]"}, _SUPERSCRIPTS, "  {}")
_MARKDOWN: Final = _Style({**_SUPERSCRIPTS, 1: "**{}¹**"}, _SUPERSCRIPTS, "*{}*", star=r"\*")
_LATEX: Final = _Style({**_POWERS, 1: r"\textbf{{{}}}$^1$"}, _POWERS, r"\quad {}")


def metrics_of(table: pl.DataFrame) -> list[str]:
    """Return the metrics present, in the paper's order."""
    present = set(table["metric"].to_list())
    return [metric for metric in PAPER_TITLES if metric in present]


def print_tables(table: pl.DataFrame, console: Console, signature: str) -> None:
    """Print every table to the terminal."""
    columns = _columns(table)
    heads = [method.replace("(", "\n(") for method in columns]
    for metric in metrics_of(table):
        for block in blocks(table, metric):
            rows = _TERMINAL.rows(block, columns, not has_published(table))
            print_rows(console, f"{PAPER_TITLES[metric]}. {block.title}", heads, rows, **NARROW)
    console.print(_note(table), style="dim", highlight=False)
    console.print(signature, style="dim", highlight=False, soft_wrap=True)


def paper_markdown(table: pl.DataFrame, signature: str) -> str:
    """Return every table as Markdown."""
    columns = _columns(table)
    lines: list[str] = []
    for metric in metrics_of(table):
        lines += [f"## {PAPER_TITLES[metric]}", ""]
        for block in blocks(table, metric):
            rows = _MARKDOWN.rows(block, columns, not has_published(table))
            lines += [f"**{block.title}**", "", *markdown_rows(columns, rows)]
    return "\n".join([*lines, _note(table).replace("*", r"\*"), "", f"`{signature}`", ""])


def latex(table: pl.DataFrame, signature: str) -> str:
    """Return every table as LaTeX (needs the package booktabs)."""
    columns = _columns(table)
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
            title = block.title.replace("%", r"\%")
            lines.append(r"\midrule")
            lines.append(rf"\multicolumn{{{len(columns) + 1}}}{{l}}{{\textbf{{{title}}}}} \\")
            rows = _LATEX.rows(block, columns, not has_published(table))
            lines += [" & ".join(row).replace("-", "$-$") + r" \\" for row in rows]
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


def print_summary(table: pl.DataFrame, console: Console) -> None:
    """Print how close the cells are to the published ones."""
    apart = table["difference"].drop_nulls().abs().to_numpy()
    if apart.size:
        console.print(
            f"{apart.size} published cells: mean absolute difference {apart.mean():.4f}, "
            f"{(apart <= 0.02).mean():.1%} within .02, largest {apart.max():.3f}",
            highlight=False,
        )
