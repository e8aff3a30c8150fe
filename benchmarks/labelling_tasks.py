"""Thirty tasks for benchmarks of the labelling loop: a class of 10 to 200 among 3,000 to 8,000.

The list was drawn once, by seed, before anything was measured: twelve categories of Reuters (whole
articles), twelve of HuffPost (headline and description) and six newsgroups (no headers, footers or
quotes). The size of the class is drawn evenly on a log scale from 10 to 200, or is all there are;
the pool has 3,000, 5,000 or 8,000 documents in turn (Reuters has 7,769 at most). Every second task
in the alphabetical order of a source is for choosing constants (`development`), the others are
for reporting. Later 28 tasks of other classes were drawn for choosing, too (`more`).

    python benchmarks/labelling_tasks.py            # prints the list
    python benchmarks/labelling_tasks.py FOLDER     # writes each task as ASReview reads it
"""

import csv
import json
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from imbtext.datasets import TextDataset, load_20newsgroups, load_huffpost, load_reuters
from imbtext.randomness import keyed_generator, seed_of_names

LEAST, MOST = 10, 200
SIZES = (3000, 5000, 8000)
N_TASKS = {"reuters": 12, "huffpost": 12, "newsgroups": 6}
# More tasks for choosing, of classes that are in neither half.
N_MORE = {"reuters": 8, "huffpost": 14, "newsgroups": 6}
N_PAIRS = 3


@dataclass(frozen=True)
class Task:
    """A class to find in a pool of documents, and pairs of first documents: one in, one out."""

    source: str
    name: str
    rows: NDArray[np.int64]
    is_class: NDArray[np.bool_]
    pairs: tuple[tuple[int, int], ...]
    development: bool

    @property
    def title(self) -> str:
        """How tables name it."""
        return f"{self.source} {self.name}"

    @property
    def file_name(self) -> str:
        """How files name it."""
        return "".join(c if c.isalnum() else "-" for c in self.title.lower())

    def texts(self) -> list[str]:
        """Return the documents, white space in one piece."""
        texts = dataset(self.source).texts
        return [" ".join(texts[row].split()) for row in self.rows]


@cache
def dataset(source: str) -> TextDataset:
    """Return a data set, read once."""
    if source == "reuters":
        return load_reuters("full", quiet=True)
    return load_huffpost("full") if source == "huffpost" else load_20newsgroups()


def tasks(half: str = "all") -> list[Task]:
    """Return the tasks: `all`, the `development` half, the `reported` half, or `more`."""
    if half == "more":
        return _more_tasks()
    return [t for t in _all_tasks() if half == "all" or t.development == (half == "development")]


def _large_enough(source: str) -> list[str]:
    sizes = dataset(source).class_sizes()
    most = 2 * MOST if source == "reuters" else len(dataset(source))
    return [name for name, size in sorted(sizes.items()) if 2 * LEAST <= size <= most]


@cache
def _more_tasks() -> list[Task]:
    taken, drawn = {task.title for task in _all_tasks()}, []
    for source, n_tasks in N_MORE.items():
        generator = keyed_generator(seed_of_names("labelling more", source), 0)
        others = [name for name in _large_enough(source) if f"{source} {name}" not in taken]
        chosen = sorted(generator.choice(others, n_tasks, replace=False).tolist())
        drawn += [
            _draw(source, name, SIZES[k % 3], development=True) for k, name in enumerate(chosen)
        ]
    return drawn


@cache
def _all_tasks() -> list[Task]:
    drawn = []
    for source, n_tasks in N_TASKS.items():
        generator = keyed_generator(seed_of_names("labelling", source), 0)
        enough = _large_enough(source)
        chosen = sorted(generator.choice(enough, n_tasks, replace=False).tolist())
        drawn += [
            _draw(source, name, SIZES[k % 3], development=k % 2 == 0)
            for k, name in enumerate(chosen)
        ]
    return drawn


def _draw(source: str, name: str, n_pool: int, *, development: bool) -> Task:
    data = dataset(source)
    generator = keyed_generator(seed_of_names("labelling", source, name), 0)
    part = data.train if source == "reuters" else np.arange(len(data))
    # A document of fewer than three words can hardly be judged by a person either.
    part = np.array([row for row in part if len(data.texts[row].split()) >= 3])
    is_class = data.in_class(name)[part]
    inside, outside = part[is_class], part[~is_class]
    n_class = int(np.exp(generator.uniform(np.log(LEAST), np.log(MOST))))
    inside = generator.permutation(inside)[: max(n_class, LEAST)]
    outside = generator.permutation(outside)[: n_pool - len(inside)]
    rows = generator.permutation(np.concatenate([inside, outside]))
    found = np.isin(rows, inside)
    firsts = generator.permutation(np.flatnonzero(found))[:N_PAIRS].tolist()
    others = generator.permutation(np.flatnonzero(~found))[:N_PAIRS].tolist()
    return Task(source, name, rows, found, tuple(zip(firsts, others, strict=True)), development)


def _write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for task in tasks():
        with (folder / f"{task.file_name}.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["title", "abstract", "included"])
            for text, inside in zip(task.texts(), task.is_class, strict=True):
                writer.writerow(["", text, int(inside)])
    # Those that are reported come first.
    pairs = [
        (task.file_name, k, pair)
        for half in ("reported", "development")
        for task in tasks(half)
        for k, pair in enumerate(task.pairs)
    ]
    (folder / "pairs.json").write_text(json.dumps(pairs))


def main() -> None:
    if len(sys.argv) > 1:
        _write(Path(sys.argv[1]))
    for task in tasks():
        half = "development" if task.development else "reported"
        print(f"{task.title:32} {len(task.rows):6,} {task.is_class.sum():5} {half}  {task.pairs}")


if __name__ == "__main__":
    main()
