"""Several exclusive classes: which rule gives a document its class, if thresholds are exceeded.

``python benchmarks/several_classes.py`` trains on half of the documents of each data set and
decides the other half by each rule and metric. It writes ``results/several_classes/rules.csv``:
accuracy, macro F1, and the mean F2 of the rare classes (at most 3% of the documents). The last
column is that F2 divided by that of one model per class, each of which decides by its own threshold
and leaves a document to others.

* most exceeded: the class whose threshold the score exceeds most (the rule until 2026);
* gain: (p - q) / (1 - q) of the classes that are exceeded, else the nearest in log odds;
* gain / sqrt(n): the same by the root of the class's training documents (the rule of the package);
* gain / n: the same by their number;
* likeliest: gain / sqrt(n), but the likeliest class if no threshold is exceeded. No threshold then
  keeps a class from getting documents, so a number of alarms cannot be promised.
"""

import argparse
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.metrics import accuracy_score, f1_score, fbeta_score

from imbtext import RareTextClassifier
from imbtext.datasets import load_20newsgroups, load_docstrings, load_huffpost

RESULTS = Path(__file__).parents[1] / "results" / "several_classes"
METRICS = [
    "f1",
    "f2",
    "balanced_accuracy",
    "cost(10, 1)",
    "recall_at_precision(0.9)",
    "precision_at_recall(0.9)",
    "alarms_per_thousand(5)",
]
POWERS = {"gain": 0.0, "gain / sqrt(n)": 0.5, "gain / n": 1.0, "likeliest": 0.5}
MOST = 6000


def data_sets():
    """Yield the name, texts and labels of each data set."""
    docstrings = load_docstrings()
    yield "docstrings", docstrings.texts, docstrings.labels
    for name, load in (("huffpost", load_huffpost), ("newsgroups", load_20newsgroups)):
        try:
            data = load()
        except OSError as error:
            print(f"{name} is not here: {error}")
            continue
        yield name, data.texts, data.labels


def decided(rule, scores, model):
    """Return the class that each document gets, as the number of its column."""
    fitted, thresholds = model.fitted_, model.thresholds_
    if rule == "most exceeded":
        return np.argmax(scores - thresholds, axis=1)
    p = fitted.calibration.probabilities(scores)
    q = fitted.calibration.probabilities(thresholds)
    sizes = np.array(fitted.training_record.class_sizes, float)
    gains = (p - q) / np.maximum(1 - q, 1e-12) / sizes ** POWERS[rule]
    nearest = fitted.calibration.slope * (scores - thresholds)
    below = p - 2 if rule == "likeliest" else np.minimum(nearest, 0)
    return np.argmax(np.where(scores > thresholds, gains + 1e-12, below), axis=1)


def main():
    """Run every rule on every data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    rows = []
    for name, texts, given in data_sets():
        labels = np.array([str(label) for label in given])
        generator = np.random.default_rng(seed)
        order = generator.permutation(len(labels))[:MOST]
        known, sizes = np.unique(labels[order[::2]], return_counts=True)
        kept = known[sizes >= 5]
        train, test = (part[np.isin(labels[part], kept)] for part in (order[::2], order[1::2]))
        model = RareTextClassifier(random_state=0)
        model.fit([texts[i] for i in train], labels[train])
        scores = model.fitted_.scored([texts[i] for i in test]).scores
        apart = RareTextClassifier(random_state=0)
        apart.fit([texts[i] for i in train], [{label} for label in labels[train]])
        true = labels[test]
        known_to = list(apart.classes_)
        shares = {label: (labels[train] == label).mean() for label in kept}
        rare = [label for label in kept if shares[label] <= 0.03]
        for metric in METRICS:
            moved = model.at(metric)
            own = (
                apart.fitted_.scored([texts[i] for i in test]).scores > apart.at(metric).thresholds_
            )
            alone = [
                fbeta_score(true == label, own[:, known_to.index(label)], beta=2, zero_division=0)
                for label in rare
            ]
            for rule in ("most exceeded", *POWERS):
                said = moved.classes_[decided(rule, scores, moved)]
                if rule == "gain / sqrt(n)":
                    predicted = moved.predict([texts[i] for i in test])
                    assert (said == predicted).all(), "the rule is no longer that of the package"
                f2 = fbeta_score(true, said, beta=2, average=None, labels=rare, zero_division=0)
                rows.append(
                    {
                        "data": name,
                        "classes": len(kept),
                        "rare": len(rare),
                        "metric": metric,
                        "rule": rule,
                        "accuracy": accuracy_score(true, said),
                        "macro_f1": f1_score(true, said, average="macro", zero_division=0),
                        "rare_f2": float(np.mean(f2)) if rare else float("nan"),
                        "of_one_each": np.mean(f2) / np.mean(alone) if rare else float("nan"),
                    }
                )
        print(pl.DataFrame(rows).filter(data=name, metric="f2"))
    table = pl.DataFrame(rows).with_columns(pl.selectors.float().round(4))
    RESULTS.mkdir(exist_ok=True)
    table.write_csv(RESULTS / "rules.csv")
    means = pl.selectors.float().fill_nan(None).mean()
    with pl.Config(tbl_rows=-1):
        print(table.group_by("metric", "rule", maintain_order=True).agg(means))


if __name__ == "__main__":
    main()
