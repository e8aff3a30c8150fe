"""From files of documents to the same with synthetic ones behind them, in bounded memory.

The rows are read twice and never held: the first pass copies them to the output and counts the
labels, the second learns; then the synthetic rows follow. Where Parquet is made of JSON lines, a
pass before these finds out the types.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from itertools import count
from pathlib import Path
from typing import Any

from imbtext.files._outputs import Form, MarkedRows, Oversampled, check_folder
from imbtext.files._streaming import Oversampling, generate
from imbtext.progress import progress_bar
from imbtext.tables import DocumentReader, TableFile, label_name, typed
from imbtext.writing import check_outputs, folder_written_whole, output_file

_ROWS_PER_FILE = 200_000

# From what kind of rows follow, and the tables they are like, to what writes them.
Begin = Callable[[str, Sequence[TableFile]], AbstractContextManager[MarkedRows]]


def oversample_files(
    tables: Sequence[TableFile],
    target: Path,
    form: Form,
    oversampling: Oversampling,
    *,
    folder: bool = False,
    overwrite: bool = False,
    quiet: bool = True,
) -> Oversampled:
    """Write the rows of tables and synthetic ones to a file or folder, whole or not at all.

    The tables come from :func:`imbtext.tables.open_tables`; `target` is never one of them, and
    ``-`` is standard output. What a folder holds is replaced only with `overwrite`.
    """
    reader = DocumentReader(form.columns)
    reader.start(tables[0])
    if form.layout.format == "parquet":
        tables = typed(tables)
    if folder:
        check_folder(target, tables)
        output = _folder(target, form, overwrite=overwrite)
    else:
        check_outputs([target], [table.path for table in tables])
        output = _file(target, form, tables)
    with output as begin, progress_bar(quiet=quiet) as bar:
        reading = bar.add_task("reading", total=None)
        for table in tables:
            reader.start(table)
            with begin("part", [table]) as rows:
                for batch in table.batches():
                    reader.documents(batch)
                    rows.originals(batch)
                    bar.advance(reading, len(batch))

        def second_pass() -> Iterator[tuple[list[str], list[Any]]]:
            learning = bar.add_task("learning", total=reader.n_rows)
            for documents in DocumentReader(form.columns).read(tables):
                yield documents.texts, documents.labels
                bar.advance(learning, len(documents.texts))

        sizes, made = reader.classes(), Counter[Hashable]()
        documents, pruned = generate(second_pass, sizes, oversampling)
        writing = bar.add_task("writing", total=None)
        with ExitStack() as last:
            for texts, labels in documents:
                if not made or rows.n_rows >= _ROWS_PER_FILE:
                    last.close()
                    rows = last.enter_context(begin("synthetic", tables[:1]))
                rows.synthetic(texts, labels)
                made.update(labels)
                bar.advance(writing, len(texts))
    return Oversampled(by_name(sizes), by_name(made), pruned)


def by_name(sizes: dict[Hashable, int]) -> dict[str, int]:
    """Return numbers of rows by the names of the classes."""
    return {label_name(label): n for label, n in sizes.items()}


@contextmanager
def _file(path: Path, form: Form, tables: Sequence[TableFile]) -> Iterator[Begin]:
    """Write all rows to one file."""
    with output_file(path) as partial, form.rows_to(partial, tables) as rows:
        yield lambda *_: nullcontext(rows)


@contextmanager
def _folder(path: Path, form: Form, *, overwrite: bool) -> Iterator[Begin]:
    """Write rows to files of their own."""
    numbers: defaultdict[str, Iterator[int]] = defaultdict(count)
    with folder_written_whole(path, overwrite=overwrite) as folder:
        yield lambda kind, like: form.rows_to(folder / form.part(kind, next(numbers[kind])), like)
