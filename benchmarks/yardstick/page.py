"""A page with filters: every contestant by measure, size, language and set, in one file."""

import json
from pathlib import Path

import polars as pl

from sets import HERE
from summary import MEASURES, PROMISES, SECONDS, read_rows, whole
from tables import titles

SHOWN = {**MEASURES, "kept_recall": PROMISES["kept_recall"], SECONDS: "processor seconds"}
KEYS = ("contestant", "source", "set", "label", "size", "language", "constants")


def write_page(out: Path, page: Path) -> None:
    """Write the page of the rows in a folder."""
    sides = read_rows(out).partition_by("constants")
    of_draws = pl.concat(whole(side)[0] for side in sides).group_by(KEYS, maintain_order=True)
    rows = of_draws.agg(pl.col(*SHOWN).mean().round(4)).to_dicts()
    named = dict(pl.read_csv(HERE / "sets.csv").select("name", "title").iter_rows())
    data = {"measures": SHOWN, "titles": titles() | named, "rows": rows}
    # Inside a script element, "<" could end it.
    content = json.dumps(data).replace("<", "\\u003c")
    template = (HERE / "page.html").read_text(encoding="utf-8")
    page.write_text(template.replace("DATA</script>", f"{content}</script>"), encoding="utf-8")
