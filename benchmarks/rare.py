"""What RareTextClassifier costs, beside scikit-learn's tuned logistic regression, in one run.

Fitting one class, tuning included; fitting all classes of Reuters; predicting; and the memory that
a million documents take. Ratios are what counts: both sides run one after the other on one core.

    python benchmarks/rare.py [reuters] [huffpost] [docstrings] [classes] [predict] [million]
"""

import os
import re
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import Stemmer
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.pipeline import FeatureUnion, make_pipeline

from imbtext import RareTextClassifier
from imbtext.datasets import load_docstrings, load_huffpost, load_reuters

PARTS = ("reuters", "huffpost", "docstrings", "classes", "predict", "million")
warnings.simplefilter("ignore", ConvergenceWarning)


def tuned() -> TunedThresholdClassifierCV:
    """Return what is beaten."""
    logistic = LogisticRegression(class_weight="balanced")
    return TunedThresholdClassifierCV(make_pipeline(TfidfVectorizer(), logistic))


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def one_class(title: str, texts: list[str], y: np.ndarray) -> None:
    """Fit one class both ways and print the ratio."""
    ours = seconds(lambda: RareTextClassifier("balanced_accuracy", random_state=0).fit(texts, y))
    theirs = seconds(lambda: tuned().fit(texts, y))
    print(
        f"{title}: one class of {int(y.sum()):,} among {len(texts):,}: {ours:.1f} s, tuned "
        f"logistic regression {theirs:.1f} s, ratio {ours / theirs:.2f}",
        flush=True,
    )


def reuters() -> tuple[list[str], np.ndarray, tuple[str, ...]]:
    data = load_reuters("full")
    rows = data.train
    labels = np.column_stack([data.in_class(name) for name in data.classes])
    return [data.texts[i] for i in rows], labels[rows], data.classes


def all_classes(n_sampled: int = 4) -> None:
    """Fit all classes of Reuters at once, and some of them one by one."""
    texts, labels, _ = reuters()
    ours = seconds(lambda: RareTextClassifier(random_state=0).fit(texts, labels * 1))
    sampled = np.flatnonzero(labels.sum(axis=0) >= 5)
    sampled = sampled[np.linspace(0, len(sampled) - 1, n_sampled).astype(int)]
    each = np.mean([seconds(lambda c=c: tuned().fit(texts, labels[:, c])) for c in sampled])
    theirs = each * labels.shape[1]
    print(
        f"Reuters: all {labels.shape[1]} classes: {ours:.0f} s, class by class {theirs:.0f} s "
        f"(from {n_sampled} classes of {each:.1f} s), {theirs / ours:.0f} times faster",
        flush=True,
    )


def same_features() -> FeatureUnion:
    """Return scikit-learn's vectorizers of the features that are the default here."""
    stem = Stemmer.Stemmer("english").stemWord

    def analyze(text: str) -> list[str]:
        words = re.findall(r"[^\W\d_]+", text.lower())
        words = [stem(word) for word in words if len(word) > 1]
        return words + [f"{a} {b}" for a, b in pairwise(words)]

    grams = {"analyzer": "char_wb", "ngram_range": (4, 4)}
    return FeatureUnion(
        [
            ("words", TfidfVectorizer(analyzer=analyze, sublinear_tf=True)),
            ("characters", TfidfVectorizer(**grams, sublinear_tf=True)),
        ]
    )


def predicting() -> None:
    """Predict, against vectorizing alone with the same features."""
    data = load_reuters("full")
    train, test = [data.texts[i] for i in data.train], [data.texts[i] for i in data.test]
    y = data.in_class("grain")[data.train]
    for features, vectorizer in (
        ("auto", same_features()),
        ("characters", TfidfVectorizer(analyzer="char_wb", ngram_range=(4, 4))),
        ("words", TfidfVectorizer()),
    ):
        model = RareTextClassifier(features=features, random_state=0).fit(train, y)
        vectorizer.fit(train)
        model.predict(test[:10])
        ours = seconds(lambda m=model: m.predict(test))
        theirs = seconds(lambda v=vectorizer: v.transform(test))
        print(
            f"Predicting, features {features}: {len(test) / ours:,.0f} documents per second, "
            f"scikit-learn's transform alone {len(test) / theirs:,.0f}, ratio {ours / theirs:.2f}",
            flush=True,
        )


def million(n: int = 1_000_000) -> None:
    """Train on a million documents of 30 words and print the peak memory of the process."""
    generator = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(60_000)], dtype=object)
    shares = 1 / (np.arange(len(words)) + 10.0)
    shares /= shares.sum()
    texts = []
    for _ in range(n // 10_000):
        drawn = words[generator.choice(len(words), size=(10_000, 30), p=shares)]
        texts += [" ".join(row) for row in drawn.tolist()]
    y = np.array([" w50 " in text and " w3 " in text for text in texts])
    taken = seconds(lambda: RareTextClassifier(random_state=0).fit(texts, y))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"{n:,} documents of 30 words, {int(y.sum()):,} of the class: {taken:.0f} s, at most "
        f"{peak:.1f} GiB, the documents included",
        flush=True,
    )


def main() -> None:
    parts = sys.argv[1:] or PARTS
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    # Compiled once for all: for a class, and for many.
    for y in ([1, 1, 0, 0] * 3, np.tile(np.eye(4, dtype=int), (3, 2))):
        RareTextClassifier(random_state=0).fit(["oil up", "oil", "rain", "sun"] * 3, y)
    if "reuters" in parts:
        texts, labels, names = reuters()
        one_class("Reuters", texts, labels[:, names.index("copper")])
    if "huffpost" in parts:
        data = load_huffpost("titles")
        one_class("HuffPost headlines", list(data.texts), data.in_class("LATINO VOICES"))
    if "docstrings" in parts:
        data = load_docstrings()
        one_class("Docstrings", list(data.texts), data.in_class("scipy.sparse"))
    if "classes" in parts:
        all_classes()
    if "predict" in parts:
        predicting()
    if "million" in parts:
        if parts == ["million"]:
            million()
        else:  # a process of its own, so that its peak is its own
            subprocess.run([sys.executable, __file__, "million"], check=True)


if __name__ == "__main__":
    main()
