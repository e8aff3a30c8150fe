"""What a page shows is what a fresh process prints, though the build is one process."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="sphinx is missing: pip install '.[docs]'")
sys.path.append(str(Path(__file__).parents[2] / "docs" / "_ext"))

from ran_by_the_build import run_command


def test_a_command_prints_the_same_each_time(tmp_path):
    (tmp_path / "tickets.csv").write_text("body;fraud\noil up;yes\nrain;no\n")
    command = "imbtext train tickets.csv --text subject --label fraud -o fraud.model"
    printed, code = run_command(command, tmp_path)
    assert code == 2
    assert "is read with ';' between its cells" in printed
    assert run_command(command, tmp_path) == (printed, code)
