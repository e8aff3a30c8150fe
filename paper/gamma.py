"""``python -m paper gamma``: recall, true negative rate and precision on Reuters by gamma.

A module of its own, like everything that ``reproduce`` can be asked for by name.
"""

from dataclasses import replace
from typing import Final

import polars as pl
from rich.console import Console

from imbtext.charts import write_chart
from paper.figures import GAMMA_MEASURES, papers_gamma_chart
from paper.options import Options, Outcome
from paper.running import run_experiments
from paper.tables import write_csv

_EXPERIMENTS: Final = ("reuters-titles", "reuters-full")
_GAMMAS: Final = {"mco": 0.0, "emco(0.01)": 0.01, "emco(0.1)": 0.1, "emco(1)": 1.0}


def gamma_data(categories: pl.DataFrame) -> pl.DataFrame:
    """Average the measures over all minority categories of Reuters for each gamma."""
    gamma = pl.col("method").str.to_lowercase().replace_strict(_GAMMAS, return_dtype=pl.Float64)
    return (
        categories.with_columns(gamma=gamma)
        .unpivot(
            on=list(GAMMA_MEASURES),
            index=["dataset", "text", "gamma", "category"],
            variable_name="metric",
        )
        .group_by("dataset", "text", "gamma", "metric")
        .agg(pl.col("value").mean(), n_categories=pl.len())
        .sort("text", "metric", "gamma", descending=[True, False, False])
    )


def reproduce_gamma(options: Options, console: Console) -> Outcome:
    """Write the figure as SVG and PNG and its data as CSV.

    The units are those of the tables. What the tables computed is found in the store, so only gamma
    0.01 is left to compute.
    """
    runs = run_experiments(_EXPERIMENTS, replace(options, ratios=(0.2,)), list(_GAMMAS))
    categories = runs.categories()
    if not categories.is_empty():
        data = gamma_data(categories)
        chart = papers_gamma_chart(data)
        svg, png, csv = (options.out / f"gamma.{kind}" for kind in ("svg", "png", "csv"))
        write_chart(chart, svg)
        write_chart(chart, png, scale=2)
        write_csv(data, csv)
        if not options.quiet:
            for path in (svg, png, csv):
                console.print(f"wrote {path}", highlight=False)
    return runs.outcome
