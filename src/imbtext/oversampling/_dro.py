"""DRO: distributional random oversampling, with its own feature space.

DRO gives a document a distribution over all training documents: its tf-idf row times a matrix whose
row for word w is the information gain of w times the tf-idf column of w, scaled to sum to 1. That
product is dense. But it is a mixture over the document's own words. So a draw takes a word, by
tf-idf weight times information gain, and then a training document from the column of that word.
Both are exact and need no more memory than the sparse vectors themselves.

Latent space oversampling (Moreo, Esuli and Sebastiani 2016) needs only a distribution over latent
features for each word. Its authors use the training documents as features, and call that DRO. Two
other spaces are offered. With *words*, a word leads to the words that stand in the same documents.
With *topics*, it leads to the parts of a non-negative factorisation of the documents, so the latent
space stays small however many documents there are.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, Literal, Self, get_args

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
from imbtext.documents._labels import check_labelled
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

if TYPE_CHECKING:
    from types import ModuleType

Latent = Literal["documents", "words", "topics"]
LATENTS: Final = get_args(Latent)
N_TOPICS: Final = 50
_STEPS: Final = 200
_MOST_DRAWS: Final = 2.0**31
# Training rows and unseen documents never share random numbers.
_TRAINING, _UNSEEN = 0, 1
_NO_CLASS = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class WordColumns:
    """Each word's distribution over the latent features, as cumulative weights.

    It is the same for every class. The features are training documents, unless another latent
    space was chosen: those of word w are ``documents[indptr[w]:indptr[w + 1]]``.
    """

    indptr: NDArray[np.int64]
    documents: NDArray[np.int32]
    cumulative: NDArray[np.float64]
    n_documents: int

    @classmethod
    def of(cls, tfidf: sparse.csr_array) -> Self:
        """Accumulate the columns of the training documents' vectors."""
        columns = sparse.csc_array(tfidf, dtype=np.float64)
        if columns.nnz and columns.data.min() < 0:
            raise ValueError(
                "Negative values in data: tf-idf weights must not be negative; pass tf-idf vectors"
            )
        columns.eliminate_zeros()
        indptr = columns.indptr.astype(np.int64)
        return cls(
            indptr,
            columns.indices.astype(np.int32),
            _kernels().accumulate(indptr, columns.data),
            columns.shape[0],
        )


def latent_columns(tfidf: sparse.csr_array, latent: Latent) -> WordColumns:
    """Return each word's distribution over the latent features.

    Examples
    --------
    >>> tfidf = sparse.csr_array(np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]))
    >>> [latent_columns(tfidf, latent).n_documents for latent in LATENTS]
    [3, 3, 2]
    >>> columns = latent_columns(tfidf, "words")  # the first word meets itself and the second
    >>> columns.documents[: columns.indptr[1]].tolist()
    [0, 1]
    """
    if latent == "documents":
        return WordColumns.of(tfidf)
    return WordColumns.of(_companions(tfidf) if latent == "words" else _topics(tfidf))


def _companions(tfidf: sparse.csr_array) -> sparse.csr_array:
    """Return words by words: from a word to one of its documents, then to a word of that."""
    sums = np.asarray(tfidf.sum(axis=1)).ravel()
    shares = sparse.diags_array(1.0 / np.where(sums > 0, sums, 1.0)) @ tfidf
    return sparse.csr_array(shares.T @ tfidf)


def _topics(tfidf: sparse.csr_array) -> sparse.csr_array:
    from sklearn.decomposition import NMF
    from sklearn.exceptions import ConvergenceWarning

    n = max(1, min(N_TOPICS, min(tfidf.shape) - 1))
    # Started from the singular vectors, so nothing is random; a few words in each topic.
    model = NMF(n, init="nndsvd", max_iter=_STEPS, tol=1e-3, random_state=0)
    with warnings.catch_warnings():
        # Parts that are nearly settled serve as well.
        warnings.simplefilter("ignore", ConvergenceWarning)
        weights = model.fit(tfidf).components_ if tfidf.nnz else np.ones((1, tfidf.shape[1]))
    # A word of no topic belongs to all of them alike.
    weights[:, weights.sum(axis=0) == 0] = 1.0
    return sparse.csr_array(weights)


@dataclass(frozen=True, eq=False)
class LatentSpace:
    """The distribution that DRO draws latent features from, for one class.

    It consists of each word's distribution over the latent features, and of each word's information
    gain about the class, in bits.

    Examples
    --------
    >>> tfidf = sparse.csr_array(np.array([[1.0, 0, 1.0], [0, 2.0, 0], [0, 1.0, 0]]))
    >>> space = LatentSpace.of(tfidf, np.array([True, False, False]))
    >>> space.information_gain.round(3).tolist()
    [0.918, 0.918, 0.918]
    >>> space.draw(tfidf, seed=0).toarray().tolist()
    [[2, 0, 0], [0, 1, 1], [0, 1, 0]]
    """

    columns: WordColumns
    information_gain: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        tfidf: sparse.csr_array,
        is_class: NDArray[np.bool_],
        columns: WordColumns | None = None,
        latent: WordColumns | None = None,
    ) -> Self:
        """Compute each word's information gain for a class.

        `columns` are those of `tfidf`, if they were accumulated before; `latent` are those of
        another latent space than the training documents.
        """
        columns = WordColumns.of(tfidf) if columns is None else columns
        return cls(columns if latent is None else latent, _information_gain(columns, is_class))

    def draw(self, tfidf: sparse.csr_array, seed: int, stream: int = 0) -> sparse.csr_array:
        """Draw the latent counts of training rows, each by its own random numbers.

        The number of draws is the integer part of the row's sum. A row in which no word tells
        anything about the class gets none.
        """
        keys = _kernels().row_keys(tfidf.shape[0], np.uint64(seed), np.uint64(stream))
        return self._draw(tfidf, keys)

    def draw_unseen(self, tfidf: sparse.csr_array, seed: int, stream: int = 1) -> sparse.csr_array:
        """Draw the latent counts of unseen documents.

        The random numbers depend on the content of a document and not on its position, so that a
        document is classified the same way alone and among others.
        """
        tfidf = sparse.csr_array(tfidf.astype(np.float64))
        tfidf.sort_indices()
        kernels = _kernels()
        keys = kernels.content_keys(
            tfidf.indptr.astype(np.int64),
            tfidf.indices.astype(np.int64),
            tfidf.data.view(np.uint64),
            np.uint64(kernels.document_key(np.uint64(seed), np.uint64(stream), np.uint64(0))),
        )
        return self._draw(tfidf, keys)

    def _draw(self, tfidf: sparse.csr_array, keys: NDArray[np.uint64]) -> sparse.csr_array:
        tfidf = sparse.csr_array(tfidf.astype(np.float64))
        if tfidf.shape[1] != len(self.information_gain):
            raise ValueError(
                f"the documents have {tfidf.shape[1]} columns, but the latent space was learnt "
                f"from {len(self.information_gain)}; vectorise them like the training documents"
            )
        # The kernel trusts that the integer parts of the sums add up within 64 bits, and memory.
        if tfidf.nnz and abs(tfidf).sum() > _MOST_DRAWS:
            raise ValueError(
                f"the weights of {tfidf.shape[0]} documents sum to {abs(tfidf).sum():.3g}, too "
                "many latent features to draw; pass tf-idf vectors of unit length"
            )
        offsets, drawn = _kernels().draw_documents(
            tfidf.indptr.astype(np.int64),
            tfidf.indices.astype(np.int64),
            tfidf.data,
            keys,
            self.information_gain,
            self.columns.indptr,
            self.columns.documents,
            self.columns.cumulative,
        )
        latent = sparse.csr_array(
            (np.ones(len(drawn), dtype=np.int64), drawn, offsets),
            shape=(tfidf.shape[0], self.columns.n_documents),
        )
        latent.sum_duplicates()
        return latent


def _information_gain(columns: WordColumns, is_class: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the mutual information, in bits, of a word's presence and the class."""
    n = columns.n_documents
    frequency = np.diff(columns.indptr)
    seen = np.concatenate([[0], np.cumsum(is_class[columns.documents])])
    in_class = seen[columns.indptr[1:]] - seen[columns.indptr[:-1]]
    n_class = int(is_class.sum())
    gain = np.zeros(len(frequency))
    for joint, word, label in [
        (in_class, frequency, n_class),
        (frequency - in_class, frequency, n - n_class),
        (n_class - in_class, n - frequency, n_class),
        (n - n_class - frequency + in_class, n - frequency, n - n_class),
    ]:
        # Where the joint count is 0 its term is 0, so any finite logarithm will do.
        ratio = np.where(joint > 0, joint * (n / label), 1.0) / np.where(joint > 0, word, 1)
        gain += joint / n * np.log2(ratio)
    # Independence comes out as 0 up to rounding, and a weight must not be negative.
    return np.maximum(gain, 0.0)


def _kernels() -> "ModuleType":
    # numba takes a third of a second to import: only when something is drawn.
    from imbtext.oversampling import _dro_kernels as kernels

    return kernels


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
    """Return a check for scikit-learn whether the classifier of a DRO has a method."""

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

    The latent distribution of a document is a row of an n-by-n matrix, which is never built: a draw
    takes a word of the document, then a training document of that word.

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
    # Only vectors of words mean something to it; with other features it is refused.
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
        check_labelled(y)
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
