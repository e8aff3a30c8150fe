"""What EMCO and MCO learn: counts of all documents and of each class, at once or in pieces."""

from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.utils.validation import check_is_fitted

from imbtext.documents import Corpus, Documents, Labels
from imbtext.markov import (
    ClassCounts,
    CorpusCounts,
    CountsAccumulator,
    MarkovChain,
    Pruned,
    SimilarCounts,
    TransitionCounts,
    prune,
)
from imbtext.oversampling._base import BaseTextOverSampler
from imbtext.surface import SurfaceCounts


class CountingSampler(BaseTextOverSampler):
    """Base of the samplers that learn nothing but counts, which add up.

    A subclass has these parameters; counts do not suffice for `similarity`.
    """

    order: int
    similarity: float | None
    min_count: int
    max_words: int | None
    surface: bool
    tokenizer: Any
    text: Any
    _is_tokens: bool
    _accumulator: CountsAccumulator | None = None
    _is_settled = True
    _surface: SurfaceCounts | None = None
    _pruned: Pruned | None = None

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Learn the chain of every class, without generating anything.

        Parameters
        ----------
        X, y : containers
            As in :meth:`fit_resample`.
        """
        documents = Documents.of(X, text=self.text)
        labels = Labels.of(y, len(documents))
        self.classes_, _, _ = labels.classes()
        self._prepare(documents, labels.values)
        return self

    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: Any) -> Self:
        """Learn from some more documents, in memory that grows with the counts alone.

        However the documents are cut into calls, what is drawn afterwards is what :meth:`fit` on
        all of them gives. Classes may come late. A sampler that was fitted or loaded goes on.

        Parameters
        ----------
        X, y : containers
            As in :meth:`fit_resample`; strings always, or token lists always.

        Examples
        --------
        >>> from imbtext import EMCO
        >>> emco = EMCO(random_state=0)
        >>> for X, y in ((["oil up", "gold down"], ["oil", "gold"]), (["oil price"], ["oil"])):
        ...     emco = emco.partial_fit(X, y)
        >>> emco.sample(1, "oil", length=2)
        ['oil price']
        """
        self._refuse_without_documents("partial_fit")
        documents = Documents.of(X, text=self.text)
        if not len(documents):
            return self
        labels = Labels.of(y, len(documents)).values
        known = getattr(self, "classes_", labels[:0])
        if len(known):
            _check_same_kinds(known, labels, self._is_tokens, documents.is_tokens)
        if self._accumulator is None:
            self._accumulator = CountsAccumulator(self.order, self.tokenizer, surface=self.surface)
            if len(known):
                self._accumulator.merge(self.corpus_counts_)
        self._is_tokens, self._is_settled = documents.is_tokens, False
        self._accumulator.add(documents.content, labels.tolist())
        self.classes_ = np.unique(np.concatenate([known, labels]))
        return self

    def fit_counts(self, counts: CorpusCounts) -> Self:
        """Learn from counts that were made elsewhere: on a cluster, or last year.

        Parameters
        ----------
        counts : imbtext.markov.CorpusCounts
            Of all documents, counted with this sampler's `order`, and for ``surface=True`` with
            surface forms.
        """
        self._refuse_without_documents("fit_counts")
        if counts.order != self.order:
            raise ValueError(
                f"the counts are of order {counts.order} and the sampler is of order {self.order}; "
                "they must be the same"
            )
        if self.surface and counts.surface is None:
            raise ValueError(
                "the counts do not tell how words are written; count with surface forms, or set "
                "surface=False"
            )
        self._take(counts, is_tokens=False)
        return self

    def _take(self, counts: CorpusCounts, is_tokens: bool) -> None:
        self.classes_ = np.array(list(counts.sorted_sizes()))
        self._is_tokens, self._accumulator = is_tokens, None
        self._settle_on(counts)

    def _refuse_without_documents(self, method: str) -> None:
        if self.similarity is not None:
            raise ValueError(
                f"{method} learns counts of words, and similarity={self.similarity} compares every "
                "document with all those of the class; use fit or fit_resample with all documents, "
                "or set similarity=None"
            )

    @property
    def _prunes(self) -> bool:
        return self.min_count > 1 or self.max_words is not None

    def _settle_on(self, counts: CorpusCounts) -> None:
        self._pruned = None
        if self._prunes:
            counts, self._pruned = prune(counts, min_count=self.min_count, max_words=self.max_words)
        self._surface = counts.surface if self.surface else None
        self._vocabulary, self._counts = counts.vocabulary.to_numpy(), counts.total()
        self._class_rows: dict[int, tuple[Corpus, NDArray[np.int64]]] = {}
        own = [counts.classes[label] for label in counts.sorted_sizes()]
        self._begin_with(dict(enumerate(own)))
        self._is_settled = True

    def _settle(self) -> None:
        # Counts of partial_fit are added up when they are asked for, not at each call.
        if self._accumulator is not None and not self._is_settled:
            self._settle_on(self._accumulator.result())

    @property
    def vocabulary_(self) -> NDArray[np.object_]:
        """All words, sorted."""
        self._settle()
        return self._vocabulary

    @property
    def counts_(self) -> TransitionCounts:
        """The transitions of all documents."""
        self._settle()
        return self._counts

    @property
    def pruned_(self) -> Pruned | None:
        """What `min_count` and `max_words` forgot, and what that changes; None without them."""
        check_is_fitted(self, "counts_")
        return self._pruned

    @property
    def corpus_counts_(self) -> CorpusCounts:
        """The counts of each class with their words, to be saved or added to others."""
        check_is_fitted(self, "counts_")
        own = {label: self._own_counts(i) for i, label in enumerate(self.classes_.tolist())}
        sizes = {label: counts.counts.n_documents for label, counts in own.items()}
        words = pl.Series(values=self.vocabulary_, dtype=pl.String)
        return CorpusCounts(words, own, sizes, self.counts_.order, self._surface)

    def _prepare(self, documents: Documents, y: NDArray[Any]) -> None:
        corpus = documents.corpus(self.tokenizer)
        self._surface = (
            SurfaceCounts.of(documents.rows, corpus, self.tokenizer) if self.surface else None
        )
        self._is_tokens, self._accumulator, self._pruned = documents.is_tokens, None, None
        if self._prunes:
            if self.similarity is not None:
                raise ValueError(
                    "min_count and max_words forget transitions that similarity weighs document by "
                    "document; leave them at 1 and None, or set similarity=None"
                )
            self._settle_on(CorpusCounts.of(corpus, y.tolist(), self.order, self._surface))
            return
        self._vocabulary = corpus.vocabulary
        self._counts = TransitionCounts.of(corpus, self.order)
        # Each class is counted when it is first needed: resampling seldom needs the largest.
        self._class_rows = {
            index: (corpus, np.flatnonzero(y == label)) for index, label in enumerate(self.classes_)
        }
        self._begin_with({})

    def _begin_with(self, class_counts: dict[int, ClassCounts]) -> None:
        self._class_counts = class_counts
        self._similar: dict[int, SimilarCounts] = {}
        self._chains: dict[tuple[int, float | str, int], MarkovChain] = {}
        self._gammas: dict[Any, float] = {}

    def _own_counts(self, index: int) -> ClassCounts:
        if index not in self._class_counts:
            corpus, rows = self._class_rows.pop(index)
            own = self._class_counts[index] = ClassCounts.of(corpus, rows, self.counts_.order)
            if self.similarity is not None:
                self._similar[index] = SimilarCounts.of(
                    corpus, rows, self.counts_, own, self.similarity
                )
        return self._class_counts[index]


def _check_same_kinds(
    known: NDArray[Any], labels: NDArray[Any], tokens_before: bool, is_tokens: bool
) -> None:
    kinds = ["token lists" if tokens else "strings" for tokens in (is_tokens, tokens_before)]
    if kinds[0] != kinds[1]:
        raise TypeError(f"X holds {kinds[0]}, and before it held {kinds[1]}; use one of them")
    before, now = (_kind(values) for values in (known, labels))
    if before != now:
        raise TypeError(f"y holds {now}, and before it held {before}; use labels of one kind")


def _kind(labels: NDArray[Any]) -> str:
    label = labels.tolist()[0]
    if isinstance(label, bool):
        return "true/false"
    return "numbers" if isinstance(label, int | float) else f"{type(label).__name__} labels"
