"""Precision and recall at every threshold, as a chart with the operating point marked."""

from typing import Any

import numpy as np

from imbtext.charts import PAGE_PALETTE, altair, page_svg
from imbtext.rare._curve import ScoreCurve


def threshold_chart(curve: ScoreCurve, threshold: float, *, page: bool = False) -> Any:
    """Return an Altair chart; for a `page`, SVG that follows its colours."""
    alt = altair()
    confusion = curve.confusion()
    # At no alarm at all there is no precision to show.
    rows = [
        {"threshold": float(cut), "measure": name, "share": float(share)}
        for name, shares in (
            ("recall: documents found", confusion.recall),
            ("precision: alarms that are right", confusion.precision),
        )
        for cut, share in list(zip(curve.cuts, np.nan_to_num(shares), strict=True))[1:]
    ]
    colours = alt.Scale(range=[PAGE_PALETTE[0], PAGE_PALETTE[3]])
    inner = curve.cuts[1:-1] if len(curve.cuts) > 2 else curve.cuts
    domain = [float(min(inner.min(), threshold)), float(max(inner.max(), threshold))]
    x = alt.X("threshold:Q", title="threshold", scale=alt.Scale(domain=domain, clamp=True))
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
    colour = "currentColor" if page else "black"
    mark = alt.Chart(alt.InlineData([{"threshold": threshold}])).encode(x=x)
    chart = alt.layer(lines, mark.mark_rule(strokeDash=[5, 4], color=colour))
    return page_svg(chart) if page else chart
