"""``imbtext predict``: a file of documents with what a model says of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imbtext.cli import _groups as groups
from imbtext.cli import _learning as learning
from imbtext.cli import _options as options
from imbtext.cli import app
from imbtext.cli._terminal import named_output, say

if TYPE_CHECKING:
    from imbtext.thresholds._expectation import Expectation


@app.command()
def predict(
    model: options.Model,
    source: options.Sources,
    out: Annotated[
        str,  # a path would lose the / at the end of a folder
        typer.Option(
            "--out",
            "-o",
            metavar="OUT",
            callback=options.writable,
            help="The file to write; - is standard output.",
        ),
    ],
    file: groups.FileOptions,
    meaning: groups.EncoderOptions,
    text: options.TextColumnsOfModel = None,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            help="Decide for another metric than the model was trained for, such as "
            "'recall_at_precision(0.9)'.",
            show_default=False,
        ),
    ] = None,
    cost: Annotated[
        str | None,
        typer.Option(
            "--cost",
            metavar="MISS:ALARM",
            help="Decide by what a missed document and a false alarm cost, such as 10:1.",
            show_default=False,
        ),
    ] = None,
    alarms: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Put at most N documents of IN into the class: as many as you can read.",
        ),
    ] = None,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            metavar="LABEL",
            help="Of several classes, move the operating point of this one alone; repeatable.",
            show_default=False,
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Add the words that speak for and against the class.")
    ] = False,
    each_class: Annotated[
        bool,
        typer.Option(
            "--each-class",
            help="Add decision, score, threshold and probability of each class.",
        ),
    ] = False,
    top: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Write only the N most likely documents, the likeliest first."
        ),
    ] = None,
    uncertain: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Write only the N documents most worth labelling next."
        ),
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="COL",
            help="The column that names the rows. Without it, --top and --uncertain add a column "
            "with the line of IN.",
            show_default=False,
        ),
    ] = None,
    prefix: Annotated[
        str, typer.Option(help="Begin the names of the added columns with this.")
    ] = "",
    dask: options.Dask = None,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="With --dask, replace the contents of the folder OUT."),
    ] = False,
    output_format: Annotated[
        str | None,
        typer.Option(
            "--output-format",
            help="The format of OUT: csv, tsv, jsonl, parquet, xlsx, or label-studio, which writes "
            "its tasks. Default: by its name, else as IN.",
        ),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Score new documents with a trained model, or with --top list the likeliest first.

    OUT has the rows of IN with five more columns: decision, score, threshold, probability and
    nothing_known. A score above the threshold puts a document into the class, unless the model
    knows nothing of it. The score is the same in `imbtext show`, and it stays when the threshold
    moves. With more than two classes, decision is one of those whose threshold the document
    exceeds, and the other columns are those of that class. With several labels per document,
    decision lists all of them, and the other columns are those of the class whose threshold the
    document exceeds most.

    The model decides for the metric it was trained for. --metric, --cost and --alarms move its
    threshold, and the command says what to expect there. In a model of several classes they move
    all thresholds, or those of --class.

    Files may be larger than memory. With --dask, OUT is a folder, and workers write a file for each
    part of IN. The command warns you if alarms or known words are far from what the model expects,
    as they are in another kind of text.
    """
    from imbtext.files._predicting import predict_file
    from imbtext.writing import check_output_folder, check_outputs

    inputs = [model, *learning.files_of_encoder(meaning.encoder)]
    if dask is None:
        check_outputs([Path(out)], inputs)
    else:
        check_output_folder(Path(out), inputs)
    classifier = meaning.loaded(model)
    counts = predict_file(
        classifier,
        source,
        out,
        text=text,
        metric=metric,
        cost=cost,
        alarms=alarms,
        label=classes,
        explain=explain,
        each_class=each_class,
        top=top,
        uncertain=uncertain,
        prefix=prefix,
        id_column=id_column,
        layout=file.layout(),
        output_format=output_format,
        pool=groups.cluster(dask),
        overwrite=overwrite,
        quiet=quiet,
    )
    if not quiet:
        listed = _counted(counts, counts.of_classes)
        n = sum(counts.values())
        n_asked = top if top is not None else uncertain
        written = f"{n:,} documents, {listed}"
        if n_asked is not None:
            written = f"wrote {min(n_asked, n):,} of {n:,} documents; in all, {listed}"
        say(f"{named_output(out)}: {written}", err=True)
        if counts.skipped:
            say(f"{counts.skipped}.", err=True)
        if (metric, cost, alarms) != (None, None, None):
            # The scores of documents that a model was tested on are not kept.
            tested = ", measured on training documents" * ("expectation" in classifier.report_)
            say(f"What to expect at this operating point{tested}:", err=True)
            for line in _expectation_lines(counts.expectation):
                say(f"  {line}", err=True)


def _counted(decisions: Mapping[str, int], of_classes: Mapping[str, int]) -> str:
    """Return how many documents each class got; a document of several counts for each of them.

    Examples
    --------
    >>> _counted({"a": 3, "a; b": 2, "": 9}, {"a": 5, "b": 2, "": 9})
    '2 b, 5 a, 9 of no class; 2 are of several classes'
    """
    listed = ", ".join(
        f"{size:,} {_class_in_words(name)}"
        for name, size in sorted(of_classes.items(), key=lambda item: (item[1], item[0]))
    )
    n_several = sum(size for name, size in decisions.items() if name not in of_classes)
    are = "is" if n_several == 1 else "are"
    return f"{listed}; {n_several:,} {are} of several classes" if n_several else listed


def _class_in_words(name: str) -> str:
    if not name:
        return "of no class"
    # A number beside a number would be hard to read.
    return f'of "{name}"' if name[0].isdecimal() else name


def _expectation_lines(expected: "Sequence[Expectation]") -> list[str]:
    """Return sentences of one class, or a table of several."""
    from imbtext.thresholds._expectation import expectation_table

    if len(expected) == 1:
        return expected[0].sentences()
    return [*expectation_table(expected).lines(), "Ranges are 95% intervals."]
