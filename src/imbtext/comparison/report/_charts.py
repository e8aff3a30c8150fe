"""The charts of a report that do not move: Altair specifications, rendered to SVG."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from imbtext.advice import effort
from imbtext.comparison._result import Comparison
from imbtext.comparison._scores import METRIC_NAMES
from imbtext.reporting.charts import PAGE_GREY, PAGE_PALETTE, altair, page_svg
from imbtext.reporting.escaping import visible

SIMPLE: Final = PAGE_PALETTE[0]
OVERSAMPLING: Final = PAGE_PALETTE[3]
_CLASSES_SHOWN: Final = 12
_LONGEST_LABEL: Final = 22

Rows = list[dict[str, Any]]


def kind_of(method: str) -> str:
    """Say to which of three kinds a method belongs.

    Examples
    --------
    >>> kind_of("svm"), kind_of("class-weight"), kind_of("ros")
    ('plain', 'no new documents', 'oversampling')
    """
    return ("plain", "no new documents", "oversampling", "oversampling")[effort(method)]


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
    ]
    colour = alt.Color(
        "kind:N",
        scale=alt.Scale(
            domain=["plain", "no new documents", "oversampling"],
            range=[PAGE_GREY, SIMPLE, OVERSAMPLING],
        ),
        legend=alt.Legend(title=None, orient="top"),
    )
    lowest = min(min(row["recall_lower"], row["precision_lower"]) for row in rows)
    scale = alt.Scale(domain=[max(0.0, math.floor(lowest * 10) / 10), 1.0], nice=False, clamp=True)
    titles = {"x": "recall: documents found", "y": "precision: alarms that are right"}
    x = alt.X("recall:Q", title=titles["x"], scale=scale)
    y = alt.Y("precision:Q", title=titles["y"], scale=scale)
    left = alt.X("recall_lower:Q", title=titles["x"], scale=scale)
    low = alt.Y("precision_lower:Q", title=titles["y"], scale=scale)
    base = alt.Chart(alt.InlineData(rows)).encode(color=colour)
    layers = [
        base.mark_rule(opacity=0.45).encode(x=left, x2="recall_upper:Q", y=y),
        base.mark_rule(opacity=0.45).encode(y=low, y2="precision_upper:Q", x=x),
        base.mark_point(filled=True, size=190, opacity=1).encode(x=x, y=y),
        alt.Chart(alt.InlineData(rows))
        .mark_text(fontSize=9.5, fontWeight="bold", color="#101418")
        .encode(x=x, y=y, text="number:N"),
    ]
    return page_svg(alt.layer(*layers))


def gamma_chart(comparison: Comparison, gammas: Sequence[Mapping[str, Any]], chosen: int) -> str:
    """Recall, precision and the deciding measure against gamma, one gamma marked."""
    alt = altair()
    metrics = ["recall", "precision", comparison.settings.metric]
    table = {row["method"]: row for row in comparison.table().to_dicts()}
    names = [gamma_label(entry) for entry in gammas]
    rows: Rows = [
        {
            "gamma": name,
            "measure": METRIC_NAMES[metric],
            "value": table[entry["method"]][metric],
            "lower": _finite(table[entry["method"]][f"{metric}_lower"], None),
            "upper": _finite(table[entry["method"]][f"{metric}_upper"], None),
        }
        for name, entry in zip(names, gammas, strict=True)
        if entry["method"] in table
        for metric in metrics
    ]
    x = alt.X("gamma:O", sort=names, title="gamma", axis=alt.Axis(labelAngle=0))
    colour = alt.Color(
        "measure:N",
        scale=alt.Scale(
            domain=[METRIC_NAMES[metric] for metric in metrics],
            range=[PAGE_PALETTE[i] for i in (1, 5, 3)],
        ),
        legend=alt.Legend(title=None, orient="top"),
    )
    base = alt.Chart(alt.InlineData(rows)).encode(x=x, color=colour)
    marked = alt.Chart(alt.InlineData([{"gamma": names[chosen]}])).encode(x=x)
    y = alt.Y("value:Q", title=None, scale=alt.Scale(zero=False, domainMax=1.0))
    layers = [
        marked.mark_rule(strokeWidth=26, opacity=0.16, color="currentColor"),
        # The deciding measure alone has a band: three of them would hide each other.
        base.transform_filter(alt.datum.measure == METRIC_NAMES[metrics[-1]])
        .mark_area(opacity=0.18)
        .encode(
            y=alt.Y("lower:Q", title=None, scale=alt.Scale(zero=False, domainMax=1.0)), y2="upper:Q"
        ),
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
    rows: Rows = [
        {"line": labels[method], "tokens": tokens, "words": words}
        for method in labels
        for tokens, words in growth["methods"][method]
    ]
    expected: Rows = [{"line": law, "tokens": t, "words": w} for t, w in growth["law"]]
    own: Rows = [{"line": "the class", "tokens": t, "words": w} for t, w in growth["observed"]]
    domain = [*labels.values(), law]
    colours = [*PAGE_PALETTE[: len(labels)], PAGE_GREY]
    colour = alt.Color(
        "line:N",
        scale=alt.Scale(domain=domain, range=colours),
        legend=alt.Legend(title=None, orient="bottom", columns=2),
    )
    x = alt.X("tokens:Q", title="words in all documents of the class", axis=alt.Axis(tickCount=4))
    y = alt.Y("words:Q", title="different words")
    layers = [
        alt.Chart(alt.InlineData(rows)).mark_line(strokeWidth=2).encode(x=x, y=y, color=colour),
        alt.Chart(alt.InlineData(expected))
        .mark_line(strokeWidth=2.5, strokeDash=[6, 4])
        .encode(x=x, y=y, color=colour),
        alt.Chart(alt.InlineData(own))
        .mark_line(strokeWidth=4, color="currentColor")
        .encode(x=x, y=y),
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
    rows: Rows = [
        {
            "place": place,
            "class": _short(name),
            "documents": count,
            "kind": "asked about" if name in asked else "rest",
        }
        for place, (name, count) in enumerate(shown)
    ]
    left = sum(count for _, count in items) - sum(count for _, count in shown)
    if left:
        rows.append(
            {
                "place": len(rows),
                "class": f"{len(items) - len(shown)} more",
                "documents": left,
                "kind": "rest",
            }
        )
    y = alt.Y(
        "place:O",
        title=None,
        axis=alt.Axis(labelExpr="data('names')[datum.value]['class']", labelLimit=170),
    )
    names = alt.InlineData(rows, name="names")
    bars = (
        alt.Chart(names)
        .mark_bar()
        .encode(
            y=y,
            x=alt.X("documents:Q", title="documents"),
            color=alt.Color(
                "kind:N",
                scale=alt.Scale(domain=["asked about", "rest"], range=[OVERSAMPLING, PAGE_GREY]),
                legend=alt.Legend(title=None, orient="top"),
            ),
        )
    )
    counts = (
        alt.Chart(names)
        .mark_text(align="left", dx=3, color="currentColor")
        .encode(y=y, x="documents:Q", text=alt.Text("documents:Q", format=","))
    )
    return page_svg(alt.layer(bars, counts), height=max(80, 20 * len(rows)), width=240)


def gamma_label(entry: Mapping[str, Any]) -> str:
    """Return how a gamma is written on an axis.

    Examples
    --------
    >>> gamma_label({"gamma": 0.1, "by_heaps": False}), gamma_label({"gamma": 0.034, "by_heaps": 1})
    ('0.1', '0.034 (Heaps)')
    """
    value = f"{entry['gamma']:.2g}"
    return f"{value} (Heaps)" if entry["by_heaps"] else value


def _finite(value: float | None, instead: float | None) -> float | None:
    return instead if value is None or math.isnan(value) else value


def _short(name: str) -> str:
    text = visible(name)
    return text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…"
