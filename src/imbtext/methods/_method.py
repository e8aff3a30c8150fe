"""A method: what a name means, and the training matrix that it makes.

A method is a sampler, or nothing but a setting of the classifier, or a model with a ranking of its
own. A sampler draws in its own space, and this module turns what it draws into vectors.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from imbtext._typing import Column, Label, Matrix
from imbtext.documents._corpus import Corpus
from imbtext.methods._documents import PreparedDocuments
from imbtext.oversampling._sampler import Draws, New, Request, checked_new, stacked, with_rows
from imbtext.oversampling._strategy import check_new_documents

Amount = int | Callable[[int, int], int]
Vectors = tuple[Matrix, sparse.csr_array | None]


@dataclass(frozen=True, eq=False)
class Problem:
    """Training documents, the class to find in them, and how many documents to add.

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
    >>> data = PreparedDocuments.of(["oil up", "rain", "sun", "snow", "more rain"])
    >>> Problem(data, [True] + [False] * 4, minority_share(0.5).missing, seed=0).n_new
    3
    """

    data: PreparedDocuments
    is_class: NDArray[np.bool_]
    amount: Amount
    seed: int
    stream: int = 1
    label: Label = None

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
    def members(self) -> NDArray[np.int64]:
        """The documents of the class, by their indices."""
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


# From a problem, groups and times to a fitted classifier of documents.
FitDocuments = Callable[[Problem, Column | None, Column | None], BaseEstimator]


@dataclass(frozen=True)
class Method:
    """The meaning of a name: a sampler, a setting of the classifier, or a model.

    Attributes
    ----------
    name : str
        As it was written, parameters included, such as ``"emco(0.1)"``.
    sampler : Sampler, DRO, Foreign or None
        What draws synthetic documents; None adds none.
    title : str
        The method in words, such as "EMCO with gamma 0.1"; by default its name.
    family : str
        The name under which it is known, such as ``"emco"``. With a tuned threshold it is that of
        the method whose threshold is tuned.
    parameters : mapping
        The parameters of the family, with defaults for those left out.
    class_weight : str or None
        The classifier's parameter of that name.
    weight : float
        How much a synthetic document counts in training; an original counts 1.
    scoring : str or None
        The measure for which the decision threshold is tuned by cross-validation, resampling
        inside each fold; None keeps the classifier's own threshold.
    estimator : callable or None
        Turns a problem, groups and times into a fitted classifier of documents, for a method that
        brings its own features and classifier. Nothing is resampled then.

    Examples
    --------
    >>> from imbtext.methods import get_method
    >>> method = get_method("threshold(emco(0.1), f2)")
    >>> method.family, method.title
    ('emco', 'EMCO with gamma 0.1 and a tuned threshold')
    >>> method.sampler
    EMCO(gamma=0.1)
    """

    name: str
    sampler: Draws | None = None
    title: str = ""
    family: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    class_weight: str | None = None
    weight: float = 1.0
    scoring: str | None = None
    estimator: FitDocuments | None = None

    def resample(self, problem: Problem) -> Resampled:
        """Return the training matrix with the synthetic rows of the class behind it."""
        data, is_class = problem.data, problem.is_class
        X, counts, parents = data.vectors, data.word_counts, np.arange(data.n_documents)
        if self.sampler is None:
            return Resampled(X, is_class, parents, counts=counts)
        request = self.request_of(problem)
        new = checked_new(self.sampler.draw(request), request, self.sampler)
        X_new, counts_new = self._vectors(new, request, data)
        if (replaced := new.replaced) is not None:
            X_replaced, counts_replaced = self._vectors(
                New(replaced.rows, replaced.documents), request, data
            )
            X = with_rows(X, replaced.rows, X_replaced)
            if counts is not None and counts_replaced is not None:
                counts = with_rows(counts, replaced.rows, counts_replaced)
            if replaced.is_drawn:
                parents[replaced.rows] = -1
        both = None
        if counts is not None and counts_new is not None:
            both = sparse.vstack([counts, counts_new], format="csr")
        n_new = len(new.parents)
        return Resampled(
            stacked([X, X_new]) if n_new else X,
            np.concatenate([is_class, np.ones(n_new, dtype=bool)]),
            np.concatenate([parents, new.parents]).astype(np.int64),
            new.transform,
            both,
            self.weight,
        )

    def request_of(self, problem: Problem) -> Request:
        """Return what the method's sampler is asked for, with the documents in its space."""
        if self.sampler is None:
            raise ValueError(f"the method {self.name!r} draws no documents")
        sampler, data = self.sampler, problem.data
        check_new_documents({problem.label: problem.n_new})
        if sampler.space == "counts" or getattr(sampler, "of_words", False):
            data.refuse_own_features(self.title or self.name)
        documents: Any
        match sampler.space:
            case "text":
                documents = data.documents
            case "ids":
                documents = data.corpus
            case "counts":
                documents = data.counts
            case "tfidf":
                documents = data.vectors
        return Request(
            documents,
            problem.members,
            problem.n_new,
            problem.seed,
            problem.stream,
            problem.label,
            data.cache,
        )

    def _vectors(self, new: New, request: Request, data: PreparedDocuments) -> Vectors:
        """Return the vectors of new documents, and their counts if they have some."""
        documents = new.documents
        if request.documents is data.vectors:
            return data.vectors[new.parents] if documents is None else documents, None
        if documents is None:  # copies
            counts = data.word_counts
            return data.vectors[new.parents], None if counts is None else counts[new.parents]
        if request.documents is data.counts:
            return data.weigh(documents), documents
        if isinstance(documents, Corpus):
            written = None
            if data.features is not None and not data.documents.is_tokens:
                with_surface = getattr(self.sampler, "with_surface", None)
                if with_surface is not None:
                    written = with_surface(
                        documents, data.documents.to_list(), request, data.tokenizer
                    )
            if written is not None:
                return data.vectorize_documents(written), None
            return data.vectors_and_counts(documents)
        return data.vectors_and_counts(list(documents))

    def with_threshold(self, scoring: str) -> "Method":
        """Return the method with a threshold that is tuned for a measure."""
        title = f"{self.title} and a tuned threshold"
        if self.sampler is None and self.class_weight is None:
            title = "a tuned decision threshold"
        return replace(self, scoring=scoring, title=title)
