"""Import parts of imbtext on a machine that has torch and NumPy and nothing else of its needs.

The package's own ``__init__`` imports scikit-learn, Polars and imbalanced-learn. Here the
modules of networks are made importable without it; what they import must need torch and NumPy only.
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

CLONE = Path(__file__).resolve().parents[1]
SOURCE = CLONE / "src" / "imbtext"
sys.path.insert(0, str(CLONE))  # paper/ is not installed


def allow_bare_imports() -> None:
    for name, folder in (("imbtext", SOURCE), ("imbtext.neural", SOURCE / "neural")):
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    if importlib.util.find_spec("sklearn") is None:
        # Named by imbtext.randomness, and called only for a seed that a user passes.
        sys.modules["sklearn"] = ModuleType("sklearn")
        utils = sys.modules["sklearn.utils"] = ModuleType("sklearn.utils")
        utils.check_random_state = None
