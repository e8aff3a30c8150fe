"""``imbtext show``: what is in a model, and what to expect of it."""

from pathlib import Path
from typing import Annotated

import typer

from imbtext.cli import _options as options
from imbtext.cli import app


@app.command()
def show(
    model: options.Model,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="OUT",
            help="The file to write: HTML if its name ends in .html, Markdown if in .md, else "
            "text. Default: print the card.",
            show_default=False,
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option(
            "--page",
            metavar="PAGE",
            help="Write the model as one HTML page that scores texts and CSV files in the browser. "
            "Nothing leaves the machine of whoever opens it.",
            show_default=False,
        ),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write Markdown.")] = False,
) -> None:
    """Show what a model learnt from, what to expect of it, and where its threshold could lie.

    The card has counts and words from the training documents, but none of the documents.
    """
    from imbtext.rare._classifier import RareTextClassifier
    from imbtext.writing import check_outputs, write_text

    check_outputs([out, page], [model])
    loaded = RareTextClassifier.load(model)
    if page is not None:
        write_text(loaded.page(model.name), page)
        if out is None:
            return
    card = loaded.card(model.name)
    if out is None:
        print(card.markdown() if markdown else card.text(), end="")
        return
    form = "markdown" if markdown or out.suffix == ".md" else "text"
    write_text(getattr(card, "html" if out.suffix == ".html" else form)(), out)
