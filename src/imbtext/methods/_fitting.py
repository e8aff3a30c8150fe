"""From a method and a problem to a fitted classifier; all fitting is done here."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import average_precision_score, make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV
from sklearn.preprocessing import normalize
from sklearn.utils.validation import has_fit_parameter

from imbtext._svm import default_classifier
from imbtext._typing import Array, Matrix
from imbtext.documents._folds import tuning_folds
from imbtext.features._terms import idf_weights
from imbtext.features._text_features import FEATURES
from imbtext.methods._documents import PreparedDocuments, own_features
from imbtext.methods._method import Method, Problem, Resampled
from imbtext.methods._registry import get_method
from imbtext.metrics import Confusion, get_goal
from imbtext.oversampling._sampler import Draws
from imbtext.randomness import keyed_random_state

_AUTO_FOLDS: Final = 3
_TUNING_FOLDS: Final = 5
Transform = Callable[[sparse.csr_array], sparse.csr_array]


@dataclass(frozen=True, eq=False)
class FittedMethod:
    """A classifier trained on resampled data, ready for tf-idf vectors of unseen documents.

    Attributes
    ----------
    classifier : estimator
        Fitted on the resampled training matrix.
    threshold : float
        A document whose score exceeds it is put into the class.
    transform_test : callable or None
        Applied to the vectors first; see `Resampled`.
    n_added : int
        Number of synthetic documents in its training data.
    reads_documents : bool
        Whether the classifier takes documents instead of their tf-idf vectors.
    """

    classifier: BaseEstimator
    threshold: float
    transform_test: Transform | None = None
    n_added: int = 0
    reads_documents: bool = False

    def decision_function(self, X: Matrix) -> NDArray[np.float64]:
        """Return how strongly each tf-idf row (or document) is put into the class."""
        return np.empty(0) if _is_empty(X) else _scores(self.classifier, self._transformed(X))

    @property
    def chosen_threshold(self) -> float:
        """Where scores are cut. A classifier that reads documents has subtracted it already."""
        if not self.reads_documents:
            return self.threshold
        return float(getattr(self.classifier, "thresholds_", [self.threshold])[0])

    def probabilities(self, X: Matrix) -> NDArray[np.float64]:
        """Return the probability of the class, if the classifier has one."""
        if _is_empty(X):
            return np.empty(0)
        inside = self.classifier.predict_proba(self._transformed(X))[:, 1]
        return np.asarray(inside, dtype=np.float64)

    def predict(self, X: Matrix) -> NDArray[np.bool_]:
        """Return whether each tf-idf row (or document) is put into the class."""
        return self.decision_function(X) > self.threshold

    def _transformed(self, X: Matrix) -> Matrix:
        return X if self.transform_test is None else self.transform_test(X)


def fit_method(
    method: str | Method | Draws,
    problem: Problem,
    *,
    classifier: BaseEstimator | None = None,
    refit_idf: bool = False,
    groups: NDArray[np.int64] | None = None,
    times: Array | None = None,
) -> FittedMethod:
    """Resample by `method` and fit a classifier.

    Parameters
    ----------
    method : str, sampler or Method
        Such as ``"emco(0.1)"``.
    problem : Problem
        The training documents, the class, how many documents to add, and the seed, which the
        classifier uses, too.
    classifier : estimator, default=None
        Cloned and fitted; None is the paper's linear support vector machine.
    refit_idf : bool, default=False
        False freezes idf on the original documents, as in the paper. True refits it on originals
        and synthetic documents together. Methods on tf-idf vectors, except random oversampling,
        keep the frozen idf: they made their rows with it.
    groups : ndarray of int64, default=None
        Documents of one group stay together when cross-validation tunes a threshold.
    times : ndarray, default=None
        When the documents were written. ``rare`` chooses its threshold on later documents than it
        learns from; thresholds of other methods are tuned by random folds.

    Returns
    -------
    FittedMethod

    Examples
    --------
    >>> from imbtext.methods import PreparedDocuments
    >>> texts = ["oil up", "oil down", "rain", "sun and rain", "sun"]
    >>> data = PreparedDocuments.of(texts)
    >>> problem = Problem(data, [True, False, False, False, False], 3, seed=0)
    >>> fitted = fit_method("ros", problem)
    >>> fitted.predict(data.vectorize_documents(["oil up up", "rain and sun"])).tolist()
    [True, False]
    """
    method = get_method(method)
    if method.estimator is not None:
        return FittedMethod(method.estimator(problem, groups, times), 0.0, reads_documents=True)
    classifier = _unfitted(classifier, problem.seed, problem.stream)
    if method.class_weight is not None:
        _set_class_weight(classifier, method)
    if method.scoring is not None:
        return _fit_threshold(method, problem, classifier, refit_idf, groups)

    def fit() -> FittedMethod:
        resampled = method.resample(problem)
        if refit_idf and resampled.counts is not None:
            idf = problem.data.weighting.idf_
            resampled = _with_refitted_idf(resampled, resampled.counts, idf)
        _fit_weighted(classifier, method, resampled, problem.data.n_documents)
        own_threshold = 0.0 if hasattr(classifier, "decision_function") else 0.5
        n_added = len(resampled.y) - problem.data.n_documents
        return FittedMethod(classifier, own_threshold, resampled.transform_test, n_added)

    # A threshold tuned on top of a method uses the classifier that the method itself has fitted.
    key = _key(method, problem, classifier, refit_idf)
    return problem.data.cache.of_class(problem.members, key, fit)


def _key(method: Method, problem: Problem, classifier: BaseEstimator, refit_idf: bool) -> Hashable:
    """Return the key of a fit in the cache."""
    # Its random state follows from the problem.
    settings = classifier.get_params(deep=True) | {"random_state": None}
    of_problem = (problem.n_new, problem.seed, problem.stream, refit_idf)
    # A subclass may resample in a way of its own.
    own = None if type(method) is Method else method
    of_method = (own, _identity(method.sampler), method.class_weight, method.weight)
    return (type(classifier), str(settings), *of_method, *of_problem)


def _identity(sampler: Any) -> Hashable:
    """Return what two samplers share that draw the same: their class and parameters."""
    settings = sampler
    while hasattr(settings, "sampler"):
        settings = settings.sampler
    written = f"{sampler!r} {settings.get_params() if hasattr(settings, 'get_params') else ''}"
    # An address says nothing about a parameter; such a sampler is only equal to itself.
    same: Hashable = (type(sampler), written)
    return sampler if sampler is None or " at 0x" in written else same


def _fit_threshold(
    method: Method,
    problem: Problem,
    classifier: BaseEstimator,
    refit_idf: bool,
    groups: NDArray[np.int64] | None,
) -> FittedMethod:
    """Fit a method with the threshold that is best over folds of the training documents.

    scikit-learn cuts indices into folds, and each fold prepares its training documents anew. So
    a held-out document gets its vector as an unseen one will: by the vocabulary and idf of the
    fold's own training documents.
    """
    untuned = _MethodOfIndices(problem, replace(method, scoring=None), classifier, refit_idf)
    tuned, threshold = tune_threshold(untuned, problem, method.scoring, method.name, groups)
    fitted: FittedMethod = tuned.fitted_
    return replace(fitted, threshold=threshold)


def tune_threshold(
    classifier: BaseEstimator,
    problem: Problem,
    scoring: str | None,
    name: str,
    groups: NDArray[np.int64] | None,
) -> tuple[BaseEstimator, float]:
    """Fit a classifier whose X holds indices, and choose its threshold as scikit-learn does.

    Returns the classifier fitted on all documents, and the threshold with the best mean over folds.
    """
    n_rest = len(problem.is_class) - problem.n_class
    n_folds = min(_TUNING_FOLDS, problem.n_class, n_rest)
    if n_folds < 2:
        raise ValueError(
            f"{name!r} tunes the threshold by cross-validation, which needs two documents "
            f"of the class and two others; there are {problem.n_class} and {n_rest}"
        )
    tuned = TunedThresholdClassifierCV(
        classifier,
        scoring=make_scorer(partial(_score, value=get_goal(scoring).value)),
        response_method="decision_function",
        cv=tuning_folds(problem.is_class, n_folds, problem.seed, groups),
    ).fit(np.arange(len(problem.is_class)).reshape(-1, 1), problem.is_class.astype(np.int64))
    return tuned.estimator_, float(tuned.best_threshold_)


def _score(
    y_true: NDArray[np.int64],
    y_pred: NDArray[np.int64],
    value: Callable[[Confusion], float | Array],
) -> float:
    # Tuning asks for hundreds of scores. scikit-learn's own functions check their input so
    # thoroughly that this, and not the training, would take nearly all the time.
    return float(value(Confusion.of(y_true == 1, y_pred == 1)))


class _MethodOfIndices(ClassifierMixin, BaseEstimator):
    """A method as an estimator whose X holds indices of the problem's documents."""

    def __init__(
        self, problem: Problem, method: Method, classifier: BaseEstimator, refit_idf: bool
    ) -> None:
        self.problem = problem
        self.method = method
        self.classifier = classifier
        self.refit_idf = refit_idf

    def fit(self, X: NDArray[np.int64], y: NDArray[np.int64]) -> "_MethodOfIndices":
        indices, data = X[:, 0], self.problem.data
        self.classes_ = np.array([0, 1])
        on_all = len(indices) == data.n_documents
        self.training_ = (
            data
            if on_all
            else data.cache.of_class(indices, "selected", lambda: data.select(indices))
        )
        self.fitted_ = fit_method(
            self.method,
            self.problem if on_all else self.problem.on(self.training_, y == 1),
            classifier=self.classifier,
            refit_idf=self.refit_idf,
        )
        if not on_all:
            # Nobody asks for this fit again; only the documents are used for other thresholds.
            self.training_.forget()
        return self

    def decision_function(self, X: NDArray[np.int64]) -> NDArray[np.float64]:
        unseen = self.training_.vectors_of(self.problem.data, X[:, 0])
        return self.fitted_.decision_function(unseen)


def with_best_features(
    data: PreparedDocuments, is_class: NDArray[np.bool_], classifier: BaseEstimator, seed: int
) -> PreparedDocuments:
    """Return the documents with the features that rank the class best, chosen on them alone.

    It takes the one of words, words+pairs and characters with the largest average precision over
    three folds. If the class is too small for three folds, it takes words.
    """
    precision_of: dict[str, float] = {"words": 0.0}
    if min(is_class.sum(), (~is_class).sum()) >= _AUTO_FOLDS:
        cuts = tuning_folds(is_class, _AUTO_FOLDS, seed)
        for kind in FEATURES[1:]:  # words first: it wins a tie
            documents = data.with_features(own_features(kind))
            precisions = []
            for train, test in cuts:
                part, model = documents.select(train), _unfitted(classifier, seed)
                model.fit(part.vectors, is_class[train])
                scores = _scores(model, part.vectors_of(documents, test))
                precisions.append(average_precision_score(is_class[test], scores))
            precision_of[kind] = round(float(np.mean(precisions)), 9)
    return data.with_features(own_features(max(precision_of, key=precision_of.__getitem__)))


def _unfitted(classifier: BaseEstimator, seed: int, stream: int = 0) -> BaseEstimator:
    classifier = default_classifier() if classifier is None else clone(classifier)
    if "random_state" in classifier.get_params(deep=False):
        # A stream of its own, so that another draw in a sampler does not change the solver.
        classifier.set_params(random_state=keyed_random_state(seed, 2**63 + stream))
    return classifier


def _is_empty(X: Matrix) -> bool:
    """Return whether there is nothing to score, which scikit-learn's classifiers refuse to do."""
    return (X.shape[0] if hasattr(X, "shape") else len(X)) == 0


def _scores(classifier: BaseEstimator, X: Matrix) -> NDArray[np.float64]:
    """Return the decision function of a binary classifier, or its probability of the class."""
    name = type(classifier).__name__
    if hasattr(classifier, "decision_function"):
        scores = np.asarray(classifier.decision_function(X), dtype=np.float64)
    elif hasattr(classifier, "predict_proba"):
        scores = np.asarray(classifier.predict_proba(X)[:, 1], dtype=np.float64)
    else:
        raise TypeError(
            f"{name} has neither decision_function nor predict_proba; choose a classifier that "
            "scores documents"
        )
    if scores.ndim != 1 or np.isnan(scores).any():
        problem = f"has {scores.ndim} dimensions" if scores.ndim != 1 else "holds NaN"
        raise ValueError(
            f"the decision_function or predict_proba of {name} {problem}; a binary classifier must "
            "return one number per document"
        )
    return scores


def _set_class_weight(classifier: BaseEstimator, method: Method) -> None:
    if "class_weight" not in classifier.get_params(deep=False):
        raise ValueError(
            f"method {method.name!r} needs a classifier with the parameter class_weight, and "
            f"{type(classifier).__name__} has none; choose another classifier or another method"
        )
    classifier.set_params(class_weight=method.class_weight)


def _fit_weighted(
    classifier: BaseEstimator, method: Method, resampled: Resampled, n_originals: int
) -> None:
    if resampled.weight == 1.0:
        classifier.fit(resampled.X, resampled.y)
        return
    if not has_fit_parameter(classifier, "sample_weight"):
        raise ValueError(
            f"method {method.name!r} weights its documents, and {type(classifier).__name__}.fit "
            "does not take sample_weight; choose another classifier, or leave the weight out"
        )
    is_new = np.arange(len(resampled.y)) >= n_originals
    weights = np.where(is_new, resampled.weight, 1.0)
    classifier.fit(resampled.X, resampled.y, sample_weight=weights)


def _with_refitted_idf(
    resampled: Resampled, counts: sparse.csr_array, frozen_idf: NDArray[np.float64]
) -> Resampled:
    """Weigh rows by the idf of originals and synthetic documents together.

    Rows have unit length, so multiplying columns by new over old idf and normalising again is the
    same as weighing the counts anew. Unseen documents are treated the same way.
    """
    frequency = np.bincount(counts.indices[counts.data > 0], minlength=counts.shape[1])
    rescale = Rescale(idf_weights(frequency, counts.shape[0], least=0) / frozen_idf)
    return replace(resampled, X=rescale(resampled.X), transform_test=rescale)


@dataclass(frozen=True, eq=False)
class Rescale:
    """Multiply each word by a factor and normalise; an object, so that it can be pickled."""

    factors: NDArray[np.float64]

    def __call__(self, X: sparse.csr_array) -> sparse.csr_array:
        scaled = sparse.csr_array(X @ sparse.diags_array(self.factors))
        return normalize(scaled) if scaled.shape[0] else scaled
