"""Dask DataFrames in, fitted samplers and longer Dask DataFrames out."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from imbtext._extras import require
from imbtext.files._cluster import working
from imbtext.files._dask_counting import added_up, added_up_now, counted, named, sum_counts
from imbtext.files._synthesis import Synthesis
from imbtext.markov import CorpusCounts
from imbtext.oversampling import EMCO, missing_documents
from imbtext.randomness import draw_seed
from imbtext.tables import DocumentColumns, check_column

if TYPE_CHECKING:
    import pandas
    from dask.dataframe import DataFrame
    from dask.delayed import Delayed


def fit(
    frame: "DataFrame",
    *,
    text: str,
    label: str,
    sampler: EMCO | None = None,
    address: str | None = None,
    quiet: bool = True,
) -> EMCO:
    """Count the partitions of a Dask DataFrame where they lie, and learn the chains from that.

    Parameters
    ----------
    frame : dask DataFrame
        The documents.
    text, label : str
        Names of the two columns.
    sampler : EMCO or MCO, optional
        Its parameters are taken; by default ``EMCO()``.
    address : str, optional
        The scheduler; see :func:`connected`.
    quiet : bool, default=True
        Whether to show no progress in the terminal.

    Returns
    -------
    sampler : EMCO
        Fitted on this machine, as :meth:`imbtext.EMCO.fit` on all rows would: to sample from, to
        save, to take home. Only the counts came to it.
    """
    sampler = _checked(sampler)
    parts = _counts(frame, text, label, sampler)
    with working(address, quiet=quiet) as (client, watch):
        counts = added_up_now(client, client.compute(parts), watch)
        return sampler.fit_counts(counts.result())


def oversample(
    frame: "DataFrame",
    *,
    text: str,
    label: str,
    sampler: EMCO | None = None,
    synthetic_column: str | None = "synthetic",
    n_partitions: int | None = None,
) -> "DataFrame":
    """Return the rows of a Dask DataFrame with synthetic ones behind them; nothing is computed yet.

    The original partitions come first, with all their columns; whole numbers and booleans become
    pandas' nullable types, because synthetic rows have none. The synthetic rows follow in
    partitions of their own, drawn by the workers: the documents are those that
    ``sampler.fit_resample`` adds to the same rows. Write them with Dask's own methods, such as
    ``to_parquet``; :func:`oversample_files` writes files whole or not at all.

    Parameters
    ----------
    frame : dask DataFrame
        The documents. It is read twice: once to count, once to write.
    text, label : str
        Names of the two columns.
    sampler : EMCO or MCO, optional
        Its parameters are taken; by default ``EMCO()``.
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
    sampler = _checked(sampler)
    if sampler.prunes:
        raise ValueError(
            "min_count and max_words tell what they change when counts are there, and nothing is "
            "computed yet; fit such a sampler with distributed.fit, or use oversample_files"
        )
    parts = _counts(frame, text, label, sampler)
    counts = added_up(parts, named("add-counts", sum_counts))
    if synthetic_column in frame.columns:
        raise ValueError(
            f"the frame already has a column {synthetic_column!r}; name the column that marks "
            "synthetic rows otherwise, or pass synthetic_column=None"
        )
    learned = named("learn-chains", _learn)(
        counts,
        sampler.sampling_strategy,
        sampler.gamma,
        draw_seed(sampler.random_state),
        sampler.tokenizer,
    )
    meta = _originals(frame._meta, text, synthetic_column)
    originals = frame.map_partitions(_originals, text, synthetic_column, meta=meta)
    n_parts = n_partitions or frame.npartitions
    drawn = [
        named("draw-documents", _drawn)(learned, i, n_parts, meta, (text, label, synthetic_column))
        for i in range(n_parts)
    ]
    synthetic = dd.from_delayed(drawn, meta=meta, prefix="synthetic", verify_meta=False)
    return dd.concat([originals, synthetic], interleave_partitions=False)


def _checked(sampler: EMCO | None) -> EMCO:
    from sklearn.base import clone

    if sampler is None:
        return EMCO()
    if not isinstance(sampler, EMCO):
        raise TypeError(
            f"the sampler is a {type(sampler).__name__}; expected an EMCO or MCO, whose counts add "
            "up over partitions"
        )
    sampler._validate_params()
    sampler.check_counts_suffice("counting partitions")
    return clone(sampler)


def _counts(frame: Any, text: str, label: str, sampler: EMCO) -> "list[Delayed]":
    dd = require("dask.dataframe", extra="dask")
    if not isinstance(frame, dd.DataFrame):
        raise TypeError(
            f"expected a Dask DataFrame, not a {type(frame).__name__}; for a table in memory use "
            "EMCO.fit_resample, or dask.dataframe.from_pandas"
        )
    if text == label:
        raise ValueError(f"text and label are both {text!r}; name two columns")
    for column in (text, label):
        check_column(column, list(frame.columns), "the frame")
    count, columns = named("count-documents", counted), DocumentColumns(str(text), str(label))
    counting = {name: getattr(sampler, name) for name in ("order", "tokenizer", "surface")}
    return [
        count(part, columns, f"partition {i}", **counting)
        for i, part in enumerate(frame[[text, label]].to_delayed())
    ]


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


def _nullable(pandas: Any, dtype: Any, is_text: bool) -> Any:
    if is_text and isinstance(dtype, pandas.CategoricalDtype):
        return "string"
    kind = getattr(dtype, "kind", "O")
    if isinstance(dtype, pandas.api.extensions.ExtensionDtype) or kind not in "biu":
        return None
    return {"b": "boolean"}.get(kind) or {"i": "Int", "u": "UInt"}[kind] + str(8 * dtype.itemsize)


def _learn(
    counts: CorpusCounts, strategy: Any, gamma: float | str, seed: int, tokenizer: Any
) -> Synthesis:
    missing = missing_documents(strategy, counts.sorted_sizes())
    return Synthesis.of(counts, missing, gamma, seed, tokenizer)


def _drawn(
    learned: Synthesis,
    part: int,
    n_parts: int,
    meta: "pandas.DataFrame",
    columns: tuple[str, str, str | None],
) -> "pandas.DataFrame":
    pandas = require("pandas", extra="dask")
    text, label, mark = columns
    bounds = [len(learned) * i // n_parts for i in (part, part + 1)]
    texts, labels = learned.rows(*bounds)
    index = pandas.RangeIndex(len(texts))
    given: dict[Hashable, Any] = {text: texts, label: labels}
    if mark is not None:
        given[mark] = [True] * len(texts)
    return pandas.DataFrame(
        {name: _column(pandas, given.get(name), meta[name].dtype, index) for name in meta.columns},
        columns=meta.columns,
    )


def _column(pandas: Any, values: list[Any] | None, dtype: Any, index: Any) -> Any:
    if isinstance(dtype, pandas.CategoricalDtype):
        unknown = values is not None and not set(values) <= set(dtype.categories)
        dtype = "category" if unknown else dtype
    return pandas.Series(values, index=index, dtype=dtype)
