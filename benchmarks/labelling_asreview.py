"""ASReview's side of benchmarks/labelling.py: run it with a Python that has `asreview` 3.

It does what `asreview simulate FILE --prior-idx A B` does, with ASReview's own default model
(feature extractor, balancer, classifier), and stops when 95 % of the class are found, where the
command goes on to the last document. By default the model is driven by the short loop below, which
reads the same documents in the same order as ASReview's own class `Simulate` (`--check` compares
them, run by run) without its tables; `--own` drives it by `Simulate`, to measure its time. One JSON
file per run holds the rows in the order that they were read, and seconds of processor time.

    python benchmarks/labelling_tasks.py TASKS
    path/to/python benchmarks/labelling_asreview.py TASKS RUNS [--own | --check]
"""

import json
import math
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
from asreview import ActiveLearningCycle
from asreview.models.models import get_ai_config
from asreview.simulation.simulate import Simulate


class MostFound:
    """Stops when 95 % of the class are found."""

    def stop(self, results: pd.DataFrame, labels: pd.Series) -> bool:
        """Say whether to stop."""
        return int(sum(results["label"])) >= math.ceil(0.95 * int(sum(labels)))


def review(table: pd.DataFrame, pair: list[int]) -> list[int]:
    """Return the rows in the order that ASReview's default model reads them."""
    cycle = _default_model()
    y = table["included"].to_numpy()
    X = cycle.transform(table[["title", "abstract"]])
    rows, unread = list(pair), np.ones(len(y), bool)
    unread[rows] = False
    n_wanted, n_found = math.ceil(0.95 * int(y.sum())), int(y[rows].sum())
    while n_found < n_wanted:
        cycle.fit(X[rows], y[rows])
        scores = np.where(unread, cycle.classifier.decision_function(X), -np.inf)
        rows.append(int(np.argmax(scores)))
        unread[rows[-1]] = False
        n_found += int(y[rows[-1]])
    return rows


def own_review(table: pd.DataFrame, pair: list[int]) -> list[int]:
    """Return the same by ASReview's own loop."""
    simulation = Simulate(
        table[["title", "abstract"]],
        table["included"],
        _default_model(),
        stopper=MostFound(),
        print_progress=False,
    )
    simulation.label(pair)
    simulation.review()
    return [int(row) for row in simulation._results["record_id"]]


def _default_model() -> ActiveLearningCycle:
    np.random.seed(0)  # noqa: NPY002  what ASReview draws from
    return ActiveLearningCycle.from_meta(get_ai_config("elas_u4")["value"])


def main() -> None:
    tasks, runs = map(Path, sys.argv[1:3])
    runs.mkdir(exist_ok=True, parents=True)
    own, check = "--own" in sys.argv, "--check" in sys.argv
    for name, k, pair in json.loads((tasks / "pairs.json").read_text()):
        target = runs / f"{name}.{k}.json"
        if target.exists() != check:
            continue
        table = pd.read_csv(tasks / f"{name}.csv", keep_default_na=False)
        begin = time.process_time()
        rows = own_review(table, pair) if own or check else review(table, pair)
        seconds = time.process_time() - begin
        if check:
            print(name, k, rows == json.loads(target.read_text())["rows"], flush=True)
            continue
        target.write_text(json.dumps({"rows": rows, "seconds": seconds}))
        print(name, k, len(rows), f"{seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
