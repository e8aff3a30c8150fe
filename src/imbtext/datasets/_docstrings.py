"""The embedded corpus: docstrings of NumPy, SciPy and scikit-learn."""

import contextlib
import importlib
import inspect
import pkgutil
import re
import warnings
from collections.abc import Container, Iterator
from types import ModuleType

from imbtext.datasets._dataset import TextDataset
from imbtext.documents._documents import content_checksum

LIBRARIES = ("numpy", "scipy", "sklearn")

# No documents of interest, or an import with side effects.
SKIPPED = frozenset(
    {"conftest", "core", "distutils", "externals", "experimental", "f2py", "matrixlib", "setup"}
    | {"test", "testing", "tests", "version"}
)

# scikit-learn shows these estimators only after an import of their own; whether someone made it
# must not change the corpus.
EXPERIMENTAL = "is still **experimental**"

# The signature line with which compiled functions begin: "add(x1, x2, /, out=None)".
_SIGNATURE = re.compile(r"\A\s*[\w.]+\([^\n]*\)(\s*->[^\n]*)?\n\s*\n")
# Examples are code, and their imports would give the label away.
_EXAMPLES = re.compile(r"^Examples?\n-{3,}\n.*?(?=^\S[^\n]*\n-{3,}\n|\Z)", re.M | re.S)
# SciPy prints a set of argument names into some docstrings: its order changes with the hash seed.
_ARGUMENT_SET = re.compile(r"(?<=argument\(s\) ``\{)[^}`\n]*(?=\}``)")
_HAS_WORDS = re.compile(r"[a-zA-Z]{2,}\W+[a-zA-Z]{2,}")


def load_docstrings() -> TextDataset:
    """Load the docstrings of the installed NumPy, SciPy and scikit-learn: nothing to download.

    About 2,600 documents in about 70 classes, from hundreds of documents to one. A document
    is the docstring of a public function or class without its signature and its Examples
    section; its class is the subpackage that defines it, such as ``"scipy.stats"``. An object
    that is public in several places counts once. What comes back depends on the installed
    versions, which `description` names, and on nothing else.

    Examples
    --------
    >>> docstrings = load_docstrings()
    >>> docstrings.in_class("scipy.stats").any()
    np.True_
    """
    documents: dict[str, str] = {}
    with warnings.catch_warnings():
        # Looking at a deprecated name does not use it.
        warnings.simplefilter("ignore")
        modules = _public_modules()
        for module in modules.values():
            for docstring in _docstrings(module, modules):
                # A wrapper that copies a docstring is not a second document.
                documents.setdefault(docstring, module.__name__)
    ordered = sorted(documents.items(), key=lambda item: (item[1], item[0]))
    texts = [docstring for docstring, _ in ordered]
    labels = [label for _, label in ordered]
    versions = ", ".join(
        f"{name} {importlib.import_module(name).__version__}" for name in LIBRARIES
    )
    return TextDataset(
        name="docstrings",
        texts=texts,
        labels=labels,
        classes=tuple(sorted(set(labels))),
        description=f"Docstrings of {versions}, labelled by subpackage",
        citation=(
            "Harris et al., Array programming with NumPy, Nature 585, 2020; Virtanen et al., SciPy "
            "1.0, Nature Methods 17, 2020; Pedregosa et al., Scikit-learn, JMLR 12, 2011"
        ),
        license_note="BSD 3-Clause, copyright of the NumPy, SciPy and scikit-learn developers.",
        checksum=content_checksum(texts, labels),
    )


def _public_modules() -> dict[str, ModuleType]:
    """Import every library, then its public subpackages."""
    modules = {}
    for library in LIBRARIES:
        modules[library] = importlib.import_module(library)
        inside = pkgutil.iter_modules(modules[library].__path__)
        for name in sorted(module.name for module in inside):
            if name.startswith("_") or name in SKIPPED:
                continue
            # A subpackage may have an optional dependency of its own.
            with contextlib.suppress(ImportError):
                modules[f"{library}.{name}"] = importlib.import_module(f"{library}.{name}")
    return modules


def _docstrings(module: ModuleType, modules: Container[str]) -> Iterator[str]:
    """Yield the docstrings of what `module` makes public and itself defines."""
    declared = getattr(module, "__all__", None)
    for name in sorted(dir(module) if declared is None else declared):
        if name.startswith("_"):
            continue
        try:
            member = getattr(module, name)
        except (AttributeError, ImportError):
            continue
        docstring = getattr(member, "__doc__", None)
        if not callable(member) or not isinstance(docstring, str) or EXPERIMENTAL in docstring:
            continue
        # Compiled objects may not say where they live; what a module declares is then its own.
        owner = _owner(getattr(member, "__module__", None) or "", modules)
        if owner == module.__name__ or (owner is None and declared is not None):
            cleaned = _clean(docstring)
            if _HAS_WORDS.search(cleaned):
                yield cleaned


def _owner(home: str, modules: Container[str]) -> str | None:
    """Return the public module that the module `home` is part of.

    Examples
    --------
    >>> _owner("scipy.stats._stats_py", {"scipy", "scipy.stats"})
    'scipy.stats'
    >>> _owner("numpy._core.fromnumeric", {"numpy", "numpy.linalg"})
    'numpy'
    """
    library = home.partition(".")[0]
    subpackage = ".".join(home.split(".")[:2])
    return next((name for name in (subpackage, library) if name in modules), None)


def _clean(docstring: str) -> str:
    r"""Return the prose of a docstring.

    Examples
    --------
    >>> _clean("add(x1, x2)\n\nAdd arguments.\n\nExamples\n--------\n>>> add(1, 2)\n3\n")
    'Add arguments.'
    """
    text = inspect.cleandoc(docstring) + "\n"
    text = _ARGUMENT_SET.sub(lambda match: ", ".join(sorted(match[0].split(", "))), text)
    return _EXAMPLES.sub("", _SIGNATURE.sub("", text)).strip()
