"""Tables of results in files."""

from pathlib import Path

import polars as pl
from polars import selectors

from imbtext._files import write_text


def write_csv(frame: pl.DataFrame, path: Path) -> None:
    """Write a table as CSV with six significant digits; a table without rows is not written."""
    if not frame.is_empty():
        write_text(frame.with_columns(selectors.float().round_sig_figs(6)).write_csv(), path)
