"""The report of a comparison: one HTML file that opens anywhere, offline."""

from imbtext.comparison.report._charts import result_chart
from imbtext.comparison.report._page import notebook_html, report_html

__all__ = ["notebook_html", "report_html", "result_chart"]
