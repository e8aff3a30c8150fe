"""The labelling loop: against ASReview, the promise of its rule to stop, and its speed.

The tasks are those of benchmarks/labelling_tasks.py. Stages write into a folder of runs and skip
what is there, so a killed run goes on. `report` writes results/labelling/ from the runs.

    python benchmarks/labelling_tasks.py RUNS/tasks
    PYTHON_WITH_ASREVIEW benchmarks/labelling_asreview.py RUNS/tasks RUNS/asreview
    python benchmarks/labelling.py RUNS reading words starting speed report

`reading` reads every task with the encoder minilm from the same three pairs of first documents as
ASReview, `words` those that are reported by words alone. `starting` starts from nothing: by words,
or with documents that are far from each other. `speed` times a label at 100,000 documents.
labelling_reviews.py records reviews to the last document, and labelling_stopping.py and
labelling_deciding.py look at them.
"""

import json
import re
import resource
import sys
import time
from pathlib import Path

import numpy as np

from imbtext.documents import Documents
from imbtext.labelling import Labelling
from imbtext.labelling._pool import PoolTerms
from imbtext.randomness import keyed_generator, seed_of_names
from labelling_reviews import smaller
from labelling_tasks import Task, dataset, tasks

# Pairs of first documents of a development task that ASReview read from.
DEVELOPMENT_PAIRS = 1
N_TEST = 3000
MOST_NEW = 1000
N_NUMBERS = 384


def reading(runs: Path) -> None:
    """Read every task from ASReview's first documents until 95 % are found, reported ones first."""
    for half in ("reported", "development"):
        _read_tasks(runs / "reading", half, "minilm")


def words(runs: Path) -> None:
    """Read the reported tasks by words alone."""
    _read_tasks(runs / "reading_words", "reported", None)


def _read_tasks(folder: Path, half: str, encoder: str | None) -> None:
    for task in tasks(half):
        pairs = task.pairs[:DEVELOPMENT_PAIRS] if task.development else task.pairs
        targets = [folder / f"{task.file_name}.{k}.json" for k in range(len(pairs))]
        if all(target.exists() for target in targets):
            continue
        # Documents are read in once for all pairs; each review counts the time of that, but not the
        # encoder's, which results/encoder has.
        documents = Documents.of(task.texts())
        if encoder is not None:
            Labelling(documents, encoder=encoder)
        begin = time.process_time()
        Labelling(Documents.of(task.texts()))
        to_read_in = time.process_time() - begin
        for pair, target in zip(pairs, targets, strict=True):
            begin = time.process_time()
            rows = _read_until(task, documents, pair, encoder)
            seconds = to_read_in + time.process_time() - begin
            _keep(target, {"rows": rows, "seconds": seconds})


def _read_until(
    task: Task, documents: Documents, pair: tuple[int, int], encoder: str | None
) -> list[int]:
    known = np.full(len(task.rows), None, dtype=object)
    known[list(pair)] = ["yes", "no"]
    loop = Labelling(documents, known, encoder=encoder)
    while task.is_class[loop.read].sum() < np.ceil(0.95 * task.is_class.sum()):
        rows = loop.next(max(1, len(loop.read) // 100))
        loop.add(rows, task.is_class[rows])
    return [*pair, *(row for row in loop.read if row not in pair)]


def new_rows(task: Task) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of the source that are not in the task: of the class, and others."""
    data = dataset(task.source)
    part = data.train if task.source == "reuters" else np.arange(len(data))
    generator = keyed_generator(seed_of_names("expecting", task.title), 0)
    new = generator.permutation(np.setdiff1d(part, task.rows))
    new = new[[len(data.texts[row].split()) >= 3 for row in new]]
    is_class = data.in_class(task.name)[new]
    return new[is_class][:MOST_NEW], new[~is_class][:N_TEST]


def starting(runs: Path) -> None:
    """Start from nothing: by the name of the class as words, or with documents far apart."""
    for task in tasks():
        target = runs / "starting" / f"{task.file_name}.json"
        if target.exists():
            continue
        texts, words = task.texts(), " ".join(re.findall(r"[^\W\d_]+", task.name.lower()))
        documents = Documents.of(texts)
        try:
            loop = Labelling(documents, words=words)
        except ValueError:  # no two documents have such a word
            loop = Labelling(documents)
        wanted = np.ceil(0.95 * task.is_class.sum())
        while task.is_class[loop.read].sum() < wanted:
            rows = loop.next(max(1, len(loop.read) // 100))
            loop.add(rows, task.is_class[rows])
        kept = {"words": words, "rows": loop.read}
        if task.development:
            rows = smaller(task)
            pool, is_class = Labelling([texts[row] for row in rows])._pool, task.is_class[rows]
            kept["far"] = [_first_far(pool, is_class, seed) for seed in range(3)]
        _keep(target, kept)


def _first_far(pool: PoolTerms, is_class: np.ndarray, seed: int) -> int:
    """Return after how many documents the class is found if each is far from those before.

    This is how k-means++ draws: the farther from all documents drawn so far, the likelier.
    """
    generator = keyed_generator(seed_of_names("far", seed), 0)
    matrix = pool.vectors(np.arange(len(pool))).matrix()
    distances, row = np.ones(len(pool)), int(generator.integers(len(pool)))
    for n_read in range(1, len(pool)):
        if is_class[row]:
            return n_read
        distances = np.minimum(distances, 1 - (matrix @ matrix[[row]].T).toarray().ravel())
        distances[row] = 0
        chances = np.maximum(distances, 0) ** 2
        row = int(generator.choice(len(pool), p=chances / chances.sum()))
    return len(pool)


def speed(runs: Path) -> None:
    """Time labels at 100,000 documents of 50 words with 1,000 labels, of few finds and of many.

    The times with an encoder are with vectors drawn at random: as many as MiniLM's, and as long.
    """
    words = [word for text in dataset("huffpost").texts for word in text.split()]
    texts = Documents.of([" ".join(words[50 * k : 50 * k + 50]) for k in range(100_000)])
    begin = time.process_time()
    loop = Labelling(texts, words="honeymoon")
    kept = {
        "n": len(texts),
        "words": 50,
        "seconds_to_build": time.process_time() - begin,
        "gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
    }
    kept |= _time_labels(loop, texts, "honeymoon")
    dense = _time_labels(Labelling(texts, words="wedding"), texts, "wedding", at_random=True)
    kept |= {f"dense_{name}": number for name, number in dense.items()}
    generator = keyed_generator(seed_of_names("speed"), 0)
    loop = Labelling(
        texts,
        words="honeymoon",
        encoder=lambda some: generator.standard_normal((len(some), N_NUMBERS), np.float32),
    )
    with_encoder = _time_labels(loop, texts, "honeymoon")
    kept |= {f"encoder_{name}": number for name, number in with_encoder.items()}
    kept["n_terms"] = loop._pool.terms.n_terms
    _keep(runs / "speed.json", kept)


def _time_labels(
    loop: Labelling, texts: Documents, word: str, *, at_random: bool = False
) -> dict[str, float]:
    """Label 1,000 documents; then time 40 labels, every fourth a find, others as they are offered.

    `at_random`, the others are any documents, which move the ranking more.
    """
    is_class = np.array([word in text.lower() for text in texts.strings()])
    # A fifth of the class is left to be found later.
    known = np.flatnonzero(is_class)[::5]
    for _ in range(10):
        rows = loop.next(100, without=known.tolist())
        loop.add(rows, is_class[rows])
    after = {True: [], False: []}
    for k in range(40):
        far = int(np.flatnonzero(~is_class)[k])
        offered = far if at_random else loop.next(without=known.tolist())[0]
        row = offered if k % 4 else int(known[k // 4])
        loop.add(row, bool(is_class[row]))
        loop._trained_on.clear()  # retrain now, not only after the next per cent
        begin = time.process_time()
        loop.next()
        after[bool(is_class[row])].append(time.process_time() - begin)
    return {
        "n_labels": len(loop.read),
        "n_found": len(loop.found()),
        "ms_after_a_find": 1000 * float(np.median(after[True])),
        "ms_after_another": 1000 * float(np.median(after[False])),
        "ms_most": 1000 * max(after[True] + after[False]),
    }


def _keep(target: Path, content: dict) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(content))
    print(target.name, flush=True)


def main() -> None:
    runs = Path(sys.argv[1])
    for stage in sys.argv[2:]:
        if stage == "report":
            from labelling_report import report

            report(runs)
        else:
            globals()[stage](runs)


if __name__ == "__main__":
    main()
