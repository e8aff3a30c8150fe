"""RareTextClassifier on text that nobody tuned on, against what one would put together.

The data sets of benchmarks/unseen_sets.py: short and long, in several languages, with few and many
documents. Half of each trains and half tests, and nothing is chosen by what comes out here. For
each set some rare classes, of five training documents up to a tenth of all, evenly spaced by size.
Printed are means over them of average precision, F1 and F2, the decision made for F1 and for F2
where a contestant can be told, and in how many classes RareTextClassifier is best or within .005 of
the best.

    python benchmarks/rare_unseen.py [classes per data set] [data set ...]
"""

import os
import sys
import time
import warnings

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from imbtext import MethodClassifier, RareTextClassifier
from imbtext.metrics import binary_scores
from unseen_sets import SETS

LEAST, LARGEST_SHARE, NEAR = 5, 0.1, 0.005
RARE = "RareTextClassifier"
# Of each family of methods one that is told the metric where it can be.
METHODS = ("emco(0.1)", "emco(1)", "smote", "ros", "threshold({})", "threshold(emco(0.1), {})")
Found = dict[str, tuple[float, float, float]]


def plain() -> dict[str, object]:
    """Return the classifiers that one would put behind a TfidfVectorizer."""
    svm, logistic = LinearSVC(), LogisticRegression(class_weight="balanced", max_iter=1000)
    return {"LinearSVC": svm, "balanced logistic regression": logistic}


def scores(model: object, new: list[str], true: np.ndarray) -> dict[str, float]:
    """Score the decisions and the ranking of a fitted model."""
    values = model.decision_function(new)
    return binary_scores(true, model.predict(new), values)


def compared(train: list[str], y: np.ndarray, new: list[str], true: np.ndarray) -> Found:
    """Return average precision, F1 and F2 of every contestant on one class."""
    found: Found = {}
    rare = RareTextClassifier("f1", random_state=0).fit(train, y)
    f1 = scores(rare, new, true)
    f2 = scores(rare.at("f2"), new, true)
    found[RARE] = (f1["average_precision"], f1["f1"], f2["f2"])
    for name, classifier in plain().items():
        model = make_pipeline(TfidfVectorizer(), classifier).fit(train, y)
        got = scores(model, new, true)
        found[name] = (got["average_precision"], got["f1"], got["f2"])
        tuned = []
        for beta in (1, 2):
            scorer = make_scorer(fbeta_score, beta=beta, zero_division=0.0)
            model = TunedThresholdClassifierCV(
                make_pipeline(TfidfVectorizer(), classifier), scoring=scorer
            ).fit(train, y)
            predicted = model.predict(new)
            tuned.append(fbeta_score(true, predicted, beta=beta, zero_division=0.0))
        found[f"{name}, tuned"] = (got["average_precision"], *tuned)
    for method in METHODS:
        got = [
            scores(
                MethodClassifier(method.format(metric), pos_label=True, random_state=0).fit(
                    train, y
                ),
                new,
                true,
            )
            for metric in (("f1", "f2") if "{}" in method else ("f1",))
        ]
        found[method.format("f")] = (got[0]["average_precision"], got[0]["f1"], got[-1]["f2"])
    return found


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
    texts, given = SETS[title]()
    order = np.random.default_rng(1).permutation(len(texts))
    return texts, np.array(given), np.sort(order[::2]), np.sort(order[1::2])


def tell(title: str, texts: list[str], sizes: list[int], rows: list[Found], taken: float) -> None:
    """Print one data set."""
    length = int(np.median([len(text) for text in texts]))
    print(
        f"\n{title}: {len(texts):,} documents of {length:,} characters, classes of "
        f"{', '.join(map(str, sizes))} training documents ({taken:.0f} s)"
    )
    print(f"{'':38}  average precision      F1      F2")
    means = {c: np.mean([row[c] for row in rows], axis=0) for c in rows[0]}
    for contestant, mean in sorted(means.items(), key=lambda item: -item[1][0]):
        print(f"{contestant:38}{mean[0]:>19.3f}{mean[1]:>8.3f}{mean[2]:>8.3f}")
    for how, near in (("best", 0.0), (f"within {NEAR} of the best", NEAR)):
        best = [
            sum(row[RARE][k] >= max(found[k] for found in row.values()) - near for row in rows)
            for k in range(3)
        ]
        print(f"{f'{RARE} {how} in':38}{best[0]:>19}{best[1]:>8}{best[2]:>8}")
    sys.stdout.flush()


def main() -> None:
    warnings.simplefilter("ignore")  # of modules that are leaving the standard library
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 6
    for title in sys.argv[2:] or SETS:
        start = time.perf_counter()
        texts, labels, train, test = halves(title)
        if not texts:
            print(f"\n{title}: not on this machine")
            continue
        kept = rare_classes(labels, train, test, most)
        learnt, new = [texts[i] for i in train], [texts[i] for i in test]
        rows = [compared(learnt, labels[train] == n, new, labels[test] == n) for n in kept]
        sizes = [int((labels[train] == name).sum()) for name in kept]
        tell(title, texts, sizes, rows, time.perf_counter() - start)


if __name__ == "__main__":
    main()
