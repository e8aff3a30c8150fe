"""The charts of a report that do not move, as SVG."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from imbtext._messages import visible
from imbtext._typing import Record
from imbtext.charts import PAGE_GREY, PAGE_PALETTE, altair, page_svg
from imbtext.comparison._choice import Effort, Evidence, rivals_of
from imbtext.comparison._comparison import Comparison

if TYPE_CHECKING:
    from altair import Chart, Color
    from altair.typing import ChartType

_CLASSES_SHOWN: Final = 12
_LONGEST_LABEL: Final = 22

Rows = list[Record]


def kind_of(method: str) -> str:
    """Return which of three kinds a method belongs to.

    Examples
    --------
    >>> kind_of("plain"), kind_of("class-weight"), kind_of("ros")
    ('plain', 'no new documents', 'oversampling')
    """
    effort = Effort.of(method)
    if effort.oversamples:
        return "oversampling"
    return "plain" if effort is Effort.NOTHING else "no new documents"


def result_svg(comparison: Comparison) -> str:
    """The chart of the result, as a page shows it."""
    return page_svg(result_chart(comparison), width=340, height=250)


def result_chart(comparison: Comparison) -> "ChartType":
    """Precision against recall of the methods that the headline names.

    They are the plain classifier, the best free remedy and the recommended method. One class has a
    curve for each, and a point at the threshold that the method chose. Several classes have a point
    for every method, and so has a class without an inspection. The legend names the methods, so
    that no label lies on another.
    """
    alt = altair()
    plain, chosen = comparison.plan.methods[0], comparison.recommendation.method
    inspection = comparison.inspection.get(comparison.overall)
    evidence = Evidence(comparison.overall, comparison.summary, comparison.tests)
    rivals = rivals_of(chosen, evidence, comparison.plan.metric)
    methods = list(dict.fromkeys([plain, *rivals, chosen]))
    names = {method: _short(comparison.title(method), 40) for method in methods}
    colours = dict.fromkeys(names.values(), PAGE_PALETTE[1])
    colours |= {names[plain]: PAGE_GREY} | {names[chosen]: PAGE_PALETTE[0]}
    is_drawn = inspection is not None and all(method in inspection.methods for method in methods)
    if inspection is not None and is_drawn:
        curves = {method: inspection.methods[method].curve for method in methods}
        lines: Rows = [
            {"method": names[method], "place": place, "recall": recall, "precision": precision}
            for method, curve in curves.items()
            for place, (recall, precision) in enumerate(curve.shares(inspection.n_class))
        ]
        points: Rows = [
            {"method": names[method], "recall": recall, "precision": precision}
            for method, curve in curves.items()
            for recall, precision in [curve.own_share(inspection.n_class)]
        ]
    else:
        lines = []
        points = [
            {
                "method": names.get(row["method"], "other methods"),
                "recall": row["recall"],
                "precision": row["precision"],
            }
            for row in comparison.table().to_dicts()
            if not math.isnan(row["recall"])
        ]
        if len(points) > len(names):
            colours |= {"other methods": PAGE_PALETTE[3]}
    lowest = 0.0
    if not lines:
        # The named methods lie on top of the others.
        points.sort(key=lambda point: point["method"] in names.values())
        lowest = min(min(point["recall"], point["precision"]) for point in points)
    ends = alt.Scale(domain=[math.floor(lowest * 10) / 10, 1], nice=False, clamp=True)
    axis = alt.Axis(format="%", tickCount=5)
    x = alt.X("recall:Q", title="documents of the class that are found", scale=ends, axis=axis)
    y = alt.Y("precision:Q", title="alarms that are right", scale=ends, axis=axis)
    coloured = _coloured("method:N", colours, columns=1, labelLimit=400)
    layers = [
        alt.Chart(alt.InlineData(lines))
        .mark_line(strokeWidth=2.2)
        .encode(x=x, y=y, color=coloured, order="place:Q"),
        alt.Chart(alt.InlineData(points))
        .mark_point(filled=True, size=170, opacity=1)
        .encode(x=x, y=y, color=coloured),
    ]
    chart: ChartType = alt.layer(*layers) if lines else layers[1]
    return chart


def gamma_chart(comparison: Comparison, gammas: Sequence[Mapping[str, object]], chosen: int) -> str:
    """Recall, precision and the deciding measure against gamma, one gamma marked."""
    alt = altair()
    metrics = ["recall", "precision", comparison.plan.metric]
    titles = comparison.plan.metric_titles
    table = {row["method"]: row for row in comparison.table().to_dicts()}
    names = [str(entry["label"]) for entry in gammas]
    rows: Rows = [
        {
            "gamma": name,
            "measure": titles[metric],
            "value": _finite(table[entry["method"]][metric]),
            "lower": _finite(table[entry["method"]][f"{metric}_lower"]),
            "upper": _finite(table[entry["method"]][f"{metric}_upper"]),
        }
        for name, entry in zip(names, gammas, strict=True)
        for metric in metrics
    ]
    x = alt.X("gamma:O", sort=names, title="gamma", axis=alt.Axis(labelAngle=0))
    y, low = (
        alt.Y(f"{field}:Q", title=None, scale=alt.Scale(zero=False, domainMax=1.0))
        for field in ("value", "lower")
    )
    colours = {titles[m]: PAGE_PALETTE[i] for m, i in zip(metrics, (1, 5, 3), strict=True)}
    base = alt.Chart(alt.InlineData(rows)).encode(x=x, color=_coloured("measure:N", colours))
    marked = alt.Chart(alt.InlineData([{"gamma": names[chosen]}])).encode(x=x)
    layers = [
        marked.mark_rule(strokeWidth=26, opacity=0.16, color="currentColor"),
        # Only the deciding measure has a band: three of them would hide each other.
        base.transform_filter(alt.datum.measure == titles[metrics[-1]])
        .mark_area(opacity=0.18)
        .encode(y=low, y2="upper:Q"),
        base.mark_line(strokeWidth=2).encode(y=y),
        base.mark_point(filled=True, size=60, opacity=1).encode(y=y),
    ]
    return page_svg(alt.layer(*layers))


def growth_chart(illustration: Record) -> str:
    """The vocabulary of the class against its length, beside what Heaps' law expects."""
    alt = altair()
    growth = illustration["growth"]
    labels = {entry["method"]: entry["title"] for entry in illustration["gammas"]}
    law = "Heaps' law"
    colours = dict(zip(labels.values(), PAGE_PALETTE, strict=False)) | {law: PAGE_GREY}
    x = alt.X("tokens:Q", title="words in all documents of the class", axis=alt.Axis(tickCount=4))
    y = alt.Y("words:Q", title="different words")

    def lines(curves: Record, **mark: object) -> "Chart":
        rows: Rows = [
            {"line": name, "tokens": tokens, "words": words}
            for name, curve in curves.items()
            for tokens, words in curve
        ]
        chart: Chart = alt.Chart(alt.InlineData(rows)).mark_line(**mark).encode(x=x, y=y)
        return chart

    drawn = {labels[method]: growth["methods"][method] for method in labels}
    coloured = _coloured("line:N", colours, orient="bottom", columns=2)
    layers = [
        lines(drawn, strokeWidth=2).encode(color=coloured),
        lines({law: growth["law"]}, strokeWidth=2.5, strokeDash=[6, 4]).encode(color=coloured),
        lines({"the class": growth["observed"]}, strokeWidth=4, color="currentColor"),
    ]
    return page_svg(alt.layer(*layers))


def balance_chart(comparison: Comparison) -> str:
    """Documents of each class, those asked about marked."""
    alt = altair()
    to_find = set(comparison.plan.classes)
    items = list(comparison.balance.items())
    # The classes asked about are shown even if they are not among the largest.
    shown = items[:_CLASSES_SHOWN]
    shown += [item for item in items[_CLASSES_SHOWN:] if item[0] in to_find][:_CLASSES_SHOWN]
    bars = [
        (_short(name), count, "asked about" if name in to_find else "rest") for name, count in shown
    ]
    n_left = sum(count for _, count in items) - sum(count for _, count in shown)
    if n_left:
        bars.append((f"{len(items) - len(shown)} more", n_left, "rest"))
    rows: Rows = [
        {"place": place, "class": name, "documents": count, "kind": kind}
        for place, (name, count, kind) in enumerate(bars)
    ]
    class_axis = alt.Axis(labelExpr="data('names')[datum.value]['class']", labelLimit=170)
    chart = alt.Chart(alt.InlineData(rows, name="names")).encode(
        y=alt.Y("place:O", title=None, axis=class_axis)
    )
    colours = {"asked about": PAGE_PALETTE[3], "rest": PAGE_GREY}
    layers = [
        chart.mark_bar().encode(
            x=alt.X("documents:Q", title="documents", axis=alt.Axis(tickCount=3)),
            color=_coloured("kind:N", colours),
        ),
        chart.mark_text(align="left", dx=3, color="currentColor").encode(
            x="documents:Q", text=alt.Text("documents:Q", format=",")
        ),
    ]
    return page_svg(alt.layer(*layers), height=max(80, 20 * len(rows)), width=240)


def _coloured(field: str, colours: Mapping[str, str], **look: object) -> "Color":
    alt = altair()
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    legend = alt.Legend(title=None, **{"orient": "top"} | look)
    channel: Color = alt.Color(field, scale=scale, legend=legend)
    return channel


def _finite(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def _short(name: str, longest: int = _LONGEST_LABEL) -> str:
    text = visible(name)
    return text if len(text) <= longest else text[: longest - 1] + "…"
