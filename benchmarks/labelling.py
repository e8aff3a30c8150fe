"""The labelling loop: against ASReview, the promise of its rule to stop, and its speed.

The tasks are those of benchmarks/labelling_tasks.py. Stages write into a folder of runs and skip
what is there, so a killed run goes on. `report` writes results/labelling/ from the runs.

    python benchmarks/labelling_tasks.py RUNS/tasks
    PYTHON_WITH_ASREVIEW benchmarks/labelling_asreview.py RUNS/tasks RUNS/asreview
    python benchmarks/labelling.py RUNS reading stopping expecting speed report

`reading` reads every task from the same three pairs of first documents as ASReview. `stopping`
reads every task from 20 pairs, to the last document, for the rule to stop and the estimate of what
is left; to save time, pools are cut to 3,000 documents there and the next documents are chosen anew
after each 3 % of those read. `expecting` trains the model after the rule has stopped and tests it
on documents that were not in the pool. `speed` times a label at 100,000 documents.
"""

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np

from imbtext.documents import Documents
from imbtext.labelling import Labelling, simulate
from imbtext.randomness import keyed_generator, seed_of_names
from labelling_tasks import Task, dataset, tasks

N_SEEDS = 20
MOST = 3000
N_TEST = 3000


def reading(runs: Path) -> None:
    """Read every task from ASReview's first documents until 95 % are found."""
    for task in tasks():
        for k, pair in enumerate(task.pairs):
            target = runs / "reading" / f"{task.file_name}.{k}.json"
            if target.exists():
                continue
            begin = time.process_time()
            rows = _read_until(task, pair, 0.95)
            seconds = time.process_time() - begin
            _keep(target, {"rows": rows, "seconds": seconds})


def _read_until(task: Task, pair: tuple[int, int], share: float) -> list[int]:
    known = np.full(len(task.rows), None, dtype=object)
    known[list(pair)] = ["yes", "no"]
    loop = Labelling(task.texts(), known)
    while task.is_class[loop.read].sum() < np.ceil(share * task.is_class.sum()):
        rows = loop.next(max(1, len(loop.read) // 100))
        loop.add(rows, task.is_class[rows])
    return [*pair, *(row for row in loop.read if row not in pair)]


def stopping(runs: Path) -> None:
    """Read every task from 20 pairs of first documents to the last document."""
    pools = {}
    for seed in range(N_SEEDS):
        for task in tasks():
            target = runs / "stopping" / f"{task.file_name}.{seed}.json"
            if target.exists():
                continue
            if task.title not in pools:
                rows, texts = _smaller(task), task.texts()
                pools[task.title] = Documents.of([texts[row] for row in rows]), task.is_class[rows]
            documents, is_class = pools[task.title]
            generator = keyed_generator(seed_of_names("first", task.title, seed), 0)
            pair = [generator.choice(np.flatnonzero(is_class == one)) for one in (True, False)]
            result = simulate(documents, is_class, True, first=pair, step=0.03)
            found = np.flatnonzero(is_class[result.rows]).tolist()
            _keep(target, {"found": found, "n": len(is_class)})


def _smaller(task: Task) -> np.ndarray:
    """Return the rows of a pool of 3,000 documents with the whole class."""
    generator = keyed_generator(seed_of_names("stopping", task.title), 0)
    inside, outside = np.flatnonzero(task.is_class), np.flatnonzero(~task.is_class)
    outside = generator.permutation(outside)[: MOST - len(inside)]
    return generator.permutation(np.concatenate([inside, outside]))


def expecting(runs: Path) -> None:
    """Train after the rule has stopped; test on documents of the same source outside the pool.

    Half of the class and half of the others, at most 3,000, are the pool, the rest are the test.
    """
    for seed in range(4):
        for task in tasks():
            target = runs / "expecting" / f"{task.file_name}.{seed}.json"
            if task.is_class.sum() < 20 or target.exists():
                continue
            generator = keyed_generator(seed_of_names("expecting", task.title, seed), 0)
            order = generator.permutation(len(task.rows))
            inside, outside = order[task.is_class[order]], order[~task.is_class[order]]
            half, most = len(inside) // 2, min(len(outside) // 2, N_TEST)
            pool = generator.permutation(np.concatenate([inside[:half], outside[:most]]))
            test = np.concatenate([inside[half:], outside[most : 2 * most]])
            texts, y = task.texts(), task.is_class
            known = np.full(len(pool), None, dtype=object)
            firsts = [int(np.flatnonzero(y[pool] == one)[0]) for one in (True, False)]
            known[firsts] = ["yes", "no"]
            loop = Labelling([texts[row] for row in pool], known, random_state=seed)
            while not loop.progress().may_stop:
                rows = loop.next(max(1, int(len(loop.read) * 0.03)))
                loop.add(rows, y[pool][rows])
            model = loop.train()
            alarms = model.predict([texts[row] for row in test]) == "yes"
            hits = alarms & y[test]
            expected = model.expectation_[0]
            truth = {
                "recall": hits.sum() / y[test].sum(),
                "precision": hits.sum() / alarms.sum() if alarms.any() else None,
                "alarms": 1000 * alarms.mean(),
            }
            kept = {
                name: [*(getattr(getattr(expected, name), end) for end in _ENDS), truth[name]]
                for name in truth
            }
            sizes = {"n_test": int(y[test].sum()), "n_alarms": int(alarms.sum())}
            _keep(target, kept | sizes)


_ENDS = ("mean", "lower", "upper")


def speed(runs: Path) -> None:
    """Time labels at 100,000 documents of 50 words with 1,000 labels."""
    words = [word for text in dataset("huffpost").texts for word in text.split()]
    texts = [" ".join(words[50 * k : 50 * k + 50]) for k in range(100_000)]
    begin = time.process_time()
    loop = Labelling(texts, words="wedding")
    built = time.process_time() - begin
    memory_built = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    is_class = np.array(["wedding" in text.lower() for text in texts])
    for _ in range(10):
        rows = loop.next(100)
        loop.add(rows, is_class[rows])
    after = {True: [], False: []}
    for k in range(40):
        # Any document will do: the time depends on whether it is a find.
        unread = np.flatnonzero((is_class == (k % 4 == 0)) & (loop.labels == None))  # noqa: E711
        row = int(unread[0])
        loop.add(row, is_class[row])
        loop._trained_on.clear()  # retrain now, not only after the next per cent
        begin = time.process_time()
        loop.next()
        after[bool(is_class[row])].append(time.process_time() - begin)
    kept = {
        "n": len(texts),
        "words": float(np.mean([len(text.split()) for text in texts])),
        "seconds_to_build": built,
        "gib": memory_built,
        "gib_at_end": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "ms_after_a_find": 1000 * float(np.median(after[True])),
        "ms_after_another": 1000 * float(np.median(after[False])),
        "n_terms": loop._pool.terms.n_terms,
        "n_labels": len(loop.read),
    }
    _keep(runs / "speed.json", kept)


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
