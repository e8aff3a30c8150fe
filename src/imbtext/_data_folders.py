"""Where data files are: in the folder that the user names, or in the cache.

All data sets and EDA's WordNet follow this rule. ``IMBTEXT_DATA`` names a folder that already holds
the data and is never written to. ``IMBTEXT_CACHE`` names the folder of downloaded data; without it,
the system's cache folder is used.
"""

import os
from pathlib import Path
from typing import Final

from imbtext._extras import require

DATA_VARIABLE: Final = "IMBTEXT_DATA"
CACHE_VARIABLE: Final = "IMBTEXT_CACHE"


def named_folder() -> Path | None:
    """Return the folder that ``IMBTEXT_DATA`` names, None if it is not set."""
    name = os.environ.get(DATA_VARIABLE)
    if not name:
        return None
    folder = Path(name).expanduser()
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{DATA_VARIABLE} names {name!r}, which is not a folder; correct or unset it"
        )
    return folder


def cache_folder() -> Path:
    """Return the folder of downloaded data: ``IMBTEXT_CACHE``, or the system's cache folder."""
    name = os.environ.get(CACHE_VARIABLE)
    if name:
        return Path(name).expanduser()
    return Path(require("pooch").os_cache("imbalanced-text"))
