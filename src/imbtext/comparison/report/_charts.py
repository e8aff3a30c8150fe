"""The charts of a report that do not move: Altair specifications, rendered to SVG.

They stand apart from the page because the templates are handed this module and call its functions.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from imbtext._messages import visible
from imbtext.charts import PAGE_GREY, PAGE_PALETTE, altair, page_svg
from imbtext.comparison._advice import Cost
from imbtext.comparison._comparison import Comparison

_KINDS: Final = {
    "plain": PAGE_GREY,
    "no new documents": PAGE_PALETTE[0],
    "oversampling": PAGE_PALETTE[3],
}
_CLASSES_SHOWN: Final = 12
_LONGEST_LABEL: Final = 22

Rows = list[dict[str, Any]]


def kind_of(method: str) -> str:
    """Return which of three kinds a method belongs to.

    Examples
    --------
    >>> kind_of("plain"), kind_of("class-weight"), kind_of("ros")
    ('plain', 'no new documents', 'oversampling')
    """
    cost = Cost.of(method)
    if cost.oversamples:
        return "oversampling"
    return "plain" if cost is Cost.NOTHING else "no new documents"


def recall_precision_chart(comparison: Comparison) -> str:
    """Recall against precision with intervals; points carry the methods' numbers in the table."""
    alt = altair()
    rows: Rows = [
        {
            "number": number,
            "kind": kind_of(row["method"]),
            **{
                f"{metric}{end}": _finite(row[f"{metric}{end}"], row[metric])
                for metric in ("recall", "precision")
                for end in ("", "_lower", "_upper")
            },
        }
        for number, row in enumerate(comparison.table().to_dicts(), start=1)
        if not math.isnan(row["recall"])
    ]
    lowest = min(min(row["recall_lower"], row["precision_lower"]) for row in rows)
    scale = alt.Scale(domain=[max(0.0, math.floor(lowest * 10) / 10), 1.0], nice=False, clamp=True)
    x, left = (
        alt.X(f"{field}:Q", title="recall: documents found", scale=scale)
        for field in ("recall", "recall_lower")
    )
    y, low = (
        alt.Y(f"{field}:Q", title="precision: alarms that are right", scale=scale)
        for field in ("precision", "precision_lower")
    )
    chart = alt.Chart(alt.InlineData(rows))
    base = chart.encode(color=_coloured("kind:N", _KINDS))
    layers = [
        base.mark_rule(opacity=0.45).encode(x=left, x2="recall_upper:Q", y=y),
        base.mark_rule(opacity=0.45).encode(y=low, y2="precision_upper:Q", x=x),
        base.mark_point(filled=True, size=190, opacity=1).encode(x=x, y=y),
        chart.mark_text(fontSize=9.5, fontWeight="bold", color="#101418").encode(
            x=x, y=y, text="number:N"
        ),
    ]
    return page_svg(alt.layer(*layers))


def gamma_chart(comparison: Comparison, gammas: Sequence[Mapping[str, Any]], chosen: int) -> str:
    """Recall, precision and the deciding measure against gamma, one gamma marked."""
    alt = altair()
    metrics = ["recall", "precision", comparison.settings.metric]
    titles = comparison.settings.metric_titles
    table = {row["method"]: row for row in comparison.table().to_dicts()}
    names = [gamma_label(entry) for entry in gammas]
    rows: Rows = [
        {
            "gamma": name,
            "measure": titles[metric],
            "value": _finite(table[entry["method"]][metric], None),
            "lower": _finite(table[entry["method"]][f"{metric}_lower"], None),
            "upper": _finite(table[entry["method"]][f"{metric}_upper"], None),
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
        # The deciding measure alone has a band: three of them would hide each other.
        base.transform_filter(alt.datum.measure == titles[metrics[-1]])
        .mark_area(opacity=0.18)
        .encode(y=low, y2="upper:Q"),
        base.mark_line(strokeWidth=2).encode(y=y),
        base.mark_point(filled=True, size=60, opacity=1).encode(y=y),
    ]
    return page_svg(alt.layer(*layers))


def growth_chart(illustration: Mapping[str, Any]) -> str:
    """The vocabulary of the class against its length, beside what Heaps' law expects."""
    alt = altair()
    growth = illustration["growth"]
    labels = {entry["method"]: f"gamma {gamma_label(entry)}" for entry in illustration["gammas"]}
    law = "Heaps' law"
    colours = dict(zip(labels.values(), PAGE_PALETTE, strict=False)) | {law: PAGE_GREY}
    x = alt.X("tokens:Q", title="words in all documents of the class", axis=alt.Axis(tickCount=4))
    y = alt.Y("words:Q", title="different words")

    def lines(curves: Mapping[str, Any], **mark: Any) -> Any:
        rows: Rows = [
            {"line": name, "tokens": tokens, "words": words}
            for name, curve in curves.items()
            for tokens, words in curve
        ]
        return alt.Chart(alt.InlineData(rows)).mark_line(**mark).encode(x=x, y=y)

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
    asked = set(comparison.settings.classes)
    items = list(comparison.balance.items())
    # The classes asked about are shown even where they are not among the largest.
    shown = items[:_CLASSES_SHOWN]
    shown += [item for item in items[_CLASSES_SHOWN:] if item[0] in asked][:_CLASSES_SHOWN]
    bars = [
        (_short(name), count, "asked about" if name in asked else "rest") for name, count in shown
    ]
    left = sum(count for _, count in items) - sum(count for _, count in shown)
    if left:
        bars.append((f"{len(items) - len(shown)} more", left, "rest"))
    rows: Rows = [
        {"place": place, "class": name, "documents": count, "kind": kind}
        for place, (name, count, kind) in enumerate(bars)
    ]
    named = alt.Axis(labelExpr="data('names')[datum.value]['class']", labelLimit=170)
    chart = alt.Chart(alt.InlineData(rows, name="names")).encode(
        y=alt.Y("place:O", title=None, axis=named)
    )
    colours = {"asked about": _KINDS["oversampling"], "rest": PAGE_GREY}
    layers = [
        chart.mark_bar().encode(
            x=alt.X("documents:Q", title="documents"), color=_coloured("kind:N", colours)
        ),
        chart.mark_text(align="left", dx=3, color="currentColor").encode(
            x="documents:Q", text=alt.Text("documents:Q", format=",")
        ),
    ]
    return page_svg(alt.layer(*layers), height=max(80, 20 * len(rows)), width=240)


def gamma_label(entry: Mapping[str, Any]) -> str:
    """Return how a gamma is written on an axis.

    Examples
    --------
    >>> gamma_label({"gamma": 0.1, "by_heaps": False}), gamma_label({"gamma": 0.034, "by_heaps": 1})
    ('0.1', '0.034 (Heaps)')
    """
    value = f"{entry['gamma']:.2g}"
    return f"{value} (Heaps)" if entry["by_heaps"] else value


def _coloured(field: str, colours: Mapping[str, str], **legend: Any) -> Any:
    alt = altair()
    scale = alt.Scale(domain=list(colours), range=list(colours.values()))
    return alt.Color(
        field, scale=scale, legend=alt.Legend(title=None, **{"orient": "top"} | legend)
    )


def _finite(value: float | None, instead: float | None) -> float | None:
    return instead if value is None or math.isnan(value) else value


def _short(name: str) -> str:
    text = visible(name)
    return text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…"
