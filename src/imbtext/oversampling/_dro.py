"""DRO: distributional random oversampling, with its own feature space."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from imblearn.over_sampling.base import BaseOverSampler
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.utils import Tags
from sklearn.utils._param_validation import HasMethods, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from imbtext._estimator import DocumentedEstimatorMixin, fit_context
from imbtext._svm import default_classifier, for_liblinear
from imbtext._typing import Array, LabelsLike, Matrix, RandomState, SamplingStrategy
from imbtext.documents._cache import Cache
from imbtext.oversampling._latent_space import (
    LATENTS,
    Latent,
    LatentSpace,
    WordColumns,
    latent_columns,
)
from imbtext.oversampling._sampler import (
    New,
    Replaced,
    Request,
    Space,
    evenly,
    refuse_text,
)
from imbtext.oversampling._strategy import missing_by_label
from imbtext.randomness import draw_seed, keyed_random_state

# Training rows and unseen documents never share random numbers.
_TRAINING, _UNSEEN = 0, 1
_NO_CLASS = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class _WidenedSpace:
    """Training vectors with the class repeated and a latent part drawn for every row."""

    X: sparse.csr_array  # the original rows, then the repeated ones, each beside its latent part
    parents: NDArray[np.int64]  # the original row of each row
    transform: Callable[[sparse.csr_array], sparse.csr_array]  # widens unseen documents


def _columns(tfidf: sparse.csr_array, latent: Latent, cache: Cache) -> WordColumns:
    # The same for all classes, but as large as the vectors: kept with what belongs to a class.
    key = ("latent columns", latent)
    return cache.of_class(_NO_CLASS, key, lambda: latent_columns(tfidf, latent))


@dataclass(frozen=True, eq=False)
class _WidenUnseen:
    """Widen unseen documents; an object, so that a fitted classifier can be pickled."""

    space: LatentSpace
    weighting: TfidfTransformer
    seed: int
    stream: int

    def __call__(self, X: sparse.csr_array) -> sparse.csr_array:
        latent = self.space.draw_unseen(X, self.seed, self.stream)
        return _side_by_side(X, self.weighting.transform(latent) if X.shape[0] else latent)


def _side_by_side(words: sparse.csr_array, latent: sparse.csr_array) -> sparse.csr_array:
    return for_liblinear(sparse.hstack([words, latent], format="csr"))


def _classifier_has(method: str) -> Callable[["DRO"], bool]:
    """Tell scikit-learn, which picks the method to score with, what the wrapped one can do."""

    def check(dro: "DRO") -> bool:
        classifier = getattr(dro, "classifier_", dro.classifier)
        return hasattr(default_classifier() if classifier is None else classifier, method)

    return check


class DRO(DocumentedEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Distributional random oversampling around a classifier.

    DRO repeats documents of the rare class and gives every document, old and new, a latent part:
    counts over the training documents, drawn by how its words are spread over them. Repetitions
    differ in their latent part, and unseen documents must get one too.

    A sampler cannot do that. In an imbalanced-learn pipeline samplers act on training data only
    and leave the feature space alone, and a step may not be both sampler and transformer. So DRO
    takes the place of the classifier, at the end of an ordinary pipeline, and wraps the one it is
    given: `fit` widens the space and oversamples, `predict` widens the space and asks the
    classifier. Nothing else in the pipeline has to know.

    Parameters
    ----------
    classifier : estimator, default=None
        Fitted in the widened space; None is the paper's linear support vector machine.
    latent : {"documents", "words", "topics"}, default="documents"
        What the latent features stand for. ``"documents"``, the training documents, is DRO itself.
        ``"words"`` (words that share documents) and ``"topics"`` (50 topics of a non-negative
        factorisation) are variants within the authors' framework of latent space oversampling.
    sampling_strategy : float, str, dict or callable, default="auto"
        As in imbalanced-learn.
    random_state : int, RandomState instance or None, default=None
        Controls all randomness except the classifier's.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The labels.
    classifier_ : estimator
        The fitted classifier.
    is_synthetic_ : ndarray of bool
        Whether a training row was added.
    sample_indices_ : ndarray of int64
        The document that each training row repeats.
    n_generated_ : dict
        Number of rows added to each class.

    Notes
    -----
    `X` holds tf-idf vectors. The word weights need one class against the rest, so more than two
    classes take ``sklearn.multiclass.OneVsRestClassifier(DRO())``. The draws of an unseen document
    depend on what it contains, so it is classified the same way alone and among others.

    The latent distribution of a document is a row of an n-by-n matrix, which is never built, see
    `imbtext.oversampling._latent_space`.

    References
    ----------
    A. Moreo, A. Esuli and F. Sebastiani, "Distributional random oversampling for imbalanced text
    classification", SIGIR 2016.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from sklearn.pipeline import make_pipeline
    >>> texts = ["oil price up", "oil down"] + ["rain today", "sun and rain", "snow", "sun"] * 3
    >>> y = ["oil"] * 2 + ["weather"] * 12
    >>> model = make_pipeline(TfidfVectorizer(), DRO(random_state=0)).fit(texts, y)
    >>> model.predict(["price of oil", "more rain"]).tolist()
    ['oil', 'weather']
    >>> model[-1].n_generated_["oil"]
    10
    """

    space: ClassVar[Space] = "tfidf"
    title: ClassVar[str] = "DRO"
    in_names: ClassVar[tuple[str, ...]] = ("latent",)
    of_words: ClassVar[bool] = True

    _parameter_constraints = {
        **BaseOverSampler._parameter_constraints,
        "classifier": [HasMethods(["fit", "predict"]), None],
        "latent": [StrOptions(set(LATENTS))],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        classifier: BaseEstimator | None = None,
        *,
        latent: Latent = "documents",
        sampling_strategy: SamplingStrategy = "auto",
        random_state: RandomState = None,
    ) -> None:
        self.classifier = classifier
        self.latent = latent
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state

    @classmethod
    def of_name(cls, **parameters: Any) -> Self:
        """Build it from the parameters in a method's name."""
        return cls(**parameters)

    def draw(self, request: Request) -> New:
        """Repeat the class and move everything into the widened space."""
        n, widened = request.documents.shape[0], self._widen(request)
        replaced = Replaced(np.arange(n), widened.X[:n])
        return New(widened.parents[n:], widened.X[n:], replaced, widened.transform)

    def _widen(self, request: Request) -> _WidenedSpace:
        """Widen the vectors of all documents, and of the class's repeated ones.

        Every document of the class is repeated equally often, and those repeated once more are
        drawn without replacement. Originals and repetitions each draw a latent part of their own.
        Latent counts are weighted by a tf-idf fitted on the training rows, repetitions included.
        """
        tfidf: sparse.csr_array = request.documents
        n, rows, seed, stream = tfidf.shape[0], request.rows, request.seed, request.stream
        columns = _columns(tfidf, "documents", request.cache)
        latent_features = columns
        if self.latent != "documents":
            latent_features = _columns(tfidf, self.latent, request.cache)
        is_class = np.isin(np.arange(n), rows)
        space = LatentSpace.of(tfidf, is_class, columns, latent_features)
        times = request.n // len(rows)
        once_more = rows[evenly(request.n, len(rows), seed, stream) > times]
        parents = np.concatenate([np.arange(n), np.tile(rows, times), once_more])
        words = sparse.csr_array(tfidf[parents])
        drawn = space.draw(words, seed, 2 * stream + _TRAINING)
        weighting = TfidfTransformer().fit(drawn)
        return _WidenedSpace(
            _side_by_side(words, weighting.transform(drawn)),
            parents,
            _WidenUnseen(space, weighting, seed, 2 * stream + _UNSEEN),
        )

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Matrix, y: LabelsLike) -> Self:
        """Oversample in the widened space and fit the classifier."""
        refuse_text(X, "DRO works on tf-idf vectors: put it behind TfidfVectorizer, in a pipeline")
        shape: tuple[int, ...] = getattr(y, "shape", ())
        if len(shape) == 2 and shape[1] > 1:
            raise ValueError(
                "Multilabel and multioutput targets are not supported. Give one label per document"
            )
        X, labels = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{type_of_target(labels)}: y has {len(self.classes_)} classes, but DRO tells one "
                "from the rest; for more classes wrap it: OneVsRestClassifier(DRO())"
            )
        strategy = missing_by_label(self.sampling_strategy, labels)
        asked = {label: n for label, n in strategy.items() if n}
        if len(asked) > 1:
            raise ValueError(
                f"sampling_strategy asks for more documents of both classes, {asked}; "
                "DRO oversamples one of the two"
            )
        label, n_new = next(iter(asked.items()), (self.classes_[np.bincount(codes).argmin()], 0))
        seed, stream = draw_seed(self.random_state), int(label == self.classes_[1])
        tfidf, rows = sparse.csr_array(X), np.flatnonzero(labels == label)
        widened = self._widen(Request(tfidf, rows, n_new, seed, stream, label))
        self.transform_ = widened.transform
        self.sample_indices_ = widened.parents
        self.is_synthetic_ = np.arange(len(self.sample_indices_)) >= len(labels)
        self.n_generated_ = {label: n_new} if n_new else {}
        classifier = self.classifier
        if classifier is None:
            state = keyed_random_state(seed, 2**63 + stream)
            classifier = default_classifier().set_params(random_state=state)
        self.classifier_ = clone(classifier).fit(widened.X, labels[widened.parents])
        return self

    def predict(self, X: Matrix) -> Array:
        """Return a label per document."""
        widened = self._widened(X)
        return np.asarray(self.classifier_.predict(widened))

    @available_if(_classifier_has("decision_function"))
    def decision_function(self, X: Matrix) -> NDArray[np.float64]:
        """Return the classifier's score of each document for ``classes_[1]``."""
        widened = self._widened(X)
        return np.asarray(self.classifier_.decision_function(widened))

    @available_if(_classifier_has("predict_proba"))
    def predict_proba(self, X: Matrix) -> NDArray[np.float64]:
        """Return the classifier's probabilities, where it has them."""
        widened = self._widened(X)
        return np.asarray(self.classifier_.predict_proba(widened))

    def _widened(self, X: Matrix) -> sparse.csr_array:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return self.transform_(sparse.csr_array(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.multi_class = False
        return tags
