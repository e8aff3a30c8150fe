"""A large table with three text columns and four others: time and peak memory of each command.

HuffPost's rows: headline, description and a note (the description of another row) as texts; beside
them the date, an amount that says a little of the class, a country and a channel. The class is
CRIME, 1.7% of the rows. Printed, each command in a process of its own: seconds, processor seconds
and the peak of resident memory. `predict` reads a tenth of the rows and all of them, so that its
peak shows whether memory grows with the file.

    python benchmarks/large_table.py [rows, 200000] [seconds for compare, 120]
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

from huffpost import huffpost_rows

TEXT = ("--text", "headline", "--text", "short_description", "--text", "note")
CLASS = ("--label", "category", "--class", "CRIME")
ALSO = ("--also", "date", "--also", "amount", "--also", "country", "--also", "channel")


def table(n_rows: int) -> pl.DataFrame:
    frame = huffpost_rows()
    rng = np.random.default_rng(0)
    frame = frame[rng.permutation(frame.height)[np.arange(n_rows) % frame.height]]
    is_class = (frame["category"] == "CRIME").to_numpy()
    return frame.select(
        "headline",
        "short_description",
        frame["short_description"].gather(rng.permutation(n_rows)).alias("note"),
        "date",
        pl.Series("amount", np.exp(rng.normal(5 + 0.4 * is_class, 1)).round(2)),
        pl.Series("country", rng.choice(["de", "fr", "us", "uk", None], n_rows)),
        pl.Series("channel", rng.choice(["mail", "web", "phone"], n_rows)),
        "category",
    )


def measured(title: str, *arguments: object) -> None:
    """Run a command, and print what it took."""
    words = [sys.executable, "-m", "imbtext", *map(str, arguments), "--quiet"]
    start = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds, processor = time.perf_counter() - start, used.ru_utime + used.ru_stime
    print(
        f"{title:32}{seconds:8.0f} s{processor:8.0f} s of processor"
        f"{used.ru_maxrss / 1024:8,.0f} MiB{'' if status == 0 else '  FAILED'}",
        flush=True,
    )


def main() -> None:
    n_rows, limit = map(int, [*sys.argv[1:], *["200000", "120"][len(sys.argv) - 1 :]])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frame = table(n_rows)
        frame.write_csv(folder / "table.csv")
        frame[: n_rows // 10].write_csv(folder / "tenth.csv")
        print(
            f"{n_rows:,} rows, {(folder / 'table.csv').stat().st_size / 2**20:,.0f} MiB of CSV",
            flush=True,
        )
        model = folder / "m.model"
        measured("train", "train", folder / "table.csv", *TEXT, *CLASS, *ALSO, "-o", model)
        measured("predict, a tenth", "predict", model, folder / "tenth.csv", "-o", folder / "a.csv")
        measured("predict", "predict", model, folder / "table.csv", "-o", folder / "b.csv")
        measured(
            f"compare --time-limit {limit}",
            *("compare", folder / "table.csv", *TEXT, *CLASS, *ALSO, "--time-limit", limit),
        )


if __name__ == "__main__":
    main()
