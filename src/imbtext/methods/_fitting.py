"""From a method, training data and labels to a fitted classifier: the one way used everywhere."""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    StratifiedGroupKFold,
    StratifiedKFold,
    TunedThresholdClassifierCV,
)
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

from imbtext.methods._method import Method, Resampled, Scoring
from imbtext.methods._registry import get_method
from imbtext.methods._training import TrainingData
from imbtext.randomness import keyed_random_state

N_FOLDS = 5

Transform = Callable[[sparse.csr_array], sparse.csr_array]


def default_classifier() -> LinearSVC:
    """Return the paper's classifier, a linear support vector machine."""
    return LinearSVC(loss="hinge", C=1.0, tol=1e-3, max_iter=100_000)


def n_for_share(n_documents: int, n_minority: int, share: float) -> int:
    """Return how many synthetic documents bring the rare class to `share` of all documents.

    The paper's count: with n documents, m of them in the class and ratio r, the integer part of
    (r n - m) / (1 - r), and at least one. A class that already has its share needs none.

    Examples
    --------
    >>> n_for_share(100, 4, 0.2)
    20
    >>> n_for_share(100, 30, 0.2)
    0
    """
    if isinstance(share, bool) or not isinstance(share, Real) or not 0 < share < 1:
        raise ValueError(f"share is {share!r}; give a number between 0 and 1, such as 0.2")
    missing = share * n_documents - n_minority
    return max(1, int(missing / (1 - share))) if missing > 0 else 0


@dataclass(frozen=True, eq=False)
class FittedMethod:
    """A classifier trained on resampled data, ready for tf-idf vectors of unseen documents.

    Attributes
    ----------
    classifier : estimator
        Fitted on the resampled training matrix.
    threshold : float
        Documents whose score exceeds it are put into the rare class.
    transform_test : callable or None
        Applied to the vectors first, see `Resampled`.
    resampled : Resampled or None
        What the classifier was fitted on.
    """

    classifier: Any
    threshold: float
    transform_test: Transform | None = None
    resampled: Resampled | None = None

    def decision_function(self, X: sparse.csr_array) -> NDArray[np.float64]:
        """Return how strongly each tf-idf row is put into the rare class."""
        if self.transform_test is not None:
            X = self.transform_test(X)
        return scores(self.classifier, X)

    def predict(self, X: sparse.csr_array) -> NDArray[np.bool_]:
        """Return whether each tf-idf row is put into the rare class."""
        return self.decision_function(X) > self.threshold


def fit_method(
    method: str | Method,
    data: TrainingData,
    positive: NDArray[np.bool_],
    n_new: int,
    seed: int,
    stream: int = 0,
    *,
    classifier: Any = None,
    refit_idf: bool = False,
    groups: NDArray[np.int64] | None = None,
) -> FittedMethod:
    """Resample by `method` and fit a classifier.

    Parameters
    ----------
    method : str or Method
        Such as ``"emco(0.1)"``.
    data : TrainingData
        The training documents.
    positive : ndarray of bool
        Which of them belong to the rare class.
    n_new : int
        Synthetic documents to add.
    seed, stream : int
        Own all randomness, the classifier's included.
    classifier : estimator, default=None
        Cloned and fitted; None is the paper's linear support vector machine.
    refit_idf : bool, default=False
        False freezes idf on the original documents, as in the paper. True refits it on originals
        and synthetic documents together. Methods whose synthetic rows are not documents (those on
        tf-idf vectors, except random oversampling) keep the frozen idf: their rows were made in it.
    groups : ndarray of int64, default=None
        Documents of one group are never split up where a threshold is tuned by cross-validation.

    Returns
    -------
    FittedMethod

    Examples
    --------
    >>> data = TrainingData.from_documents(["oil up", "oil down", "rain", "sun and rain", "sun"])
    >>> fitted = fit_method("ros", data, np.array([True, False, False, False, False]), 3, seed=0)
    >>> fitted.predict(data.vectorize_documents(["oil up up", "rain and sun"])).tolist()
    [True, False]
    """
    method = get_method(method)
    positive = np.asarray(positive, dtype=bool)
    classifier = default_classifier() if classifier is None else clone(classifier)
    if method.class_weight is not None:
        _set_class_weight(classifier, method)
    if "random_state" in classifier.get_params(deep=False):
        # The classifier's own stream: adding a draw to a sampler must not change the solver.
        classifier.set_params(random_state=keyed_random_state(seed, 2**63 + stream))
    if method.scoring is not None:
        return _fit_threshold(
            method, data, positive, n_new, seed, stream, classifier, refit_idf, groups
        )
    resampled = method.resample(data, positive, n_new, seed, stream)
    if refit_idf:
        resampled = _with_refitted_idf(resampled, data)
    classifier.fit(resampled.X, resampled.y)
    return FittedMethod(
        classifier, _usual_threshold(classifier), resampled.transform_test, resampled
    )


def scores(classifier: Any, X: Any) -> NDArray[np.float64]:
    """Return the decision function of a binary classifier, or its probability of the class."""
    if hasattr(classifier, "decision_function"):
        return np.asarray(classifier.decision_function(X), dtype=np.float64)
    if not hasattr(classifier, "predict_proba"):
        raise TypeError(
            f"{type(classifier).__name__} has neither decision_function nor predict_proba; "
            "choose a classifier that scores documents"
        )
    return np.asarray(classifier.predict_proba(X)[:, 1], dtype=np.float64)


def _usual_threshold(classifier: Any) -> float:
    return 0.0 if hasattr(classifier, "decision_function") else 0.5


def _set_class_weight(classifier: Any, method: Method) -> None:
    if "class_weight" not in classifier.get_params(deep=False):
        raise ValueError(
            f"method {method.name!r} needs a classifier with a class_weight parameter, and "
            f"{type(classifier).__name__} has none; choose another classifier or another method"
        )
    classifier.set_params(class_weight=method.class_weight)


def _with_refitted_idf(resampled: Resampled, data: TrainingData) -> Resampled:
    """Weigh rows by the idf of originals and synthetic documents together.

    Rows have unit length, so rescaling columns by new over old idf and normalising again is the
    same as weighing the counts anew; unseen documents go the same way.
    """
    if resampled.counts is None:
        return resampled
    counts = resampled.counts
    frequency = np.bincount(counts.indices[counts.data > 0], minlength=counts.shape[1])
    idf = np.log((1 + counts.shape[0]) / (1 + frequency)) + 1
    rescale = _Rescale(idf / data.weighting.idf_)
    return Resampled(rescale(resampled.X), resampled.y, resampled.parents, rescale, counts)


@dataclass(frozen=True, eq=False)
class _Rescale:
    """Multiply each word by a factor and normalise; an object, so that it can be pickled."""

    factors: NDArray[np.float64]

    def __call__(self, X: sparse.csr_array) -> sparse.csr_array:
        scaled = sparse.csr_array(X @ sparse.diags_array(self.factors))
        return normalize(scaled) if scaled.shape[0] else scaled


def _scorer(scoring: Scoring) -> Any:
    # Tuning asks for hundreds of scores. scikit-learn's own functions check their input so
    # thoroughly that this, and not the training, would take nearly all the time.
    if scoring == "balanced_accuracy":
        return make_scorer(_balanced_accuracy)
    return make_scorer(_f_score, beta=2.0 if scoring == "f2" else 1.0)


def _balanced_accuracy(y_true: NDArray[np.int64], y_pred: NDArray[np.int64]) -> float:
    right = y_true == y_pred
    return float((right[y_true == 1].mean() + right[y_true == 0].mean()) / 2)


def _f_score(y_true: NDArray[np.int64], y_pred: NDArray[np.int64], beta: float) -> float:
    """Return the F-score, 0 where nothing is put into the class, as in the paper."""
    found = int(np.count_nonzero((y_true == 1) & (y_pred == 1)))
    weighted = beta**2 * np.count_nonzero(y_true == 1) + np.count_nonzero(y_pred == 1)
    return float((1 + beta**2) * found / weighted) if weighted else 0.0


def _fit_threshold(
    method: Method,
    data: TrainingData,
    positive: NDArray[np.bool_],
    n_new: int,
    seed: int,
    stream: int,
    classifier: Any,
    refit_idf: bool,
    groups: NDArray[np.int64] | None,
) -> FittedMethod:
    """Tune the decision threshold by cross-validation, resampling inside each fold."""
    n_folds = min(N_FOLDS, int(positive.sum()), int((~positive).sum()))
    if n_folds < 2:
        raise ValueError(
            f"{method.name!r} tunes the threshold by cross-validation, which needs two documents "
            f"of each class; there are {int(positive.sum())} and {int((~positive).sum())}"
        )
    share = (positive.sum() + n_new) / (len(positive) + n_new)
    rows = _RowsClassifier(
        data=data,
        method=Method(method.name, method.works_on, method.resampler, method.class_weight),
        classifier=classifier,
        share=float(share) if n_new else None,
        n_new=n_new,
        seed=seed,
        stream=stream,
        refit_idf=refit_idf,
    )
    tuned = TunedThresholdClassifierCV(
        rows,
        scoring=_scorer(method.scoring),  # type: ignore[arg-type]
        response_method="decision_function",
        cv=_folds(positive, n_folds, seed, groups),
    ).fit(np.arange(data.n_documents).reshape(-1, 1), positive.astype(np.int64))
    fitted: FittedMethod = tuned.estimator_.fitted_
    return FittedMethod(
        fitted.classifier, float(tuned.best_threshold_), fitted.transform_test, fitted.resampled
    )


def _folds(
    positive: NDArray[np.bool_], n_folds: int, seed: int, groups: NDArray[np.int64] | None
) -> Any:
    """Return folds for tuning; groups that cannot be spread over two folds are split up."""
    rows = np.zeros((len(positive), 1))
    n_groups = 0 if groups is None else len(np.unique(groups[positive]))
    if n_groups >= 2:
        splitter = StratifiedGroupKFold(
            min(n_folds, n_groups), shuffle=True, random_state=seed % 2**32
        )
        kept = [
            (train, test)
            for train, test in splitter.split(rows, positive, groups)
            if all(len(np.unique(positive[side])) == 2 for side in (train, test))
        ]
        if len(kept) >= 2:
            return kept
    return StratifiedKFold(n_folds, shuffle=True, random_state=seed % 2**32)


class _RowsClassifier(ClassifierMixin, BaseEstimator):
    """A method as an estimator whose X are row numbers of shared training data.

    Cross-validation then cuts rows, and each fold resamples its own training rows only.
    """

    def __init__(
        self,
        data: TrainingData,
        method: Method,
        classifier: Any,
        share: float | None,
        n_new: int,
        seed: int,
        stream: int,
        refit_idf: bool,
    ) -> None:
        self.data = data
        self.method = method
        self.classifier = classifier
        self.share = share
        self.n_new = n_new
        self.seed = seed
        self.stream = stream
        self.refit_idf = refit_idf

    def fit(self, X: NDArray[np.int64], y: NDArray[np.int64]) -> "_RowsClassifier":
        rows, positive = X[:, 0], y == 1
        self.classes_ = np.array([0, 1])
        self.training_ = self.data.remember(
            ("rows", rows.tobytes()), lambda: self.data.select(rows)
        )
        n_new = self.n_new
        if self.training_ is not self.data and self.share is not None:
            n_new = n_for_share(len(rows), int(positive.sum()), self.share)
        self.fitted_ = fit_method(
            self.method,
            self.training_,
            positive,
            n_new,
            self.seed,
            self.stream,
            classifier=self.classifier,
            refit_idf=self.refit_idf,
        )
        return self

    def decision_function(self, X: NDArray[np.int64]) -> NDArray[np.float64]:
        vectors = self.training_.vectorize(self.data.corpus.select(X[:, 0]))
        return self.fitted_.decision_function(vectors)

    def predict(self, X: NDArray[np.int64]) -> NDArray[np.int64]:
        return (self.decision_function(X) > self.fitted_.threshold).astype(np.int64)
