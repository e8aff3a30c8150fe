"""The reference lists every public name, and nothing that is private."""

import importlib
import sys
from pathlib import Path

import imbtext

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "_ext"))
api_reference = importlib.import_module("api_reference")


def test_every_exported_name_is_documented_and_listed_once():
    listed = []
    for package in api_reference.public_packages():
        module = importlib.import_module(package)
        for name in api_reference.public_names(package):
            value = getattr(module, name)
            assert value.__doc__, f"{package}.{name} has no docstring"
            listed.append(value)
    for name in imbtext.__all__:
        if not name.startswith("__"):
            assert sum(getattr(imbtext, name) is value for value in listed) == 1, name


def test_no_private_module_is_listed():
    for package in api_reference.public_packages():
        assert not any(part.startswith("_") for part in package.split("."))
        assert not any(name.startswith("_") for name in api_reference.public_names(package))


def test_every_name_and_package_serves_one_task():
    names = [name for of_task, _ in api_reference.TASKS.values() for name in of_task]
    modules = [f"imbtext.{m}" for _, of_task in api_reference.TASKS.values() for m in of_task]
    exported = {name for name in imbtext.__all__ if not name.startswith("__")}
    assert sorted(names) == sorted(exported - {"FallbackWarning"})
    assert sorted(modules) == sorted(set(api_reference.public_packages()) - {"imbtext"})
    assert names[0] == "RareTextClassifier"
