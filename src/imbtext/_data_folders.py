"""Where data files lie: the folder that the user names, or the cache.

Every data set and EDA's WordNet are looked for by this one rule. ``IMBTEXT_DATA`` names a folder
that already holds the data and is never written to. ``IMBTEXT_CACHE`` names the folder of fetched
data; without it the system's place for caches is used.
"""

import os
from pathlib import Path
from typing import Final

from imbtext._extras import require

DATA_VARIABLE: Final = "IMBTEXT_DATA"
CACHE_VARIABLE: Final = "IMBTEXT_CACHE"


def named_folder() -> Path | None:
    """Return the folder that ``IMBTEXT_DATA`` names, None where it is not set."""
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
    """Return the folder of fetched data: ``IMBTEXT_CACHE``, or the system's place for caches."""
    name = os.environ.get(CACHE_VARIABLE)
    if name:
        return Path(name).expanduser()
    return Path(require("pooch").os_cache("imbalanced-text"))
