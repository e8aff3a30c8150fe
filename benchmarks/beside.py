"""Columns beside the text: in one model with it, or in a second one stacked on it.

Tables of benchmarks/tables.py, their *training* documents alone, held out in five folds: HuffPost
with its date, 20 Newsgroups with organization, lines and distribution. Printed is the average
precision, averaged over rare classes, of the text alone, of one model with the columns' block at
several lengths, and of two ways to stack: logistic regression on the held-out score of the text and
the columns' terms, and the held-out score plus a multiple of that of a model of the columns.

    python benchmarks/beside.py [huffpost] [newsgroups]
"""

import sys

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

import tables
from imbtext.documents import Documents, Roles
from imbtext.documents._folds import DealtFolds, deal_folds
from imbtext.features import TextFeatures
from imbtext.features._columns import ColumnFeatures
from imbtext.features._side_by_side import TrainingSideBySide
from imbtext.rare._ranking import Training

N_CLASSES, N_ROWS = 10, 20_000


def mean_precision(scores: np.ndarray, members: list[np.ndarray]) -> float:
    precisions = []
    for c, rows in enumerate(members):
        is_class = np.zeros(len(scores), bool)
        is_class[rows] = True
        precisions.append(average_precision_score(is_class, scores[:, c]))
    return float(np.mean(precisions))


def stacked(scores, members, folds, matrices, cost: float) -> np.ndarray:
    """Return held-out scores of logistic regression on the text's score and the columns' terms."""
    combined = np.zeros_like(scores)
    for fold, matrix in matrices.items():
        seen, tested = folds != fold, folds == fold
        for c, rows in enumerate(members):
            is_class = np.isin(np.arange(len(scores)), rows)
            text = (scores[:, c] - scores[seen, c].mean()) / scores[seen, c].std() * 3
            X = sparse.hstack([sparse.csr_array(text[:, None]), matrix]).tocsr()
            model = LogisticRegression(C=cost, max_iter=300).fit(X[seen], is_class[seen])
            combined[tested, c] = model.decision_function(X[tested])
    return combined


def main() -> None:
    tables.FIRST_ROW = 0  # the rows that benchmarks/tables.py leaves out
    for name in sys.argv[1:] or ("huffpost", "newsgroups"):
        text, columns, label, (frame, _) = getattr(tables, name)(N_ROWS)
        labels = frame[label]
        wanted = tables.rare_classes(labels, N_CLASSES)
        members = [np.flatnonzero((labels == one).to_numpy()) for one in wanted]
        frame = frame.with_columns(pl.col(text).fill_null(""))
        documents = Documents.of(frame, roles=Roles.of(text, columns))
        folds = deal_folds(members, len(documents), documents.near_duplicates, 5, 0)
        print(f"{name}: {len(documents):,} documents, {len(members)} classes", flush=True)

        def show(title: str, scores: np.ndarray, members: list[np.ndarray] = members) -> None:
            print(f"  {mean_precision(scores, members):.4f}  {title}", flush=True)

        vectors = TextFeatures("auto", "english", tuple(text)).learn(documents)
        beside = ColumnFeatures().learn(documents)
        alone = Training(vectors, members, DealtFolds(folds), None).run(1).scores
        show("text alone", alone)
        for share in (0.25, 0.5, 1.0):
            both = TrainingSideBySide.of(vectors, beside, share)
            scores = Training(both, members, DealtFolds(folds), None).run(1).scores
            show(f"one model, {share} of a block", scores)
        matrices = {}
        for fold in range(5):
            terms = beside.seen_by(np.flatnonzero(folds != fold)).vectors.terms
            matrices[fold] = sparse.csr_array(
                (terms.values, terms.indices, terms.indptr), (terms.n_documents, terms.n_terms)
            )
        for cost in (0.03, 0.3, 1.0):
            show(f"stacked, C {cost}", stacked(alone, members, folds, matrices, cost))
        of_columns = Training(beside, members, DealtFolds(folds), None).run(1).scores
        for multiple in (0.1, 0.5, 1.0):
            added = multiple * of_columns / of_columns.std(axis=0)
            show(f"sum of scores, {multiple}", alone / alone.std(axis=0) + added)


if __name__ == "__main__":
    main()
