"""How the constants of RareTextClassifier were chosen: on training documents alone.

The *training* side of a data set is cut into five folds, near-duplicates kept together. Every
alternative ranks the held-out training documents; printed is the average precision, averaged over
rare classes of at least five training documents (at most sixteen, evenly spaced by size), and at
the end the mean difference from what was chosen. No test document is read. Data sets are those of
the paper and those of benchmarks/machine_texts.py; docs/guides/train_and_predict.md states what
came out.

    PYTHONPATH=. python benchmarks/rare_constants.py [data set ...]
"""

import re
import sys
import warnings
from collections import defaultdict

import numpy as np
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.metrics import average_precision_score

from held_out_halves import halves, rare_classes
from imbtext.documents import Documents
from imbtext.documents._duplicates import near_duplicate_groups
from imbtext.documents._folds import deal_folds
from imbtext.features import TextFeatures
from imbtext.features._terms import idf_weights
from imbtext.rare._ranking import BLEND, MOST_CLASSES, SVM_C, fit_rankings
from machine_texts import SETS
from paper.experiments import EXPERIMENTS
from paper.splits import raw_splits

LEAST, RARE = 5, 0.15
NAMES = (
    "reuters-titles",
    "huffpost-titles-5fold",
    "docstrings",
    "standard library",
    "glosses",
    "Debian packages",
    "fortunes",
    "changes",
    "conversations by topic",
    "conversations by language",
    "German messages",
    "Russian messages",
)
STOPWORDS = re.compile(rf"\b(?:{'|'.join(sorted(ENGLISH_STOP_WORDS))})\b", re.IGNORECASE)
CHOSEN = f"chosen: auto, english, blend {BLEND}, cost {SVM_C}"
Members = list[np.ndarray]


class Case:
    """The training documents of a data set, some rare classes and folds."""

    def __init__(self, texts: list[str], members: Members) -> None:
        self.texts, self.members = texts, members
        groups = near_duplicate_groups(Documents.of(texts).corpus())
        self.folds = deal_folds(members, len(texts), groups, n_folds=5, seed=0)

    @classmethod
    def of(cls, name: str) -> "Case":
        """Read a data set by its name."""
        if name in SETS:
            texts, labels, train, test = halves(name)
            kept = rare_classes(labels, train, test, MOST_CLASSES)
            return cls(
                [texts[i] for i in train], [np.flatnonzero(labels[train] == k) for k in kept]
            )
        split = next(iter(raw_splits(EXPERIMENTS[name])[0]))
        sizes = split.train_labels.sum(axis=0)
        rare = [c for c in np.argsort(sizes) if sizes[c] >= LEAST and split.shares[c] < RARE]
        rare = rare[:: -(-len(rare) // MOST_CLASSES)]
        return cls(
            list(split.train_texts), [np.flatnonzero(split.train_labels[:, c]) for c in rare]
        )

    def precision(
        self,
        features: TextFeatures,
        constants: list[tuple[float, float, int]],
        texts: list[str] | None = None,
    ) -> list[float]:
        """Return the mean average precision of held-out documents per blend, cost and least."""
        terms = features.learn(Documents.of(self.texts if texts is None else texts)).terms
        found = []
        for blend, cost, least in constants:
            scores = np.zeros((len(self.texts), len(self.members)))
            for fold in range(int(self.folds.max()) + 1):
                test, rows = (
                    np.flatnonzero((self.folds == fold) == held) for held in (True, False)
                )
                frequencies = terms.frequencies(rows)
                known = np.maximum(features.least, least)
                vectors = terms.vectors(idf_weights(frequencies, len(rows), known))
                rankings = fit_rankings(
                    vectors, rows, self.members, frequencies=frequencies, blend=blend, svm_c=cost
                )
                scores[test] = rankings.scores(vectors, test)
            truth = [np.isin(np.arange(len(self.texts)), rows) for rows in self.members]
            values = [average_precision_score(y, scores[:, c]) for c, y in enumerate(truth)]
            found.append(float(np.mean(values)))
        return found


def alternatives(case: Case) -> dict[str, float]:
    """Return the average precision of every alternative."""
    lines = {
        CHOSEN: (BLEND, SVM_C, 1),
        "  blend 0.7": (0.7, SVM_C, 1),
        "  blend 1": (1.0, SVM_C, 1),
        "  cost 0.3": (BLEND, 0.3, 1),
        "  cost 1": (BLEND, 1.0, 1),
        "  terms of two documents": (BLEND, SVM_C, 2),
        "  as it was: two documents, 0.7, 0.3": (0.7, 0.3, 2),
    }
    found = dict(zip(lines, case.precision(TextFeatures(), list(lines.values())), strict=True))
    chosen = [(BLEND, SVM_C, 1)]
    bare = [STOPWORDS.sub(" ", text) for text in case.texts]
    found["  without English stopwords"] = case.precision(TextFeatures(), chosen, bare)[0]
    found["  language None"] = case.precision(TextFeatures(language=None), chosen)[0]
    for kind in ("words", "words+pairs", "characters"):
        found[f"  {kind}"] = case.precision(TextFeatures(kind), chosen)[0]
    return found


def main() -> None:
    warnings.simplefilter("ignore")  # of modules that are leaving the standard library
    gains = defaultdict(list)
    for name in sys.argv[1:] or NAMES:
        case = Case.of(name)
        sizes = ", ".join(str(len(rows)) for rows in case.members)
        print(f"\n{name}: {len(case.texts):,} training documents, classes of {sizes}")
        found = alternatives(case)
        for title, value in found.items():
            gains[title].append(value - found[CHOSEN])
            print(f"{title:44}{value:.4f}", flush=True)
    print("\nmean difference from what was chosen")
    for title, values in gains.items():
        print(f"{title:44}{np.mean(values):+.4f}")


if __name__ == "__main__":
    main()
