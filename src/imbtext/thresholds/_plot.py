"""Charts of a model: precision, recall and alarms at every threshold."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from imbtext.charts import PAGE_GREY, PAGE_PALETTE, altair, page_svg
from imbtext.thresholds._choosing import Cuts
from imbtext.thresholds._held_out import ClassScores, relative_weights

if TYPE_CHECKING:
    from altair import LayerChart

_EXPECTED: Final = "as expected"
_FAR: Final = "far off"
_IS: Final = [_EXPECTED, _FAR]


def threshold_chart(
    held: ClassScores, threshold: float, mark_colour: str = "black"
) -> "LayerChart":
    """Return precision and recall over the thresholds, with a line at one of them."""
    alt = altair()
    every = Cuts.of(held.scores, held.is_class)
    confusion, shown = every.confusion(relative_weights(held)), every.thinned()
    cuts = every.thresholds[shown]
    # At no alarm at all there is no precision to show.
    rows = [
        {"threshold": float(cut), "measure": name, "share": float(share)}
        for name, shares in (
            ("recall: documents found", confusion.recall[shown]),
            ("precision: alarms that are right", confusion.precision[shown]),
        )
        for cut, share in list(zip(cuts, np.nan_to_num(shares), strict=True))[1:]
    ]
    colours = alt.Scale(range=[PAGE_PALETTE[0], PAGE_PALETTE[3]])
    inner = cuts[1:-1] if len(cuts) > 2 else cuts
    domain = [float(min(inner.min(), threshold)), float(max(inner.max(), threshold))]
    x = alt.X(
        "threshold:Q",
        title="threshold",
        scale=alt.Scale(domain=domain, clamp=True),
        axis=alt.Axis(tickCount=5),  # more labels would overlap in a wide font
    )
    lines = (
        alt.Chart(alt.InlineData(rows))
        .mark_line(strokeWidth=2)
        .encode(
            x=x,
            y=alt.Y("share:Q", title=None, scale=alt.Scale(domain=[0, 1])),
            color=alt.Color(
                "measure:N",
                scale=colours,
                legend=alt.Legend(title=None, orient="top", columns=1, labelLimit=300),
            ),
        )
    )
    mark = alt.Chart(alt.InlineData([{"threshold": threshold}])).encode(x=x)
    chart: LayerChart = alt.layer(lines, mark.mark_rule(strokeDash=[5, 4], color=mark_colour))
    return chart


def threshold_svg(held: ClassScores, threshold: float) -> str:
    """Return the same as SVG that follows the colours of a page."""
    return page_svg(threshold_chart(held, threshold, mark_colour="currentColor"))


@dataclass(frozen=True)
class PeriodSeries:
    """One number of each period, for a chart.

    `points` has the first day of each period, the number, its limits, and whether it is far off.
    The limits are those of what was expected, or the 95% interval of what was estimated. A number
    that is not known is NaN: the chart then has its limits alone.
    """

    what: str
    points: tuple[tuple[str, float, float, float, bool], ...]


def period_chart(every: Sequence[PeriodSeries]) -> str:
    """Return numbers of each period with their limits, one under the other, as SVG for a page."""
    alt = altair()
    panels = []
    is_any_far = any(far for series in every for *_, far in series.points)
    legend = alt.Legend(title=None, orient="top") if is_any_far else None
    for series in every:
        rows = [
            {
                "day": day,
                "n": None if np.isnan(n) else n,
                "least": least,
                "most": most,
                "is": _FAR if far else _EXPECTED,
            }
            for day, n, least, most, far in series.points
        ]
        base = alt.Chart(alt.InlineData(rows)).encode(
            x=alt.X("day:T", title=None, scale=alt.Scale(type="utc"), axis=alt.Axis(tickCount=6))
        )
        band = base.mark_area(color=PAGE_GREY, opacity=0.35).encode(
            y=alt.Y("least:Q", title=series.what.split(", ")), y2="most:Q"
        )
        line = base.mark_line(color=PAGE_PALETTE[0], strokeWidth=2).encode(y="n:Q")
        points = base.mark_point(filled=True, size=60, opacity=1).encode(
            y="n:Q",
            shape=alt.Shape(
                "is:N",
                scale=alt.Scale(domain=_IS, range=["circle", "triangle-up"]),
                legend=legend,
            ),
            color=alt.Color(
                "is:N",
                scale=alt.Scale(domain=_IS, range=[PAGE_PALETTE[0], PAGE_PALETTE[3]]),
                legend=legend,
            ),
        )
        panels.append(alt.layer(band, line, points).properties(width=400, height=120))
    return page_svg(alt.vconcat(*panels), width=None)
