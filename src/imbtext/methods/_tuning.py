"""The decision threshold, tuned by cross-validation inside the training documents.

scikit-learn's ``TunedThresholdClassifierCV`` does the tuning. What it cuts into folds are row
numbers, so that each fold prepares its training documents anew: a held-out document is vectorised
exactly as an unseen one will be, by the vocabulary and idf of the fold's own training documents.
"""

from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    StratifiedGroupKFold,
    StratifiedKFold,
    TunedThresholdClassifierCV,
)

from imbtext.evaluation.metrics import Confusion, get_metric
from imbtext.methods._fitting import FittedMethod, fit_method
from imbtext.methods._method import Method, Request

N_FOLDS: Final = 5


def fit_threshold(
    method: Method,
    request: Request,
    classifier: Any,
    refit_idf: bool,
    groups: NDArray[np.int64] | None,
) -> FittedMethod:
    """Fit a method with the threshold that is best over folds of the training documents."""
    n_rest = len(request.is_class) - request.n_class
    n_folds = min(N_FOLDS, request.n_class, n_rest)
    if n_folds < 2:
        raise ValueError(
            f"{method.name!r} tunes the threshold by cross-validation, which needs two documents "
            f"of each class; there are {request.n_class} and {n_rest}"
        )
    tuned = TunedThresholdClassifierCV(
        _RowsClassifier(request, replace(method, scoring=None), classifier, refit_idf),
        scoring=make_scorer(partial(_score, metric=get_metric(str(method.scoring)))),
        response_method="decision_function",
        cv=_folds(request.is_class, n_folds, request.seed, groups),
    ).fit(np.arange(len(request.is_class)).reshape(-1, 1), request.is_class.astype(np.int64))
    return replace(tuned.estimator_.fitted_, threshold=float(tuned.best_threshold_))


def _score(y_true: NDArray[np.int64], y_pred: NDArray[np.int64], metric: Any) -> float:
    # Tuning asks for hundreds of scores. scikit-learn's own functions check their input so
    # thoroughly that this, and not the training, would take nearly all the time.
    return float(metric.of_confusion(Confusion.of(y_true == 1, y_pred == 1)))


def _folds(
    is_class: NDArray[np.bool_], n_folds: int, seed: int, groups: NDArray[np.int64] | None
) -> Any:
    """Return folds for tuning; groups that cannot be spread over two folds are split up."""
    rows = np.zeros((len(is_class), 1))
    n_groups = 0 if groups is None else len(np.unique(groups[is_class]))
    if n_groups >= 2:
        splitter = StratifiedGroupKFold(
            min(n_folds, n_groups), shuffle=True, random_state=seed % 2**32
        )
        kept = [
            (train, test)
            for train, test in splitter.split(rows, is_class, groups)
            if all(len(np.unique(is_class[side])) == 2 for side in (train, test))
        ]
        if len(kept) >= 2:
            return kept
    return StratifiedKFold(n_folds, shuffle=True, random_state=seed % 2**32)


class _RowsClassifier(ClassifierMixin, BaseEstimator):
    """A method as an estimator whose X are row numbers of the request's documents."""

    def __init__(self, request: Request, method: Method, classifier: Any, refit_idf: bool) -> None:
        self.request = request
        self.method = method
        self.classifier = classifier
        self.refit_idf = refit_idf

    def fit(self, X: NDArray[np.int64], y: NDArray[np.int64]) -> "_RowsClassifier":
        rows, data = X[:, 0], self.request.data
        self.classes_ = np.array([0, 1])
        whole = len(rows) == data.n_documents
        self.training_ = (
            data if whole else data.remember(("rows", rows.tobytes()), lambda: data.select(rows))
        )
        self.fitted_ = fit_method(
            self.method,
            self.request if whole else self.request.on(self.training_, y == 1),
            classifier=self.classifier,
            refit_idf=self.refit_idf,
        )
        if not whole:
            # Nobody asks for this fit again; only the documents serve other thresholds.
            self.training_.forget(shared=True)
        return self

    def decision_function(self, X: NDArray[np.int64]) -> NDArray[np.float64]:
        unseen = self.training_.vectors_of(self.request.data, X[:, 0])
        return self.fitted_.decision_function(unseen)

    def predict(self, X: NDArray[np.int64]) -> NDArray[np.int64]:
        return (self.decision_function(X) > self.fitted_.threshold).astype(np.int64)
