"""Charts of growing vocabularies, for a page, a document or a browser."""

from collections.abc import Mapping, Sequence
from typing import Any

from imbtext.reporting.charts import PALETTE, altair
from imbtext.vocabulary._growth import GrowthCurve
from imbtext.vocabulary._heaps import HeapsLaw


def growth_chart(
    curves: Mapping[str, GrowthCurve],
    law: HeapsLaw | None = None,
    *,
    title: str = "",
    predictions: Sequence[Mapping[str, Any]] = (),
) -> Any:
    """Draw growth curves, Heaps' law as a dashed line, and what oversampling would bring.

    Parameters
    ----------
    curves : mapping of str to GrowthCurve
        A curve per class; thinned to 200 points each.
    law : HeapsLaw, optional
        Drawn over the sizes of all curves and predictions.
    title : str, default=""
        Above the chart.
    predictions : sequence of mapping, default=()
        Points with the keys class, tokens, words and kind, such as ``"EMCO(0.1)"``.
    """
    alt = altair()
    points: list[dict[str, Any]] = [
        {"class": name, "tokens": float(tokens), "words": float(words)}
        for name, curve in curves.items()
        for tokens, words in zip(*_positive(curve.thin(200)), strict=True)
    ]
    # On these axes the law is a straight line.
    x = alt.X("tokens:Q", title="tokens", scale=alt.Scale(type="log"))
    y = alt.Y("words:Q", title="distinct words", scale=alt.Scale(type="log"))
    colour = alt.Color(
        "class:N",
        title=None,
        scale=alt.Scale(domain=list(curves), range=PALETTE)
        if len(curves) <= len(PALETTE)
        else alt.Scale(domain=list(curves), scheme="tableau20"),
        legend=alt.Legend(symbolLimit=40),
    )
    tooltip = [
        "class:N",
        alt.Tooltip("tokens:Q", format=",.0f"),
        alt.Tooltip("words:Q", format=",.0f"),
    ]
    layers = [
        alt.Chart(alt.Data(values=points))
        .mark_line()
        .encode(x=x, y=y, color=colour, tooltip=tooltip)
    ]
    sizes = [p["tokens"] for p in points] + [float(p["tokens"]) for p in predictions]
    if law is not None and sizes:
        layers.append(law_layer(law, min(sizes), max(sizes)))
    if predictions:
        layers.append(
            alt.Chart(alt.Data(values=[dict(point) for point in predictions]))
            .mark_point(size=70, filled=True)
            .encode(
                x=x,
                y=y,
                color=colour,
                shape=alt.Shape("kind:N", title=None),
                tooltip=[*tooltip, "kind:N"],
            )
        )
    return alt.layer(*layers).properties(title=title, width=520, height=340)


def law_layer(law: HeapsLaw, low: float, high: float) -> Any:
    """Draw the law between two sizes."""
    alt = altair()
    low = max(low, 1.0)
    values = [
        {"tokens": tokens, "words": float(law.words(tokens)), "law": "Heaps' law"}
        for tokens in (low * (high / low) ** (i / 60) for i in range(61))
    ]
    return (
        alt.Chart(alt.Data(values=values))
        .mark_line(strokeDash=[6, 4], color="#444444", strokeWidth=2)
        .encode(
            x="tokens:Q",
            y="words:Q",
            tooltip=[
                "law:N",
                alt.Tooltip("tokens:Q", format=",.0f"),
                alt.Tooltip("words:Q", format=",.0f"),
            ],
        )
    )


def _positive(curve: GrowthCurve) -> tuple[list[float], list[float]]:
    """Leave out what a logarithmic axis cannot show: documents before the first word."""
    shown = curve.tokens > 0
    return curve.tokens[shown].tolist(), curve.words[shown].tolist()
