"""HuffPost's news as the table they are published in, for benchmarks that need columns and dates.

`imbtext.datasets.load_huffpost` has texts and categories; here are headline, description and date
of each row, from the folder that ``IMBTEXT_DATA`` names or from shared/data beside the repository.
"""

import gzip
import os
from pathlib import Path

import polars as pl

_SHARED = Path(__file__).parents[1] / ".." / "shared" / "data"
_FILE = "huffpost/News_Category_Dataset_v3.json.gz"


def huffpost_rows() -> pl.DataFrame:
    folder = Path(os.environ.get("IMBTEXT_DATA") or _SHARED)
    with gzip.open(folder / _FILE) as file:
        return pl.read_ndjson(file.read())
