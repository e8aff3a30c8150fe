"""Auditing a model on a file: which documents to read, and the result.

The file passes twice: once to be scored, once to take out the documents to read. Only scores and
those documents stay in memory.
"""

import os
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from imbtext._messages import listed
from imbtext.documents._documents import Documents
from imbtext.documents._label_names import find_label, label_name
from imbtext.documents._roles import Roles
from imbtext.files._checking import read_all_times
from imbtext.files._predicting import documents_read_by, roles_read_by
from imbtext.labelling._labels_file import open_edited
from imbtext.progress import progress_bar
from imbtext.quality._model_audit import Audit, AuditResult
from imbtext.quality._model_check import check_period
from imbtext.rare._classifier import RareTextClassifier
from imbtext.tables._batches import TableFile
from imbtext.tables._conversion import write_table
from imbtext.tables._documents import DocumentReader
from imbtext.tables._formats import Layout
from imbtext.tables._opening import name_of_tables, open_tables
from imbtext.writing import check_outputs

_TEXT: Final = "text"
_LABEL: Final = "label"


@dataclass(frozen=True)
class AuditProgress:
    """How far an audit is: what was asked for, what is not yet labelled, and the result.

    `result` is None until every document to read has a label.
    """

    label: str
    n_to_read: int
    n_unlabelled: int
    result: AuditResult | None = None


def audit_file(
    model: RareTextClassifier,
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    budget: int,
    *,
    text: str | Sequence[str] | None = None,
    id_column: str | None = None,
    label: str | None = None,
    classes: Sequence[str] = (),
    time: str | None = None,
    time_format: str | None = None,
    every: str = "week",
    labels: str | os.PathLike[str] | None = None,
    seed: int = 0,
    layout: Layout | None = None,
    quiet: bool = True,
) -> AuditProgress:
    r"""Name documents of a file to read; once they have labels, say how much the model finds.

    `out` is a table with the documents to read and an empty column ``label``. Write the class into
    it, or ``no``, and call the function again. With a larger budget, `out` keeps its labels and
    gets more documents.

    Parameters
    ----------
    model : RareTextClassifier
        A fitted model.
    source : path
        A file, a folder or a pattern, as :func:`oversample_files` reads them. It is read twice.
    out : path
        The table of documents to read; its name tells the format.
    budget : int
        How many documents to read.
    text : str or list of str, optional
        The column of the documents, as for :func:`predict_file`.
    id_column : str, optional
        The column that names the rows; by default they are named by their lines.
    label : str, optional
        Of several classes, the one to audit.
    classes : sequence of str, optional
        The labels that count as the class; by default its name. So does ``yes``.
    time, time_format, every : optional
        The column of dates and so on, as for :func:`check_file`. The result then has recall in each
        period, too.
    labels : path, optional
        A table of labels that were made elsewhere, which are copied into `out`: its first column,
        and ``label``. ``imbtext label`` on the table `out` writes one, if ``--id`` names that first
        column.
    seed : int, default=0
        What decides which documents are read.
    layout, quiet
        As for :func:`oversample_files`.

    Examples
    --------
    >>> import tempfile
    >>> from imbtext import RareTextClassifier
    >>> texts = ["oil price up", "crude oil price"] * 3 + ["rain today", "sun and rain"] * 12
    >>> model = RareTextClassifier(random_state=0).fit(texts, ["oil"] * 6 + ["weather"] * 24)
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "new.csv").write_text("body\n" + "price of oil\nmore rain\n" * 20)
    >>> audit_file(model, folder / "new.csv", folder / "read.csv", 8, text="body").n_unlabelled
    8
    >>> print((folder / "read.csv").read_text().splitlines()[0])
    line,text,label
    """
    roles = replace(roles_read_by(model, text), id=id_column)
    dated = replace(roles, time=time, time_format=time_format)
    check_period(every)
    if label is None and len(model.fitted_.labels) > 1:
        raise ValueError(
            f"the model finds {listed(model.fitted_.labels)}; name the class to audit: label "
            "(--class)"
        )
    named = None if label is None else find_label(label, model.fitted_.labels)
    layout, out = layout or Layout(), Path(out)
    if str(source) == "-":
        raise ValueError("an audit reads its file twice; name a file instead of standard input")
    kind = Layout().for_output(out, Layout("csv"))
    with open_tables(Path(source), layout) as tables, progress_bar(quiet=quiet) as bar:
        check_outputs([out], [table.path for table in tables])
        task = bar.add_task("scoring", total=None)

        def batches() -> Iterator[Documents]:
            reader = DocumentReader(roles)
            for documents in reader.read(tables):
                bar.advance(task, len(documents))
                yield documents_read_by(model, documents)
            if not reader.tally.n_rows:
                raise ValueError(f"{name_of_tables(tables)} has no rows")

        audit = model.audit(batches(), budget, label=named, random_state=seed)
        title = "line" if id_column is None else "id"
        known, shown = dict[str, str](), dict[str, str]()
        if out.exists():
            known, shown = _read_table(out, [title, _TEXT, _LABEL], "-o")
        before = dict(known)
        if labels is not None:
            made, shown_there = _read_table(Path(labels), [title, _LABEL], "--labels")
            known |= {of_row: label for of_row, label in made.items() if label}
            shown |= shown_there
        names, texts = _documents_to_read(tables, roles, audit)
        times = None if time is None else read_all_times(tables, dated)
        source_name = name_of_tables(tables)
    strangers = [name for name in known if name not in set(names)]
    if strangers:
        raise ValueError(
            f"{labels or out} lists {listed(strangers[:3])}, which an audit of {source_name} with "
            f"a budget of {budget} does not name; give the budget it was made with or a larger "
            "one, or name another file with -o"
        )
    _check_texts(labels or out, shown, dict(zip(names, texts, strict=True)), source_name)
    known = {name: known.get(name, "") for name in names}
    if before != known:
        _write(out, kind, title, texts, known)
    n_unlabelled = sum(not label for label in known.values())
    found = label_name(audit.label)
    counted = {"yes", *(classes or [found])}
    answers = counted | {"no", *map(label_name, model.classes_.tolist())}
    given = _as_spelled([*known.values()], answers)
    if not classes:
        _check_labels(out, {*given} - answers - {""}, found)
    result = None
    if not n_unlabelled:
        result = audit.result([label in counted for label in given], times, every)
    return AuditProgress(found, len(names), n_unlabelled, result)


def _documents_to_read(
    tables: Sequence[TableFile], roles: Roles, audit: Audit
) -> tuple[list[str], list[str]]:
    """Return the names and texts of the documents of an audit."""
    wanted, n_before = set(audit.rows.tolist()), 0
    names: list[str] = []
    texts: list[str] = []
    reader = DocumentReader(roles)
    for table in tables:
        file = f"{table.name}:" if len(tables) > 1 and roles.id is None else ""
        for documents in reader.read([table]):
            here = range(len(documents))
            chosen = [row for row in here if n_before + row in wanted]
            names += [f"{file}{(documents.ids or [])[row]}" for row in chosen]
            texts += [str(documents[row]) for row in chosen]
            n_before += len(documents)
    if len(set(names)) < len(names):
        raise ValueError(
            f"documents of {name_of_tables(tables)} share an id; name a column with another id "
            "for each (--id), or none"
        )
    return names, texts


def _check_texts(
    path: str | os.PathLike[str],
    shown: Mapping[str, str],
    texts: Mapping[str, str],
    source_name: str,
) -> None:
    """Raise if a table of documents to read has other texts than the file: it is of another one."""
    others = [
        name
        for name, text in texts.items()
        if name in shown and _letters(shown[name]) != _letters(text)
    ]
    if others:
        raise ValueError(
            f"{path} has another text for {listed(others[:3])} than {source_name} has now; audit "
            "the file that it was made from, or name another file with -o"
        )


def _letters(text: str) -> str:
    """Return letters and digits alone: spreadsheet programs change the rest."""
    return "".join(filter(str.isalnum, text))


def _as_spelled(labels: Sequence[str], answers: Set[str]) -> list[str]:
    """Return labels as the answers are spelled: spreadsheet programs write capital letters."""
    spellings = {answer.casefold(): answer for answer in sorted(answers)}
    return [
        label if label in answers else spellings.get(label.casefold(), label) for label in labels
    ]


def _check_labels(out: Path, unknown: Set[str], label: str) -> None:
    """Raise if a label is neither the class nor another: it would count as another in silence."""
    if unknown:
        raise ValueError(
            f"{out} has the label{'s' * (len(unknown) > 1)} {listed(sorted(unknown))}; write "
            f"{label} or no, or name the labels that count as the class, as classes (--class)"
        )


def _read_table(
    path: Path, columns: Sequence[str], option: str
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the labels in a table of documents, and texts, by what its first column names them."""
    is_csv = Layout().for_output(path, Layout("csv")).format == "csv"
    name, labels, texts = columns[0], dict[str, str](), dict[str, str]()
    with ExitStack() as files:
        if is_csv:
            table = open_edited(path, set(columns).issubset)
        else:
            (table,) = files.enter_context(open_tables(path, Layout()))
        if not set(columns) <= set(table.columns):
            raise ValueError(
                f"{path} is not a table of documents to read: it has no columns "
                f"{' and '.join(columns)}; name another file with {option}"
            )
        text = [_TEXT] if _TEXT in table.columns else []
        for batch in table.batches([name, _LABEL, *text]):
            of_rows = list(map(str, batch.values(name)))
            for of_row, label in zip(of_rows, batch.values(_LABEL), strict=True):
                # A file of several labellers has more than one row for a document.
                shown = "" if label is None else str(label).strip()
                labels[of_row] = shown or labels.get(of_row, "")
            if text:
                texts |= dict(zip(of_rows, map(str, batch.values(_TEXT)), strict=True))
    return labels, texts


def _write(
    out: Path, layout: Layout, title: str, texts: Sequence[str], labels: Mapping[str, str]
) -> None:
    """Write the table: documents that are labelled first, then those to read."""
    rows = sorted(zip(labels, texts, labels.values(), strict=True), key=lambda row: not row[2])
    names, texts, given = zip(*rows, strict=True)
    write_table(out, layout, {title: [*names], _TEXT: [*texts], _LABEL: [*given]})
