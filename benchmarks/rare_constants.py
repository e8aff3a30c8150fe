"""How the constants of RareTextClassifier were chosen: on training documents alone.

For each data set of the paper, the *training* side is cut into five folds. Every alternative ranks
the held-out training documents; printed is the average precision, averaged over rare classes of at
least five training documents (at most sixteen, evenly spaced by size). No test document is read.

Three data sets were looked at when the constants were set. Features "auto" led on HuffPost's
headlines (.352 against .327 for words) and on 20 Newsgroups (.825 against .810), and on Reuters'
headlines were within .003 of characters alone (.619; words .559). Blends from 0.5 to 0.85 differed
by .007 at most. A cost of 0.3 led on HuffPost; 20 Newsgroups, whose folds share threads, asked for
1 (.838), Reuters' headlines for neither.

    python benchmarks/rare_constants.py [experiment ...]
"""

import sys

import numpy as np
from sklearn.metrics import average_precision_score

from imbtext.classification._folds import shared_folds
from imbtext.classification._ranking import BLEND, COST, fit_rankings
from imbtext.containers import Documents
from imbtext.features import Terms, TextFeatures
from imbtext.features._terms import MIN_DOCUMENTS, idf_weights
from imbtext.reproduction.experiments import EXPERIMENTS
from imbtext.reproduction.splits import raw_splits

LEAST, MOST_CLASSES, RARE = 5, 16, 0.15
NAMES = (
    "reuters-titles",
    "huffpost-titles-5fold",
    "huffpost-full-5fold",
    "reuters-full",
    "20newsgroups",
)


def held_out_precision(
    terms: Terms,
    members: np.ndarray,
    folds: np.ndarray,
    blend: float = BLEND,
    cost: float = COST,
    least: int = MIN_DOCUMENTS,
) -> float:
    """Return the mean average precision of the classes on held-out training documents."""
    total = terms.frequencies()
    scores = np.zeros(members.shape)
    for fold in range(int(folds.max()) + 1):
        test, rows = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        frequencies = total - terms.frequencies(test)
        vectors = terms.vectors(idf_weights(frequencies, len(rows), least))
        of_class = [np.flatnonzero(column) for column in members.T]
        rankings = fit_rankings(
            vectors, rows, of_class, frequencies=frequencies, blend=blend, cost=cost
        )
        scores[test] = rankings.scores(vectors, test)
    columns = range(members.shape[1])
    return float(np.mean([average_precision_score(members[:, c], scores[:, c]) for c in columns]))


def alternatives(documents: Documents, members: np.ndarray, folds: np.ndarray) -> None:
    """Print one line per alternative."""
    auto = TextFeatures().learn(documents)
    lines = {f"auto, blend {BLEND}, cost {COST} (chosen)": (auto, {})}
    lines |= {f"  blend {b}": (auto, {"blend": b}) for b in (1.0, 0.85, 0.5)}
    lines |= {f"  cost {c}": (auto, {"cost": c}) for c in (0.1, 1.0)}
    lines |= {"  terms of three documents": (auto, {"least": 3})}
    for title, (terms, constants) in lines.items():
        print(f"{title:44}{held_out_precision(terms, members, folds, **constants):.4f}", flush=True)
    del auto, lines
    for kind in ("words", "words+pairs", "characters"):
        terms = TextFeatures(kind).learn(documents)
        print(f"{kind:44}{held_out_precision(terms, members, folds):.4f}", flush=True)
    terms = TextFeatures(language=None).learn(documents)
    print(f"{'auto without stems and stopwords':44}{held_out_precision(terms, members, folds):.4f}")


def main() -> None:
    for name in sys.argv[1:] or NAMES:
        splits, _ = raw_splits(EXPERIMENTS[name])
        split = next(iter(splits))
        sizes = split.train_labels.sum(axis=0)
        rare = [c for c in np.argsort(sizes) if sizes[c] >= LEAST and split.shares[c] < RARE]
        rare = rare[:: max(1, len(rare) // MOST_CLASSES)]
        members = np.ascontiguousarray(split.train_labels[:, rare])
        n = len(split.train_texts)
        rows = [np.flatnonzero(members[:, c]) for c in range(len(rare))]
        folds = shared_folds(rows, n, np.arange(n), seed=0)
        print(f"\n{name}: {n:,} training documents, {len(rare)} classes", flush=True)
        alternatives(Documents.of(list(split.train_texts)), members, folds)


if __name__ == "__main__":
    main()
