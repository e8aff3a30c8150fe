"""What a site needs besides its pages: redirects, a sitemap, descriptions, where it stands.

Where the site will stand is the address of the documentation in pyproject.toml, once that is not a
placeholder; ``IMBTEXT_SITE_URL`` names another, and Read the Docs says it by itself. A repository
on GitHub gives "edit this page".
"""

import os
import re
import subprocess
import tomllib
from html import escape
from pathlib import Path
from posixpath import relpath
from typing import Any
from urllib.parse import urlsplit

from docutils import nodes
from sphinx.application import Sphinx

REDIRECT = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>This page has moved</title>
<link rel="canonical" href="{target}">
<noscript><meta http-equiv="refresh" content="0; url={target}"></noscript>
<script>location.replace("{target}" + location.hash)</script></head>
<body><p>This page has moved to <a href="{target}">{target}</a>.</p></body></html>
"""


def site_address() -> str:
    """Return the address of the site with a slash at its end, or nothing if it is not known."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    address = project["project"]["urls"]["Documentation"]
    if ".example/" in address:
        address = ""
    for variable in ("READTHEDOCS_CANONICAL_URL", "IMBTEXT_SITE_URL"):
        address = os.environ.get(variable) or address
    return f"{address.rstrip('/')}/" if address else ""


def repository(folder: Path) -> tuple[str, str] | None:
    """Return owner and name of the repository on GitHub, if there is one."""
    named = os.environ.get("GITHUB_REPOSITORY", "")
    if not named:
        asked = subprocess.run(
            ["git", "remote", "get-url", "origin"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        found = re.search(r"github\.com[:/](.+?)(?:\.git)?$", asked.stdout.strip())
        named = found.group(1) if found else ""
    owner, _, name = named.partition("/")
    return (owner, name) if name else None


def describe(
    app: Sphinx, page: str, _template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give a page its description, for search engines and for those who share a link."""
    title = re.sub(r"<[^>]+>", "", context.get("title", ""))
    title = escape(f"{title} · {app.config.project}" if title else app.config.project)
    text = escape(_first_paragraph(doctree), quote=True)
    tags = {"og:title": title, "og:description": text, "og:type": "website"}
    address = app.config.html_baseurl
    if address:
        tags |= {
            "og:url": f"{address}{page}.html",
            "og:image": f"{address}example/report-light.webp",
        }
    lines = [f'<meta property="{name}" content="{value}">' for name, value in tags.items() if value]
    if text:
        lines.append(f'<meta name="description" content="{text}">')
    if page == "404":  # it is shown under any address
        lines.insert(0, f'<base href="{urlsplit(address).path or "/"}">')
    context["metatags"] = context.get("metatags", "") + "\n".join(lines)


def _first_paragraph(doctree: nodes.document | None) -> str:
    for paragraph in doctree.findall(nodes.paragraph) if doctree is not None else ():
        if isinstance(paragraph.parent, nodes.Admonition):  # "Go to the end to download"
            continue
        text = " ".join(paragraph.astext().split())
        # A class is told by its first line, however short; a guide to a command is named before it.
        if len(text) > 12 and not text.startswith("At work:"):
            return text if len(text) <= 200 else text[:200].rsplit(" ", 1)[0] + " ..."
    return ""


def write_files(app: Sphinx, error: Exception | None) -> None:
    """Write redirects and the sitemap after the pages."""
    if error or app.builder.name != "html":
        return
    out = Path(app.outdir)
    for old, new in app.config.redirects.items():
        if new not in app.env.found_docs:
            raise ValueError(f"the redirect from {old} leads to {new}, and there is no such page")
        path = out / f"{old}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(REDIRECT.format(target=relpath(f"{new}.html", Path(old).parent.as_posix())))
    pages = sorted(app.env.found_docs - {"404"})
    address = app.config.html_baseurl or "/"
    lines = [f"<url><loc>{escape(f'{address}{page}.html')}</loc></url>" for page in pages]
    (out / "sitemap.xml").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        + "\n".join(lines)
        + "\n</urlset>\n"
    )
    (out / "robots.txt").write_text(f"User-agent: *\nSitemap: {address}sitemap.xml\n")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what happens at each page and at the end."""
    app.add_config_value("redirects", {}, "html", types=frozenset({dict}))
    app.connect("html-page-context", describe)
    app.connect("build-finished", write_files)
    return {"parallel_read_safe": True}
