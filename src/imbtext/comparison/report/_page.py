"""From a comparison to a page: one HTML file that needs no network, no other file and no server.

The templates hold the words and their form. Jinja2 escapes whatever a template prints, and
characters that cannot be seen are shown by their code, so a template has nothing to remember. The
page allows its own script, by its hash, and nothing else: even if a document got markup past the
escaping, the browser would neither run it nor load anything.
"""

import base64
import hashlib
import math
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from imbtext._extras import require
from imbtext._messages import visible
from imbtext.comparison._choice import CLEAR_GAIN, LEVEL, Numbers, effort, simple_baselines, titled
from imbtext.comparison._result import Comparison
from imbtext.comparison._scores import METRIC_NAMES
from imbtext.comparison.report import _charts
from imbtext.comparison.report._look import look

if TYPE_CHECKING:
    from jinja2 import Environment

_PACKAGE: Final = "imbtext.comparison.report"


def report_html(comparison: Comparison) -> str:
    """Return the report of a comparison as a page."""
    style, script = (
        (files(_PACKAGE) / name).read_text(encoding="utf-8") for name in ("report.css", "report.js")
    )
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    moving = look(comparison)
    return (
        templates()
        .get_template("page.html")
        .render(
            _shown(comparison),
            style=style,
            script=script,
            policy=policy,
            look=moving,
            looked_at=list(comparison.inspection)[: len(moving.get("classes", ()))],
            clear_gain=CLEAR_GAIN,
            level=LEVEL,
        )
    )


def notebook_html(comparison: Comparison) -> str:
    """Return what a notebook shows of a comparison: the advice, a table and a chart."""
    return templates().get_template("notebook.html").render(_shown(comparison))


def templates() -> "Environment":
    """Return the templates, with two filters besides Jinja2's own.

    ``bdi`` keeps a text from changing the direction of what stands around it, and ``lines`` keeps
    line breaks (for code).
    """
    jinja2 = require("jinja2")
    made = jinja2.Environment(
        loader=jinja2.PackageLoader(_PACKAGE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    markup = require("markupsafe").Markup
    made.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "allow_nan": False,
        "separators": (",", ":"),
    }
    made.filters |= {
        "bdi": lambda text: markup("<bdi>{}</bdi>").format(visible(str(text))),
        "lines": lambda text: markup("\n").join(map(visible, text.split("\n"))),
    }
    return made


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
