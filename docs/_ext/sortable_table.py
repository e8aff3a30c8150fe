"""Directive ``sortable``: a CSV file under ``results/`` as a table that readers can sort."""

from html import escape
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

RESULTS = Path(__file__).parents[2] / "results"


class SortableTable(SphinxDirective):
    """Show ``results/<argument>``, some columns of it, rows where a column has a value."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {
        "columns": directives.unchanged,
        "where": directives.unchanged,
        "digits": directives.nonnegative_int,
    }

    def run(self) -> list[nodes.Node]:
        """Return the table as HTML."""
        path = RESULTS / self.arguments[0]
        self.env.note_dependency(str(path))
        frame = pl.read_csv(path)
        for condition in filter(None, self.options.get("where", "").split(";")):
            column, value = (part.strip() for part in condition.split("="))
            frame = frame.filter(pl.col(column).cast(pl.String) == value)
        if "columns" in self.options:
            frame = frame.select([name.strip() for name in self.options["columns"].split(",")])
        return [nodes.raw("", _html(frame, self.options.get("digits", 3)), format="html")]


def _html(frame: pl.DataFrame, digits: int) -> str:
    head = "".join(
        f'<th scope="col"><button type="button">{escape(name.replace("_", " "))}</button></th>'
        for name in frame.columns
    )
    rows = "".join(
        "<tr>" + "".join(_cell(value, digits) for value in row) + "</tr>" for row in frame.rows()
    )
    return (
        '<div class="table-scroll" tabindex="0" role="region" aria-label="Table">'
        f'<table class="table sortable"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, float):
        return f'<td class="number" data-value="{value}">{value:.{digits}f}</td>'
    if isinstance(value, int):
        return f'<td class="number" data-value="{value}">{value:,}</td>'
    return f"<td>{escape('' if value is None else str(value))}</td>"


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("sortable", SortableTable)
    return {"parallel_read_safe": True}
