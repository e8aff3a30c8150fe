"""A method and a classifier as one scikit-learn estimator on documents."""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from imbtext.containers import Labels
from imbtext.methods._features import own_features
from imbtext.methods._fitting import fit_method, with_best_features
from imbtext.methods._method import Method
from imbtext.methods._request import Request
from imbtext.methods._training import TrainingData
from imbtext.oversampling._strategy import minority_share
from imbtext.randomness import draw_seed


class MethodClassifier(ClassifierMixin, BaseEstimator):
    """Find the rare class in documents: oversample by a method, fit a classifier.

    Cross-validation of this estimator resamples inside each training fold, and test documents are
    never resampled. It works inside scikit-learn's `TunedThresholdClassifierCV`; the method
    ``"threshold(emco(0.1), f2)"`` does the same on its own.

    Parameters
    ----------
    method : str or Method, default="emco(0.1)"
        What to do about the imbalance, see `imbtext.methods.method_names`.
    classifier : estimator, default=None
        Fitted on tf-idf vectors; None is the paper's linear support vector machine.
    share : float, default=0.2
        Share of the rare class among the training documents after oversampling.
    positive : label, default=None
        The class to oversample; None is the rarer one.
    features : str, vectorizer or callable, default="words"
        What the classifier sees of a document: tf-idf of ``"words"``, ``"words+pairs"``,
        ``"characters"``, or ``"auto"``, the best of these on the training documents; a scikit-learn
        vectorizer or pipeline on text; or a callable from documents to vectors.
    tokenizer : callable, default=None
        Splits strings; None is scikit-learn's token pattern, lower-cased.
    refit_idf : bool, default=False
        Whether idf is refitted on originals and synthetic documents together, or frozen on the
        originals as in the paper.
    random_state : int, RandomState instance or None, default=None
        Owns all randomness: the documents added are those that the method's sampler would add.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels.
    fitted_ : FittedMethod
        The classifier, its threshold and the training matrix.

    Examples
    --------
    >>> texts = ["oil price up", "oil down"] + ["rain today", "sun and rain", "snow", "sun"] * 3
    >>> y = ["oil", "oil"] + ["weather"] * 12
    >>> model = MethodClassifier("emco(0.1)", random_state=0).fit(texts, y)
    >>> model.predict(["price of oil", "more rain"]).tolist()
    ['oil', 'weather']
    """

    def __init__(
        self,
        method: str | Method = "emco(0.1)",
        *,
        classifier: Any = None,
        share: float = 0.2,
        positive: Any = None,
        features: Any = "words",
        tokenizer: Callable[[str], Sequence[str]] | None = None,
        refit_idf: bool = False,
        random_state: Any = None,
    ) -> None:
        self.method = method
        self.classifier = classifier
        self.share = share
        self.positive = positive
        self.features = features
        self.tokenizer = tokenizer
        self.refit_idf = refit_idf
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Oversample the documents and fit the classifier."""
        features = own_features(self.features)
        self.data_ = TrainingData.from_documents(X, self.tokenizer, features)
        labels = Labels.of(y, self.data_.n_documents).values
        self.classes_, sizes = np.unique(labels, return_counts=True)
        if len(self.classes_) != 2:
            raise ValueError(
                f"y has {len(self.classes_)} classes, such as {self.classes_[:5].tolist()}; "
                "MethodClassifier tells one class from the rest: pass y == label"
            )
        self.positive_ = self.classes_[0 if sizes[0] < sizes[1] else 1]
        if self.positive is not None:
            if self.positive not in self.classes_:
                raise ValueError(
                    f"positive is {self.positive!r}, which is not among the labels "
                    f"{self.classes_.tolist()}"
                )
            self.positive_ = self.positive
        is_class = np.asarray(labels == self.positive_)
        seed = draw_seed(self.random_state)
        if self.features == "auto":
            self.data_ = with_best_features(self.data_, is_class, self.classifier, seed)
        request = Request(
            self.data_,
            is_class,
            minority_share(self.share).missing,
            seed=seed,
            stream=int(self.positive_ == self.classes_[1]),
        )
        self.fitted_ = fit_method(
            self.method, request, classifier=self.classifier, refit_idf=self.refit_idf
        )
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return a score per document, above 0 where it is put into ``classes_[1]``."""
        check_is_fitted(self)
        score = self.fitted_.decision_function(self.data_.vectorize_documents(X))
        score = score - self.fitted_.threshold
        return score if self.positive_ == self.classes_[1] else -score

    def predict(self, X: Any) -> NDArray[Any]:
        """Return a label per document."""
        check_is_fitted(self)
        rare = self.fitted_.predict(self.data_.vectorize_documents(X))
        other = self.classes_[self.classes_ != self.positive_][0]
        return np.where(rare, self.positive_, other)
