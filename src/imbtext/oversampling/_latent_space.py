"""The latent space of DRO: a feature per document, without n-by-n.

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

Only DRO uses this. It stands alone because it knows nothing of samplers, and a test compares its
draws with the dense matrix.
"""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

if TYPE_CHECKING:
    from types import ModuleType

Latent = Literal["documents", "words", "topics"]
LATENTS: Final = get_args(Latent)
N_TOPICS: Final = 50
_STEPS: Final = 200
_MOST_DRAWS: Final = 2.0**31


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
    from imbtext.oversampling import _latent_kernels as kernels

    return kernels
