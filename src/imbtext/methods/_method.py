"""A method: a name, what it works on, and how it turns training data into a training matrix."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext.methods._features import Matrix
from imbtext.methods._request import Request

WorksOn = Literal["text", "tokens", "counts", "tfidf", "classifier", "documents"]


@dataclass(frozen=True, eq=False)
class Resampled:
    """A training matrix with the synthetic rows behind the original ones.

    Attributes
    ----------
    X : csr_array or ndarray
        Vectors, one row per document: tf-idf, or features of the user's own.
    y : ndarray of bool
        Whether the row belongs to the class.
    parents : ndarray of int64
        The training document each row comes from (originals: themselves), -1 where there is none.
    transform_test : callable or None
        What has to be done to the vectors of unseen documents before they meet a classifier
        fitted on `X`; None where the space is unchanged.
    counts : csr_array or None
        Word counts of the rows where the method writes documents; with them idf can be refitted.
    weight : float
        What a synthetic row counts in training, where an original counts 1.
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
        """Put synthetic rows, and their counts where they have some, behind the documents."""
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


@dataclass(frozen=True)
class Method:
    """One entry of the comparison.

    Attributes
    ----------
    name : str
        As it was written, parameters included, such as ``"emco(0.1)"``.
    works_on : {"text", "tokens", "counts", "tfidf", "classifier", "documents"}
        What the method reads: raw texts, word sequences, word counts, tf-idf vectors, nothing but
        the classifier's own settings, or documents with features and a classifier of its own.
    resampler : Resampler
        Does the work.
    title : str
        The method in words, such as "EMCO with gamma 0.1"; by default its name.
    family : str
        The name it is registered by, such as ``"emco"``; with a tuned threshold, that of the
        method whose threshold is tuned.
    parameters : mapping
        The parameters of the family, those left out included.
    class_weight : str or None
        Passed on to the classifier.
    scoring : str or None
        The measure for which the decision threshold is tuned by cross-validation, resampling
        inside each fold; None leaves the classifier's own threshold.
    estimator : callable or None
        From a request and groups to a fitted classifier of documents, for a method that brings its
        own features and classifier; nothing is resampled then.

    Examples
    --------
    >>> from imbtext.methods import get_method
    >>> method = get_method("threshold(emco(0.1), f2)")
    >>> method.family, method.title
    ('emco', 'EMCO with gamma 0.1 and a tuned threshold')
    >>> dict(method.parameters)
    {'gamma': 0.1, 'order': 1, 'weight': 1.0, 'similarity': None, 'surface': True}
    """

    name: str
    works_on: WorksOn
    resampler: Resampler
    title: str = ""
    family: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    class_weight: str | None = None
    scoring: str | None = None
    estimator: Callable[[Request, NDArray[np.int64] | None], Any] | None = None

    def resample(self, request: Request) -> Resampled:
        """Return the training matrix with the synthetic rows of the class behind it."""
        return self.resampler(request)
