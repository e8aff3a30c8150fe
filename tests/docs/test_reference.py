"""The reference lists every public name, and nothing that is private."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import imbtext

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "_ext"))
api_reference = importlib.import_module("api_reference")
if api_reference.missing():
    pytest.importorskip("sphinx", reason="without torch, its stand-in is sphinx's")


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


def test_every_package_serves_one_task_and_every_promise_is_exported():
    names = [name for of_task, _ in api_reference.TASKS.values() for name in of_task]
    modules = [f"imbtext.{m}" for _, of_task in api_reference.TASKS.values() for m in of_task]
    assert len(set(names)) == len(names)
    assert names[0] == "RareTextClassifier"
    assert sorted(modules) == sorted(set(api_reference.public_packages()) - {"imbtext"})
    listed = {
        f"{package}.{name}"
        for package in api_reference.public_packages()
        for name in api_reference.public_names(package)
    }
    assert listed >= api_reference.PROMISED
    # What most programs import is promised, and few names beside it.
    assert {
        f"imbtext.{name}" for name in imbtext.__all__ if not name.startswith("__")
    } <= api_reference.PROMISED
    assert len(api_reference.PROMISED) <= 70


WITHOUT_TORCH = """
import sys
sys.path.insert(0, sys.argv[1])
import sklearn.utils.validation  # it asks torch for its types if there is one
import api_reference
api_reference.missing = lambda: ["torch"]
with api_reference._stand_ins():
    print(*api_reference.public_names("imbtext.neural"))
"""


def test_no_page_is_missing_where_torch_is():
    pytest.importorskip("sphinx", reason="sphinx is missing: pip install '.[docs]'")
    extensions = str(Path(api_reference.__file__).parent)
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, extensions],
        capture_output=True,
        text=True,
        check=False,
    )
    assert {"LanguageModelSampler", "SeqGAN"} <= set(ran.stdout.split()), ran.stderr
