"""Checking whether files are still the kind of text that a model knows."""

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from imbtext._messages import did_you_mean, listed, warn_user
from imbtext._typing import Array
from imbtext.documents._label_names import is_no_label, label_name, look_alikes, placeholders
from imbtext.documents._labels import Unlabelled, several_labels
from imbtext.documents._periods import read_times
from imbtext.documents._roles import Roles
from imbtext.files._predicting import documents_read_by, roles_read_by
from imbtext.progress import progress_bar
from imbtext.quality._check import Checking
from imbtext.quality._model_check import ModelCheck
from imbtext.rare._classifier import RareTextClassifier
from imbtext.tables._batches import Batch, TableFile
from imbtext.tables._documents import DocumentReader
from imbtext.tables._errors import TableError, TableWarning
from imbtext.tables._formats import Layout
from imbtext.tables._opening import name_of_tables, open_tables


def check_file(
    model: RareTextClassifier,
    source: str | os.PathLike[str],
    *,
    text: str | Sequence[str] | None = None,
    label: str | None = None,
    classes: Sequence[str] = (),
    ignore_labels: str | Sequence[str] | None = None,
    unlabelled: Unlabelled | None = None,
    time: str | None = None,
    time_format: str | None = None,
    every: str = "week",
    separator: str | None = None,
    layout: Layout | None = None,
    quiet: bool = True,
) -> ModelCheck:
    r"""Check whether the documents of files are still the text that a model knows.

    Rows pass through in batches, so the files may be larger than memory.

    Parameters
    ----------
    model : RareTextClassifier
        A fitted model.
    source : path
        A file, a folder or a pattern, as :func:`oversample_files` reads them; ``"-"`` is standard
        input.
    text : str or list of str, optional
        The column of the documents, as for :func:`predict_file`.
    label : str, optional
        The column of the classes, if you know them; cells may be empty, see `unlabelled`.
    classes : sequence of str, optional
        The labels that count as the class; by default the name of the class.
    ignore_labels : str or sequence of str, optional
        Labels that mean that the class is not known, such as ``"n/a"``. Rows with such a label are
        left out, also if they have other labels too. By default those of ``model.ignore_labels``,
        which a model from a file does not have.
    unlabelled : {"skip", "refuse", "no"}, optional
        Whether the class of a row without a label is not known, or such a row is an error, or it
        counts as outside every class. By default it is not known; with a separator, an empty cell
        is a set without labels.
    time : str, optional
        The column of dates. Alarms and known words are then compared in each period, too.
    time_format : str, optional
        How the dates are written, as ``strptime`` takes it; by default the usual forms are read.
    every : {"day", "week", "month"}, default="week"
        How long a period is.
    separator : str, optional
        What separates the classes in a cell, if a document may have several.
    layout, quiet
        As for :func:`oversample_files`.

    Examples
    --------
    >>> import tempfile
    >>> from imbtext import RareTextClassifier
    >>> texts = ["oil price up", "crude oil price"] * 3 + ["rain today", "sun and rain"] * 12
    >>> model = RareTextClassifier(random_state=0).fit(texts, ["oil"] * 6 + ["weather"] * 24)
    >>> path = Path(tempfile.mkdtemp()) / "new.csv"
    >>> _ = path.write_text("body\n" + "Regen und Sonne\n" * 60)
    >>> check_file(model, path, text="body").drifted
    True
    """
    roles = replace(roles_read_by(model, text), time=time, time_format=time_format)
    if ignore_labels is not None and label is None:
        raise ValueError("to ignore labels, name their column: label (--label)")
    if unlabelled is not None and label is None:
        raise ValueError("unlabelled is about labels; name their column: label (--label)")
    ignored = model.ignore_labels if ignore_labels is None else ignore_labels
    checking = Checking(model.fitted_, every, classes, ignored, unlabelled)
    reader = DocumentReader(roles)
    with (
        open_tables(Path(source), layout or Layout()) as tables,
        progress_bar(quiet=quiet) as bar,
    ):
        task = bar.add_task("checking", total=None)
        times, n_read = None if time is None else read_all_times(tables, roles), 0
        for table in tables:
            reader.start(table)
            table.check_columns([] if label is None else [label])
            for batch in table.batches():
                labels = None
                if label is not None:
                    labels = _labels(batch, label, separator, unlabelled, table)
                documents = reader.documents(batch)
                of_batch = None if times is None else times[n_read : n_read + len(batch)]
                checking.add(documents_read_by(model, documents), labels, of_batch)
                n_read += len(batch)
                bar.advance(task, len(batch))
        name = name_of_tables(tables)
        reader.tally.check(roles, reader.rules, name)
    result = checking.result()
    _warn_of_labels(checking, model, classes, name)
    return result


def read_all_times(tables: Sequence[TableFile], roles: Roles) -> Array:
    """Read the times of all rows at once: some may settle whether others begin with the day."""
    reader = DocumentReader(Roles(roles.text[:1], time=roles.time))
    cells = [time for documents in reader.read(tables) for time in documents.given("time")]
    return read_times(cells, len(cells), f"the column {roles.time!r}", roles.time_format)


def _warn_of_labels(
    checking: Checking, model: RareTextClassifier, classes: Sequence[str], name: str
) -> None:
    """Warn of labels that may mean the class, or that nobody knows it, and do not count so."""
    known_labels, missing = checking.label_counts, sorted(checking.classes)
    if known_labels and missing and known_labels.keys().isdisjoint(missing):
        warn_user(
            f"no document of {name} has the label {listed(missing)}; its labels are "
            f"{listed(sorted(known_labels))}{did_you_mean(missing[0], known_labels)}",
            TableWarning,
        )
    else:
        _warn_of_look_alikes(
            known_labels, classes or [label_name(rate.label) for rate in model.alarm_rates_]
        )
    known_classes = {*classes, *map(label_name, model.classes_.tolist())}
    for placeholder in placeholders(sorted(known_labels.keys() - known_classes)):
        warn_user(
            f"the label {placeholder!r} ({known_labels[placeholder]:,}) counts as another class; "
            "if it means that the class is not known, leave its rows out: "
            f"--ignore-label {shlex.quote(placeholder)}",
            TableWarning,
        )


def _warn_of_look_alikes(names: Mapping[str, int], classes: Sequence[str]) -> None:
    """Warn of labels that are probably meant to be the class, but do not count as it."""
    for group in look_alikes({*names, *classes}):
        apart = [name for name in group if name in names and name not in classes]
        if apart and len(apart) < len(group):
            others = ", ".join(f"{name!r} ({names[name]:,})" for name in apart)
            advice = "write them alike"
            if set(classes) <= set(group):
                named = " ".join(f"--class {shlex.quote(name)}" for name in (*classes, *apart))
                named += " --one-class"
                advice = f"to count them, pass {named}"
            warn_user(
                f"labels that look like the class do not count as it: {others}; {advice}",
                TableWarning,
            )


def _labels(
    batch: Batch,
    name: str,
    separator: str | None,
    unlabelled: Unlabelled | None,
    table: TableFile,
) -> Sequence[Any]:
    """Return the labels of a batch; with a separator, sets of them."""
    cells = batch.values(name)
    if unlabelled == "refuse":
        for cell, line in zip(cells, batch.lines.tolist(), strict=True):
            if is_no_label(cell):
                raise TableError(
                    f"{table.unit} {line} of {table.name} has no label in column {name!r}; give it "
                    "one or drop the row"
                )
    if separator is None:
        return cells
    # An empty cell is a set without labels, unless such rows are to be skipped.
    skipped = unlabelled == "skip"
    return [
        None if skipped and is_no_label(cell) else several_labels(cell, separator) for cell in cells
    ]
