"""Optional dependencies: imported when used, and named with their install command when absent."""

import importlib
from types import ModuleType


class MissingExtraError(ImportError):
    """An optional dependency is not installed; the message says how to install it."""


def require(module: str, extra: str) -> ModuleType:
    """Import `module`, or say which extra of imbalanced-text provides it.

    Examples
    --------
    >>> require("json", extra="report").__name__
    'json'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.split(".", maxsplit=1)[0]:
            raise
        raise MissingExtraError(
            f"this needs the package {error.name!r}, which is not installed; "
            f"run: pip install 'imbalanced-text[{extra}]'"
        ) from error
