"""What every sampler of documents shares: the contract of imbalanced-learn, for text.

A sampler defines its parameters and one method, :meth:`BaseTextOverSampler._generate`. Think twice
before adding to this class: what only one sampler needs belongs to that sampler.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Final, NoReturn, TypeVar

import numpy as np
from imblearn.over_sampling.base import BaseOverSampler
from imblearn.utils import check_sampling_strategy
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets

from imbtext._estimator import TextEstimatorMixin
from imbtext._memory import FITS_ANYWHERE, check_memory
from imbtext._messages import did_you_mean, listed
from imbtext._typing import (
    Array,
    Document,
    DocumentsLike,
    Label,
    LabelsLike,
    Matrix,
    RandomState,
    SamplingStrategy,
)
from imbtext.documents import Documents, Labels, Roles
from imbtext.randomness import draw_seed, keyed_generator

# What a new document takes at the least, whatever the sampler: its place in the result, its label,
# its parent, and copies of these on the way. ROS, which writes no new text, takes 73 bytes.
_LEAST_BYTES: Final = 64

DocumentContainer = TypeVar("DocumentContainer", bound=DocumentsLike)
LabelContainer = TypeVar("LabelContainer", bound=LabelsLike)


@dataclass(frozen=True)
class Synthetic:
    """New documents of one class, in the form of the originals: strings, token lists or vectors.

    ``parents`` is the row each was derived from, -1 where it has no parent.
    """

    documents: Sequence[Document] | Matrix
    parents: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ClassRequest:
    """What a sampler is asked for: `n` new documents of one class.

    Attributes
    ----------
    documents : Documents, array or sparse matrix
        All documents, or their vectors.
    rows : ndarray of int64
        The rows of the class in `documents`.
    label : object
        The name of the class, for messages.
    n : int
        How many documents to make.
    seed, stream : int
        All randomness is keyed by these two; each class has a stream of its own.
    place : int
        The place of the class in the sampler's ``classes_``.
    """

    documents: Documents | Matrix
    rows: NDArray[np.int64]
    label: Label
    n: int
    seed: int
    stream: int
    place: int = 1

    @property
    def class_name(self) -> str:
        """The class as messages call it."""
        return class_name(self.label)


def class_name(label: Label) -> str:
    """Return what messages call a class; it may have no name."""
    return "the class" if label is None else f"class {label!r}"


class ClassByClass(ABC):
    """What samplers of documents and of vectors share: one class is oversampled at a time."""

    random_state: RandomState
    sampling_strategy: SamplingStrategy
    sampling_strategy_: dict[Label, int]

    @abstractmethod
    def _generate(self, request: ClassRequest) -> Synthetic:
        """Return new documents of a class, all randomness keyed by (seed, stream)."""

    def _read(self, documents: DocumentsLike | Matrix) -> Documents | Matrix:
        """Return what the user gave in the form that the sampler works on. Vectors stay vectors."""
        return documents

    def _prepare(self, documents: Documents | Matrix, y: Array) -> None:  # noqa: B027
        """Do what all classes share, once. By default there is nothing to do."""

    def _generate_all(
        self, documents: Documents | Matrix, y: Array
    ) -> list[tuple[ClassRequest, Synthetic]]:
        """Generate what the strategy asks for, and tell where every row comes from."""
        seed, (classes, codes) = draw_seed(self.random_state), np.unique(y, return_inverse=True)
        places = {label: place for place, label in enumerate(classes.tolist())}
        generated: list[tuple[ClassRequest, Synthetic]] = []
        self.n_generated_: dict[Label, int] = {}
        for label, n in self.sampling_strategy_.items():
            self.n_generated_[label] = 0
            if n > 0:
                place = places[label]
                rows = np.flatnonzero(codes == place)
                request = ClassRequest(documents, rows, label, n, seed, place, place)
                synthetic = self._generate(request)
                self.n_generated_[label] = len(synthetic.parents)
                generated.append((request, synthetic))
        parents = [np.arange(len(y)), *(synthetic.parents for _, synthetic in generated)]
        self.sample_indices_ = np.concatenate(parents).astype(np.int64)
        self.is_synthetic_ = np.arange(len(self.sample_indices_)) >= len(y)
        return generated

    def synthesize(
        self,
        documents: DocumentsLike | Matrix,
        is_class: NDArray[np.bool_],
        n: int,
        seed: int,
        stream: int = 1,
        label: Label = True,
    ) -> Synthetic:
        """Return what ``fit_resample`` adds to one class, from a seed that is already drawn.

        `documents` are of any kind that ``fit_resample`` takes, and `is_class` marks the class.
        The stream of ``fit_resample`` is the place of the class among the sorted labels: 1 for
        True. Messages call the class `label`.
        """
        check_new_documents({label: n})
        documents = self._read(documents)
        self.classes_ = np.array([False, True])
        self._prepare(documents, is_class)
        rows = np.flatnonzero(is_class)
        return self._generate(ClassRequest(documents, rows, label, n, seed, stream))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.sampler_tags.sample_indices = True
        return tags


class BaseTextOverSampler(ClassByClass, TextEstimatorMixin, BaseOverSampler):
    """Base of the samplers that take documents and return documents.

    Attributes
    ----------
    sampling_strategy_ : dict
        Number of documents to generate for each class to oversample.
    is_synthetic_ : ndarray of bool
        For each row of the output, whether it was generated.
    sample_indices_ : ndarray of int64
        For each row of the output, the input row it is or was derived from; -1 for a generated
        document without a single parent.
    n_generated_ : dict
        Number of generated documents of each class.
    classes_ : ndarray
        The class labels.
    """

    _parameter_constraints: dict[str, list[object]] = {
        **BaseOverSampler._parameter_constraints,
        "random_state": ["random_state"],
    }

    @_fit_context(prefer_skip_nested_validation=True)
    def fit_resample(
        self, X: DocumentContainer, y: LabelContainer, **params: object
    ) -> tuple[DocumentContainer, LabelContainer]:
        """Return the documents with synthetic ones behind them.

        Parameters
        ----------
        X : list, tuple, ndarray, or a pandas, Polars or Arrow column
            Strings, or lists of tokens; or a table with such a column, named by `text`.
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
        documents = self._read(X)
        labels = Labels.of(y, len(documents))
        labels.check_classes()
        self.classes_ = labels.classes
        check_classification_targets(labels.values)
        self.sampling_strategy_ = missing_by_label(self.sampling_strategy, labels.values)
        self._prepare(documents, labels.values)
        new: list[Document] = []
        exemplars: list[int] = []  # for each new document, one of its class
        for request, synthetic in self._generate_all(documents, labels.values):
            new += synthetic.documents
            exemplars += [int(request.rows[0])] * len(synthetic.documents)
        return documents.like_given(new), labels.extend(np.array(exemplars, dtype=np.int64))

    def _fit_resample(self, X: DocumentsLike, y: LabelsLike, **params: object) -> NoReturn:
        # imbalanced-learn's hook works on arrays of features; documents never get there.
        raise NotImplementedError("use fit_resample")

    def _read(self, documents: DocumentsLike) -> Documents:
        text = getattr(self, "text", None)
        if isinstance(text, list | tuple) and len(text) > 1:
            raise ValueError(
                f"text names the columns {listed(text)}, but a synthetic document is one text; "
                "join them into one column first, such as table['subject'] + ' ' + table['body']"
            )
        return Documents.of(documents, roles=Roles.of(text))


def class_sizes(y: ArrayLike) -> dict[Label, int]:
    """Return the number of documents of each class, in sorted order.

    Examples
    --------
    >>> class_sizes(["b", "a", "b"])
    {'a': 1, 'b': 2}
    """
    labels, counts = np.unique(np.asarray(y), return_counts=True)
    return dict(zip(labels.tolist(), counts.tolist(), strict=True))


def missing_by_label(
    strategy: SamplingStrategy, y: Array, vector_bytes: int = 0
) -> dict[Label, int]:
    """Return how many documents a `sampling_strategy` adds to each class of `y`.

    imbalanced-learn reads the strategy. What it would refuse without naming the class, or would not
    notice, is refused here first, and so are more documents than memory holds. Each of these takes
    `vector_bytes` besides what every document takes.
    """
    if callable(strategy):
        strategy = called_strategy(strategy, y)
    if isinstance(strategy, Mapping):
        n_new = missing_to_targets(strategy, class_sizes(y))
    else:
        missing, classes = check_sampling_strategy(strategy, y, "over-sampling"), np.unique(y)
        labels = dict(zip(classes, classes.tolist(), strict=True))
        n_new = {labels[value]: int(n) for value, n in missing.items()}
    check_new_documents(n_new, vector_bytes)
    return n_new


def check_new_documents(n_new: Mapping[Label, int], vector_bytes: int = 0) -> None:
    """Raise if so many new documents, by class, cannot be in memory together."""
    n = sum(n_new.values())
    n_bytes = float(n) * (_LEAST_BYTES + vector_bytes)
    if n_bytes > FITS_ANYWHERE:
        which = class_name(*n_new) if len(n_new) == 1 else f"{len(n_new):,} classes"
        check_memory(
            n_bytes,
            f"{n:,} new documents of {which}",
            "ask for fewer, such as with sampling_strategy=minority_share(0.5)",
        )


def called_strategy(
    strategy: Callable[[Array], Mapping[Label, int]], y: Array
) -> Mapping[Label, int]:
    """Return how many documents each class should have, as a function tells it."""
    targets = strategy(y)
    if not isinstance(targets, Mapping):
        raise TypeError(
            f"the function given as sampling_strategy returned {targets!r:.60} "
            f"({type(targets).__name__}); it must return a dict from each class to its number of "
            "documents"
        )
    return targets


def missing_to_targets(
    targets: Mapping[Label, float], sizes: Mapping[Label, int]
) -> dict[Label, int]:
    """Return how many documents bring each class to its target, in the order of `sizes`."""
    for label, n in targets.items():
        if label not in sizes:
            raise ValueError(
                f"there is no class {label!r}; the classes are {listed(sizes)}"
                f"{did_you_mean(label, sizes)}"
            )
        if isinstance(n, bool) or not isinstance(n, Real):
            raise TypeError(
                f"sampling_strategy asks for {n!r} documents of class {label!r}; give whole numbers"
            )
        if not float(n).is_integer():  # nor are NaN and infinity
            raise ValueError(
                f"sampling_strategy asks for a fraction of a document ({n} of class {label!r}); "
                "give whole numbers"
            )
        if n < sizes[label]:
            raise ValueError(
                f"class {label!r} has {sizes[label]} documents, more than the {n} asked for; "
                "oversampling cannot remove documents: ask for more"
            )
    return {label: int(targets[label]) - n for label, n in sizes.items() if label in targets}


def evenly(n: int, n_parents: int, seed: int, stream: int) -> NDArray[np.int64]:
    """Return how many of `n` children each parent has; the remainder goes to parents at random.

    Examples
    --------
    >>> sorted(evenly(8, 3, seed=0, stream=0).tolist())
    [2, 3, 3]
    """
    children = np.full(n_parents, n // n_parents, dtype=np.int64)
    generator = keyed_generator(seed, stream)
    children[generator.choice(n_parents, n % n_parents, replace=False)] += 1
    return children


def refuse_text(X: DocumentsLike, advice: str) -> None:
    """Refuse documents where vectors are expected."""
    if sparse.issparse(X) or getattr(X, "ndim", 1) != 1:
        return
    # An object that only has __array__ cannot be iterated; imbalanced-learn reads and checks it.
    first = next(iter(X), None) if isinstance(X, Iterable) else None
    if isinstance(X, str) or isinstance(first, str):
        raise TypeError(f"X contains text, but {advice}")
