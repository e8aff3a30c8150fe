"""``imbtext check``: whether new documents are still the text that a model knows."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imbtext.cli import _groups as groups
from imbtext.cli import _learning as learning
from imbtext.cli import _options as options
from imbtext.cli import app
from imbtext.cli._terminal import say

if TYPE_CHECKING:
    from imbtext.files._auditing import AuditProgress


@app.command()
def check(
    model: options.Model,
    source: options.Sources,
    file: groups.FileOptions,
    meaning: groups.EncoderOptions,
    text: options.TextColumnsOfModel = None,
    label: options.LabelColumnOfFile = None,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            metavar="LABEL",
            help="The label that counts as the class. Default: the name of the class. With "
            "--budget: of several classes, the one to audit.",
            show_default=False,
        ),
    ] = None,
    one_class: options.OneClass = False,
    separator: options.LabelSeparator = None,
    ignore_label: options.IgnoreLabel = None,
    unlabelled: options.Unlabelled = None,
    time: Annotated[
        str | None,
        typer.Option(
            "--time",
            metavar="COL",
            help="The column of dates. The command then compares each period of --every, too.",
        ),
    ] = None,
    time_format: options.TimeFormat = None,
    every: Annotated[
        str, typer.Option("--every", metavar="PERIOD", help="A period: day, week or month.")
    ] = "week",
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget",
            metavar="N",
            min=2,
            help="Audit: name N documents to read. Once they have labels, the command says how "
            "much the model finds now.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="OUT",
            callback=options.named_file,
            help="With --budget: the table of documents to read, for their labels. If it exists, "
            "the audit continues.",
            show_default=False,
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            "--labels",
            metavar="FILE",
            help="With --budget: a table of labels that were made elsewhere, such as by imbtext "
            "label with the table of -o as its input.",
            show_default=False,
        ),
    ] = None,
    id_column: options.Id = None,
    seed: options.Seed = 0,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE", help="Write a report: one HTML file."),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Say whether new documents are still the kind of text that a model knows.

    The command compares alarms, known words, scores, length and everyday words with those of
    held-out documents, and what the texts mean if the model has an encoder. With --label, it also
    compares the model's promises with what came true. It also estimates how many documents are of
    the class. The exit code is 0 if all is as expected and 1 if the documents have drifted. It
    wrongly reports drift for at most 4% of the files from the same source.

    With --budget, the command audits the model instead. It writes documents to read to -o. Write
    the class or no into their column label and repeat the command: it says how much the model
    finds now, with --time also in each period. Repeat it with a larger --budget to read more.
    To label on a page, use imbtext label on that table, with --id line, and give --labels.
    """
    from imbtext.files._auditing import audit_file
    from imbtext.files._checking import check_file
    from imbtext.writing import check_outputs

    if len(classes or ()) > 1 and not one_class:
        raise ValueError(
            "the model finds one class; --one-class counts all labels of --class as that class"
        )
    inputs = [model, *learning.files_of(source), *([] if labels is None else [labels])]
    inputs += learning.files_of_encoder(meaning.encoder)
    check_outputs([report, out], inputs)
    layout = file.layout()
    if budget is not None:
        if out is None:
            raise ValueError("--budget names documents to read; give their table with -o")
        if label is not None:
            raise ValueError(
                "--label is the labels of a check; an audit reads those of -o, so leave it out"
            )
        audited = meaning.loaded(model)
        finds_several = len(audited.fitted_.labels) > 1
        progress = audit_file(
            audited,
            source,
            out,
            budget,
            text=text,
            id_column=id_column,
            label=classes[0] if classes and finds_several else None,
            classes=classes or (),
            time=time,
            time_format=time_format,
            every=every,
            labels=labels,
            seed=seed,
            layout=layout,
            quiet=quiet,
        )
        if report is not None and progress.result is not None:
            progress.result.report(report)
        _say_audit(progress, out)
        return
    if out is not None or labels is not None:
        option = "-o is the table of documents to read in" if out else "--labels has the labels of"
        raise ValueError(f"{option} an audit; give --budget, too")
    result = check_file(
        meaning.loaded(model),
        source,
        text=text,
        label=label,
        classes=classes or (),
        ignore_labels=ignore_label,
        unlabelled=unlabelled,  # type: ignore[arg-type]
        time=time,
        time_format=time_format,
        every=every,
        separator=separator,
        layout=layout,
        quiet=quiet,
    )
    if report is not None:
        result.report(report)
    first, *others = result.sentences
    say(f"{source}: {first}")
    for sentence in others:
        say(sentence)
    if result.drifted:
        raise typer.Exit(1)


def _say_audit(progress: "AuditProgress", out: Path) -> None:
    """Print what to read, or what was found."""
    if progress.result is None:
        n, label = progress.n_unlabelled, progress.label
        them = "the document" if n == 1 else f"the {n:,} documents"
        say(
            f"Read {them} without a label in {out}, and write {label} or no into the column label. "
            "Then repeat the command."
        )
        return
    for sentence in progress.result.sentences():
        say(sentence)
    say("To read more, repeat the command with a larger --budget.")
