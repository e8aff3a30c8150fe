"""Lists of other projects' names that our pages link to, as intersphinx reads them.

The build loads nothing from a network, so the list stands in ``docs/inventories/``, one line per
name: the name, its kind, and the page.
"""

import zlib
from pathlib import Path

LISTS = Path(__file__).parents[1] / "inventories"
MADE = Path(__file__).parents[1] / "_build" / "inventories"
ADDRESSES = {
    "sklearn": "https://scikit-learn.org/stable/",
    "imblearn": "https://imbalanced-learn.org/stable/",
}


def inventory(name: str) -> Path:
    """Write a list as the inventory of a project, and return the file."""
    lines = []
    for line in (LISTS / f"{name}.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            title, kind, page = line.split()
            lines.append(f"{title} py:{kind} 1 {page} -")
    MADE.mkdir(parents=True, exist_ok=True)
    path = MADE / f"{name}.inv"
    head = f"# Sphinx inventory version 2\n# Project: {name}\n# Version: stable\n"
    head += "# The remainder of this file is compressed using zlib.\n"
    path.write_bytes(head.encode() + zlib.compress("\n".join(lines).encode()))
    return path
