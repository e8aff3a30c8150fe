"""Recorded reviews: every document of a pool in the order that the loop reads it.

What is left and when to stop depend on the order of finds alone, so reviews are recorded once and
rules are tried on the records. There are five kinds of pools:

* `news`: the tasks of `labelling_tasks.py`, cut to 3,000 documents, with an encoder.
* `words`: the same pools by words alone.
* `copies`: pools of 3,000 in which every document stands two to four times, each time with other
  words missing; by words alone.
* `small`: 300 to 800 documents, with an encoder.
* `reviews`: sixteen tasks of systematic reviews (`reviews/*.csv.gz` in IMBTEXT_DATA), with an
  encoder.

Half of the tasks were never used to choose anything: the reported half of the news tasks, and the
reviews of ADHD, calcium channel blockers, oral hypoglycemics and urinary incontinence. To save
time, the next documents are chosen anew after each 3 % of those read.

    python benchmarks/labelling_reviews.py RUNS [KIND ...]

`against` reads the systematic reviews once more until 95 % are found, choosing anew after each per
cent, beside ASReview from the same first documents; it writes them as labelling_asreview.py reads
them:

    python benchmarks/labelling_reviews.py RUNS against
    PYTHON_WITH_ASREVIEW benchmarks/labelling_asreview.py RUNS/review_tasks RUNS/asreview_reviews
"""

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext.documents import Documents
from imbtext.labelling import Labelling
from imbtext.randomness import keyed_generator, seed_of_names
from labelling_tasks import Task, tasks

KINDS = ("news", "words", "copies", "small", "reviews")
N_SEEDS = 2
MOST = 3000
STEP = 0.03
SMALL = (300, 500, 800)
LEAST_IN_SMALL, SHARE_OF_SMALL = 8, 0.1
# The chance of each word of a copy to be missing.
MISSING = 0.05
REVIEWS_REPORTED = ("ADHD", "CalciumChannelBlockers", "OralHypoglycemics", "UrinaryIncontinence")
LABELS_OF_REVIEWS = ("label_included", "label_abstract_screening")


@dataclass(frozen=True)
class Pool:
    """Documents with known labels, one class to find, and what the ranking sees."""

    kind: str
    title: str
    development: bool
    is_class: NDArray[np.bool_]
    texts: Callable[[], list[str]]
    encoder: str | None

    @property
    def file_name(self) -> str:
        """How files name it."""
        return "".join(c if c.isalnum() else "-" for c in self.title.lower())


def pools(kind: str) -> Iterator[Pool]:
    """Return the pools of a kind."""
    if kind == "reviews":
        yield from _review_pools()
        return
    cut = {"news": _cut, "words": _cut, "copies": _copied, "small": _small}[kind]
    encoder = "minilm" if kind in ("news", "small") else None
    for k, task in enumerate(tasks()):
        rows, texts = cut(task, k)
        yield Pool(kind, task.title, task.development, task.is_class[rows], texts, encoder)


def _cut(task: Task, _k: int) -> tuple[NDArray[np.int64], Callable[[], list[str]]]:
    rows = smaller(task)
    return rows, lambda: [texts[row] for texts in [task.texts()] for row in rows]


def smaller(task: Task, most: int = MOST) -> NDArray[np.int64]:
    """Return the rows of a pool of 3,000 documents with the whole class."""
    generator = keyed_generator(seed_of_names("stopping", task.title), 0)
    inside, outside = np.flatnonzero(task.is_class), np.flatnonzero(~task.is_class)
    rows = np.concatenate([inside, generator.permutation(outside)[: most - len(inside)]])
    return generator.permutation(rows)


def _copied(task: Task, _k: int) -> tuple[NDArray[np.int64], Callable[[], list[str]]]:
    generator = keyed_generator(seed_of_names("copies", task.title), 0)
    inside = generator.permutation(np.flatnonzero(task.is_class))[: MOST // 15]
    outside = generator.permutation(np.flatnonzero(~task.is_class))
    originals = np.concatenate([inside, outside])
    rows = np.repeat(originals, generator.integers(2, 5, len(originals)))[:MOST]
    rows = generator.permutation(rows)

    def texts() -> list[str]:
        of_task = task.texts()
        return [
            _with_words_missing(of_task[row], seed_of_names("copy", task.title, k))
            for k, row in enumerate(rows)
        ]

    return rows, texts


def _with_words_missing(text: str, seed: int) -> str:
    words = np.array(text.split())
    kept = keyed_generator(seed, 0).random(len(words)) >= MISSING
    return " ".join(words[kept]) or text


def _small(task: Task, k: int) -> tuple[NDArray[np.int64], Callable[[], list[str]]]:
    generator = keyed_generator(seed_of_names("small", task.title), 0)
    n = SMALL[k % len(SMALL)]
    inside = generator.permutation(np.flatnonzero(task.is_class))
    most = int(n * SHARE_OF_SMALL)
    inside = inside[: int(generator.integers(LEAST_IN_SMALL, max(most, LEAST_IN_SMALL) + 1))]
    outside = generator.permutation(np.flatnonzero(~task.is_class))[: n - len(inside)]
    rows = generator.permutation(np.concatenate([inside, outside]))
    return rows, lambda: [texts[row] for texts in [task.texts()] for row in rows]


@cache
def _review_pools() -> list[Pool]:
    found = []
    for path in sorted(Path(os.environ["IMBTEXT_DATA"], "reviews").glob("*.csv.gz")):
        table = pl.read_csv(path)
        name = path.name.removesuffix(".csv.gz")
        texts = table.select(pl.concat_str("title", "abstract", separator="\n", ignore_nulls=True))
        texts = texts.to_series().fill_null("").to_list()
        seen: list[list[int]] = []
        for column in LABELS_OF_REVIEWS:
            labels = table[column].cast(pl.Int64, strict=False)
            if labels.null_count() or labels.to_list() in seen:
                continue
            seen.append(labels.to_list())
            title = f"{name.replace('_', ' ')} {column.removeprefix('label_').split('_')[0]}"
            development = not any(part in name for part in REVIEWS_REPORTED)
            found.append(
                Pool(
                    "reviews",
                    title,
                    development,
                    labels.to_numpy() == 1,
                    lambda texts=texts: texts,
                    "minilm",
                )
            )
    return found


def record(runs: Path, kind: str) -> None:
    """Read every pool of a kind from several pairs of first documents, to the last document."""
    for pool in pools(kind):
        missing = [
            (seed, target)
            for seed in range(N_SEEDS)
            if not (target := runs / kind / f"{pool.file_name}.{seed}.json").exists()
        ]
        if not missing:
            continue
        documents = Documents.of(pool.texts())
        groups = documents.near_duplicates
        for seed, target in missing:
            order = read_to_the_end(pool, documents, first_pair(pool, seed))
            kept = {"found": np.flatnonzero(pool.is_class[order]).tolist(), "n": len(order)}
            kept |= {"rows": order, "groups": groups[order].tolist()}
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(json.dumps(kept))
        print(kind, pool.title, len(pool.is_class), int(pool.is_class.sum()), flush=True)


def against(runs: Path) -> None:
    """Read the systematic reviews until 95 % are found, and write them for ASReview."""
    (runs / "review_tasks").mkdir(parents=True, exist_ok=True)
    (runs / "reading_reviews").mkdir(exist_ok=True)
    pairs = []
    for pool in pools("reviews"):
        texts, wanted = pool.texts(), np.ceil(0.95 * pool.is_class.sum())
        table = pl.DataFrame({"title": [""] * len(texts), "abstract": texts})
        table = table.with_columns(included=pl.Series(pool.is_class.astype(int)))
        table.write_csv(runs / "review_tasks" / f"{pool.file_name}.csv")
        documents = Documents.of(texts)
        for seed in range(N_SEEDS):
            pair = first_pair(pool, seed)
            pairs.append((pool.file_name, seed, pair))
            known = np.full(len(documents), None, dtype=object)
            known[pair] = ["yes", "no"]
            loop = Labelling(documents, known, encoder=pool.encoder)
            while pool.is_class[loop.read].sum() < wanted:
                rows = loop.next(max(1, len(loop.read) // 100))
                loop.add(rows, pool.is_class[rows])
            order = [*pair, *(row for row in loop.read if row not in pair)]
            target = runs / "reading_reviews" / f"{pool.file_name}.{seed}.json"
            target.write_text(json.dumps({"rows": order}))
    (runs / "review_tasks" / "pairs.json").write_text(json.dumps(pairs))


def first_pair(pool: Pool, seed: int) -> list[int]:
    """Return a document of the class and another, drawn by the seed."""
    generator = keyed_generator(seed_of_names("first", pool.title, seed), 0)
    return [int(generator.choice(np.flatnonzero(pool.is_class == one))) for one in (True, False)]


def read_to_the_end(pool: Pool, documents: Documents, pair: list[int]) -> list[int]:
    """Return all rows in the order of reading; after the last of the class, nothing is learnt."""
    known = np.full(len(documents), None, dtype=object)
    known[pair] = ["yes", "no"]
    loop = Labelling(documents, known, encoder=pool.encoder)
    read, n_left = list(pair), int(pool.is_class.sum()) - 1
    while len(read) < len(documents):
        rows = loop.next(max(1, int(len(read) * STEP)) if n_left else len(documents))
        loop.add(rows, pool.is_class[rows])
        read += rows
        n_left -= int(pool.is_class[rows].sum())
    return read


def main() -> None:
    runs = Path(sys.argv[1])
    for kind in sys.argv[2:] or KINDS:
        if kind == "against":
            against(runs)
        else:
            record(runs, kind)


if __name__ == "__main__":
    main()
