"""Parquet files in, a folder of Parquet files out; everything between happens on the workers."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from imbtext._extras import require
from imbtext._folders import folder_written_whole
from imbtext._progress import progress_bar
from imbtext.bulk.parquet import Piece, marked, parquet_pieces, synthetic_table, write_table
from imbtext.distributed._cluster import clear_failures, connected
from imbtext.distributed._counting import counted, sum_counts
from imbtext.distributed._synthesis import Synthesis
from imbtext.markov import CorpusCounts

if TYPE_CHECKING:
    import pyarrow
    from distributed import Client, Future

_ROWS_PER_PART = 200_000
_FAN_IN = 8


@dataclass(frozen=True)
class Job:
    """What to make of the files.

    Attributes
    ----------
    text, label : str
        Names of the two columns.
    targets : callable
        From the sizes of the classes to those that they shall have.
    gamma, order, seed
        As in :class:`imbtext.EMCO`; the seed is drawn.
    mark : str or None
        Name of the column that marks synthetic rows; None for no such column.
    keep_empty : bool
        Whether a missing text is a document without words rather than an error.
    """

    text: str
    label: str
    targets: Callable[[Mapping[Hashable, int]], Mapping[Hashable, int]]
    gamma: float | str = 1.0
    order: int = 1
    seed: int = 0
    mark: str | None = "synthetic"
    keep_empty: bool = False


@dataclass(frozen=True)
class Written:
    """What was written: original rows, synthetic ones by class, and files."""

    n_originals: int
    n_synthetic: Mapping[Hashable, int]
    n_files: int


def oversample_files(
    paths: Sequence[Path],
    folder: Path,
    job: Job,
    *,
    address: str | None = None,
    overwrite: bool = False,
    quiet: bool = True,
) -> Written:
    """Write the rows of Parquet files and synthetic ones to a folder, whole or not at all.

    Parameters
    ----------
    paths : sequence of Path
        The files, where every worker finds them.
    folder : Path
        The folder to write, where every worker finds it. Until all is written it is called
        ``<folder>.partial``.
    job : Job
        What to do.
    address : str, optional
        The scheduler; see :func:`connected`.
    overwrite : bool, default=False
        Whether an old folder of that name may be replaced.
    quiet : bool, default=True
        Whether to show no progress.
    """
    schema, pieces = parquet_pieces(paths)
    columns, schema = _columns(schema, job)
    with (
        folder_written_whole(folder, overwrite=overwrite) as partial,
        connected(address) as client,
        clear_failures(),
        _shown(client, quiet) as watch,
    ):
        partial = partial.absolute()
        learned = _learn(client, pieces, columns, job, watch)
        summary = client.submit(_summary, learned, key=_key("summarise", learned.key)).result()
        n_parts = -(-sum(summary.values()) // _ROWS_PER_PART)
        tasks = {
            f"part-{i:05}.parquet": client.submit(
                _write_originals,
                piece,
                schema,
                job.mark,
                partial / f"part-{i:05}.parquet",
                key=_key("write-originals", partial, i),
            )
            for i, piece in enumerate(pieces)
        } | {
            f"synthetic-{i:05}.parquet": client.submit(
                _write_synthetic,
                learned,
                (i, n_parts),
                schema,
                (job.text, job.label, job.mark),
                partial / f"synthetic-{i:05}.parquet",
                key=_key("write-synthetic", partial, i),
            )
            for i in range(n_parts)
        }
        watch("writing", list(tasks.values()))
        n_rows = dict(zip(tasks, client.gather(list(tasks.values())), strict=True))
        _settle(partial, n_rows)
    return Written(sum(piece.n_rows for piece in pieces), summary, len(n_rows))


def count_files(
    paths: Sequence[Path],
    job: Job,
    *,
    address: str | None = None,
    quiet: bool = True,
) -> CorpusCounts:
    """Count Parquet files on the workers; only the sum of the counts comes here."""
    schema, pieces = parquet_pieces(paths)
    columns, _ = _columns(schema, job)
    with connected(address) as client, clear_failures(), _shown(client, quiet) as watch:
        return _counted_files(client, pieces, columns, job, watch).result()


Watch = Callable[[str, "Sequence[Future]"], None]


def _columns(schema: "pyarrow.Schema", job: Job) -> "tuple[pyarrow.Schema, pyarrow.Schema]":
    """Return the schema of the two columns, and that of what is written."""
    arrow = require("pyarrow", extra="dask")
    for column in (job.text, job.label):
        if column not in schema.names:
            known = ", ".join(map(repr, schema.names[:20]))
            raise ValueError(f"the files have no column {column!r}; their columns are {known}")
    if job.mark in schema.names:
        raise ValueError(
            f"the files already have a column {job.mark!r}; name the column that marks synthetic "
            "rows otherwise, or leave it out"
        )
    if arrow.types.is_null(schema.field(job.text).type):
        schema = schema.set(schema.names.index(job.text), arrow.field(job.text, arrow.string()))
    columns = arrow.schema([schema.field(job.text), schema.field(job.label)])
    mark = [] if job.mark is None else [arrow.field(job.mark, arrow.bool_())]
    return columns, arrow.schema([*schema, *mark])


def _counted_files(
    client: "Client", pieces: Sequence[Piece], columns: "pyarrow.Schema", job: Job, watch: Watch
) -> "Future":
    level = [
        client.submit(_count, piece, columns, job, key=_key("count-documents", piece, columns, job))
        for piece in pieces
    ]
    watch("counting", level)
    while len(level) > 1:
        groups = [level[start : start + _FAN_IN] for start in range(0, len(level), _FAN_IN)]
        level = [
            client.submit(sum_counts, group, key=_key("add-counts", *(part.key for part in group)))
            for group in groups
        ]
    return level[0]


def _learn(
    client: "Client", pieces: Sequence[Piece], columns: "pyarrow.Schema", job: Job, watch: Watch
) -> "Future":
    counts = _counted_files(client, pieces, columns, job, watch)
    learned = client.submit(
        Synthesis.of,
        counts,
        job.targets,
        job.gamma,
        job.seed,
        key=_key("learn-chains", counts.key, job),
    )
    watch("learning", [learned])
    return learned


def _count(piece: Piece, columns: "pyarrow.Schema", job: Job) -> CorpusCounts:
    table = piece.read(columns)
    name = f"{piece.path}" + (f", behind row {piece.first_row}," if piece.first_row else "")
    return counted(
        table[job.text], table[job.label], name, order=job.order, keep_empty=job.keep_empty
    )


def _summary(learned: Synthesis) -> dict[Hashable, int]:
    return {own.label: own.n for own in learned.classes}


def _write_originals(
    piece: Piece, schema: "pyarrow.Schema", mark: str | None, path: Path
) -> int:
    own = schema if mark is None else schema.remove(schema.names.index(mark))
    return write_table(marked(piece.read(own), schema, mark), path)


def _write_synthetic(
    learned: Synthesis,
    part: tuple[int, int],
    schema: "pyarrow.Schema",
    columns: tuple[str, str, str | None],
    path: Path,
) -> int:
    texts, labels = learned.rows(*learned.bounds(*part))
    return write_table(synthetic_table(texts, labels, schema, columns), path)


def _settle(folder: Path, n_rows: Mapping[str, int]) -> None:
    """Hold that every file is there with its rows; remove what a killed worker left."""
    parquet = require("pyarrow.parquet", extra="dask")
    for file in folder.iterdir():
        if file.name not in n_rows:
            file.unlink()
    for name, expected in n_rows.items():
        found = parquet.read_metadata(folder / name).num_rows
        if found != expected:
            raise RuntimeError(
                f"{folder / name} has {found} rows where {expected} were written; is another run "
                "writing to the same folder?"
            )


def _key(name: str, *identity: Any) -> str:
    return f"{name}-{require('dask', extra='dask').base.tokenize(*identity)}"


@contextmanager
def _shown(client: "Client", quiet: bool) -> Iterator[Watch]:
    """Give a function that waits for tasks and shows their progress in the terminal."""
    distributed = require("distributed", extra="dask")
    with progress_bar(quiet=quiet) as bar:

        def watch(name: str, futures: "Sequence[Future]") -> None:
            shown = bar.add_task(name, total=len(futures))
            try:
                for future in distributed.as_completed(futures):
                    if future.status != "finished":
                        future.result()
                    bar.advance(shown)
            except BaseException:
                client.cancel(list(futures))
                raise

        yield watch
