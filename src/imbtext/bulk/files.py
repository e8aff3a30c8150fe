"""From a file of documents to a file with synthetic ones behind them.

Text formats are read twice and never held in memory: the first pass copies the rows to the output
and counts the labels, the second learns; then the synthetic rows follow. Tables that come from or
go to Parquet are held in memory.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import polars as pl

from imbtext._files import check_outputs, output_file
from imbtext.bulk.streaming import Oversampling, generate
from imbtext.tabular import (
    CsvTable,
    DocumentChecks,
    DocumentColumns,
    JsonTable,
    Layout,
    ParquetTable,
    TableError,
    check_column,
    document_batches,
    label_name,
    open_output,
    read_frame,
    row_writer,
    write_frame,
)

# Gets a word on what is going on and the number of rows done.
Tell = Callable[[str, int], None]


def oversample_file(
    table: CsvTable | JsonTable | ParquetTable,
    target: Path,
    layout: Layout,
    columns: DocumentColumns,
    oversampling: Oversampling,
    mark: str | None = "synthetic",
    tell: Tell = lambda *_: None,
) -> tuple[dict[str, int], dict[str, int]]:
    """Write the rows of a table and synthetic ones to a file, whole or not at all.

    Parameters
    ----------
    table : table
        What to read, from :func:`imbtext.tabular.open_table`.
    target : Path
        Where to write; ``-`` is standard output. Never the file that is read.
    layout : Layout
        How to write, from :meth:`imbtext.tabular.Layout.for_output`.
    columns : DocumentColumns
        Where the documents and their classes are.
    oversampling : Oversampling
        What to generate.
    mark : str or None
        Name of the column that marks synthetic rows; None for no such column.
    tell : callable
        Hears of the progress.

    Returns
    -------
    originals, synthetic : dict of str to int
        The number of rows of each class.
    """
    check_outputs([target], [table.path])
    with output_file(target) as partial, open_output(partial) as stream:
        checks = DocumentChecks.of(table, columns)
        if isinstance(table, ParquetTable) or layout.format == "parquet":
            made = _oversample_frame(table, stream, layout, checks, oversampling, mark, tell)
        else:
            made = _oversample_rows(table, stream, layout, checks, oversampling, mark, tell)
    return {label_name(label): n for label, n in checks.classes().items()}, made


def _oversample_rows(
    table: CsvTable | JsonTable,
    stream: IO[bytes],
    layout: Layout,
    checks: DocumentChecks,
    oversampling: Oversampling,
    mark: str | None,
    tell: Tell,
) -> dict[str, int]:
    header = table.header()
    if isinstance(table, JsonTable) and layout.format != "jsonl":
        header = table.all_columns()
    elif isinstance(table, CsvTable) and layout.format == "jsonl":
        for column in header:
            check_column(column, header, table.name)
    added = [] if mark is None else [mark]
    writer = row_writer(stream, layout, [*header, *added])
    for batch in table.batches():
        header = batch.columns
        _check_mark(header, mark, table.name)
        checks.texts(batch)
        checks.labels(batch)
        writer.originals(batch, {name: [False] * len(batch.rows) for name in added})
        tell("reading", len(batch.rows))

    text, label = checks.columns.text, str(checks.columns.label)

    def second_pass() -> Iterator[tuple[list[str], list[Any]]]:
        for batch in table.batches():
            yield [document or "" for document in batch.column(text)], batch.column(label)
            tell("learning", len(batch.rows))

    made: Counter[str] = Counter()
    for name, documents in generate(second_pass, checks.classes(), oversampling):
        cells: dict[str, Sequence[Any]] = {text: documents, label: [name] * len(documents)}
        writer.new([*header, *added], cells | {name: [True] * len(documents) for name in added})
        made[label_name(name)] += len(documents)
        tell("writing", len(documents))
    return dict(made)


def _oversample_frame(
    table: CsvTable | JsonTable | ParquetTable,
    stream: IO[bytes],
    layout: Layout,
    checks: DocumentChecks,
    oversampling: Oversampling,
    mark: str | None,
    tell: Tell,
) -> dict[str, int]:
    texts: list[str] = []
    labels: list[Hashable] = []
    for batch in document_batches(table, checks.columns):
        texts += checks.texts(batch)
        labels += checks.labels(batch)
    frame = read_frame(table)
    _check_mark(frame.columns, mark, table.name)
    text, label = checks.columns.text, str(checks.columns.label)
    if frame.schema[text] != pl.String:
        frame = frame.with_columns(pl.col(text).cast(pl.String))
    tell("reading", frame.height)

    def all_rows() -> Iterator[tuple[list[str], list[Hashable]]]:
        yield texts, labels
        tell("learning", len(texts))

    made: Counter[str] = Counter()
    new_texts: list[str] = []
    new_labels: list[Any] = []
    for name, documents in generate(all_rows, checks.classes(), oversampling):
        new_texts += documents
        new_labels += [name] * len(documents)
        made[label_name(name)] += len(documents)
        tell("writing", len(documents))
    new = pl.DataFrame(
        {
            text: pl.Series(new_texts, dtype=frame.schema[text]),
            label: pl.Series(new_labels, dtype=frame.schema[label]),
        }
    )
    if mark is not None:
        frame = frame.with_columns(pl.lit(False).alias(mark))
        new = new.with_columns(pl.lit(True).alias(mark))
    write_frame(pl.concat([frame, new], how="diagonal"), stream, layout)
    return dict(made)


def _check_mark(columns: Sequence[str], mark: str | None, name: str) -> None:
    if mark in columns:
        raise TableError(
            f"{name} already has a column {mark!r}; name the column that marks synthetic rows "
            f"otherwise, or leave it out",
            "mark",
            f"{mark}-2",
        )
