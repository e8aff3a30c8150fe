"""The LSTM table for people: averages with two kinds of interval, beside the published numbers.

The paper trained each network once. Five repetitions here give an interval over seeds, which says
how far one run of the experiment may stray; the interval over categories says how far the average
would move with other categories of the same kind.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl
from rich.console import Console

from imbtext.evaluation.metrics import METRICS, PAPER_METRICS
from imbtext.evaluation.statistics import mean_interval
from imbtext.reproduction.averages import category_tests, metrics_in, place
from imbtext.reproduction.experiments import frequency_group
from imbtext.reproduction.paper_tables import GROUPS, has_published
from imbtext.reproduction.published_values import published_lstm
from imbtext.reproduction.text_tables import distance, markdown_rows, number, print_rows

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
# As in the published table, the plain network (which has no ratio) first.
_ORDER: Final = (
    pl.col("frequency") == "low",
    pl.col("ratio"),
    place(pl.col("method"), LSTM_NAMES.values()),
)


def scored_units(units: pl.DataFrame, data: "LSTMData") -> pl.DataFrame:
    """Name methods and groups of finished units as the published table does."""
    shares = dict(zip(data.categories, data.shares.tolist(), strict=True))
    return units.select(
        pl.col("category")
        .map_elements(lambda name: frequency_group(shares[name]), return_dtype=pl.String)
        .alias("frequency"),
        pl.when(pl.col("ratio") > 0).then(pl.col("ratio")).alias("ratio"),
        pl.col("method").replace_strict(LSTM_NAMES, return_dtype=pl.String),
        "category",
        "repetition",
        pl.col(metrics_in(units)).cast(pl.Float64).fill_nan(None),
    )


def category_table(scored: pl.DataFrame) -> pl.DataFrame:
    """Average each category over the repetitions."""
    table = scored.group_by("frequency", "ratio", "method", "category").agg(
        pl.col(metrics_in(scored)).mean(), n_repetitions=pl.len()
    )
    return table.sort(*_ORDER, "category")


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
    metrics = metrics_in(scored)
    names = ("frequency", "ratio", "method")
    rows = []
    for key, group in scored.sort(*names).group_by(*names, maintain_order=True):
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
                    **dict(zip(names, key, strict=True)),
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
    return (
        pl.DataFrame(rows, infer_schema_length=None)
        .join(published, on=["metric", *names], how="left", nulls_equal=True)
        .with_columns(difference=pl.col("value") - pl.col("published"))
        .sort(*_ORDER, place(pl.col("metric"), METRICS))
    )


def lstm_comparisons(scored: pl.DataFrame) -> pl.DataFrame:
    """Compare EDA and EMCO with the plain network and each other, category by category."""
    categories = category_table(scored)
    plain = categories.filter(method=PLAIN_LSTM)
    rows = []
    for (frequency, ratio), group in (
        categories.filter(pl.col("method") != PLAIN_LSTM)
        .sort("frequency", "ratio", descending=[True, False])
        .group_by("frequency", "ratio", maintain_order=True)
    ):
        paired = group.select("category").unique()
        with_plain = pl.concat([plain.join(paired, on="category", how="semi"), group])
        rows += [
            {"metric": metric, "frequency": frequency, "ratio": ratio, **test}
            for metric in metrics_in(scored)
            for test in category_tests(with_plain, metric, (PLAIN_LSTM, "EDA"))
            if test["method"] != PLAIN_LSTM
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
        rows = []
        for name, cells in _rows(part):
            rows.append([name, *map(_with_seeds, cells)])
            if has_published(table):
                rows.append(["*published*", *(number(cell["published"]) for cell in cells)])
        lines += markdown_rows(list(_HEADS.values()), rows)
    note = "In parentheses: 95 % interval over the repetitions (Student's t)."
    return "\n".join([*lines, note, "", f"`{signature}`", ""])


def print_table(table: pl.DataFrame, console: Console, signature: str, setup: str) -> None:
    """Print the table to the terminal."""
    for frequency, title in GROUPS.items():
        part = table.filter(pl.col("frequency") == frequency)
        if part.is_empty():
            continue
        rows = []
        for name, cells in _rows(part):
            rows += [[], [name, *(f"[bold]{number(cell['value'])}[/]" for cell in cells)]]
            if has_published(table):
                rows.append(["  published", *(number(cell["published"]) for cell in cells)])
                rows.append(["  difference", *(distance(cell["difference"]) for cell in cells)])
        print_rows(console, f"LSTM, Reuters headlines: {title.lower()}", _HEADS.values(), rows)
    console.print(setup, highlight=False, soft_wrap=True)
    console.print(signature, style="dim", highlight=False, soft_wrap=True)


def _with_seeds(cell: dict[str, float | None]) -> str:
    lower, upper = cell["seeds_lower"], cell["seeds_upper"]
    if lower is None or np.isnan(lower):
        return number(cell["value"])
    return f"{number(cell['value'])} ({number(lower)} to {number(upper)})"


def _rows(part: pl.DataFrame) -> Iterator[tuple[str, list[dict[str, float | None]]]]:
    for (ratio, method), group in part.group_by("ratio", "method", maintain_order=True):
        cells = {row["metric"]: row for row in group.iter_rows(named=True)}
        name = f"{method!s}" if ratio is None else f"{method!s}, {ratio:.0%}"
        yield name, [cells[metric] for metric in PAPER_METRICS]


def _numbers(column: pl.Series) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
