"""``imbtext compare``: whether oversampling helps on these documents, which method, how much."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from imbtext._progress import progress_bar
from imbtext.cli import app

if TYPE_CHECKING:
    from imbtext.comparison import Comparison

EMBEDDED_CLASS = "sklearn.linear_model"
_UNITS = {"s": 1, "m": 60, "h": 3600}
_WIDE = 118


@app.command()
def compare(
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="IN",
            help="CSV, TSV, JSON lines or Parquet, compressed or not; - is standard input. "
            "Without it, the embedded docstrings corpus.",
            show_default=False,
        ),
    ] = None,
    text: Annotated[
        str | None, typer.Option(metavar="COL", help="The column of the documents.")
    ] = None,
    label: Annotated[
        str | None, typer.Option(metavar="COL", help="The column of the classes.")
    ] = None,
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
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same scores.")] = 0,
    jobs: Annotated[int, typer.Option(help="Processes; -1 is one a core.")] = 1,
    input_format: Annotated[
        str | None, typer.Option("--format", help="Of IN: csv, tsv, jsonl or parquet.")
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(help="What separates cells: ';', 'tab', ...")
    ] = None,
    encoding: Annotated[str, typer.Option(help="Of IN, such as cp1252.")] = "utf-8",
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Compare what can be done about a rare class, on your own documents, and say what to do.

    Repeated stratified cross-validation; vocabulary, idf, resampling and threshold tuning see the
    training side of each fold alone. Compared are the plain classifier, class weights, a tuned
    threshold, random oversampling, SMOTE, EDA (where WordNet is present), MCO and EMCO.
    """
    limit = None if time_limit is None else parse_time(time_limit)
    outputs = [path for path in (report, json, csv) if path is not None]
    _check_outputs(outputs, [path for path in (source, test) if path is not None])
    if report is not None:
        from imbtext._extras import require

        require("altair", extra="report")
        require("vl_convert", extra="report")
    names = None if methods is None else [name for given in methods for name in split_names(given)]
    options = {"file_format": input_format, "delimiter": delimiter, "encoding": encoding}
    with progress_bar(quiet=quiet) as bar:
        bar.add_task("reading documents", total=None)
        texts, y, groups, test_set, positive, origin = _documents(
            source, text, label, label_separator, group, test, classes, options
        )
    from imbtext import comparison

    found = comparison.compare(
        texts,
        y,
        methods=names,
        classifier=classifier,
        positive=positive,
        share=share,
        folds=folds,
        repeats=repeats,
        groups=groups,
        group_duplicates=group_duplicates,
        test=test_set,
        metric=metric,
        seed=seed,
        jobs=jobs,
        out=out,
        time_limit=limit,
        quiet=quiet,
        source=origin,
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
    source: Path | None,
    text: str | None,
    label: str | None,
    separator: str | None,
    group: str | None,
    test: Path | None,
    classes: list[str] | None,
    options: dict[str, Any],
) -> tuple[Any, Any, Any, tuple[Any, Any] | None, Any, Any]:
    from imbtext.comparison._compare import Source

    if source is None:
        if text or label or group or test:
            raise ValueError("--text, --label, --group and --test describe a file; name it first")
        from imbtext.datasets import load_docstrings

        corpus = load_docstrings()
        chosen = classes or [EMBEDDED_CLASS]
        return corpus.texts, corpus.labels, None, None, chosen, Source()
    if text is None or label is None:
        raise ValueError(
            f"say which columns of {source} hold the documents and the classes: --text COL --label "
            "COL"
        )
    columns = [text, label, *([group] if group else [])]
    texts, y, frame = _read(source, columns, separator, options)
    test_set = None
    if test is not None:
        test_texts, test_y, _ = _read(test, [text, label], separator, options)
        test_set = (test_texts, test_y)
    groups = None if group is None else frame[group].cast(str).fill_null("").to_list()
    return texts, y, groups, test_set, classes, Source(str(source), text, label)


def _read(
    path: Path, columns: list[str], separator: str | None, options: dict[str, Any]
) -> tuple[list[str], list[Any], Any]:
    from imbtext.tabular import read_table

    if len(set(columns)) < len(columns):
        raise ValueError(f"--text, --label and --group must be different columns, not {columns}")
    frame = read_table(path, columns, **options)
    if not frame.height:
        raise ValueError(f"{path} has no rows; a comparison needs documents of two classes")
    texts = ["" if value is None else str(value) for value in frame[columns[0]].to_list()]
    y: list[Any] = []
    for row, value in enumerate(frame[columns[1]].to_list(), start=1):
        if separator is not None and (value is None or isinstance(value, str)):
            names = (value or "").split(separator)
            y.append(frozenset(name.strip() for name in names if name.strip()))
        elif value is None or value == "":
            raise ValueError(
                f"row {row} of {path} has no label in the column {columns[1]!r}; remove such rows, "
                "or give --label-separator if documents may have several labels or none"
            )
        else:
            y.append(frozenset(map(str, value)) if isinstance(value, list) else str(value))
    return texts, y, frame


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


def _check_outputs(outputs: list[Path], inputs: list[Path]) -> None:
    """Refuse now what would fail after the work is done."""
    for path in outputs:
        if path.is_dir():
            raise IsADirectoryError(f"cannot write {path}: it is a folder; name a file")
        if not path.parent.is_dir():
            raise FileNotFoundError(
                f"cannot write {path}: the folder {path.parent} does not exist; create it first"
            )
        if not os.access(path.parent, os.W_OK):
            raise PermissionError(f"cannot write {path}: no permission to write in its folder")
        if any(path.resolve() == given.resolve() for given in inputs):
            raise ValueError(f"{path} is both input and output; name another file to write")
    if len({path.resolve() for path in outputs}) < len(outputs):
        raise ValueError("--report, --json and --csv name the same file; name different ones")


def _print(found: "Comparison") -> None:
    from imbtext.comparison._recommend import METRIC_NAMES

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
    console.print(Text(_plain(advice.headline), style="bold"))
    for line in (advice.reason, advice.gain, advice.trade, advice.others):
        console.print(Text(_plain(line)))
    console.print()
    console.print(Text("In Python, with texts, y and new_texts:"))
    for line in advice.snippet.splitlines():
        console.print(Text(f"    {_plain(line)}"), soft_wrap=True)
    if advice.command:
        console.print(Text("On the command line:"))
        console.print(Text(f"    {_plain(advice.command)}"), soft_wrap=True)
    console.print()
    for warning in found.warnings:
        console.print(Text(f"Note: {_plain(warning)}"))
    console.print(Text(_plain(found.signature), style="dim"), soft_wrap=True)


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
        what = f"{_plain(name)} ({found.balance.get(name, 0):,} of {n:,} documents)"
    return f"{what}; {settings.classifier}; {design}"


def _number(value: float | None) -> str:
    return "-" if value is None or value != value else f"{value:.3f}"  # noqa: PLR0124


def _plain(text: str) -> str:
    """Show control characters of labels and file names instead of sending them to the terminal."""
    from imbtext.reporting.escaping import visible

    return visible(text)
