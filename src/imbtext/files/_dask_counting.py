"""Counting where the data lie: one task per partition, and a tree that adds the counts up."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import pyarrow as arrow

from imbtext._extras import require
from imbtext.documents import Tokenizer
from imbtext.files._cluster import Watch
from imbtext.markov import CorpusCounts, CountsAccumulator
from imbtext.tables import Batch, DocumentColumns, DocumentReader, kind_of_label

if TYPE_CHECKING:
    import pandas
    from distributed import Client, Future

Part = TypeVar("Part")
# Each sum adds so many; a tree over a thousand partitions has four levels.
_FAN_IN = 8


def counted(
    part: "pandas.DataFrame",
    columns: DocumentColumns,
    name: str,
    *,
    order: int = 1,
    tokenizer: Tokenizer | None = None,
    surface: bool = False,
) -> CorpusCounts:
    """Count the two columns of a partition, which errors call `name`, by the rules of files.

    pandas names columns by numbers and tuples as well, `columns` by strings: they are in one order.
    """
    try:
        table = arrow.Table.from_pandas(part, preserve_index=False).rename_columns(columns.names)
    except (arrow.ArrowException, TypeError, ValueError) as error:
        reason = "; ".join(map(str, error.args))
        raise ValueError(f"{name} has a column of no one type ({reason})") from error
    documents = DocumentReader(columns, name, "row").documents(Batch.from_arrow(table))
    accumulator = CountsAccumulator(order, tokenizer, surface=surface)
    accumulator.add(documents.texts, documents.labels)
    return accumulator.result()


def added_up(parts: "Sequence[Part]", add: "Callable[[Sequence[Part]], Part]") -> "Part":
    """Add up counts in a tree; `add` is what makes a task of some of them."""
    level = list(parts)
    while len(level) > 1:
        level = [add(level[start : start + _FAN_IN]) for start in range(0, len(level), _FAN_IN)]
    return level[0]


def added_up_now(client: "Client", counts: "list[Future[Any]]", watch: Watch) -> "Future[Any]":
    """Add up counts that are being made; `counts` is emptied, see :func:`working`."""

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
