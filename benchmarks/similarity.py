"""Which `similarity` and which `weight` suit EMCO, judged on training documents alone.

The training side of an experiment of the paper is cut into two halves, each the test of the other:
the paper's test documents take no part, so that what is chosen here can be measured on them::

    python -m benchmarks.similarity reuters-titles reuters-full 20newsgroups
"""

import argparse
import time

import numpy as np
import polars as pl
from sklearn.model_selection import StratifiedKFold

from imbtext.methods import Problem, fit_method
from imbtext.metrics import binary_scores
from paper.experiments import (
    EXPERIMENTS,
    frequency_group,
    is_oversampled,
    n_synthetic,
)
from paper.splits import Split, prepare

METHODS = (
    "plain",
    *(f"emco({gamma})" for gamma in (1, 0.1, 0.01)),
    *(f"emco(1, similarity={power})" for power in (1, 2, 3, 4, 5)),
    *(f"emco(0.1, similarity={power})" for power in (2, 3)),
    *(f"emco({gamma}, weight={w})" for gamma in (1, 0.1) for w in (0.1, 0.3)),
    "mco",
)
MEASURES = ("balanced_accuracy", "f1", "f2", "average_precision", "precision")
# Each half needs two documents of a class.
FEWEST = 4


def chosen(split: Split, share: float, n: int) -> list[str]:
    """Return categories at random, always the same."""
    known = [
        name
        for name in split.categories
        if is_oversampled(split.share(name), share) and split.positive(name).sum() >= FEWEST
    ]
    order = np.random.default_rng(0).permutation(len(known))[:n]
    return [known[i] for i in sorted(order)]


def scores(split: Split, share: float, n_categories: int) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for name in chosen(split, share, n_categories):
        y = split.positive(name)
        halves = StratifiedKFold(2, shuffle=True, random_state=0).split(y, y)
        for half, (rows, unseen) in enumerate(halves):
            data = split.data.select(rows)
            test = data.vectors_of(split.data, unseen)
            n_new = n_synthetic(len(rows), int(y[rows].sum()), share)
            for method in METHODS:
                start = time.perf_counter()
                fitted = fit_method(method, Problem(data, y[rows], n_new, seed=1 + half))
                decision = fitted.decision_function(test)
                measured = binary_scores(y[unseen], decision > fitted.threshold, decision)
                found.append(
                    {
                        "frequency": frequency_group(split.share(name)),
                        "method": method,
                        **{measure: measured[measure] for measure in MEASURES},
                        "seconds": time.perf_counter() - start,
                    }
                )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("experiments", nargs="+", choices=list(EXPERIMENTS))
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("--categories", type=int, default=30)
    given = parser.parse_args()
    for name in given.experiments:
        splits, _ = prepare(EXPERIMENTS[name])
        units = pl.DataFrame(scores(splits[0], given.share, given.categories))
        means = units.group_by("frequency", "method", maintain_order=True).agg(
            pl.col(*MEASURES, "seconds").mean().round(3), n=pl.len()
        )
        print(f"{name}, share {given.share:.0%}")
        with pl.Config(
            tbl_rows=-1, tbl_hide_dataframe_shape=True, tbl_cols=-1, tbl_width_chars=140
        ):
            print(means.sort("frequency", descending=True, maintain_order=True), flush=True)


if __name__ == "__main__":
    main()
