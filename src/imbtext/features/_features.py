"""The interface of everything that turns documents into vectors.

`RareTextClassifier`, `ResampledClassifier` and `compare` ask a :class:`Features` for vectors and do
not know what is behind it: :class:`TextFeatures` are words, pairs of words and character grams,
:class:`OwnFeatures` a scikit-learn vectorizer or a callable such as a sentence encoder. Another
kind of source, such as the columns beside a text, is another subclass.

Vectors come in two forms. Classifiers of scikit-learn take a matrix (:meth:`Features.fit_transform`
and :meth:`Features.transform`). `RareTextClassifier` takes :class:`Vectors`. For cross-validation
it asks many times for the vectors of all training documents, each time as if only some of them had
been seen (:meth:`Features.learn`).

Features do not keep the documents they learnt from; the object that :meth:`Features.learn` returns
does.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from imbtext._svm import for_liblinear
from imbtext._typing import Document, DocumentsLike, Matrix
from imbtext.documents._documents import Documents
from imbtext.features._terms import TermInWords, Vectors

if TYPE_CHECKING:
    from imbtext.features._text_features import TextFeatures

# Stands for the frequency of a column that is not a term, beside columns that are.
NO_TERM: Final = -1


class WeighedVectors(NamedTuple):
    """Vectors, and how many of the documents that were seen have each term (None: no terms)."""

    vectors: Vectors
    frequencies: NDArray[np.int64] | None


class TrainingVectors(Protocol):
    """The training documents as vectors, for any choice of those that may be looked at."""

    def seen_by(self, indices: NDArray[np.int64] | None = None) -> WeighedVectors:
        """Return the vectors of all training documents if only those at `indices` were seen."""
        ...

    def known_shares(
        self, folds: NDArray[np.integer], *, in_time: bool = False
    ) -> NDArray[np.float64] | None:
        """Return the share of each document's words that occur in documents of other folds.

        If folds follow one another `in_time`, only earlier folds count. The share is NaN if a
        document has no words or there are no other folds. None if the features have no words.
        """
        ...


class Features(ABC):
    """A source of vectors.

    Attributes
    ----------
    learns : bool
        Whether vectors depend on the documents that were learnt from.
    named : bool
        Whether the columns have names that mean something.
    """

    learns: bool = True
    named: bool = True

    @property
    def text_terms(self) -> "TextFeatures | None":
        """The features of the text's words, None if there are none; their terms come first."""
        return None

    @property
    def vectors_beside(self) -> dict[str, int]:
        """The number of dense columns of each source beside the terms, by its display name."""
        return {}

    @property
    @abstractmethod
    def about(self) -> str:
        """What the vectors are, in words."""

    @abstractmethod
    def fresh(self) -> "Features":
        """Return the same features, not fitted."""

    @abstractmethod
    def learn(self, documents: Documents) -> TrainingVectors:
        """Learn from documents; return their vectors for any choice of documents to see."""

    @abstractmethod
    def read(self, documents: Documents) -> Vectors:
        """Return the vectors of new documents."""

    def fit_transform(self, X: DocumentsLike) -> Matrix:
        """Learn from documents, and return their vectors as a matrix."""
        return for_liblinear(self.learn(Documents.of(X)).seen_by().vectors.matrix())

    def transform(self, X: DocumentsLike) -> Matrix:
        """Return the vectors of documents as a matrix."""
        return for_liblinear(self.read(Documents.of(X)).matrix())

    @abstractmethod
    def names(self, *, spelt: bool = False) -> NDArray[np.object_]:
        """Return the name of each column; with `spelt`, words as the documents write them."""

    def find(self, documents: Documents) -> list[list[TermInWords]] | None:  # noqa: ARG002
        """Return the terms in each document with the words they occur in; None without terms."""
        return None

    def ask_once(self, documents: Sequence[Document]) -> Self:  # noqa: ARG002
        """Compute beforehand, where possible, what will be asked for many times."""
        return self

    def without_documents(self) -> Self:
        """Return the same features, fitted, without any documents that they remember."""
        return self
