"""How well the number of documents of a class is estimated without labels.

    python benchmarks/prevalence.py [REPETITIONS] [--out results/audit]

The models and files of benchmarks/audit.py, drawn anew for each of REPETITIONS (4). The truth is
how many of the 5,000 documents are of the class. Printed for each kind of file is how often the 95%
interval of `RareTextClassifier.check` contains it, how wide the interval is and how far the
estimate and the sum of probabilities are off (both as multiples of the truth, medians), and how
often the check says that the text has changed, or that the class is more or less frequent.
"""

import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import polars as pl

from audit import FILES, N_FILE, N_TRAINING, drawn, sources
from imbtext import RareTextClassifier


def measured(n_repetitions):
    """Return a row for each file."""
    every, rows = sources(), defaultdict(list)
    for number, (kind, learnt, label, share, read, label_there, share_there) in enumerate(FILES):
        for repetition in range(n_repetitions):
            generator = np.random.default_rng([number, repetition])
            chosen, member = drawn(every[learnt], label, share, N_TRAINING, generator)
            model = RareTextClassifier(features="words", pos_label=True, random_state=number)
            model.fit(every[learnt].texts[chosen].tolist(), member[chosen])
            without = frozenset(chosen.tolist()) if learnt == read else frozenset()
            new, member = drawn(every[read], label_there, share_there, N_FILE, generator, without)
            check = model.check(every[read].texts[new].tolist())
            (found,) = check.prevalence
            truth, limits = int(member[new].sum()), found.n_class
            rows["kind"].append(kind)
            rows["file"].append(number)
            rows["truth"].append(truth)
            rows["estimate"].append(limits.mean)
            rows["lower"].append(limits.lower)
            rows["upper"].append(limits.upper)
            rows["by_probabilities"].append(found.by_probabilities)
            rows["text_changed"].append(any(f.is_far for f in check.findings if f.is_text))
            rows["moved"].append(found.moved)
        print(f"{number:2} {kind}", flush=True)
    return pl.DataFrame(rows).with_columns(pl.col(pl.Float64).round(2))


def summary(table):
    """Print the table of the results."""
    covered = pl.col("truth").is_between(pl.col("lower"), pl.col("upper"))
    print("\n| kind | covered | width | off | sum off | text changed | class moved |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    shown = table.group_by("kind", maintain_order=True).agg(
        covered.mean(),
        ((pl.col("upper") - pl.col("lower")) / pl.col("truth")).median().alias("width"),
        ((pl.col("estimate") - pl.col("truth")).abs() / pl.col("truth")).median().alias("off"),
        ((pl.col("by_probabilities") - pl.col("truth")).abs() / pl.col("truth"))
        .median()
        .alias("sum"),
        pl.col("text_changed").mean(),
        (pl.col("moved") != 0).mean(),
    )
    for kind, *numbers in shown.iter_rows():
        print(f"| {kind} | " + " | ".join(f"{number:.2f}" for number in numbers) + " |")


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--out"]
    out = Path(arguments.pop()) if "--out" in sys.argv else None
    found = measured(int(arguments[0]) if arguments else 4)
    summary(found)
    if out is not None:
        found.write_csv(out / "prevalence.csv")
