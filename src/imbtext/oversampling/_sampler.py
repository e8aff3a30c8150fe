"""Sampler: parameters, a space, and one method that draws new documents.

A sampler states its parameters, the `space` it works in, and `draw`, which makes the new documents
of one class and changes nothing. Everything else is here: imbalanced-learn's contract for documents
in any container and for vectors, exact numbers, where every row comes from, and errors. A class of
a few lines is enough:

>>> import numpy as np
>>> class Shortened(Sampler):
...     space = "text"
...     title = "shortened documents"
...     def __init__(self, *, sampling_strategy="auto", random_state=None):
...         self.sampling_strategy = sampling_strategy
...         self.random_state = random_state
...     def draw(self, request):
...         parents = np.resize(request.rows, request.n)
...         texts = request.documents.select(parents).to_list()
...         return New(parents, [text[: len(text) // 2] for text in texts])
>>> Shortened().fit_resample(["oil up"] + ["gold down"] * 2, ["a", "b", "b"])[0]
['oil up', 'gold down', 'gold down', 'oil']

The line of its name in ``imbtext.oversampling._names`` makes it known to every command. Think twice
before adding to this class: what only one sampler needs belongs to that sampler.
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Protocol, Self, TypeVar

import numpy as np
from imblearn.over_sampling.base import BaseOverSampler
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets

from imbtext._estimator import DocumentedEstimatorMixin, fit_context, take_documents
from imbtext._messages import class_name, listed
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
from imbtext.documents._cache import Cache
from imbtext.documents._corpus import Corpus
from imbtext.documents._documents import Documents
from imbtext.documents._labels import Labels, check_labelled
from imbtext.documents._roles import Roles
from imbtext.documents._tokenization import Tokenizer
from imbtext.markov._surface import SurfaceCounts
from imbtext.oversampling._strategy import missing_by_label
from imbtext.randomness import draw_seed, keyed_generator

# What a sampler works on: texts (or token lists), word ids, word counts, or tf-idf vectors.
Space = Literal["text", "ids", "counts", "tfidf"]
DocumentContainer = TypeVar("DocumentContainer", bound=DocumentsLike | Matrix)
LabelContainer = TypeVar("LabelContainer", bound=LabelsLike)


@dataclass(frozen=True, eq=False)
class Request:
    """A request to a sampler: `n` new documents of one class.

    Attributes
    ----------
    documents : Documents, Corpus or matrix
        All documents, in the space of the sampler: `Documents` for ``"text"``, a `Corpus` for
        ``"ids"``, a matrix for ``"counts"`` and ``"tfidf"``.
    rows : ndarray of int64
        The rows of the class in `documents`.
    n : int
        How many documents to make.
    seed, stream : int
        All randomness is keyed by these two; each class has a stream of its own.
    label : object
        The name of the class, for messages.
    cache : Cache
        What was computed of the documents, for calls that have it in common. It never changes a
        result.
    """

    documents: Any
    rows: NDArray[np.int64]
    n: int
    seed: int
    stream: int = 1
    label: Label = None
    cache: Cache = field(default_factory=Cache)

    @property
    def class_name(self) -> str:
        """The class as messages call it."""
        return class_name(self.label)


@dataclass(frozen=True, eq=False)
class Replaced:
    """Original rows that a sampler replaces, and what takes their place.

    `is_drawn` says that the new ones were drawn like synthetic documents, rather than rewritten.
    """

    rows: NDArray[np.int64]
    documents: Any
    is_drawn: bool = False


@dataclass(frozen=True, eq=False)
class New:
    """New documents of one class.

    Attributes
    ----------
    parents : ndarray of int64
        The row that each new document was derived from, -1 where it has no parent.
    documents : sequence of documents, Corpus, matrix or None
        The new documents in the space of the request; None if they are copies of their parents.
    replaced : Replaced or None
        Original rows to replace; None leaves all of them as they are.
    transform : callable or None
        Turns the vectors of unseen documents into those that a classifier takes which was trained
        on these; None leaves them as they are.
    """

    parents: NDArray[np.int64]
    documents: Any = None
    replaced: Replaced | None = None
    transform: Callable[[Any], Any] | None = None

    @classmethod
    def without_parents(cls, documents: Any) -> Self:
        """Return documents that have no parents."""
        return cls(np.full(_n_documents(documents), -1), documents)


class Draws(Protocol):
    """A sampler of ours, or one wrapped in `Foreign`: it draws, in a space, and has a title."""

    @property
    def space(self) -> Space:
        """The space that it works in."""
        ...

    @property
    def title(self) -> str:
        """Its name in words."""
        ...

    def draw(self, request: Request) -> New:
        """Return new documents."""
        ...


class Sampler(DocumentedEstimatorMixin, BaseOverSampler):
    """Base of the samplers.

    Attributes
    ----------
    space : {"text", "ids", "counts", "tfidf"}
        What `draw` works on. ``"text"`` and ``"ids"`` take documents: strings or token lists, in
        any container. ``"counts"`` and ``"tfidf"`` take a matrix of word counts or of vectors.
    title : str
        What the sampler is called in words, such as "EMCO".
    in_names : tuple of str
        The parameters that need no name of their own in a method's name: with ``("gamma",)``,
        ``emco(0.1)`` is ``emco(gamma=0.1)``.
    sampling_strategy_ : dict
        After `fit_resample`: number of documents to generate for each class to oversample.
    is_synthetic_ : ndarray of bool
        For each row of the output, whether it was generated.
    sample_indices_ : ndarray of int64
        For each row of the output, the input row it is or was derived from; -1 for a generated
        document without a single parent.
    n_generated_ : dict
        Number of generated documents of each class.
    classes_ : ndarray
        The class labels, for samplers of documents.
    """

    space: ClassVar[Space]
    title: ClassVar[str]
    in_names: ClassVar[tuple[str, ...]] = ()

    random_state: RandomState
    sampling_strategy: SamplingStrategy
    sampling_strategy_: dict[Label, int]
    _parameter_constraints: dict[str, list[object]] = {
        **BaseOverSampler._parameter_constraints,
        "random_state": ["random_state"],
    }

    @abstractmethod
    def draw(self, request: Request) -> New:
        """Return new documents of a class; nothing but the request decides about them."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit_resample(
        self, X: DocumentContainer, y: LabelContainer, **params: object
    ) -> tuple[DocumentContainer, LabelContainer]:
        """Return the documents with synthetic ones behind them.

        Parameters
        ----------
        X : documents or matrix
            A list, tuple, array, or pandas, Polars or Arrow column of strings or lists of tokens,
            or a table with such a column, named by `text`. Samplers of vectors take a matrix.
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
        if self.space in ("counts", "tfidf"):
            check_labelled(y)
            resampled: tuple[DocumentContainer, LabelContainer] = super().fit_resample(X, y)
            return resampled
        documents = self._read(X)
        labels = Labels.of(y, len(documents))
        labels.check_classes()
        self.classes_ = labels.classes
        check_classification_targets(labels.values)
        self.sampling_strategy_ = missing_by_label(self.sampling_strategy, labels.values)
        self._prepare(documents, labels.values)
        in_space = self._in_space(documents)
        new: list[Document] = []
        exemplars: list[int] = []  # for each new document, one of its class
        for request, drawn in self._draw_all(in_space, labels.values):
            new += self._written(drawn, documents, request)
            exemplars += [int(request.rows[0])] * len(drawn.parents)
        return documents.like_given(new), labels.extend(np.array(exemplars, dtype=np.int64))

    def _read(self, documents: DocumentsLike) -> Documents:
        text = getattr(self, "text", None)
        if isinstance(text, list | tuple) and len(text) > 1:
            raise ValueError(
                f"text names the columns {listed(text)}, but a synthetic document is one text; "
                "join them into one column first, such as table['subject'] + ' ' + table['body']"
            )
        return Documents.of(documents, roles=Roles.of(text))

    def _prepare(self, documents: Documents, y: Array) -> None:
        """Learn from all classes before the first is drawn. By default there is nothing to do."""

    def _in_space(self, documents: Documents) -> Documents | Corpus:
        if self.space == "text":
            return documents
        return documents.corpus(getattr(self, "tokenizer", None))

    def _draw_class(self, request: Request) -> New:
        """Draw the documents of one class, as part of `fit_resample`."""
        return self.draw(request)

    def _draw_all(self, documents: Any, y: Array) -> list[tuple[Request, New]]:
        """Draw what the strategy asks for, and keep where every row comes from."""
        seed, (classes, codes) = draw_seed(self.random_state), np.unique(y, return_inverse=True)
        cache = Cache()
        places = {label: place for place, label in enumerate(classes.tolist())}
        drawn: list[tuple[Request, New]] = []
        self.n_generated_: dict[Label, int] = {}
        for label, n in self.sampling_strategy_.items():
            self.n_generated_[label] = 0
            if n > 0:
                rows = np.flatnonzero(codes == places[label])
                request = Request(documents, rows, n, seed, places[label], label, cache)
                new = checked_new(self._draw_class(request), request, self)
                self.n_generated_[label] = len(new.parents)
                drawn.append((request, new))
        parents = [np.arange(len(y)), *(new.parents for _, new in drawn)]
        self.sample_indices_ = np.concatenate(parents).astype(np.int64)
        self.is_synthetic_ = np.arange(len(self.sample_indices_)) >= len(y)
        for _, new in drawn:
            if new.replaced is not None and new.replaced.is_drawn:
                self.is_synthetic_[new.replaced.rows] = True
                self.sample_indices_[new.replaced.rows] = -1
        return drawn

    def _written(self, new: New, documents: Documents, request: Request) -> Sequence[Document]:
        """Return new documents in the form of the originals."""
        if new.documents is None:
            return documents.select(new.parents).to_list()
        if isinstance(new.documents, Corpus):
            return self._decoded(new.documents, documents, request)
        written: Sequence[Document] = new.documents
        return written

    def _decoded(
        self,
        corpus: Corpus,
        documents: Documents,
        request: Request,  # noqa: ARG002
    ) -> Sequence[Document]:
        """Return documents that were drawn as word ids in the form of the originals."""
        return documents.decode(corpus, getattr(self, "tokenizer", None))

    def with_surface(
        self,
        corpus: Corpus,
        texts: Sequence[Document],
        request: Request,
        tokenizer: Tokenizer | None,
    ) -> list[str] | None:
        """Write drawn word ids as `texts` write their words; None if `surface` does not ask so."""
        if not getattr(self, "surface", False):
            return None
        surface = request.cache.of_all(
            "surface", lambda: SurfaceCounts.of(texts, request.documents, tokenizer)
        )
        return surface.write(corpus, request.seed, request.stream, tokenizer=tokenizer)

    # Vectors: imbalanced-learn reads and checks them.

    def _check_X_y(  # noqa: N802
        self, X: Matrix, y: LabelsLike, accept_sparse: object = None
    ) -> tuple[Matrix, Array, bool]:
        where = "right behind CountVectorizer" if self.space == "counts" else "behind a vectorizer"
        taken = "word counts" if self.space == "counts" else "vectors"
        refuse_text(X, f"{type(self).__name__} works on {taken}: put it {where}")
        checked: tuple[Matrix, Array, bool] = super()._check_X_y(X, y, accept_sparse)
        self._missing_by_label(*checked[:2])  # before imbalanced-learn, whose errors name no class
        return checked

    def _fit_resample(self, X: Matrix, y: Array, **params: object) -> tuple[Matrix, Array]:  # noqa: ARG002
        self.sampling_strategy_ = self._missing_by_label(X, y)
        originals, blocks, labels = X, [], [y]
        for request, new in self._draw_all(X, y):
            blocks.append(X[new.parents] if new.documents is None else new.documents)
            labels.append(np.full(len(new.parents), request.label, dtype=y.dtype))
            if new.replaced is not None:
                originals = with_rows(originals, new.replaced.rows, new.replaced.documents)
        return stacked([originals, *blocks]), np.concatenate(labels)

    def _missing_by_label(self, X: Matrix, y: Array) -> dict[Label, int]:
        vector_bytes = 0 if sparse.issparse(X) else X.shape[1] * X.itemsize
        return missing_by_label(self.sampling_strategy, y, vector_bytes)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.sampler_tags.sample_indices = True
        if self.space in ("text", "ids"):
            take_documents(tags)
        return tags


def with_rows(X: Matrix, rows: NDArray[np.int64], new: Matrix) -> Matrix:
    """Return a matrix in which new rows replace some of the old ones."""
    if len(rows) == X.shape[0]:
        return new[np.argsort(rows)]
    order = np.arange(X.shape[0])
    order[rows] = X.shape[0] + np.arange(len(rows))
    return stacked([X, new])[order]


def stacked(blocks: Sequence[Matrix]) -> Matrix:
    """Put matrices of the kind of the first below each other."""
    kind = type(blocks[0])
    return kind(sparse.vstack(blocks)) if sparse.issparse(blocks[0]) else np.vstack(blocks)


def checked_new(new: object, request: Request, sampler: object) -> New:
    """Return what `draw` returned; say in words what is wrong with it, for whoever wrote it.

    Examples
    --------
    >>> request = Request(Documents.of(["oil up"]), np.array([0]), 1, 0)
    >>> checked_new(["oil up"], request, "draw")
    Traceback (most recent call last):
    ...
    TypeError: str.draw returned a list; it must return imbtext.oversampling.New(parents, documents)
    """
    called = f"{type(sampler).__name__}.draw"
    if not isinstance(new, New):
        raise TypeError(
            f"{called} returned a {type(new).__name__}; it must return "
            "imbtext.oversampling.New(parents, documents)"
        )
    parents, n_rows = np.asarray(new.parents), _n_documents(request.documents)
    is_place = parents.ndim == 1 and (parents.dtype.kind in "iu" or not len(parents))
    if not is_place or (len(parents) and not -1 <= parents.min() <= parents.max() < n_rows):
        raise ValueError(
            f"{called} returned the parents {new.parents!r:.60}; they must be rows of the "
            f"{n_rows:,} documents, or -1 for a new document without a parent"
        )
    new = replace(new, parents=parents.astype(np.int64))
    if new.documents is None:
        return new
    n = _n_documents(new.documents)
    if n != len(parents):
        raise ValueError(
            f"{called} returned {n:,} documents and {len(parents):,} parents; there must be one "
            "parent for each document"
        )
    originals = request.documents
    if isinstance(originals, Documents) and not isinstance(new.documents, Corpus):
        kind = (list, tuple) if originals.is_tokens else str
        name = "token lists" if originals.is_tokens else "strings"
        wrong = next((one for one in new.documents if not isinstance(one, kind)), None)
        if wrong is not None:
            raise TypeError(
                f"{called} returned the document {wrong!r:.40}; the originals are {name}, so the "
                "new ones must be, too"
            )
    return new


def _n_documents(documents: Any) -> int:
    return documents.n_documents if isinstance(documents, Corpus) else _length(documents)


def _length(documents: Any) -> int:
    return int(documents.shape[0]) if hasattr(documents, "shape") else len(documents)


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
