"""Charts of growing vocabularies, for a page, a document or a browser."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from imbtext._typing import Record
from imbtext.charts import PALETTE, altair
from imbtext.vocabulary._growth import GrowthCurve, HeapsLaw

if TYPE_CHECKING:
    from altair import Chart, LayerChart, Tooltip


def growth_chart(
    curves: Mapping[str, GrowthCurve],
    law: HeapsLaw | None = None,
    *,
    title: str = "",
    predictions: Sequence[Record] = (),
) -> "LayerChart":
    """Draw growth curves, Heaps' law as a dashed line, and what oversampling would bring.

    Both axes are logarithmic, so the law is a straight line.

    Parameters
    ----------
    curves : mapping of str to GrowthCurve
        The curve of each class.
    law : HeapsLaw, default=None
        The law to draw beside them.
    title : str, default=""
        The title of the chart.
    predictions : sequence of mappings, default=()
        Points with the keys class, tokens, words and kind, such as ``"EMCO(0.1)"``.

    Returns
    -------
    altair.LayerChart

    See Also
    --------
    imbtext.charts.write_chart : Writes it as HTML, SVG or PNG.

    Examples
    --------
    >>> from imbtext.vocabulary import growth_curve
    >>> curve = growth_curve(["oil up", "oil price down"])
    >>> chart = growth_chart({"oil": curve}, HeapsLaw(1.5, 0.8))
    >>> len(chart.layer)
    2
    """
    alt = altair()
    # A logarithmic axis cannot show documents before the first word.
    points: list[Record] = [
        {"class": name, "tokens": tokens, "words": words}
        for name, curve in ((name, curve.thin(200)) for name, curve in curves.items())
        for tokens, words in zip(curve.tokens.tolist(), curve.words.tolist(), strict=True)
        if tokens > 0
    ]
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
    tooltip = ["class:N", *_sizes()]
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
    chart: LayerChart = alt.layer(*layers).properties(title=title, width=520, height=340)
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
    chart: Chart = (
        alt.Chart(alt.Data(values=values))
        .mark_line(strokeDash=[6, 4], color="#444444", strokeWidth=2)
        .encode(x="tokens:Q", y="words:Q", tooltip=["law:N", *_sizes()])
    )
    return chart


def _sizes() -> "list[Tooltip]":
    return [altair().Tooltip(f"{name}:Q", format=",.0f") for name in ("tokens", "words")]
