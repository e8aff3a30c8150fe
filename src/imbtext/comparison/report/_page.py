"""From a comparison to a page, and to a file."""

from os import PathLike
from typing import Final

from imbtext._files import write_text
from imbtext.comparison._result import Comparison
from imbtext.comparison._scores import METRIC_NAMES
from imbtext.comparison.report import _sections, _tables
from imbtext.comparison.report._look import look
from imbtext.reporting.page import environment, render_page

_PACKAGE: Final = "imbtext.comparison.report"
# Columns of a notebook's table besides the deciding measure.
_NOTEBOOK: Final = ("gain over plain", "recall", "precision")


def report_html(comparison: Comparison) -> str:
    """Return the report of a comparison as a page.

    Parameters
    ----------
    comparison : Comparison
        What `imbtext.comparison.compare` returned.
    """
    return render_page(
        _PACKAGE,
        "page.html",
        style="report.css",
        script="report.js",
        subject=_sections.subject(comparison),
        facts=_sections.facts(comparison),
        advice=comparison.recommendation,
        notes=comparison.warnings,
        methods=_tables.method_table(comparison),
        classes=_tables.class_table(comparison),
        look=look(comparison),
        tested=bool(comparison.settings.n_test),
        trade=_sections.recall_precision(comparison),
        gamma=_sections.gamma(comparison),
        growth=_sections.growth(comparison),
        balance=_sections.balance(comparison),
        measured=_sections.measurement(comparison),
        signature=comparison.signature,
    )


def notebook_html(comparison: Comparison) -> str:
    """Return what a notebook shows of a comparison: the advice, a table and a chart."""
    methods = _tables.method_table(comparison)
    shown = [methods["heads"].index(head) for head in methods["heads"] if head[0] in _NOTEBOOK]
    metric = METRIC_NAMES[comparison.settings.metric]
    kept = sorted({*shown, methods["heads"].index((metric, True))})
    return (
        environment(_PACKAGE)
        .get_template("notebook.html")
        .render(
            advice=comparison.recommendation,
            heads=[methods["heads"][i] for i in kept],
            rows=[{**row, "cells": [row["cells"][i - 1] for i in kept]} for row in methods["rows"]],
            chart=_sections.recall_precision(comparison)["chart"],
        )
    )


def write_report(comparison: Comparison, path: str | PathLike[str]) -> None:
    """Write the report of a comparison, whole or not at all."""
    write_text(report_html(comparison), path)
