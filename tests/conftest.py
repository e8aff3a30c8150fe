"""Fixtures that tests of several packages share."""

import os
import shutil
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest
from hypothesis import settings

# Examples are the same on every run, and a busy machine is no failure.
settings.register_profile("imbtext", deadline=None, derandomize=True)
settings.load_profile("imbtext")
# Models that are trained before and after midnight have the same bytes.
os.environ.setdefault("SOURCE_DATE_EPOCH", "1700000000")


class Ran(NamedTuple):
    """What a command left: its exit code and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def run_command(monkeypatch, capsys) -> Callable[..., Ran]:
    """Run ``imbtext`` with these arguments in this process; the one way to do so in tests."""
    from imbtext.cli import main

    def run(*arguments, columns="118") -> Ran:
        monkeypatch.setattr(sys, "argv", ["imbtext", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", columns)
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capsys.readouterr()
        return Ran(stopped.value.code or 0, said.out, said.err)

    return run


@pytest.fixture(scope="module")
def browser():
    """A real Chromium without a screen.

    It ends with its module: Playwright runs an event loop in this thread, in which no other loop
    can run meanwhile.
    """
    driver = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
    ]
    with driver.sync_playwright() as started:
        # A busy machine is no failure.
        launched = started.chromium.launch(executable_path=chromium, args=flags, timeout=300_000)
        yield launched
        launched.close()
