"""Oversampling and counting files on a Dask cluster.

Each file, or each part of a large Parquet file, is a task that copies and counts. Each run of
synthetic rows is a task that draws and writes. Only counts and chains travel between workers, and
the client gets only the numbers of rows.

A task may run twice, because its worker was killed or its result was lost. That does no harm: its
file is written whole or not at all, and has the same bytes each time.
"""

import shutil
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

from imbtext.documents._label_names import check_one_kind
from imbtext.documents._roles import Roles
from imbtext.files._cluster import ClusterError, Watch, result_of, working
from imbtext.files._counting import count_tables
from imbtext.files._synthetic import CountedRows, SyntheticRows, accumulator_for
from imbtext.files._writing import MarkedTables, RowsWritten
from imbtext.markov._accumulation import CountsAccumulator
from imbtext.oversampling._counting import CountingSampler
from imbtext.randomness import draw_seed
from imbtext.tables._batches import TableFile
from imbtext.tables._documents import DocumentReader
from imbtext.tables._opening import name_of_tables
from imbtext.tables._rules import LabelRules, RowTally
from imbtext.writing import written_whole

if TYPE_CHECKING:
    from distributed import Client, Future

Part = TypeVar("Part")
# Each sum adds this many counts; a tree over a thousand partitions has four levels.
_FAN_IN = 8
# Synthetic rows go to this many files, each a task, or to fewer or more within these bounds.
_SYNTHETIC_FILES = 64
_ROWS_PER_FILE = (20_000, 500_000)


def oversample_tables(
    tables: Sequence[TableFile],
    folder: Path,
    marked: MarkedTables,
    sampler: CountingSampler,
    dask: str,
    *,
    quiet: bool,
) -> RowsWritten:
    """Write the rows of tables and synthetic rows to a folder that every worker can write to."""
    name = name_of_tables(tables)
    parts = [part for table in tables for part in table.parts()]
    with working(dask, quiet=quiet) as (client, watch):
        # A folder for this run alone: tasks of an earlier run that was stopped may still be running
        # and must write elsewhere.
        run = folder.absolute() / f"run-{uuid4().hex}"
        run.mkdir()
        originals = [run / marked.file_name("part", i) for i in range(len(parts))]
        counts = add_up_futures(
            client, copy_parts(client, parts, originals, marked, sampler), watch, "copying"
        )
        tally = result_of(client, client.submit(_tally, counts, key=_key("tally")))
        tally.check(marked.roles, marked.rules, name)
        seed = draw_seed(sampler.random_state)
        rows = client.submit(learn_rows, counts, sampler, seed, key=_key("learn-chains"))
        watch("learning", [rows])
        summary = client.submit(_summary, counts, rows, key=_key("summarise"))
        sizes, n_new = result_of(client, summary)
        bounds = synthetic_bounds(sum(n_new.values()))
        synthetic = [run / marked.file_name("synthetic", i) for i in range(len(bounds))]
        watch("writing", write_runs(client, rows, bounds, synthetic, parts[0], marked))
        # From here on nothing is computed again, even if a worker is lost.
        client.cancel([counts, rows])
        _move_files([*originals, *synthetic], run)
    return RowsWritten.of(sizes, n_new, tally.n_left_out)


def count_tables_on_dask(
    tables: Sequence[TableFile],
    roles: Roles,
    rules: LabelRules,
    dask: str,
    *,
    surface: bool,
    quiet: bool,
) -> CountedRows:
    """Count tables on the workers; only the sum of the counts comes to the client."""
    parts = [part for table in tables for part in table.parts()]
    with working(dask, quiet=quiet) as (client, watch):
        counts = client.map(
            count_tables,
            [[part] for part in parts],
            roles=roles,
            rules=rules,
            surface=surface,
            key=_keys("count-documents", parts),
        )
        return result_of(client, add_up_futures(client, counts, watch, "counting"))


# Tasks, in the order of the work


def copy_parts(
    client: "Client",
    parts: Sequence[TableFile],
    paths: Sequence[Path],
    marked: MarkedTables,
    sampler: CountingSampler,
) -> "list[Future[CountedRows]]":
    """Copy each part to its file; the tasks return its counts."""
    keys = _keys("copy-documents", parts)
    return client.map(_copy_part, parts, paths, marked=marked, sampler=sampler, key=keys)


def _copy_part(
    part: TableFile, path: Path, marked: MarkedTables, sampler: CountingSampler
) -> CountedRows:
    accumulator, reader = accumulator_for(sampler), DocumentReader(marked.roles, marked.rules)
    with written_whole(path) as partial, marked.open(partial, [part]) as rows:
        for documents in rows.copy(part, reader):
            accumulator.add(documents, documents.y)
    return CountedRows(accumulator.result(), reader.tally)


def add_up_futures(
    client: "Client", counts: "list[Future[CountedRows]]", watch: Watch, name: str
) -> "Future[CountedRows]":
    """Add up counts that are being made, and wait for the sum; `counts` is emptied.

    The progress bar calls the making of the counts `name`.
    """

    def add(counts: "Sequence[Future[CountedRows]]") -> "Future[CountedRows]":
        # Sums go before counts that wait, so that few counts lie in memory at a time.
        return client.submit(sum_counts, list(counts), key=_key("add-counts"), priority=1)

    total = add_up(counts, add)
    watch(name, counts)
    watch("adding up", [total])
    return total


def add_up(counts: "Sequence[Part]", add: "Callable[[Sequence[Part]], Part]") -> "Part":
    """Add up counts in a tree; `add` makes a task that adds some of them."""
    level = list(counts)
    while len(level) > 1:
        level = [add(level[start : start + _FAN_IN]) for start in range(0, len(level), _FAN_IN)]
    return level[0]


def sum_counts(parts: list[CountedRows]) -> CountedRows:
    """Return the sum of counts, whose labels must be of one kind."""
    accumulator = CountsAccumulator.of(parts[0].counts)
    for part in parts[1:]:
        accumulator.merge(part.counts)
    counts = accumulator.result()
    check_one_kind(counts.sizes)
    return CountedRows(counts, sum((part.tally for part in parts), RowTally()))


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
    client: "Client",
    rows: "Future[SyntheticRows]",
    bounds: Sequence[tuple[int, int]],
    paths: Sequence[Path],
    like: TableFile,
    marked: MarkedTables,
) -> "list[Future[None]]":
    """Draw each run of synthetic rows, and write it to its file with the columns of `like`."""
    # All at once: only many tasks make the scheduler use workers that do not hold the chains yet.
    keys = _keys("write-synthetic", bounds)
    return client.map(_write_run, bounds, paths, rows=rows, like=like, marked=marked, key=keys)


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
        raise ClusterError(
            f"{len(lost)} of {len(paths)} files are missing from {run}; make sure that no other "
            "run writes to the same folder, and run again"
        )
    for path in paths:
        path.replace(run.parent / path.name)
    shutil.rmtree(run)


def _key(name: str) -> str:
    """Return a key that names the task on the dashboard and never occurs twice."""
    return f"{name}-{uuid4().hex}"


def _keys(name: str, tasks: Iterable[object]) -> list[str]:
    return [_key(name) for _ in tasks]
