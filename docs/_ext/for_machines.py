"""Pages for those who read by machine: llms.txt, and the Markdown of each page beside it.

``llms.txt`` lists every page with its title and first sentence, in the order of the contents. A
page written in Markdown is copied beside its HTML, with the same name and the ending ``.md``. In
the copy stand the numbers and the output that the build put into the page, and no directives.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

from for_the_web import _first_paragraph
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

LEFT_OUT = ("404", "genindex", "search")
# What these show is computed by the build; each notes it.
COMPUTED = ("terminal", "python", "command", "results-text", "sortable", "example-result")
DIRECTIVE = re.compile(
    r"^(?P<fence>`{3,})\{(?P<name>[\w-]+)\} ?(?P<argument>[^\n]*)\n"
    r"(?P<options>(?::[\w-]+:[^\n]*\n)*)(?P<body>.*?)^(?P=fence)[ ]*$",
    re.MULTILINE | re.DOTALL,
)


class Listed(NamedTuple):
    """A page of the site: its name, title and first sentence."""

    name: str
    title: str
    about: str
    is_markdown: bool


def llms_text(project: str, about: str, pages: Sequence[Listed], address: str = "") -> str:
    """Return the list of pages, those of one folder together, as llmstxt.org describes it.

    Folders stand in the order of their first page. Pages in no folder are about the project; they
    come last, under the heading that says "may be skipped" to those who read such lists.
    """
    lines = [f"# {project}", "", f"> {about}", ""]
    sections: dict[str, list[str]] = {}
    for page in pages:
        ending = "md" if page.is_markdown else "html"
        line = f"- [{page.title}]({address}{page.name}.{ending})"
        alone = "start" if page.name == "index" else "optional"
        folder = page.name.partition("/")[0] if "/" in page.name else alone
        sections.setdefault(folder, []).append(f"{line}: {page.about}" if page.about else line)
    for folder in sorted(sections, key=lambda name: name == "optional"):
        lines += [f"## {folder.capitalize()}", "", *sections[folder], ""]
    return "\n".join(lines)


def as_read(first: str, leads_to: Mapping[str, Sequence[str]], pages: Set[str]) -> list[str]:
    """Return the pages as somebody reads them who follows each table of contents."""
    seen, to_read = {}, [first]
    while to_read:
        page = to_read.pop()
        if page in pages and page not in seen:
            seen[page] = None
            to_read += reversed(leads_to.get(page, ()))
    return [*seen, *sorted(pages - set(seen))]


def note(directive: SphinxDirective, markdown: str) -> None:
    """Keep what a directive shows, for the copy of its page."""
    notes = directive.env.__dict__.setdefault("noted_markdown", {})
    notes.setdefault(directive.env.docname, []).append(markdown)


def forget(_app: Sphinx, env: BuildEnvironment, page: str) -> None:
    """Drop what was noted of a page that is read again."""
    env.__dict__.get("noted_markdown", {}).pop(page, None)


def as_markdown(
    source: str, noted: Sequence[str], substitutions: Mapping[str, str], folder: Path = Path()
) -> str:
    """Return the source of a page as plain Markdown: what it shows instead of its directives."""
    shown = iter(noted)
    text = re.sub(r"\A---\n.*?^---\n", "", source, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"\{\{ ?(\w+) ?\}\}", lambda found: substitutions[found[1]], text)
    text = DIRECTIVE.sub(lambda found: _shown_instead(found, shown, folder), text)
    # Grids and tabs: their titles stay.
    text = re.sub(r"^:{3,}\{(?:tab-item|grid-item-card)\} (.+)$", r"**\1**\n", text, flags=re.M)
    text = re.sub(r"^(?::{3,}(?:\{.*)?|:[\w-]+:.*|\{\.[\w-]+\})\n", "", text, flags=re.M)
    # Names in backticks, without their roles.
    text = re.sub(r"\{[\w:]+\}`~(?:\w+\.)*(\w+)`", r"`\1`", text)
    text = re.sub(r"\{[\w:]+\}(?=`)", "", text)
    return re.sub(r"\n{3,}", "\n\n", text).lstrip()


def _shown_instead(found: re.Match[str], shown: Iterator[str], folder: Path) -> str:
    name, argument, body = found["name"], found["argument"], found["body"]
    alt = re.search(r":alt: (.*)", found["options"])
    names = re.findall(r"^   ([\w.]+)$", body, flags=re.M)
    make = {
        "button-link": lambda: f"[{body.strip()}]({argument})",
        "button-ref": lambda: f"[{body.strip()}]({argument}.md)",
        "code-block": lambda: f"```{argument}\n{body.lstrip()}```",
        "eval-rst": lambda: "\n".join(f"* `{name}`" for name in names),
        "image": lambda: f"![{alt[1] if alt else ''}]({argument})",
        "include": lambda: (folder / argument).read_text("utf-8"),
    }
    if name in COMPUTED:
        return next(shown)
    return make[name]() if name in make else ""


def write_files(app: Sphinx, error: Exception | None) -> None:
    """Write the list, and a copy of every page of Markdown."""
    if error or app.builder.name != "html":
        return
    pages, out = [], Path(app.outdir)
    substitutions = app.config.myst_substitutions
    leads_to, found = app.env.toctree_includes, app.env.found_docs - set(LEFT_OUT)
    for name in as_read(app.config.root_doc, leads_to, found):
        source = Path(app.env.doc2path(name))
        is_markdown = source.suffix == ".md"
        if is_markdown:
            copy = out / f"{name}.md"
            copy.parent.mkdir(parents=True, exist_ok=True)
            noted = app.env.__dict__.get("noted_markdown", {}).get(name, ())
            markdown = as_markdown(source.read_text("utf-8"), noted, substitutions, source.parent)
            copy.write_text(markdown, "utf-8")
        title = app.env.titles[name].astext()
        pages.append(Listed(name, title, _first_paragraph(app.env.get_doctree(name)), is_markdown))
    text = llms_text(
        app.config.project, "Find the rare class in text.", pages, app.config.html_baseurl
    )
    (out / "llms.txt").write_text(text, "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what happens when a page is read again, and at the end."""
    app.connect("env-purge-doc", forget)
    app.connect("build-finished", write_files)
    return {"parallel_read_safe": True}
