"""``imbtext compare``: which method helps on these documents, and how much."""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from imbtext.cli import _groups as groups
from imbtext.cli import _learning as learning
from imbtext.cli import _options as options
from imbtext.cli import _terminal as terminal
from imbtext.cli import app
from imbtext.cli._compare_terminal import print_comparison

if TYPE_CHECKING:
    from imbtext._typing import Column
    from imbtext.comparison._comparison import Comparison
    from imbtext.comparison._plan import Plan
    from imbtext.documents._documents import Documents
    from imbtext.documents._roles import Roles
    from imbtext.methods._method import Method
    from imbtext.tables._formats import Layout
    from imbtext.tables._rules import LabelRules

EMBEDDED_CLASS: Final = "sklearn.linear_model"
_UNITS: Final = {"": 1, "s": 1, "m": 60, "h": 3600}


@app.command()
def compare(
    given: groups.ColumnOptions,
    kept: groups.LabelOptions,
    file: groups.FileOptions,
    run: groups.RunOptions,
    source: options.SourcesOrEmbedded = None,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            metavar="LABEL",
            help="The class to find; repeatable, with a result for each. Default: the rarer of two "
            "classes, or all rare classes.",
        ),
    ] = None,
    one_class: options.OneClass = False,
    time: options.Time = None,
    time_format: options.TimeFormat = None,
    id_column: options.Id = None,
    test: options.TestFile = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            help="The methods to compare, such as 'ros,emco(0.1),threshold(emco(0.1), f2)'; "
            "repeatable. Default: those named above.",
        ),
    ] = None,
    features: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            callback=options.features_at_hand,
            help="What classifiers see: auto, words, words+pairs, characters, or best, which tries "
            "these and keeps the one that ranks best; repeatable. With auto, RareTextClassifier "
            "sees all three and the other methods see words. --features auto --features meaning "
            "adds vectors of what the words mean.",
            show_default="auto",
        ),
    ] = None,
    language: options.Language = "english",
    classifier: Annotated[
        str,
        typer.Option(
            help="The classifier of every other method: linear-svm, logistic-regression, "
            "complement-nb, or package.module:Class."
        ),
    ] = "linear-svm",
    metric: Annotated[
        str,
        typer.Option(
            help="The metric that decides: f1, f2, balanced_accuracy, 'cost(10, 1)', "
            "'recall_at_precision(0.9)', 'precision_at_recall(0.9)' or "
            "'alarms_per_thousand(5)', as in imbtext train, or average_precision or roc_auc."
        ),
    ] = "f2",
    share: Annotated[
        float,
        typer.Option(help="The share of all documents that oversampling brings the class to."),
    ] = 0.2,
    folds: Annotated[int, typer.Option(help="The number of folds of the cross-validation.")] = 5,
    repeats: Annotated[int, typer.Option(help="How often to draw the folds anew.")] = 2,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a report: one HTML file.")
    ] = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            "--out",
            "-o",
            metavar="OUT",
            help="Write the scores: everything if the name ends in .json, the table if in .csv, "
            "where cells that look like formulas get an apostrophe; repeatable.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep finished work in FOLDER. The same command resumes from there.",
        ),
    ] = None,
    time_limit: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Start nothing new after this time, such as 90, 5m or 1h30m."
        ),
    ] = None,
    dask: options.Dask = None,
) -> None:
    """Find out what works best on your own documents, and how much it would find.

    The command compares a plain classifier with its remedies: class weights, a tuned threshold, and
    words and characters with a tuned threshold. It also tries random oversampling, SMOTE, EDA (if
    WordNet is installed), MCO, EMCO, and RareTextClassifier, which is what imbtext train trains.

    It tests them by repeated, stratified cross-validation. Vocabulary, idf, resampling and
    thresholds are learnt from the training side of each fold only.
    """
    from imbtext.progress import progress_bar
    from imbtext.writing import check_outputs

    limit = None if time_limit is None else parse_time(time_limit)
    outputs = [*(out or ()), *(() if report is None else (report,))]
    for path in out or ():
        if path.suffix.lower() not in (".json", ".csv"):
            raise ValueError(f"-o is {path}; end the name in .json or .csv (--report writes HTML)")
    check_outputs(outputs, learning.files_of(source, test))
    rules, layout = kept.rules(classes_are_named=bool(classes)), file.layout()
    roles = None
    if source is not None:
        roles = given.roles(source, time=time, time_format=time_format, id_column=id_column)
    elif given != groups.ColumnOptions() or time or id_column:
        raise ValueError("--text, --label and other columns describe a file; name the file too")
    if source is None and test is not None:
        raise ValueError("--test needs a training file; name it as IN")
    test_set: tuple[Column, ...] | None = None
    test_documents = None
    with progress_bar(quiet=run.quiet) as bar:
        bar.add_task("reading documents", total=None)
        documents = learning.documents_of_source(
            source, roles, layout, rules, classes, joined=one_class
        )
        learning.warn_of_languages(language, documents.strings())
        class_of_file = learning.class_of_labels_file(source, documents)
        if roles is not None and test is not None:
            test_documents = learning.read_test_documents(test, roles, layout, rules, documents)
            test_documents = _named(test_documents, id_column)
            test_set = test_documents, test_documents.y
        documents = _named(documents, id_column)
    from imbtext import comparison

    default_class = EMBEDDED_CLASS if source is None else class_of_file

    try:
        result = comparison.compare(
            documents,
            documents.y,
            text=given.text,
            columns=given.beside or None,
            unlabelled=rules.unlabelled,
            classes=classes or default_class,
            one_class=one_class,
            methods=groups.split_names(methods),
            features=groups.VectorOptions(features=features).names,
            language=groups.stems_of(language),
            classifier=classifier,
            metric=metric,
            share=share,
            folds=folds,
            repeats=repeats,
            test=test_set,
            random_state=run.seed,
            n_jobs=groups.cluster(dask) or run.jobs,
            out=resume,
            time_limit=limit,
            verbose=not run.quiet,
        )
    except KeyboardInterrupt:
        terminal.say(f"interrupted: {_what_was_kept(resume)}", err=True)
        raise typer.Exit(130) from None
    if source is not None and roles is not None:
        commands = recommended_commands(result, source, roles, rules, layout)
        result = result.with_commands(commands)
    for path in out or ():
        write = result.to_json if path.suffix.lower() == ".json" else result.to_csv
        write(path)
    if report is not None:
        result.report(report)
    print_comparison(result)
    for path in outputs:
        terminal.say(f"written: {path}")


def recommended_commands(
    comparison: "Comparison",
    source: Path,
    roles: "Roles",
    rules: "LabelRules",
    layout: "Layout",
) -> dict[str, str]:
    """Return the commands that apply each recommendation to the file it was made for."""
    plan = comparison.plan
    return {
        name: commands_for(
            advice.method,
            plan,
            source,
            roles,
            rules,
            layout,
            [name] if name in plan.classes else None,
        )
        for name, advice in comparison.recommendations.items()
    }


def commands_for(
    method: str,
    plan: "Plan",
    source: Path,
    roles: "Roles",
    rules: "LabelRules",
    layout: "Layout",
    classes: Sequence[str] | None = None,
) -> str:
    """Return the commands that apply a method to a file, for all classes of the settings or some.

    They write the oversampled training file, or train `RareTextClassifier` and predict. If the
    comparison had several classes, the names of files have the number of their class. The result is
    empty if ``imbtext oversample`` cannot do what was compared: the method writes no documents or
    has other settings, documents have several labels, or several labels were one class.
    """
    from imbtext.methods._registry import get_method

    definition = get_method(method)
    is_rare = definition.family == "rare"
    reading = groups.reading_options(layout)
    if is_rare:
        command, out = "train", "rare{}.model"
        method_options = ["--metric", str(definition.scoring)]
        method_options += ["--features", definition.parameters["features"]]
        encoder = definition.parameters["encoder"]
        method_options += ["--encoder", encoder] if encoder else []
        language = definition.parameters["language"]
        method_options += [] if language == "english" else ["--language", language or "none"]
        for option, column in (
            ("--time", roles.time),
            ("--time-format", roles.time_format),
            ("--group", roles.group),
        ):
            method_options += [] if column is None else [option, str(column)]
        if roles.separator is not None:
            method_options += ["--label-separator", roles.separator]
    else:
        command, out = "oversample", "oversampled{}.csv"
        method_options = _oversampling_options(definition)
        if not method_options or plan.multilabel or plan.joined or len(roles.text) > 1:
            return ""
        method_options += ["--share", f"{plan.share!r}"]
    if rules.unlabelled == "no":
        method_options += ["--unlabelled", "no"]
    for label in rules.ignored:
        method_options += ["--ignore-label", label]
    lines = []
    text_options = [word for name in roles.text for word in ("--text", str(name))]
    for label in plan.classes if classes is None else classes:
        # Each class was compared alone against the rest, so each gets a file of its own.
        number = plan.classes.index(label) + 1
        suffix = "" if len(plan.classes) == 1 else f"-{number}"
        words = ["imbtext", command, str(source), "-o", out.format(suffix)]
        words += [*text_options, "--label", str(roles.label), *reading]
        if is_rare:
            words += [word for name in plan.columns for word in ("--also", str(name))]
        for name in plan.joined or [label]:
            words += ["--class", str(name)]
        words += ["--one-class"] if plan.joined else []
        words += [*method_options, "--seed", str(plan.random_state)]
        lines.append(shlex.join(words))
        if is_rare:
            words = ["imbtext", "predict", out.format(suffix), "new.csv"]
            words += ["-o", f"scored{suffix}.csv", *text_options, *reading]
            lines.append(shlex.join(words))
    return "\n".join(lines)


def _oversampling_options(method: "Method") -> list[str]:
    """Return the options of ``imbtext oversample`` that stand for a method, if any do."""
    from imbtext.methods._registry import get_method

    parameters, family = method.parameters, method.family
    # A file has no place for weights, and the command has no option for the similarity.
    if parameters.get("weight", 1) != 1 or parameters.get("similarity") is not None:
        return []
    if family in ("emco", "mco"):
        gamma = ["--gamma", str(parameters["gamma"])] if family == "emco" else []
        surface = ["--surface"] if parameters["surface"] is True else []
        return ["--method", family, *gamma, *surface]
    plain_eda = family == "eda" and parameters == get_method("eda").parameters
    return ["--method", family] if family == "ros" or plain_eda else []


def _named(documents: "Documents", id_column: str | None) -> "Documents":
    """Return documents that the report calls by their ids, or else by their lines."""
    from imbtext.documents._documents import Documents

    if documents.ids is None or id_column is not None:
        return documents
    return Documents.of(documents, ids=[f"line {line}" for line in documents.ids])


def _what_was_kept(folder: Path | None) -> str:
    from imbtext.comparison._kept_work import STORE_NAME
    from imbtext.store import Store

    if folder is None:
        return "nothing was kept; with --resume FOLDER a stopped comparison can resume"
    path = folder / STORE_NAME
    if not path.exists():
        return f"nothing was finished yet, so nothing is kept in {folder}"
    with Store(path) as store:
        n = len(store.finished())
    return f"{n:,} finished fits are kept in {folder}; the same command resumes from there"


def parse_time(text: str) -> float:
    """Return the seconds that ``90``, ``5m`` or ``1h30m`` stand for.

    Examples
    --------
    >>> parse_time("90"), parse_time("5m"), parse_time("1h30m")
    (90.0, 300.0, 5400.0)
    """
    lowered = text.strip().lower()
    if not re.fullmatch(r"\d+(\.\d+)?|(\d+(\.\d+)?[smh])+", lowered):
        raise ValueError(f"the time {text!r} cannot be read; write seconds, or 90s, 5m or 1h30m")
    parts = re.findall(r"(\d+(?:\.\d+)?)([smh]?)", lowered)
    return sum(float(number) * _UNITS[unit] for number, unit in parts)
