"""Charts of growing vocabularies, for a page, a document or a browser."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from imbtext._extras import require
from imbtext._files import written_whole
from imbtext.vocabulary._growth import GrowthCurve
from imbtext.vocabulary._heaps import HeapsLaw

KINDS: Final = ("html", "svg", "png")
# Okabe and Ito's palette: told apart by readers who do not see all colours.
PALETTE: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


def growth_chart(
    curves: Mapping[str, GrowthCurve],
    law: HeapsLaw | None = None,
    *,
    title: str = "",
    predictions: Sequence[Mapping[str, Any]] = (),
    logarithmic: bool = True,
) -> Any:
    """Draw growth curves, Heaps' law as a dashed line, and what oversampling would bring.

    Parameters
    ----------
    curves : mapping of str to GrowthCurve
        A curve a class; thinned to 200 points each.
    law : HeapsLaw, optional
        Drawn over the sizes of all curves and predictions.
    title : str, default=""
        Above the chart.
    predictions : sequence of mapping, default=()
        Points with the keys class, tokens, words and kind, such as ``"EMCO(0.1)"``.
    logarithmic : bool, default=True
        Logarithmic axes, on which the law is a straight line.
    """
    alt = require("altair", extra="report")
    points: list[dict[str, Any]] = [
        {"class": name, "tokens": float(tokens), "words": float(words)}
        for name, curve in curves.items()
        for tokens, words in zip(*_positive(curve.thin(200)), strict=True)
    ]
    kind = "log" if logarithmic else "linear"
    x = alt.X("tokens:Q", title="tokens", scale=alt.Scale(type=kind))
    y = alt.Y("words:Q", title="distinct words", scale=alt.Scale(type=kind))
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
    alt = require("altair", extra="report")
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


def write_chart(chart: Any, path: Path) -> None:
    """Write a chart as its name ends: an HTML page that needs no network, an SVG or a PNG."""
    kind = path.suffix.lower().lstrip(".")
    if kind not in KINDS:
        raise ValueError(
            f"cannot write a chart to {path}: its name ends in {path.suffix!r}; "
            f"end it in {', '.join('.' + known for known in KINDS)}"
        )
    vl_convert = require("vl_convert", extra="report")
    specification = chart.to_json()
    with written_whole(path) as partial:
        if kind == "html":
            page = vl_convert.vegalite_to_html(specification, bundle=True)
            partial.write_text(page, encoding="utf-8")
        elif kind == "svg":
            partial.write_text(vl_convert.vegalite_to_svg(specification), encoding="utf-8")
        else:
            partial.write_bytes(vl_convert.vegalite_to_png(specification, scale=1.5))


def _positive(curve: GrowthCurve) -> tuple[list[float], list[float]]:
    """Leave out what a logarithmic axis cannot show: documents before the first word."""
    shown = curve.tokens > 0
    return curve.tokens[shown].tolist(), curve.words[shown].tolist()
