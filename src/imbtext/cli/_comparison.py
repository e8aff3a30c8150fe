"""A comparison on the terminal: one line per class and per method, then the advice."""

from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from imbtext._messages import visible
from imbtext.comparison import METRIC_NAMES, Comparison

_GAP: Final = "  "
_CHOSEN: Final = "* "

# Columns of words are flush left, those of numbers flush right.
_WORDS: Final = ("method", "class", "advice", "gain is")

# A column: its title and one cell per row.
Column = tuple[str, list[str]]


def print_comparison(found: Comparison) -> None:
    """Print tables, advice, snippet, commands and notes.

    The width is the terminal's, or ``COLUMNS`` in a pipe. Tables leave columns out rather than
    break lines or cut names.
    """
    console = Console(highlight=False, soft_wrap=True)
    _say(console, _title(found), bold=True)
    console.print()
    if len(found.settings.classes) > 1:
        _print_table(console, _class_columns(found), marked=None)
        _say(console, "Mean over the classes:")
    methods = list(found.table()["method"])
    _print_table(console, _method_columns(found), methods.index(found.recommendation.method))
    advice = found.recommendation
    _say(console, advice.headline, bold=True, wrap=True)
    for line in (advice.reason, advice.gain, advice.trade, advice.others):
        _say(console, line, wrap=True)
    console.print()
    _say(console, "# In Python, with texts, y and new_texts:")
    _say(console, advice.snippet)
    if advice.command:
        console.print()
        _say(console, "# On the command line:")
        _say(console, advice.command)
    console.print()
    for warning in found.warnings:
        _say(console, f"Note: {warning}", wrap=True)
    if any(warning.startswith("Not looked for") for warning in found.warnings):
        _say(console, "Classes are named with --class LABEL, as often as needed.", wrap=True)
    if any("; keep them together to see" in warning for warning in found.warnings):
        _say(console, "Near-duplicates are kept together with --group-duplicates.", wrap=True)
    console.print(Text(visible(found.signature), style="dim"))


def _say(console: Console, text: str, *, bold: bool = False, wrap: bool = False) -> None:
    for line in text.splitlines() if text else ():
        said = Text(visible(line), style="bold" if bold else "")
        for part in said.wrap(console, console.width) if wrap else [said]:
            part.rstrip()
            console.print(part)


def _print_table(console: Console, columns: Sequence[Column], marked: int | None) -> None:
    """Print the columns that fit, the first ones first, and mark a row."""
    shown: list[tuple[Column, int]] = []
    left = console.width - len(_CHOSEN)
    for title, cells in columns:
        width = max(map(len, [*title.split("\n"), *cells]))
        needed = width + (len(_GAP) if shown else 0)
        if shown and needed > left:
            continue
        left -= needed
        shown.append(((title, cells), width))
    height = max(title.count("\n") + 1 for (title, _), _ in shown)
    heads = [[""] * (height - title.count("\n") - 1) + title.split("\n") for (title, _), _ in shown]
    rows = [[head[i] for head in heads] for i in range(height)]
    rows += [list(row) for row in zip(*(cells for (_, cells), _ in shown), strict=True)]
    for number, row in enumerate(rows, start=-height):
        padded = [
            cell.ljust(width) if title in _WORDS else cell.rjust(width)
            for cell, ((title, _), width) in zip(row, shown, strict=True)
        ]
        mark = _CHOSEN if number == marked else " " * len(_CHOSEN)
        style = "bold" if number == marked else "dim" if number < 0 else ""
        console.print(Text((mark + _GAP.join(padded)).rstrip(), style=style))
    console.print()


def _method_columns(found: Comparison) -> list[Column]:
    metric = found.settings.metric
    rows = found.table().to_dicts()
    intervals = [
        f"{_number(r[f'{metric}_lower'])} to {_number(r[f'{metric}_upper'])}" for r in rows
    ]
    columns = [
        ("method", [visible(found.title(row["method"])) for row in rows]),
        (METRIC_NAMES[metric], [_number(row[metric]) for row in rows]),
        ("95 % interval", intervals),
    ]
    others = [name for name in ("recall", "precision") if name != metric]
    others += [name for name in METRIC_NAMES if name not in (metric, *others)]
    measures = [
        (METRIC_NAMES[name].replace(" ", "\n"), [_number(row[name]) for row in rows])
        for name in others
    ]
    costs = [
        ("rows\nadded", [f"{row['rows_added']:.0f}" for row in rows]),
        ("seconds\nper fit", [f"{row['seconds']:.2f}" for row in rows]),
    ]
    return [*columns, *measures[:2], *costs, *measures[2:]]


def _class_columns(found: Comparison) -> list[Column]:
    metric = found.settings.metric
    names = [name for name in found.recommendations if name != found.overall]
    names.append(found.overall)
    chosen = {name: found.recommendations[name].method for name in names}
    means = {name: dict(found.table(name).select("method", metric).rows()) for name in names}
    plain = found.settings.methods[0]
    return [
        ("class", [visible(name) for name in names]),
        ("advice", [visible(found.title(chosen[name])) for name in names]),
        (METRIC_NAMES[metric].replace(" ", "\n"), [_number(means[n][chosen[n]]) for n in names]),
        ("plain", [_number(means[name][plain]) for name in names]),
        ("gain is", [found.recommendations[name].strength for name in names]),
        ("docu-\nments", [f"{found.balance[name]:,}" for name in names[:-1]] + [""]),
    ]


def _title(found: Comparison) -> str:
    settings = found.settings
    n, name = settings.n_documents, settings.classes[0]
    times = "once" if settings.repeats == 1 else f"{settings.repeats} times"
    design = (
        f"a test set of {settings.n_test:,} documents"
        if settings.n_test
        else f"{settings.folds} folds, {times}"
    )
    if len(settings.classes) > 1:
        what = f"{len(settings.classes)} classes of {n:,} documents, each against the rest"
    else:
        what = f"{name} ({found.balance.get(name, 0):,} of {n:,} documents)"
    return f"{what}; {settings.classifier}; {design}"


def _number(value: float | None) -> str:
    return "-" if value is None or value != value else f"{value:.3f}"  # noqa: PLR0124
