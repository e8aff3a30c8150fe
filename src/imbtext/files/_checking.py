"""From a file of new documents to a check: whether they are still the text that a model knows."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from imbtext.files._predicting import columns_read_by, content_read_by
from imbtext.progress import progress_bar
from imbtext.rare import Checking, ModelCheck, RareTextClassifier
from imbtext.tables import DocumentReader, Layout, input_file, label_name, open_table


def check_file(
    model: RareTextClassifier,
    source: str | os.PathLike[str],
    *,
    text: str | Sequence[str] | None = None,
    label: str | None = None,
    classes: Sequence[str] = (),
    time: str | None = None,
    every: str = "week",
    separator: str | None = None,
    layout: Layout | None = None,
    quiet: bool = True,
) -> ModelCheck:
    r"""Say whether the documents of a file are still the text that a model knows.

    Rows pass through in batches, so the file may be larger than memory.

    Parameters
    ----------
    model : RareTextClassifier
        A fitted model.
    source : path
        A file of a format that :func:`oversample_files` reads; ``"-"`` is standard input.
    text : str or list of str, optional
        The column of the documents, as for :func:`predict_file`.
    label : str, optional
        The column of the classes, where it is known; rows may lack it.
    classes : sequence of str, optional
        The labels that count as the class; by default its name.
    time : str, optional
        The column of dates; alarms and known words are then compared in each period, too.
    every : {"day", "week", "month"}, default="week"
        How long a period is.
    separator : str, optional
        What separates the classes of a document that may have several.
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
    columns = replace(columns_read_by(model, text), time=time)
    checking = Checking(model, every, classes)
    path = Path(source)
    with input_file(path) as file, progress_bar(quiet=quiet) as bar:
        table = open_table(file, layout or Layout(), path)
        reader = DocumentReader(columns)
        reader.start(table)
        table.check_columns([] if label is None else [label])
        checked = bar.add_task("checking", total=None)
        for batch in table.batches():
            labels = None if label is None else [_labels(v, separator) for v in batch.values(label)]
            documents = reader.documents(batch)
            times = None if time is None else documents.times
            checking.add(content_read_by(model, documents), labels, times)
            bar.advance(checked, len(batch))
        reader.check()
    return checking.result()


def _labels(value: object, separator: str | None) -> str | set[str] | None:
    """Return the label of a row as its name, or several; None where it has none."""
    if value is None or value == "":
        return None
    if isinstance(value, list):
        return {label_name(one) for one in value}
    name = label_name(value)
    return name if separator is None else {part.strip() for part in name.split(separator)}
