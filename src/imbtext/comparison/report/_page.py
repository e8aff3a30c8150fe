"""From a comparison to a page, and to a file."""

from os import PathLike
from pathlib import Path

from imbtext._files import output_file
from imbtext.comparison._result import Comparison
from imbtext.comparison.report import _sections, _tables
from imbtext.comparison.report._look import look
from imbtext.reporting.page import render_page


def report_html(comparison: Comparison) -> str:
    """Return the report of a comparison as a page.

    Parameters
    ----------
    comparison : Comparison
        What `imbtext.comparison.compare` returned.
    """
    return render_page(
        "imbtext.comparison.report",
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
        trade=_sections.recall_precision(comparison),
        gamma=_sections.gamma(comparison),
        growth=_sections.growth(comparison),
        balance=_sections.balance(comparison),
        measured=_sections.measurement(comparison),
        signature=comparison.signature,
    )


def write_report(comparison: Comparison, path: str | PathLike[str]) -> None:
    """Write the report of a comparison, whole or not at all."""
    page = report_html(comparison)
    with output_file(Path(path)) as partial:
        partial.write_text(page, encoding="utf-8")
