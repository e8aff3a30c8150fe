"""ASReview's side of benchmarks/labelling.py: run it with a Python that has `asreview` 3.

It does what `asreview simulate FILE --prior-idx A B` does, with ASReview's own classes and its
default model, and stops when 95 % of the class are found, where the command goes on to the last
document. One JSON file per run holds the rows in the order that they were read and the seconds.

    python benchmarks/labelling_tasks.py TASKS
    path/to/python benchmarks/labelling_asreview.py TASKS RUNS PAIRS.json

PAIRS.json maps the name of a task's file to its pairs of first rows; labelling.py writes it.
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


def main() -> None:
    tasks, runs = map(Path, sys.argv[1:3])
    runs.mkdir(exist_ok=True, parents=True)
    for name, k, pair in json.loads(Path(sys.argv[3]).read_text()):
        target = runs / f"{name}.{k}.json"
        if target.exists():
            continue
        table = pd.read_csv(tasks / f"{name}.csv", keep_default_na=False)
        np.random.seed(0)  # noqa: NPY002  what ASReview draws from
        begin = time.perf_counter()
        cycle = ActiveLearningCycle.from_meta(get_ai_config("elas_u4")["value"])
        simulation = Simulate(
            table[["title", "abstract"]],
            table["included"],
            cycle,
            stopper=MostFound(),
            print_progress=False,
        )
        simulation.label(pair)
        simulation.review()
        seconds = time.perf_counter() - begin
        rows = [int(row) for row in simulation._results["record_id"]]
        target.write_text(json.dumps({"rows": rows, "seconds": seconds}))
        print(name, k, len(rows), f"{seconds:.1f} s", flush=True)


if __name__ == "__main__":
    main()
