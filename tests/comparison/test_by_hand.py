"""Scores of a comparison, by hand: pipelines of scikit-learn and imbalanced-learn, fold by fold."""

import numpy as np
import pytest
from imblearn.over_sampling import SMOTE, RandomOverSampler
from imblearn.pipeline import make_pipeline
from sklearn import metrics
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV
from sklearn.svm import LinearSVC

from imbtext import compare
from imbtext.documents._folds import assign_folds
from imbtext.randomness import (
    draw_estimator_seed,
    draw_seed,
    keyed_random_state,
    seed_of_names,
)

METHODS = ["plain", "class-weight", "threshold(f1)", "ros", "smote"]
SHARE, FOLDS, SEED = 0.3, 4, 5


@pytest.fixture(scope="module")
def documents():
    random = np.random.default_rng(1)
    rare, common = [f"r{i}" for i in range(12)], [f"c{i}" for i in range(30)]
    texts = []
    for i in range(200):
        own = rare if i < 25 else common
        words = [own if random.random() < 0.35 else common + rare[:6] for _ in range(10)]
        texts.append(" ".join(str(random.choice(pool)) for pool in words))
    return np.array(texts, dtype=object), np.arange(200) < 25


def model(method, n, n_class, seed):
    """The pipeline that one would write for a method, with the random numbers of the comparison."""
    svm = LinearSVC(loss="hinge", tol=1e-3, max_iter=100_000)
    svm.set_params(random_state=keyed_random_state(seed, 2**63 + 1))
    wanted = {1: n_class + int((SHARE * n - n_class) / (1 - SHARE))}
    if method == "class-weight":
        svm.set_params(class_weight="balanced")
    if method == "ros":
        state = keyed_random_state(seed, 1)
        sampler = RandomOverSampler(sampling_strategy=wanted, random_state=state)
        return make_pipeline(TfidfVectorizer(), sampler, svm)
    if method == "smote":
        state = draw_estimator_seed(keyed_random_state(seed, 1))
        sampler = SMOTE(sampling_strategy=wanted, random_state=state)
        return make_pipeline(TfidfVectorizer(), sampler, svm)
    pipeline = make_pipeline(TfidfVectorizer(), svm)
    if method == "threshold(f1)":
        inner = StratifiedKFold(5, shuffle=True, random_state=seed % 2**32)
        return TunedThresholdClassifierCV(pipeline, scoring="f1", cv=inner)
    return pipeline


@pytest.mark.parametrize("method", METHODS)
def test_scores_are_those_of_a_pipeline_written_by_hand(documents, method):
    texts, is_class = documents
    found = compare(
        texts,
        np.where(is_class, "oil", "other"),
        methods=METHODS,
        share=SHARE,
        folds=FOLDS,
        repeats=1,
        random_state=SEED,
    )
    folds = assign_folds({"oil": is_class}, FOLDS, 1, SEED)
    for fold in range(FOLDS):
        test = folds.tested("oil", 0, fold)
        train = ~test
        seed = draw_seed(seed_of_names(SEED, 0, fold, "oil"))
        made = model(method, int(train.sum()), int(is_class[train].sum()), seed)
        made.fit(texts[train], is_class[train].astype(int))
        predicted = made.predict(texts[test])
        scored = getattr(made, "estimator_", made).decision_function(texts[test])
        row = next(
            row
            for row in found.scores.to_dicts()
            if row["method"] == method and row["fold"] == fold
        )
        truth = is_class[test].astype(int)
        assert row["f1"] == pytest.approx(metrics.f1_score(truth, predicted))
        assert row["f2"] == pytest.approx(metrics.fbeta_score(truth, predicted, beta=2))
        assert row["recall"] == pytest.approx(metrics.recall_score(truth, predicted))
        assert row["precision"] == pytest.approx(
            metrics.precision_score(truth, predicted, zero_division=0)
        )
        assert row["balanced_accuracy"] == pytest.approx(
            metrics.balanced_accuracy_score(truth, predicted)
        )
        assert row["average_precision"] == pytest.approx(
            metrics.average_precision_score(truth, scored)
        )
        assert row["roc_auc"] == pytest.approx(metrics.roc_auc_score(truth, scored))
