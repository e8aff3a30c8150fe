"""ThresholdClassifier on any classifier: does its promise hold, and which rule serves better.

    python benchmarks/thresholds.py [REPETITIONS] [--sizes 10 40 160] [--classes CRIME]
        [--only LinearSVC "logistic regression"] [--out results/thresholds]

2,000 HuffPost headlines are drawn anew for each of REPETITIONS (5), with 10, 20, 40, 80 or 160 of a
class: CRIME, RELIGION or TRAVEL. Contestants read words (TF-IDF) or vectors of the words' meanings
(wordllama). *callable* is a function that trains on texts and returns a function that scores texts,
as SetFit and its like are used; its held-out scores go to `ThresholdClassifier.of_scores`. LightGBM
runs if it is installed. The truth comes from up to 1,500 other headlines of the class and 8,000 of
the rest, weighted so that the class is as frequent as in training.

Printed are, for each contestant, how often the 95% intervals contain the truth, and how much longer
`fit` takes than `cross_val_predict` and one more fit (processor time, both of one thread). Then, by
number of documents of the class: what the threshold of either rule gives on new documents, relative
to the best threshold for these, for F1, F2, balanced accuracy and ``cost(10, 1)``. For a cost,
where less is better, it is the best over what the threshold costs.
"""

import argparse
import time
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from imbtext import ThresholdClassifier
from imbtext.datasets import load_huffpost
from imbtext.features._meaning import Meaning
from imbtext.metrics import Confusion, get_goal

SIZES, CLASSES = (10, 20, 40, 80, 160), ("CRIME", "RELIGION", "TRAVEL")
N_TRAINING, N_CLASS, N_REST, LEAST_ALARMS = 2_000, 1_500, 8_000, 15
METRICS = ("f1", "f2", "balanced_accuracy", "cost(10, 1)")
RULES = ("pooled", "mean of folds")


def contestants():
    """Return name, what it reads and the classifier."""
    words = {"sublinear_tf": True}
    found = {
        "LinearSVC": ("texts", make_pipeline(TfidfVectorizer(**words), LinearSVC())),
        "logistic regression": (
            "texts",
            make_pipeline(TfidfVectorizer(**words), LogisticRegression(C=10, max_iter=500)),
        ),
        "random forest": ("vectors", RandomForestClassifier(50, random_state=0)),
        "callable": ("vectors", None),
    }
    try:
        from lightgbm import LGBMClassifier
    except ImportError:
        return found
    booster = LGBMClassifier(n_estimators=50, n_jobs=1, random_state=0, verbose=-1)
    return found | {"LightGBM": ("vectors", booster)}


def trained(vectors, y):
    """Train a head on vectors, as SetFit does after its encoder; return what scores vectors."""
    head = LogisticRegression(max_iter=500, class_weight="balanced").fit(vectors, y)
    return head.decision_function


def fitted(classifier, X, y, seed):
    """Return the model, and the processor seconds of its fit and of plain cross-validation."""
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    started = time.process_time()
    if classifier is None:
        held_out = np.zeros(len(y))
        of_folds = np.zeros(len(y), int)
        for number, (learnt, tested) in enumerate(folds.split(X, y)):
            held_out[tested], of_folds[tested] = trained(X[learnt], y[learnt])(X[tested]), number
        score, plain = trained(X, y), time.process_time() - started
        model = ThresholdClassifier.of_scores(held_out, y, of_folds, pos_label=1, random_state=seed)
        return model, score, plain, time.process_time() - started
    method = "predict_proba" if hasattr(classifier, "predict_proba") else "decision_function"
    cross_val_predict(classifier, X, y, cv=folds, method=method)
    classifier.fit(X, y)
    plain, started = time.process_time() - started, time.process_time()
    model = ThresholdClassifier(classifier, cv=folds, pos_label=1).fit(X, y)
    return model, (lambda new: new), plain, time.process_time() - started


def worth(goal, scores, y, weights, threshold):
    """Return the value of a threshold relative to the best, from 0 to 1."""
    order = np.argsort(-scores)
    counted = [np.append(0.0, np.cumsum(weights[order] * of[order])) for of in (y, 1 - y)]
    every = goal.value(Confusion(*counted, counted[0][-1], counted[1][-1]))
    here = float(np.asarray(every)[np.count_nonzero(scores > threshold)])
    best = float(np.max(every))
    return best / here if best < 0 else here / best  # a cost is negative


def measured(n_repetitions, sizes, classes, only):
    data = load_huffpost("titles")
    texts, encode = np.array(data.texts, dtype=object), Meaning()
    rows, kept = [], contestants()
    kept = {name: of for name, of in kept.items() if not only or name in only}
    for name in classes:
        is_class = data.in_class(name)
        for size, repetition in ((s, r) for s in sizes for r in range(n_repetitions)):
            generator = np.random.default_rng([size, repetition, len(name)])
            of_class, others = (
                generator.permutation(np.flatnonzero(m)) for m in (is_class, ~is_class)
            )
            train = np.concatenate([of_class[:size], others[: N_TRAINING - size]])
            train = generator.permutation(train)
            new = np.concatenate([of_class[size:][:N_CLASS], others[N_TRAINING:][:N_REST]])
            y, truth = is_class[train].astype(int), is_class[new].astype(int)
            share = size / N_TRAINING
            weights = np.where(truth == 1, share / truth.sum(), (1 - share) / (1 - truth).sum())
            seen = {"texts": (texts[train], texts[new])}
            seen["vectors"] = tuple(encode(list(part)) for part in seen["texts"])
            for contestant, (reads, classifier) in kept.items():
                X, X_new = seen[reads]
                model, score, plain, ours = fitted(classifier, X, y, repetition)
                scores = model._scores(score(X_new))[:, 0]
                for rule in RULES:
                    model.rule = rule
                    for metric in METRICS:
                        at = model.at(metric)
                        threshold = float(at._point.thresholds[0])
                        put, (expected,) = scores > threshold, at.expectation_
                        found, alarms = weights[put] @ truth[put], weights[put].sum()
                        recall, precision = found / share, found / alarms if alarms else np.nan
                        if put.sum() < LEAST_ALARMS:
                            precision = np.nan
                        inside = [
                            None if np.isnan(is_so) else of.lower <= is_so <= of.upper
                            for of, is_so in (
                                (expected.recall, recall),
                                (expected.precision, precision),
                            )
                        ]
                        value = worth(get_goal(metric), scores, truth, weights, threshold)
                        rows.append(
                            (contestant, name, size, rule, metric, *inside, value, plain, ours)
                        )
            print(f"{name}, {size} documents, draw {repetition + 1}", flush=True)
    names = ["contestant", "class", "size", "rule", "metric", "recall_covered",
             "precision_covered", "worth", "plain_seconds", "seconds"]  # fmt: skip
    return pl.DataFrame(rows, schema=names, orient="row")


def summary(table):
    """Print the tables of the results."""
    sizes = sorted(table["size"].unique().to_list())
    print("\n| classifier | recall covered | precision covered | overhead |")
    print("|---|--:|--:|--:|")
    pooled = table.filter(rule="pooled")
    for (contestant,), part in pooled.group_by("contestant", maintain_order=True):
        overhead = part["seconds"].sum() / part["plain_seconds"].sum() - 1
        covered = (part[f"{of}_covered"].mean() for of in ("recall", "precision"))
        print(
            f"| {contestant} | " + " | ".join(f"{c:.3f}" for c in covered) + f" | {overhead:.0%} |"
        )
    print("\n| documents | recall covered | precision covered |\n|--:|--:|--:|")
    for (size,), part in pooled.group_by("size", maintain_order=True):
        covered = (part[f"{of}_covered"].mean() for of in ("recall", "precision"))
        print(f"| {size} | " + " | ".join(f"{c:.3f}" for c in covered) + " |")
    print(
        "\n| metric | rule | " + " | ".join(map(str, sizes)) + " |\n|---|---|" + "--:|" * len(sizes)
    )
    values = defaultdict(dict)
    for (metric, rule, size), part in table.group_by("metric", "rule", "size"):
        values[metric, rule][size] = part["worth"].mean()
    for metric in METRICS:
        for rule in RULES:
            of_sizes = " | ".join(f"{values[metric, rule][size]:.3f}" for size in sizes)
            print(f"| {metric} | {rule} | {of_sizes} |")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repetitions", nargs="?", type=int, default=5)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--classes", nargs="+", default=CLASSES)
    parser.add_argument("--only", nargs="+", default=())
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    found = measured(options.repetitions, options.sizes, options.classes, options.only)
    summary(found)
    if options.out is not None:
        options.out.mkdir(exist_ok=True)
        rounded = found.with_columns(pl.col(pl.Float64).round(4))
        rounded.write_csv(options.out / "thresholds.csv")
