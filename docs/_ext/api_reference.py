"""Writes the API reference before the build: a page per public package, a stub per public name."""

import importlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import imbtext

if TYPE_CHECKING:  # tests of the pages need no Sphinx
    from sphinx.application import Sphinx

PAGES = Path(__file__).parents[1] / "reference" / "api"


@cache
def public_packages() -> list[str]:
    """Return the modules that users import from: those that ``dir(imbtext)`` shows.

    A package that needs an extra is left out where the site is built without it.
    """
    names = [name for name in dir(imbtext) if find_spec(f"imbtext.{name}") is not None]
    return ["imbtext", *(f"imbtext.{name}" for name in names if _is_importable(f"imbtext.{name}"))]


def public_names(package: str) -> list[str]:
    """Return what is listed under a package: what it exports, and no other package lists."""
    return [name for name in _exported(package) if _listed_in(package, name) == package]


def _exported(package: str) -> list[str]:
    return [name for name in importlib.import_module(package).__all__ if not name.startswith("__")]


def _listed_in(package: str, name: str) -> str:
    # The package itself comes first, then the package where a name is defined.
    value = getattr(importlib.import_module(package), name)
    home = ".".join(getattr(value, "__module__", package).split(".")[:2])
    for other in ("imbtext", home):
        listed = other in public_packages() and name in _exported(other)
        if listed and getattr(importlib.import_module(other), name) is value:
            return other
    return package


def _is_importable(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def write_pages(*_: object) -> None:
    """Write the pages; a page that has not changed is left alone, so that caches hold."""
    PAGES.mkdir(parents=True, exist_ok=True)
    packages = public_packages()
    stubs = {f"{package}.{name}.rst" for package in packages for name in public_names(package)}
    for old in {*PAGES.glob("generated/*.rst"), *PAGES.glob("*.md")}:
        if old.name not in stubs and old.stem not in (*packages, "index"):
            old.unlink()
    about = {package: " ".join(_first_paragraph(package).split()) for package in packages}
    for package in packages:
        lines = [f"# {package}", "", about[package], "", "```{eval-rst}"]
        lines += [f".. currentmodule:: {package}", ""]
        lines += [".. autosummary::", "   :toctree: generated", ""]
        lines += [f"   {name}" for name in public_names(package)] + ["```", ""]
        elsewhere = {name: _listed_in(package, name) for name in _exported(package)}
        links = [
            f"{{py:obj}}`{home}.{name}`" for name, home in elsewhere.items() if home != package
        ]
        if links:
            lines += [f"Also exported here: {', '.join(links)}.", ""]
        _write(PAGES / f"{package}.md", "\n".join(lines))
    index = ["# API reference", "", "Every public name, by the module that you import it from.", ""]
    index += [f"* [{package}]({package}.md): {about[package]}" for package in packages]
    index += ["", "```{toctree}", ":hidden:", "", *packages, "```", ""]
    _write(PAGES / "index.md", "\n".join(index))


def _first_paragraph(package: str) -> str:
    return (importlib.import_module(package).__doc__ or "").strip().split("\n\n")[0]


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def setup(app: "Sphinx") -> dict[str, bool]:
    """Write the pages before Sphinx looks for them."""
    app.connect("config-inited", write_pages)
    return {"parallel_read_safe": True}
