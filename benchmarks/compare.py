"""A comparison of five methods, and the same written by hand with pipelines, side by side.

Plain SVM, class weights, a threshold tuned for F1, random oversampling and SMOTE on 24,000 short
documents, one of whose classes makes up 2%: five folds, one core. By hand means what the
documentation of scikit-learn and imbalanced-learn advises: a pipeline per method, from text to
scores, resampled inside the fold. Both score the same folds; the mean F1 are printed beside each
other.

    OMP_NUM_THREADS=1 python benchmarks/compare.py [number of documents]
"""

import sys
import time

import numpy as np
import polars as pl
from imblearn.over_sampling import SMOTE, RandomOverSampler
from imblearn.pipeline import Pipeline
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import average_precision_score, f1_score
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV

from imbtext import compare
from imbtext.documents._folds import assign_folds
from imbtext.methods import default_classifier

METHODS = ["plain", "class-weight", "threshold(f1)", "ros", "smote"]
SHARE = 0.2
FOLDS = 5


def documents(n: int, seed: int = 0) -> tuple[list[str], NDArray[np.str_]]:
    """Return headlines, or what looks like them where the data set is not at hand."""
    random = np.random.default_rng(seed)
    try:
        from imbtext.datasets import load_huffpost

        news = load_huffpost()
        rows = random.permutation(len(news.texts))[:n]
        texts = [news.texts[row] for row in rows]
        labels = np.array([news.labels[row] for row in rows])
        rare = min(set(labels), key=lambda label: abs(np.mean(labels == label) - 0.02))
        return texts, np.where(labels == rare, "rare", "rest")
    except FileNotFoundError:
        weights = 1 / np.arange(1, 20_001)
        is_rare = random.random(n) < 0.02
        texts = []
        for belongs in is_rare:
            tilted = weights * (1 + 4 * belongs * (np.arange(20_000) % 50 == 0))
            words = random.choice(20_000, 10, p=tilted / tilted.sum())
            texts.append(" ".join(f"word{word}" for word in words))
        return texts, np.where(is_rare, "rare", "rest")


def by_hand(
    texts: list[str], members: NDArray[np.bool_], folds: NDArray[np.int16]
) -> dict[str, float]:
    """Return the mean F1 of each method, from a pipeline per method and fold."""
    documents = np.array(texts, dtype=object)
    scores: dict[str, list[float]] = {method: [] for method in METHODS}
    for fold in range(FOLDS):
        train, test = folds != fold, folds == fold
        n, m = int(train.sum()), int(members[train].sum())
        wanted = {True: m + int((SHARE * n - m) / (1 - SHARE))}
        for method in METHODS:
            classifier = default_classifier()
            classifier.set_params(random_state=0)
            steps = [("words", TfidfVectorizer()), ("classifier", classifier)]
            if method == "class-weight":
                classifier.set_params(class_weight="balanced")
            if method == "ros":
                steps.insert(1, ("sampler", RandomOverSampler(sampling_strategy=wanted)))
            if method == "smote":
                steps.insert(1, ("sampler", SMOTE(sampling_strategy=wanted)))
            model = Pipeline(steps)
            if method == "threshold(f1)":
                inner = StratifiedKFold(5, shuffle=True, random_state=0)
                model = TunedThresholdClassifierCV(model, scoring="f1", cv=inner)
            model.fit(documents[train], members[train])
            scores[method].append(f1_score(members[test], model.predict(documents[test])))
            ranking = model.decision_function if hasattr(model, "decision_function") else None
            if ranking is not None:
                average_precision_score(members[test], ranking(documents[test]))
    return {method: float(np.mean(found)) for method, found in scores.items()}


def main() -> None:
    """Print times, their ratio and the scores."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 24_000
    texts, y = documents(n)
    members = y == "rare"
    # Compiled code is compiled before the clock starts, as it is for anyone's second run.
    compare(texts[:2000], y[:2000], methods=METHODS, folds=2, repeats=1)
    start = time.process_time()
    # Folds that keep near-duplicates together would not be those of `assign_folds` below.
    found = compare(
        texts,
        y,
        methods=METHODS,
        metric="f1",
        folds=FOLDS,
        repeats=1,
        share=SHARE,
        group_duplicates=False,
    )
    ours = time.process_time() - start
    folds = assign_folds({"rare": members}, FOLDS, 1, seed=0).layouts[0][0]
    start = time.process_time()
    hand = by_hand(texts, members, folds)
    theirs = time.process_time() - start
    table = found.table().select("method", pl.col("f1").round(4))
    for method, score in table.rows():
        print(f"{method:15} F1 {score:.4f}, by hand {hand[method]:.4f}")
    print(
        f"{len(texts):,} documents: {ours:.1f} s, by hand {theirs:.1f} s, "
        f"{theirs / ours:.1f} times as long"
    )


if __name__ == "__main__":
    main()
