"""The guide's sampler in three files: written into a copy of the package, it works everywhere."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "guides" / "sampler_in_three_files.md"
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
    blocks = dict(BLOCK.findall(PAGE.read_text("utf-8")))
    assert len(blocks) == 3
    for name, code in blocks.items():
        content = code
        if name.endswith("_names.py"):  # a line of the table
            table = (root / name).read_text("utf-8")
            begins = "SAMPLERS: Final[dict[str, Named]] = {\n"
            assert begins in table
            content = table.replace(begins, begins + code)
        (root / name).write_text(content, "utf-8")
    return root


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


@pytest.mark.slow
def test_compare_and_the_guide_know_the_name(copy):
    lines = ["body,topic"] + ["crude oil price,oil", "oil output falls,oil"] * 6
    lines += ["rain today,other", "sun and rain,other", "snow in may,other"] * 24
    (copy / "tickets.csv").write_text("\n".join(lines) + "\n")
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
