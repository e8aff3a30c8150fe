"""Dask DataFrames: counted, scored and oversampled where they are stored."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self
from uuid import uuid4

import numpy as np
import pyarrow

from imbtext._extras import require
from imbtext._typing import Label
from imbtext.distributed._cluster import DaskPool
from imbtext.documents._roles import Roles
from imbtext.files._counting import add_up, sum_counts, sum_on_workers
from imbtext.files._in_parts import learn_rows
from imbtext.files._predicting import Scoring, roles_read_by
from imbtext.files._synthetic import (
    CountedRows,
    SyntheticRows,
    accumulator_for,
    fresh_sampler,
)
from imbtext.oversampling._counting import CountingSampler
from imbtext.oversampling._emco import EMCO
from imbtext.randomness import draw_seed
from imbtext.rare._classifier import RareTextClassifier
from imbtext.tables._batches import Batch, TableFile
from imbtext.tables._documents import DocumentReader
from imbtext.tables._errors import check_column
from imbtext.tables._formats import Layout
from imbtext.tables._rules import LabelRules

if TYPE_CHECKING:
    from types import ModuleType

    import pandas
    from dask.dataframe import DataFrame
    from dask.delayed import Delayed
    from pandas.api.extensions import ExtensionDtype


def fit(
    frame: "DataFrame",
    *,
    text: str,
    label: str,
    sampler: CountingSampler | None = None,
    address: str | None = None,
    quiet: bool = True,
) -> CountingSampler:
    """Fit a sampler on a Dask DataFrame.

    The workers count the partitions where they are stored, and the sampler learns from the sum. Use
    it to draw from a sampler, save it or inspect it on this machine while the data stay on the
    cluster.

    Parameters
    ----------
    frame : dask DataFrame
        The documents.
    text, label : str
        Names of the two columns.
    sampler : EMCO or MCO, optional
        A sampler with the parameters to use; by default ``EMCO()``.
    address : str, optional
        The address of the scheduler; see :func:`connected`.
    quiet : bool, default=True
        Whether to show no progress in the terminal.

    Returns
    -------
    sampler : EMCO
        A fitted sampler on this machine, the same as :meth:`imbtext.EMCO.fit` gives on all rows.

    See Also
    --------
    oversample : Adds synthetic rows without leaving the cluster.
    """
    sampler = _fresh(sampler)
    parts = _counts(frame, text, label, sampler)
    with DaskPool(address).workers(quiet=quiet) as workers:
        counts = sum_on_workers(workers, workers.client.compute(parts), "counting")
        return sampler.fit_counts(workers.result(counts).counts)


def oversample(
    frame: "DataFrame",
    *,
    text: str,
    label: str,
    sampler: CountingSampler | None = None,
    synthetic_column: str | None = "synthetic",
    n_partitions: int | None = None,
) -> "DataFrame":
    """Return a Dask DataFrame with synthetic rows after the originals; nothing is computed yet.

    The original partitions come first, with all their columns. Whole numbers and booleans become
    pandas' nullable types, because synthetic rows have no values there. The synthetic rows follow
    in partitions of their own. Their documents are those that ``sampler.fit_resample`` adds to the
    same rows. Write the result with Dask's own methods, such as ``to_parquet``;
    :func:`imbtext.files.oversample_files` writes files whole or not at all.

    Parameters
    ----------
    frame : dask DataFrame
        The documents. It is read twice: once to count, once to write.
    text, label : str
        Names of the two columns.
    sampler : EMCO or MCO, optional
        A sampler with the parameters to use; by default ``EMCO()``.
    synthetic_column : str or None, default="synthetic"
        Name of the column that marks synthetic rows; None for no such column.
    n_partitions : int, optional
        Number of synthetic partitions; by default as many as `frame` has.

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd
    >>> from imbtext import EMCO, minority_share
    >>> texts = ["oil price up", "crude oil price falls"] + ["share price of the firm up"] * 8
    >>> table = pd.DataFrame({"body": texts, "topic": ["oil"] * 2 + ["other"] * 8})
    >>> sampler = EMCO(sampling_strategy=minority_share(0.5), random_state=0)
    >>> longer = oversample(dd.from_pandas(table, 2), text="body", label="topic", sampler=sampler)
    >>> rows = longer.compute(scheduler="synchronous")
    >>> len(rows), int(rows["synthetic"].sum())
    (16, 6)
    """
    dd = require("dask.dataframe", extra="dask")
    sampler = _fresh(sampler)
    parts = _counts(frame, text, label, sampler)
    counts = add_up(parts, _delayed("add-counts", sum_counts))
    if synthetic_column in frame.columns:
        raise ValueError(
            f"the frame already has a column {synthetic_column!r}; choose another "
            "synthetic_column, or pass None to leave it out"
        )
    seed = draw_seed(sampler.random_state)
    new_rows = _delayed("learn-chains", learn_rows)(counts, sampler, seed)
    meta = _originals(frame._meta, text, synthetic_column)
    originals = frame.map_partitions(_originals, text, synthetic_column, meta=meta)
    n_parts = n_partitions or frame.npartitions
    columns = (text, label, synthetic_column)
    draw = _delayed("draw-documents", _draw_part)
    partitions = [draw(new_rows, i, n_parts, meta, columns) for i in range(n_parts)]
    synthetic = dd.from_delayed(partitions, meta=meta, prefix="synthetic", verify_meta=False)
    joined: DataFrame = dd.concat([originals, synthetic], interleave_partitions=False)
    return joined


def predict(
    model: RareTextClassifier,
    frame: "DataFrame",
    *,
    text: str | Sequence[str] | None = None,
    explain: bool = False,
    prefix: str = "",
) -> "DataFrame":
    """Return a Dask DataFrame with a model's predictions for each row; nothing is computed yet.

    The rows and columns are those of `frame`, followed by decision, score, threshold and
    probability, as :func:`imbtext.files.predict_file` writes them. The workers score the partitions
    where they are stored.

    Parameters
    ----------
    model : RareTextClassifier
        A fitted model; it is sent to the workers once.
    frame : dask DataFrame
        The documents.
    text : str or list of str, optional
        The column of the documents, or several; by default those that the model was trained on.
    explain : bool, default=False
        Whether to add the words that speak for and against the class.
    prefix : str, default=""
        What the names of the added columns begin with.

    Examples
    --------
    >>> import dask.dataframe as dd, pandas as pd
    >>> from imbtext import RareTextClassifier
    >>> texts = ["oil price up", "crude oil price"] * 3 + ["rain today", "sun and rain"] * 12
    >>> model = RareTextClassifier(random_state=0).fit(texts, ["oil"] * 6 + ["weather"] * 24)
    >>> frame = dd.from_pandas(pd.DataFrame({"body": ["price of oil", "more rain"]}), 2)
    >>> predict(model, frame, text="body").compute(scheduler="synchronous")["decision"].tolist()
    ['oil', 'weather']
    """
    check_frame(frame, "predict_file for files, or RareTextClassifier.predictions")
    scoring = Scoring(model, roles_read_by(model, text), explain=explain, prefix=prefix)
    for column in scoring.roles.names:
        check_column(column, list(frame.columns), "the frame")
    added = [name for name in scoring.added if name in frame.columns]
    if added:
        raise ValueError(
            f"the frame already has a column {added[0]!r}; give the added columns a prefix"
        )
    meta = frame._meta.assign(
        **{name: "" if kind == pyarrow.string() else 0.0 for name, kind in scoring.added.items()}
    )
    dask = require("dask", extra="dask")
    shared = dask.delayed(scoring, name=f"model-{uuid4().hex}", traverse=False)
    scored: DataFrame = frame.map_partitions(_score_part, shared, meta=meta, align_dataframes=False)
    return scored


def _score_part(part: "pandas.DataFrame", scoring: Scoring) -> "pandas.DataFrame":
    if not len(part):
        return part.assign(**{name: [] for name in scoring.added})
    (documents,) = DocumentReader(scoring.roles).read([PartitionTable.of(part, "the partition")])
    _, cells = scoring.cells(documents, scoring.nothing_seen())
    return part.assign(**cells)


def check_frame(frame: object, instead: str) -> None:
    """Refuse anything but a Dask DataFrame; `instead` is what takes a table in memory."""
    dd = require("dask.dataframe", extra="dask")
    if not isinstance(frame, dd.DataFrame):
        raise TypeError(
            f"expected a Dask DataFrame, not a {type(frame).__name__}; for a table in memory use "
            f"{instead}, or dask.dataframe.from_pandas"
        )


def _fresh(sampler: CountingSampler | None) -> CountingSampler:
    return fresh_sampler(
        sampler,
        (EMCO, CountingSampler),
        "expected an EMCO or MCO, whose counts add up over partitions",
        "counting partitions",
    )


def _counts(frame: "DataFrame", text: str, label: str, sampler: EMCO) -> "list[Delayed]":
    check_frame(frame, "EMCO.fit_resample")
    if text == label:
        raise ValueError(f"text and label are both {text!r}; name two columns")
    for column in (text, label):
        check_column(column, list(frame.columns), "the frame")
    count = _delayed("count-documents", _count_part)
    # Rows without a label are refused: their number could not be reported.
    roles = Roles.of(str(text), label=str(label))
    return [
        count(part, roles, f"partition {i}", sampler)
        for i, part in enumerate(frame[[text, label]].to_delayed())
    ]


def _delayed(name: str, function: Callable[..., object]) -> "Callable[..., Delayed]":
    """Delay a function under a name that the dashboard shows."""
    dask = require("dask", extra="dask")

    def call(*arguments: object) -> "Delayed":
        key = f"{name}-{dask.base.tokenize(function, arguments)}"
        task: Delayed = dask.delayed(function, pure=True)(*arguments, dask_key_name=key)
        return task

    return call


def _count_part(part: "pandas.DataFrame", roles: Roles, name: str, sampler: EMCO) -> CountedRows:
    """Count the two columns of a partition, which errors call `name`, by the rules of files."""
    reader = DocumentReader(roles, LabelRules("refuse"))
    (documents,) = reader.read([PartitionTable.of(part, name)])
    accumulator = accumulator_for(sampler)
    accumulator.add(documents, documents.y)
    return CountedRows(accumulator.result(), reader.tally)


@dataclass(frozen=True)
class PartitionTable(TableFile):
    """A partition of a frame, read by the rules of files; pandas allows any names of columns."""

    frame: Any = None
    unit: ClassVar[str] = "row"

    @classmethod
    def of(cls, frame: "pandas.DataFrame", name: str) -> Self:
        """Return a partition, which errors call `name`, as a table."""
        return cls(Path(), Layout(), name, frame=frame)

    def _read_header(self) -> list[str]:
        return list(map(str, self.frame.columns))

    def check_columns(self, names: Sequence[str]) -> None:
        """Do nothing: the frame was checked as a whole."""

    def batches(self, columns: Sequence[str] | None = None) -> Iterator[Batch]:
        """Return the rows as one batch."""
        kept = [i for i, name in enumerate(self.columns) if columns is None or name in columns]
        try:
            table = pyarrow.Table.from_pandas(self.frame.iloc[:, kept], preserve_index=False)
        except (pyarrow.ArrowException, TypeError, ValueError) as error:
            reason = "; ".join(map(str, error.args))
            raise ValueError(
                f"{self.name} has a column of mixed types ({reason}); convert it to one type"
            ) from error
        yield Batch.from_arrow(table.rename_columns([self.columns[i] for i in kept]))


def _originals(part: "pandas.DataFrame", text: str, mark: str | None) -> "pandas.DataFrame":
    """Give every column a type that has missing values, and mark the rows."""
    pandas = require("pandas", extra="dask")
    nullable = {
        name: dtype
        for name, old in part.dtypes.items()
        if (dtype := _nullable(pandas, old, is_text=name == text)) is not None
    }
    part = part.astype(nullable)
    if mark is not None:
        part[mark] = False
    return part


def _nullable(
    pandas: "ModuleType", dtype: "np.dtype[np.generic] | ExtensionDtype", is_text: bool
) -> str | None:
    """Return the type with missing values that stands for `dtype`; None if it has them already."""
    if is_text and isinstance(dtype, pandas.CategoricalDtype):
        return "string"
    if not isinstance(dtype, np.dtype) or dtype.kind not in "biu":
        return None
    if dtype.kind == "b":
        return "boolean"
    return {"i": "Int", "u": "UInt"}[dtype.kind] + str(8 * dtype.itemsize)


def _draw_part(
    new_rows: SyntheticRows,
    part: int,
    n_parts: int,
    meta: "pandas.DataFrame",
    columns: tuple[str, str, str | None],
) -> "pandas.DataFrame":
    frames = require("pandas", extra="dask")
    text, label, mark = columns
    start, end = (len(new_rows) * i // n_parts for i in (part, part + 1))
    texts, labels = new_rows.draw(start, end)
    index = frames.RangeIndex(len(texts))
    cells: dict[Hashable, Sequence[Label]] = {text: texts, label: labels}
    if mark is not None:
        cells[mark] = [True] * len(texts)
    rows: pandas.DataFrame = frames.DataFrame(
        {name: _column(frames, cells.get(name), meta[name].dtype, index) for name in meta.columns},
        columns=meta.columns,
    )
    return rows


def _column(
    frames: "ModuleType",
    values: Sequence[Label] | None,
    dtype: "np.dtype[np.generic] | ExtensionDtype",
    index: "pandas.RangeIndex",
) -> "pandas.Series":
    """Return new cells as a column of this type; without values, all of them are missing."""
    is_new_category = (
        isinstance(dtype, frames.CategoricalDtype)
        and values is not None
        and not set(values) <= set(dtype.categories)
    )
    column: pandas.Series = frames.Series(
        values, index=index, dtype="category" if is_new_category else dtype
    )
    return column
