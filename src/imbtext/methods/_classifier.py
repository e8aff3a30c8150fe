"""A method and a classifier as one scikit-learn estimator on documents."""

import inspect
from collections.abc import Callable, Sequence
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import HasMethods
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from imbtext._estimator import TextEstimatorMixin, fit_context
from imbtext._svm import default_classifier
from imbtext._typing import (
    Array,
    DocumentsLike,
    FeaturesLike,
    Label,
    LabelsLike,
    Matrix,
    RandomState,
)
from imbtext.documents._documents import Documents
from imbtext.methods._documents import PreparedDocuments, own_features
from imbtext.methods._fitting import fit_method, with_best_features
from imbtext.methods._method import Method, Problem
from imbtext.methods._registry import get_method
from imbtext.oversampling._sampler import Draws
from imbtext.oversampling._strategy import minority_share
from imbtext.randomness import draw_seed

# Parameters of a sampler that this classifier decides about, each with its own parameter for it.
_DECIDED_HERE: Final = {
    "sampling_strategy": "share",
    "random_state": "random_state",
    "tokenizer": "tokenizer",
    "classifier": "classifier",
    "text": "X, one column of documents",
}


def _has_probabilities(model: "ResampledClassifier") -> bool:
    if get_method(model.method).estimator is not None:
        return True
    return hasattr(
        default_classifier() if model.classifier is None else model.classifier, "predict_proba"
    )


class ResampledClassifier(TextEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Find the rare class in documents: oversample by a method, fit a classifier.

    Cross-validation of this estimator resamples inside each training fold, and test documents are
    never resampled. It works inside scikit-learn's `TunedThresholdClassifierCV`; the method
    ``"threshold(emco(0.1), f2)"`` does the same on its own.

    Parameters
    ----------
    method : str, sampler or Method, default="emco(0.1)"
        What to do about the imbalance: a name (see `imbtext.methods.method_names`), or a sampler
        such as ``EMCO(0.1)``, whose parameters a search sets as ``method__gamma``. The number of
        documents, the seed and the tokenizer are those of this classifier, so a sampler that sets
        its own is refused.
    classifier : estimator, default=None
        Fitted on tf-idf vectors; None is the paper's linear support vector machine.
    share : float, default=0.2
        The share of the rare class among the training documents after oversampling.
    pos_label : label, default=None
        The class to oversample; None is the rarer one.
    features : str, vectorizer, callable or list of these, default="auto"
        What the classifier sees of a document: tf-idf of ``"words"``, ``"words+pairs"`` or
        ``"characters"``; ``"auto"``, which is words; ``"best"``, the one of the three that ranks
        the training documents best; a scikit-learn vectorizer or pipeline on text; or a callable
        from documents to vectors. A list puts several side by side. The method ``rare`` names its
        own, as in ``rare(f2, words)``.
    tokenizer : callable, default=None
        Splits strings; None is scikit-learn's token pattern, lower-cased.
    refit_idf : bool, default=False
        Whether idf is refitted on originals and synthetic documents together, or frozen on the
        originals, as in the paper.
    random_state : int, RandomState instance or None, default=None
        The seed of all random numbers. The method adds the same documents as its sampler with this
        seed.

    Attributes
    ----------
    classes_ : ndarray
        The labels. If there are more than two, each has a classifier against the rest.
    fitted_ : list of FittedMethod
        The fitted classifiers with their thresholds: one for two classes, else one per class.

    See Also
    --------
    imbtext.RareTextClassifier : Chooses its own features and threshold for a measure.
    imbtext.compare : Measures methods on your documents and recommends one.

    Notes
    -----
    Save a fitted model with pickle: the pickle leaves the training documents out.

    Examples
    --------
    >>> texts = ["oil price up", "oil down"] + ["rain today", "sun and rain", "snow", "sun"] * 3
    >>> y = ["oil", "oil"] + ["weather"] * 12
    >>> model = ResampledClassifier("emco(0.1)", random_state=0).fit(texts, y)
    >>> model.predict(["price of oil", "more rain"]).tolist()
    ['oil', 'weather']
    """

    _parameter_constraints: dict[str, str | list[object]] = {
        "classifier": [HasMethods(["fit"]), None],
        # The functions that read these give better messages than a type check.
        "method": "no_validation",
        "share": "no_validation",
        "pos_label": "no_validation",
        "features": "no_validation",
        "tokenizer": [callable, None],
        "refit_idf": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        method: str | Method | Draws = "emco(0.1)",
        *,
        classifier: BaseEstimator | None = None,
        share: float = 0.2,
        pos_label: Label = None,
        features: FeaturesLike = "auto",
        tokenizer: Callable[[str], Sequence[str]] | None = None,
        refit_idf: bool = False,
        random_state: RandomState = None,
    ) -> None:
        self.method = method
        self.classifier = classifier
        self.share = share
        self.pos_label = pos_label
        self.features = features
        self.tokenizer = tokenizer
        self.refit_idf = refit_idf
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: DocumentsLike, y: LabelsLike) -> Self:
        """Oversample the documents and fit the classifier."""
        method = get_method(self.method)
        _refuse_own_settings(self.method)
        features = own_features(self.features)
        documents = Documents.of(X, y).labelled(unlabelled="skip")
        self.data_ = PreparedDocuments.of(documents, self.tokenizer, features)
        n = self.data_.n_documents
        self._labels, members = documents.labels.single().one_vs_rest(self.pos_label)
        self.classes_ = self._labels.classes
        are_class = [np.isin(np.arange(n), rows) for rows in members]
        seed = draw_seed(self.random_state)
        if isinstance(self.features, str) and self.features == "best":
            rarest = min(are_class, key=np.count_nonzero)
            self.data_ = with_best_features(self.data_, rarest, self.classifier, seed)
        amount = minority_share(self.share).missing
        self.fitted_ = [
            fit_method(
                method,
                Problem(self.data_, is_class, amount, seed, stream, self.classes_.tolist()[stream]),
                classifier=self.classifier,
                refit_idf=self.refit_idf,
            )
            for is_class, stream in zip(are_class, self._labels.modelled.tolist(), strict=True)
        ]
        self.data_.forget()
        return self

    def decision_function(self, X: DocumentsLike) -> NDArray[np.float64]:
        """Return scores less thresholds.

        Two classes have one number per document; above 0 means ``classes_[1]``. More classes have a
        column each.
        """
        margins = self._margins(X)
        return self._labels.decision(margins)

    def predict(self, X: DocumentsLike) -> Array:
        """Return a label per document; of more than two, the one with the highest score."""
        margins = self._margins(X)
        return self._labels.decide(margins)

    @available_if(_has_probabilities)
    def predict_proba(self, X: DocumentsLike) -> NDArray[np.float64]:
        """Return the probability of each class, if the classifier has one.

        With more than two classes, each probability is against the rest; they are scaled to sum to
        one.
        """
        documents = self._read(X)
        return self._labels.probabilities(
            np.column_stack([fitted.probabilities(documents) for fitted in self.fitted_])
        )

    def _margins(self, X: DocumentsLike) -> NDArray[np.float64]:
        documents = self._read(X)
        return np.column_stack(
            [fitted.decision_function(documents) - fitted.threshold for fitted in self.fitted_]
        )

    def _read(self, X: DocumentsLike) -> Matrix | Documents:
        """Return documents as the fitted classifiers take them."""
        check_is_fitted(self)
        if self.fitted_[0].reads_documents:
            return Documents.of(X)
        return self.data_.vectorize_documents(X)

    def __getstate__(self) -> dict[str, object]:
        state = dict(super().__getstate__())
        if "fitted_" in state:
            # Predicting needs none of the training documents.
            state["data_"] = self.data_.without_documents()
        return state


def _refuse_own_settings(method: str | Method | Draws) -> None:
    """Raise if a sampler sets what the classifier decides: it would be ignored."""
    if isinstance(method, str | Method):
        return
    sampler = getattr(method, "sampler", method)
    for name, parameter in inspect.signature(type(sampler)).parameters.items():
        if name not in _DECIDED_HERE or (name == "tokenizer" and method.space == "text"):
            continue
        value = getattr(sampler, name)
        if value is not parameter.default and value != parameter.default:
            raise ValueError(
                f"the sampler {type(sampler).__name__} sets {name}={value!r:.60}, which "
                f"ResampledClassifier would not use; give it {_DECIDED_HERE[name]} instead"
            )
