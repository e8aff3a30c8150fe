"""Counting tables on this machine, and writing what is drawn from counts."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow

from imbtext._progress import progress_bar
from imbtext.bulk.synthesis import Synthesis
from imbtext.markov import CorpusCounts, CountsAccumulator
from imbtext.tabular import (
    DocumentChecks,
    DocumentColumns,
    Layout,
    ParquetWriter,
    RowWriter,
    Table,
    document_batches,
    open_output,
    row_writer,
)


def count_tables(
    tables: Sequence[Table],
    columns: DocumentColumns,
    order: int = 1,
    *,
    surface: bool = False,
    quiet: bool = True,
) -> CorpusCounts:
    """Count the documents of tables, in memory that grows with the counts alone.

    Parameters
    ----------
    tables : sequence of tables
        From :func:`imbtext.tabular.open_tables`.
    columns : DocumentColumns
        Where the documents and their classes are.
    order : int, default=1
        The longest context to count.
    surface : bool, default=False
        Whether to count how words are written, too.
    quiet : bool, default=True
        Whether to show no progress.
    """
    checks = DocumentChecks.of(tables[0], columns)
    accumulator = CountsAccumulator(order, surface=surface)
    with progress_bar(quiet=quiet) as bar:
        shown = bar.add_task("counting", total=None)
        for table in tables:
            checks.turn_to(table)
            for batch in document_batches(table, columns):
                accumulator.add(checks.texts(batch), checks.labels(batch))
                bar.advance(shown, len(batch.lines))
    return accumulator.result()


def write_drawn(synthesis: Synthesis, path: Path, layout: Layout) -> None:
    """Write synthetic rows alone, as a table of texts and labels."""
    header = ["text", "label"]
    with open_output(path) as stream:
        if layout.format == "parquet":
            labels = pyarrow.array([own.label for own in synthesis.classes])
            schema = pyarrow.schema([("text", pyarrow.string()), ("label", labels.type)])
            writer: RowWriter = ParquetWriter(stream, schema, "text", [])
        else:
            writer = row_writer(stream, layout, header)
        for piece in synthesis.pieces(0, len(synthesis)):
            writer.new(header, dict(zip(header, piece, strict=True)))
        writer.close()
