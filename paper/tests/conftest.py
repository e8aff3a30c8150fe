"""The paper's command line, run in this process."""

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from paper.__main__ import main


class Ran(NamedTuple):
    """What a command left: its exit code and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def run_paper(monkeypatch, capsys) -> Callable[..., Ran]:
    """Run ``python -m paper`` with these arguments in this process."""

    def run(*arguments) -> Ran:
        monkeypatch.setattr(sys, "argv", ["paper", *map(str, arguments)])
        try:
            code = main()
        except SystemExit as stopped:  # argparse
            code = int(stopped.code or 0)
        said = capsys.readouterr()
        return Ran(code, said.out, said.err)

    return run
