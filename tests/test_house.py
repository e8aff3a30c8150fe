"""The house stays in order: rooms and their doors, who imports whom, and how long the walks are."""

import ast
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import imbtext
from imbtext import EMCO, RareTextClassifier, compare

REPOSITORY = Path(__file__).parents[1]
SOURCE = Path(imbtext.__file__).parent
MODULES = {
    path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8"))
    for path in sorted(SOURCE.rglob("*.py"))
}
# A room imports only from the rooms before it.
ROOMS = [
    ["_typing"],
    [
        "_compilation",
        "_estimator",
        "_extras",
        "_memory",
        "_messages",
        "_signals",
        "_svm",
        "writing",
    ],
    ["_data_folders"],
    ["_archive", "_counters", "charts", "metrics", "progress", "randomness", "statistics"],
    ["pages", "parallel", "store"],
    ["documents"],
    ["features"],
    ["surface"],
    ["markov"],
    ["vocabulary"],
    ["tables"],
    ["oversampling"],
    ["neural"],
    ["testing", "datasets"],
    ["rare"],
    ["labelling"],
    ["files"],
    ["distributed"],
    ["methods"],
    ["comparison", "_demonstration", "reproduction"],
    ["web"],
    ["cli"],
    ["__main__"],
]
LONGEST_FUNCTION = 80
# Entry points whose parameters are the user's words.
ENTRY_POINTS = {
    "compare",
    "reproduce",
    "oversample_files",
    "predict_file",
    "check_file",
    "__init__",
}
# A module with one user says in its header why it stands alone.
REASON = re.compile("stands? (alone|apart)|a module of its own", re.IGNORECASE)


def test_no_room_imports_a_private_module_of_another():
    reached = [
        (name, used)
        for name, tree in MODULES.items()
        for used in _modules_used(tree)
        if (parts := used.split("."))[0] != _room(name)
        and any(part.startswith("_") for part in parts[1:])
    ]
    assert reached == []


def test_rooms_import_only_from_rooms_before_them():
    level = {room: i for i, rooms in enumerate(ROOMS) for room in rooms}
    wrong = [
        (name, used)
        for name, tree in MODULES.items()
        if (room := _room(name)) != "__init__"
        for used in {module.split(".")[0] for module in _modules_used(tree)}
        if used != room and level[used] >= level[room]
    ]
    assert wrong == []


def test_a_module_with_one_user_says_why_it_stands_alone():
    names = {name.removesuffix(".py").replace("/", "."): name for name in MODULES}
    users = defaultdict(set)
    for user, tree in MODULES.items():
        for used in _modules_used(tree):
            if used in names and names[used] != user:
                users[used].add(user)
    alone = [
        name
        for name, path in names.items()
        if len(users[name]) == 1
        and not path.endswith("__init__.py")
        and "kernels" not in name
        and not next(iter(users[name])).endswith("__init__.py")
        and name not in dir(imbtext)
        and not REASON.search(" ".join((ast.get_docstring(MODULES[path]) or "").split()))
    ]
    assert alone == []


def test_every_public_room_has_a_door():
    closed = []
    for name, tree in MODULES.items():
        room, _, module = name.partition("/")
        if room.startswith("_") or module not in ("", "__init__.py") or room == "cli":
            continue
        if not any("__all__" in ast.unparse(node) for node in tree.body):
            closed.append(room)
    assert closed == []


def test_modules_of_a_room_are_private_or_documented_by_it():
    rooms = {name.split("/")[0] for name in MODULES if "/" in name} - {"cli"}
    open_modules = [
        name
        for name in MODULES
        if name.split("/")[0] in rooms and not Path(name).name.startswith("_")
    ]
    assert open_modules == []


def test_every_function_is_short():
    long = {
        (name, function.name): lines
        for name, function in _functions()
        if not name.startswith("cli/")
        and function.name not in ENTRY_POINTS
        and (lines := _lines_of_code(function)) > LONGEST_FUNCTION
    }
    assert long == {}


def test_no_two_classes_share_a_name():
    names = Counter(
        node.name
        for tree in MODULES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, n in names.items() if n > 1] == []


def test_the_walks_of_contributing_name_what_there_is():
    text = (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")
    named = set(re.findall(r"`((?:\w+/)*\w+(?:\.py|/))`", text))
    rooms = ("src", "tests", "benchmarks", "cookbook", "docs")
    files = [str(path) for room in rooms for path in (REPOSITORY / room).rglob("*.py")]
    assert len(named) > 40
    assert {name for name in named if not any(f"/{name}" in path for path in files)} == set()


TEXTS = ["crude oil price up", "oil output cut", "oil price falls", "more oil sold"] * 5
TEXTS += ["share price of the firm up", "bank cuts rate", "profit up", "rain", "the bank said"] * 40
LABELS = ["oil"] * 20 + ["other"] * 200


@pytest.mark.parametrize(
    ("walk", "most"),
    [
        (lambda: EMCO(random_state=0).fit_resample(TEXTS, LABELS), 10),
        # Held-out scores, threshold, expectation and intervals: hard ideas, one module each.
        (lambda: RareTextClassifier(random_state=0).fit(TEXTS, LABELS), 23),
        (
            lambda: compare(
                TEXTS, LABELS, methods=["class-weight", "emco(0.1)"], folds=2, repeats=1
            ),
            35,  # documents, kept work, rule, snippet and engines are ideas of their own
        ),
    ],
    ids=["EMCO.fit_resample", "RareTextClassifier.fit", "compare"],
)
def test_a_walk_passes_through_few_modules(walk, most):
    walk()  # imported and compiled
    passed = set()

    def note(frame, event, _argument):
        path = Path(frame.f_code.co_filename)
        if event == "call" and SOURCE in path.parents and frame.f_code.co_name != "<module>":
            passed.add(path.relative_to(SOURCE).as_posix())

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        walk()
    finally:
        sys.setprofile(before)
    assert len(passed) <= most, sorted(passed)


def test_what_a_room_exports_is_documented():
    undocumented = []
    for name in imbtext.__all__:
        value = getattr(imbtext, name)
        if callable(value) and "Examples" not in (value.__doc__ or ""):
            undocumented.append(name)
    assert [name for name in undocumented if name != "FallbackWarning"] == []


def _room(name: str) -> str:
    return name.split("/", maxsplit=1)[0].removesuffix(".py")


def _modules_used(tree: ast.AST) -> Iterator[str]:
    """Yield the modules of the house that a module names, in imports of any form or in strings."""
    rooms = {room for rooms in ROOMS for room in rooms}
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
            if spelled and spelled.group().split(".")[1] in rooms:
                names = [spelled.group()]
        yield from (name.removeprefix("imbtext.") for name in names if name.startswith("imbtext."))


def _is_module(name: str) -> bool:
    path = SOURCE / name.removeprefix("imbtext.").replace(".", "/")
    return name.startswith("imbtext.") and (path.with_suffix(".py").exists() or path.is_dir())


def _functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    for name, tree in MODULES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                yield name, node


def _lines_of_code(function: ast.FunctionDef) -> int:
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0
