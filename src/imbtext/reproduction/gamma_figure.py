"""The paper's figure on gamma: recall, true negative rate and precision on Reuters."""

from pathlib import Path
from typing import Any, Final

import polars as pl

from imbtext.reporting.charts import PALETTE, altair, write_chart
from imbtext.reproduction.text_tables import write_csv

_MEASURES: Final = {"recall": "Recall", "tnr": "True negative rate", "precision": "Precision"}
_TEXTS: Final = {"titles": "Titles", "full": "Full articles"}
_GAMMA_OF: Final = {"MCO": 0.0, "emco(0.01)": 0.01, "EMCO(0.1)": 0.1, "EMCO(1)": 1.0}


def gamma_data(categories: pl.DataFrame, ratio: float) -> pl.DataFrame:
    """Average the measures over all minority categories of Reuters for each gamma."""
    return (
        categories.filter(
            (pl.col("dataset") == "reuters")
            & (pl.col("ratio") == ratio)
            & pl.col("method").is_in(list(_GAMMA_OF))
        )
        .with_columns(gamma=pl.col("method").replace_strict(_GAMMA_OF, return_dtype=pl.Float64))
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


def write_gamma_figure(data: pl.DataFrame, folder: Path) -> list[Path]:
    """Write the figure as SVG and PNG and its data as CSV; return the paths."""
    chart = papers_gamma_chart(data)
    svg, png, csv = (folder / f"gamma.{kind}" for kind in ("svg", "png", "csv"))
    write_chart(chart, svg)
    write_chart(chart, png, scale=2)
    write_csv(data, csv)
    return [svg, png, csv]
