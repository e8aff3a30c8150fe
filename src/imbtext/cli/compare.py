"""``imbtext compare``: whether oversampling helps on these documents, which method, how much."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from imbtext._progress import progress_bar
from imbtext.cli import app
from imbtext.cli._options import (
    Delimiter,
    Encoding,
    InputFormat,
    Jobs,
    LabelColumnOfFile,
    Quiet,
    Quotes,
    Seed,
    SourceOrEmbedded,
    TextColumnOfFile,
    document_columns,
)
from imbtext.reporting.escaping import visible

if TYPE_CHECKING:
    from imbtext.cli._applying import Source
    from imbtext.comparison import Comparison
    from imbtext.tabular import DocumentColumns, LabelledDocuments, Layout

EMBEDDED_CLASS = "sklearn.linear_model"
_UNITS = {"s": 1, "m": 60, "h": 3600}
_WIDE = 118


@app.command()
def compare(
    source: SourceOrEmbedded = None,
    text: TextColumnOfFile = None,
    label: LabelColumnOfFile = None,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            metavar="LABEL",
            help="The class to find; repeatable. Default: the rarer of two, or every rare one.",
        ),
    ] = None,
    label_separator: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="What separates the labels of a multi-label column."),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(metavar="COL", help="Rows that share a value here are never split up."),
    ] = None,
    group_duplicates: Annotated[
        bool, typer.Option("--group-duplicates", help="Never split up near-duplicates either.")
    ] = False,
    test: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A test file of its own, instead of folds."),
    ] = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES", help="Such as 'ros,emco(0.1),threshold(emco(0.1), f2)'; repeatable."
        ),
    ] = None,
    classifier: Annotated[
        str,
        typer.Option(
            help="linear-svm, logistic-regression, complement-nb, or package.module:Class."
        ),
    ] = "linear-svm",
    metric: Annotated[
        str,
        typer.Option(help="What decides: f1, f2, balanced_accuracy, average_precision, roc_auc."),
    ] = "f1",
    share: Annotated[
        float, typer.Option(help="Share of all documents that oversampling brings a class to.")
    ] = 0.2,
    folds: Annotated[int, typer.Option(help="Folds of the cross-validation.")] = 5,
    repeats: Annotated[int, typer.Option(help="How often the folds are drawn anew.")] = 2,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write an HTML report, one file.")
    ] = None,
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write everything as JSON.")
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the table as CSV; what would be a formula gets an apostrophe.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep finished work here, to go on after a stop."),
    ] = None,
    time_limit: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Begin nothing new after 90, 5m or 1h30m."),
    ] = None,
    seed: Seed = 0,
    jobs: Jobs = 1,
    input_format: InputFormat = None,
    delimiter: Delimiter = None,
    quotes: Quotes = True,
    encoding: Encoding = "utf-8",
    quiet: Quiet = False,
) -> None:
    """Compare what can be done about a rare class, on your own documents, and say what to do.

    Repeated stratified cross-validation; vocabulary, idf, resampling and threshold tuning see the
    training side of each fold alone. Compared are the plain classifier, class weights, a tuned
    threshold, random oversampling, SMOTE, EDA (where WordNet is present), MCO and EMCO.
    """
    from imbtext._files import check_outputs
    from imbtext.tabular import Layout

    limit = None if time_limit is None else parse_time(time_limit)
    outputs = [path for path in (report, json, csv) if path is not None]
    check_outputs(outputs, [source, test])
    if report is not None:
        from imbtext._extras import require

        require("altair", extra="report")
        require("vl_convert", extra="report")
    names = None if methods is None else [name for given in methods for name in split_names(given)]
    columns = document_columns(source, text, label, group, label_separator, several=True)
    layout = Layout(input_format, delimiter, quotes, encoding)
    with progress_bar(quiet=quiet) as bar:
        bar.add_task("reading documents", total=None)
        documents, test_set, origin = _documents(source, columns, layout, test)
        positive = classes or ([EMBEDDED_CLASS] if source is None else None)
    from imbtext import comparison

    found = comparison.compare(
        documents.texts,
        documents.labels,
        methods=names,
        classifier=classifier,
        classes=positive,
        share=share,
        folds=folds,
        repeats=repeats,
        groups=documents.groups,
        group_duplicates=group_duplicates,
        test=test_set,
        metric=metric,
        seed=seed,
        jobs=jobs,
        out=out,
        time_limit=limit,
        verbose=not quiet,
        write_command=None if origin is None else origin.command,
    )
    if json is not None:
        found.to_json(json)
    if csv is not None:
        found.to_csv(csv)
    if report is not None:
        from imbtext.comparison.report import write_report

        write_report(found, report)
    _print(found)
    for path in outputs:
        typer.echo(f"written: {path}")


def _documents(
    source: Path | None, columns: "DocumentColumns | None", layout: "Layout", test: Path | None
) -> "tuple[LabelledDocuments, tuple[list[str], list[Any]] | None, Source | None]":
    from imbtext.cli._applying import Source
    from imbtext.tabular import LabelledDocuments, read_documents

    if source is None or columns is None:
        if test is not None:
            raise ValueError("--test is the test file of another file; name that file too")
        from imbtext.datasets import load_docstrings

        corpus = load_docstrings()
        return LabelledDocuments(list(corpus.texts), list(corpus.labels)), None, None
    documents = read_documents(source, columns, layout)
    test_set = None
    if test is not None:
        held_out = read_documents(test, replace(columns, group=None), layout, least_classes=1)
        test_set = (held_out.texts, held_out.labels)
    return documents, test_set, Source(str(source), columns, layout)


def split_names(text: str) -> list[str]:
    """Split a list of method names at the commas outside parentheses.

    Examples
    --------
    >>> split_names("ros, threshold(emco(0.1), f2)")
    ['ros', 'threshold(emco(0.1), f2)']
    """
    names, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            names.append("")
        else:
            names[-1] += character
    return [name.strip() for name in names if name.strip()]


def parse_time(text: str) -> float:
    """Return the seconds that ``90``, ``5m`` or ``1h30m`` stand for.

    Examples
    --------
    >>> parse_time("90"), parse_time("5m"), parse_time("1h30m")
    (90.0, 300.0, 5400.0)
    """
    given = text.strip().lower()
    if re.fullmatch(r"\d+(\.\d+)?", given):
        return float(given)
    if not re.fullmatch(r"(\d+(\.\d+)?[smh])+", given):
        raise ValueError(f"the time {text!r} cannot be read; write seconds, or 90s, 5m or 1h30m")
    parts = re.findall(r"(\d+(?:\.\d+)?)([smh])", given)
    return sum(float(number) * _UNITS[unit] for number, unit in parts)


def _print(found: "Comparison") -> None:
    from imbtext.comparison._scores import METRIC_NAMES

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=_WIDE)
    metric = found.settings.metric
    others = [name for name in METRIC_NAMES if name != metric]
    if console.width < _WIDE - 20:
        others = ["recall", "precision"]
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("method")
    table.add_column(f"{METRIC_NAMES[metric]} (95 % interval)", justify="right")
    for name in others:
        table.add_column(METRIC_NAMES[name].replace(" ", "\n"), justify="right")
    table.add_column("rows\nadded", justify="right")
    table.add_column("seconds", justify="right")
    for row in found.table().to_dicts():
        interval = f"{_number(row[f'{metric}_lower'])} to {_number(row[f'{metric}_upper'])}"
        chosen = row["method"] == found.recommendation.method
        table.add_row(
            Text(row["method"]),
            f"{_number(row[metric])} ({interval})",
            *(_number(row[name]) for name in others),
            f"{row['rows_added']:.0f}",
            f"{row['seconds']:.2f}",
            style="bold" if chosen else "",
        )
    console.print(Text(_title(found), style="bold"))
    console.print(table)
    advice = found.recommendation
    console.print(Text(visible(advice.headline), style="bold"))
    for line in (advice.reason, advice.gain, advice.trade, advice.others):
        console.print(Text(visible(line)))
    console.print()
    console.print(Text("In Python, with texts, y and new_texts:"))
    for line in advice.snippet.splitlines():
        console.print(Text(f"    {visible(line)}"), soft_wrap=True)
    if advice.command:
        console.print(Text("On the command line:"))
        for line in advice.command.splitlines():
            console.print(Text(f"    {visible(line)}"), soft_wrap=True)
    console.print()
    for warning in found.warnings:
        console.print(Text(f"Note: {visible(warning)}"))
    console.print(Text(visible(found.signature), style="dim"), soft_wrap=True)


def _title(found: "Comparison") -> str:
    settings = found.settings
    n, name = settings.n_documents, settings.classes[0]
    design = (
        f"a test set of {settings.n_test:,} documents"
        if settings.n_test
        else f"{settings.folds} folds, {settings.repeats} times"
    )
    if len(settings.classes) > 1:
        what = f"{len(settings.classes)} classes against the rest, mean over classes"
    else:
        what = f"{visible(name)} ({found.balance.get(name, 0):,} of {n:,} documents)"
    return f"{what}; {settings.classifier}; {design}"


def _number(value: float | None) -> str:
    return "-" if value is None or value != value else f"{value:.3f}"  # noqa: PLR0124
