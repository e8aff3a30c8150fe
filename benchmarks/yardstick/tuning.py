"""What several contestants share: a tuned threshold, and ours with what it promises."""

from dataclasses import astuple
from typing import Any

import numpy as np
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV

from protocol import Answer, Given

FOLDS = 5


def with_tuned_threshold(model: Any, learnt: Any, new: Any, given: Given) -> Answer:
    """Answer with a classifier and the thresholds that scikit-learn chooses for F1 and F2."""
    folds = StratifiedKFold(
        min(FOLDS, int(given.is_class.sum())), shuffle=True, random_state=given.seed
    )
    thresholds = []
    for beta in (1, 2):
        scorer = make_scorer(fbeta_score, beta=beta, zero_division=0.0)
        search = TunedThresholdClassifierCV(
            model, scoring=scorer, cv=folds, response_method="decision_function"
        ).fit(learnt, given.is_class)
        thresholds.append(search.best_threshold_)
    scores = search.estimator_.decision_function(new)  # both searches end with the same model
    return Answer(scores, *(scores >= threshold for threshold in thresholds))


def of_ours(model: Any, given: Given) -> Answer:
    """Answer with a RareTextClassifier and what it says to expect at its threshold for F2."""
    model.set_params(metric="f1").fit(given.texts, given.is_class)
    decided = np.asarray(model.predict(given.new), dtype=bool)
    for_f2 = model.at("f2")
    expected = for_f2.expectation_[0]
    return Answer(
        np.asarray(model.decision_function(given.new), dtype=float),
        decided,
        np.asarray(for_f2.predict(given.new), dtype=bool),
        astuple(expected.recall)[1:],
        astuple(expected.precision)[1:],
    )
