"""One line under every table: versions, seed, settings and data, so that a number can be traced."""

import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Final

_PACKAGES: Final = (
    "imbalanced-text",
    "numpy",
    "scipy",
    "scikit-learn",
    "imbalanced-learn",
    "numba",
    "polars",
    "PyStemmer",
)


def signature(settings: Mapping[str, object], checksums: Mapping[str, str]) -> str:
    """Return the line: versions of what computes, then settings, then data checksums.

    Examples
    --------
    >>> line = signature({"seed": 42}, {"reuters": "0123456789abcdef"})
    >>> line.split("|")[-2:]
    ['seed:42', 'data.reuters:0123456789ab']
    """
    parts = [f"{package}:{version(package)}" for package in _PACKAGES]
    parts.append(f"python:{platform.python_version()}")
    parts += [f"{name}:{value}" for name, value in settings.items()]
    parts += [f"data.{name}:{checksum[:12]}" for name, checksum in sorted(checksums.items())]
    return "|".join(parts)
