"""Writes the API reference before the build: by task, by package, and a stub per public name.

A package that needs what is not installed, such as torch, is imported with a stand-in for it, so
that no page is missing.
"""

import importlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import imbtext

if TYPE_CHECKING:  # tests of the pages need no Sphinx
    from sphinx.application import Sphinx

PAGES = Path(__file__).parents[1] / "reference" / "api"
# What a package needs to be imported, and a site can be built without.
OPTIONAL = ("torch",)
# What people do, in the order in which they come: the names to begin with, and the packages.
TASKS = {
    "Find a class": (
        ("RareTextClassifier", "ThresholdClassifier"),
        ("rare", "thresholds"),
    ),
    "Get labels": (("Labelling", "safe_to_stop", "mislabelled"), ("labelling",)),
    "Choose a method": (
        ("compare", "ResampledClassifier"),
        ("comparison", "methods", "metrics"),
    ),
    "Oversample": (
        ("EMCO", "MCO", "EDA", "ROS", "DECOM", "DRO", "PromptedSampler", "minority_share"),
        ("oversampling", "markov", "neural"),
    ),
    "Watch a model": ((), ("quality",)),
    "Scale and serve": ((), ("files", "distributed", "web")),
    "Extend and look inside": ((), ("features", "testing", "documents", "statistics", "datasets")),
}


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
        with _stand_ins():
            importlib.import_module(name)
    except ImportError:
        return False
    return True


def missing() -> list[str]:
    """Return what a package would need and is not installed."""
    return [name for name in OPTIONAL if find_spec(name) is None]


@contextmanager
def _stand_ins() -> Iterator[None]:
    names = missing()
    if not names:
        yield
        return
    from sphinx.ext.autodoc.mock import mock

    with mock(names):
        yield


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
    index = ["# API reference", "", "By what you want to do; below it, by module.", ""]
    for task, (names, modules) in TASKS.items():
        index += [f"## {task}", ""]
        index += [f"* {{py:obj}}`~imbtext.{name}`: {_first_sentence(name)}" for name in names]
        full = [f"imbtext.{module}" for module in modules if f"imbtext.{module}" in packages]
        index += [f"* [{module}]({module}.md): {about[module]}" for module in full] + [""]
    index += ["## All modules", "", "* [imbtext](imbtext.md): what most programs import.", ""]
    index += ["```{toctree}", ":hidden:", "", *packages, "```", ""]
    _write(PAGES / "index.md", "\n".join(index))


def _first_sentence(name: str) -> str:
    doc = getattr(imbtext, name).__doc__ or ""
    return " ".join(doc.strip().split("\n\n")[0].split())


def _first_paragraph(package: str) -> str:
    return (importlib.import_module(package).__doc__ or "").strip().split("\n\n")[0]


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def link_back(
    _app: "Sphinx", page: str, _template: str, context: dict[str, Any], _: object
) -> None:
    """Let the source of a module lead back to names of several packages.

    Sphinx takes for granted that one package lists all names of a module.
    """
    if page.startswith("_modules/"):
        link = r'(generated/((?:\w+\.)+)(\w+)\.html)#(?:\w+\.)*?(\3\b[\w.]*)"'
        context["body"] = re.sub(link, r'\1#\2\4"', context.get("body", ""))


def setup(app: "Sphinx") -> dict[str, bool]:
    """Write the pages before Sphinx looks for them."""
    app.connect("config-inited", write_pages)
    app.connect("html-page-context", link_back)
    return {"parallel_read_safe": True}
