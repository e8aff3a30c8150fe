"""Counting tables on this machine, and writing what is drawn from counts."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow

from imbtext.files._synthesis import Synthesis
from imbtext.markov import CorpusCounts, CountsAccumulator
from imbtext.progress import progress_bar
from imbtext.tables import (
    DocumentChecks,
    DocumentColumns,
    Layout,
    ParquetWriter,
    RowWriter,
    TableFile,
    open_output,
    row_writer,
)


def count_tables(
    tables: Sequence[TableFile],
    columns: DocumentColumns,
    order: int = 1,
    *,
    surface: bool = False,
    quiet: bool = True,
) -> CorpusCounts:
    """Count the documents of tables, in memory that grows with the counts alone.

    `order` is the longest context to count, `surface` whether to count how words are written, too.
    """
    checks = DocumentChecks(columns)
    accumulator = CountsAccumulator(order, surface=surface)
    with progress_bar(quiet=quiet) as bar:
        shown = bar.add_task("counting", total=None)
        for table in tables:
            checks.turn_to(table)
            for batch in table.batches(columns.names):
                accumulator.add(checks.texts(batch), checks.labels(batch))
                bar.advance(shown, len(batch.lines))
    return accumulator.result()


def write_drawn(synthesis: Synthesis, path: Path, layout: Layout) -> None:
    """Write synthetic rows alone, as a table of texts and labels."""
    with open_output(path) as stream:
        if layout.format == "parquet":
            labels = pyarrow.array([own.label for own in synthesis.classes])
            schema = pyarrow.schema([("text", pyarrow.string()), ("label", labels.type)])
            writer: RowWriter = ParquetWriter(stream, schema, "text")
        else:
            writer = row_writer(stream, layout, ["text", "label"])
        with writer:
            for texts, labels in synthesis.pieces(0, len(synthesis)):
                writer.new({"text": texts, "label": labels})
