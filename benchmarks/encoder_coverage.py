"""Whether the promised recall comes true with an encoder, tested on many documents of the class.

The models of benchmarks/encoder.py learn the same documents. Its 3,000 tested documents hold as few
as five of the class: a recall that is seen on those may miss an interval that holds the true one.
Here up to 500 documents of the class that a model has not learnt from are tested, twice:

* same source: of the training side, as the documents that it learnt from. This is what an interval
  is about.
* test side: of the other side. In Reuters and the newsgroups these are later documents.

A row has the interval, and how many documents were found of how many. benchmarks/encoder_readme.py
counts an interval as kept unless what was found would be a surprise even at its nearest end (a
binomial probability below 2.5%), as the yardstick does.

Rows are written case by case. What is in FOLDER/coverage.csv is not computed again, and vectors of
texts are kept in the folder that IMBTEXT_CACHE names.

    python benchmarks/encoder_coverage.py [data set ...] [--out results/encoder]
"""

import argparse
import warnings
from dataclasses import astuple
from pathlib import Path

import numpy as np
import polars as pl

from encoder import DRAWS, SETS, SIZES, Task, tasks
from imbtext import RareTextClassifier
from imbtext.features.encoders import get_encoder

MOST_TESTED = 500
KEYS = ["dataset", "label", "documents", "draw", "contestant"]


def sides(title: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows to learn from and to test on, as tasks() deals them."""
    data = SETS[title]()
    if data.test is not None:
        return data.train, data.test
    order = np.random.default_rng(0).permutation(len(data.texts))
    return order[::2], order[1::2]


def some(rows: np.ndarray) -> np.ndarray:
    """Return some of the rows."""
    return np.random.default_rng(0).permutation(np.sort(rows))[:MOST_TESTED]


def rows_of(title: str, task: Task, size: int, draw: int, done: set[tuple]) -> list[dict]:
    """Return a row per contestant of one class, number of documents and draw."""
    texts, (train, test) = tasks(title)[0], sides(title)
    order = np.random.default_rng(draw).permutation(len(task.inside))
    inside = task.inside[order[: size or len(order)]]
    learnt = np.concatenate([inside, task.others])
    # The same documents for every size and draw, but for those that are learnt.
    fresh = some(train[task.is_class[train]]), some(test[task.is_class[test]])
    if not size:
        fresh = some(np.setdiff1d(train[task.is_class[train]], inside)), fresh[1]
    rows = []
    for name, encoder in (("words", None), ("mixture, minilm", "minilm")):
        row = {"dataset": title, "label": task.name, "documents": str(size or "all")}
        row |= {"draw": draw, "contestant": name}
        if tuple(row.values()) in done:
            continue
        of_name = None if encoder is None else get_encoder(encoder)
        model = RareTextClassifier(encoder=of_name, random_state=0)
        model.fit([texts[i] for i in learnt], np.arange(len(learnt)) < len(inside))
        _, low, high = astuple(model.expectation_[0].recall)
        row |= {"n_class": len(inside), "low": round(low, 4), "high": round(high, 4)}
        for side, tested in zip(("same", "test"), fresh, strict=True):
            new = [texts[i] for i in np.setdiff1d(tested, inside)]
            found = np.asarray(model.predictions(new).decision, bool) if new else np.zeros(0, bool)
            row |= {f"found_{side}": int(found.sum()), f"n_{side}": len(new)}
        rows.append(row)
        print(*row.values(), sep="  ", flush=True)
    return rows


def main() -> None:
    """Run what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sets", nargs="*", choices=[[], *SETS], help="all unless some are named")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    path = None if options.out is None else options.out / "coverage.csv"
    rows: list[dict] = []
    if path is not None and path.is_file():
        rows = pl.read_csv(path, schema_overrides={"documents": pl.String}).to_dicts()
    done = {tuple(row[key] for key in KEYS) for row in rows}
    for title in options.sets or [*SETS]:
        for task in tasks(title)[2]:
            # All first: their intervals are the narrowest.
            for size in (SIZES[-1], *SIZES[:-1]):
                for draw in range(DRAWS if size else 1):
                    if size <= len(task.inside):
                        rows += rows_of(title, task, size, draw, done)
                        if path is not None:
                            pl.DataFrame(rows).write_csv(path)


if __name__ == "__main__":
    main()
