"""Packages in layers: who imports whom, short functions, headers, public names with examples."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import imbtext

SOURCE = Path(imbtext.__file__).parent
MODULES = {
    path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8"))
    for path in sorted(SOURCE.rglob("*.py"))
}
# A module imports only from the lines above its own, and from its own package.
LAYERS = (
    "_typing",
    "_compilation _estimator _extras _memory _messages _names _signals _svm writing",
    "_counters _data_folders charts metrics progress randomness records statistics",
    "pages parallel store",
    "documents",
    "tables",
    "features",
    "markov",
    "oversampling",
    "neural testing",
    "thresholds",
    "rare",
    "datasets",
    "methods",
    "quality",
    "comparison",
    "labelling",
    "files",
    "distributed",
    "web",
    "_demonstration",
    "cli",
    "__main__",
)
LEVELS = {package: i for i, layer in enumerate(LAYERS) for package in layer.split()}
LONGEST_FUNCTION = 80
LONGEST_SENTENCE = 80
# What users type: as many parameters as the job has words, one line each.
ENTRY_POINTS = {
    "compare",
    "oversample_files",
    "predict_file",
    "check_file",
    "audit_file",
    "__init__",
}
# The verbs of a fitted model whose work is done above it; they import it when they run.
VERBS = {("rare/_classifier.py", "quality"), ("thresholds/_threshold_mixin.py", "quality")}
# The table of names says where each sampler is; it imports none of them.
TABLES = {("oversampling/_names.py", "neural")}


def test_packages_import_only_from_the_layers_above_their_own():
    wrong = [
        (name, used)
        for name, tree in MODULES.items()
        if (package := _package(name)) not in ("__init__", "_names")
        for used in {module.split(".")[0] for module in _modules_used(tree)}
        if used != package and LEVELS[used] >= LEVELS[package]
        if (name, used) not in VERBS | TABLES
    ]
    assert wrong == []


def test_names_are_imported_from_the_module_that_defines_them():
    passed_on = [
        (name, f"{node.module}.{alias.name}")
        for name, tree in MODULES.items()
        if name != "__init__.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and _is_package(str(node.module))
        for alias in node.names
        if not _is_module(f"{node.module}.{alias.name}")
        and alias.name not in _defined_in(str(node.module))
    ]
    assert passed_on == []


def test_every_function_is_short():
    long = {
        (name, function.name): lines
        for name, tree in MODULES.items()
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef)
        and not name.startswith("cli/")
        and function.name not in ENTRY_POINTS
        and (lines := _lines_of_code(function)) > LONGEST_FUNCTION
    }
    assert long == {}


def test_the_first_sentence_of_a_module_names_its_idea():
    long = {
        name: sentence
        for name, tree in MODULES.items()
        if not 0 < len(sentence := first_sentence(tree)) < LONGEST_SENTENCE
    }
    assert long == {}


def test_public_names_have_an_example():
    undocumented = [
        name
        for name in imbtext.__all__
        if callable(value := getattr(imbtext, name)) and "Examples" not in (value.__doc__ or "")
    ]
    assert undocumented == ["FallbackWarning"]


def first_sentence(tree: ast.Module) -> str:
    """Return the first sentence of a module's docstring, in one line."""
    text = ast.get_docstring(tree) or ""
    return " ".join(re.split(r"(?<=[.!?])\s|\n\n", text)[0].split())


def _package(name: str) -> str:
    return name.split("/", maxsplit=1)[0].removesuffix(".py")


def _modules_used(tree: ast.AST) -> Iterator[str]:
    """Yield the modules of the distribution that a module names, in imports or in strings."""
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            for alias in node.names:
                longer = f"{node.module}.{alias.name}"
                names.append(longer if _is_module(longer) else str(node.module))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            spelled = id(node) not in documentation and re.match(r"imbtext(\.\w+)+\b", node.value)
            if spelled and spelled.group().split(".")[1] in LEVELS:
                names = [spelled.group()]
        yield from (name.removeprefix("imbtext.") for name in names if name.startswith("imbtext."))


def _is_module(name: str) -> bool:
    path = SOURCE / name.removeprefix("imbtext.").replace(".", "/")
    return name.startswith("imbtext.") and (path.with_suffix(".py").exists() or path.is_dir())


def _is_package(name: str) -> bool:
    return name.startswith("imbtext.") and _init_of(name) in MODULES


def _init_of(package: str) -> str:
    return "/".join([*package.split(".")[1:], "__init__.py"])


def _defined_in(package: str) -> set[str]:
    """Return the names that a package's own ``__init__.py`` defines."""
    names = set()
    for node in MODULES[_init_of(package)].body:
        if isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
    return names


def _lines_of_code(function: ast.FunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0
