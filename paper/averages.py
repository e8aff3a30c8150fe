"""From finished units to the paper's tables: averages, ranks, distances to published values.

Scores are averaged over the repetitions or folds of a category first, then over the categories of a
frequency group. Every frame here is tidy and uses the words of the published tables.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, Literal

import polars as pl

from imbtext.metrics import METRICS, PAPER_METRICS
from imbtext.statistics import mean_interval, paired_tests
from paper.experiments import (
    EXPERIMENTS,
    ROW_TITLES,
    frequency_group,
    is_oversampled,
)
from paper.published import KEY, PUBLISHED_METHODS, published_cells

ROW: Final = ("dataset", "text", "frequency", "ratio")
# Methods as the paper's tables write them; ours stay as they are.
PUBLISHED_NAMES: Final = {name.lower(): name for name in PUBLISHED_METHODS}
REFERENCES: Final = ("SVM", "EMCO(0.1)", "EMCO(1)")


def category_scores(
    units: pl.DataFrame, shares: Mapping[tuple[str, str], float], ratios: Sequence[float]
) -> pl.DataFrame:
    """Average the finished units of each category over repetitions and folds.

    `shares` is the relative frequency of each category. A unit with ratio 0 (a method that does not
    oversample) counts for each of the `ratios` at which its category is a minority class.

    Returns one row per data set, text, category, ratio and method; one column per metric.
    """
    frame = units.with_columns(
        share=pl.struct("experiment", "category").map_elements(
            lambda row: shares[row["experiment"], row["category"]], return_dtype=pl.Float64
        )
    )
    by_ratio = [
        frame.filter(
            pl.col("ratio").is_in([ratio, 0.0]),
            pl.col("share").map_elements(partial(is_oversampled, ratio=ratio), pl.Boolean),
        ).with_columns(ratio=pl.lit(ratio))
        for ratio in ratios
    ]
    metrics = metrics_in(units)
    return (
        pl.concat(by_ratio)
        .group_by("experiment", "category", "share", "ratio", "method")
        .agg(*(pl.col(metric).mean() for metric in metrics), n_units=pl.len())
        .with_columns(
            dataset=_of_experiment("dataset"),
            text=_of_experiment("text"),
            frequency=pl.col("share").map_elements(frequency_group, return_dtype=pl.String),
            method=pl.col("method").replace(PUBLISHED_NAMES),
        )
        .select(*ROW, "category", "share", "method", "n_units", *metrics)
        .sort("dataset", "text", "ratio", "category", "method")
    )


def _of_experiment(attribute: str) -> pl.Expr:
    words = {name: getattr(experiment, attribute) for name, experiment in EXPERIMENTS.items()}
    return pl.col("experiment").replace_strict(words, return_dtype=pl.String)


def beside_published(categories: pl.DataFrame, *, comparable: bool = True) -> pl.DataFrame:
    """Return the cells that the paper's tables have, with its value and the difference.

    The columns and the order are those of the published tables, then ``published`` and
    ``difference`` (ours minus published). Where only some categories were run, these are left
    empty: the published values are averages over all of them and not `comparable`.
    """
    ours = (
        categories.unpivot(PAPER_METRICS, index=[*ROW, "method"], variable_name="metric")
        .group_by(KEY)
        .agg(pl.col("value").mean())
    )
    published = published_cells("svm").rename({"value": "published"})
    if not comparable:
        published = published.with_columns(published=pl.lit(None, pl.Float64))
    return (
        published.join(ours, on=KEY, how="inner", maintain_order="left")
        .with_columns(difference=pl.col("value") - pl.col("published"))
        .select(*KEY, "value", "published", "difference")
    )


def with_ranks(table: pl.DataFrame) -> pl.DataFrame:
    """Add each cell's rank within its row, 1 for the largest; equal values share a rank."""
    row = ("metric", *ROW)
    return table.with_columns(
        rank=pl.col("value").rank("min", descending=True).over(row),
        published_rank=pl.col("published").rank("min", descending=True).over(row),
    )


def intervals(categories: pl.DataFrame, seed: int = 0) -> pl.DataFrame:
    """Return every average, the paper's methods and ours, with its interval over categories."""
    return in_the_papers_order(intervals_over("category", categories, (*ROW, "method"), seed=seed))


def intervals_over(
    sample: str,
    scores: pl.DataFrame,
    by: Sequence[str],
    *,
    method: Literal["bootstrap", "t"] = "bootstrap",
    seed: int = 0,
) -> pl.DataFrame:
    """Return the mean of each metric and group, with its interval over the sample of a column."""
    rows = []
    for key, group in _grouped(scores, by, sample):
        for metric in metrics_in(scores):
            mean = mean_interval(group[metric].to_numpy(), method=method, seed=seed)
            limits = {"value": mean.mean, "lower": mean.lower, "upper": mean.upper}
            rows.append({"metric": metric, **key, **limits, "n_categories": group.height})
    return pl.DataFrame(rows, infer_schema_length=None)


def comparisons(categories: pl.DataFrame, references: Iterable[str] = REFERENCES) -> pl.DataFrame:
    """Compare each method with each reference, category by category, in every row of the tables.

    Holm's correction covers the comparisons with one reference within one row.
    """
    rows = [
        {"metric": metric, **key, **test}
        for key, group in _grouped(categories, ROW)
        for metric in metrics_in(categories)
        for test in category_tests(group, metric, references)
    ]
    return in_the_papers_order(pl.DataFrame(rows)) if rows else pl.DataFrame()


def category_tests(
    group: pl.DataFrame, metric: str, references: Iterable[str]
) -> Iterator[dict[str, object]]:
    """Test all methods of a group against each reference that it has; the categories are pairs."""
    wide = group.pivot("method", index="category", values=metric).sort("category")
    scores = {name: wide[name].cast(pl.Float64).to_numpy() for name in wide.columns[1:]}
    for reference in references:
        if reference in scores:
            yield from paired_tests(scores, reference)


def _grouped(
    frame: pl.DataFrame, by: Sequence[str], within: str = "category"
) -> Iterator[tuple[dict[str, object], pl.DataFrame]]:
    for key, group in frame.sort(*by).group_by(*by, maintain_order=True):
        yield dict(zip(by, key, strict=True)), group.sort(within)


def in_the_papers_order(
    frame: pl.DataFrame, methods: Sequence[str] = PUBLISHED_METHODS
) -> pl.DataFrame:
    """Sort rows as the paper does: metric, group, ratio, data set, then the order of methods."""
    return frame.sort(
        place(pl.col("metric"), METRICS),
        pl.col("frequency") == "low",
        "ratio",
        place(pl.format("{}/{}", "dataset", "text"), map("/".join, ROW_TITLES)),
        place(pl.col("method"), methods),
        "method",
        maintain_order=True,
    )


def place(values: pl.Expr, order: Iterable[str]) -> pl.Expr:
    """Return where values stand in an order, to sort by; what is not in it comes last."""
    places = {value: i for i, value in enumerate(order)}
    return values.replace_strict(places, default=len(places), return_dtype=pl.Int64)


def metrics_in(frame: pl.DataFrame) -> list[str]:
    """Return the metrics that a frame has columns of, in the order of all metrics."""
    return [metric for metric in METRICS if metric in frame.columns]
