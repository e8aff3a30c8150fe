"""EMCO, the paper's method. MCO, its special case, is in ``_mco.py``.

A class becomes new documents in a few steps:

* :class:`CountedClass` is what the method knows of a class: the transitions of all documents, those
  of its own, and perhaps those of documents similar to it. It makes the chain for any gamma.
* :class:`MarkovOversampling` finds that chain for rows of an encoded corpus and draws documents as
  ids; what calls share is kept in the cache that it is given.
* :class:`SyntheticDocuments` is a chain with a stream of random numbers. Document i depends on
  nothing else, so any run of documents can be drawn by itself, on any machine.
* :class:`EMCO` is the estimator around these. It counts documents from any container, at once
  (`fit`) or in pieces (`partial_fit`), or takes counts made elsewhere (`fit_counts`). What is drawn
  becomes documents of the same kind.

Methods by name, files, streams and Dask frames use these steps, too.
"""

import os
from collections.abc import Hashable
from dataclasses import dataclass, replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import polars as pl
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from imbtext._messages import listed
from imbtext._typing import (
    Array,
    ColumnNames,
    DocumentsLike,
    Label,
    LabelsLike,
    RandomState,
    SamplingStrategy,
)
from imbtext.documents import Corpus, Documents, Labels, Roles, Tokenizer, label_array
from imbtext.markov import (
    ClassCounts,
    CorpusCounts,
    CountsAccumulator,
    MarkovChain,
    SimilarCounts,
    TransitionCounts,
    gamma_by_heaps,
    load_chain,
    save_chain,
)
from imbtext.oversampling._base import (
    BaseTextOverSampler,
    ClassRequest,
    Synthetic,
    class_name,
    class_sizes,
)
from imbtext.oversampling._shared import SharedWork
from imbtext.randomness import draw_seed
from imbtext.surface import SurfaceCounts

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
        rows: NDArray[np.int64],
        total: TransitionCounts,
        similarity: float | None = None,
    ) -> Self:
        """Count the documents `rows` of a corpus whose transitions are `total`."""
        class_counts = ClassCounts.of(corpus, rows)
        similar = None
        if similarity is not None:
            similar = SimilarCounts.of(corpus, rows, total, class_counts, similarity)
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


@dataclass(frozen=True)
class MarkovOversampling:
    """The engine of EMCO, and with gamma 0 of MCO: from an encoded corpus to documents as ids.

    The parameters are those of :class:`EMCO`.

    Examples
    --------
    >>> corpus = Corpus.from_tokens([["oil", "up"], ["gold", "up"], ["oil", "down"]])
    >>> new = MarkovOversampling(gamma=0.0).draw(corpus, np.array([0, 2]), 50, seed=0, stream=1)
    >>> sorted(set(new.texts()) & {"oil up", "gold up"})
    ['oil up']
    """

    gamma: float | str = 1.0
    similarity: float | None = None

    def draw(
        self,
        corpus: Corpus,
        rows: NDArray[np.int64],
        n: int,
        seed: int,
        stream: int,
        shared: SharedWork | None = None,
        label: Label = None,
    ) -> Corpus:
        """Draw `n` new documents of the class that `rows` of `corpus` belong to."""
        chain = self.chain(corpus, rows, n, shared, label)
        return chain.draw(corpus.vocabulary, n, seed, stream)

    def chain(
        self,
        corpus: Corpus,
        rows: NDArray[np.int64],
        n: int = 0,
        shared: SharedWork | None = None,
        label: Label = None,
    ) -> MarkovChain:
        """Return the chain that documents of the class are drawn from."""
        shared = SharedWork() if shared is None else shared
        settings = (self.similarity, rows.tobytes())
        counted = shared.of_class(
            ("counted class", *settings),
            lambda: CountedClass.of(corpus, rows, all_transitions(corpus, shared), self.similarity),
        )
        # Only a gamma that depends on the number of documents makes the chain depend on it.
        n = n if self.gamma == "heaps" else 0
        return shared.of_class(
            ("chain", self.gamma, n, *settings), lambda: counted.chain(self.gamma, n, label)
        )


def all_transitions(corpus: Corpus, shared: SharedWork) -> TransitionCounts:
    """Return the transitions of all documents, which serve every class."""
    return shared.of_documents("transitions", lambda: TransitionCounts.of(corpus))


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


class EMCO(BaseTextOverSampler):
    """Extrapolated Markov Chain Oversampling.

    Each class to oversample is modelled as a Markov chain over words. Its transitions are counted
    in the documents of the class and, weighted by `gamma`, in all other documents, but there only
    from words that the class uses too. So the chain can move to words the class never used, if
    other documents use them in the same context, and returns to the words of the class after each
    of them. The synthetic documents are bags of plausible words rather than prose: made for
    classifiers, not for readers.

    Parameters
    ----------
    gamma : float or "heaps", default=1.0
        Weight of the transitions in the documents of the other classes. 0 never leaves the
        vocabulary of the class (MCO); larger values bring more foreign words, more recall and less
        precision. The paper uses 1 and 0.1, and advises against more than 1.

        ``"heaps"`` chooses, for each class, the gamma from 0 to 1 with which the vocabulary of its
        original and synthetic documents together grows as Heaps' law predicts. The law is fitted
        on the given documents, the vocabulary is expected from the chain: no trial runs, no
        randomness. See :func:`imbtext.markov.gamma_by_heaps`.
    similarity : float, optional
        Give documents of the other classes more weight the more similar they are to the class:
        this power of the cosine between a document's words and those of the class, where rare
        words weigh more. A document as similar as the class's own documents are on average counts
        1. By default every document counts 1. Fewer foreign words come in, and they come from
        texts closer to the class: more precision for little or no loss of recall. Values from 2 to
        4 make sense. `fit` and `fit_resample` can learn it, because they see all documents;
        `partial_fit` cannot.
    sampling_strategy : str, float, dict or callable, default="auto"
        As in imbalanced-learn; or :class:`imbtext.minority_share`, the paper's sampling ratio.
    tokenizer : callable, optional
        From a string to its words. By default scikit-learn's token pattern on the lower-cased
        text; in scripts without spaces, each character is a word. Not used for documents that are
        token lists.
    text : hashable, optional
        The column of the documents, where `X` is a table of several columns. Synthetic rows have
        missing values in the others.
    surface : bool, default=False
        Write each drawn word as the documents write it: its case, and what stands between it and
        the next word, drawn from where the two meet, else from anywhere the word occurs. False
        joins the words with spaces, and without where the script has none. The tokenizer finds the
        same words either way, so this is for models that see case, punctuation or characters: they
        would learn to tell synthetic documents from real ones. Counting then takes about five
        times as long, and drawing twice.
    random_state : int, RandomState instance or None, default=None
        The same integer gives the same documents, whatever `n_jobs` is.
    n_jobs : int, optional
        Threads used to draw documents.

    Attributes
    ----------
    classes_ : ndarray
        The class labels, sorted.
    vocabulary_ : ndarray of object
        All words, sorted.
    counts_ : imbtext.markov.TransitionCounts
        The transitions of all documents.
    gamma_ : dict
        The gamma of each class. With ``gamma="heaps"``, of each class that documents were generated
        for: the choice depends on their number.
    sampling_strategy_, is_synthetic_, sample_indices_, n_generated_
        As for every sampler of documents, after :meth:`fit_resample`. Synthetic documents have no
        parent, so their ``sample_indices_`` is -1.

    Notes
    -----
    scikit-learn's vectorizers do not read Arrow arrays: in a pipeline with one, pass
    ``array.to_pylist()``, to `fit` and to `predict`.

    Only words that follow each other in a document count as a transition. A word is never followed
    by itself, except where a document passes its end and begins again with the same word.
    Documents without words take no part. Lengths are drawn from the documents of the class.
    Document i of a class depends on `random_state`, the class and i alone.

    See Also
    --------
    MCO : The same chain without the words of other classes.
    imbtext.compare : Measures on your documents whether EMCO helps, and which gamma.
    imbtext.MethodClassifier : EMCO and a classifier as one estimator.

    References
    ----------
    Avela, A. and Ilmonen, P. (2025). Extrapolated Markov Chain Oversampling Method for Imbalanced
    Text Classification. arXiv:2509.02332.

    Examples
    --------
    >>> from imbtext import EMCO, minority_share
    >>> texts = ["oil price up", "crude oil price falls"] + ["share price of the firm up"] * 8
    >>> y = ["oil"] * 2 + ["other"] * 8
    >>> emco = EMCO(gamma=0.1, sampling_strategy=minority_share(0.5), random_state=0)
    >>> texts_resampled, y_resampled = emco.fit_resample(texts, y)
    >>> len(texts_resampled), y_resampled.count("oil")
    (16, 8)
    >>> emco.n_generated_
    {'oil': 6}
    >>> len(emco.sample(2, label="oil", length=5)[0].split())
    5
    """

    _parameter_constraints = {
        **BaseTextOverSampler._parameter_constraints,
        "tokenizer": [callable, None],
        "text": [object],
        "surface": ["boolean"],
        "n_jobs": [Integral, None],
        "gamma": [Interval(Real, 0, None, closed="left"), StrOptions({"heaps"})],
        "similarity": [Interval(Real, 0, None, closed="neither"), None],
    }

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

    def __init__(
        self,
        gamma: float | str = 1.0,
        *,
        similarity: float | None = None,
        sampling_strategy: SamplingStrategy = "auto",
        tokenizer: Tokenizer | None = None,
        text: ColumnNames = None,
        surface: bool = False,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.gamma = gamma
        self.similarity = similarity
        self.sampling_strategy = sampling_strategy
        self.tokenizer = tokenizer
        self.text = text
        self.surface = surface
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
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

    @_fit_context(prefer_skip_nested_validation=True)
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
            accumulator = CountsAccumulator(self.tokenizer, surface=self.surface)
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
        if self.surface and counts.surface is None:
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
        _check_whole_number("n", n, least=0)
        if length is not None:
            _check_whole_number("length", length, least=1)
        seed = draw_seed(self.random_state if random_state is None else random_state)
        index = self._class_index(label)
        documents = self._documents_to_draw(index, label, n, seed, index, length)
        return documents.draw(length=length, n_jobs=self.n_jobs)

    def synthetic_documents(self, label: Label, n: int, seed: int) -> SyntheticDocuments:
        """Return `n` documents of a class that are drawn when they are asked for.

        They are those that :meth:`fit_resample` adds to the class, for the seed that it draws from
        `random_state`.
        """
        self._complete_fit()
        index = self._class_index(label)
        return self._documents_to_draw(index, label, n, seed, index)

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
        index = self._class_index(label)
        if n is None and self.gamma == "heaps":
            n = getattr(self, "n_generated_", {}).get(label)
            if n is None:
                raise ValueError(
                    f"gamma='heaps' depends on the number of synthetic documents, but none were "
                    f"generated for class {label!r}; pass the number, as in chain(label, n=100)"
                )
        return self._chain(index, n or 0, label)

    def corpus_counts(self) -> CorpusCounts:
        """Return the counts of each class with their words, to be saved or added to others."""
        self._complete_fit()
        classes = {
            label: self._counted_class(index).class_counts
            for index, label in enumerate(self.classes_.tolist())
        }
        words = pl.Series(values=self.vocabulary_, dtype=pl.String)
        return CorpusCounts(words, classes, self._sizes, self._surface)

    def check_counts_suffice(self, method: str) -> None:
        """Raise where counts of words are not enough: `similarity` needs the documents."""
        if self.similarity is not None:
            raise ValueError(
                f"{method} only counts words, but similarity={self.similarity} compares every "
                "document with the whole class; use fit or fit_resample with all documents, or set "
                "similarity=None"
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted chains to a file of plain arrays (a ``.npz`` without pickles).

        The file holds the vocabulary and the counts, not the documents. The tokenizer is not
        stored: drawing needs none. (With a tokenizer of your own and ``surface=True`` or a script
        without spaces, the loaded sampler does not check that it finds the drawn words, which may
        then differ.)
        """
        counts, seed = self.corpus_counts(), self.random_state
        settings = {
            "gamma": self.gamma if self.gamma == "heaps" else float(self.gamma),
            "similarity": None if self._similarity is None else float(self._similarity),
            "random_state": int(seed) if isinstance(seed, Integral) else None,
            "is_tokens": self._is_tokens,
        }
        counted = [self._counted_classes[index] for index in sorted(self._counted_classes)]
        similar = [one.similar for one in counted if one.similar is not None]
        save_chain(path, counts, similar, settings)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a sampler that :meth:`save` wrote.

        Only numbers and text are read from the file, never code, so a file from elsewhere can be
        wrong but not dangerous. The loaded sampler draws what the saved one would.
        """
        counts, similar, settings = load_chain(path)
        names = cls._get_param_names()
        if "gamma" not in names and settings["gamma"] != 0:
            raise ValueError(
                f"{Path(path)} is an EMCO chain with gamma {settings['gamma']}; use EMCO.load"
            )
        parameters = {
            "gamma": settings["gamma"],
            "similarity": settings["similarity"],
            "random_state": settings["random_state"],
            "surface": counts.surface is not None,
        }
        sampler = cls(**{name: value for name, value in parameters.items() if name in names})
        try:
            sampler._validate_params()
            sampler._learn_counts(counts, is_tokens=settings["is_tokens"])
        except (TypeError, ValueError) as error:
            raise ValueError(f"{Path(path)} does not hold a usable sampler: {error}") from error
        sampler._similarity = settings["similarity"]
        for index, counts_of_similar in enumerate(similar):
            counted = sampler._counted_class(index)
            sampler._counted_classes[index] = replace(counted, similar=counts_of_similar)
        return sampler

    def _prepare(self, documents: Documents, y: Array) -> None:
        corpus = documents.corpus(self.tokenizer)
        surface = None
        if self.surface:
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
        surface = counts.surface if self.surface else None
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
        """Set what a fit tells the user, and forget the classes and chains of the fit before."""
        self.vocabulary_, self.counts_ = vocabulary, total
        self._sizes = sizes
        self.gamma_ = {}
        if self.gamma != "heaps":
            self.gamma_ = dict.fromkeys(self.classes_.tolist(), float(self.gamma))
        self._surface, self._similarity = surface, None
        self._class_rows, self._counted_classes, self._chains = {}, {}, {}

    def _generate(self, request: ClassRequest) -> Synthetic:
        documents = self._documents_to_draw(
            request.place, request.label, request.n, request.seed, request.stream
        )
        return Synthetic(documents.draw(n_jobs=self.n_jobs), np.full(request.n, -1))

    def _documents_to_draw(
        self, index: int, label: Label, n: int, seed: int, stream: int, length: int | None = None
    ) -> SyntheticDocuments:
        return SyntheticDocuments(
            label=label,
            n=n,
            chain=self._chain(index, n, label, length),
            vocabulary=self.vocabulary_,
            seed=seed,
            stream=stream,
            surface=self._surface,
            tokenizer=self.tokenizer,
            is_tokens=self._is_tokens,
        )

    def _chain(self, index: int, n: int, label: Label, length: int | None = None) -> MarkovChain:
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


def _check_whole_number(name: str, value: object, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{name} is {value!r}; expected a whole number from {least} up")


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
