"""The tables of a report: all methods, and all classes where there are several."""

import math
from typing import Final

import polars as pl

from imbtext.comparison._recommend import METRIC_NAMES, described, simple_baselines
from imbtext.comparison._result import Comparison
from imbtext.comparison._scores import MEAN_OF_CLASSES
from imbtext.reporting import charts
from imbtext.reporting.escaping import escaped, untrusted

_DOTS: Final = {"plain": "dot", "no new documents": "dot simple", "oversampling": "dot over"}


def method_table(comparison: Comparison) -> str:
    """Return all measures of all methods, sortable."""
    metric = comparison.settings.metric
    others = [name for name in METRIC_NAMES if name != metric]
    heads = [("method", False), (METRIC_NAMES[metric], True), ("gain over plain", True)]
    heads += [(METRIC_NAMES[name], True) for name in others]
    heads += [("rows added", True), ("seconds a fit", True)]
    headers = _headers(heads)
    gains = _gains(comparison, metric)
    rows = []
    for number, row in enumerate(comparison.table().to_dicts(), start=1):
        method = row["method"]
        cells = [
            f'<th scope="row" data-text="{escaped(method)}"><b>{number}</b>'
            f"{named_method(method)}</th>"
        ]
        scores = {
            name: _score(row[name], row[f"{name}_lower"], row[f"{name}_upper"])
            for name in METRIC_NAMES
        }
        cells += [scores[metric], gains.get(method, '<td data-value="0">&ndash;</td>')]
        cells += [scores[name] for name in others]
        cells.append(f'<td data-value="{row["rows_added"]:.6g}">{row["rows_added"]:,.0f}</td>')
        cells.append(f'<td data-value="{row["seconds"]:.6g}">{row["seconds"]:.2f}</td>')
        chosen = ' class="chosen"' if method == comparison.recommendation.method else ""
        rows.append(f"<tr{chosen}>{''.join(cells)}</tr>")
    what = (
        "Means over classes and folds"
        if comparison.question == MEAN_OF_CLASSES
        else "Means over folds"
        if not comparison.settings.n_test
        else "Scores on the test documents"
    )
    return f"""<section class="long" aria-labelledby="table">
<h2 id="table">All methods</h2>
<p class="soft">{what} with 95 % intervals; the recommended method is set in bold. The gain is in
{METRIC_NAMES[metric]}, with its Holm-corrected p-value. Press a heading to sort.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Table of all methods">
<table aria-labelledby="table"><thead><tr>{headers}</tr></thead>
<tbody>{"".join(rows)}</tbody></table></div>
<p id="status" role="status" class="soft"></p>
{_baseline_note(comparison)}
</section>"""


def class_table(comparison: Comparison) -> str:
    """Return the recommendation of every class where there are several."""
    if comparison.question != MEAN_OF_CLASSES:
        return ""
    metric = comparison.settings.metric
    rows = []
    for name in comparison.settings.classes:
        if name not in comparison.recommendations:
            continue
        found = comparison.recommendations[name]
        means = {row["method"]: row[metric] for row in comparison.table(name).to_dicts()}
        plain, chosen = means[comparison.settings.methods[0]], means[found.method]
        count = comparison.balance.get(name, 0)
        rows.append(
            f'<tr><th scope="row">{untrusted(name)}</th><td data-value="{count}">{count:,}</td>'
            f'<td class="name">{untrusted(found.method)}</td>'
            f'<td class="name">{escaped(found.strength)}</td>{_score(plain)}{_score(chosen)}</tr>'
        )
    heads = [
        ("class", False),
        ("documents", True),
        ("choice", False),
        ("how sure", False),
        (f"{METRIC_NAMES[metric]}, plain", True),
        (f"{METRIC_NAMES[metric]}, choice", True),
    ]
    headers = _headers(heads)
    return f"""<section class="long" aria-labelledby="classes">
<h2 id="classes">Class by class</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Table of classes">
<table aria-labelledby="classes"><thead><tr>{headers}</tr></thead>
<tbody>{"".join(rows)}</tbody></table></div></section>"""


def _gains(comparison: Comparison, metric: str) -> dict[str, str]:
    plain = comparison.settings.methods[0]
    rows = comparison.tests.filter(
        (pl.col("class") == comparison.question)
        & (pl.col("metric") == metric)
        & (pl.col("reference") == plain)
    )
    cells = {}
    for row in rows.to_dicts():
        p = row["p_holm"]
        note = "" if math.isnan(p) else "p &lt; 0.001" if p < 0.001 else f"p = {p:.2g}"
        cells[row["method"]] = (
            f'<td data-value="{row["difference"]:.6g}">{row["difference"]:+.3f}'
            f'<span class="interval">{note}</span></td>'
        )
    return cells


def _baseline_note(comparison: Comparison) -> str:
    """Say how the best oversampler stands against the best simple remedy."""
    metric = comparison.settings.metric
    means = {row["method"]: row[metric] for row in comparison.table().to_dicts()}
    simple = simple_baselines(list(means))
    others = [m for m in means if m not in simple and charts.kind_of(m) == "oversampling"]
    if not simple or not others:
        return ""
    baseline, best = max(simple, key=means.__getitem__), max(others, key=means.__getitem__)
    rows = comparison.tests.filter(
        (pl.col("class") == comparison.question)
        & (pl.col("metric") == metric)
        & (pl.col("reference") == baseline)
        & (pl.col("method") == best)
    ).to_dicts()
    if not rows or math.isnan(rows[0]["p_holm"]):
        return ""
    found = rows[0]
    return (
        f"<p>Against the best simple remedy ({escaped(described(baseline))}), the best of the "
        f"other methods ({escaped(described(best))}) changes {METRIC_NAMES[metric]} by "
        f"{found['difference']:+.3f} (95 % interval {found['lower']:+.3f} to "
        f"{found['upper']:+.3f}, p = {found['p_holm']:.2g} after Holm's correction).</p>"
    )


def _score(value: float, lower: float = math.nan, upper: float = math.nan) -> str:
    if math.isnan(value):
        return "<td>&ndash;</td>"
    limits = (
        "" if math.isnan(lower) else f'<span class="interval">{lower:.3f}&ndash;{upper:.3f}</span>'
    )
    return f'<td data-value="{value:.6g}">{value:.3f}{limits}</td>'


def named_method(method: str) -> str:
    """Return a method's name behind a dot in the colour of its kind."""
    dot = _DOTS[charts.kind_of(method)]
    return f'<span class="{dot}" aria-hidden="true"></span>{untrusted(method)}'


def _headers(heads: list[tuple[str, bool]]) -> str:
    return "".join(
        f'<th scope="col"{" data-numeric" if numeric else " class=name"}>'
        f'<button type="button">{name}</button></th>'
        for name, numeric in heads
    )
