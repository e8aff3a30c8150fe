"""Pages for those who read by machine: llms.txt, and the Markdown of each page beside it.

``llms.txt`` lists every page with its title and first sentence. A page written in Markdown is
copied beside its HTML, with the same name and the ending ``.md``.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from for_the_web import _first_paragraph
from sphinx.application import Sphinx

LEFT_OUT = ("404", "genindex", "search")


class Listed(NamedTuple):
    """A page of the site: its name, title and first sentence."""

    name: str
    title: str
    about: str
    is_markdown: bool


def llms_text(project: str, about: str, pages: Sequence[Listed], address: str = "") -> str:
    """Return the list of pages, those of one folder together, as llmstxt.org describes it."""
    lines = [f"# {project}", "", f"> {about}", ""]
    sections: dict[str, list[str]] = {}
    for page in pages:
        ending = "md" if page.is_markdown else "html"
        line = f"- [{page.title}]({address}{page.name}.{ending})"
        folder = page.name.partition("/")[0] if "/" in page.name else "start here"
        sections.setdefault(folder, []).append(f"{line}: {page.about}" if page.about else line)
    for folder in sorted(sections, key=lambda name: (name != "start here", name)):
        lines += [f"## {folder.capitalize()}", "", *sections[folder], ""]
    return "\n".join(lines)


def write_files(app: Sphinx, error: Exception | None) -> None:
    """Write the list, and a copy of every page of Markdown."""
    if error or app.builder.name != "html":
        return
    pages, out = [], Path(app.outdir)
    for name in sorted(app.env.found_docs - set(LEFT_OUT)):
        source = Path(app.env.doc2path(name))
        is_markdown = source.suffix == ".md"
        if is_markdown:
            copy = out / f"{name}.md"
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(source.read_text("utf-8"), "utf-8")
        title = app.env.titles[name].astext()
        pages.append(Listed(name, title, _first_paragraph(app.env.get_doctree(name)), is_markdown))
    text = llms_text(
        app.config.project, "Find the rare class in text.", pages, app.config.html_baseurl
    )
    (out / "llms.txt").write_text(text, "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what happens at the end."""
    app.connect("build-finished", write_files)
    return {"parallel_read_safe": True}
