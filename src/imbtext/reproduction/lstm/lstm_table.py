"""The LSTM table for people: averages with two kinds of interval, beside the published numbers.

The paper trained each network once. Five repetitions here give an interval over seeds, which says
how far one run of the experiment may stray; the interval over categories says how far the average
would move with other categories of the same kind.
"""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from imbtext.evaluation.metrics import METRICS, PAPER_METRICS
from imbtext.evaluation.statistics import mean_interval, paired_tests
from imbtext.reproduction.experiments import frequency_group
from imbtext.reproduction.paper_tables import GROUPS, has_published, number
from imbtext.reproduction.published_values import published_lstm

if TYPE_CHECKING:
    from imbtext.reproduction.lstm.headlines import LSTMData

PLAIN_LSTM: Final = "LSTM"
LSTM_NAMES: Final = {"lstm": PLAIN_LSTM, "eda": "EDA", "emco(0.1)": "EMCO"}
_HEADS: Final = {
    "balanced_accuracy": "BA",
    "f1": "F1",
    "f2": "F2",
    "recall": "TPR",
    "tnr": "TNR",
    "precision": "Precision",
}
_PLACES: Final = {name: i for i, name in enumerate(LSTM_NAMES.values())}


def scored_units(units: pl.DataFrame, data: "LSTMData") -> pl.DataFrame:
    """Name methods and groups of finished units as the published table does."""
    shares = dict(zip(data.categories, data.shares.tolist(), strict=True))
    metrics = [metric for metric in METRICS if metric in units.columns]
    return units.select(
        pl.col("category")
        .map_elements(lambda name: frequency_group(shares[name]), return_dtype=pl.String)
        .alias("frequency"),
        pl.when(pl.col("ratio") > 0).then(pl.col("ratio")).alias("ratio"),
        pl.col("method").replace_strict(LSTM_NAMES, return_dtype=pl.String),
        "category",
        "repetition",
        *(pl.col(metric).cast(pl.Float64).fill_nan(None) for metric in metrics),
    )


def category_table(scored: pl.DataFrame) -> pl.DataFrame:
    """Average each category over the repetitions."""
    metrics = [metric for metric in METRICS if metric in scored.columns]
    return _ordered(
        scored.group_by("frequency", "ratio", "method", "category").agg(
            *(pl.col(metric).mean() for metric in metrics), n_repetitions=pl.len()
        )
    )


def averages(scored: pl.DataFrame, seed: int = 0, *, comparable: bool = True) -> pl.DataFrame:
    """Average over categories, with both intervals and the published value.

    Returns
    -------
    polars.DataFrame
        One row per metric, group, ratio and method: ``value``; ``seeds_lower`` and ``seeds_upper``,
        Student's t over the averages of the repetitions; ``lower`` and ``upper``, the bootstrap
        over categories; ``published`` and ``difference`` where the paper has the cell and the
        scores are `comparable` with it, that is, those of all categories.
    """
    metrics = [metric for metric in METRICS if metric in scored.columns]
    rows = []
    for key, group in _groups(scored):
        by_category = group.group_by("category").agg(pl.col(metrics).mean()).sort("category")
        by_seed = group.group_by("repetition").agg(pl.col(metrics).mean()).sort("repetition")
        for metric in metrics:
            categories = mean_interval(_numbers(by_category[metric]), seed=seed)
            seeds = mean_interval(_numbers(by_seed[metric]), method="t")
            # Student's t does not know that every measure lies between 0 and 1.
            seeds_lower, seeds_upper = np.clip([seeds.lower, seeds.upper], 0, 1).tolist()
            rows.append(
                {
                    "metric": metric,
                    **key,
                    "value": categories.mean,
                    "seeds_lower": seeds_lower,
                    "seeds_upper": seeds_upper,
                    "lower": categories.lower,
                    "upper": categories.upper,
                    "n_categories": by_category.height,
                    "n_repetitions": by_seed.height,
                }
            )
    published = published_lstm().rename({"value": "published"}).drop("dataset", "text")
    if not comparable:
        published = published.clear()
    return _ordered(
        pl.DataFrame(rows, infer_schema_length=None)
        .join(
            published,
            on=["metric", "frequency", "ratio", "method"],
            how="left",
            nulls_equal=True,
        )
        .with_columns(difference=pl.col("value") - pl.col("published"))
    )


def lstm_comparisons(scored: pl.DataFrame) -> pl.DataFrame:
    """Compare EDA and EMCO with the plain network and each other, category by category."""
    metrics = [metric for metric in METRICS if metric in scored.columns]
    categories = category_table(scored)
    plain = categories.filter(pl.col("method") == PLAIN_LSTM)
    rows = []
    for (frequency, ratio), group in (
        categories.filter(pl.col("method") != PLAIN_LSTM)
        .sort("frequency", "ratio", descending=[True, False])
        .group_by("frequency", "ratio", maintain_order=True)
    ):
        with_plain = pl.concat([plain.filter(pl.col("frequency") == frequency), group])
        for metric in metrics:
            wide = with_plain.pivot("method", index="category", values=metric).drop_nulls()
            scores = {name: wide[name].to_numpy() for name in wide.columns[1:]}
            for reference in (name for name in (PLAIN_LSTM, "EDA") if name in scores):
                rows += [
                    {
                        "metric": metric,
                        "frequency": frequency,
                        "ratio": ratio,
                        **asdict(test),
                    }
                    for test in paired_tests(scores, reference)
                    if test.method != PLAIN_LSTM
                ]
    return pl.DataFrame(rows, infer_schema_length=None)


def lstm_markdown(table: pl.DataFrame, signature: str, setup: str) -> str:
    """Return the table as Markdown: ours, its interval over seeds, and the published numbers."""
    lines = ["## The LSTM table (Reuters headlines)", "", setup, ""]
    for frequency, title in GROUPS.items():
        part = table.filter(pl.col("frequency") == frequency)
        if part.is_empty():
            continue
        n = int(part["n_categories"].to_numpy().max())
        lines += [f"**{title}** ({n} {'category' if n == 1 else 'categories'})", ""]
        lines += [f"| | {' | '.join(_HEADS.values())} |", f"|---|{'---:|' * len(_HEADS)}"]
        for name, cells in _rows(part):
            ours = [
                f"{number(cell['value'])} ({number(cell['seeds_lower'])} to "
                f"{number(cell['seeds_upper'])})"
                if cell["seeds_lower"] is not None and not np.isnan(cell["seeds_lower"])
                else number(cell["value"])
                for cell in cells
            ]
            lines.append(f"| {name} | {' | '.join(ours)} |")
            if has_published(table):
                theirs = [number(cell["published"]) for cell in cells]
                lines.append(f"| *published* | {' | '.join(theirs)} |")
        lines.append("")
    note = "In parentheses: 95 % interval over the repetitions (Student's t)."
    return "\n".join([*lines, note, "", f"`{signature}`", ""])


def print_table(table: pl.DataFrame, console: Console, signature: str, setup: str) -> None:
    """Print the table to the terminal."""
    for frequency, title in GROUPS.items():
        part = table.filter(pl.col("frequency") == frequency)
        if part.is_empty():
            continue
        grid = Table(title=f"LSTM, Reuters headlines: {title.lower()}", title_justify="left")
        grid.add_column("", no_wrap=True)
        for head in _HEADS.values():
            grid.add_column(head, justify="right", no_wrap=True)
        for name, cells in _rows(part):
            grid.add_section()
            grid.add_row(name, *(f"[bold]{number(c['value'])}[/]" for c in cells))
            if has_published(table):
                grid.add_row("  published", *(number(c["published"]) for c in cells))
                grid.add_row("  difference", *(_signed(c["difference"]) for c in cells))
        console.print(grid)
    console.print(setup, highlight=False, soft_wrap=True)
    console.print(signature, style="dim", highlight=False, soft_wrap=True)


def _signed(difference: float | None) -> str:
    return "" if difference is None else number(difference, signed=True)


def _rows(part: pl.DataFrame) -> Iterator[tuple[str, list[dict[str, float | None]]]]:
    for (ratio, method), group in part.group_by("ratio", "method", maintain_order=True):
        cells = {row["metric"]: row for row in group.iter_rows(named=True)}
        name = f"{method!s}" if ratio is None else f"{method!s}, {ratio:.0%}"
        yield name, [cells[metric] for metric in PAPER_METRICS]


def _groups(scored: pl.DataFrame) -> Iterator[tuple[dict[str, object], pl.DataFrame]]:
    names = ("frequency", "ratio", "method")
    for key, group in scored.sort(*names).group_by(*names, maintain_order=True):
        yield dict(zip(names, key, strict=True)), group


def _numbers(column: pl.Series) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()


def _ordered(frame: pl.DataFrame) -> pl.DataFrame:
    """Sort as the published table: group, ratio (the plain network first), method, metric."""
    return (
        frame.with_columns(
            (pl.col("frequency") == "low").alias("_group"),
            pl.col("method").replace_strict(_PLACES, return_dtype=pl.Int64).alias("_method"),
            (
                pl.col("metric").replace_strict(
                    {metric: i for i, metric in enumerate(METRICS)}, return_dtype=pl.Int64
                )
                if "metric" in frame.columns
                else pl.lit(0)
            ).alias("_metric"),
        )
        .sort(
            "_group",
            "ratio",
            "_method",
            "_metric",
            *(["category"] if "category" in frame.columns else []),
            nulls_last=False,
        )
        .drop("_group", "_method", "_metric")
    )
