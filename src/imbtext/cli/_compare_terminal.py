"""What ``imbtext compare`` prints: tables that fit the terminal, and the advice."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from imbtext._messages import visible
from imbtext.cli import _terminal as terminal

if TYPE_CHECKING:
    from rich.console import Console

    from imbtext.comparison._comparison import Comparison

_GAP: Final = "  "
_CHOSEN: Final = "* "

# Columns of words are flush left, those of numbers flush right.
_WORDS: Final = ("method", "class", "advice", "gain is")

# A printed column: its title and one cell per row.
TableColumn = tuple[str, list[str]]


def print_comparison(comparison: "Comparison") -> None:
    """Print tables, advice, snippet, commands and notes.

    The width is the terminal's, or ``COLUMNS`` in a pipe. Tables leave columns out rather than
    break lines or cut names.
    """
    from rich.text import Text

    console = terminal.console(highlight=False, soft_wrap=True)
    _print_text(console, _title(comparison), bold=True)
    console.print()
    if len(comparison.plan.classes) > 1:
        _print_table(console, _class_columns(comparison), marked=None)
        _print_text(console, "Mean over the classes:")
    methods = list(comparison.table()["method"])
    _print_table(
        console, _method_columns(comparison), methods.index(comparison.recommendation.method)
    )
    advice = comparison.recommendation
    _print_text(console, advice.result, bold=True, wrap=True)
    _print_text(console, advice.headline, bold=True, wrap=True)
    for line in (advice.reason, advice.gain, advice.others):
        _print_text(console, line, wrap=True)
    console.print()
    no_command = comparison.has_commands and not advice.command
    only = " (no imbtext command does this)" if no_command else ""
    _print_text(console, f"# In Python, with texts, y and new_texts{only}:")
    _print_text(console, advice.snippet)
    if advice.command:
        console.print()
        _print_text(console, "# On the command line:")
        _print_text(console, advice.command)
    console.print()
    for warning in comparison.warnings:
        _print_text(console, f"Note: {warning}", wrap=True)
    if any(warning.startswith("Left out, ") for warning in comparison.warnings):
        _print_text(console, "To compare these, name them with --class LABEL.", wrap=True)
    console.print(Text(visible(comparison.signature), style="dim"))


def _print_text(console: "Console", text: str, *, bold: bool = False, wrap: bool = False) -> None:
    from rich.text import Text

    for line in text.splitlines() if text else ():
        styled = Text(visible(line), style="bold" if bold else "")
        for part in styled.wrap(console, console.width) if wrap else [styled]:
            part.rstrip()
            console.print(part)


def _print_table(console: "Console", columns: Sequence[TableColumn], marked: int | None) -> None:
    """Print the columns that fit, the first ones first, and mark a row."""
    from rich.text import Text

    fitting: list[tuple[TableColumn, int]] = []
    left = console.width - len(_CHOSEN)
    for title, cells in columns:
        width = max(map(len, [*title.split("\n"), *cells]))
        needed = width + (len(_GAP) if fitting else 0)
        if fitting and needed > left:
            continue
        left -= needed
        fitting.append(((title, cells), width))
    height = max(title.count("\n") + 1 for (title, _), _ in fitting)
    heads = [
        [""] * (height - title.count("\n") - 1) + title.split("\n") for (title, _), _ in fitting
    ]
    rows = [[head[i] for head in heads] for i in range(height)]
    rows += [list(row) for row in zip(*(cells for (_, cells), _ in fitting), strict=True)]
    for number, row in enumerate(rows, start=-height):
        padded = [
            cell.ljust(width) if title in _WORDS else cell.rjust(width)
            for cell, ((title, _), width) in zip(row, fitting, strict=True)
        ]
        mark = _CHOSEN if number == marked else " " * len(_CHOSEN)
        style = "bold" if number == marked else "dim" if number < 0 else ""
        console.print(Text((mark + _GAP.join(padded)).rstrip(), style=style))
    console.print()


def _method_columns(comparison: "Comparison") -> list[TableColumn]:
    metric, titles = comparison.plan.metric, comparison.plan.metric_titles
    rows = comparison.table().to_dicts()
    intervals = [
        f"{_number(r[f'{metric}_lower'])} to {_number(r[f'{metric}_upper'])}" for r in rows
    ]
    columns = [
        ("method", [visible(comparison.title(row["method"])) for row in rows]),
        (_in_lines(titles[metric], 20), [_number(row[metric]) for row in rows]),
        ("95% interval", intervals),
    ]
    others = [name for name in ("recall", "precision") if name != metric]
    others += [name for name in titles if name not in (metric, *others)]
    measures = [
        (titles[name].replace(" ", "\n"), [_number(row[name]) for row in rows]) for name in others
    ]
    costs = [
        ("rows\nadded", [f"{row['rows_added']:.0f}" for row in rows]),
        ("seconds\nper fit", [f"{row['seconds']:.2f}" for row in rows]),
    ]
    return [*columns, *measures[:2], *costs, *measures[2:]]


def _in_lines(title: str, width: int) -> str:
    return "\n".join(textwrap.wrap(title, width))


def _class_columns(comparison: "Comparison") -> list[TableColumn]:
    metric, titles = comparison.plan.metric, comparison.plan.metric_titles
    names = [name for name in comparison.recommendations if name != comparison.overall]
    names.append(comparison.overall)
    chosen = {name: comparison.recommendations[name].method for name in names}
    means = {name: dict(comparison.table(name).select("method", metric).rows()) for name in names}
    plain = comparison.plan.methods[0]
    return [
        ("class", [visible(name) for name in names]),
        ("advice", [visible(comparison.title(chosen[name])) for name in names]),
        (_in_lines(titles[metric], 12), [_number(means[n][chosen[n]]) for n in names]),
        ("plain", [_number(means[name][plain]) for name in names]),
        ("gain is", [comparison.recommendations[name].strength for name in names]),
        ("docu-\nments", [f"{comparison.balance[name]:,}" for name in names[:-1]] + [""]),
    ]


def _title(comparison: "Comparison") -> str:
    plan = comparison.plan
    n, name = plan.n_documents, plan.classes[0]
    times = "once" if plan.repeats == 1 else f"{plan.repeats} times"
    design = (
        f"a test set of {plan.n_test:,} documents"
        if plan.n_test
        else f"{plan.folds} periods, each after what it learnt from"
        if plan.in_time
        else f"{plan.folds} folds, {times}"
    )
    if len(plan.classes) > 1:
        what = f"{len(plan.classes)} classes of {n:,} documents, each against the rest"
    else:
        what = f"{name} ({comparison.balance.get(name, 0):,} of {n:,} documents)"
    return f"{what}; {plan.classifier}; {design}"


def _number(value: float | None) -> str:
    return "-" if value is None or value != value else f"{value:.3f}"  # noqa: PLR0124
