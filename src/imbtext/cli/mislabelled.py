"""``imbtext mislabelled``: the labels of a file that are probably wrong."""

from typing import Annotated

import typer

from imbtext.cli import _options as options
from imbtext.cli import _values as values
from imbtext.cli import app
from imbtext.cli._terminal import say


@app.command()
def mislabelled(
    source: options.Sources,
    out: options.OutFile,
    text: options.TextColumns,
    label: options.LabelColumn,
    id_column: options.Id = None,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            metavar="LABEL",
            help="Check only the labels of this class. Several labels count as one class. "
            "Default: all classes.",
        ),
    ] = None,
    also: options.Also = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Write the N most doubtful. Default: as many as seem to be wrong.",
        ),
    ] = None,
    features: options.Features = None,
    language: options.Language = "english",
    separator: options.LabelSeparator = None,
    unlabelled: options.Unlabelled = "skip",
    ignore_label: options.IgnoreLabel = None,
    many_classes: options.ManyClasses = False,
    group: options.Group = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = 1,
    input_format: options.InputFormat = None,
    output_format: options.OutputFormat = None,
    delimiter: options.Delimiter = None,
    quotes: options.Quotes = True,
    encoding: options.Encoding = "utf-8",
    quiet: options.Quiet = False,
) -> None:
    """List the documents whose label is probably wrong, the most doubtful first.

    Models that have not seen a document or its near-duplicates judge its label. OUT has one row for
    each label in doubt: the line or id of the document, its label, a label that fits better, and
    how doubtful the label is (0 to 1). Then come the words for and against the better label,
    near-duplicates with other labels, and the text.

    Read the documents before you correct anything. Some are only hard, and their labels are right.
    """
    from imbtext.files import write_label_doubts
    from imbtext.rare import mislabelled as find_mislabelled
    from imbtext.tables import Layout, read_documents
    from imbtext.writing import check_outputs

    check_outputs([out], values.files_of(source))
    Layout(output_format).for_output(out, Layout("csv"))  # refuses an unknown format at once
    rules = values.label_rules(unlabelled, ignore_label, many_classes=many_classes or bool(classes))
    columns = values.document_columns(
        source,
        text,
        label,
        group,
        separator,
        several=True,
        rules=rules,
        id_column=id_column,
        also=also,
    )
    documents = read_documents(source, columns, Layout(input_format, delimiter, quotes, encoding))
    values.warn_of_languages(language, documents.texts)
    doubts = find_mislabelled(
        documents.content(text[0]),
        values.labels_to_learn(documents.labels, classes),
        text=text if len(text) > 1 or also else None,
        columns=values.columns_beside(also) or None,
        top=top,
        groups=documents.groups,
        features=values.feature_names(features),
        language=values.stems_of(language),
        random_state=seed,
        n_jobs=jobs,
        verbose=not quiet,
    )
    named = "line" if id_column is None else "id"
    write_label_doubts(doubts, documents, out, named=named, output_format=output_format)
    if not quiet:
        n, likely, written = doubts.n_documents, doubts.n_likely, len(doubts)
        seems = "seems" if likely == 1 else "seem"
        which = "the most doubtful" if written == 1 else f"the {written:,} most doubtful"
        them = "it" if written == 1 else "them"
        say(
            f"{likely:,} of {n:,} labels {seems} to be wrong. Wrote {which} to {out}; read {them} "
            f"before you correct {them}.",
            err=True,
        )
