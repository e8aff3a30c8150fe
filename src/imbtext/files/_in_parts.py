"""Oversampling files on workers that keep their results, such as those of Dask.

Each file, or each part of a large Parquet file, is a task that copies and counts. Each run of
synthetic rows is a task that draws and writes. Only counts and chains travel between workers, and
this machine gets only the numbers of rows.

A task may run twice, because its worker was killed or its result was lost. That does no harm: its
file is written whole or not at all, and has the same bytes each time.
"""

import shutil
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Final
from uuid import uuid4

from imbtext.files._counting import sum_on_workers
from imbtext.files._synthetic import CountedRows, SyntheticRows, accumulator_for
from imbtext.files._writing import MarkedTables, RowsWritten
from imbtext.oversampling._counting import CountingSampler
from imbtext.parallel import KeepingPool, Kept, Workers
from imbtext.randomness import draw_seed
from imbtext.tables._batches import TableFile
from imbtext.tables._documents import DocumentReader
from imbtext.tables._opening import name_of_tables
from imbtext.tables._rules import RowTally
from imbtext.writing import written_whole

# Synthetic rows go to this many files, each a task, or to fewer or more within these bounds.
_SYNTHETIC_FILES: Final = 64
_ROWS_PER_FILE: Final = (20_000, 500_000)


def oversample_tables(
    tables: Sequence[TableFile],
    folder: Path,
    marked: MarkedTables,
    sampler: CountingSampler,
    pool: KeepingPool,
    *,
    quiet: bool,
) -> RowsWritten:
    """Write the rows of tables and synthetic rows to a folder that every worker can write to."""
    name = name_of_tables(tables)
    parts = [part for table in tables for part in table.parts()]
    with pool.workers(quiet=quiet) as workers:
        # A folder for this run alone: tasks of an earlier run that was stopped may still be running
        # and must write elsewhere.
        run = folder.absolute() / f"run-{uuid4().hex}"
        run.mkdir()
        originals = [run / marked.file_name("part", i) for i in range(len(parts))]
        copies = workers.map(
            "copy-documents", _copy_part, parts, originals, marked=marked, sampler=sampler
        )
        counts = sum_on_workers(workers, copies, "copying")
        tally = workers.result(workers.call("tally", _tally, counts))
        tally.check(marked.roles, marked.rules, name)
        seed = draw_seed(sampler.random_state)
        rows = workers.call("learn-chains", learn_rows, counts, sampler, seed)
        workers.wait("learning", [rows])
        sizes, n_new = workers.result(workers.call("summarise", _summary, counts, rows))
        bounds = synthetic_bounds(sum(n_new.values()))
        synthetic = [run / marked.file_name("synthetic", i) for i in range(len(bounds))]
        workers.wait("writing", write_runs(workers, rows, bounds, synthetic, parts[0], marked))
        # From here on nothing is computed again, even if a worker is lost.
        workers.forget(counts, rows)
        _move_files([*originals, *synthetic], run)
    return RowsWritten.of(sizes, n_new, tally.n_left_out)


# Tasks, in the order of the work


def _copy_part(
    part: TableFile, path: Path, marked: MarkedTables, sampler: CountingSampler
) -> CountedRows:
    accumulator, reader = accumulator_for(sampler), DocumentReader(marked.roles, marked.rules)
    with written_whole(path) as partial, marked.open(partial, [part]) as writer:
        for documents in writer.copy(part, reader):
            accumulator.add(documents, documents.y)
    return CountedRows(accumulator.result(), reader.tally)


def _tally(counted: CountedRows) -> RowTally:
    return counted.tally


def learn_rows(counted: CountedRows, sampler: CountingSampler, seed: int) -> SyntheticRows:
    """Learn the chains; return the rows to draw."""
    return SyntheticRows.of(counted.counts, sampler, seed)


def _summary(
    counted: CountedRows, rows: SyntheticRows
) -> tuple[dict[Hashable, int], dict[Hashable, int]]:
    n_new = {documents.label: documents.n for documents in rows.classes}
    return counted.counts.sorted_sizes(), n_new


def synthetic_bounds(n: int) -> list[tuple[int, int]]:
    """Cut `n` synthetic rows into runs, one for each file."""
    least, most = _ROWS_PER_FILE
    n_files = min(max(_SYNTHETIC_FILES, -(-n // most)), -(-n // least))
    return [(n * i // n_files, n * (i + 1) // n_files) for i in range(n_files)]


def write_runs(
    workers: Workers,
    rows: Kept,
    bounds: Sequence[tuple[int, int]],
    paths: Sequence[Path],
    like: TableFile,
    marked: MarkedTables,
) -> list[Kept]:
    """Draw each run of synthetic rows, and write it to its file with the columns of `like`."""
    # All at once: only many tasks make the scheduler use workers that do not hold the chains yet.
    shared = {"rows": rows, "like": like, "marked": marked}
    return workers.map("write-synthetic", _write_run, bounds, paths, **shared)


def _write_run(
    bounds: tuple[int, int], path: Path, rows: SyntheticRows, like: TableFile, marked: MarkedTables
) -> None:
    with written_whole(path) as partial, marked.open(partial, [like]) as writer:
        for texts, labels in rows.pieces(*bounds):
            writer.write_synthetic(texts, labels)


def _move_files(paths: Sequence[Path], run: Path) -> None:
    """Move the files of a run up to its folder, and remove what killed workers left behind."""
    lost = [path for path in paths if not path.is_file()]
    if lost:
        raise FileNotFoundError(
            f"{len(lost)} of {len(paths)} files are missing from {run}; make sure that no other "
            "run writes to the same folder, and run again"
        )
    for path in paths:
        path.replace(run.parent / path.name)
    shutil.rmtree(run)
