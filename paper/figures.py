"""The paper's figures, drawn from finished tables: gamma, growing and synthetic vocabularies."""

from typing import TYPE_CHECKING, Final

import numpy as np
import polars as pl

from imbtext.charts import PALETTE, altair
from imbtext.markov import GrowthCurve, HeapsLaw
from paper.expansion import FamiliarShare
from paper.heaps_fit import HeapsFit
from paper.published import TRADE

if TYPE_CHECKING:
    from altair import Chart, FacetChart, HConcatChart, LayerChart, VConcatChart

_STEP: Final = 10
_BIN: Final = 4
# What is measured of synthetic vocabularies, and of classifiers at each gamma, as axes say it.
VOCABULARY_MEASURES: Final = {
    "recall": "Recall",
    "tnr": "True negative rate",
    "balanced_accuracy": "Balanced accuracy",
    "new_words": "New words",
}
GAMMA_MEASURES: Final = {"recall": "Recall", "tnr": "True negative rate", "precision": "Precision"}
_TEXTS: Final = {"titles": "Titles", "full": "Full articles"}


def trade_chart(curve: GrowthCurve, halves: FamiliarShare) -> "HConcatChart":
    """Draw Figure 1: the growth in steps of ten documents, and the halves behind its numbers."""
    alt = altair()
    n_documents = len(curve)
    at = np.unique(np.append(np.arange(_STEP - 1, n_documents, _STEP), n_documents - 1))
    points = [
        {
            "documents": int(i) + 1,
            "words": float(curve.words[i]),
            "low": float(curve.words[i] - 2 * curve.spread[i]),
            "high": float(curve.words[i] + 2 * curve.spread[i]),
        }
        for i in at
    ]
    base = alt.Chart(alt.Data(values=points)).encode(
        x=alt.X("documents:Q", title='headlines on "trade"')
    )
    growth = (
        base.mark_area(opacity=0.25, color=PALETTE[0]).encode(
            y=alt.Y("low:Q", title="distinct words"), y2="high:Q"
        )
        + base.mark_line(color=PALETTE[0]).encode(
            y="words:Q", tooltip=["documents:Q", alt.Tooltip("words:Q", format=".0f")]
        )
        + alt.Chart(alt.Data(values=[{"half": n_documents // 2}]))
        .mark_rule(strokeDash=[4, 4], color="#444444")
        .encode(x="half:Q")
    ).properties(width=300, height=240, title="Average of 100 orders, with two standard deviations")
    chart: HConcatChart = alt.hconcat(growth, _halves_chart(halves)).properties(
        title="The vocabulary of a class grows, mostly by words that others use (Reuters headlines)"
    )
    return chart


def _halves_chart(halves: FamiliarShare) -> "LayerChart":
    alt = altair()
    kinds = {"new words": halves.new_words, "familiar ones": halves.familiar_words}
    values = [
        {"kind": kind, "words": int(low) * _BIN, "end": (int(low) + 1) * _BIN, "halves": int(n)}
        for kind, counted in kinds.items()
        for low, n in zip(*np.unique(counted // _BIN, return_counts=True), strict=True)
    ]
    published = [
        {"kind": kind, "words": words, "text": f"paper: {words}"} for kind, words in TRADE.items()
    ]
    colour = alt.Color(
        "kind:N", title=None, scale=alt.Scale(domain=list(kinds), range=list(PALETTE[:2]))
    )
    bars = (
        alt.Chart(alt.Data(values=values))
        .mark_bar(opacity=0.7)
        .encode(
            x=alt.X("words:Q", title="words gained from half to all", scale=alt.Scale(zero=False)),
            x2="end:Q",
            y=alt.Y("halves:Q", title=f"of {len(halves.new_words):,} halves", stack=None),
            color=colour,
            tooltip=["kind:N", "words:Q", "halves:Q"],
        )
    )
    rules = alt.Chart(alt.Data(values=published)).encode(x="words:Q", color=colour)
    marks = rules.mark_rule(strokeWidth=2) + rules.mark_text(align="left", dx=4, y=8).encode(
        text="text:N"
    )
    chart: LayerChart = (bars + marks).properties(
        width=300, height=240, title="One half is not another"
    )
    return chart


def expansion_chart(table: pl.DataFrame) -> "FacetChart":
    """Draw the table of synthetic vocabularies: ours as bars, the published figures as ticks."""
    alt = altair()
    values = [
        {
            "method": row["method"],
            "measure": title,
            "ours": row[name],
            "published": row[f"{name}_published"],
        }
        for row in table.to_dicts()
        for name, title in VOCABULARY_MEASURES.items()
    ]
    methods = table["method"].to_list()
    base = alt.Chart().encode(y=alt.Y("method:N", sort=methods, title=None))
    tooltip = ["method:N", alt.Tooltip("ours:Q", format=".4"), alt.Tooltip("published:Q")]
    bars = base.mark_bar(color=PALETTE[5]).encode(x=alt.X("ours:Q", title=None), tooltip=tooltip)
    ticks = base.mark_tick(color=PALETTE[1], thickness=3, size=18).encode(
        x="published:Q", tooltip=tooltip
    )
    chart: FacetChart = (
        alt.layer(bars, ticks, data=alt.Data(values=values))
        .properties(width=170, height=110)
        .facet(column=alt.Column("measure:N", title=None, sort=list(VOCABULARY_MEASURES.values())))
        .resolve_scale(x="independent")
        .properties(title="Synthetic vocabularies: bars are ours, ticks the paper's")
    )
    return chart


def heaps_chart(table: pl.DataFrame, fit: HeapsFit) -> "VConcatChart":
    """Draw the growth under each method, one line per category, with the law of the data."""
    alt = altair()
    methods = table["method"].unique(maintain_order=True).to_list()
    rows = table.select("category", "method", "tokens", "words").to_dicts()
    panels = []
    for method in methods:
        lines = (
            alt.Chart(alt.Data(values=[row for row in rows if row["method"] == method]))
            .mark_line(strokeDash=[4, 2], strokeWidth=1.2)
            .encode(
                x=alt.X("tokens:Q", title="words in the (synthetic) class"),
                y=alt.Y("words:Q", title="distinct words"),
                color=alt.Color("category:N", scale=alt.Scale(scheme="tableau10"), title=None),
                tooltip=["category:N", "tokens:Q", "words:Q"],
            )
        )
        law = law_layer(fit.law, 1000, float(table["tokens"].max()))  # type: ignore[arg-type]
        panels.append(alt.layer(lines, law).properties(width=220, height=180, title=method))
    panel_rows = [
        alt.hconcat(*panels[i : i + 3]).resolve_scale(x="shared") for i in range(0, len(panels), 3)
    ]
    chart: VConcatChart = (
        alt.vconcat(*panel_rows)
        .resolve_scale(y="shared", color="shared")
        .properties(
            title=f"Growth in ten categories of Reuters, and Heaps' law (k {fit.k:.0f}, "
            f"theta {fit.theta:.3f})"
        )
    )
    return chart


def papers_gamma_chart(data: pl.DataFrame) -> "FacetChart":
    """Draw the figure: one panel per measure, one line per kind of text, gammas evenly spaced."""
    alt = altair()
    frame = data.with_columns(
        measure=pl.col("metric").replace_strict(GAMMA_MEASURES, return_dtype=pl.String),
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
    chart: FacetChart = (
        marks.properties(width=220, height=200)
        .facet(
            column=alt.Column("measure:N", title=None, sort=list(GAMMA_MEASURES.values())),
        )
        .resolve_scale(y="independent")
        .properties(
            title="The effect of gamma on Reuters: averages over categories, sampling ratio 20%"
        )
    )
    return chart


def law_layer(law: HeapsLaw, low: float, high: float) -> "Chart":
    """Return Heaps' law as a dashed line between two numbers of tokens, to lay over a chart.

    Examples
    --------
    >>> law_layer(HeapsLaw(k=2.0, theta=0.5), 10, 1000).mark.type
    'line'
    """
    alt = altair()
    low = max(low, 1.0)
    values = [
        {"tokens": tokens, "words": float(law.words(tokens)), "law": "Heaps' law"}
        for tokens in (low * (high / low) ** (i / 60) for i in range(61))
    ]
    sizes = [alt.Tooltip(f"{name}:Q", format=",.0f") for name in ("tokens", "words")]
    chart: Chart = (
        alt.Chart(alt.Data(values=values))
        .mark_line(strokeDash=[6, 4], color="#444444", strokeWidth=2)
        .encode(x="tokens:Q", y="words:Q", tooltip=["law:N", *sizes])
    )
    return chart
