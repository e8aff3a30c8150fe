"""A method: what it is asked for, what it works on, and the training matrix that it returns.

A method carries a resampler: a callable from a :class:`Request` to a :class:`Resampled`. Two of
them serve everyone and stand here: :class:`Unchanged` adds nothing, and :class:`SamplerMethod` asks
any sampler with imbalanced-learn's ``fit_resample``. Those around this package's own engines are in
``_engines.py``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone

from imbtext._typing import Column, Label, Matrix, RandomState, Record
from imbtext.documents import Documents
from imbtext.methods._documents import PreparedDocuments
from imbtext.oversampling import BaseTextOverSampler, ClassByClass
from imbtext.randomness import draw_seed, keyed_random_state

WorksOn = Literal["text", "tokens", "counts", "tfidf", "classifier", "documents"]
Amount = int | Callable[[int, int], int]
# What a sampler takes and returns: texts, token lists, counts or vectors.
SamplerRows = Any


@dataclass(frozen=True, eq=False)
class Request:
    """Training documents, which of them belong to the class, and how many more to make.

    Parameters
    ----------
    data : PreparedDocuments
        The training documents.
    is_class : ndarray of bool
        Which of them belong to the class.
    amount : int or callable
        How many synthetic documents to add: a number, or a function of the number of all documents
        and the number in the class, such as ``minority_share(0.2).missing``. Methods that leave the
        documents as they are ignore it.
    seed, stream : int
        Together they decide all random numbers. With stream 1, the place of True among the labels,
        a method adds the documents that its sampler adds in ``fit_resample(documents, is_class)``
        with the same seed.
    label : object, default=None
        The name of the class, for messages; None calls it "the class".

    Examples
    --------
    >>> from imbtext import minority_share
    >>> data = PreparedDocuments.from_documents(["oil up", "rain", "sun", "snow", "more rain"])
    >>> Request.of(data, [True] + [False] * 4, minority_share(0.5).missing, random_state=0).n_new
    3
    """

    data: PreparedDocuments
    is_class: NDArray[np.bool_]
    amount: Amount
    seed: int
    stream: int = 1
    label: Label = None

    @classmethod
    def of(
        cls,
        data: PreparedDocuments,
        is_class: NDArray[np.bool_],
        amount: Amount,
        random_state: RandomState = None,
        label: Label = None,
    ) -> Self:
        """Take the randomness as scikit-learn does."""
        return cls(data, is_class, amount, draw_seed(random_state), label=label)

    def __post_init__(self) -> None:
        is_class = np.asarray(self.is_class, dtype=bool)
        object.__setattr__(self, "is_class", is_class)
        if is_class.shape != (self.data.n_documents,):
            raise ValueError(
                f"is_class has the shape {is_class.shape}, and there are {self.data.n_documents} "
                "documents; pass one True or False per document"
            )
        if not is_class.any() or is_class.all():
            raise ValueError(
                f"{self.n_class} of {len(is_class)} documents belong to the class; the class and "
                "the rest need at least one document each"
            )
        if not isinstance(self.n_new, Integral) or self.n_new < 0:
            raise ValueError(
                f"amount is {self.n_new!r:.60}; ask for a whole number of synthetic documents, 0 "
                "or more"
            )

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The documents of the class."""
        return np.flatnonzero(self.is_class)

    @property
    def n_class(self) -> int:
        """Number of documents of the class."""
        return int(self.is_class.sum())

    @cached_property
    def n_new(self) -> int:
        """Number of synthetic documents to add."""
        if callable(self.amount):
            return self.amount(len(self.is_class), self.n_class)
        return self.amount

    @cached_property
    def key(self) -> bytes:
        """What stands for the class in the cache that methods share."""
        return np.packbits(self.is_class).tobytes()

    def on(self, data: PreparedDocuments, is_class: NDArray[np.bool_]) -> Self:
        """Ask the same of a part of the documents; a fixed amount shrinks with the rest."""
        amount = self.amount
        if not callable(amount):
            n_class, n_rest = int(is_class.sum()), int((~is_class).sum())
            all_rest = len(self.is_class) - self.n_class
            amount = max(0, (self.n_class + amount) * n_rest // all_rest - n_class)
        return replace(self, data=data, is_class=is_class, amount=amount)

    def __sklearn_clone__(self) -> Self:
        return self


@dataclass(frozen=True, eq=False)
class Resampled:
    """A training matrix with the synthetic rows behind the original ones.

    Attributes
    ----------
    X : csr_array or ndarray
        Vectors, one row per document: tf-idf, or the user's own features.
    y : ndarray of bool
        Whether the row belongs to the class.
    parents : ndarray of int64
        The training document that each row comes from (originals: themselves), -1 without one.
    transform_test : callable or None
        Turns the vectors of unseen documents into those that a classifier fitted on `X` takes; None
        leaves them as they are.
    counts : csr_array or None
        Word counts of the rows, if the method writes documents. With them idf can be refitted.
    weight : float
        How much a synthetic row counts in training; an original counts 1.
    """

    X: Matrix
    y: NDArray[np.bool_]
    parents: NDArray[np.int64]
    transform_test: Callable[[Matrix], Matrix] | None = None
    counts: sparse.csr_array | None = None
    weight: float = 1.0

    @classmethod
    def append(
        cls,
        request: Request,
        X_new: Matrix,
        *,
        counts_new: sparse.csr_array | None = None,
        parents_new: NDArray[np.integer] | None = None,
    ) -> Self:
        """Put synthetic rows, and their counts if they have some, behind the documents."""
        data = request.data
        n_new = X_new.shape[0]
        if parents_new is None:
            parents_new = np.full(n_new, -1)
        X = data.vectors
        if n_new:
            both = [X, X_new]
            X = sparse.vstack(both, format="csr") if sparse.issparse(X) else np.vstack(both)
        return cls(
            X=X,
            y=np.concatenate([request.is_class, np.ones(n_new, dtype=bool)]),
            parents=np.concatenate([np.arange(data.n_documents), parents_new]).astype(np.int64),
            counts=None
            if counts_new is None
            else sparse.vstack([data.counts, counts_new], format="csr"),
        )


class Resampler(Protocol):
    """What a method does to training data."""

    def __call__(self, request: Request) -> Resampled:
        """Return the training matrix with the synthetic rows appended."""
        ...


# From a request, groups and times to a fitted classifier of documents.
FitDocuments = Callable[[Request, Column | None, Column | None], BaseEstimator]


@dataclass(frozen=True)
class Method:
    """One entry of the comparison.

    Attributes
    ----------
    name : str
        As it was written, parameters included, such as ``"emco(0.1)"``.
    works_on : {"text", "tokens", "counts", "tfidf", "classifier", "documents"}
        What the method changes or reads: raw texts, word sequences, word counts, tf-idf vectors,
        only the settings of the classifier, or documents with features and a classifier of its own.
    resampler : Resampler
        Does the work.
    title : str
        The method in words, such as "EMCO with gamma 0.1"; by default its name.
    family : str
        The name under which it is registered, such as ``"emco"``. With a tuned threshold it is
        that of the method whose threshold is tuned.
    parameters : mapping
        The parameters of the family, with defaults for those left out.
    class_weight : str or None
        The classifier's parameter of that name.
    scoring : str or None
        The measure for which the decision threshold is tuned by cross-validation, resampling
        inside each fold; None keeps the classifier's own threshold.
    estimator : callable or None
        Turns a request, groups and times into a fitted classifier of documents, for a method that
        brings its own features and classifier. Nothing is resampled then.

    Examples
    --------
    >>> from imbtext.methods import get_method
    >>> method = get_method("threshold(emco(0.1), f2)")
    >>> method.family, method.title
    ('emco', 'EMCO with gamma 0.1 and a tuned threshold')
    >>> dict(method.parameters)
    {'gamma': 0.1, 'weight': 1.0, 'similarity': None, 'surface': True}
    """

    name: str
    works_on: WorksOn
    resampler: Resampler
    title: str = ""
    family: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    class_weight: str | None = None
    scoring: str | None = None
    estimator: FitDocuments | None = None

    def resample(self, request: Request) -> Resampled:
        """Return the training matrix with the synthetic rows of the class behind it."""
        return self.resampler(request)


@dataclass(frozen=True)
class Unchanged:
    """The documents as they are."""

    def __call__(self, request: Request) -> Resampled:
        data = request.data
        parents = np.arange(data.n_documents, dtype=np.int64)
        return Resampled(data.vectors, request.is_class, parents, counts=data.word_counts)


@dataclass(frozen=True)
class SamplerMethod:
    """Any sampler with imbalanced-learn's ``fit_resample``.

    The sampler is cloned and gets the number of documents, the random state and what it works on.
    It must return the originals first.
    """

    sampler: BaseEstimator
    works_on: WorksOn

    def __call__(self, request: Request) -> Resampled:
        if request.n_new == 0:
            return Unchanged()(request)
        if isinstance(self.sampler, ClassByClass):
            new, parents = self._synthesized(request)
        else:
            new, parents = self._resampled(request)
        data = request.data
        if self.works_on == "tfidf":
            return Resampled.append(request, new, parents_new=parents)
        if self.works_on == "counts":
            X_new, counts = data.weigh(new), new
        else:
            X_new, counts = data.rows_of(list(new))
        return Resampled.append(request, X_new, counts_new=counts, parents_new=parents)

    def _synthesized(self, request: Request) -> tuple[SamplerRows, NDArray[np.int64]]:
        documents = self._input(request.data)
        if isinstance(self.sampler, BaseTextOverSampler):
            documents = Documents.of(documents)
        synthetic = clone(self.sampler).synthesize(
            documents,
            request.is_class,
            request.n_new,
            request.seed,
            request.stream,
            request.label,
        )
        return synthetic.documents, synthetic.parents

    def _resampled(self, request: Request) -> tuple[SamplerRows, NDArray[np.int64]]:
        sampler = clone(self.sampler)
        parameters: Record = {"sampling_strategy": {1: request.n_class + request.n_new}}
        if "random_state" in sampler.get_params(deep=False):
            parameters["random_state"] = keyed_random_state(request.seed, request.stream)
        try:
            sampler.set_params(**parameters)
        except ValueError as error:
            raise TypeError(
                f"{type(sampler).__name__} cannot be told how many documents to make; give it the "
                "parameter sampling_strategy"
            ) from error
        n = request.data.n_documents
        X, y = sampler.fit_resample(self._input(request.data), request.is_class.astype(np.int64))
        y = np.asarray(y)
        if not (np.array_equal(y[:n], request.is_class) and np.all(y[n:] == 1)):
            raise ValueError(
                f"{type(sampler).__name__} must return all documents in their order, followed by "
                "new ones of the class, and did not; use a sampler that only adds documents"
            )
        return X[n:], getattr(sampler, "sample_indices_", np.full(len(y), -1))[n:]

    def _input(self, data: PreparedDocuments) -> SamplerRows:
        if self.works_on == "tfidf":
            return data.vectors
        if self.works_on == "counts":
            data.refuse_own_features(type(self.sampler).__name__)
            return data.counts
        if self.works_on == "tokens":
            return data.corpus.tokens()
        return data.texts
