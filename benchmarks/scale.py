"""Growth: 1, 10 and 100 million tokens, in memory, in a stream, and on Dask.

    python benchmarks/scale.py --tokens 1 --tokens 10 [--tokens 100] [--out results/scale]

Seeded text is written to Parquet files in a temporary folder: words by Zipf's law, each followed
by words that depend on it, and a vocabulary that grows as Heaps' law has it. Two of a hundred
documents are of the rare class, which is brought to a share of 20%. Every way runs in a process of
its own; its peak memory, processor time and wall time are measured, and on Dask those of the
workers and the bytes that reach the client. Processor time tells on a machine with other work to
do; the ratios of one run are taken side by side.
"""

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

WAYS = ("memory", "stream", "dask1", "dask2")
_LONGEST = 18
_DOCUMENTS_PER_FILE = 250_000


def documents(n: int, seed: int) -> pl.DataFrame:
    """Return documents of 2 to 18 words, 10 on average, with their classes."""
    rng = np.random.default_rng(seed)
    rare = rng.random(n) < 0.02
    lengths = rng.integers(2, _LONGEST + 1, n)
    columns = []
    word = _zipf(rng.random(n))
    for place in range(_LONGEST):
        if place:
            follows = rng.random(n) < 0.5
            # What follows a word: one of some that the word itself decides on.
            choice = np.minimum(rng.geometric(0.05, n), 128).astype(np.uint64)
            decided = _zipf(_uniform(word * np.uint64(128) + choice))
            word = np.where(follows, decided, _zipf(rng.random(n)))
        shown = np.where(rare, word ^ np.uint64(5), word)
        texts = pl.Series(shown).cast(pl.String)
        kept = pl.Series(place < lengths)
        columns.append(pl.select(pl.when(kept).then(texts)).to_series().alias(f"w{place}"))
    text = pl.DataFrame(columns).select(
        pl.concat_str(
            [pl.format("w{}", name) for name in (c.name for c in columns)],
            separator=" ",
            ignore_nulls=True,
        ).alias("text")
    )
    labels = pl.Series("label", np.where(rare, "rare", "common"))
    return text.with_columns(labels, pl.Series("number", np.arange(n)))


def _zipf(u: np.ndarray) -> np.ndarray:
    # P(rank > r) falls as r ** -0.4: frequencies by Zipf, a vocabulary that grows by Heaps.
    return np.minimum(2 * (np.maximum(u, 1e-9) ** (-1 / 0.4) - 1), 2**40).astype(np.uint64)


def _uniform(key: np.ndarray) -> np.ndarray:
    z = key + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) / 2**53


def write_documents(folder: Path, n_tokens: int) -> None:
    """Write files of documents until they hold this many tokens."""
    n = n_tokens // 10
    for i, first in enumerate(range(0, n, _DOCUMENTS_PER_FILE)):
        rows = documents(min(_DOCUMENTS_PER_FILE, n - first), seed=i)
        rows.write_parquet(folder / f"{i:04}.parquet", row_group_size=50_000)


def measured(way: str, source: Path, target: Path) -> dict[str, float]:
    """Do the work in this process, and return what it took."""
    _warm_up()
    return in_memory(source, target) if way == "memory" else from_files(way, source, target)


def in_memory(source: Path, target: Path) -> dict[str, float]:
    from imbtext import EMCO, minority_share

    table = pl.read_parquet(source)
    begin = _clock()
    sampler = EMCO(0.5, sampling_strategy=minority_share(0.2), random_state=0)
    sampler.fit(table["text"], table["label"])
    counted = _clock()
    n_rare = int((table["label"] == "rare").sum())
    n = minority_share(0.2).missing(n_documents=len(table), n_class=n_rare)
    new = sampler.sample(n, "rare")
    pl.DataFrame({"text": new}).write_parquet(target / "new.parquet")
    done = _clock()
    pairs = sampler.counts_.pairs
    stored = pairs.data.nbytes + pairs.indices.nbytes + pairs.indptr.nbytes
    return {
        "count_cpu_s": counted[1] - begin[1],
        "total_cpu_s": done[1] - begin[1],
        "count_wall_s": counted[0] - begin[0],
        "total_wall_s": done[0] - begin[0],
        "peak_mib": _peak_mib(),
        "words": sampler.counts_.n_words,
        "transitions": pairs.nnz,
        "bytes_per_transition": stored / pairs.nnz,
    }


def from_files(way: str, source: Path, target: Path) -> dict[str, float]:
    from imbtext import EMCO
    from imbtext.files import ClassSizes, count_files, oversample_files

    columns = {"text": "text", "label": "label"}
    sampler = EMCO(0.5, sampling_strategy=ClassSizes(share=0.2), random_state=0)
    if way != "stream":
        return on_dask(int(way.removeprefix("dask")), source, target, columns, sampler)
    begin = _clock()
    counts = count_files(source, **columns)
    counted = _clock()
    stored = sum(_stored(class_counts.counts) for class_counts in counts.classes.values())
    row = {
        "count_cpu_s": counted[1] - begin[1],
        "count_wall_s": counted[0] - begin[0],
        "words": len(counts.vocabulary),
        "transitions": counts.n_transitions,
        "bytes_per_transition": stored / counts.n_transitions,
    }
    del counts
    begin = _clock()
    oversample_files(source, f"{target}/out/", **columns, sampler=sampler)
    done = _clock()
    return row | {
        "total_cpu_s": done[1] - begin[1],
        "total_wall_s": done[0] - begin[0],
        "peak_mib": _peak_mib(),
    }


def on_dask(n_workers, source, target, columns, sampler) -> dict[str, float]:
    from distributed import wait
    from tornado.iostream import IOStream

    from imbtext.distributed import DaskPool, connected
    from imbtext.files import _in_parts as job
    from imbtext.files import oversample_files
    from imbtext.files._counting import count_tables, sum_on_workers
    from imbtext.files._writing import MarkedTables
    from imbtext.tables import LabelRules, Layout, Roles, open_tables

    received = [0]
    plain = IOStream.read_from_fd

    def counting(self, buffer):
        n = plain(self, buffer)
        received[0] += n or 0
        return n

    IOStream.read_from_fd = counting
    marked = MarkedTables(Layout("parquet"), Roles.of(**columns), LabelRules())
    pool = DaskPool()  # which finds this client
    with (
        connected(n_workers=n_workers) as client,
        open_tables(source, Layout()) as tables,
        pool.workers() as cluster,
    ):
        client.run(_warm_up)
        spent = _spent(client)
        begin = time.perf_counter()
        parts = [part for table in tables for part in table.parts()]
        tasks = client.map(
            count_tables, [[part] for part in parts], roles=marked.roles, rules=marked.rules
        )
        counts = sum_on_workers(cluster, tasks, "counting")
        counted = time.perf_counter()
        counting_spent = _spent(client) - spent
        received_counting = received[0]
        rows = client.submit(job.learn_rows, counts, sampler, 0)
        wait(rows)
        (target / "drawn").mkdir()
        bounds = job.synthetic_bounds(client.submit(len, rows).result())
        paths = [target / "drawn" / f"{i}.parquet" for i in range(len(bounds))]
        drawing = time.perf_counter()
        wait(job.write_runs(cluster, rows, bounds, paths, parts[0], marked))
        drawn = time.perf_counter()
        del counts, rows
        received[0] = 0
        spent = _spent(client)
        begin_all = time.perf_counter()
        oversample_files(source, target / "out", **columns, sampler=sampler, pool=pool)
        done = time.perf_counter()
        total_spent = _spent(client) - spent
        workers = client.run(_peak_mib)
    return {
        "count_cpu_s": counting_spent,
        "count_wall_s": counted - begin,
        "sample_wall_s": drawn - drawing,
        "total_cpu_s": total_spent,
        "total_wall_s": done - begin_all,
        "peak_mib": _peak_mib(),
        "worker_peak_mib": max(workers.values()),
        "client_mb": received[0] / 1e6,
        "client_mb_counting": received_counting / 1e6,
    }


def _warm_up() -> None:
    from imbtext import EMCO

    EMCO(random_state=0).fit(["oil up", "gold"], ["a", "b"]).sample(1, "a")


def _spent(client) -> float:
    return time.process_time() + sum(client.run(time.process_time).values())


def _stored(counts) -> int:
    pairs = counts.pairs
    return pairs.data.nbytes + pairs.indices.nbytes + pairs.indptr.nbytes


def _clock() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, action="append", help="in millions; repeatable")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--out", type=Path, help="folder for scale.csv")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        way, source, target = given.one
        print(json.dumps(measured(way, Path(source), Path(target))))
        return
    rows = []
    for millions in given.tokens or [1, 10]:
        with tempfile.TemporaryDirectory(prefix="imbtext-scale-") as name:
            source = Path(name) / "in"
            source.mkdir()
            write_documents(source, millions * 1_000_000)
            for way in given.ways:
                with tempfile.TemporaryDirectory(dir=name) as target:
                    row = {"million_tokens": millions, "way": way} | one(way, source, target)
                print(
                    json.dumps(
                        {k: round(v, 3) if isinstance(v, float) else v for k, v in row.items()}
                    ),
                    flush=True,
                )
                rows.append(row)
    if given.out:
        write_rows(rows, given.out / "scale.csv")


def one(way: str, source: Path, target: str) -> dict[str, float]:
    run = subprocess.run(
        [sys.executable, __file__, "--one", way, str(source), target],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "POLARS_MAX_THREADS": "1"},
    )
    return json.loads(run.stdout.splitlines()[-1])


def write_rows(rows: list[dict[str, float]], path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({k: round(v, 2) if isinstance(v, float) else v for k, v in row.items()})


if __name__ == "__main__":
    main()
