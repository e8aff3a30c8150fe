"""The package as a whole: what it exports, what importing it costs, where its rooms look."""

import ast
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import imbtext

SOURCE = Path(imbtext.__file__).parent


def test_everything_exported_is_there_and_documented():
    for name in imbtext.__all__:
        assert getattr(imbtext, name).__doc__, name


def test_version_is_the_distributions():
    assert imbtext.__version__ == version("imbalanced-text")


def test_importing_brings_neither_compilers_nor_extras():
    heavy = ["numba", "torch", "altair", "pooch", "typer", "nltk", "vl_convert", "playwright"]
    code = f"import sys, imbtext; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_rooms_import_only_from_rooms_before_them():
    order = [
        ["_extras", "_files", "_progress"],
        ["corpus"],
        ["tokenization"],
        ["containers"],
        ["markov"],
        ["topics", "latent"],
        ["vocabulary"],
        ["augmentation"],
        ["tabular"],
        ["oversampling"],
        ["bulk"],
        ["testing", "datasets", "evaluation"],
        ["methods"],
        ["neural"],
        ["comparison", "_demonstration", "reproduction"],
        ["reporting"],
        ["cli"],
    ]
    level = {room: i for i, rooms in enumerate(order) for room in rooms}
    for path in SOURCE.rglob("*.py"):
        room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if room == "__init__":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("imbtext."):
                used = node.module.split(".")[1]
                assert used == room or level[used] < level[room], f"{path} imports {node.module}"
