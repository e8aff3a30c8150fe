"""``imbtext predict``: a file of documents in, the same with what a model says of them out."""

from pathlib import Path
from typing import Annotated

import typer

from imbtext.cli import _options as options
from imbtext.cli import app
from imbtext.cli._terminal import say


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="From imbtext train.")],
    source: options.Source,
    out: options.OutFile,
    text: Annotated[
        str | None,
        typer.Option(
            "--text",
            metavar="COL",
            help="The column of the documents. Default: that of the file the model was trained on.",
            show_default=False,
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Add the words that spoke for and against.")
    ] = False,
    top: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Only the N most likely, the likeliest first."),
    ] = None,
    uncertain: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Only the N most worth labelling next."),
    ] = None,
    prefix: Annotated[
        str, typer.Option(help="What the names of the added columns begin with.")
    ] = "",
    input_format: options.InputFormat = None,
    output_format: options.OutputFormat = None,
    delimiter: options.Delimiter = None,
    quotes: options.Quotes = True,
    encoding: options.Encoding = "utf-8",
    quiet: options.Quiet = False,
) -> None:
    """Write the rows of IN to OUT with the decision, score and probability of MODEL.

    A score above 0 is a document put into the class. Of more than two classes, decision is the
    class whose threshold the document exceeds most, and score and probability are that class's; of
    several labels per document, decision lists all, and score and probability are the likeliest's.

    Rows pass through, so files may be larger than memory. Alarms and known words are compared with
    what the model expects; a warning says when they are far off, as they are for another kind of
    text.
    """
    from imbtext.files import predict_file
    from imbtext.rare import RareTextClassifier
    from imbtext.tables import Layout

    counts = predict_file(
        RareTextClassifier.load(model),
        source,
        out,
        text=text,
        explain=explain,
        top=top,
        uncertain=uncertain,
        prefix=prefix,
        layout=Layout(input_format, delimiter, quotes, encoding),
        output_format=output_format,
        quiet=quiet,
    )
    if not quiet:
        listed = ", ".join(
            f"{size:,} {name or 'of no class'}"
            for name, size in sorted(counts.items(), key=lambda item: (item[1], item[0]))
        )
        n = sum(counts.values())
        n_asked = top if top is not None else uncertain
        chosen = "" if n_asked is None else f"{min(n_asked, n):,} of "
        say(f"{out}: {chosen}{n:,} documents, {listed}", err=True)
