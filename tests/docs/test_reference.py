"""The reference lists every public name, and nothing that is private."""

import importlib
import sys
from pathlib import Path

import imbtext

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "_ext"))
api_reference = importlib.import_module("api_reference")


def test_every_exported_name_is_documented_and_listed_once():
    listed = []
    for room in api_reference.public_rooms():
        module = importlib.import_module(room)
        for name in api_reference.public_names(room):
            value = getattr(module, name)
            assert value.__doc__, f"{room}.{name} has no docstring"
            listed.append(value)
    for name in imbtext.__all__:
        if not name.startswith("__"):
            assert sum(getattr(imbtext, name) is value for value in listed) == 1, name


def test_no_private_module_is_listed():
    for room in api_reference.public_rooms():
        assert not any(part.startswith("_") for part in room.split("."))
        assert not any(name.startswith("_") for name in api_reference.public_names(room))
