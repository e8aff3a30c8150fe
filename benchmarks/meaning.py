"""What vectors of words' meanings bring beside the words, with few documents of the class.

Six data sets, from headlines to whole articles. For some classes of each, RareTextClassifier learns
from 5, 20 or 80 documents of the class and 2,000 others of the training side, with features "auto"
and with ["auto", "meaning"], and ranks documents of the test side. Printed are mean average
precision before and after, its standard error over classes, in how many cases it rises, and the
processor time of training as a ratio. Nothing was chosen by what comes out here. The numbers of the
study that led to "meaning", on other samples of the same data sets, are printed beside.

With --out, every case goes to FOLDER/meaning.csv and the tables to FOLDER/README.md. A run that was
stopped goes on after the last whole data set.

    python benchmarks/meaning.py [data set ...] [--out results/meaning]
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.metrics import average_precision_score

from imbtext import RareTextClassifier
from imbtext.datasets import load_20newsgroups, load_docstrings, load_huffpost, load_reuters
from imbtext.writing import written_whole

SIZES, N_OTHERS, N_TESTED, N_CLASSES = (5, 20, 80), 2000, 4000, 12
ALONE, BOTH = "auto", ["auto", "meaning"]


def descriptions() -> object:
    """Return HuffPost with the descriptions alone."""
    titles, both = load_huffpost("titles", verify=False), load_huffpost("full", verify=False)
    pairs = zip(titles.texts, both.texts, strict=True)
    return replace(both, texts=[whole[len(title) :].strip() for title, whole in pairs])


SETS: dict[str, Callable[[], object]] = {
    "HuffPost headlines": lambda: load_huffpost("titles", verify=False),
    "HuffPost descriptions": descriptions,
    "Reuters headlines": lambda: load_reuters("titles"),
    "newsgroups": load_20newsgroups,
    "docstrings": load_docstrings,
    "Reuters articles": lambda: load_reuters("full"),
}
# Average precision of the study, before and after.
STUDY = {
    "HuffPost headlines": (0.060, 0.070),
    "HuffPost descriptions": (0.078, 0.091),
    "Reuters headlines": (0.509, 0.520),
    "newsgroups": (0.275, 0.287),
    "docstrings": (0.827, 0.834),
    "Reuters articles": (0.872, 0.867),
}


def cases(title: str) -> list[dict[str, object]]:
    """Return average precision and training time of both, for each class and size of it."""
    data, rng = SETS[title](), np.random.default_rng(0)
    rows = []
    train, test = data.train, data.test
    if test is None:
        order = rng.permutation(len(data.texts))
        train, test = order[::2], order[1::2]
    tested = rng.permutation(test)[:N_TESTED]
    length = int(np.median([len(data.texts[i]) for i in tested]))
    for name in chosen_classes(data, train, tested, rng):
        is_class = np.asarray(data.in_class(name))
        inside = rng.permutation(train[is_class[train]])
        others = rng.permutation(train[~is_class[train]])[:N_OTHERS]
        for size in SIZES:
            if size > len(inside):
                continue
            learnt = np.concatenate([inside[:size], others])
            row = {"dataset": title, "characters": length, "class": name, "n_class": size}
            for column, features in (("alone", ALONE), ("meaning", BOTH)):
                start = time.process_time()
                model = RareTextClassifier(features=features, random_state=0)
                model.fit([data.texts[i] for i in learnt], is_class[learnt])
                row[f"seconds_{column}"] = round(time.process_time() - start, 3)
                scores = model.decision_function([data.texts[i] for i in tested])
                precision = average_precision_score(is_class[tested], scores)
                row[f"average_precision_{column}"] = round(float(precision), 4)
            rows.append(row)
            print(*row.values(), sep="  ", flush=True)
    return rows


def chosen_classes(data, train, tested, rng) -> list[str]:
    """Return some classes that have enough documents to learn from and to test on."""
    kept = []
    for name in data.classes:
        is_class = np.asarray(data.in_class(name))
        n_train, n_tested = int(is_class[train].sum()), int(is_class[tested].sum())
        if n_train >= min(SIZES) and 5 <= n_tested <= 0.2 * len(tested):
            kept.append(name)
    return sorted(rng.permutation(kept)[:N_CLASSES].tolist())


def table(found: pl.DataFrame, by: str) -> list[str]:
    """Return the lines of a table: before, after and the ratio of training times."""
    studied = by == "dataset"
    lines = [
        f"| {'data set' if studied else 'documents of the class'} | cases | before | after | "
        f"difference | higher in | time | {'study |' if studied else ''}",
        f"|---|---:|---:|---:|---:|---:|---:|{'---|' if studied else ''}",
    ]
    for (name,), part in found.group_by(by, maintain_order=True):
        before, after = part["average_precision_alone"], part["average_precision_meaning"]
        of_classes = part.group_by("dataset", "class").agg(
            (pl.col("average_precision_meaning") - pl.col("average_precision_alone")).mean()
        )["average_precision_meaning"]
        error = float(of_classes.std() or 0.0) / np.sqrt(len(of_classes))
        ratio = part["seconds_meaning"].sum() / part["seconds_alone"].sum()
        title = f"{name}, {part['characters'][0]} characters" if studied else name
        line = (
            f"| {title} | {len(part)} | {before.mean():.3f} | {after.mean():.3f} | "
            f"{(after - before).mean():+.3f} ± {error:.3f} | {int((after > before).sum())} | "
            f"{ratio:.2f} |"
        )
        if studied:
            line += " {:.3f} to {:.3f} |".format(*STUDY[name])
        lines.append(line)
    return lines


def readme(found: pl.DataFrame) -> str:
    """Return the page about the results."""
    return "\n".join(
        [
            "# Vectors of meaning beside words",
            "",
            "`python benchmarks/meaning.py --out results/meaning` wrote this page; its first lines "
            "say what it measures. `before` is the average precision of `RareTextClassifier`, and "
            '`after` that with `features=["auto", "meaning"]`. The number after ± is the standard '
            "error over classes. `time` is the processor time of training, after over before. "
            "`study` has the numbers of the study that led to it, on other samples. `meaning.csv` "
            "has every case.",
            "",
            *table(found, "dataset"),
            "",
            *table(found.sort("n_class", maintain_order=True), "n_class"),
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("datasets", nargs="*")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    path = options.out / "meaning.csv" if options.out else None
    # Compiled once, so that the first case does not pay for it.
    RareTextClassifier(features=BOTH).fit(["oil price", "rain"] * 9, ["oil", "rain"] * 9)
    RareTextClassifier().fit(["oil price", "rain"] * 9, ["oil", "rain"] * 9)
    found = pl.read_csv(path) if path is not None and path.exists() else pl.DataFrame()
    for title in options.datasets or SETS:
        if found.height and title in found["dataset"]:
            continue
        found = (
            pl.concat([found, pl.DataFrame(cases(title))], how="vertical_relaxed")
            if (found.height)
            else pl.DataFrame(cases(title))
        )
        print("\n".join(table(found, "dataset")), flush=True)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(path) as partial:
                found.write_csv(partial)
            with written_whole(path.with_name("README.md")) as partial:
                Path(partial).write_text(readme(found), encoding="utf-8")
    print("\n".join(table(found.sort("n_class", maintain_order=True), "n_class")))


if __name__ == "__main__":
    main()
