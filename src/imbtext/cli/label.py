"""``imbtext label``: find the rare documents by reading few of them."""

import getpass
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from imbtext.cli import _options as options
from imbtext.cli import app
from imbtext.cli._terminal import say

if TYPE_CHECKING:
    from imbtext.labelling import LabellingSession
    from imbtext.tables import Layout


@app.command()
def label(
    source: options.Source,
    text: options.TextColumns,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="LABELS.csv",
            help="The labels, a table for imbtext train and compare. If it exists, the work goes "
            "on where it ended.",
            show_default=False,
        ),
    ] = None,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            metavar="LABEL",
            help="A class to find; repeatable. Default: yes, against no.",
            show_default=False,
        ),
    ] = None,
    existing: Annotated[
        str | None,
        typer.Option(
            "--label",
            metavar="COL",
            help="A column with the labels that exist already; other labels than those of --class "
            "count as no, empty cells as unread.",
        ),
    ] = None,
    words: Annotated[
        list[str] | None,
        typer.Option(
            "--words",
            metavar="WORDS",
            help="Begin with documents that have these words, such as 'stolen card'; repeatable. "
            "With several classes: LABEL=WORDS.",
            show_default=False,
        ),
    ] = None,
    example: Annotated[
        list[str] | None,
        typer.Option(
            "--example",
            metavar="TEXT",
            help="Begin with documents like this one; repeatable. With several classes: "
            "LABEL=TEXT.",
            show_default=False,
        ),
    ] = None,
    document_id: options.Id = None,
    labeller: Annotated[
        str | None,
        typer.Option(
            "--labeller",
            metavar="NAME",
            help="Who labels. Default: your name on this machine. Several people open the same "
            "page and give their names there.",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            metavar="FILE",
            help='Where "Train the model" writes it. Default: LABELS.model.',
        ),
    ] = None,
    simulated: Annotated[
        bool,
        typer.Option(
            "--simulate",
            help="On a file with all labels in --label: how much reading would have been saved.",
        ),
    ] = False,
    chart: Annotated[
        Path | None,
        typer.Option(
            help="With --simulate, draw what is found against what is read; the name ends in "
            ".html, .svg or .png."
        ),
    ] = None,
    terminal: Annotated[
        bool, typer.Option("--terminal", help="Read and label here, without a browser.")
    ] = False,
    browser: Annotated[
        bool,
        typer.Option(
            "--browser/--no-browser", help="Open the page at once, or only print its address."
        ),
    ] = True,
    host: Annotated[
        str, typer.Option(help="Where to listen; 0.0.0.0 is reached from other machines, too.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port to listen on; 0 takes a free one.")
    ] = 0,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="IMBTEXT_TOKEN",
            help="What the address must contain. Default: a new one each time.",
        ),
    ] = None,
    language: options.Language = "english",
    seed: options.Seed = 0,
    input_format: options.InputFormat = None,
    delimiter: options.Delimiter = None,
    quotes: options.Quotes = True,
    encoding: options.Encoding = "utf-8",
    quiet: options.Quiet = False,
) -> None:
    """Label documents on a page that always offers the one most likely to matter.

    A page opens in your browser: one document at a time, a key or a tap for what it is. Each label
    improves the choice of the next document, and is on disk the moment you give it. The page says
    how many are left to find and when you may stop. Stop with Ctrl-C; the same command goes on.
    """
    from imbtext.labelling import LabellingSession, labels_of_classes
    from imbtext.tables import Layout
    from imbtext.writing import check_outputs

    if simulated:
        if existing is None:
            raise ValueError("--simulate needs the labels; name their column with --label")
        check_outputs([chart], [source])
        layout = Layout(input_format, delimiter, quotes, encoding)
        table = _read(source, text, existing, document_id, layout)
        start = {"words": words or None, "examples": example or None}
        _simulate(
            table,
            options.split_names(classes) or [],
            chart,
            language=options.stems_of(language),
            random_state=seed,
            **start,
        )
        return
    if out is None:
        raise ValueError("give the file for the labels with -o, such as -o labels.csv")
    if chart is not None:
        raise ValueError("--chart draws a simulated review; give --simulate, too")
    model = model or out.with_suffix(".model")
    check_outputs([out, model], [source])
    names = options.split_names(classes) or ["yes"]
    layout = Layout(input_format, delimiter, quotes, encoding)
    table = _read(source, text, existing, document_id, layout)
    name = labeller or _user_name()
    session = LabellingSession(
        out,
        table.cells,
        table.texts,
        labels_of_classes(table.labels, names) if existing else None,
        classes=names,
        words=_by_class(words, names, "--words"),
        examples=_by_class(example, names, "--example"),
        language=options.stems_of(language),
        random_state=seed,
    )
    with session:
        counts = session.counts()
        if counts["read"] and not quiet:
            say(f"{counts['read']:,} documents are read already, {counts['found']:,} found.")
        if terminal:
            from imbtext.cli._label_terminal import label_in_terminal

            label_in_terminal(session, name, model)
        else:
            _open_page(
                session,
                browser=browser,
                name=source.name,
                model=model,
                labeller=name,
                host=host,
                port=port,
                token=token,
            )
        counts = session.counts()
    if not quiet:
        columns = " ".join(f"--text {column}" for column in text)
        say(f"{counts['read']:,} documents read, {counts['found']:,} found. Labels are in {out}.")
        say(f"Next: imbtext train {out} {columns} --label {session.file.label_column} -o {model}")


def _simulate(
    table: "_Table", classes: Sequence[str], chart: Path | None, **options_of_loop: Any
) -> None:
    from imbtext.charts import write_chart
    from imbtext.labelling import simulate
    from imbtext.progress import progress_bar

    if len(classes) > 1:
        raise ValueError("--simulate looks for one class; give --class once")
    labels = [None if label is None else str(label) for label in table.labels]
    known = [row for row, label in enumerate(labels) if label]
    texts = [table.texts[row] for row in known]
    with progress_bar() as bar:
        task = bar.add_task("Reading", total=len(known))
        simulation = simulate(
            texts,
            [labels[row] for row in known],
            classes[0] if classes else None,
            advance=lambda n: bar.advance(task, n),
            **options_of_loop,
        )
    for line in simulation.sentences():
        say(line)
    if chart is not None:
        write_chart(simulation.chart(), chart)
        say(f"The chart is in {chart}.")


def _open_page(session: "LabellingSession", *, browser: bool, **where: Any) -> None:
    from imbtext.web import label_page, open_page

    def started(address: str) -> None:
        say(f"The page is at {address}", err=True)
        say("Stop with Ctrl-C; every label is on disk already.", err=True)
        if browser:
            open_page(address)

    label_page(session, started=started, **where)


@dataclass
class _Table:
    """Documents with what is copied from their table, and the labels that exist already."""

    texts: list[str]
    labels: list[object]
    cells: dict[str, list[str]]


def _read(
    source: Path, text: Sequence[str], label: str | None, document_id: str | None, layout: "Layout"
) -> _Table:
    """Read all documents of a table, labelled or not."""
    from imbtext.tables import DocumentColumns, DocumentReader, input_file, open_table

    columns = list(dict.fromkeys(name for name in (document_id, *text) if name is not None))
    table = _Table([], [], {name: [] for name in columns})
    readers = [DocumentReader(DocumentColumns(name)) for name in text]
    with input_file(source) as file:
        opened = open_table(file, layout, source)
        for reader in readers:
            reader.start(opened)
        wanted = [*columns, *([label] if label is not None else [])]
        opened.check_columns(wanted)
        for batch in opened.batches(wanted):
            if document_id is not None:
                ids = batch.values(document_id)
                table.cells[document_id] += ["" if value is None else str(value) for value in ids]
            parts = [reader.documents(batch).texts for reader in readers]
            for name, texts in zip(text, parts, strict=True):
                table.cells[name] += texts
            table.texts += ["\n".join(filter(None, cells)) for cells in zip(*parts, strict=True)]
            if label is not None:
                table.labels += batch.values(label)
    for reader in readers:
        reader.check()
    return table


def _by_class(
    given: Sequence[str] | None, classes: Sequence[str], option: str
) -> dict[str, list[str]] | None:
    """Return what was given to begin with, by class."""
    if not given:
        return None
    if len(classes) == 1:
        return {classes[0]: list(given)}
    by_class: dict[str, list[str]] = {}
    for one in given:
        name, _, rest = one.partition("=")
        if name not in classes or not rest:
            raise ValueError(
                f"{option} is {one!r}; with several classes say which one is meant, such as "
                f"{option} '{classes[0]}={one}'"
            )
        by_class.setdefault(name, []).append(rest)
    return by_class


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container may have a number and no name
        return "me"
