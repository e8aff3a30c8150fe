"""Import parts of imbtext on a machine that has torch and NumPy and nothing else of its needs.

The package's own ``__init__`` imports scikit-learn, Polars and imbalanced-learn. Here the rooms
that hold networks are made importable without it; what they import must need torch and NumPy only.
"""

import sys
from pathlib import Path
from types import ModuleType

SOURCE = Path(__file__).resolve().parents[1] / "src" / "imbtext"


def allow_bare_imports() -> None:
    for room in ("", ".neural"):
        name = f"imbtext{room}"
        if name not in sys.modules:
            module = ModuleType(name)
            module.__path__ = [str(SOURCE.joinpath(*room.split(".")[1:]))]
            sys.modules[name] = module
