"""From a file of documents to the same rows with a decision, a score and a probability each.

Rows pass through: CSV, TSV, JSON lines and Parquet files may be larger than memory. Only the rows
that are asked for by ``top`` or ``uncertain`` are kept, as many as were asked for.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext._files import check_outputs, output_file
from imbtext.tabular import (
    Batch,
    CsvTable,
    DocumentChecks,
    DocumentColumns,
    JsonTable,
    Layout,
    ParquetTable,
    Table,
    TableError,
    check_column,
    label_name,
    open_output,
    row_writer,
    typed,
    write_frame,
)

if TYPE_CHECKING:
    from imbtext.classification import RareTextClassifier

Tell = Callable[[str, int], None]
Cells = dict[str, list[Any]]
Row = tuple[float, int, list[Any], int, str, tuple[Any, ...]]

_FRAME_ROWS: Final = 20_000
_TYPES: Final = {"decision": pl.String, "score": pl.Float64, "probability": pl.Float64}
_WORDS: Final = ("words_for", "words_against")
_N_WORDS: Final = 8


@dataclass(frozen=True)
class Prediction:
    """What is to be written.

    Attributes
    ----------
    model : RareTextClassifier
        Who decides.
    explain : bool
        Whether the words that spoke for and against are added.
    top : int or None
        Only so many rows, those of the highest scores, the highest first.
    uncertain : int or None
        Only so many rows, those nearest to the threshold: most worth a label of a person.
    prefix : str
        What the names of the added columns begin with.
    """

    model: "RareTextClassifier"
    explain: bool = False
    top: int | None = None
    uncertain: int | None = None
    prefix: str = ""

    def __post_init__(self) -> None:
        if self.top is not None and self.uncertain is not None:
            raise ValueError("the top rows and the uncertain rows are two files; ask for one")

    @property
    def columns(self) -> list[str]:
        """The columns that are added."""
        return [self.prefix + name for name in (*_TYPES, *(_WORDS if self.explain else ()))]

    @property
    def schema(self) -> dict[str, Any]:
        """The types of the columns that are added."""
        return {
            self.prefix + name: _TYPES.get(name, pl.String)
            for name in (*_TYPES, *(_WORDS if self.explain else ()))
        }

    def cells(self, texts: Sequence[str]) -> tuple[Cells, NDArray[np.float64]]:
        """Return the added cells of some documents, and their scores."""
        found = self.model.predictions(texts)
        cells: Cells = {
            "decision": [_shown(label) for label in found.decisions],
            "score": [round(score, 6) for score in found.scores.tolist()],
            "probability": [round(share, 6) for share in found.probabilities.tolist()],
        }
        if self.explain:
            reasons = self.model.explanations(texts)
            cells["words_for"] = [", ".join(r.words_for[:_N_WORDS]) for r in reasons]
            cells["words_against"] = [", ".join(r.words_against[:_N_WORDS]) for r in reasons]
        return {self.prefix + name: values for name, values in cells.items()}, found.scores


def predict_file(
    table: Table,
    target: Path,
    layout: Layout,
    text: str,
    request: Prediction,
    tell: Tell = lambda *_: None,
) -> dict[str, int]:
    """Write the rows of a table with what a model says of them, whole or not at all.

    Parameters
    ----------
    table : table
        What to read, from :func:`imbtext.tabular.open_table`.
    target : Path
        Where to write; ``-`` is standard output. Never the file that is read.
    layout : Layout
        How to write.
    text : str
        The column of the documents.
    request : Prediction
        Who decides, and which rows are wanted.
    tell : callable
        Hears of the progress.

    Returns
    -------
    dict of str to int
        How many of all rows got each decision.
    """
    check_outputs([target], [table.path])
    counts: Counter[str] = Counter()
    with output_file(target) as partial:
        checks = DocumentChecks.of(table, DocumentColumns(text))
        if isinstance(table, ParquetTable) or layout.format == "parquet":
            _predict_frames(table, partial, layout, checks, request, counts, tell)
        else:
            with open_output(partial) as stream:
                _predict_rows(table, stream, layout, checks, request, counts, tell)
        if not checks.n_rows:
            raise TableError(f"{table.name} has no rows")
    return dict(counts)


def _predict_rows(
    table: CsvTable | JsonTable,
    stream: IO[bytes],
    layout: Layout,
    checks: DocumentChecks,
    request: Prediction,
    counts: Counter[str],
    tell: Tell,
) -> None:
    header = table.header()
    if isinstance(table, JsonTable) and layout.format != "jsonl":
        header = table.all_columns()
    elif isinstance(table, CsvTable) and layout.format == "jsonl":
        for column in header:
            check_column(column, header, table.name)
    _check_added(header, request, table.name)
    writer = row_writer(stream, layout, [*header, *request.columns])
    kept = _Kept(request)
    for batch in table.batches():
        _check_added(batch.columns, request, table.name)
        cells, scores = request.cells(checks.texts(batch))
        counts.update(cells[request.columns[0]])
        if kept.limit is None:
            writer.originals(batch, cells)
        else:
            kept.add(batch, cells, scores)
        header = batch.columns
        tell("scoring", len(batch.rows))
    if kept.rows:
        batch, cells = kept.batch(header, request.columns)
        writer.originals(batch, cells)


def _predict_frames(
    table: Table,
    partial: Path,
    layout: Layout,
    checks: DocumentChecks,
    request: Prediction,
    counts: Counter[str],
    tell: Tell,
) -> None:
    """Pass frames through a file that is, or becomes, Parquet."""
    schema = _schema(table)
    _check_added(list(schema), request, table.name)
    kept = _Kept(request)

    def scored() -> Iterator[pl.DataFrame]:
        first = 0
        for frame in _frames(table, schema):
            rows = [[value] for value in frame[checks.columns.text].to_list()]
            lines = list(range(first + 1, first + 1 + len(rows)))
            cells, scores = request.cells(checks.texts(Batch(rows, lines, [checks.columns.text])))
            counts.update(cells[request.columns[0]])
            first += len(rows)
            whole = frame.with_columns(
                pl.Series(name, values, dtype=request.schema[name])
                for name, values in cells.items()
            )
            tell("scoring", len(rows))
            if kept.limit is None:
                yield whole
            else:
                listed = list(map(list, whole.rows()))
                kept.add(Batch(listed, lines, whole.columns), {}, scores)
        if kept.rows:
            batch, _ = kept.batch([], [])
            yield pl.DataFrame(batch.rows, schema={**schema, **request.schema}, orient="row")

    if layout.format == "parquet":
        _sink(scored, {**schema, **request.schema}, partial)
        return
    with open_output(partial) as stream:
        for n, frame in enumerate(scored()):
            write_frame(frame, stream, layout, header=n == 0)


def _sink(frames: Callable[[], Iterator[pl.DataFrame]], schema: dict[str, Any], path: Path) -> None:
    """Write frames to a Parquet file as they come."""
    from polars.io.plugins import register_io_source

    problems: list[Exception] = []

    def source(*_: Any) -> Iterator[pl.DataFrame]:
        try:
            yield from frames()
        except Exception as error:
            problems.append(error)
            raise

    try:
        register_io_source(source, schema=schema).sink_parquet(path)
    except pl.exceptions.PolarsError:
        # Polars wraps what went wrong while reading in words of its own.
        if problems:
            raise problems[0] from None
        raise


def _schema(table: Table) -> dict[str, Any]:
    if isinstance(table, ParquetTable):
        return dict(_scan(table).collect_schema())
    (with_types,) = typed([table])
    return dict(pl.DataFrame(with_types.schema.empty_table()).schema)


def _frames(table: Table, schema: dict[str, Any]) -> Iterator[pl.DataFrame]:
    if not isinstance(table, ParquetTable):
        for batch in table.batches():
            yield pl.DataFrame({name: batch.column(name) for name in schema}, schema=schema)
        return
    lazy = _scan(table)
    first = 0
    while (frame := lazy.slice(first, _FRAME_ROWS).collect()).height:
        yield frame
        first += frame.height


def _scan(table: ParquetTable) -> pl.LazyFrame:
    try:
        lazy = pl.scan_parquet(table.path)
        lazy.collect_schema()
    except (pl.exceptions.PolarsError, OSError):
        return table.frame().lazy()  # compressed as a whole, or damaged: it says which
    return lazy


class _Kept:
    """The rows that were asked for, the best so far."""

    def __init__(self, request: Prediction) -> None:
        self.by_doubt = request.uncertain is not None
        self.limit = request.uncertain if self.by_doubt else request.top
        self.rows: list[Row] = []
        self.n_seen = 0

    def add(self, batch: Batch, cells: Cells, scores: NDArray[np.float64]) -> None:
        keys = -np.abs(scores) if self.by_doubt else scores
        for i, key in enumerate(keys.tolist()):
            self.n_seen += 1
            # Of equals the first stays.
            entry: Row = (key, -self.n_seen, [], 0, "", ())
            if len(self.rows) == self.limit and (not self.rows or entry < self.rows[0]):
                continue
            raw = batch.raw[i] if batch.raw else ""
            added = tuple(values[i] for values in cells.values())
            full: Row = (key, -self.n_seen, batch.rows[i], batch.lines[i], raw, added)
            (heapq.heappush if len(self.rows) < (self.limit or 0) else heapq.heapreplace)(
                self.rows, full
            )

    def batch(self, columns: list[str], added: Sequence[str]) -> tuple[Batch, Cells]:
        best = sorted(self.rows, reverse=True)
        raw = [row[4] for row in best]
        cells = {name: [row[5][i] for row in best] for i, name in enumerate(added)}
        return (
            Batch(
                [row[2] for row in best],
                [row[3] for row in best],
                columns,
                raw if any(raw) else [],
            ),
            cells,
        )


def _shown(label: Any) -> str:
    if isinstance(label, set | frozenset):
        return "; ".join(sorted(map(label_name, label)))
    return label_name(label.item() if isinstance(label, np.generic) else label)


def _check_added(columns: Sequence[str], request: Prediction, name: str) -> None:
    for column in request.columns:
        if column in columns:
            raise TableError(
                f"{name} already has a column {column!r}; give the added columns a prefix",
                "prefix",
                "model-",
            )
