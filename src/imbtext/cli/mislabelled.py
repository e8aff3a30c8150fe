"""``imbtext mislabelled``: the labels of a file that are probably wrong."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from imbtext.cli import _groups as groups
from imbtext.cli import _learning as learning
from imbtext.cli import _options as options
from imbtext.cli import app
from imbtext.cli._terminal import named_output, say

if TYPE_CHECKING:
    from imbtext.documents._documents import Documents
    from imbtext.quality._mislabelled import LabelDoubts


@app.command()
def mislabelled(
    source: options.Sources,
    out: options.OutFile,
    given: groups.RequiredColumnOptions,
    kept: groups.LabelOptions,
    vectors: groups.VectorOptions,
    meaning: groups.EncoderOptions,
    file: groups.FileOptions,
    run: groups.RunOptions,
    id_column: options.Id = None,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            metavar="LABEL",
            help="Check only the labels of this class; repeatable. Default: all classes.",
        ),
    ] = None,
    one_class: options.OneClass = False,
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Write the N most doubtful. Default: as many as seem to be wrong.",
        ),
    ] = None,
    output_format: options.OutputFormat = None,
) -> None:
    """List the documents whose label is probably wrong, the most doubtful first.

    Models that have not seen a document or its near-duplicates judge its label. OUT has one row for
    each label in doubt: the line or id of the document, its label, a label that fits better, and
    how doubtful the label is (0 to 1). Then come the words for and against the better label,
    near-duplicates with other labels, and the text.

    Read the documents before you correct anything. Some are only hard, and their labels are right.
    """
    from pyarrow import float64

    from imbtext.quality._mislabelled import mislabelled as find_mislabelled
    from imbtext.tables._conversion import write_table
    from imbtext.tables._documents import read_documents
    from imbtext.tables._formats import Layout
    from imbtext.writing import check_outputs

    encoder = meaning.named()  # refused before the file is read
    inputs = [*learning.files_of(source), *learning.files_of_encoder(meaning.encoder)]
    check_outputs([out], inputs)
    layout = Layout(output_format).for_output(out, Layout("csv"))
    rules = kept.rules(classes_are_named=bool(classes))
    roles = given.roles(source, id_column=id_column)
    documents = read_documents(source, roles, file.layout(), rules)
    learning.warn_of_languages(vectors.language, documents.strings())
    doubts = find_mislabelled(
        documents,
        learning.labels_to_learn(documents.y, classes, one_class=one_class),
        columns=given.beside or None,
        top=top,
        features=vectors.names,
        encoder=encoder,
        language=vectors.stems,
        random_state=run.seed,
        n_jobs=run.jobs,
        verbose=not run.quiet,
    )
    named = "line" if id_column is None else "id"
    write_table(out, layout, _cells(doubts, documents, named), {"doubt": float64()})
    if not run.quiet:
        n, judged = doubts.n_documents, doubts.n_judged
        likely, written = doubts.n_likely, len(doubts)
        seems = "seems" if likely == 1 else "seem"
        which = "the most doubtful" if written == 1 else f"the {written:,} most doubtful"
        them = "it" if written == 1 else "them"
        say(
            f"Judged {judged:,} of {n:,} labels; {likely:,} {seems} to be wrong. "
            f"Wrote {which} to {named_output(out)}; read {them} before you correct {them}.",
            err=True,
        )


def _cells(
    doubts: "LabelDoubts", documents: "Documents", named: str
) -> dict[str, Sequence[object]]:
    """Return the columns to write; the first, `named`, has the documents' lines or ids.

    The column ``copies`` lists near-duplicates with other labels.
    """
    from imbtext.quality._mislabelled import label_in_words

    names = documents.ids or [str(row) for row in range(len(documents))]
    labels, frame = list(map(label_in_words, documents.y)), doubts.to_frame()
    return {
        named: [names[row] for row in frame["row"]],
        "label": [labels[row] for row in frame["row"]],
        "suggested": frame["suggested"].to_list(),
        "doubt": frame["doubt"].round(4).to_list(),
        "words_for": frame["words_for"].to_list(),
        "words_against": frame["words_against"].to_list(),
        "copies": [
            "; ".join(f"{names[row]}: {labels[row]}" for row in doubt.copies) for doubt in doubts
        ],
        "text": [str(documents[row]) for row in frame["row"]],
    }
