"""Counting tables on this machine, and writing what is drawn from counts."""

from collections.abc import Sequence
from pathlib import Path

import pyarrow

from imbtext.files._synthesis import Synthesis
from imbtext.markov import CorpusCounts, CountsAccumulator
from imbtext.progress import progress_bar
from imbtext.tables import (
    DocumentColumns,
    DocumentReader,
    Layout,
    TableFile,
    new_table_writer,
    open_output,
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
    accumulator = CountsAccumulator(order, surface=surface)
    with progress_bar(quiet=quiet) as bar:
        shown = bar.add_task("counting", total=None)
        for documents in DocumentReader(columns).read(tables):
            accumulator.add(documents.texts, documents.labels)
            bar.advance(shown, len(documents.texts))
    return accumulator.result()


def write_drawn(synthesis: Synthesis, path: Path, layout: Layout) -> None:
    """Write synthetic rows alone, as a table of texts and labels."""
    labels = pyarrow.array([own.label for own in synthesis.classes])
    types = {"text": pyarrow.string(), "label": labels.type}
    with open_output(path) as stream, new_table_writer(stream, layout, types) as writer:
        for texts, labels in synthesis.pieces(0, len(synthesis)):
            writer.new({"text": texts, "label": labels})
