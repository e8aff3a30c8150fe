"""Tables and texts of results in files, whole or not at all."""

from pathlib import Path

import polars as pl
from polars import selectors

from imbtext._files import written_whole


def write_csv(frame: pl.DataFrame, path: Path) -> None:
    """Write a table as CSV with six significant digits; a table without rows is not written."""
    if frame.is_empty():
        return
    with written_whole(path) as partial:
        frame.with_columns(selectors.float().round_sig_figs(6)).write_csv(partial)


def write_text(text: str, path: Path) -> None:
    """Write text as UTF-8."""
    with written_whole(path) as partial:
        partial.write_text(text, encoding="utf-8")
