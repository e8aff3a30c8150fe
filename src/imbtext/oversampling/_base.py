"""What every sampler of documents shares: the contract of imbalanced-learn, for text.

A sampler defines its parameters and one method, :meth:`BaseTextOverSampler._generate`. Think twice
before adding to this class: what only one sampler needs belongs to that sampler.
"""

from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from imblearn.base import BaseSampler
from imblearn.over_sampling.base import BaseOverSampler
from imblearn.utils import check_sampling_strategy
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.utils.multiclass import check_classification_targets

from imbtext.containers import Documents, Labels
from imbtext.randomness import draw_seed


@dataclass(frozen=True)
class Synthetic:
    """New documents of one class.

    Attributes
    ----------
    documents : list
        Strings or token lists, as the originals are.
    parents : ndarray of int64
        The row each was derived from, -1 where it has no parent.
    """

    documents: list[Any]
    parents: NDArray[np.int64]


class BaseTextOverSampler(BaseOverSampler):
    """Base of the samplers that take documents and return documents.

    Attributes
    ----------
    sampling_strategy_ : dict
        Number of documents to generate for each class to oversample.
    is_synthetic_ : ndarray of bool
        For each row of the output, whether it was generated.
    sample_indices_ : ndarray of int64
        For each row of the output, the input row it is or was derived from; -1 for a generated
        document that has no one parent.
    n_generated_ : dict
        Number of generated documents of each class.
    classes_ : ndarray
        The class labels.
    """

    _parameter_constraints: dict[str, list[Any]] = {
        **BaseOverSampler._parameter_constraints,
        "random_state": ["random_state"],
    }

    @_fit_context(prefer_skip_nested_validation=True)
    def fit_resample(self, X: Any, y: Any, **params: Any) -> tuple[Any, Any]:
        """Return the documents with synthetic ones behind them.

        Parameters
        ----------
        X : list, tuple, ndarray, or a pandas, Polars or Arrow column
            Strings, or lists of tokens.
        y : container of the same length
            The class of each document.

        Returns
        -------
        X_resampled, y_resampled : containers of the same kinds
            The originals, untouched and in order, then the synthetic documents class by class.
        """
        if params:
            raise TypeError(
                f"{type(self).__name__}.fit_resample takes X and y, not {sorted(params)}"
            )
        documents = Documents.of(X)
        labels = Labels.of(y, len(documents))
        check_classification_targets(labels.values)
        self.sampling_strategy_ = check_sampling_strategy(
            self.sampling_strategy, labels.values, self._sampling_type
        )
        self.classes_, first_rows = np.unique(labels.values, return_index=True)
        seed = draw_seed(self.random_state)
        self._prepare(documents, labels.values)
        new: list[Any] = []
        parents, exemplars = [np.arange(len(documents))], []
        self.n_generated_ = {}
        for label, n_new in self.sampling_strategy_.items():
            stream, n = int(np.searchsorted(self.classes_, label)), int(n_new)
            name = self.classes_.tolist()[stream]
            if n != n_new:
                raise ValueError(
                    f"sampling_strategy asks for a fraction of a document ({n_new} more of class "
                    f"{name!r}); give whole numbers"
                )
            self.n_generated_[name] = n
            if n > 0:
                synthetic = self._generate(documents, labels.values, label, n, seed, stream)
                new += synthetic.documents
                parents.append(synthetic.parents)
                exemplars.append(np.full(n, first_rows[stream]))
        self.sample_indices_ = np.concatenate(parents)
        self.is_synthetic_ = np.arange(len(self.sample_indices_)) >= len(documents)
        rows = np.concatenate(exemplars) if exemplars else np.empty(0, dtype=np.int64)
        return documents.extend(new), labels.extend(rows)

    def _fit_resample(self, X: Any, y: Any, **params: Any) -> Any:
        # imbalanced-learn's hook, which works on arrays of features; documents go their own way.
        raise NotImplementedError("use fit_resample")

    def _prepare(self, documents: Documents, y: NDArray[Any]) -> None:
        """Do once what all classes need. The default needs nothing."""

    @abstractmethod
    def _generate(
        self,
        documents: Documents,
        y: NDArray[Any],
        label: Any,
        n: int,
        seed: int,
        stream: int,
    ) -> Synthetic:
        """Return `n` new documents of class `label`, all randomness keyed by (seed, stream)."""

    def __sklearn_tags__(self) -> Any:
        tags = BaseSampler.__sklearn_tags__(self)
        tags.input_tags.two_d_array = False
        tags.input_tags.sparse = False
        tags.input_tags.dataframe = False
        tags.input_tags.one_d_array = True
        tags.input_tags.string = True
        return tags


def rows_of(y: NDArray[Any], label: Any) -> NDArray[np.int64]:
    """Return the rows of a class."""
    return np.flatnonzero(y == label)


def check_n_classes(y: NDArray[Any]) -> None:
    """Refuse labels of a single class, which leave nothing to tell apart."""
    if len(Counter(y.tolist())) < 2:
        raise ValueError(
            f"y has the single class {y.tolist()[0]!r}; at least two classes are needed"
        )
