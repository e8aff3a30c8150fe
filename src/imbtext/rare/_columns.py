"""Columns beside the text: do they help, and does one give the class away.

A model is trained on the text alone, and with the columns beside it in the same linear model, their
block a quarter as long as a block of the text, or as long. Held-out documents decide. Text alone
stays unless the columns rank better by more than chance between folds explains, so columns that
are uninformative do no harm.

Tried on training documents and left out: a second model of the columns, stacked on held-out scores
of the text. It ranked worse on both tables (``benchmarks/beside.py``).

A column that predicts the class almost alone is a suspect: it was filled in after the class was
known, or is a copy of it. :func:`suspects` looks at each column by held-out naive Bayes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import average_precision_score

from imbtext._messages import DataWarning, listed, warn_user
from imbtext.documents._documents import Documents
from imbtext.documents._labels import members_table
from imbtext.features._columns import ColumnFeatures, TrainingColumns
from imbtext.features._features import Features, TrainingVectors
from imbtext.features._side_by_side import SideBySide, TrainingSideBySide
from imbtext.rare._ranking import Trained, Training
from imbtext.rare._training_documents import TrainingDocuments

# How long the block of the columns is beside a block of the text.
SHARES: Final = (0.25, 1.0)
# What columns must gain in average precision, at least and in standard errors over the folds.
_LEAST_GAIN: Final = 0.003
_STANDARD_ERRORS: Final = 2.0
# A column that ranks held-out documents so well alone is a suspect.
_SUSPECT: Final = 0.9
_LEAST_DOCUMENTS: Final = 5

Members = Sequence[NDArray[np.int64]]


class SuspectColumnWarning(DataWarning):
    """A column beside the text predicts the class almost alone; it may be known only afterwards."""


@dataclass(frozen=True, eq=False)
class Chosen:
    """The features that ranked held-out documents best, what was trained on them, and why."""

    features: Features
    trained: Trained
    columns: tuple[str, ...] = ()
    report: str = ""


def choose_columns(data: TrainingDocuments, train: Callable[[TrainingVectors], Trained]) -> Chosen:
    """Train on the text and on the text with its columns; held-out documents decide."""
    training = data.training
    alone = Chosen(data.features, train(training.vectors))
    columns = ColumnFeatures()
    of_columns = columns.learn(data.documents)
    _warn_of_suspects(suspects(of_columns, training.members, training.folds.numbers))
    tried = {
        share: train(TrainingSideBySide.of(training.vectors, of_columns, share)) for share in SHARES
    }
    precision = {share: _precisions(of.scores, training) for share, of in tried.items()}
    without = _precisions(alone.trained.scores, training)
    share = max(tried, key=lambda share: float(np.mean(precision[share])))
    gains = precision[share] - without
    error = float(gains.std(ddof=1) / np.sqrt(len(gains))) if len(gains) > 1 else 0.0
    compared = (
        f"held-out average precision {np.mean(precision[share]):.3f}, text alone "
        f"{np.mean(without):.3f}"
    )
    if gains.mean() <= max(_LEAST_GAIN, _STANDARD_ERRORS * error):
        report = f"not used, since they rank no better than chance explains: {compared}"
        return replace(alone, report=report)
    names = tuple(columns.names_of_columns)
    report = f"{columns.about}; in one model with the text at {share:g} of a block: {compared}"
    return Chosen(SideBySide.of(alone.features, columns, share), tried[share], names, report)


def unread_cells(features: Features, documents: Documents) -> dict[str, tuple[int, float]]:
    """Return how many cells of each column are uninformative, and the share to expect."""
    sources = features.sources if isinstance(features, SideBySide) else []
    beside = (source for source in sources if isinstance(source, ColumnFeatures))
    return {name: cells for source in beside for name, cells in source.unread(documents).items()}


def _precisions(held_out: NDArray[np.float32], training: Training) -> NDArray[np.float64]:
    """Return the average precision of held-out scores in each fold, averaged over classes."""
    of_folds, folds = [], training.folds.numbers
    is_class = members_table(training.members, len(folds))
    for fold in np.unique(folds):
        precisions = []
        for c, scores in enumerate(held_out.T):
            known = (folds == fold) & ~np.isnan(scores)
            if is_class[known, c].any():
                precisions.append(average_precision_score(is_class[known, c], scores[known]))
        if precisions:
            of_folds.append(float(np.mean(precisions)))
    return np.array(of_folds or [0.0])


def suspects(
    columns: TrainingColumns, members: Members, folds: NDArray[np.integer]
) -> dict[str, float]:
    """Return the columns that rank the documents of a class almost alone, and how well.

    Each column is judged by naive Bayes on its terms, learnt from the other folds.
    """
    names = columns.features.names_of_columns
    n, best = len(folds), dict.fromkeys(names, 0.0)
    kept = [of_class for of_class in members if len(of_class) >= _LEAST_DOCUMENTS]
    is_class = members_table(kept, n)
    scores = np.full((len(names), n, len(kept)), np.nan)
    for fold in np.unique(folds):
        seen, tested = np.flatnonzero(folds != fold), folds == fold
        if not len(seen):
            continue
        part = columns.fitted_on(seen)
        terms = part.read_table(columns.table)
        has = sparse.csr_array(
            (np.ones(len(terms.indices)), terms.indices, terms.indptr),
            shape=(n, terms.n_terms),
        )
        inside = has[seen].T @ is_class[seen].astype(float)
        outside = has[seen].T @ (~is_class[seen]).astype(float)
        n_inside = is_class[seen].sum(axis=0)
        odds = np.log((inside + 0.5) / (n_inside + 1)) - np.log(
            (outside + 0.5) / (len(seen) - n_inside + 1)
        )
        ends = np.concatenate([[0], np.cumsum(part.widths)])
        for k in range(len(names)):
            of_column = slice(ends[k], ends[k + 1])
            scores[k, tested] = has[tested][:, of_column] @ odds[of_column]
    for k, name in enumerate(names):
        for c in range(len(kept)):
            known = ~np.isnan(scores[k, :, c])
            if is_class[known, c].any():
                precision = average_precision_score(is_class[known, c], scores[k, known, c])
                best[name] = max(best[name], float(precision))
    return {name: precision for name, precision in best.items() if precision >= _SUSPECT}


def _warn_of_suspects(found: dict[str, float]) -> None:
    if found:
        names = listed(list(found))
        predict = "predicts" if len(found) == 1 else "predict"
        warn_user(
            f"the column{'s' * (len(found) > 1)} {names} {predict} the class almost alone (average "
            f"precision {max(found.values()):.2f}). If that is filled in only once the class is "
            "known, new documents will lack it: leave it out",
            SuspectColumnWarning,
        )
