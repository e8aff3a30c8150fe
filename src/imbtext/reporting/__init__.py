"""The HTML report of a comparison: one file that opens anywhere, offline."""

from imbtext.reporting.page import report_html, write_report

__all__ = ["report_html", "write_report"]
