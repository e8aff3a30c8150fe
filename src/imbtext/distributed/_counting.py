"""Counting where the data lie: one task per partition, and a tree that adds the counts up."""

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import polars as pl
import pyarrow as arrow

from imbtext._extras import require
from imbtext.distributed._watching import Watch
from imbtext.markov import CorpusCounts, CountsAccumulator
from imbtext.tabular import kind_of_label
from imbtext.tokenization import Tokenizer

if TYPE_CHECKING:
    from dask.delayed import Delayed

    from distributed import Client, Future

Part = TypeVar("Part")
# Each sum adds so many; a tree over a thousand partitions has four levels.
_FAN_IN = 8


def counted(
    texts: Any,
    labels: Any,
    name: str,
    *,
    order: int = 1,
    tokenizer: Tokenizer | None = None,
    surface: bool = False,
) -> CorpusCounts:
    """Count one partition.

    Parameters
    ----------
    texts, labels : pandas Series or Arrow array
        Its two columns.
    name : str
        What errors call it.
    order, tokenizer, surface
        As in :class:`imbtext.EMCO`.
    """
    accumulator = CountsAccumulator(order, tokenizer, surface=surface)
    accumulator.add(_texts(texts, name), _labels(labels, name))
    return accumulator.result()


def added_up(parts: "Sequence[Part]", add: "Callable[[Sequence[Part]], Part]") -> "Part":
    """Add up counts in a tree; `add` is what makes a task of some of them."""
    level = list(parts)
    while len(level) > 1:
        level = [add(level[start : start + _FAN_IN]) for start in range(0, len(level), _FAN_IN)]
    return level[0]


def added_up_delayed(parts: "Sequence[Delayed]") -> "Delayed":
    """Add up delayed counts."""
    if not parts:
        return require("dask", extra="dask").delayed(sum_counts)([])
    return added_up(parts, named("add-counts", sum_counts))


def added_up_now(client: "Client", counts: "list[Future[Any]]", watch: Watch) -> "Future[Any]":
    """Add up counts that are being made; `counts` is emptied, see :func:`watching`."""

    def add(parts: "Sequence[Future[Any]]") -> "Future[Any]":
        key = f"add-counts-{uuid4().hex}"
        # Sums go before counts that wait, so that few counts lie in memory at a time.
        return client.submit(sum_counts, list(parts), key=key, priority=1)

    whole = added_up(counts, add)
    watch("counting", counts)
    watch("adding up", [whole])
    return whole


def named(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Delay a function under a name that the dashboard shows."""
    dask = require("dask", extra="dask")

    def call(*arguments: Any, **options: Any) -> Any:
        key = f"{name}-{dask.base.tokenize(function, arguments, options)}"
        return dask.delayed(function, pure=True)(*arguments, dask_key_name=key, **options)

    return call


def sum_counts(parts: list[CorpusCounts]) -> CorpusCounts:
    """Add up counts, like with like."""
    accumulator = CountsAccumulator(parts[0].order if parts else 1)
    for part in parts:
        accumulator.merge(part)
    counts = accumulator.result()
    kinds = sorted({kind_of_label(label) for label in counts.sizes})
    if len(kinds) > 1:
        raise ValueError(
            f"some partitions have {' and others '.join(kinds)} for labels; use labels of one kind"
        )
    return counts


def _texts(column: Any, name: str) -> pl.Series:
    series = _polars(column, name, "texts")
    if series.dtype == pl.Null:
        series = series.cast(pl.String)
    if series.dtype != pl.String:
        raise ValueError(
            f"the texts of {name} are of type {series.dtype}; they must be strings: name another "
            "column, or convert it first"
        )
    return series.fill_null("")


def _labels(column: Any, name: str) -> list[Hashable]:
    series = _polars(column, name, "labels")
    if series.dtype.is_nested():
        raise ValueError(
            f"the labels of {name} are of type {series.dtype}; a label must be a string or a number"
        )
    if series.dtype.is_float():
        series = series.fill_nan(None)
    if series.dtype == pl.String:
        series = series.replace("", None)
    if series.null_count():
        row = series.is_null().arg_max()
        raise ValueError(f"row {row} of {name} has no label; give it one or drop the row")
    return series.to_list()


def _polars(column: Any, name: str, what: str) -> pl.Series:
    try:
        array = column if _is_arrow(column) else arrow.array(column, from_pandas=True)
        if arrow.types.is_dictionary(array.type):
            array = array.cast(array.type.value_type)
        series = pl.from_arrow(array)
    except (arrow.ArrowException, pl.exceptions.PolarsError, TypeError, ValueError) as error:
        raise ValueError(
            f"the {what} of {name} are of no one type that can be read ({error})"
        ) from error
    return series if isinstance(series, pl.Series) else pl.Series(series)


def _is_arrow(column: Any) -> bool:
    return isinstance(column, arrow.Array | arrow.ChunkedArray)
