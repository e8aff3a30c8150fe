"""The paper is the first user of the package: its experiments need public names alone."""

import ast
import importlib
from pathlib import Path

import pytest

import imbtext.reproduction

ROOM = Path(imbtext.reproduction.__file__).parent


def imported_names():
    """Yield each name that the room imports from elsewhere in the package: file, module, name."""
    for path in sorted(ROOM.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names if alias.name.startswith("imbtext")]
                assert names == [], f"{path.name} imports whole modules: {names}"
            if not isinstance(node, ast.ImportFrom) or node.module is None:
                continue
            room, *rest = node.module.split(".")
            # The names of types do nothing.
            if room == "imbtext" and rest[:1] not in (["reproduction"], ["_typing"]):
                for alias in node.names:
                    yield path.name, node.module, alias.name


def test_the_room_imports_from_the_package():
    assert len(list(imported_names())) > 30


def test_every_import_is_of_a_public_name():
    private = []
    for file, module, name in imported_names():
        if any(part.startswith("_") for part in (*module.split("."), name)):
            private.append((file, module, name))
        elif module == "imbtext.neural":
            pytest.importorskip("torch", reason="torch is missing: pip install torch==2.13.0")
        if name not in getattr(importlib.import_module(module), "__all__", ()):
            private.append((file, module, name))
    assert private == []
