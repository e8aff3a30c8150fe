"""What rows of contestants say: means, differences with intervals over sources, kept promises."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy.stats import binom

from sets import HERE

MEASURES = {
    "average_precision": "average precision",
    "f1": "F1",
    "f2": "F2",
    "recall_at_precision": "recall at precision 0.9",
}
PROMISES = {
    "kept_recall": "interval of recall kept",
    "width_recall": "its width",
    "kept_precision": "interval of precision kept",
    "width_precision": "its width",
}
SECONDS = "cpu_seconds"
SURPRISE, RESAMPLES, LEAST_SOURCES = 0.025, 10_000, 5


class Difference(NamedTuple):
    """How much one contestant reaches more than another: a mean, its interval, and sources won.

    The interval is NaN if there are too few sources for a bootstrap.
    """

    first: str
    second: str
    measure: str
    mean: float
    low: float
    high: float
    n_won: int
    n_sources: int


def read_rows(out: Path) -> pl.DataFrame:
    """Return the rows of all contestants, with facts about the sets and whether promises held."""
    tables = [
        pl.read_csv(path, schema_overrides={"size": pl.String}, infer_schema_length=None)
        .with_columns(pl.exclude("set", "label", "size").cast(pl.Float64))
        .with_columns(contestant=pl.lit(path.stem))
        for path in sorted(out.glob("*.csv"))
        if (HERE / "contestants" / f"{path.stem}.py").exists()
    ]
    facts = pl.read_csv(HERE / "sets.csv").select(
        "title", "language", "source", "constants", set="name"
    )
    rows = pl.concat(tables).join(facts, on="set", maintain_order="left")
    recall = ("recall_low", "recall_high", "found", "n_tested")
    precision = ("precision_low", "precision_high", "found", "alarms")
    return rows.with_columns(
        kept_recall=pl.struct(recall).map_elements(_kept, pl.Float64),
        kept_precision=pl.struct(precision).map_elements(_kept, pl.Float64),
        width_recall=(pl.col("recall_high") - pl.col("recall_low")).fill_nan(None),
        width_precision=(pl.col("precision_high") - pl.col("precision_low")).fill_nan(None),
    )


def whole(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """Return the rows of contestants that have run on every class, and the names of the others.

    Means over different classes could not be compared.
    """
    n_classes = rows.select("set", "label").n_unique()
    counts = rows.group_by("contestant").agg(n=pl.struct("set", "label").n_unique())
    begun = counts.filter(pl.col("n") < n_classes)["contestant"].sort().to_list()
    return rows.filter(~pl.col("contestant").is_in(begun)), begun


def _kept(row: dict[str, float]) -> float | None:
    low, high, hits, n = row.values()
    return None if np.isnan(low) or not n else float(agrees(low, high, int(hits), int(n)))


def agrees(low: float, high: float, hits: int, n: int) -> bool:
    """Return whether `hits` of `n` are no surprise if the truth is between `low` and `high`.

    >>> agrees(0.5, 0.7, 9, 20), agrees(0.5, 0.7, 3, 20)
    (True, False)
    """
    if hits < low * n:
        return bool(binom.cdf(hits, n, low) >= SURPRISE)
    return bool(hits <= high * n or binom.sf(hits - 1, n, high) >= SURPRISE)


def means(rows: pl.DataFrame, by: tuple[str, ...] = ()) -> pl.DataFrame:
    """Return the mean of every measure by contestant: over draws, then classes, then sets."""
    values = pl.col(*MEASURES, *PROMISES, SECONDS).mean()
    keys = ["contestant", *by]
    for within in (["source", "set", "size", "label"], ["source", "set", "size"], ["source"]):
        levels = [*keys, *(key for key in within if key not in by)]
        rows = rows.group_by(levels, maintain_order=True).agg(values)
    return rows.group_by(keys, maintain_order=True).agg(values)


def differences(rows: pl.DataFrame, measure: str) -> Iterator[Difference]:
    """Yield every pair of contestants on what both have run."""
    sources = means(rows, ("source",)).pivot("contestant", index="source", values=measure)
    for first, second in combinations(sorted(set(rows["contestant"])), 2):
        both = sources.select(pl.col(first) - pl.col(second)).to_series().drop_nulls().to_numpy()
        if len(both):
            low = high = np.nan
            if len(both) >= LEAST_SOURCES:
                rng = np.random.default_rng(0)
                drawn = rng.choice(both, (RESAMPLES, len(both))).mean(axis=1)
                low, high = np.quantile(drawn, [SURPRISE, 1 - SURPRISE])
            n_won = int((both > 0).sum())
            yield Difference(
                first, second, measure, both.mean(), low, high, n_won, n_sources=len(both)
            )


def of_one(found: list[Difference], name: str) -> list[Difference]:
    """Return the differences of one contestant from each other, as seen from it."""
    turned = []
    for each in found:
        if each.first == name:
            turned.append(each)
        elif each.second == name:
            lost = each.n_sources - each.n_won
            turned.append(
                each._replace(
                    first=name,
                    second=each.first,
                    mean=-each.mean,
                    low=-each.high,
                    high=-each.low,
                    n_won=lost,
                )
            )
    return turned
