"""The report of a comparison: one HTML file that opens anywhere, offline."""

from imbtext.comparison.report._page import report_html, write_report

__all__ = ["report_html", "write_report"]
