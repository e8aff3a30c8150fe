"""A page of words and tables, written once for every form.

The card of a model and the check of new documents are such pages. A :class:`Page` has a title, some
figures and sections. A :class:`Section` has paragraphs, a table, a list, code or a chart. Charts
appear only in HTML. Everything in a page is text: a label or a word never becomes markup or a
terminal command.

>>> page = Page("A model", "Finds oil", sections=(Section("Words", items=("crude", "oil")),))
>>> print(page.markdown())
# Finds oil
<BLANKLINE>
*A model*
<BLANKLINE>
## Words
<BLANKLINE>
- crude
- oil
<BLANKLINE>
"""

import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from imbtext._messages import visible
from imbtext.pages._templates import page_frame, templates

_WIDTH: Final = 88
# Characters that Markdown, or the HTML in it, would interpret.
_MARKUP: Final = re.compile(r"([\\`*_\[\]<>|&#~$])")


@dataclass(frozen=True)
class Table:
    """Cells as text, the first of each row its name; `marked` is the row to highlight."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    marked: int | None = None

    def lines(self) -> Iterator[str]:
        """Yield the table as a terminal shows it, names on the left and numbers on the right."""
        rows = [[visible(cell) for cell in row] for row in (self.columns, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for number, row in enumerate(rows, start=-1):
            mark = "*" if number == self.marked else " "
            cells = [row[0].ljust(widths[0])]
            cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
            yield f"{mark} {'  '.join(cells)}".rstrip()


@dataclass(frozen=True)
class Chart:
    """A chart that is drawn when needed, and what it shows in words."""

    draw: Callable[[], str]
    label: str


@dataclass(frozen=True)
class Section:
    """A part of a page, from its title to a note in small print."""

    title: str
    paragraphs: Sequence[str] = ()
    table: Table | None = None
    items: Sequence[str] = ()
    code: str = ""
    chart: Chart | None = None
    note: str = ""


@dataclass(frozen=True, repr=False)
class Page:
    """A page in every form.

    Attributes
    ----------
    kind : str
        What the page is, such as "Model card".
    title : str
        The one sentence to remember.
    figures : sequence of (str, str)
        A few numbers, each with its name.
    sections : sequence of Section
        The parts of the page.
    signature : str
        Settings and versions as one line.
    """

    kind: str
    title: str
    figures: Sequence[tuple[str, str]] = ()
    sections: Sequence[Section] = ()
    signature: str = ""

    def text(self, width: int = _WIDTH) -> str:
        """Return the page as a terminal shows it."""
        lines = [visible(self.title), "=" * min(len(visible(self.title)), width), ""]
        lines += [f"{visible(value)} {visible(name)}" for value, name in self.figures]
        for section in self.sections:
            lines += ["", visible(section.title), "-" * len(visible(section.title))]
            for paragraph in section.paragraphs:
                lines += textwrap.wrap(visible(paragraph), width, break_on_hyphens=False)
            if section.table is not None:
                lines += section.table.lines()
            for item in section.items:
                lines += textwrap.wrap(
                    visible(item), width, initial_indent="- ", subsequent_indent="  "
                )
            lines += [f"    {visible(line)}".rstrip() for line in section.code.splitlines()]
            lines += textwrap.wrap(visible(section.note), width)
        if self.signature:
            lines += ["", *textwrap.wrap(visible(self.signature), width, break_on_hyphens=False)]
        return "\n".join(lines) + "\n"

    def markdown(self) -> str:
        """Return the page as Markdown, with tables as GitHub writes them."""
        lines = [f"# {_plain(self.title)}", "", f"*{_plain(self.kind)}*", ""]
        if self.figures:
            lines += [
                *(f"- **{_plain(value)}** {_plain(name)}" for value, name in self.figures),
                "",
            ]
        for section in self.sections:
            lines += [f"## {_plain(section.title)}", ""]
            for paragraph in section.paragraphs:
                lines += [_plain(paragraph), ""]
            if section.table is not None:
                lines += [*_markdown_table(section.table), ""]
            if section.items:
                lines += [*(f"- {_plain(item)}" for item in section.items), ""]
            if section.code:
                fence = "`" * (3 + max(map(len, re.findall("`+", section.code)), default=0))
                lines += [fence, *map(visible, section.code.splitlines()), fence, ""]
            if section.note:
                lines += [_plain(section.note), ""]
        if self.signature:
            lines += [_plain(self.signature), ""]
        return "\n".join(lines)

    def html(self) -> str:
        """Return the page as one HTML file that needs no network, no other file and no server."""
        return templates().get_template("page.html").render(page_frame(), page=self)

    def notebook_html(self) -> str:
        """Return the page as a notebook shows it among other cells: title, figures, sections."""
        return templates().get_template("notebook.html").render(page=self)

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.notebook_html()


def _plain(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return _MARKUP.sub(r"\\\1", visible(text))


def _markdown_table(table: Table) -> Iterator[str]:
    yield "| " + " | ".join(map(_plain, table.columns)) + " |"
    yield "|---|" + "---:|" * (len(table.columns) - 1)
    for number, row in enumerate(table.rows):
        cells = [f"**{_plain(cell)}**" if number == table.marked else _plain(cell) for cell in row]
        yield "| " + " | ".join(cells) + " |"
