"""RareTextClassifier on held-out halves, against what one would put together.

The data sets of benchmarks/machine_texts.py: short and long, in several languages, with few and
many documents. Half of each trains and half tests. Constants were chosen on training halves
(benchmarks/rare_constants.py), again after losses here, and never on the halves tested. For
each set some rare classes, of five training documents up to a tenth of all, evenly spaced by size.
Printed are means over them of average precision, F1 and F2, the decision made for F1 and for F2
where a contestant can be tuned for it, and in how many classes RareTextClassifier is within .005 of
the best; with --out, every class and contestant goes to FOLDER/held_out_halves.csv, with the
processor seconds that training took. A run that was stopped goes on after the last whole data set.

    python benchmarks/held_out_halves.py [CLASSES PER SET] [SET ...] [--out results/held_out_halves]
"""

import argparse
import csv
import os
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.pipeline import Pipeline, make_pipeline, make_union
from sklearn.svm import LinearSVC

from imbtext import RareTextClassifier, ResampledClassifier
from imbtext.metrics import binary_scores
from machine_texts import SETS

LEAST, LARGEST_SHARE, NEAR = 5, 0.1, 0.005
RARE = "RareTextClassifier"
# Of each family of methods one that is tuned for the metric where it can be.
METHODS = ("emco(0.1)", "emco(1)", "smote", "ros", "threshold({})", "threshold(emco(0.1), {})")
MEASURES = ("average_precision", "f1", "f2")


@dataclass
class Trial:
    """One contestant on one class of a data set."""

    dataset: str
    n_documents: int
    median_characters: int
    label: str
    n_training: int
    contestant: str
    average_precision: float
    f1: float
    f2: float
    training_cpu_s: float


def plain() -> dict[str, Pipeline]:
    """Return what one would put together from scikit-learn."""
    words = TfidfVectorizer(sublinear_tf=True)
    characters = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    logistic = LogisticRegression(class_weight="balanced", max_iter=1000)
    return {
        "LinearSVC": make_pipeline(TfidfVectorizer(), LinearSVC()),
        "balanced logistic regression": make_pipeline(TfidfVectorizer(), logistic),
        "LinearSVC, words and characters": make_pipeline(
            make_union(words, characters), LinearSVC()
        ),
    }


def trained(make: Callable[[], object]) -> tuple[object, float]:
    """Return a fitted model and the processor seconds that it took."""
    start = time.process_time()
    model = make()
    return model, time.process_time() - start


def scores(model: object, new: list[str], true: np.ndarray) -> dict[str, float]:
    """Score the decisions and the ranking of a fitted model."""
    values = model.decision_function(new)
    return binary_scores(true, model.predict(new), values)


def compared(
    train: list[str], y: np.ndarray, new: list[str], true: np.ndarray
) -> Iterator[tuple[str, tuple[float, float, float], float]]:
    """Yield contestant, (average precision, F1, F2) and training time on one class."""
    rare, seconds = trained(lambda: RareTextClassifier("f1", random_state=0).fit(train, y))
    f1, f2 = scores(rare, new, true), scores(rare.at("f2"), new, true)
    yield RARE, (f1["average_precision"], f1["f1"], f2["f2"]), seconds
    for name, pipeline in plain().items():
        model, seconds = trained(lambda pipeline=pipeline: pipeline.fit(train, y))
        result = scores(model, new, true)
        yield name, tuple(result[measure] for measure in MEASURES), seconds
        tuned = []
        for beta in (1, 2):
            scorer = make_scorer(fbeta_score, beta=beta, zero_division=0.0)
            search = TunedThresholdClassifierCV(pipeline, scoring=scorer)
            search, seconds = trained(lambda search=search: search.fit(train, y))
            tuned.append(fbeta_score(true, search.predict(new), beta=beta, zero_division=0.0))
        yield f"{name}, tuned", (result["average_precision"], *tuned), seconds
    for method in METHODS:
        results = []
        for metric in ("f1", "f2") if "{}" in method else ("f1",):
            model = ResampledClassifier(method.format(metric), pos_label=True, random_state=0)
            model, seconds = trained(lambda model=model: model.fit(train, y))
            results.append(scores(model, new, true))
        first, last = results[0], results[-1]
        yield method.format("f"), (first["average_precision"], first["f1"], last["f2"]), seconds


def rare_classes(labels: np.ndarray, train: np.ndarray, test: np.ndarray, most: int) -> list[str]:
    """Return rare classes, evenly spaced by size."""
    names, sizes = np.unique(labels[train], return_counts=True)
    kept = [
        name
        for size, name in sorted(zip(sizes.tolist(), names.tolist(), strict=True))
        if LEAST <= size <= LARGEST_SHARE * len(train) and (labels[test] == name).sum() >= LEAST
    ]
    return [kept[i] for i in np.linspace(0, len(kept) - 1, min(most, len(kept))).astype(int)]


def halves(title: str) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """Return documents and labels of a data set, the half to train on and the half to test on."""
    texts, labels = SETS[title]()
    order = np.random.default_rng(1).permutation(len(texts))
    return texts, np.array(labels), np.sort(order[::2]), np.sort(order[1::2])


def run(title: str, most: int) -> list[Trial]:
    """Return every contestant on some rare classes of a data set; none if the machine lacks it."""
    texts, labels, train, test = halves(title)
    if not texts:
        return []
    length = int(np.median([len(text) for text in texts]))
    learnt, new = [texts[i] for i in train], [texts[i] for i in test]
    return [
        Trial(
            title,
            len(texts),
            length,
            str(name),
            int((labels[train] == name).sum()),
            contestant,
            *(round(value, 4) for value in values),
            round(seconds, 3),
        )
        for name in rare_classes(labels, train, test, most)
        for contestant, values, seconds in compared(
            learnt, labels[train] == name, new, labels[test] == name
        )
    ]


def print_set(trials: list[Trial]) -> None:
    """Print one data set."""
    first = trials[0]
    values: dict[str, np.ndarray] = {
        contestant: np.array(
            [[getattr(t, m) for m in MEASURES] for t in trials if t.contestant == contestant]
        )
        for contestant in dict.fromkeys(t.contestant for t in trials)
    }
    sizes = [t.n_training for t in trials if t.contestant == RARE]
    print(
        f"\n{first.dataset}: {first.n_documents:,} documents of {first.median_characters:,} "
        f"characters, classes of {', '.join(map(str, sizes))} training documents"
    )
    print(f"{'':38}  average precision      F1      F2")
    for contestant, rows in sorted(values.items(), key=lambda item: -item[1].mean(axis=0)[0]):
        mean = rows.mean(axis=0)
        print(f"{contestant:38}{mean[0]:>19.3f}{mean[1]:>8.3f}{mean[2]:>8.3f}")
    best = np.max(list(values.values()), axis=0)
    for how, near in (("best", 0.0), (f"within {NEAR} of the best", NEAR)):
        n = (values[RARE] >= best - near).sum(axis=0)
        print(f"{f'{RARE} {how} in':38}{n[0]:>19}{n[1]:>8}{n[2]:>8}", flush=True)


def write(trials: list[Trial], path: Path) -> None:
    """Append a data set to the table."""
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, [f.name for f in fields(Trial)], lineterminator="\n")
        if is_new:
            table.writeheader()
        table.writerows(asdict(trial) for trial in trials)


def finished(path: Path) -> set[str]:
    """Return the data sets that the table has."""
    if not path.exists():
        return set()
    with path.open(newline="", encoding="utf-8") as file:
        return {row["dataset"] for row in csv.DictReader(file)}


def main() -> None:
    warnings.simplefilter("ignore")  # of modules that are leaving the standard library
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    parser = argparse.ArgumentParser()
    parser.add_argument("n_classes", type=int, nargs="?", default=6)
    parser.add_argument("datasets", nargs="*")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    path = options.out / "held_out_halves.csv" if options.out else None
    for title in options.datasets or SETS:
        if path and title in finished(path):
            print(f"\n{title}: in {path} already")
            continue
        trials = run(title, options.n_classes)
        if not trials:
            print(f"\n{title}: not on this machine")
            continue
        print_set(trials)
        if path:
            path.parent.mkdir(exist_ok=True)
            write(trials, path)


if __name__ == "__main__":
    main()
