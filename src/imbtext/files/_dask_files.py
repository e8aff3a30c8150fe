"""Files in, a folder of files out; everything between happens on the workers.

Each file, or each part of a large Parquet file, is a task that counts and a task that copies.
Nothing but counts travels, from worker to worker; the client learns how many rows there are.
"""

import shutil
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from imbtext.files._cluster import Watch, working
from imbtext.files._counting import count_tables
from imbtext.files._dask_counting import added_up_now
from imbtext.files._outputs import Form, Oversampled, check_folder
from imbtext.files._oversampling import by_name
from imbtext.files._streaming import Oversampling, learn
from imbtext.files._synthesis import Synthesis
from imbtext.markov import CorpusCounts, Pruned
from imbtext.tables import DocumentColumns, TableFile, typed
from imbtext.writing import folder_written_whole, written_whole

if TYPE_CHECKING:
    from distributed import Client, Future

# Synthetic rows are cut into so many files, each a task, or into fewer or more within the bounds.
_SYNTHETIC_FILES = 64
_ROWS_PER_FILE = (20_000, 500_000)


def oversample_files(
    tables: Sequence[TableFile],
    folder: Path,
    form: Form,
    oversampling: Oversampling,
    *,
    address: str | None = None,
    overwrite: bool = False,
    quiet: bool = True,
) -> Oversampled:
    """Write the rows of tables and synthetic ones to a folder, whole or not at all.

    Parameters
    ----------
    tables : sequence of tables
        What to read, from :func:`imbtext.tables.open_tables`, where every worker finds it.
    folder : Path
        The folder to write, where every worker finds it. Until all is written it is called
        ``<folder>.partial``.
    form : Form
        How to write.
    oversampling : Oversampling
        What to generate, by ``"emco"`` or ``"mco"``.
    address : str, optional
        The scheduler; see :func:`imbtext.distributed.connected`.
    overwrite : bool, default=False
        Whether an old folder of that name may be replaced.
    quiet : bool, default=True
        Whether to show no progress.
    """
    if oversampling.method not in ("emco", "mco"):
        raise ValueError(
            f"{oversampling.method} needs the documents themselves in one place; on a cluster use "
            "emco or mco, whose counts add up"
        )
    check_folder(folder, tables)
    if form.layout.format == "parquet":
        tables = typed(tables)
    parts = [part for table in tables for part in table.parts()]
    with (
        folder_written_whole(folder, overwrite=overwrite) as unfinished,
        working(address, quiet=quiet) as (client, watch),
    ):
        counts = _counted(
            client, parts, form.columns, watch, oversampling.order, surface=oversampling.surface
        )
        learned = client.submit(learn, counts, oversampling, key=_key("learn-chains"))
        watch("learning", [learned])
        sizes, made, pruned = client.submit(
            _summary, counts, learned, key=_key("summarise")
        ).result()
        # Of this run alone: what a run that was stopped before still has at work writes elsewhere.
        target = unfinished.absolute() / f"run-{uuid4().hex}"
        target.mkdir()
        tasks = _written(client, "part", _write_originals, parts, target, form=form)
        tasks |= _synthetic(client, learned, sum(made.values()), parts[0], target, form)
        watch("writing", list(tasks.values()))
        n_rows = dict(zip(tasks, client.gather(list(tasks.values())), strict=True))
        _settle(target, n_rows, sum(sizes.values()) + sum(made.values()))
    return Oversampled(by_name(sizes), by_name(made), pruned)


def count_files(
    tables: Sequence[TableFile],
    columns: DocumentColumns,
    order: int = 1,
    *,
    surface: bool = False,
    address: str | None = None,
    quiet: bool = True,
) -> CorpusCounts:
    """Count tables on the workers; only the sum of the counts comes here.

    Parameters
    ----------
    tables, address, quiet
        As for :func:`oversample_files`.
    columns : DocumentColumns
        Where the documents and their classes are.
    order : int, default=1
        The longest context to count.
    surface : bool, default=False
        Whether to count how words are written, too.
    """
    with working(address, quiet=quiet) as (client, watch):
        parts = [part for table in tables for part in table.parts()]
        return _counted(client, parts, columns, watch, order, surface=surface).result()


def _counted(
    client: "Client",
    parts: Sequence[TableFile],
    columns: DocumentColumns,
    watch: Watch,
    order: int = 1,
    *,
    surface: bool = False,
) -> "Future[Any]":
    keys = [_key("count-documents") for _ in parts]
    each = [[part] for part in parts]
    counts = client.map(count_tables, each, columns=columns, order=order, surface=surface, key=keys)
    return added_up_now(client, counts, watch)


def _summary(
    counts: CorpusCounts, learned: Synthesis
) -> tuple[dict[Hashable, int], dict[Hashable, int], Pruned | None]:
    made = {own.label: own.n for own in learned.classes}
    return counts.sorted_sizes(), made, learned.pruned


def _synthetic(
    client: "Client", learned: "Future[Any]", n: int, like: TableFile, folder: Path, form: Form
) -> "dict[str, Future[Any]]":
    if not n:
        return {}
    least, most = _ROWS_PER_FILE
    n_files = min(max(_SYNTHETIC_FILES, -(-n // most)), -(-n // least))
    bounds = [(n * i // n_files, n * (i + 1) // n_files) for i in range(n_files)]
    return _written(
        client, "synthetic", _write_synthetic, bounds, folder, learned=learned, like=like, form=form
    )


def _written(
    client: "Client",
    kind: str,
    write: Callable[..., int],
    pieces: Sequence[Any],
    folder: Path,
    **given: Any,
) -> "dict[str, Future[Any]]":
    """Return the files that tasks write, by their names; the tasks return their numbers of rows."""
    names = [given["form"].part(kind, i) for i in range(len(pieces))]
    # All at once: the scheduler spreads what it sees to be many, whoever holds the chains.
    keys = [_key(f"write-{kind}") for _ in names]
    futures = client.map(write, pieces, [folder / name for name in names], key=keys, **given)
    return dict(zip(names, futures, strict=True))


def _write_originals(table: TableFile, path: Path, form: Form) -> int:
    with (
        written_whole(path) as partial,
        form.rows_to(partial, [table]) as rows,
    ):
        for batch in table.batches():
            rows.originals(batch)
    return rows.n_rows


def _write_synthetic(
    bounds: tuple[int, int], path: Path, learned: Synthesis, like: TableFile, form: Form
) -> int:
    with (
        written_whole(path) as partial,
        form.rows_to(partial, [like]) as rows,
    ):
        for texts, labels in learned.pieces(*bounds):
            rows.synthetic(texts, labels)
    return rows.n_rows


def _settle(run: Path, n_rows: Mapping[str, int], expected: int) -> None:
    """Hold that every file is there and every row was written; leave what killed workers left."""
    lost = [name for name in n_rows if not (run / name).is_file()]
    if lost or sum(n_rows.values()) != expected:
        raise RuntimeError(
            f"{sum(n_rows.values())} rows were written where {expected} were expected, and "
            f"{len(lost)} files are missing from {run}: did the input change, or is another run "
            "writing to the same folder? Run again"
        )
    for name in n_rows:
        (run / name).replace(run.parent / name)
    shutil.rmtree(run)


def _key(name: str) -> str:
    """Return a key that names the task on the dashboard and is never met twice."""
    return f"{name}-{uuid4().hex}"
