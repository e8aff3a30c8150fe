"""Directive ``sortable``: a CSV file of results as a table that readers can sort."""

from html import escape
from pathlib import Path
from typing import Any, ClassVar

import polars as pl
from docutils import nodes
from docutils.parsers.rst import directives
from for_machines import note
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[2]


class SortableTable(SphinxDirective):
    """Show some columns of the file that the argument names, rows where a column has a value."""

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {
        "columns": directives.unchanged,
        "where": directives.unchanged,
        "digits": directives.nonnegative_int,
    }

    def run(self) -> list[nodes.Node]:
        """Return the table as HTML."""
        path = ROOT / self.arguments[0]
        self.env.note_dependency(str(path))
        frame = pl.read_csv(path)
        for condition in filter(None, self.options.get("where", "").split(";")):
            column, value = (part.strip() for part in condition.split("="))
            frame = frame.filter(pl.col(column).cast(pl.String) == value)
        if "columns" in self.options:
            frame = frame.select([name.strip() for name in self.options["columns"].split(",")])
        note(self, f"The table is `{self.arguments[0]}` in the repository.")
        return [nodes.raw("", _html(frame, self.options.get("digits", 3)), format="html")]


def _html(frame: pl.DataFrame, most_digits: int) -> str:
    digits = [_digits(column, most_digits) for column in frame.get_columns()]
    head = "".join(
        f'<th scope="col"><button type="button">{escape(name.replace("_", " "))}</button></th>'
        for name in frame.columns
    )
    rows = "".join("<tr>" + "".join(map(_cell, row, digits)) + "</tr>" for row in frame.rows())
    # A long table can be narrowed by typing; without JavaScript the box stays hidden.
    narrow = (
        '<label class="table-filter" hidden>Only rows with <input type="search" '
        'placeholder="for example: emco titles"> <output></output></label>'
        if len(frame) > 20
        else ""
    )
    return (
        f'{narrow}<div class="table-scroll" tabindex="0" role="region" aria-label="Table">'
        f'<table class="table sortable"><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, float):
        return f'<td class="number" data-value="{value}">{_rounded(value, digits)}</td>'
    if isinstance(value, int):
        return f'<td class="number" data-value="{value}">{value:,}</td>'
    return f"<td>{escape('' if value is None else _plain(str(value)))}</td>"


def _digits(column: pl.Series, most: int) -> int:
    # As many as the values have: a share of 0.2 is not a measurement of three digits.
    if not column.dtype.is_float():
        return 0
    return next(n for n in range(most + 1) if n == most or (column.round(n) == column).all())


def _rounded(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:.{digits}f}"  # no "-0.000"


def _plain(name: str) -> str:
    # "very_low" is read better without the underscore; a method's name is typed with it.
    return name if "(" in name else name.replace("_", " ")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("sortable", SortableTable)
    return {"parallel_read_safe": True}
