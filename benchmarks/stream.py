"""Training and predicting from tables larger than memory: time and peak memory, by size.

    python benchmarks/stream.py --documents 1000000 --documents 10000000 [--out results/scale]

Invented documents in Parquet files of 50,000 rows: twenty words of a Zipf vocabulary of 117,000;
one in 500 is of the class, and four of five of these have a mark that other documents hardly have.
Every way runs in a process of its own: ``imbtext train --negatives 200000`` and ``imbtext predict``
on one machine and on worker processes of Dask, and the same from a Dask data frame. Measured are
seconds, processor seconds and peaks of memory, on Dask those of the workers too, which are there
before the clock starts. Processor seconds tell on a machine with other work to do.

With ``--out``, stream.csv has what was measured, and ways that it has already are not run again.
``python benchmarks/scale_readme.py`` puts the numbers into the README there.
"""

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext, suppress
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl

ROWS, WORDS, NEGATIVES = 50_000, 20, 200_000
WAYS = ("train", "train-dask2", "train-frame2")
WAYS += ("predict", "predict-dask1", "predict-dask2", "predict-frame2")
COLUMNS = {"text": "body", "label": "topic"}


def documents(n: int, seed: int) -> pl.DataFrame:
    """Return documents with ids and classes."""
    rng = np.random.default_rng(seed)
    syllables = ("bdfgklmnpr", "aeiou", "lmnrst", "aeiou", "bdgklmnprstvz", "aio", "dn")
    words = pl.Series(["".join(letters) for letters in product(*syllables)])
    bounds = np.cumsum(1 / np.arange(1, len(words) + 1))
    ids = np.searchsorted(bounds, rng.random(n * WORDS) * bounds[-1])
    is_class = rng.random(n) < 1 / 500
    marked = rng.random(n) < np.where(is_class, 0.8, 0.002)
    texts = words.gather(ids).reshape((n, WORDS)).arr.to_list().list.join(" ")
    return pl.DataFrame(
        {
            "id": np.arange(n) + seed * ROWS,
            "body": texts + pl.Series(np.where(marked, " fraudulent", "")),
            "topic": np.where(is_class, "fraud", "other"),
        }
    )


def write_documents(folder: Path, n: int) -> None:
    folder.mkdir()
    for i, first in enumerate(range(0, n, ROWS)):
        documents(min(ROWS, n - first), i).write_parquet(folder / f"{i:05}.parquet")


def measured(way: str, folder: Path) -> dict[str, float]:
    """Do the work in this process, perhaps with workers, and return what it took."""
    from imbtext.distributed import connected

    what, _, where = way.partition("-")
    n_workers = int(where[-1]) if where else 0
    work = {"train": train, "predict": predict}[what]
    with connected(n_workers=n_workers) if where else nullcontext() as client:
        before = client.run(_processor) if where else {}
        start, spent = time.perf_counter(), _processor()
        work(folder, where[:-1])
        row = {"wall_s": time.perf_counter() - start, "cpu_s": _processor() - spent}
        row["peak_mib"] = _peak_mib()
        if where:
            after, peaks = client.run(_processor), client.run(_peak_mib)
            row["worker_cpu_s"] = sum(after.values()) - sum(before.values())
            row["worker_peak_mib"] = max(peaks.values())
    return row


def train(folder: Path, where: str) -> None:
    from imbtext import RareTextClassifier, distributed
    from imbtext.__main__ import main

    if where == "frame":
        model = RareTextClassifier(random_state=0)
        distributed.train(
            _frame(folder), **COLUMNS, classes="fraud", negatives=NEGATIVES, model=model
        ).save(folder / "frame.model")
        return
    sys.argv = ["imbtext", "train", str(folder / "new"), "--text", "body", "--label", "topic"]
    sys.argv += ["--class", "fraud", "--negatives", str(NEGATIVES), "--quiet"]
    sys.argv += ["-o", str(folder / f"{where}.model"), *(["--dask"] if where else [])]
    with suppress(SystemExit):
        main()


def predict(folder: Path, where: str) -> None:
    from imbtext import RareTextClassifier, distributed
    from imbtext.files import predict_file

    model = RareTextClassifier.load(folder / ".model")
    with tempfile.TemporaryDirectory(dir=folder) as name:
        if where == "frame":
            distributed.predict(model, _frame(folder)).to_parquet(name)
        elif where:
            predict_file(model, folder / "new", Path(name) / "out", pool=distributed.DaskPool())
        else:
            predict_file(model, folder / "new", Path(name) / "out.parquet")


def _frame(folder: Path):
    import dask.dataframe as dd

    return dd.read_parquet(folder / "new")


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def read_rows(path: Path | None) -> dict[tuple[int, str], dict[str, str]]:
    if path is None or not path.is_file():
        return {}
    with path.open() as file:
        return {(int(row["documents"]), row["way"]): row for row in csv.DictReader(file)}


def write_rows(rows: dict[tuple[int, str], dict[str, object]], path: Path) -> None:
    numbers = ("wall_s", "cpu_s", "worker_cpu_s", "peak_mib", "worker_peak_mib")
    ordered = sorted(rows.items(), key=lambda item: (item[0][0], WAYS.index(item[0][1])))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ("documents", "way", *numbers), lineterminator="\n")
        writer.writeheader()
        writer.writerows(row for _, row in ordered)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, action="append", help="how many; repeatable")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--out", type=Path, help="folder for stream.csv")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        way, folder = given.one
        print(json.dumps(measured(way, Path(folder))))
        return
    path = None if given.out is None else given.out / "stream.csv"
    rows = read_rows(path)
    for n in given.documents or [1_000_000]:
        ways = [way for way in given.ways if (n, way) not in rows]
        if not ways:
            continue
        with tempfile.TemporaryDirectory(prefix="imbtext-stream-") as name:
            folder = Path(name)
            write_documents(folder / "new", n)
            if "train" not in ways:  # what predicts needs a model
                one("train", folder)
            for way in ways:
                took = one(way, folder)
                rounded = {key: round(value, 1) for key, value in took.items()}
                rows[n, way] = {"documents": n, "way": way} | rounded
                print(json.dumps(rows[n, way]), flush=True)
                if path is not None:
                    write_rows(rows, path)


def one(way: str, folder: Path) -> dict[str, float]:
    words = [sys.executable, __file__, "--one", way, str(folder)]
    run = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(run.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
