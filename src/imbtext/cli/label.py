"""``imbtext label``: find the rare documents by reading few of them."""

import getpass
import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imbtext.cli import _groups as groups
from imbtext.cli import _learning as learning
from imbtext.cli import _options as options
from imbtext.cli import app
from imbtext.cli._terminal import say

if TYPE_CHECKING:
    from imbtext._typing import Record
    from imbtext.documents._documents import Documents
    from imbtext.labelling._session import LabellingSession
    from imbtext.labelling._settings import SessionSettings
    from imbtext.tables._formats import Layout


@app.command()
def label(
    context: typer.Context,
    source: options.Sources,
    file: groups.FileOptions,
    text: options.TextColumnsOfFile = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="LABELS.csv",
            callback=options.named_file,
            help="The labels. If it exists, you continue where you stopped. --train makes a model "
            "and decisions of them.",
            show_default=False,
        ),
    ] = None,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            metavar="LABEL",
            help="A class to find; repeatable. Default: yes, against no.",
            show_default=False,
        ),
    ] = None,
    existing: Annotated[
        str | None,
        typer.Option(
            "--label",
            metavar="COL",
            help="A column with labels that exist already. Labels not named by --class count as "
            "no, and empty cells as unread.",
        ),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="EXPORT",
            help="Start with labels made in another tool: its export (Label Studio, doccano, "
            "Prodigy, Argilla, ASReview, RIS). Documents are found by their text.",
            show_default=False,
        ),
    ] = None,
    words: Annotated[
        list[str] | None,
        typer.Option(
            "--words",
            metavar="WORDS",
            help="Start with documents that have these words, such as 'stolen card'; repeatable. "
            "With several classes: LABEL=WORDS.",
            show_default=False,
        ),
    ] = None,
    example: Annotated[
        list[str] | None,
        typer.Option(
            "--example",
            metavar="TEXT",
            help="Start with documents like this one; repeatable. With several classes: "
            "LABEL=TEXT.",
            show_default=False,
        ),
    ] = None,
    like: Annotated[
        Path | None,
        typer.Option(
            "--like",
            metavar="FILE",
            help="Start with documents like those of the class in another project: its labels, "
            "or the export of another tool (see --from). Its texts need not be in this table.",
            show_default=False,
        ),
    ] = None,
    also: options.Also = None,
    show: Annotated[
        list[str] | None,
        typer.Option(
            "--show",
            metavar="COL",
            help="A column to show beside the document, such as a date; repeatable. Columns of "
            "--also are shown, too.",
            show_default=False,
        ),
    ] = None,
    document_id: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="COL",
            help="The column that names the documents. Default: the row, counted from 0.",
            show_default=False,
        ),
    ] = None,
    labeller: Annotated[
        str | None,
        typer.Option(
            "--labeller",
            metavar="NAME",
            help="Who labels. Default: your name on this machine. Several people open the same "
            "page and give their names there.",
        ),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            metavar="FILE",
            callback=options.named_file,
            help='Where "Train the model" writes it. Default: LABELS.model.',
        ),
    ] = None,
    metric: options.Metric = "f2",
    train: Annotated[
        bool,
        typer.Option(
            "--train",
            help="Train the model on the labels so far, decide on every document that nobody has "
            "read (LABELS.decided.csv), and exit. The page's button does the same.",
        ),
    ] = False,
    simulated: Annotated[
        bool,
        typer.Option(
            "--simulate",
            help="Say how much reading the page would have saved on a file that has all labels in "
            "--label.",
        ),
    ] = False,
    chart: Annotated[
        Path | None,
        typer.Option(
            callback=options.chart_file,
            help="With --simulate, draw what is found against what is read; the name ends in "
            ".html, .svg or .png.",
        ),
    ] = None,
    n_next: Annotated[
        int | None,
        typer.Option(
            "--next",
            metavar="N",
            min=1,
            help="Without a page: write the N documents worth reading next to LABELS.next.csv. "
            "Fill its column decision and repeat the command.",
            show_default=False,
        ),
    ] = None,
    browser: Annotated[
        bool,
        typer.Option(
            "--browser/--no-browser", help="Open the page at once, or only print its address."
        ),
    ] = True,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Where to listen; 0.0.0.0 lets other machines open the page, too.",
        ),
    ] = "127.0.0.1",
    port: options.Port = 0,
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TOKEN",
            envvar="IMBTEXT_TOKEN",
            show_envvar=False,
            help="What the address of the page must contain. Default: the environment variable "
            "IMBTEXT_TOKEN, or a new one each time.",
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            "--encoder",
            metavar="NAME",
            callback=options.encoder_at_hand,
            help="A sentence encoder, so that the order and the model know what a text means: as "
            "for train, or none. Default: minilm if it is installed and the texts are English. "
            "The page encodes the texts while you read.",
            show_default=False,
        ),
    ] = None,
    cache: options.UseCache = True,
    features: Annotated[
        list[str] | None,
        typer.Option(
            "--features",
            metavar="NAMES",
            help="Which terms decide which document comes next: auto (all), words, words+pairs or "
            "characters. Default: auto. If given, the model sees the same.",
            show_default=False,
        ),
    ] = None,
    language: options.Language = "english",
    seed: options.Seed = 0,
    quiet: options.Quiet = False,
) -> None:
    """Label documents on a page that always offers the one most likely to matter.

    A page opens in your browser and shows one document at a time. You label it with a key or a tap.
    Each label is saved at once and improves the choice of the next document. The page says how
    many are left to find and when you can stop. Stop with Ctrl-C. The same command continues, and
    remembers its columns, classes and words.
    """
    if not (simulated or train) and n_next is None:
        options.check_installed("starlette", "label")  # before anything is read or written
    from imbtext.labelling._session import LabellingSession
    from imbtext.labelling._settings import SessionSettings
    from imbtext.metrics import get_goal
    from imbtext.writing import check_outputs

    get_goal(metric)  # refuses an unknown metric now, not when the model is trained
    layout = file.layout()
    if simulated:
        if existing is None or export is not None:
            raise ValueError(
                "--simulate needs the labels in a column; name it with --label, without --from"
            )
        check_outputs([chart], learning.files_of(source))
        settings = SessionSettings(
            text=list(text or []),
            features=groups.split_names(features) or [],
            encoder=encoder or "",
            language=language,
            seed=seed,
        )
        _simulate(
            _read_documents(source, settings, existing, layout),
            existing,
            list(dict.fromkeys(classes or ())),
            chart,
            settings,
            words,
            example,
            cache=cache,
        )
        return
    if chart is not None:
        raise ValueError("--chart draws a simulated review; give --simulate, too")
    inputs = [*learning.files_of(source, export, like), *learning.files_of_encoder(encoder)]
    out, model = _files_to_write(out, model, inputs)
    # None stands for what the session remembers, or else for the default.
    session_options: Record = {
        "text": text,
        "also": also,
        "show": show,
        "id": document_id,
        "classes": None if classes is None else list(dict.fromkeys(classes)),
        "words": words,
        "features": groups.split_names(features),
        "language": language if _is_typed(context, "language") else None,
        "seed": seed if _is_typed(context, "seed") else None,
        "metric": metric if _is_typed(context, "metric") else None,
    }
    now = ("text", "also", "show", "id", "classes", "language")
    settings = SessionSettings.load(out).with_options({name: session_options[name] for name in now})
    session_options |= {
        "encoder": _encoder_to_use(encoder, settings),
        "examples": _examples(example, like, settings.classes),
    }
    documents = _read_documents(source, settings, existing, layout)
    cells = cells_of(documents)
    if also and "all" in also:
        apart = (*settings.text, *settings.show, existing, document_id)
        session_options["also"] = [name for name in cells if name not in apart]
    label_column = cells.pop(existing) if existing else None
    copied = _copied_columns(documents, cells, settings)
    labels = _labels_before(label_column, export, copied, settings, quiet=quiet)
    with LabellingSession(out, copied, labels, cache=cache, **session_options) as session:
        if train:
            _train(session, model, layout, quiet=quiet)
            return
        if not quiet:
            _say_before(session)
        if n_next is not None:
            _write_next(session, out, n_next, labeller or _user_name(), quiet=quiet)
        else:
            from imbtext.web._labelling import LabellingPage

            _prepare(session, quiet=quiet)
            session.encode_in_background()
            page = LabellingPage(
                session,
                name=source.name,
                model=model,
                labeller=labeller or _user_name(),
                train_command=_train_command(source, out, model, layout),
                predict_command=_predict_command(session, model, layout),
            )
            page.serve(
                host=host,
                port=port,
                token=token,
                started=partial(_announce_page, browser=browser),
            )
        counts = session.counts()
    if not quiet:
        say(f"{counts['read']:,} documents read, {counts['found']:,} found. Labels are in {out}.")
        if counts["found"]:
            say(f"Train the model: {_train_command(source, out, model, layout)}")


def _files_to_write(out: Path | None, model: Path | None, inputs: list[Path]) -> tuple[Path, Path]:
    """Return the files for labels and model; neither they nor those beside them are an input."""
    from imbtext.labelling._labels_file import session_files
    from imbtext.records import is_archive
    from imbtext.writing import check_outputs

    if out is None:
        raise ValueError("give the file for the labels with -o, such as -o labels.csv")
    if model is None:
        model = out.with_suffix(".model")
        if model.exists() and not is_archive(model):
            raise ValueError(
                f"{model} is where the model goes, but another program wrote it; name another file "
                "for the model with --model, or for the labels"
            )
    check_outputs([out, model, *session_files(out)], inputs)
    return out, model


def _examples(
    example: list[str] | None, like: Path | None, classes: Sequence[str]
) -> dict[str, list[str]] | None:
    """Return the documents to start from, by class: those typed, and those of another project."""
    from imbtext.labelling._exports import documents_of_classes
    from imbtext.labelling._session import starts_by_class

    by_class = starts_by_class(example or [], classes)
    for name, texts in ({} if like is None else documents_of_classes(like, classes)).items():
        by_class[name] = [*by_class.get(name, []), *texts]
    return {name: texts for name, texts in by_class.items() if texts} or None


def _train_command(source: Path, out: Path, model: Path, layout: "Layout") -> str:
    """Return the command that trains the same model as the page's button."""
    command = ["imbtext", "label", str(source), "-o", str(out), "--train"]
    of_model = [] if model == out.with_suffix(".model") else ["--model", str(model)]
    return shlex.join([*command, *of_model, *groups.reading_options(layout)])


def _labels_before(
    label_column: Sequence[object] | None,
    export: Path | None,
    columns: Mapping[str, Sequence[object]],
    settings: "SessionSettings",
    *,
    quiet: bool,
) -> "list[str | None] | None":
    """Return the labels that a column of the table or the export of another tool has."""
    from imbtext.labelling._exports import labels_of_export
    from imbtext.labelling._session import labels_of_classes

    if export is None:
        return None if label_column is None else labels_of_classes(label_column, settings.classes)
    if label_column is not None:
        raise ValueError("--label and --from both give labels; leave one of them out")
    texts = {name: columns[name] for name in settings.text}
    exported = labels_of_export(export, texts, settings.classes)
    if not quiet:
        for sentence in exported.sentences(export):
            say(sentence)
    return exported.labels


def _write_next(
    session: "LabellingSession", out: Path, n: int, labeller: str, *, quiet: bool
) -> None:
    """Save the decisions of a spreadsheet, and write the next documents to read."""
    from imbtext.labelling._decisions import NO
    from imbtext.labelling._labels_file import next_table_path
    from imbtext.labelling._spreadsheet import save_decisions, write_next

    path = next_table_path(out)
    n_saved = save_decisions(session, path, labeller)
    if n_saved:
        say(f"Saved {n_saved:,} decisions of {path}.")
        for sentence in session.progress().sentences():
            say(sentence)
    _encode(session, quiet=quiet)
    n_written = write_next(session, path, n)
    if not n_written:
        say("There is nothing left to read.")
        return
    choices = ", ".join([*session.classes, NO])
    column = session.file.own_column("decision")
    say(f"Documents to read next, in {path}: {n_written:,}. Write one of {choices} into the column")
    say(f"{column}, and repeat the command.")


def _encoder_to_use(named: str | None, settings: "SessionSettings") -> str:
    """Return the encoder to use: the one named, that of the last session, or the default."""
    from imbtext.features.encoders import is_installed

    is_english = settings.language == "english"
    return named or settings.encoder or ("minilm" if is_english and is_installed() else "")


def _encode(session: "LabellingSession", *, quiet: bool) -> None:
    """Read all documents with the encoder, if there is one."""
    from imbtext.progress import progress_bar

    with progress_bar(quiet=quiet) as bar:
        task = bar.add_task("Encoding texts", total=len(session.texts))
        session.encode(lambda n: bar.advance(task, n))


def _is_typed(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)  # an enumeration that not every typer exports
    return source is not None and source.name == "COMMANDLINE"


def _say_before(session: "LabellingSession") -> None:
    """Print how much is labelled already, and what would save reading."""
    counts = session.counts()
    if counts["read"]:
        say(f"{counts['read']:,} documents are already read, {counts['found']:,} found.")
    if not session.settings.encoder and session.settings.language == "english":
        say(
            "Words alone decide which document comes next. With an encoder, you read fewer: "
            "pip install 'imbalanced-text[label]'"
        )


def _train(session: "LabellingSession", model: Path, layout: "Layout", *, quiet: bool) -> None:
    """Train the model as the page does."""
    _encode(session, quiet=quiet)
    trained = session.train(model)
    if not quiet:
        for sentence in session.what_to_expect(trained):
            say(sentence)
        say(f"Wrote {model}, and what is decided on each document: {session.file.decided}.")
        say(f"New documents: {_predict_command(session, model, layout)}")


def _predict_command(session: "LabellingSession", model: Path, layout: "Layout") -> str:
    """Return the command that gives new documents to the model of a session."""
    from imbtext.features.encoders import ENCODERS
    from imbtext.labelling._settings import NO_ENCODER

    command = ["imbtext", "predict", str(model), "NEW.csv", "-o", "OUT.csv"]
    encoder = session.settings.encoder
    if encoder not in ("", NO_ENCODER, *ENCODERS):  # a model file does not hold it
        command += ["--encoder", encoder]
    return shlex.join([*command, *groups.reading_options(layout)])


def _simulate(
    documents: "Documents",
    label_column: str,
    classes: Sequence[str],
    chart: Path | None,
    settings: "SessionSettings",
    words: list[str] | None,
    examples: list[str] | None,
    *,
    cache: bool,
) -> None:
    """Print how much reading the page would have saved on documents whose labels are known."""
    from imbtext.charts import write_chart
    from imbtext.documents._documents import Documents
    from imbtext.documents._label_names import label_name
    from imbtext.documents._tokenization import is_missing
    from imbtext.features.encoders import get_encoder
    from imbtext.labelling._settings import NO_ENCODER
    from imbtext.labelling._simulation import simulate
    from imbtext.progress import progress_bar
    from imbtext.rare._mixture import vectors_of_meaning

    if len(classes) > 1:
        raise ValueError("--simulate looks for one class; give --class once")
    texts, cells = documents.strings(), cells_of(documents)[label_column]
    labels = [None if is_missing(label) else label_name(label) for label in cells]
    labelled_rows = [row for row, label in enumerate(labels) if label]
    known = Documents.of([texts[row] for row in labelled_rows])
    encoder, name = None, _encoder_to_use(None, settings)
    if name not in ("", NO_ENCODER):
        encoder = get_encoder(name, cache=cache).suited_to(known)
        vectors_of_meaning([encoder], known, verbose=True)
    with progress_bar() as bar:
        task = bar.add_task("Reading", total=len(labelled_rows))
        simulation = simulate(
            known,
            [labels[row] for row in labelled_rows],
            classes[0] if classes else None,
            advance=lambda n: bar.advance(task, n),
            encoder=encoder,
            features=settings.features or None,
            language=groups.stems_of(settings.language),
            random_state=settings.seed,
            words=words or None,
            examples=examples or None,
        )
    for line in simulation.sentences():
        say(line)
    if chart is not None:
        write_chart(simulation.chart(), chart)
        say(f"The chart is in {chart}.")


def _prepare(session: "LabellingSession", *, quiet: bool) -> None:
    """Compile before the first document is shown, so that no decision waits for it."""
    from imbtext.progress import progress_bar

    with progress_bar(quiet=quiet) as bar:
        bar.add_task("Compiling once", total=None)
        session.prepare()


def _announce_page(address: str, *, browser: bool) -> None:
    from imbtext.web._server import open_page

    say(f"The page is at {address}", err=True)
    say("Stop with Ctrl-C; every label is on disk already.", err=True)
    if browser:
        open_page(address)


def _read_documents(
    source: Path, settings: "SessionSettings", label: str | None, layout: "Layout"
) -> "Documents":
    """Read all documents of a table, labelled or not, with the columns beside them."""
    from imbtext.documents._containers import check_names
    from imbtext.documents._roles import Roles
    from imbtext.tables._documents import read_documents

    if not settings.text:
        raise ValueError("say which column holds the documents: --text COL")
    beside = groups.columns_beside(settings.also)
    named = [*settings.show, *([label] if label else [])]
    if beside != "all":
        beside = tuple(dict.fromkeys((*beside, *named)))
    documents = read_documents(source, Roles.of(settings.text, beside, id=settings.id), layout)
    if beside == "all":
        check_names(list(cells_of(documents)), named, str(source))
    return documents


def cells_of(documents: "Documents") -> dict[str, list[object]]:
    """Return the text columns of documents and those beside them; none of a single text column."""
    cells = {str(name): column.to_list() for name, column in documents.fields.items()}
    columns = documents.columns
    return cells if columns is None else cells | columns.to_dict(as_series=False)


def _copied_columns(
    documents: "Documents", cells: Mapping[str, Sequence[object]], settings: "SessionSettings"
) -> Mapping[str, Sequence[object]]:
    """Return the columns that go into the file of the labels."""
    columns = cells or {settings.text[0]: documents.strings()}
    if settings.id is None or settings.id in columns:
        return columns
    return {settings.id: documents.ids or [], **columns}


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container may have a number and no name
        return "me"
