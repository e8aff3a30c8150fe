"""Training and predicting from tables larger than memory: time and peak memory, by size.

Made documents (twenty words of a Zipf vocabulary; one in 500 is of the class and has its marks in
it) in Parquet files of 50,000 rows. Printed, each in a process of its own: ``imbtext train
--negatives 20000``, ``imbtext predict``, and ``predict`` on a Dask cluster of one worker and of
two, with the workers' start. Peaks are of the process that was called, without workers.

    python benchmarks/stream.py [documents]
"""

import contextlib
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import product
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import polars as pl

ROWS, NEGATIVES = 50_000, 20_000


def make(folder: Path, n: int) -> None:
    generator = np.random.default_rng(0)
    letters = product("bdfgklmnpr", "aeiou", "lmnrst", "aeiou")
    words = np.array(["".join(word) for word in letters])
    shares = 1 / np.arange(1, len(words) + 1)
    shares /= shares.sum()
    for part in range(-(-n // ROWS)):
        size = min(ROWS, n - part * ROWS)
        drawn = generator.choice(words, (size, 20), p=shares)
        is_class = generator.random(size) < 1 / 500
        marks = np.where(generator.random(size) < np.where(is_class, 0.8, 0.002), "fraudulent", "")
        texts = [" ".join(row) for row in np.column_stack([drawn, marks])]
        topics = np.where(is_class, "fraud", "other")
        pl.DataFrame({"id": range(size), "body": texts, "topic": topics}).write_parquet(
            folder / f"{part:05}.parquet"
        )


def train(folder: Path) -> None:
    from imbtext.__main__ import main

    sys.argv = ["imbtext", "train", str(folder / "new"), "--text", "body", "--label", "topic"]
    sys.argv += ["--class", "fraud", "--negatives", str(NEGATIVES), "-o", str(folder / "m.model")]
    main()


def predict(folder: Path) -> None:
    from imbtext import RareTextClassifier
    from imbtext.files import predict_file

    predict_file(RareTextClassifier.load(folder / "m.model"), folder / "new", folder / "o.parquet")


def predict_on(n_workers: int, folder: Path) -> None:
    from imbtext import RareTextClassifier
    from imbtext.distributed import connected
    from imbtext.files import predict_file

    with connected(n_workers=n_workers):
        model = RareTextClassifier.load(folder / "m.model")
        predict_file(model, folder / "new", folder / f"out-{n_workers}", dask="local")


def predict_on_one(folder: Path) -> None:
    predict_on(1, folder)


def predict_on_two(folder: Path) -> None:
    predict_on(2, folder)


def measured(work: Callable[[Path], None], folder: Path, answers: object) -> None:
    start = time.perf_counter()
    with contextlib.suppress(SystemExit):
        work(folder)
    seconds = time.perf_counter() - start
    answers.put((seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    context = get_context("spawn")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in (n // 5, n):
            for old in folder.glob("out-*/*"):
                old.unlink()
            (folder / "new").mkdir(exist_ok=True)
            make(folder / "new", size)
            print(f"{size:,} documents", flush=True)
            for work in (train, predict, predict_on_one, predict_on_two):
                answers = context.Queue()
                process = context.Process(target=measured, args=(work, folder, answers))
                process.start()
                seconds, peak = answers.get()
                process.join()
                print(f"  {work.__name__:16}{seconds:8.1f} s{peak:8.0f} MiB", flush=True)


if __name__ == "__main__":
    main()
