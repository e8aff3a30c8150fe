"""What EMCO and MCO share: samplers that learn from counts of words alone.

A class becomes new documents in a few steps:

* :class:`CountedClass` is what the method knows of a class: the transitions of all documents, those
  of its own, and perhaps those of documents similar to it. It makes the chain for any gamma.
* :class:`SyntheticDocuments` is a chain with a stream of random numbers. Document i depends on
  nothing else, so any run of documents can be drawn by itself, on any machine.
* :class:`CountingSampler` is the sampler around these. It counts documents from any container, at
  once (`fit`) or in pieces (`partial_fit`), or takes counts made elsewhere (`fit_counts`). What is
  drawn becomes documents of the same kind.

Methods by name, files, streams and Dask frames use these steps, too.
"""

import os
from collections.abc import Hashable
from dataclasses import dataclass, replace
from numbers import Integral
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import polars as pl
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from imbtext._estimator import fit_context
from imbtext._messages import check_whole_number, class_name, listed
from imbtext._typing import (
    Array,
    ColumnNames,
    DocumentsLike,
    Label,
    LabelsLike,
    RandomState,
)
from imbtext.documents._cache import Cache
from imbtext.documents._corpus import Corpus
from imbtext.documents._documents import Documents
from imbtext.documents._labels import Labels, label_array
from imbtext.documents._roles import Roles
from imbtext.documents._tokenization import Tokenizer
from imbtext.markov._accumulation import CorpusCounts, CountsAccumulator
from imbtext.markov._chain import MarkovChain
from imbtext.markov._counts import ClassCounts, TransitionCounts
from imbtext.markov._heaps import gamma_by_heaps
from imbtext.markov._saved import ChainRecord, load_chain, save_chain
from imbtext.markov._similarity import SimilarCounts
from imbtext.markov._surface import SurfaceCounts
from imbtext.oversampling._sampler import New, Request, Sampler
from imbtext.oversampling._strategy import class_sizes
from imbtext.randomness import draw_seed

# What only a fit knows, and what only a resampling knows: gone once more documents are learnt.
_OF_COUNTS: Final = ("vocabulary_", "counts_", "gamma_")
_OF_RESAMPLING: Final = ("sampling_strategy_", "is_synthetic_", "sample_indices_", "n_generated_")


@dataclass(frozen=True, eq=False)
class CountedClass:
    """A class as EMCO knows it: counts of all documents and of its own.

    Attributes
    ----------
    total : TransitionCounts
        The transitions of all documents.
    class_counts : ClassCounts
        The transitions of the documents of the class.
    similar : SimilarCounts or None
        The other documents counted by their similarity to the class; None counts them equally.

    Examples
    --------
    >>> corpus = Corpus.from_tokens([["oil", "up"], ["gold", "up"], ["oil", "down"]])
    >>> oil = CountedClass.of(corpus, np.array([0, 2]), TransitionCounts.of(corpus))
    >>> oil.chain(gamma=0.0).draw(corpus.vocabulary, 1, seed=0).texts()
    ['oil up']
    """

    total: TransitionCounts
    class_counts: ClassCounts
    similar: SimilarCounts | None = None

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        members: NDArray[np.int64],
        total: TransitionCounts,
        similarity: float | None = None,
    ) -> Self:
        """Count the documents `members` of a corpus whose transitions are `total`."""
        class_counts = ClassCounts.of(corpus, members)
        similar = None
        if similarity is not None:
            similar = SimilarCounts.of(corpus, members, total, class_counts, similarity)
        return cls(total, class_counts, similar)

    def chain(self, gamma: float | str, n: int = 0, label: Label = None) -> MarkovChain:
        """Return the chain of the class, which errors call `label`.

        `gamma` may be ``"heaps"``, which depends on the number `n` of synthetic documents.
        """
        total, class_counts = self.total, self.class_counts
        if not len(class_counts.word_ids):
            raise ValueError(
                f"{class_name(label)} has no document with a word in it, so there is nothing to "
                "learn a chain from; check its documents and the tokenizer"
            )
        if self.similar is not None:
            total = self.similar.total(total, class_counts)
        if gamma == "heaps":
            gamma = gamma_by_heaps(total, class_counts.counts, n, word_ids=class_counts.word_ids)
        return MarkovChain.extrapolate(
            total, class_counts.counts, float(gamma), class_counts.word_ids
        )


def all_transitions(corpus: Corpus, cache: Cache) -> TransitionCounts:
    """Return the transitions of all documents, which serve every class."""
    return cache.of_all("transitions", lambda: TransitionCounts.of(corpus))


@dataclass(frozen=True, eq=False)
class SyntheticDocuments:
    """The synthetic documents of one class, none of them drawn yet.

    Document i depends on the chain, the seed, the stream and i alone. So `draw` gives any run of
    them without the ones before it: in pieces that fit into memory, or on other machines.

    Attributes
    ----------
    label : object
        The class.
    n : int
        How many documents there are.
    chain : MarkovChain
        What the documents are drawn from.
    vocabulary : ndarray of object
        The words that the ids of the chain stand for.
    seed, stream : int
        The key of the random numbers.
    surface : SurfaceCounts or None
        How to write the words; None joins them with spaces.
    tokenizer : callable or None
        What the documents were split by; only `surface` needs it.
    is_tokens : bool
        Whether documents are token lists rather than strings.

    Examples
    --------
    >>> from imbtext import EMCO
    >>> emco = EMCO(random_state=0).fit(["oil up", "oil price up", "gold"], ["a", "a", "b"])
    >>> documents = emco.synthetic_documents("a", 100, seed=1)
    >>> documents.draw(10, 12) == documents.draw()[10:12]
    True
    """

    label: Label
    n: int
    chain: MarkovChain
    vocabulary: NDArray[np.object_]
    seed: int
    stream: int
    surface: SurfaceCounts | None = None
    tokenizer: Tokenizer | None = None
    is_tokens: bool = False

    def __len__(self) -> int:
        return self.n

    @property
    def mean_length(self) -> float:
        """The mean number of words of a document."""
        return float(np.average(self.chain.lengths, weights=self.chain.length_counts))

    def draw(
        self,
        start: int = 0,
        end: int | None = None,
        *,
        length: int | None = None,
        n_jobs: int | None = 1,
    ) -> list[Any]:
        """Draw the documents from `start` to before `end`, by default all of them.

        `length` is the number of words of each document, by default drawn from the class's own.
        """
        n = (self.n if end is None else end) - start
        jobs = effective_n_jobs(n_jobs)
        corpus = self.chain.draw(
            self.vocabulary, n, self.seed, self.stream, start, length=length, n_jobs=jobs
        )
        if self.surface is not None:
            return self.surface.write(corpus, self.seed, self.stream, start, self.tokenizer)
        return corpus.tokens() if self.is_tokens else corpus.texts(self.tokenizer)


class CountingSampler(Sampler):
    """Base of the samplers that learn from counts of words: EMCO and MCO.

    See :class:`imbtext.EMCO` for the attributes of a fitted one.
    """

    space = "ids"

    # The parameters; MCO fixes the first two.
    gamma: float | str
    similarity: float | None
    tokenizer: Tokenizer | None
    text: ColumnNames
    surface: bool | str
    n_jobs: int | None

    vocabulary_: NDArray[np.object_]
    counts_: TransitionCounts
    gamma_: dict[Label, float]
    # What partial_fit collects, None without it. Until it is added up there is no `counts_`.
    _accumulator: CountsAccumulator | None = None
    _is_tokens: bool
    # The number of documents of each class, those without words included.
    _sizes: dict[Hashable, int]
    # The similarity that the classes are counted with, whatever the parameter is set to later.
    _similarity: float | None
    # By place in `classes_`: the rows of a class that is not counted yet, its counts after that,
    # and its latest chain with the gamma and the number of documents that it was made for.
    _class_rows: dict[int, tuple[Corpus, NDArray[np.int64]]]
    _counted_classes: dict[int, CountedClass]
    _chains: dict[int, tuple[tuple[float | str, int], MarkovChain]]

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: DocumentsLike, y: LabelsLike) -> Self:
        """Learn the chain of every class, without generating anything.

        Parameters
        ----------
        X, y : containers
            As in :meth:`fit_resample`.
        """
        documents = Documents.of(X, roles=Roles.of(self.text))
        labels = Labels.of(y, len(documents))
        labels.check_classes()
        self.classes_ = labels.classes
        self._prepare(documents, labels.values)
        self._delete(*_OF_RESAMPLING)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: DocumentsLike, y: LabelsLike) -> Self:
        """Learn from more documents; memory grows only with the counts.

        However you split the documents over calls, the sampler then draws the documents that
        :meth:`fit` on all of them gives. Classes may come late. A sampler that was fitted or loaded
        continues.

        A call only collects. The counts are added up when :meth:`sample`, :meth:`chain`,
        :meth:`corpus_counts` or :meth:`save` needs them; until then ``vocabulary_``, ``counts_``
        and ``gamma_`` do not exist.

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
        self.check_counts_suffice("partial_fit")
        documents = Documents.of(X, roles=Roles.of(self.text))
        if not len(documents):
            return self
        labels = Labels.of(y, len(documents)).values
        classes_before = getattr(self, "classes_", labels[:0])
        if len(classes_before):
            _check_same_kinds(classes_before, labels, self._is_tokens, documents.is_tokens)
        accumulator = self._accumulator
        if accumulator is None:
            accumulator = CountsAccumulator(self.tokenizer, surface=self.writes_surface)
            if len(classes_before):
                accumulator.merge(self.corpus_counts())
        accumulator.add(documents.texts, labels.tolist())
        self._accumulator, self._is_tokens = accumulator, documents.is_tokens
        self._delete(*_OF_COUNTS, *_OF_RESAMPLING)
        self.classes_ = np.unique(label_array([*classes_before.tolist(), *labels.tolist()]))
        return self

    def fit_counts(self, counts: CorpusCounts) -> Self:
        """Learn from counts that were made elsewhere: on a cluster, or last year.

        Parameters
        ----------
        counts : imbtext.markov.CorpusCounts
            Of all documents; for ``surface=True`` counted with surface forms.
        """
        self._validate_params()
        self.check_counts_suffice("fit_counts")
        if not isinstance(counts, CorpusCounts):
            raise TypeError(
                f"counts is {counts!r:.60} ({type(counts).__name__}); expected a CorpusCounts, "
                "which imbtext.markov.load_counts reads from a file"
            )
        if self.writes_surface and counts.surface is None:
            raise ValueError(
                "the counts do not say how words are written; count with surface forms, or set "
                "surface=False"
            )
        self._learn_counts(counts, is_tokens=False)
        self._delete(*_OF_RESAMPLING)
        return self

    def sample(
        self, n: int, label: Label, *, length: int | None = None, random_state: RandomState = None
    ) -> list[Any]:
        """Generate documents of a class.

        Parameters
        ----------
        n : int
            How many.
        label : object
            The class.
        length : int, optional
            Number of words of each document; by default drawn from the class's documents.
        random_state : int, RandomState instance or None
            By default the estimator's own. The first documents are the same for any `n`, unless
            gamma is ``"heaps"`` and therefore depends on `n`.

        Returns
        -------
        documents : list
            Strings, or token lists if the sampler was fitted on token lists.
        """
        self._complete_fit()
        check_whole_number("n", n, least=0)
        if length is not None:
            check_whole_number("length", length, least=1)
        seed = draw_seed(self.random_state if random_state is None else random_state)
        documents = self.synthetic_documents(label, n, seed, length=length)
        return documents.draw(length=length, n_jobs=self.n_jobs)

    def synthetic_documents(
        self, label: Label, n: int, seed: int, *, length: int | None = None
    ) -> SyntheticDocuments:
        """Return `n` documents of a class that are drawn when they are asked for.

        They are those that :meth:`fit_resample` adds to the class, for the seed that it draws from
        `random_state`. With ``gamma="heaps"``, `length` is how many words each will have, if not as
        many as the class's own.
        """
        self._complete_fit()
        return SyntheticDocuments(
            label=label,
            n=n,
            chain=self._chain(label, n, length),
            vocabulary=self.vocabulary_,
            seed=seed,
            stream=self._class_index(label),
            surface=self._surface,
            tokenizer=self.tokenizer,
            is_tokens=self._is_tokens,
        )

    def chain(self, label: Label, n: int | None = None) -> MarkovChain:
        """Return the chain of a class: the matrix P of the paper, and what to draw from.

        Parameters
        ----------
        label : object
            The class.
        n : int, optional
            Number of synthetic documents, on which ``gamma="heaps"`` depends; by default as many
            as were generated for the class.
        """
        self._complete_fit()
        self._class_index(label)  # an unknown class is refused first
        if n is None and self.gamma == "heaps":
            n = getattr(self, "n_generated_", {}).get(label)
            if n is None:
                raise ValueError(
                    f"gamma='heaps' depends on the number of synthetic documents, but none were "
                    f"generated for class {label!r}; pass the number, as in chain(label, n=100)"
                )
        return self._chain(label, n or 0)

    def corpus_counts(self) -> CorpusCounts:
        """Return the counts of each class with their words, to be saved or added to others."""
        self._complete_fit()
        classes = {
            label: self._counted_class(index).class_counts
            for index, label in enumerate(self.classes_.tolist())
        }
        words = pl.Series(values=self.vocabulary_, dtype=pl.String)
        return CorpusCounts(words, classes, self._sizes, self._surface)

    @property
    def writes_surface(self) -> bool:
        """Whether texts are written as the documents write their words."""
        return self.surface is True

    def check_counts_suffice(self, method: str) -> None:
        """Raise where counts of words are not enough: `similarity` needs the documents."""
        if self.similarity is not None:
            raise ValueError(
                f"{method} only counts words, but similarity={self.similarity} compares every "
                "document with the whole class; use fit or fit_resample with all documents, or set "
                "similarity=None"
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted chains to a file: a zip of a JSON header and plain arrays, no pickles.

        The file holds the vocabulary and the counts, not the documents. The tokenizer is not
        stored: drawing needs none. (With a tokenizer of your own and ``surface=True`` or a script
        without spaces, the loaded sampler does not check that it finds the drawn words, which may
        then differ.)
        """
        counts, seed = self.corpus_counts(), self.random_state
        counted = [self._counted_classes[index] for index in sorted(self._counted_classes)]
        chain = ChainRecord(
            counts,
            similar=tuple(one.similar for one in counted if one.similar is not None),
            gamma=self.gamma if isinstance(self.gamma, str) else float(self.gamma),
            similarity=None if self._similarity is None else float(self._similarity),
            random_state=int(seed) if isinstance(seed, Integral) else None,
            is_tokens=self._is_tokens,
        )
        save_chain(path, chain)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a sampler that :meth:`save` wrote.

        Only numbers and text are read from the file, never code, so a file from elsewhere can be
        wrong but not dangerous. The loaded sampler draws what the saved one would.
        """
        chain = load_chain(path)
        names = cls._get_param_names()
        if "gamma" not in names and chain.gamma != 0:
            raise ValueError(
                f"{Path(path)} is an EMCO chain with gamma {chain.gamma}; use EMCO.load"
            )
        parameters = {
            "gamma": chain.gamma,
            "similarity": chain.similarity,
            "random_state": chain.random_state,
            "surface": chain.counts.surface is not None or "auto",
        }
        sampler = cls(**{name: value for name, value in parameters.items() if name in names})
        try:
            sampler._validate_params()
            sampler._learn_counts(chain.counts, is_tokens=chain.is_tokens)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{Path(path)} does not hold a usable sampler: {error}") from error
        sampler._similarity = chain.similarity
        for index, similar in enumerate(chain.similar):
            counted = sampler._counted_class(index)
            sampler._counted_classes[index] = replace(counted, similar=similar)
        return sampler

    def _prepare(self, documents: Documents, y: Array) -> None:
        corpus = documents.corpus(self.tokenizer)
        surface = None
        if self.writes_surface:
            surface = SurfaceCounts.of(documents.to_list(), corpus, self.tokenizer)
        self._is_tokens, self._accumulator = documents.is_tokens, None
        total = TransitionCounts.of(corpus)
        self._set_fitted(corpus.vocabulary, total, class_sizes(y), surface)
        self._similarity = self.similarity
        # Each class is counted when it is first needed: resampling seldom needs the largest.
        self._class_rows = {
            index: (corpus, np.flatnonzero(y == label)) for index, label in enumerate(self.classes_)
        }

    def _learn_counts(self, counts: CorpusCounts, is_tokens: bool) -> None:
        """Start again from counts, without documents."""
        self.classes_ = label_array(list(counts.sorted_sizes()))
        self._is_tokens, self._accumulator = is_tokens, None
        self._set_counts(counts)

    def _complete_fit(self) -> None:
        """Check the parameters, which may be set after a fit, and add up what was collected."""
        check_is_fitted(self)
        self._validate_params()
        if self._accumulator is not None and not hasattr(self, "counts_"):
            self._set_counts(self._accumulator.result())

    def _set_counts(self, counts: CorpusCounts) -> None:
        """Draw from these counts from now on."""
        sizes = counts.sorted_sizes()
        surface = counts.surface if self.writes_surface else None
        self._set_fitted(counts.vocabulary.to_numpy(), counts.total(), sizes, surface)
        self._counted_classes = {
            index: CountedClass(self.counts_, counts.classes[label])
            for index, label in enumerate(sizes)
        }

    def _set_fitted(
        self,
        vocabulary: NDArray[np.object_],
        total: TransitionCounts,
        sizes: dict[Hashable, int],
        surface: SurfaceCounts | None,
    ) -> None:
        """Set the attributes of a fit, and forget the classes and chains of the fit before."""
        self.vocabulary_, self.counts_ = vocabulary, total
        self._sizes = sizes
        self.gamma_ = {}
        if self.gamma != "heaps":
            self.gamma_ = dict.fromkeys(self.classes_.tolist(), float(self.gamma))
        self._surface, self._similarity = surface, None
        self._class_rows, self._counted_classes, self._chains = {}, {}, {}

    def _draw_class(self, request: Request) -> New:
        documents = self.synthetic_documents(request.label, request.n, request.seed)
        return New(np.full(request.n, -1), documents.draw(n_jobs=self.n_jobs))

    def draw(self, request: Request) -> New:
        """Draw documents as word ids from the chain of the class."""
        chain = self.chain_of(request)
        vocabulary, jobs = request.documents.vocabulary, effective_n_jobs(self.n_jobs)
        drawn = chain.draw(vocabulary, request.n, request.seed, request.stream, n_jobs=jobs)
        return New.without_parents(drawn)

    def chain_of(self, request: Request) -> MarkovChain:
        """Return the chain from which `draw` draws."""
        corpus, rows, cache = request.documents, request.rows, request.cache
        counted = cache.of_class(
            rows,
            ("counted class", self.similarity),
            lambda: CountedClass.of(corpus, rows, all_transitions(corpus, cache), self.similarity),
        )
        # Only a gamma that depends on the number of documents makes the chain depend on it.
        n = request.n if self.gamma == "heaps" else 0
        return cache.of_class(
            rows,
            ("chain", self.gamma, n, self.similarity),
            lambda: counted.chain(self.gamma, n, request.label),
        )

    def _chain(self, label: Label, n: int, length: int | None = None) -> MarkovChain:
        index = self._class_index(label)
        counted = self._counted_class(index)
        class_counts = counted.class_counts
        if self.gamma != "heaps":
            n = 0
        elif length is not None and len(class_counts.word_ids):
            # As many documents of the class's own lengths as make up the same tokens.
            n_tokens = int(class_counts.counts.words.sum())
            n = round(n * length * class_counts.counts.n_documents / n_tokens)
        key, latest = (self.gamma, n), self._chains.get(index)
        if latest is None or latest[0] != key:
            latest = self._chains[index] = (key, counted.chain(self.gamma, n, label))
        self.gamma_[self.classes_.tolist()[index]] = latest[1].gamma
        return latest[1]

    def _counted_class(self, index: int) -> CountedClass:
        # Threads may ask for a class at the same time: its rows go once its counts are there.
        if (uncounted := self._class_rows.get(index)) is not None:
            corpus, rows = uncounted
            self._counted_classes[index] = CountedClass.of(
                corpus, rows, self.counts_, self._similarity
            )
            self._class_rows.pop(index, None)
        return self._counted_classes[index]

    def _class_index(self, label: Label) -> int:
        classes = self.classes_.tolist()
        if not isinstance(label, Hashable) or label not in classes:
            raise ValueError(f"there is no class {label!r}; the classes are {listed(classes)}")
        return int(classes.index(label))

    def _delete(self, *attributes: str) -> None:
        for attribute in attributes:
            self.__dict__.pop(attribute, None)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "counts_") or self._accumulator is not None


def _check_same_kinds(
    labels_before: Array, labels: Array, tokens_before: bool, is_tokens: bool
) -> None:
    kind, kind_before = ("token lists" if t else "strings" for t in (is_tokens, tokens_before))
    if kind != kind_before:
        raise TypeError(f"X holds {kind}, but earlier documents were {kind_before}; use one kind")
    kind, kind_before = _kind_of_labels(labels), _kind_of_labels(labels_before)
    if kind != kind_before:
        raise TypeError(f"y holds {kind}, but earlier documents had {kind_before}; use one kind")


def _kind_of_labels(labels: Array) -> str:
    label = labels.tolist()[0]
    if isinstance(label, bool):
        return "true/false"
    return "numbers" if isinstance(label, int | float) else f"{type(label).__name__} labels"
