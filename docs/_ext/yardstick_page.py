"""The page with filters of the yardstick, made of the rows in ``results/yardstick``."""

import subprocess
import sys
from pathlib import Path

from sphinx.application import Sphinx

DOCS = Path(__file__).parents[1]
ROWS = DOCS.parent / "results" / "yardstick"


def make(_: Sphinx) -> None:
    """Write ``made/yardstick.html``, as the benchmark's own command does."""
    page = DOCS / "made" / "yardstick.html"
    page.parent.mkdir(exist_ok=True)
    command = [sys.executable, DOCS.parent / "benchmarks" / "yardstick", "page", ROWS, page]
    subprocess.run(command, check=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the page before the site is read."""
    app.connect("builder-inited", make)
    return {"parallel_read_safe": True}
