"""From a file of documents to a file with synthetic ones behind them.

Text formats are read twice and never held in memory: the first pass copies the rows to the output
and counts the labels, the second learns; then the synthetic rows follow. Tables that come from or
go to Parquet are held in memory.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import polars as pl

from imbtext.bulk.plan import Plan, label_name
from imbtext.bulk.streaming import Batches, Request, generate
from imbtext.tabular import (
    CsvTable,
    JsonTable,
    Layout,
    check_column,
    open_output,
    open_table,
    output_file,
    read_frame,
    row_writer,
    write_frame,
)


@dataclass(frozen=True)
class Task:
    """What ``imbtext oversample`` was asked to do.

    Attributes
    ----------
    text, label : str
        Names of the two columns.
    plan : Plan
        How many documents.
    mark : str or None
        Name of the column that marks synthetic rows; None for no such column.
    keep_empty : bool
        Whether a missing text is a document without words rather than an error.
    method, gamma, order, seed, n_jobs
        As in :class:`imbtext.bulk.streaming.Request`.
    tell : callable
        Gets a word on what is going on and the number of rows done.
    """

    text: str
    label: str
    plan: Plan = field(default_factory=Plan)
    mark: str | None = "synthetic"
    keep_empty: bool = False
    method: str = "emco"
    gamma: float | str = 1.0
    order: int = 1
    seed: int | None = 0
    n_jobs: int | None = None
    tell: Callable[[str, int], None] = lambda *_: None

    def request(self, present: dict[Hashable, int]) -> Request:
        """Settle what to generate, once the classes are known."""
        return Request(
            present=present,
            targets=self.plan.targets(present),
            method=self.method,
            gamma=self.gamma,
            order=self.order,
            seed=self.seed,
            n_jobs=self.n_jobs,
        )


@dataclass(frozen=True)
class Done:
    """What came of it: the number of original rows, and of synthetic ones by class."""

    n_originals: int
    n_synthetic: dict[str, int]


def oversample_file(
    source: Path, layout: Layout, target: Path, target_layout: Layout, task: Task, name: str
) -> Done:
    """Write the rows of `source` and synthetic ones to `target`, whole or not at all.

    Parameters
    ----------
    source : Path
        A file that can be read twice.
    layout, target_layout : Layout
        How the input is written, and how the output shall be.
    target : Path
        Where to write; ``-`` is standard output. Never the file that is read.
    task : Task
        What to do.
    name : str
        What messages call the input.
    """
    if target.exists() and target.samefile(source):
        raise ValueError(f"{target} is the input itself; name another file for the output")
    if task.text == task.label:
        raise ValueError(f"text and label are both {task.text!r}; name two columns")
    with output_file(target) as partial, open_output(partial) as stream:
        if "parquet" in (layout.format, target_layout.format):
            frame = read_frame(source, layout, name)
            return _oversample_frame(frame, layout, stream, target_layout, task, name)
        table = open_table(source, layout, name)
        return _oversample_rows(table, stream, target_layout, task)


def _oversample_rows(
    table: CsvTable | JsonTable, stream: IO[bytes], target_layout: Layout, task: Task
) -> Done:
    from_json = isinstance(table, JsonTable)
    delimiter = None if from_json else table.layout.delimiter
    header = table.header()
    _check_columns(header, task, table.name, delimiter)
    if isinstance(table, JsonTable) and target_layout.format != "jsonl":
        header = table.all_columns()
    elif not from_json and target_layout.format == "jsonl":
        for column in header:
            check_column(column, header, table.name)
    writer = row_writer(stream, task.mark, target_layout, header)
    checks = _Checks(task, table.name, missing=(None,) if from_json else (None, ""))

    labels: Counter[Hashable] = Counter()
    for batch in table.batches():
        header = batch.columns
        _check_mark(header, task, table.name)
        checks.texts(batch.column(task.text), batch.lines)
        labels.update(checks.labels(batch.column(task.label), batch.lines))
        writer.originals(batch)
        task.tell("reading", len(batch.rows))

    def second_pass() -> Iterator[tuple[list[str], list[Any]]]:
        for batch in table.batches():
            texts = [text or "" for text in batch.column(task.text)]
            yield texts, batch.column(task.label)
            task.tell("learning", len(texts))

    made: Counter[str] = Counter()
    request = task.request(checks.classes(labels))
    for label, documents in _generated(second_pass, request):
        rows = ((document, label) for document in documents)
        writer.synthetic(header, task.text, task.label, rows)
        made[label_name(label)] += len(documents)
        task.tell("writing", len(documents))
    return Done(labels.total(), dict(made))


def _oversample_frame(
    frame: pl.DataFrame,
    layout: Layout,
    stream: IO[bytes],
    target_layout: Layout,
    task: Task,
    name: str,
) -> Done:
    _check_columns(
        frame.columns, task, name, layout.delimiter if layout.format != "jsonl" else None
    )
    if frame.schema[task.text] in (pl.Categorical, pl.Enum):
        frame = frame.with_columns(pl.col(task.text).cast(pl.String))
    from_cells = layout.format in ("csv", "tsv")
    checks = _Checks(task, name, missing=(None, "") if from_cells else (None,), unit="row")
    texts, values = frame[task.text].to_list(), frame[task.label].to_list()
    numbers = range(1, frame.height + 1)
    checks.texts(texts, numbers)
    labels: Counter[Hashable] = Counter(checks.labels(values, numbers))
    task.tell("reading", frame.height)

    def all_rows() -> Iterator[tuple[list[str], list[Any]]]:
        yield [text or "" for text in texts], values
        task.tell("learning", len(texts))

    made: Counter[str] = Counter()
    new_texts: list[str] = []
    new_labels: list[Any] = []
    for label, documents in _generated(all_rows, task.request(checks.classes(labels))):
        new_texts += documents
        new_labels += [label] * len(documents)
        made[label_name(label)] += len(documents)
        task.tell("writing", len(documents))
    new = pl.DataFrame(
        {
            task.text: pl.Series(new_texts, dtype=frame.schema[task.text]),
            task.label: pl.Series(new_labels, dtype=frame.schema[task.label]),
        }
    )
    if task.mark is not None:
        frame = frame.with_columns(pl.lit(False).alias(task.mark))
        new = new.with_columns(pl.lit(True).alias(task.mark))
    write_frame(pl.concat([frame, new], how="diagonal"), stream, target_layout)
    return Done(frame.height, dict(made))


def _generated(batches: Batches, request: Request) -> Iterator[tuple[Hashable, list[str]]]:
    # With nothing to add there is nothing to learn, and no second pass.
    return generate(batches, request) if request.missing() else iter(())


def _check_columns(
    columns: Sequence[str], task: Task, name: str, delimiter: str | None = None
) -> None:
    for column in (task.text, task.label):
        check_column(column, columns, name, delimiter)
    _check_mark(columns, task, name)


def _check_mark(columns: Sequence[str], task: Task, name: str) -> None:
    if task.mark in columns:
        raise ValueError(
            f"{name} already has a column {task.mark!r}; name the column that marks synthetic rows "
            f"with --synthetic-column NAME, or leave it out with --no-synthetic-column"
        )


@dataclass(frozen=True)
class _Checks:
    """Refuses cells that are no text or no label, with the line they are in."""

    task: Task
    name: str
    missing: tuple[str | None, ...]
    unit: str = "line"

    def texts(self, texts: Sequence[Any], lines: Sequence[int]) -> None:
        for text, line in zip(texts, lines, strict=True):
            if text in self.missing and not self.task.keep_empty:
                raise ValueError(
                    f"{self.unit} {line} of {self.name} has no text in column {self.task.text!r}; "
                    f"fill or drop such rows, or pass --keep-empty to keep them as documents "
                    f"without words"
                )
            if text is not None and not isinstance(text, str):
                raise ValueError(
                    f"{self.unit} {line} of {self.name} has {text!r:.40} "
                    f"({type(text).__name__}) in column {self.task.text!r}; texts must be strings"
                )
            if text and not text.isascii():
                try:
                    text.encode()
                except UnicodeEncodeError as error:
                    raise ValueError(
                        f"{self.unit} {line} of {self.name} has half a surrogate pair in column "
                        f"{self.task.text!r}, which is no character; repair or drop the row"
                    ) from error

    def labels(self, labels: Sequence[Any], lines: Sequence[int]) -> Sequence[Hashable]:
        for label, line in zip(labels, lines, strict=True):
            if label in (None, "") or label != label:  # noqa: PLR0124  NaN
                raise ValueError(
                    f"{self.unit} {line} of {self.name} has no label in column "
                    f"{self.task.label!r}; give it one or drop the row"
                )
            if isinstance(label, list | dict):
                raise ValueError(
                    f"{self.unit} {line} of {self.name} has {label!r:.40} "
                    f"({type(label).__name__}) in column {self.task.label!r}; a label must be a "
                    f"string or a number"
                )
        return labels

    def classes(self, counts: Counter[Hashable]) -> dict[Hashable, int]:
        """Return the classes in sorted order; there must be two of one kind."""
        if not counts:
            raise ValueError(f"{self.name} has no rows")
        if len(counts) < 2:
            (only,) = counts
            raise ValueError(
                f"column {self.task.label!r} of {self.name} has the single class "
                f"{label_name(only)!r}; at least two classes are needed"
            )
        kinds = {_kind(label) for label in counts}
        if len(kinds) > 1:
            raise ValueError(
                f"column {self.task.label!r} of {self.name} mixes {' and '.join(sorted(kinds))}; "
                f"use labels of one kind"
            )
        return {label: counts[label] for label in sorted(counts)}  # type: ignore[type-var]


def _kind(label: Hashable) -> str:
    if isinstance(label, bool):
        return "true/false"
    if isinstance(label, int | float):
        return "numbers"
    return "strings" if isinstance(label, str) else type(label).__name__
