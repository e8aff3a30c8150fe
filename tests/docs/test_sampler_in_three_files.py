"""What the guide adds to the package: written into a copy of it, each part works everywhere."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "guides" / "sampler_in_three_files.md"
TABLES = ("SAMPLERS", "_WITH_NUMBERS", "_NAMED", "JOBS")
BLOCK = re.compile(r"```\{code-block\} python\n:caption: (\S+)\n\n(.*?)```", re.DOTALL)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package with the files of the page."""
    root = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src", root / "src", ignore=ignored)
    (root / "tests" / "oversampling").mkdir(parents=True)
    for name in ("oversampling/test_every_name.py",):
        shutil.copy(ROOT / "tests" / name, root / "tests" / name)
    blocks = BLOCK.findall(PAGE.read_text("utf-8"))
    assert len(blocks) == 10
    for name, code in blocks:
        path = root / name
        path.write_text(added(path.read_text("utf-8"), code) if path.exists() else code, "utf-8")
    return root


def added(module, code):
    """A module with a line in its table, with an import, or with a function before the table."""
    (table,) = re.findall(rf"^(?:{'|'.join(TABLES)})\b.* = \{{\n", module, re.MULTILINE)
    if code.startswith("    "):
        return module.replace(table, table + code)
    first = "from imbtext" if code.startswith("from ") else table
    return module.replace(first, f"{code}\n{first}", 1)


def run(copy, *command, path=()):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, [copy / "src", *path]))}
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_checks_its_own_test_and_its_example_pass(copy):
    found = run(
        *(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "crossover or Crossover"),
        *("--doctest-modules", "tests/oversampling", "src/imbtext/oversampling/_crossover.py"),
    )
    assert re.search(r"\b\d{2,} passed", found), found


TICKETS = ["body,topic"] + ["crude oil price,oil", "oil output falls,oil"] * 6
TICKETS += ["rain today,other", "sun and rain,other", "snow in may,other"] * 24


@pytest.mark.slow
def test_a_metric_a_source_of_features_and_a_command_are_known_by_their_names(copy):
    (copy / "tickets.csv").write_text("\n".join(TICKETS) + "\n")
    imbtext = (copy, "-m", "imbtext")
    assert run(*imbtext, "longest", "tickets.csv", "--text", "body") == "3\n"
    columns = ("--text", "body", "--label", "topic")
    run(
        *imbtext,
        "train",
        "tickets.csv",
        *columns,
        "-o",
        "oil.model",
        "--class",
        "oil",
        "--metric",
        "weighted_accuracy(0.7)",
        "--features",
        "auto+shape",
    )
    card = run(*imbtext, "show", "oil.model")
    assert "accuracy, of which recall is 70%" in card
    assert "3 columns of" in card
    assert "longest" in run(*imbtext, "--help")


@pytest.mark.slow
def test_compare_and_the_guide_know_the_name(copy):
    (copy / "tickets.csv").write_text("\n".join(TICKETS) + "\n")
    said = run(
        *(copy, "-m", "imbtext", "compare", "tickets.csv", "--text", "body", "--label", "topic"),
        *("--methods", "crossover,crossover(0.3)", "--folds", "2", "--repeats", "1"),
    )
    assert "crossover" in said
    assert "crossover(0.3)" in said
    listed = "import imbtext; from table_of_samplers import table_of_samplers as table; "
    listed += "print('Crossover' in imbtext.__all__, 'crossover(cut)' in table())"
    said = run(copy, "-c", listed, path=[ROOT / "docs" / "_ext"])
    assert said.split() == ["True", "True"]
