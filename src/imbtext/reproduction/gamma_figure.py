"""The paper's figure on gamma: recall, true negative rate and precision on Reuters."""

from dataclasses import replace
from typing import Any, Final

import polars as pl
from rich.console import Console

from imbtext.charts import PALETTE, altair, write_chart
from imbtext.reproduction.options import Options
from imbtext.reproduction.runs import run_experiments
from imbtext.reproduction.text_tables import write_csv
from imbtext.reproduction.units import Outcome

_MEASURES: Final = {"recall": "Recall", "tnr": "True negative rate", "precision": "Precision"}
_TEXTS: Final = {"titles": "Titles", "full": "Full articles"}
_EXPERIMENTS: Final = ("reuters-titles", "reuters-full")
_GAMMAS: Final = {"mco": 0.0, "emco(0.01)": 0.01, "emco(0.1)": 0.1, "emco(1)": 1.0}


def gamma_data(categories: pl.DataFrame) -> pl.DataFrame:
    """Average the measures over all minority categories of Reuters for each gamma."""
    gamma = pl.col("method").str.to_lowercase().replace_strict(_GAMMAS, return_dtype=pl.Float64)
    return (
        categories.with_columns(gamma=gamma)
        .unpivot(
            on=list(_MEASURES),
            index=["dataset", "text", "gamma", "category"],
            variable_name="metric",
        )
        .group_by("dataset", "text", "gamma", "metric")
        .agg(pl.col("value").mean(), n_categories=pl.len())
        .sort("text", "metric", "gamma", descending=[True, False, False])
    )


def papers_gamma_chart(data: pl.DataFrame) -> Any:
    """Draw the figure: one panel per measure, one line per kind of text, gammas evenly spaced."""
    alt = altair()
    frame = data.with_columns(
        measure=pl.col("metric").replace_strict(_MEASURES, return_dtype=pl.String),
        text=pl.col("text").replace_strict(_TEXTS, return_dtype=pl.String),
        gamma=pl.col("gamma").map_elements(lambda g: f"{g:g}", return_dtype=pl.String),
    )
    base = alt.Chart(alt.Data(values=frame.to_dicts())).encode(
        x=alt.X(
            "gamma:O", title="gamma", sort=["0", "0.01", "0.1", "1"], axis=alt.Axis(labelAngle=0)
        ),
        y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False)),
        color=alt.Color(
            "text:N",
            title=None,
            scale=alt.Scale(domain=list(_TEXTS.values()), range=PALETTE[:2]),
        ),
    )
    # Shapes repeat what the colours say, for readers who cannot tell the colours apart.
    marks = base.mark_line() + base.mark_point(filled=True, size=60).encode(
        shape=alt.Shape("text:N", title=None, scale=alt.Scale(domain=list(_TEXTS.values())))
    )
    return (
        marks.properties(width=220, height=200)
        .facet(
            column=alt.Column("measure:N", title=None, sort=list(_MEASURES.values())),
        )
        .resolve_scale(y="independent")
        .properties(
            title="The effect of gamma on Reuters: averages over categories, sampling ratio 20 %"
        )
    )


def reproduce_gamma(options: Options, console: Console) -> Outcome:
    """Write the figure as SVG and PNG and its data as CSV.

    The units are those of the tables: what they computed is found, only gamma 0.01 is added.
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
