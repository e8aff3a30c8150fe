"""From a comparison to a page: the templates hold the words and their form."""

import math
from typing import Any, Final

from imbtext.advice import Numbers, effort, simple_baselines, titled
from imbtext.advice._choice import CLEAR_GAIN, LEVEL
from imbtext.comparison._result import Comparison
from imbtext.comparison._scores import METRIC_NAMES
from imbtext.comparison.report import _charts
from imbtext.comparison.report._look import look
from imbtext.reporting.page import environment, render_page

_PACKAGE: Final = "imbtext.comparison.report"


def report_html(comparison: Comparison) -> str:
    """Return the report of a comparison as a page."""
    moving = look(comparison)
    return render_page(
        _PACKAGE,
        "page.html",
        style="report.css",
        script="report.js",
        look=moving,
        looked_at=list(comparison.inspection)[: len(moving.get("classes", ()))],
        clear_gain=CLEAR_GAIN,
        level=LEVEL,
        **_shown(comparison),
    )


def notebook_html(comparison: Comparison) -> str:
    """Return what a notebook shows of a comparison: the advice, a table and a chart."""
    return environment(_PACKAGE).get_template("notebook.html").render(**_shown(comparison))


def _shown(comparison: Comparison) -> dict[str, Any]:
    settings, balance = comparison.settings, comparison.balance
    sizes = [balance[name] for name in settings.classes]
    found = comparison.summary, comparison.tests
    numbers = Numbers(comparison.overall, settings.methods[0], *found)
    markov = [entry["method"] for entry in comparison.illustration.get("gammas", ())]
    first = comparison.recommendation.method
    if markov and first not in markov:
        first = numbers.best(settings.metric, markov)
    return {
        "found": comparison,
        "settings": settings,
        "advice": comparison.recommendation,
        "metric": settings.metric,
        "plain": settings.methods[0],
        "titles": METRIC_NAMES,
        "titled": titled,
        "kind_of": _charts.kind_of,
        "charts": _charts,
        "numbers": numbers,
        "rows": comparison.table().to_dicts(),
        "tables": {
            name: {row["method"]: row for row in comparison.table(name).to_dicts()}
            for name in comparison.recommendations
        },
        # The rarest first, the mean last.
        "classes": [*sorted(settings.classes, key=balance.__getitem__), comparison.overall],
        "sizes": balance | {comparison.overall: sum(sizes) / len(sizes)},
        "against_simple": _against_simple(numbers, settings.metric),
        "first_gamma": markov.index(first) if markov else None,
    }


def _against_simple(numbers: Numbers, metric: str) -> Any:
    """Return the test of the best oversampler against the best simple remedy, if there is one."""
    simple = simple_baselines(numbers.methods)
    others = [method for method in numbers.methods if effort(method) == 3]
    if not simple or not others:
        return None
    test = numbers.test(metric, numbers.best(metric, others), numbers.best(metric, simple))
    return None if test is None or math.isnan(test["p_holm"]) else test
