"""Directive ``results-text``: a Markdown text that stands beside results, as part of a page."""

import re
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from for_machines import note
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[2]


class ResultsText(SphinxDirective):
    """Show the file that the argument names, from one line to another if told.

    Sections go where the page is, before what the directive returns: a text with paragraphs before
    its first heading is shown by two directives.
    """

    required_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {
        "from": directives.unchanged,
        "until": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        """Return the text's own sections."""
        path = ROOT / self.arguments[0]
        self.env.note_dependency(str(path))
        text = path.read_text(encoding="utf-8")
        if "from" in self.options:
            text = text[text.index(self.options["from"]) :]
        if "until" in self.options:
            text = text[: text.index(self.options["until"])]
        text = _for_the_site(text, path.parent)
        note(self, text)
        parent = nodes.section()
        parent.document = self.state.document
        lines = StringList(text.splitlines(), source=str(path))
        self.state.nested_parse(lines, 0, parent, match_titles=True)
        return parent.children


def _for_the_site(text: str, folder: Path) -> str:
    # Titles begin below the page's own, links to files become their names, pictures are found.
    least = min((len(marks) for marks in re.findall(r"^(#+) ", text, flags=re.M)), default=2)
    text = re.sub(r"^#+(?= )", lambda m: "#" * (len(m.group()) - least + 2), text, flags=re.M)
    text = re.sub(r"<!--.*?-->\n*", "", text, flags=re.S)
    up = Path("../..") / folder.relative_to(ROOT)
    text = re.sub(r"!\[([^]]*)\]\((?!http)([^)]+)\)", rf"![\1]({up.as_posix()}/\2)", text)
    return re.sub(r"(?<!!)\[([^]]*)\]\((?!http)[^)]+\)", r"\1", text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("results-text", ResultsText)
    return {"parallel_read_safe": True}
