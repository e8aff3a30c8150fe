"""A method: a name, what it works on, and how it turns training data into a training matrix."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext.methods._training import TrainingData

WorksOn = Literal["text", "tokens", "counts", "tfidf", "classifier"]
Scoring = Literal["balanced_accuracy", "f1", "f2"]


@dataclass(frozen=True, eq=False)
class Resampled:
    """A training matrix with the synthetic rows behind the original ones.

    Attributes
    ----------
    X : csr_array
        tf-idf vectors, one row a document.
    y : ndarray of bool
        Whether the row belongs to the rare class.
    parents : ndarray of int64
        The training document each row comes from (originals: themselves), -1 where there is none.
    transform_test : callable or None
        What has to be done to the tf-idf vectors of unseen documents before they meet a classifier
        fitted on `X`; None where the space is unchanged.
    counts : csr_array or None
        Word counts of the rows where the method writes documents; with them idf can be refitted.
    """

    X: sparse.csr_array
    y: NDArray[np.bool_]
    parents: NDArray[np.int64]
    transform_test: Callable[[sparse.csr_array], sparse.csr_array] | None = None
    counts: sparse.csr_array | None = None

    @classmethod
    def append(
        cls,
        data: TrainingData,
        positive: NDArray[np.bool_],
        *,
        X_new: sparse.csr_array | None = None,
        counts_new: sparse.csr_array | None = None,
        parents_new: NDArray[np.integer] | None = None,
    ) -> Self:
        """Put synthetic rows, given as tf-idf or as counts, behind the training documents."""
        if X_new is None:
            if counts_new is None:
                raise TypeError("append needs the synthetic rows as X_new or as counts_new")
            X_new = data.weigh(counts_new)
        n_new = X_new.shape[0]
        if parents_new is None:
            parents_new = np.full(n_new, -1)
        return cls(
            X=sparse.vstack([data.tfidf, X_new], format="csr"),
            y=np.concatenate([positive, np.ones(n_new, dtype=bool)]),
            parents=np.concatenate([np.arange(data.n_documents), parents_new]).astype(np.int64),
            counts=None
            if counts_new is None
            else sparse.vstack([data.counts, counts_new], format="csr"),
        )


class Resampler(Protocol):
    """What a method does to training data; `n_new` rows of the rare class are asked for."""

    def __call__(
        self,
        data: TrainingData,
        positive: NDArray[np.bool_],
        n_new: int,
        seed: int,
        stream: int = 0,
    ) -> Resampled:
        """Return the training matrix with the synthetic rows appended."""
        ...


@dataclass(frozen=True)
class Method:
    """One entry of the comparison.

    Attributes
    ----------
    name : str
        As it was written, parameters included, such as ``"emco(0.1)"``.
    works_on : {"text", "tokens", "counts", "tfidf", "classifier"}
        What the method reads: raw texts, word sequences, word counts, tf-idf vectors, or nothing
        but the classifier's own settings.
    resampler : Resampler
        Does the work.
    class_weight : str or None
        Passed on to the classifier.
    scoring : {"balanced_accuracy", "f1", "f2"} or None
        The score for which the decision threshold is tuned by cross-validation, resampling inside
        each fold; None leaves the classifier's own threshold.
    """

    name: str
    works_on: WorksOn
    resampler: Resampler
    class_weight: str | None = None
    scoring: Scoring | None = None

    def resample(
        self,
        data: TrainingData,
        positive: NDArray[np.bool_],
        n_new: int,
        seed: int,
        stream: int = 0,
    ) -> Resampled:
        """Return the tf-idf training matrix with `n_new` synthetic rows of the rare class.

        Parameters
        ----------
        data : TrainingData
            The training documents.
        positive : ndarray of bool
            Which of them belong to the rare class.
        n_new : int
            Synthetic rows to add; methods that leave the documents as they are ignore it.
        seed, stream : int
            Together they own all randomness: the same pair gives the same matrix, whatever was
            computed before.
        """
        positive = np.asarray(positive, dtype=bool)
        if positive.shape != (data.n_documents,):
            raise ValueError(
                f"got {positive.shape} marks of the rare class for {data.n_documents} documents; "
                "pass one True or False a document"
            )
        if not positive.any() or positive.all():
            raise ValueError(
                f"{int(positive.sum())} of {len(positive)} documents belong to the rare class; "
                "both classes need at least one document"
            )
        if n_new < 0:
            raise ValueError(f"n_new is {n_new}; ask for 0 or more synthetic documents")
        return self.resampler(data, positive, n_new, seed, stream)
