"""The user's own features: a vectorizer, a pipeline or a callable."""

import copy
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import numpy as np
from joblib import wrap_non_picklable_objects
from numpy.typing import DTypeLike, NDArray
from scipy import sparse
from sklearn.base import clone

from imbtext._svm import for_liblinear
from imbtext._typing import Document, DocumentsLike, FeatureSource, Label, Matrix
from imbtext.documents._documents import Documents
from imbtext.features._features import Features, WeighedVectors
from imbtext.features._terms import TermInWords, Terms, Vectors

# How long vectors are, beside terms of length 1: the root of their mean squared length.
VECTOR_LENGTH: Final = 0.5


class OwnFeatures(Features):
    """The user's own features: a vectorizer, a pipeline on text, or a callable.

    A vectorizer is fitted again on every set of training documents. A callable learns nothing, so
    it is called once for each document, however many folds the document is in.

    Parameters
    ----------
    source : estimator or callable
        A scikit-learn vectorizer or pipeline on text; or a callable from a list of documents to one
        row of numbers per document.
    name : str, default=None
        The name in lists; None takes the name of the function or of its class.
    beside : bool, default=False
        Whether they stand beside other features. Dense rows then get unit length, are centred, and
        are scaled to a length that suits them beside terms, see :class:`Centring`.

    Examples
    --------
    >>> features = OwnFeatures(lambda texts: np.array([[len(t), 1.0] for t in texts]))
    >>> features.fit_transform(["oil", "rain"]).tolist()
    [[3.0, 1.0], [4.0, 1.0]]
    """

    def __init__(
        self, source: FeatureSource, name: str | None = None, *, beside: bool = False
    ) -> None:
        self.source = source
        self.beside = beside
        self.name = name or str(getattr(source, "__name__", type(source).__name__))
        self.fitted: Any = None
        self.n_columns: int | None = None
        # For dense rows beside terms, once they were learnt.
        self.centring: Centring | None = None
        # For a callable: the rows that it returned, by document.
        self._row_of: dict[Label, int] = {}
        self._rows: Matrix = None

    @property
    def learns(self) -> bool:  # type: ignore[override]
        return is_vectorizer(self.source)

    @property
    def named(self) -> bool:  # type: ignore[override]
        return hasattr(self.fitted, "get_feature_names_out")

    @property
    def vectors_beside(self) -> dict[str, int]:
        return {} if self.centring is None else {f"({self.name})": self.n_columns or 0}

    @property
    def about(self) -> str:
        return f"{self.n_columns:,} columns of {self.source!r:.60}"

    def fresh(self) -> "OwnFeatures":
        """Return the same features, not fitted; a callable keeps the rows it returned."""
        if self.learns:
            return OwnFeatures(self.source, self.name, beside=self.beside)
        # The folds of a comparison learn one after the other, each its own centre.
        return copy.copy(self) if self.beside else self

    def without_documents(self) -> "OwnFeatures":
        light = OwnFeatures(self.source, self.name, beside=self.beside)
        light.fitted, light.n_columns, light.centring = self.fitted, self.n_columns, self.centring
        return light

    def learn(self, documents: Documents) -> "TrainingMatrix":
        given = list(documents.to_list())
        if self.learns:
            self.fitted, self.n_columns = clone(self.source).fit(given), None
        matrix = self._matrix(given)
        self.centring = None
        if self.beside and not sparse.issparse(matrix):
            matrix = of_unit_length(matrix)
            self.centring = Centring.of(matrix)
        return TrainingMatrix(self, given, matrix, self._vectors(matrix))

    def read(self, documents: Documents) -> Vectors:
        matrix = self._matrix(list(documents.to_list()))
        if self.centring is not None:
            given: Matrix = matrix
            matrix = of_unit_length(given.toarray() if sparse.issparse(matrix) else given)
        return self._vectors(matrix)

    def fit_transform(self, X: DocumentsLike) -> Matrix:
        if not self.learns:
            return self.transform(X)
        self.fitted, self.n_columns = clone(self.source), None
        return self._checked(self.fitted.fit_transform(list(X)), len(X))

    def transform(self, X: DocumentsLike) -> Matrix:
        return self._matrix(list(X), np.float64)

    def ask_once(self, documents: Sequence[Document]) -> Self:
        """Call a callable for all documents that will be needed many times."""
        if not self.learns:
            unique = list({_key(document): document for document in documents}.values())
            self._rows = self._checked(self.source(unique), len(unique))
            self._row_of = {_key(document): row for row, document in enumerate(unique)}
        return self

    def names(self, *, spelt: bool = False) -> NDArray[np.object_]:  # noqa: ARG002
        if self.named:
            return np.asarray(self.fitted.get_feature_names_out(), dtype=object)
        title = f"({self.name})" if self.beside else "column"
        return np.array([f"{title} {j}" for j in range(self.n_columns or 0)], dtype=object)

    def find(self, documents: Documents) -> list[list[TermInWords]] | None:
        if not self.beside:
            return None
        if self.centring is not None:  # all columns occur in every document and have one name
            columns = [(j, f"({self.name})") for j in range(self.n_columns or 0)]
            return [columns for _ in range(len(documents))]
        terms = self.read(documents).terms
        names = self.names() if self.named else np.full(terms.n_terms, f"({self.name})", object)
        return terms.named(names)

    def _matrix(self, documents: list[Document], dtype: DTypeLike = np.float32) -> Matrix:
        """Return the source's rows for documents, computed now or kept from before."""
        if self.learns:
            return self._checked(self.fitted.transform(documents), len(documents), dtype)
        known = (
            [self._row_of.get(_key(document), -1) for document in documents] if self._row_of else []
        )
        if known and min(known) >= 0:
            return self._rows[np.array(known)].astype(dtype, copy=False)
        return self._checked(self.source(documents), len(documents), dtype)

    def _vectors(self, matrix: Matrix) -> Vectors:
        if self.centring is not None:
            nothing = Terms.of_matrix(np.empty((len(matrix), 0), np.float32))
            return replace(nothing.vectors(np.empty(0)), dense=self.centring.applied_to(matrix))
        terms = Terms.of_matrix(matrix)
        return terms.vectors(np.ones(terms.n_terms))

    def _checked(self, matrix: Matrix, n: int, dtype: DTypeLike = np.float64) -> Matrix:
        """Return what the source made of `n` documents: sparse rows or an array of numbers."""
        called = getattr(self.source, "__name__", None) or repr(self.source)
        name = f"features={called:.60}"
        if not sparse.issparse(matrix):
            matrix = np.asarray(matrix)
            if matrix.ndim != 2 or matrix.dtype.kind not in "fiub":
                raise ValueError(
                    f"{name} returned an array of shape {matrix.shape} and type {matrix.dtype}; "
                    "expected numbers, one row per document"
                )
        if matrix.shape[0] != n:
            raise ValueError(
                f"{name} returned {matrix.shape[0]} rows for {n} documents; expected one row per "
                "document"
            )
        if self.n_columns is None:
            self.n_columns = int(matrix.shape[1])
        elif matrix.shape[1] != self.n_columns:
            raise ValueError(
                f"{name} returned {matrix.shape[1]} columns, and {self.n_columns} when the model "
                "was fitted; features must return the same columns for any documents"
            )
        checked: Matrix = for_liblinear(matrix) if sparse.issparse(matrix) else matrix
        checked = checked.astype(dtype, copy=False)
        if not np.isfinite(checked.data if sparse.issparse(matrix) else checked).all():
            raise ValueError(f"{name} returned values that are infinite or not numbers")
        return checked

    def __getstate__(self) -> dict[str, object]:
        # Makes a lambda, or a function defined in a notebook, reach other processes.
        source = wrap_non_picklable_objects(self.source, keep_wrapper=False)
        return {**self.__dict__, "source": source}


@dataclass(frozen=True, eq=False)
class TrainingMatrix:
    """The training documents of `OwnFeatures`: a vectorizer is fitted again on what was seen.

    `matrix` has their rows; dense rows beside terms have unit length.
    """

    features: OwnFeatures
    documents: list[Document]
    matrix: Matrix
    vectors: Vectors

    def seen_by(self, indices: NDArray[np.int64] | None = None) -> WeighedVectors:
        features, matrix = self.features, self.matrix
        if indices is None or not (features.learns or features.centring is not None):
            return WeighedVectors(self.vectors, None)
        part = features.without_documents()
        if part.learns:
            part.fitted = clone(part.source).fit([self.documents[i] for i in indices.tolist()])
            part.n_columns = None
            matrix = part._matrix(self.documents)
        if part.centring is not None:
            matrix = of_unit_length(matrix) if part.learns else matrix
            part.centring = Centring.of(matrix[indices])
        return WeighedVectors(part._vectors(matrix), None)

    def known_shares(self, folds: NDArray[np.integer], *, in_time: bool = False) -> None:  # noqa: ARG002  no words to know
        return None


@dataclass(frozen=True, eq=False)
class Centring:
    """How dense rows of unit length become vectors beside terms: centred, then scaled.

    Rows of one source share a large mean, and a classifier would spend its weights on it. The
    length of the centred rows sets how much they count beside the terms. A row of zeros, such as
    that of a document without words, stays a row of zeros.
    """

    mean: NDArray[np.float32]
    scale: float

    @classmethod
    def of(cls, vectors: NDArray[np.float32]) -> "Centring":
        """Learn the mean of vectors, and the scale that gives them `VECTOR_LENGTH`."""
        nonzero = vectors[vectors.any(axis=1)].astype(np.float64)
        mean = nonzero.mean(axis=0) if len(nonzero) else np.zeros(vectors.shape[1])
        length = (
            float(np.sqrt(np.mean(((nonzero - mean) ** 2).sum(axis=1)))) if len(nonzero) else 0.0
        )
        return cls(mean.astype(np.float32), VECTOR_LENGTH / length if length > 1e-6 else 0.0)

    def applied_to(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return vectors of unit length centred and scaled."""
        centred = (vectors - self.mean) * np.float32(self.scale)
        centred[~vectors.any(axis=1)] = 0.0
        return np.ascontiguousarray(centred, np.float32)


@dataclass(frozen=True, eq=False)
class OwnRecord:
    """What a model file says of the user's own features: a name, and no code.

    `version` is that of a source that has a name, such as ``"meaning"``.
    """

    name: str
    n_columns: int
    beside: bool
    centring: Centring | None
    version: str | None

    @classmethod
    def of(cls, source: OwnFeatures) -> "OwnRecord":
        """Take the features that were learnt; raise if they are code that learns."""
        if source.learns:
            raise ValueError(
                f"features={source.source!r:.60} is code, and a model file holds none; use "
                "features of this package or a callable, or pickle the model for people who trust "
                "you"
            )
        from imbtext.features._sources import is_named  # which imports this module

        version = source.source.version if is_named(source.source) else None
        return cls(source.name, source.n_columns or 0, source.beside, source.centring, version)

    def restored(self) -> OwnFeatures:
        """Return the features again, without their callable."""
        source = OwnFeatures(self.version, self.name, beside=self.beside)
        source.n_columns, source.centring = self.n_columns, self.centring
        if self.n_columns < 0 or (
            self.centring is not None and len(self.centring.mean) != self.n_columns
        ):
            raise ValueError(f"{self.name!r:.40} has a mean of another width")
        return source


def of_unit_length(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return dense rows scaled to length 1; rows of zeros stay as they are.

    Examples
    --------
    >>> of_unit_length(np.array([[0.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    """
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def is_vectorizer(features: object) -> bool:
    """Return whether features are learnt from documents, unlike a function of one document."""
    return hasattr(features, "fit") and hasattr(features, "transform")


def _key(document: Document) -> Hashable:
    return document if isinstance(document, str) else tuple(document)
