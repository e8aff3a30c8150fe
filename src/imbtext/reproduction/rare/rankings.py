"""RareTextClassifier on the paper's splits: one fit per split serves all categories and measures.

The categories of a split are trained over the same documents, terms and folds, as columns of an
indicator matrix. Each hard measure is taken at the operating point that was chosen for it on the
training side, as the published cells are each the best method for their measure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from imbtext.classification import RareTextClassifier
from imbtext.evaluation.metrics import RANKING_METRICS, binary_scores
from imbtext.evaluation.pool import Pool
from imbtext.evaluation.store import UnitKey
from imbtext.reproduction.experiments import PaperExperiment, is_oversampled
from imbtext.reproduction.splits import RawSplit, Split
from imbtext.reproduction.units import Outcome, digest, run_tasks
from imbtext.tokenization import PaperPreprocessor

OWN_FEATURES: Final = "rare"
PAPER_FEATURES: Final = "rare(paper's words)"
RARE_METHODS: Final = (OWN_FEATURES, PAPER_FEATURES)
OPERATING_POINTS: Final = ("balanced_accuracy", "f1", "f2")
# Raised when the numbers change, so that stored units are computed anew.
RARE_REVISION: Final = 2


@dataclass(frozen=True)
class RarePlan:
    """What to run of one experiment."""

    experiment: PaperExperiment
    ratios: tuple[float, ...]
    seed: int
    categories: tuple[str, ...] | None = None

    def units(self, fold: int, split: Split, method: str) -> list[UnitKey]:
        """List the units of one split and one kind of features: the categories that it has."""
        settings = digest(split.fingerprint(), method, RARE_REVISION)
        return [
            UnitKey(self.experiment.name, fold, category, 0.0, method, 0, self.seed, settings)
            for category in split.categories
            if (self.categories is None or category in self.categories)
            and is_oversampled(split.share(category), max(self.ratios))
            and split.positive(category).any()
        ]


def run_rare(
    raw_splits: Sequence[RawSplit],
    fits: Sequence[list[UnitKey]],
    stopwords: Sequence[str],
    store_path: Path,
    pool: Pool,
    *,
    quiet: bool = False,
) -> Outcome:
    """Fit and score what the store lacks; a fit is the units of a fold for one kind of features.

    A fit with a unit missing is done whole: its folds are those of all categories.
    """
    tasks = [[fit] for fit in fits if fit]
    shared = (raw_splits, stopwords)
    return run_tasks(_fit_fold, tasks, shared, store_path, pool, quiet=quiet, label="rare")


def _fit_fold(
    shared: tuple[Sequence[RawSplit], Sequence[str]], keys: Sequence[UnitKey]
) -> list[dict[str, float]]:
    raw_splits, stopwords = shared
    return fit_and_score(raw_splits[keys[0].fold], keys, stopwords)


def fit_and_score(
    raw: RawSplit, keys: Sequence[UnitKey], stopwords: Sequence[str]
) -> list[dict[str, float]]:
    """Fit the categories of `keys` together; return the scores of each on the test side."""
    columns = [raw.categories.index(key.category) for key in keys]
    train, test, features = _documents(raw, keys[0].method, stopwords)
    model = RareTextClassifier("f2", features=features, random_state=keys[0].seed)
    model.fit(train, raw.train_labels[:, columns].astype(np.int8))
    decision = model.decision_function(test) + model.thresholds_
    thresholds = {metric: model.at(metric).thresholds_ for metric in OPERATING_POINTS}
    scores = []
    for k, column in enumerate(columns):
        true, ranked = raw.test_labels[:, column], decision[:, k]
        found = {
            metric: binary_scores(true, ranked > thresholds[metric][k])[metric]
            for metric in OPERATING_POINTS
        }
        ranking = binary_scores(true, ranked > 0, ranked)
        scores.append(found | {metric: ranking[metric] for metric in RANKING_METRICS})
    return scores


def _documents(
    raw: RawSplit, method: str, stopwords: Sequence[str]
) -> tuple[Sequence[Any], Sequence[Any], str]:
    """Return both sides as the method reads them, and the name of its features."""
    if method == OWN_FEATURES:
        return raw.train_texts, raw.test_texts, "auto"
    preprocessor = PaperPreprocessor(stopwords)
    train = preprocessor.fit_transform(raw.train_texts).tokens()
    return train, preprocessor.transform(raw.test_texts).tokens(), "words"
