"""``imbtext train``: from a file of documents and classes to a model, and what to expect of it."""

import math
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from imbtext.cli import _options as options
from imbtext.cli import app
from imbtext.cli._terminal import say

if TYPE_CHECKING:
    from imbtext.statistics import Interval


@app.command()
def train(
    source: options.Source,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="MODEL", help="Where to write it.")],
    text: options.TextColumn,
    label: options.LabelColumn,
    class_name: Annotated[
        str | None,
        typer.Option(
            "--class", metavar="LABEL", help="Find this class alone. Default: the rarer of two."
        ),
    ] = None,
    metric: options.Metric = "f2",
    features: Annotated[str, typer.Option(help="auto, words, words+pairs or characters.")] = "auto",
    language: options.Language = "english",
    separator: options.LabelSeparator = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = 1,
    dask: options.Dask = None,
    input_format: options.InputFormat = None,
    delimiter: options.Delimiter = None,
    quotes: options.Quotes = True,
    encoding: options.Encoding = "utf-8",
    quiet: options.Quiet = False,
) -> None:
    """Train a model that finds the documents of a rare class, and say what to expect of it.

    What to expect is measured on documents held out in turn, with intervals of 95 %. MODEL holds
    words and numbers, neither documents nor code; imbtext predict reads it.
    """
    from imbtext.rare import RareTextClassifier
    from imbtext.tables import DocumentColumns, Layout, read_documents
    from imbtext.writing import check_outputs

    check_outputs([out], [source])
    columns = DocumentColumns(text, label, separator=separator, several=True)
    layout = Layout(input_format, delimiter, quotes, encoding)
    documents = read_documents(source, columns, layout)
    labels = documents.labels
    if class_name is not None:
        labels = _one_class(labels, class_name)
    model = RareTextClassifier(
        metric,
        features=features,
        language=options.stems_of(language),
        pos_label=class_name,
        random_state=seed,
        n_jobs=options.workers(jobs, dask),
        verbose=not quiet,
    ).fit(documents.texts, labels)
    model.save(out)
    if quiet:
        return
    expected = model.expectation_
    if len(expected) == 1:
        expectation = expected[0]
        n_class, label_text = expectation.n_class, expectation.label
        say(f"Learnt from {len(labels):,} documents, {n_class:,} of them {label_text}.")
        for sentence in expectation.sentences():
            say(sentence)
    else:
        say(f"Learnt from {len(labels):,} documents of {len(expected)} classes.")
        say("  found of 100   alarms right of 100   documents  class")
        for expectation in sorted(
            expected, key=lambda expectation: (expectation.n_class, str(expectation.label))
        ):
            recall, precision = _of_hundred(expectation.recall), _of_hundred(expectation.precision)
            say(f"  {recall:14}{precision:22}{expectation.n_class:>10,}  {expectation.label}")
    predict = ["imbtext", "predict", str(out), "NEW.csv", "-o", "OUT.csv", "--text", text]
    predict += options.reading_options(layout)
    say(f"Wrote {out}. Next: {shlex.join(predict)}")


def _one_class(labels: list[Any], name: str) -> list[str]:
    """Return labels of two classes: `name`, and all that is not."""
    from imbtext.tables import label_named

    sets = [label if isinstance(label, frozenset) else {label} for label in labels]
    name = label_named(name, sorted(set().union(*sets)))
    return [name if name in classes else f"not {name}" for classes in sets]


def _of_hundred(interval: "Interval") -> str:
    if math.isnan(interval.mean):
        return "?"
    return f"{100 * interval.mean:.0f} ({100 * interval.lower:.0f}-{100 * interval.upper:.0f})"
