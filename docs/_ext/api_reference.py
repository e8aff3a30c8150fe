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
_ABOUT = (
    "By what you want to do; below it, by module. These {} names are promised: "
    "[what you can rely on](../../policy.md) says how they change."
)
_NOT_PROMISED = "You can import these, too. A minor release may change them without a hint:"
# What people do, in the order in which they come: the names that we promise and the
# packages. Other public names are what these return and are made of.
TASKS = {
    "Find a class": (
        (
            "RareTextClassifier",
            "ThresholdClassifier",
            "rare.FittedModel",
            "rare.Explanation",
            "thresholds.HeldOut",
            "thresholds.expect",
            "thresholds.expect_at",
            "thresholds.OperatingPoint",
            "thresholds.Expectation",
        ),
        ("rare", "thresholds"),
    ),
    "Get labels": (
        ("Labelling", "safe_to_stop", "mislabelled", "labelling.Progress", "labelling.simulate"),
        ("labelling",),
    ),
    "Choose a method": (
        (
            "compare",
            "ResampledClassifier",
            "comparison.Comparison",
            "methods.get_method",
            "methods.method_names",
            "methods.register_method",
            "methods.unregister_method",
            "metrics.get_goal",
            "metrics.register_metric",
            "metrics.unregister_metric",
        ),
        ("comparison", "methods", "metrics"),
    ),
    "Oversample": (
        (
            "EMCO",
            "MCO",
            "EDA",
            "ROS",
            "DECOM",
            "DRO",
            "PromptedSampler",
            "minority_share",
            "FallbackWarning",
            "oversampling.OpenAIModel",
            "neural.LanguageModelSampler",
            "neural.SeqGAN",
            "markov.MarkovChain",
            "markov.TransitionCounts",
            "markov.gamma_by_heaps",
        ),
        ("oversampling", "markov", "neural"),
    ),
    "Watch a model": (
        ("quality.Audit", "quality.AuditResult", "quality.ModelCheck", "quality.LabelDoubts"),
        ("quality",),
    ),
    "Scale and serve": (
        (
            "files.predict_file",
            "files.oversample_files",
            "files.count_files",
            "files.check_file",
            "files.audit_file",
            "markov.save_counts",
            "markov.load_counts",
            "distributed.fit",
            "distributed.predict",
            "distributed.train",
            "distributed.oversample",
            "web.serve",
            "web.model_application",
        ),
        ("files", "distributed", "web"),
    ),
    "Extend and look inside": (
        (
            "oversampling.Sampler",
            "oversampling.CountingSampler",
            "oversampling.Foreign",
            "oversampling.Request",
            "oversampling.New",
            "testing.check_text_sampler",
            "testing.parametrize_with_checks",
            "features.get_encoder",
            "documents.encode_texts",
            "datasets.load_docstrings",
        ),
        ("features", "testing", "documents", "statistics", "datasets"),
    ),
}
PROMISED = {f"imbtext.{name}" for names, _ in TASKS.values() for name in names}


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
    from sphinx.ext.autodoc.mock import _MockObject, mock

    # Annotations such as `Tensor | None` are computed when a module is imported.
    _MockObject.__or__ = _MockObject.__ror__ = lambda self, _: self
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
        listed = public_names(package)
        promised = [name for name in listed if f"{package}.{name}" in PROMISED]
        lines += _summary(promised)
        if len(promised) < len(listed):
            lines += [_NOT_PROMISED, ""]
            lines += _summary([name for name in listed if name not in promised])
        lines += ["```", ""]
        elsewhere = {name: _listed_in(package, name) for name in _exported(package)}
        links = [
            f"{{py:obj}}`{home}.{name}`" for name, home in elsewhere.items() if home != package
        ]
        if links:
            lines += [f"Also exported here: {', '.join(links)}.", ""]
        _write(PAGES / f"{package}.md", "\n".join(lines))
    index = ["# API reference", "", _ABOUT.format(len(PROMISED)), ""]
    for task, (names, modules) in TASKS.items():
        index += [f"## {task}", ""]
        index += [f"* {{py:obj}}`~imbtext.{name}`: {_first_sentence(name)}" for name in names]
        full = [f"imbtext.{module}" for module in modules if f"imbtext.{module}" in packages]
        index += [f"* [{module}]({module}.md): {about[module]}" for module in full] + [""]
    index += ["## All modules", "", "* [imbtext](imbtext.md): what most programs import.", ""]
    index += ["```{toctree}", ":hidden:", "", *packages, "```", ""]
    _write(PAGES / "index.md", "\n".join(index))


def _summary(names: list[str]) -> list[str]:
    listed = [f"   {name}" for name in names]
    return [".. autosummary::", "   :toctree: generated", "", *listed, ""] if names else []


def _first_sentence(name: str) -> str:
    module, _, last = f"imbtext.{name}".rpartition(".")
    with _stand_ins():
        doc = getattr(importlib.import_module(module), last).__doc__ or ""
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
