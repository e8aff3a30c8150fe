"""Writing the rows of files, followed by synthetic rows.

The work has three steps, on one machine and on a cluster:

1. Copy, check and count each part of the input in one pass.
2. Let the sampler learn from the sum of the counts.
3. Draw and write runs of synthetic rows.

:func:`oversample_files` decides what to read and what to write. One machine does the steps part by
part (`_oversample_here`). On workers each part and each run is a task (``_in_parts.py``). Both
write through ``_writing.py`` and draw through ``_synthetic.py``, so the rows are the same.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from itertools import count
from pathlib import Path

from imbtext.documents._documents import Documents
from imbtext.documents._roles import Roles
from imbtext.files._in_parts import oversample_tables
from imbtext.files._synthetic import fresh_sampler, rows_from_counts, rows_from_documents
from imbtext.files._writing import MarkedRows, MarkedTables, RowsWritten, check_folder
from imbtext.oversampling._counting import CountingSampler
from imbtext.oversampling._eda import EDA
from imbtext.oversampling._emco import EMCO
from imbtext.oversampling._ros import ROS
from imbtext.oversampling._sampler import Sampler
from imbtext.parallel import KeepingPool, check_pool
from imbtext.progress import progress_bar
from imbtext.tables._batches import TableFile
from imbtext.tables._conversion import typed
from imbtext.tables._documents import DocumentReader
from imbtext.tables._formats import Layout
from imbtext.tables._opening import name_of_tables, open_tables
from imbtext.tables._rules import LabelRules
from imbtext.writing import STANDARD_STREAM, check_outputs, folder_written_whole, output_file

_ROWS_PER_FILE = 200_000

# From the kind of rows that follow, and the tables they are like, to what writes them.
OpenFile = Callable[[str, Sequence[TableFile]], AbstractContextManager[MarkedRows]]


def oversample_files(
    source: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    text: str,
    label: str,
    sampler: Sampler | None = None,
    synthetic_column: str | None = "synthetic",
    rules: LabelRules | None = None,
    layout: Layout | None = None,
    output_format: str | None = None,
    pool: KeepingPool | None = None,
    overwrite: bool = False,
    quiet: bool = True,
) -> RowsWritten:
    r"""Write the rows of files, followed by synthetic rows of rare classes.

    Use it for documents in files, which may be too large for memory. The synthetic documents are
    those that ``sampler.fit_resample`` adds to the same rows. Files are written whole or not at
    all.

    Parameters
    ----------
    source : path
        A file (CSV, TSV, JSON lines or Parquet, perhaps compressed), a folder of files, a pattern
        such as ``"data/*.parquet"``, or ``"-"`` for standard input.
    out : path
        A file, a folder (its name ends in ``/``), or ``"-"`` for standard output. A folder gets a
        file for each file of `source` and others for the synthetic rows. With a pool it is always a
        folder. Every worker must be able to read `source` and write to `out` under these names.
    text, label : str
        Names of the columns of the documents and of their classes. A missing text is a document
        without words. A row without a label is copied, but the sampler does not learn from it.
    sampler : EMCO, MCO, ROS or EDA, optional
        What makes the documents; by default ``EMCO()``. Its `sampling_strategy` says how many;
        :class:`ClassSizes` is a strategy that calls classes by their names. ROS and EDA hold the
        texts of the classes to oversample in memory. With a pool only EMCO and MCO work.
    synthetic_column : str or None, default="synthetic"
        Name of the column that marks synthetic rows; None for no such column.
    rules : imbtext.tables.LabelRules, optional
        Which rows are left out of learning, by their labels. They are copied all the same.
    layout : imbtext.tables.Layout, optional
        How to read `source`: format, delimiter, quotes, encoding. By default the file itself tells.
    output_format : {"csv", "tsv", "jsonl", "parquet"}, optional
        The format of `out`; by default its ending tells, or it is that of `source`.
    pool : imbtext.distributed.DaskPool, optional
        The workers that do the work. By default this process does it.
    overwrite : bool, default=False
        Whether to replace the contents of the folder `out`.
    quiet : bool, default=True
        Whether to show no progress in the terminal.

    Returns
    -------
    rows : RowsWritten
        How many originals and synthetic rows of each class were written.

    See Also
    --------
    imbtext.distributed.oversample : The same for a Dask DataFrame.

    Examples
    --------
    >>> import tempfile
    >>> from imbtext import EMCO, minority_share
    >>> folder = Path(tempfile.mkdtemp())
    >>> rows = ["oil price up,oil", "crude oil falls,oil"] + ["the firm grows,other"] * 8
    >>> _ = (folder / "train.csv").write_text("\n".join(["body,topic", *rows]))
    >>> sampler = EMCO(sampling_strategy=minority_share(0.5), random_state=0)
    >>> written = oversample_files(
    ...     folder / "train.csv", folder / "more.csv", text="body", label="topic", sampler=sampler
    ... )
    >>> written.originals, written.synthetic
    ({'oil': 2, 'other': 8}, {'oil': 6})
    >>> print((folder / "more.csv").read_text().splitlines()[0])
    body,topic,synthetic
    """
    fresh = fresh_sampler(
        sampler,
        (EMCO, CountingSampler, ROS, EDA),
        "files are oversampled with EMCO, MCO, ROS or EDA, which need only counts or the documents "
        "of the class",
        "counting files",
    )
    check_pool(pool, keeps=True)
    roles, rules = Roles.of(text, label=label), rules or LabelRules()
    if rules.unlabelled == "no":
        raise ValueError(
            "unlabelled is 'no', but samplers give every row back with the label that it has; "
            "write a label into the rows that have none, or skip them"
        )
    with open_tables(Path(source), layout or Layout()) as tables:
        DocumentReader(roles).start(tables[0])
        target = Path(out)
        to_folder = pool is not None or _names_folder(os.fspath(out), len(tables))
        if to_folder:
            check_folder(target, tables)
        else:
            check_outputs([target], [table.path for table in tables])
        written = Layout(output_format).for_output(
            Path("part") if to_folder else target, tables[0].layout
        )
        sources = typed(tables) if written.format == "parquet" else tables
        marked = MarkedTables(written, roles, rules, synthetic_column)
        if pool is not None:
            with folder_written_whole(target, overwrite=overwrite) as folder:
                return oversample_tables(
                    sources, folder, marked, _with_counts(fresh), pool, quiet=quiet
                )
        output = (
            _files_in(target, marked, overwrite=overwrite)
            if to_folder
            else _one_file(target, marked, sources)
        )
        with output as open_file:
            return _oversample_here(sources, open_file, marked, fresh, quiet=quiet)


def _with_counts(sampler: Sampler) -> CountingSampler:
    if not isinstance(sampler, CountingSampler):
        raise ValueError(
            f"{type(sampler).__name__} needs all documents of the class in one place; leave the "
            "pool (--dask) out, or use EMCO or MCO, whose counts add up"
        )
    return sampler


def _names_folder(out: str, n_tables: int) -> bool:
    """Return whether `out` is a folder: it ends in a slash, or is to hold several files."""
    path = Path(out)
    if path == STANDARD_STREAM or (path.exists() and not path.is_dir()):  # a device, or a pipe
        return False
    return out.endswith(("/", os.sep)) or (n_tables > 1 and not path.suffix)


@contextmanager
def _one_file(path: Path, marked: MarkedTables, tables: Sequence[TableFile]) -> Iterator[OpenFile]:
    """Write all rows to one file."""
    with output_file(path) as partial, marked.open(partial, tables) as writer:
        yield lambda *_: nullcontext(writer)


@contextmanager
def _files_in(path: Path, marked: MarkedTables, *, overwrite: bool) -> Iterator[OpenFile]:
    """Write rows to a folder, each kind to files of its own."""
    numbers: defaultdict[str, Iterator[int]] = defaultdict(count)
    with folder_written_whole(path, overwrite=overwrite) as folder:
        yield lambda kind, like: marked.open(
            folder / marked.file_name(kind, next(numbers[kind])), like
        )


def _oversample_here(
    tables: Sequence[TableFile],
    open_file: OpenFile,
    marked: MarkedTables,
    sampler: Sampler,
    *,
    quiet: bool,
) -> RowsWritten:
    """Copy table by table while the sampler learns, then write synthetic rows."""
    reader, n_new = DocumentReader(marked.roles, marked.rules), Counter[Hashable]()
    with progress_bar(quiet=quiet) as bar:
        sizes = {} if isinstance(sampler, CountingSampler) else _class_sizes(tables, marked)
        reading = bar.add_task("reading", total=None)

        def copied() -> Iterator[Documents]:
            for table in tables:
                with open_file("part", [table]) as writer:
                    for documents in writer.copy(table, reader):
                        yield documents
                        bar.advance(reading, len(documents))
            reader.classes()
            reader.tally.check(reader.roles, reader.rules, name_of_tables(tables))

        new_rows = (
            rows_from_counts(sampler, copied())
            if isinstance(sampler, CountingSampler)
            else rows_from_documents(sampler, copied(), sizes)
        )
        writing, writer = bar.add_task("writing", total=None), None
        with ExitStack() as last_file:
            for texts, labels in new_rows:
                if writer is None or writer.n_rows >= _ROWS_PER_FILE:
                    last_file.close()
                    writer = last_file.enter_context(open_file("synthetic", tables[:1]))
                writer.write_synthetic(texts, labels)
                n_new.update(labels)
                bar.advance(writing, len(texts))
    return RowsWritten.of(reader.classes(), n_new, reader.tally.n_left_out)


def _class_sizes(tables: Sequence[TableFile], marked: MarkedTables) -> dict[Hashable, int]:
    reader = DocumentReader(marked.roles, marked.rules)
    for _ in reader.read(tables):
        pass
    return reader.classes()
