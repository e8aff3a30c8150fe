"""From files of documents to the same with synthetic ones behind them, in bounded memory.

The rows are read twice and never held: the first pass copies them to the output and counts the
labels, the second learns; then the synthetic rows follow. Where Parquet is made of JSON lines, a
pass before these finds out the types.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from imbtext._files import check_outputs, output_file
from imbtext.bulk.outputs import FileOutput, FolderOutput, Oversampled, check_folder
from imbtext.bulk.streaming import Oversampling, generate
from imbtext.tabular import (
    DocumentChecks,
    DocumentColumns,
    Layout,
    Table,
    document_batches,
    label_name,
    open_output,
    typed,
)

# Gets a word on what is going on and the number of rows done.
Tell = Callable[[str, int], None]


@dataclass(frozen=True)
class Target:
    """Where and how to write: a file, ``-`` for standard output, or a folder.

    What a folder holds is replaced only with `overwrite`; a file always is.
    """

    path: Path
    layout: Layout
    folder: bool = False
    overwrite: bool = False


def oversample_files(
    tables: Sequence[Table],
    target: Target,
    columns: DocumentColumns,
    oversampling: Oversampling,
    mark: str | None = "synthetic",
    tell: Tell = lambda *_: None,
) -> Oversampled:
    """Write the rows of tables and synthetic ones to a file or folder, whole or not at all.

    Parameters
    ----------
    tables : sequence of tables
        What to read, from :func:`imbtext.tabular.open_tables`.
    target : Target
        Where and how to write. Never what is read.
    columns : DocumentColumns
        Where the documents and their classes are.
    oversampling : Oversampling
        What to generate.
    mark : str or None
        Name of the column that marks synthetic rows; None for no such column.
    tell : callable
        Hears of the progress.
    """
    checks = DocumentChecks.of(tables[0], columns)
    layout = target.layout
    if layout.format == "parquet":
        tables = typed(tables)
    if target.folder:
        check_folder(target.path, tables)
        with FolderOutput(target.path, layout, columns, mark, overwrite=target.overwrite) as folder:
            return _oversample(tables, folder, checks, oversampling, tell)
    check_outputs([target.path], [table.path for table in tables])
    with (
        output_file(target.path) as partial,
        open_output(partial) as stream,
        FileOutput(stream, tables, layout, columns, mark) as file,
    ):
        return _oversample(tables, file, checks, oversampling, tell)


def _oversample(
    tables: Sequence[Table],
    output: FileOutput | FolderOutput,
    checks: DocumentChecks,
    oversampling: Oversampling,
    tell: Tell,
) -> Oversampled:
    for table in tables:
        checks.turn_to(table)
        with output.originals_of(table) as write:
            for batch in table.batches():
                checks.texts(batch)
                checks.labels(batch)
                write(batch)
                tell("reading", len(batch.lines))

    text, label = checks.columns.text, str(checks.columns.label)

    def second_pass() -> Iterator[tuple[list[str], list[Any]]]:
        for table in tables:
            for batch in document_batches(table, checks.columns):
                yield [document or "" for document in batch.column(text)], batch.column(label)
                tell("learning", len(batch.lines))

    made: Counter[str] = Counter()
    generated = generate(second_pass, checks.classes(), oversampling)
    for name, documents in generated.documents:
        output.synthetic(documents, [name] * len(documents))
        made[label_name(name)] += len(documents)
        tell("writing", len(documents))
    sizes = {label_name(label): n for label, n in checks.classes().items()}
    return Oversampled(sizes, dict(made), generated.pruned)
