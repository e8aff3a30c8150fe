"""RareTextClassifier on text that nobody tuned on, against what one would put together.

Three data sets that any machine with the package has or can have: docstrings of the standard
library by module, the embedded docstrings of NumPy, SciPy and scikit-learn by subpackage, and,
where the paper's data are, WordNet's glosses by lexicographer file. Half of each trains and half
tests. Printed are means over rare classes of average precision, F1 and F2, the decision made for F1
and for F2, and in how many classes RareTextClassifier is best.

    python benchmarks/rare_unseen.py [classes per data set]
"""

import inspect
import os
import sys
import warnings
import zipfile
from importlib import import_module
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from imbtext import MethodClassifier, RareTextClassifier
from imbtext.datasets import load_docstrings
from imbtext.evaluation.metrics import binary_scores

LEAST = 12


def standard_library() -> tuple[list[str], list[str]]:
    """Return the docstrings of the standard library's functions and classes, and their modules."""
    texts, labels, seen = [], [], set()
    for name in sorted(sys.stdlib_module_names):
        if name.startswith("_") or name in {"antigravity", "this", "idlelib", "turtledemo"}:
            continue
        try:
            module = import_module(name)
            values = [module, *(value for _, value in inspect.getmembers(module))]
        except Exception:  # what this machine lacks
            continue
        for value in values:
            for each in [value, *vars(value).values()] if inspect.isclass(value) else [value]:
                text = getattr(each, "__doc__", None)
                home = str(getattr(each, "__module__", name)).split(".")[0]
                if isinstance(text, str) and len(text) > 40 and text not in seen and home == name:
                    seen.add(text)
                    texts.append(text)
                    labels.append(name)
    return texts, labels


def glosses(data_home: str, n: int = 20_000) -> tuple[list[str], list[str]]:
    """Return definitions of WordNet and the lexicographer file of each, such as noun.food."""
    texts, labels = [], []
    with zipfile.ZipFile(Path(data_home) / "nltk_data/corpora/wordnet.zip") as archive:
        for part in ("noun", "verb", "adj", "adv"):
            for line in archive.read(f"wordnet/data.{part}").decode("latin-1").splitlines():
                if not line.startswith(" "):
                    labels.append(line.split()[1])
                    texts.append(line.split("|", 1)[1].strip())
    rows = np.random.default_rng(0).permutation(len(texts))[:n]
    return [texts[i] for i in rows], [labels[i] for i in rows]


def plain() -> dict[str, object]:
    """Return the classifiers that one would put behind a TfidfVectorizer."""
    svm, logistic = LinearSVC(), LogisticRegression(class_weight="balanced", max_iter=1000)
    return {"LinearSVC": svm, "balanced logistic regression": logistic}


def scores(model: object, new: list[str], true: np.ndarray) -> dict[str, float]:
    """Score the decisions and the ranking of a fitted model."""
    values = model.decision_function(new)
    return binary_scores(true, model.predict(new), values)


def compared(train: list[str], y: np.ndarray, new: list[str], true: np.ndarray) -> dict:
    """Return average precision, F1 and F2 of every contestant on one class."""
    found: dict[str, tuple[float, float, float]] = {}
    rare = RareTextClassifier("f1", random_state=0).fit(train, y)
    f1 = scores(rare, new, true)
    f2 = scores(rare.at("f2"), new, true)
    found["RareTextClassifier"] = (f1["average_precision"], f1["f1"], f2["f2"])
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
    for method in ("emco(0.1)", "smote", "threshold(emco(0.1), f2)"):
        model = MethodClassifier(method, positive=True, random_state=0).fit(train, y)
        got = scores(model, new, true)
        found[method] = (got["average_precision"], got["f1"], got["f2"])
    return found


def main() -> None:
    warnings.simplefilter("ignore")  # of modules that are leaving the standard library
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    sets = {"standard library": standard_library()}
    embedded = load_docstrings()
    sets["docstrings"] = (list(embedded.texts), list(embedded.labels))
    if "IMBTEXT_DATA" in os.environ:
        sets["glosses"] = glosses(os.environ["IMBTEXT_DATA"])
    for title, (texts, given) in sets.items():
        labels = np.array(given)
        order = np.random.default_rng(1).permutation(len(texts))
        train, test = np.sort(order[::2]), np.sort(order[1::2])
        names, sizes = np.unique(labels[train], return_counts=True)
        kept = names[(sizes >= LEAST) & (sizes <= 0.1 * len(train))].tolist()
        kept = [n for n in kept if (labels[test] == n).sum() >= LEAST]
        kept = [kept[i] for i in np.linspace(0, len(kept) - 1, min(most, len(kept))).astype(int)]
        rows = [
            compared(
                [texts[i] for i in train],
                labels[train] == name,
                [texts[i] for i in test],
                labels[test] == name,
            )
            for name in kept
        ]
        print(f"\n{title}: {len(texts):,} documents, {len(kept)} classes")
        print(f"{'':38}  average precision      F1      F2")
        means = {c: np.mean([row[c] for row in rows], axis=0) for c in rows[0]}
        for contestant, mean in sorted(means.items(), key=lambda item: -item[1][0]):
            print(f"{contestant:38}{mean[0]:>19.3f}{mean[1]:>8.3f}{mean[2]:>8.3f}")
        best = [
            sum(row["RareTextClassifier"][k] >= max(v[k] for v in row.values()) for row in rows)
            for k in range(3)
        ]
        print(f"{'RareTextClassifier is best in':38}{best[0]:>19}{best[1]:>8}{best[2]:>8}")


if __name__ == "__main__":
    main()
