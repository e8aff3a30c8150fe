"""ThresholdClassifier on any classifier: does its promise hold, and which rule serves better.

    python benchmarks/thresholds.py [REPETITIONS] [--sizes 10 40 160] [--classes CRIME]
        [--only LinearSVC "logistic regression"] [--timed 3] [--out results/thresholds]

2,000 HuffPost headlines are drawn anew for each of REPETITIONS (5), with 10, 20, 40, 80 or 160 of a
class: CRIME, RELIGION or TRAVEL. Contestants read words (TF-IDF) or vectors of the words' meanings
(wordllama). *callable* is a function that trains on texts and returns a function that scores texts,
as SetFit and its like are used; its held-out scores go to `ThresholdClassifier.of_scores`. It also
runs with 20 folds instead of 5, and on vectors of length 1. LightGBM runs if it is installed, and
RareTextClassifier beside all of them. With --only, the rows that FOLDER has of the others stay. The
truth comes from up to 1,500
other headlines of the class and 8,000 of the rest, weighted so that the class is as frequent as in
training.

Printed are, for each contestant, how often the 95% intervals contain the truth and how much more is
promised than comes true, for F1, F2, balanced accuracy and ``cost(10, 1)``; then how much longer
`fit` takes than `cross_val_predict` and one more fit (processor time, both of one thread), in the
first draws of each class and size (--timed). Then, by number of documents of the class: what the
threshold of either rule gives on new documents, relative to the best threshold for these. For a
cost, where less is better, it is the best over what the threshold costs.
"""

import argparse
import time
import warnings
from collections import defaultdict
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from imbtext import RareTextClassifier, ThresholdClassifier
from imbtext.datasets import load_huffpost
from imbtext.features._meaning import Meaning
from imbtext.metrics import Confusion, get_goal

SIZES, CLASSES = (10, 20, 40, 80, 160), ("CRIME", "RELIGION", "TRAVEL")
N_TRAINING, N_CLASS, N_REST, LEAST_ALARMS = 2_000, 1_500, 8_000, 15
METRICS = ("f1", "f2", "balanced_accuracy", "cost(10, 1)")
RULES = ("pooled", "mean of folds")
# The rules are not compared on these: no ThresholdClassifier, or the same one again.
ASIDE = ("RareTextClassifier", "callable, 20 folds", "callable, length 1")


def contestants():
    """Return name, what it reads, the classifier and how many folds there are."""
    words = {"sublinear_tf": True}
    found = {
        "LinearSVC": ("texts", make_pipeline(TfidfVectorizer(**words), LinearSVC()), 5),
        "logistic regression": (
            "texts",
            make_pipeline(TfidfVectorizer(**words), LogisticRegression(C=10, max_iter=500)),
            5,
        ),
        "random forest": ("vectors", RandomForestClassifier(30, random_state=0), 5),
        "callable": ("vectors", None, 5),
        "callable, 20 folds": ("vectors", None, 20),
        "callable, length 1": ("unit vectors", None, 5),
        "RareTextClassifier": ("texts", RareTextClassifier(features="words", pos_label=1), 5),
    }
    try:
        from lightgbm import LGBMClassifier
    except ImportError:
        return found
    booster = LGBMClassifier(n_estimators=50, num_leaves=7, n_jobs=1, random_state=0, verbose=-1)
    return found | {"LightGBM": ("vectors", booster, 5)}


def trained(vectors, y):
    """Train a head on vectors, as SetFit does after its encoder; return what scores vectors."""
    head = LogisticRegression(max_iter=500, class_weight="balanced").fit(vectors, y)
    return head.decision_function


def fitted(classifier, n_folds, X, y, seed, timed):
    """Return the model, what turns documents into what it scores, and processor seconds.

    These are of plain cross-validation, NaN where it is not timed, and of the model's fit.
    """
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    started = time.process_time()
    if classifier is None:
        held_out = np.zeros(len(y))
        of_folds = np.zeros(len(y), int)
        for number, (learnt, tested) in enumerate(folds.split(X, y)):
            held_out[tested], of_folds[tested] = trained(X[learnt], y[learnt])(X[tested]), number
        score, plain = trained(X, y), time.process_time() - started
        model = ThresholdClassifier.of_scores(held_out, y, of_folds, pos_label=1, random_state=seed)
        return model, score, plain, time.process_time() - started
    if isinstance(classifier, RareTextClassifier):
        model = clone(classifier).set_params(random_state=seed).fit(list(X), y)
        return model, list, np.nan, np.nan
    plain = np.nan
    if timed:
        method = "predict_proba" if hasattr(classifier, "predict_proba") else "decision_function"
        cross_val_predict(classifier, X, y, cv=folds, method=method)
        classifier.fit(X, y)
        plain = time.process_time() - started
    started = time.process_time()
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


def measured(n_repetitions, sizes, classes, only, n_timed):
    """Yield a table of each repetition."""
    data = load_huffpost("titles")
    texts, encode = np.array(data.texts, dtype=object), Meaning()
    compete = {name: of for name, of in contestants().items() if not only or name in only}
    for repetition in range(n_repetitions):
        rows = []
        for name, size in product(classes, sizes):
            is_class = data.in_class(name)
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
            seen["unit vectors"] = tuple(map(normalize, seen["vectors"]))
            for contestant, (reads, classifier, n_folds) in compete.items():
                X, X_new = seen[reads]
                is_timed = repetition < n_timed
                model, score, plain, ours = fitted(classifier, n_folds, X, y, repetition, is_timed)
                scores = model._threshold_state().scores_of(score(X_new))[:, 0]
                for rule in RULES if isinstance(model, ThresholdClassifier) else RULES[:1]:
                    model.rule = rule
                    for metric in METRICS:
                        at = model.at(metric)
                        threshold = float(at._threshold_state().point.thresholds[0])
                        put, (expected,) = scores > threshold, at.expectation_
                        found, alarms = weights[put] @ truth[put], weights[put].sum()
                        precision = found / alarms if put.sum() >= LEAST_ALARMS else np.nan
                        value = worth(get_goal(metric), scores, truth, weights, threshold)
                        setting = (contestant, name, size, repetition, rule, metric)
                        promises = (
                            *compared(expected.recall, found / share),
                            *compared(expected.precision, precision),
                        )
                        rows.append((*setting, *promises, value, plain, ours))
            print(f"draw {repetition + 1}, {name}, {size} documents", flush=True)
        names = ["contestant", "class", "size", "draw", "rule", "metric", "recall_covered",
                 "recall_off", "precision_covered", "precision_off", "worth", "plain_seconds",
                 "seconds"]  # fmt: skip
        yield pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)


def compared(interval, truth):
    """Return whether an interval contains the truth, and by how much its mean is too high."""
    if np.isnan([truth, interval.mean]).any():
        return None, None
    return float(interval.lower <= truth <= interval.upper), interval.mean - truth


def promise(part):
    """Return how many intervals there are, how often they held the truth, how far they were off."""
    kept = (
        f"{part[f'{of}_covered'].mean():.3f} | {part[f'{of}_off'].mean():+.3f}"
        for of in ("recall", "precision")
    )
    return f"{len(part)} | " + " | ".join(kept)


def summary(table):
    """Print the tables of the results."""
    sizes = sorted(table["size"].unique().to_list())
    shown_sizes = " | ".join(map(str, sizes))
    columns = "recall covered | promised too much | precision covered | promised too much"
    print(f"\n| classifier | intervals | {columns} | overhead |\n|---|" + "--:|" * 6)
    pooled = table.filter(rule="pooled")
    for (contestant,), part in pooled.group_by("contestant", maintain_order=True):
        timed = part.filter(pl.col("plain_seconds").is_not_nan())
        overhead = ""
        if len(timed):
            overhead = f"{timed['seconds'].sum() / timed['plain_seconds'].sum() - 1:.0%}"
        print(f"| {contestant} | {promise(part)} | {overhead} |")
    for number in ("recall", "precision"):
        print(f"\n| {number} covered | {shown_sizes} |\n|---|" + "--:|" * len(sizes))
        for (contestant,), part in pooled.group_by("contestant", maintain_order=True):
            covered = (part.filter(size=size)[f"{number}_covered"].mean() for size in sizes)
            print(f"| {contestant} | " + " | ".join(f"{share:.3f}" for share in covered) + " |")
    print(f"\n| metric | rule | {shown_sizes} |\n|---|---|" + "--:|" * len(sizes))
    values = defaultdict(dict)
    plain = table.filter(~pl.col("contestant").is_in(ASIDE))
    for (metric, rule, size), part in plain.group_by("metric", "rule", "size"):
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
    parser.add_argument("--timed", type=int, default=3)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    path = None if options.out is None else options.out / "thresholds.csv"
    others, tables = [], []
    if options.only and path is not None and path.exists():
        others = [pl.read_csv(path).filter(~pl.col("contestant").is_in(list(options.only)))]
    for table in measured(
        options.repetitions, options.sizes, options.classes, options.only, options.timed
    ):
        tables.append(table.with_columns(pl.col(pl.Float64).round(4)))
        if path is not None:
            options.out.mkdir(exist_ok=True)
            pl.concat([*others, *tables]).write_csv(path)
    summary(pl.concat([*others, *tables]))
