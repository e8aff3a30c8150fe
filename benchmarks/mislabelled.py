"""How well `mislabelled` finds wrong labels, against cleanlab: flipped labels in real data.

    python benchmarks/mislabelled.py --out results/mislabelled

Of each task, 1, 5 and 10% of the labels are made wrong, in two ways: *anywhere* flips labels of
any documents, so that most wrong ones are outsiders in the class; *in the class* takes that share
of the class's documents out of it and puts as many others in. The task of all newsgroups gives
labels of any documents another class. Four ways rank all documents:

* ours: `mislabelled`;
* the rule of cleanlab on our probabilities: `cleanlab.filter.find_label_issues`, ranked by
  self-confidence, then all others by their label quality;
* the same rule on the probabilities of one firm ranking, those of `RareTextClassifier`;
* the same rule on its usual classifier: scikit-learn's tf-idf and logistic regression, five folds.

Average precision, and the precision among as many documents as there are flipped labels, and among
the first 20. The constants of `mislabelled` were chosen on other classes (grain, ship, gold and
sugar of Reuters; RELIGION, FIFTY and ARTS of HuffPost; sci.space and rec.autos of the newsgroups),
of the same sampled documents. Labels are flipped once per run, and means have no intervals.
Labels that were wrong before count as right, so no method reaches 1.
"""

import argparse
import csv
import warnings
from pathlib import Path

import numpy as np
from cleanlab.filter import find_label_issues
from cleanlab.rank import get_label_quality_scores
from scipy.special import expit
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from imbtext.datasets import load_20newsgroups, load_huffpost, load_reuters
from imbtext.documents import Documents
from imbtext.documents._folds import DealtFolds, deal_folds
from imbtext.documents._labels import Labels
from imbtext.features import get_features
from imbtext.quality._mislabelled import _judge, _TwoRankings
from imbtext.rare._ranking import N_FOLDS, Training
from imbtext.thresholds._calibration import calibrate

CLASSES = {
    "Reuters": (load_reuters, 5_000, ("crude", "coffee", "money-supply", "trade")),
    "HuffPost": (load_huffpost, 6_000, ("SCIENCE", "EDUCATION", "CRIME")),
    "newsgroups": (load_20newsgroups, 3_000, ("sci.med", "talk.religion.misc", "comp.graphics")),
}
RATES = (0.01, 0.05, 0.1)
METHODS = ("ours", "cleanlab, ours", "cleanlab, firm", "cleanlab, regression")
FIELDS = ("task", "class", "flips", "rate", "n_class", "n_flipped", "method")
SCORES = ("average precision", "precision at k", "precision at 20")


class Ranked:
    """The documents of a task, read once for all labels."""

    def __init__(self, texts):
        self.texts = texts
        self.documents = Documents.of(texts)
        self.vectors = get_features("auto", "english").learn(self.documents)

    def doubts(self, labels):
        """Return the doubt of each document by each method, the largest first."""
        one_vs_rest, members = Labels.of(labels, len(labels)).one_vs_rest()
        groups = self.documents.near_duplicates
        folds = deal_folds(members, len(labels), groups, N_FOLDS, 0)
        held_out = _TwoRankings.of(
            Training(self.vectors, members, DealtFolds(folds), None), 1, verbose=False
        )
        odds = held_out.log_odds(groups, exclusive=one_vs_rest.form == "multiclass")
        judged = _judge(one_vs_rest, members, odds)
        assert len(judged.indices) == len(labels)
        places = np.searchsorted(one_vs_rest.classes, labels)
        firm = []
        for c, rows in enumerate(members):
            is_class = np.isin(np.arange(len(labels)), rows)
            scores = held_out.firm[:, c].astype(float)
            firm.append(calibrate(scores, is_class, None, groups).probabilities(scores))
        regression = cross_val_predict(
            make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1_000)),
            self.texts,
            places,
            cv=StratifiedKFold(N_FOLDS, shuffle=True, random_state=0),
            method="predict_proba",
        )
        probabilities = one_vs_rest.probabilities
        return {
            "ours": judged.doubts + judged.is_likely,
            "cleanlab, ours": cleanlab(places, probabilities(expit(odds))),
            "cleanlab, firm": cleanlab(places, probabilities(np.column_stack(firm))),
            "cleanlab, regression": cleanlab(places, regression),
        }


def cleanlab(labels, probabilities):
    """Return cleanlab's ranking: its issues first, then all others."""
    doubts = 1 - get_label_quality_scores(labels, probabilities)
    issues = find_label_issues(
        labels, probabilities, return_indices_ranked_by="self_confidence", n_jobs=1
    )
    doubts[issues] += 1
    return doubts


def flip(labels, rate, where, generator):
    """Return labels of which some are wrong, and which."""
    classes = np.unique(labels)
    flipped = np.zeros(len(labels), bool)
    if where == "anywhere":
        flipped[generator.choice(len(labels), round(rate * len(labels)), replace=False)] = True
    else:
        inside = np.flatnonzero(labels == 1)
        n = max(1, round(rate * len(inside)))
        flipped[generator.choice(inside, n, replace=False)] = True
        flipped[generator.choice(np.flatnonzero(labels == 0), n, replace=False)] = True
    others = generator.integers(1, len(classes), len(labels))
    places = np.searchsorted(classes, labels)
    return classes[np.where(flipped, (places + others) % len(classes), places)], flipped


def score(doubts, flipped):
    """Return average precision, and precision among k and 20."""
    order = np.argsort(-doubts, kind="stable")
    first = flipped[order]
    return (
        average_precision_score(flipped, doubts),
        first[: flipped.sum()].mean(),
        first[:20].mean(),
    )


def tasks():
    """Yield the name of each task, its class, its documents and labels."""
    generator = np.random.default_rng(0)
    for name, (load, size, classes) in CLASSES.items():
        data = load()
        rows = generator.permutation(len(data.texts))[:size]
        ranked = Ranked([data.texts[row] for row in rows])
        for label in classes:
            yield name, label, ranked, data.in_class(label)[rows].astype(int)
        if name == "newsgroups":
            yield name, "all 20", ranked, np.array(data.labels)[rows]


def measure(path):
    """Write the scores of every task, as they come."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*FIELDS, *SCORES])
        for name, label, ranked, labels in tasks():
            for where in ("anywhere", "in the class"):
                if label == "all 20" and where != "anywhere":
                    continue
                for rate in RATES:
                    wrong, flipped = flip(labels, rate, where, np.random.default_rng(1))
                    n_class = "" if label == "all 20" else int(labels.sum())
                    for method, doubts in ranked.doubts(wrong).items():
                        about = [name, label, where, rate, n_class, int(flipped.sum()), method]
                        values = [f"{value:.4f}" for value in score(doubts, flipped)]
                        writer.writerow([*about, *values])
                    file.flush()


def table(rows, title, groups):
    """Return the means of some rows as a table of Markdown, one line per group."""
    lines = [f"| {title} | runs | " + " | ".join(METHODS) + " |", "|---|---:" + "|---:" * 4 + "|"]
    for name, chosen in groups.items():
        cells = []
        for method in METHODS:
            of_method = [row for row in rows if row["method"] == method and chosen(row)]
            means = [np.mean([float(row[column]) for row in of_method]) for column in SCORES]
            cells.append(" / ".join(f"{mean:.3f}" for mean in means))
        lines.append(f"| {name} | {len(of_method)} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def write_readme(folder):
    """Write the tables of the scores."""
    with (folder / "scores.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    by_rate = {
        f"{float(rate):.0%} flipped {where}": lambda row, rate=rate, where=where: (
            row["rate"] == rate and row["flips"] == where
        )
        for where in ("anywhere", "in the class")
        for rate in map(str, RATES)
    }
    by_task = {
        name: lambda row, name=name: row["task"] == name and row["class"] != "all 20"
        for name in CLASSES
    } | {"all 20 newsgroups": lambda row: row["class"] == "all 20"}
    everything = {"all": lambda _: True}
    text = f"""# Wrong labels found

`python benchmarks/mislabelled.py --out results/mislabelled` wrote this page; its first lines say
what it measures. "Firm" are the probabilities of `RareTextClassifier` alone. For all 20 newsgroups
they lack the share of the best other class that it subtracts, so that row favours ours. On the same
probabilities, our rule and cleanlab's give the same result up to rounding. Each cell is
{" / ".join(SCORES)}, the mean over runs; `scores.csv` has every run.

{table(rows, "share of wrong labels", by_rate | everything)}

{table(rows, "documents", by_task)}
"""
    (folder / "README.md").write_text(text)
    print(text)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder")
    parser.add_argument("--tables", action="store_true", help="write the tables again, no more")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    if not arguments.tables:
        measure(arguments.out / "scores.csv")
    write_readme(arguments.out)
