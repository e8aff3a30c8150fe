"""``imbtext check``: whether new documents are still the text that a model knows."""

from pathlib import Path
from typing import Annotated

import typer

from imbtext.cli import _options as options
from imbtext.cli import _values as values
from imbtext.cli import app
from imbtext.cli._terminal import say


@app.command()
def check(
    model: options.Model,
    source: options.Sources,
    text: options.TextColumnsOfModel = None,
    label: options.LabelColumnOfFile = None,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            metavar="LABEL",
            help="The label that counts as the class; repeatable. Default: the name of the class.",
            show_default=False,
        ),
    ] = None,
    separator: options.LabelSeparator = None,
    ignore_label: options.IgnoreLabel = None,
    time: Annotated[
        str | None,
        typer.Option(
            "--time",
            metavar="COL",
            help="The column of dates. The command then compares each period of --every, too.",
        ),
    ] = None,
    every: Annotated[
        str, typer.Option("--every", metavar="PERIOD", help="A period: day, week or month.")
    ] = "week",
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE", help="Write a report: one HTML file."),
    ] = None,
    input_format: options.InputFormat = None,
    delimiter: options.Delimiter = None,
    quotes: options.Quotes = True,
    encoding: options.Encoding = "utf-8",
    quiet: options.Quiet = False,
) -> None:
    """Say whether new documents are still the kind of text that a model knows.

    The command compares alarms, known words, scores, length and everyday words with those of
    held-out documents. With --label, it also compares the model's promises with what came true. It
    prints one line. The exit code is 0 if all is as expected and 1 if the documents have drifted.
    It wrongly reports drift for at most 4% of the files from the same source.
    """
    from imbtext.files import check_file
    from imbtext.rare import RareTextClassifier
    from imbtext.tables import Layout
    from imbtext.writing import check_outputs

    check_outputs([report], [model, *values.files_of(source)])
    result = check_file(
        RareTextClassifier.load(model),
        source,
        text=text,
        label=label,
        classes=classes or (),
        ignore_labels=ignore_label,
        time=time,
        every=every,
        separator=separator,
        layout=Layout(input_format, delimiter, quotes, encoding),
        quiet=quiet,
    )
    if report is not None:
        result.report(report)
    say(f"{source}: {result.sentence}")
    if result.drifted:
        raise typer.Exit(1)
