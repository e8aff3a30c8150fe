"""The ranking: linear classifiers on terms scaled by the class.

Each term is scaled by how strongly it indicates the class before the classifier sees it, so that it
needs fewer documents to find the terms that matter (:func:`class_factors`). The classifier is a
linear one with squared hinge loss and no class weights. Its constants are those that ranked
held-out *training* documents best, see ``benchmarks/rare_constants.py``.

Several classes are trained at once over the same documents (:func:`fit_rankings`), once on all
documents and once without each fold (:class:`Training`). The folds give every document a score by
rankings that have not seen it (:mod:`imbtext.thresholds`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from imbtext.documents._documents import Documents
from imbtext.documents._folds import DealtFolds
from imbtext.documents._labels import members_table
from imbtext.documents._periods import Periods
from imbtext.features._columns import ColumnFeatures
from imbtext.features._features import NO_TERM, Features, TrainingVectors, WeighedVectors
from imbtext.features._own_features import OwnFeatures
from imbtext.features._side_by_side import SideBySide, StoredFeatures
from imbtext.features._terms import Vectors
from imbtext.features._text_features import TextFeatures
from imbtext.records import Rank, checked_counts

if TYPE_CHECKING:
    from imbtext.parallel import Pool

SVM_C: Final = 0.5
# What all terms keep of their weight; the rest is shared out by how strongly they indicate a class.
BLEND: Final = 0.85
_TOLERANCE: Final = 0.01
# Numbers in a line of the cache.
_LINE: Final = 16
# Classes that one vector register holds, see `imbtext.rare._lanes`: one class among four costs what
# it costs alone; many are best served by sixteen.
WIDTHS: Final = (4, 16)
# Classes that are trained side by side.
MOST_CLASSES: Final = WIDTHS[-1]
N_FOLDS: Final = 5
# The fold that holds nothing out.
ALL_DOCUMENTS: Final = -1


def class_factors(
    inside: NDArray[np.int64], outside: NDArray[np.int64], known: NDArray[np.bool_], blend: float
) -> NDArray[np.float64]:
    """Return how strongly each known term indicates a class: ``blend + (1 - blend) r / mean(r)``.

    ``r`` is the absolute log of the ratio of the term's share of all occurrences inside the class
    to its share outside, by document counts plus one.

    Examples
    --------
    >>> inside, outside = np.array([3, 0, 1]), np.array([0, 7, 3])
    >>> class_factors(inside, outside, np.ones(3, bool), 0.7).round(2).tolist()
    [1.21, 1.07, 0.72]
    """
    p = np.where(known, inside + 1.0, 0.0)
    q = np.where(known, outside + 1.0, 0.0)
    ratio = np.ones(len(p))
    np.divide(p * q.sum(), q * p.sum(), out=ratio, where=known)
    r = np.abs(np.log(ratio))
    mean = float(r[known].mean()) if known.any() else 0.0
    factors = np.full(len(p), 1.0) if mean == 0 else blend + (1 - blend) * r / mean
    return np.where(known, factors, 0.0)


def squared_gains(
    weights: NDArray[np.float64],
    frequencies: NDArray[np.int64] | None,
    inside: NDArray[np.int64] | None,
    blend: float = BLEND,
) -> NDArray[np.float32]:
    """Return the square of each term's weight, scaled by the class where frequencies are known.

    A frequency of `NO_TERM` is a column that need not be a term, and is left as it is.
    """
    gains = weights
    if frequencies is not None and inside is not None and blend < 1:
        is_term = frequencies != NO_TERM
        factors = class_factors(inside, frequencies - inside, (gains > 0) & is_term, blend)
        gains = gains * np.where(is_term, factors, 1.0)
    return (gains**2).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Rankings:
    """Fitted linear classifiers of some classes, each against the rest, side by side.

    Attributes
    ----------
    weights : ndarray of float32
        What a term adds to the score of a class, times its value and the document's factor. One row
        per term and one column per lane of a register; lanes beyond the classes are idle. The last
        rows are the weights of the vectors beside the terms, where documents have them.
    squares : ndarray of float32
        The square of each term's gain (its weight in the vectors times the factor of the class),
        laid out like `weights`. It makes the length of a document.
    inside : ndarray of int64 or None
        How many documents of each class, one per row, have each term; None if terms are not scaled.
    constants : ndarray of float64
        The part of each class's score that every document has.
    """

    weights: NDArray[np.float32]
    squares: NDArray[np.float32]
    inside: NDArray[np.int64] | None
    constants: NDArray[np.float64]

    def scores(
        self, vectors: Vectors, indices: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """Return the scores of all documents or some, higher where a class is likelier."""
        from imbtext.rare._kernels import score_rows

        terms = vectors.terms
        if indices is None:
            indices = np.arange(terms.n_documents)
        factors = _unit_factors(vectors, self.squares, indices)
        n_classes, lanes = len(self.constants), _lanes(self.weights)
        constants = np.zeros(len(lanes))
        constants[:n_classes] = self.constants
        return score_rows(
            terms.entries, vectors.dense, factors, self.weights, constants, indices, lanes
        )[:, :n_classes]

    def contributions(
        self, vectors: Vectors, indices: NDArray[np.int64], c: int
    ) -> list[dict[int, float]]:
        """Return what the terms of the documents at `indices` add to their scores for class `c`.

        Columns of vectors beside the terms have the numbers that follow.
        """
        terms = vectors.terms
        factors = _unit_factors(vectors, self.squares, indices)[:, :, c]
        contributions = []
        for i, of_blocks in zip(indices.tolist(), factors, strict=True):
            ends = terms.indptr[i * terms.n_blocks : (i + 1) * terms.n_blocks + 1]
            here = slice(ends[0], ends[-1])
            of_terms = terms.values[here] * self.weights[terms.indices[here], c]
            of_terms = of_terms * np.repeat(of_blocks, np.diff(ends))
            added = dict(zip(terms.indices[here].tolist(), of_terms.tolist(), strict=True))
            if vectors.dense.shape[1]:
                beside = vectors.dense[i] * self.weights[terms.n_terms :, c]
                added |= dict(enumerate(beside.tolist(), start=terms.n_terms))
            contributions.append(added)
        return contributions


def fit_rankings(
    vectors: Vectors,
    indices: NDArray[np.int64],
    members: Sequence[NDArray[np.int64]],
    *,
    frequencies: NDArray[np.int64] | None,
    weights: NDArray[np.float64] | None = None,
    blend: float = BLEND,
    svm_c: float = SVM_C,
    tolerance: float = _TOLERANCE,
) -> Rankings:
    """Train at most `MOST_CLASSES` classes side by side on the documents at `indices`.

    `vectors` hold all documents, weighed as if only those had been seen. `members` (the documents
    of each class) and `weights` (how much an error counts; None: all the same) refer to all
    documents too. `frequencies` says how many of the documents at `indices` have each term; None
    leaves terms unscaled, for vectors that are not made of terms.
    """
    terms = vectors.terms
    is_class = members_table(members, terms.n_documents)
    inside = None
    if frequencies is not None:
        of_classes = [indices[of_class] for of_class in is_class[indices].T]
        inside = np.stack([terms.frequencies(of_class) for of_class in of_classes])
    counts = [None] * len(members) if inside is None else list(inside)
    squares = side_by_side([squared_gains(vectors.weights, frequencies, n, blend) for n in counts])
    if weights is not None:  # A document that counts nothing is not learnt from.
        indices = indices[weights[indices] > 0]
    penalties = np.full(len(indices), svm_c) if weights is None else svm_c * weights[indices]
    signs = np.where(is_class[indices], 1, -1).astype(np.int8)
    trained, constants = fit_scaled(vectors, squares, indices, signs, penalties, tolerance)
    return Rankings(trained, squares, inside, constants[: len(members)])


def fit_scaled(
    vectors: Vectors,
    squares: NDArray[np.float32],
    indices: NDArray[np.int64],
    signs: NDArray[np.int8],
    penalties: NDArray[np.float64],
    tolerance: float = _TOLERANCE,
    alpha: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Train on terms whose squared gains are given; return weights and constants.

    `squares` has a row per term and a column per lane, `signs` and `penalties` (the C of each
    document) an entry for each of the `indices`. `alpha` are the dual variables to start from; it
    is overwritten.
    """
    from imbtext.rare._kernels import train

    terms, lanes = vectors.terms, _lanes(squares)
    factors = _unit_factors(vectors, squares, indices)
    trained = _empty_table(terms.n_terms + vectors.dense.shape[1], len(lanes))
    if alpha is None:
        alpha = np.zeros(signs.shape)
    constants = train(
        *(terms.entries, vectors.dense, factors, squares, indices, signs, penalties, tolerance),
        *(alpha, trained, lanes),
    )
    return trained, constants


def side_by_side(columns: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """Return the numbers of each class as a table for the compiled loops."""
    table = _empty_lanes(len(columns[0]), len(columns))
    for c, column in enumerate(columns):
        table[:, c] = column
    return table


def _empty_lanes(n_terms: int, n_classes: int) -> NDArray[np.float32]:
    """Return a table of zeros with at least one column per class."""
    return _empty_table(n_terms, next(width for width in WIDTHS if n_classes <= width))


def _empty_table(n_terms: int, width: int) -> NDArray[np.float32]:
    """Return a table of zeros; sixteen lanes begin where a line of the cache does."""
    size = n_terms * width
    padded = np.zeros(size + _LINE, np.float32)
    first = -(padded.ctypes.data // padded.itemsize) % _LINE
    return padded[first : first + size].reshape(n_terms, width)


def _unit_factors(
    vectors: Vectors, squares: NDArray[np.float32], indices: NDArray[np.int64]
) -> NDArray[np.float32]:
    from imbtext.rare._kernels import unit_factors

    terms = vectors.terms
    return unit_factors(
        terms.entries, vectors.scales, squares, indices, terms.n_blocks, _lanes(squares)
    )


def _lanes(table: NDArray[np.float32]) -> tuple[int, ...]:
    """Return a tuple whose length gives compiled code the number of lanes."""
    return (0,) * int(table.shape[1])


@dataclass(frozen=True, eq=False)
class LinearRanking:
    """Features and linear classifiers on them: what gives a document its scores.

    Attributes
    ----------
    features : Features
        Where the vectors come from.
    batches : tuple of Rankings
        The classifiers, up to `MOST_CLASSES` classes side by side.
    """

    features: Features
    batches: tuple[Rankings, ...]

    def vectors(self, documents: Documents) -> Vectors:
        """Return the vectors of documents, which are kept with them."""
        vectors: Vectors = documents.of_all(
            ("vectors", self.features), lambda: self.features.read(documents)
        )
        return vectors

    def scores(self, vectors: Vectors) -> NDArray[np.float64]:
        """Return a score for each class."""
        return np.hstack([batch.scores(vectors) for batch in self.batches])

    def batch_of(self, c: int) -> tuple[Rankings, int]:
        """Return the classifiers that hold a class, and its column there."""
        return self.batches[c // MOST_CLASSES], c % MOST_CLASSES


@dataclass(frozen=True, eq=False)
class RankingRecord:
    """How a ranking is stored: its features, and the weights of all classes.

    `inside` is how many documents of each class have each term, and `blend` the share that terms
    keep of their weight. Gains, and tables for the compiled loops, are computed when it is read.
    """

    features: TextFeatures | SideBySide | StoredFeatures
    blend: float
    inside: Annotated[NDArray[np.int64], Rank(2)] | None
    weights: Annotated[NDArray[np.float32], Rank(2)]
    constants: NDArray[np.float64]

    @classmethod
    def of(cls, ranking: LinearRanking) -> Self:
        """Take a ranking that was trained."""
        features, batches = ranking.features, ranking.batches
        assert isinstance(features, TextFeatures | SideBySide | OwnFeatures)
        inside, (_, frequencies) = None, _terms_of(features)
        if frequencies is not None:
            inside = np.vstack([batch.inside for batch in batches if batch.inside is not None])
            # Columns that need not be terms are not counted.
            inside = np.where(frequencies > 0, inside, 0)
        weights = np.vstack([batch.weights[:, : len(batch.constants)].T for batch in batches])
        constants = np.concatenate([batch.constants for batch in batches])
        return cls(features, BLEND, inside, weights, constants)

    def restored(self) -> LinearRanking:
        """Return the ranking again."""
        k = len(self.constants)
        n_dense = sum(self.features.vectors_beside.values())
        if not k or self.weights.shape != (k, sum(_widths(self.features)) + n_dense):
            raise ValueError("the number of its weights is not that of its classes and terms")
        if not 0 < self.blend <= 1:
            raise ValueError("the share that terms keep is not a share")
        idf, frequencies = _terms_of(self.features)
        inside = None
        if frequencies is not None:
            if self.inside is None:
                raise ValueError("it does not say how many documents of a class have a term")
            inside = checked_counts(self.inside, (k, len(frequencies)))
            if (inside > np.maximum(frequencies, 0)).any():
                raise ValueError("a term is in more documents of a class than there are")
        batches = []
        for first in range(0, k, MOST_CLASSES):
            some = slice(first, first + MOST_CLASSES)
            counts = [None] * len(self.constants[some]) if inside is None else list(inside[some])
            gains = [squared_gains(idf, frequencies, n, self.blend) for n in counts]
            batches.append(
                Rankings(
                    side_by_side(list(self.weights[some])),
                    side_by_side(gains),
                    None if inside is None else inside[some],
                    self.constants[some],
                )
            )
        return LinearRanking(self.features, tuple(batches))


def _widths(features: Features) -> list[int]:
    """Return how many terms each source has that stands side by side."""
    widths = []
    for source in features.sources if isinstance(features, SideBySide) else (features,):
        if isinstance(source, OwnFeatures):
            widths.append(0 if source.vectors_beside else source.n_columns or 0)
            continue
        assert isinstance(source, TextFeatures | ColumnFeatures)
        n_terms = len(source.least) if isinstance(source, TextFeatures) else sum(source.widths)
        if len(source.weights) != n_terms:
            raise ValueError("its features have not learnt from documents")
        widths.append(n_terms)
    return widths


def _terms_of(features: Features) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """Return the weight of each term, and how many documents have it; None if none is scaled."""
    sources = features.sources if isinstance(features, SideBySide) else (features,)
    idf, frequencies = [], []
    for source, width in zip(sources, _widths(features), strict=True):
        if isinstance(source, TextFeatures | ColumnFeatures):
            idf.append(source.weights)
            frequencies.append(source.frequencies)
        else:
            idf.append(np.ones(width))
            frequencies.append(np.full(width, NO_TERM))
    if all(isinstance(source, OwnFeatures) for source in sources):
        return np.concatenate(idf), None
    return np.concatenate(idf), np.concatenate(frequencies)


# What training a batch of classes gives: held-out scores or, of all documents, the rankings.
BatchResult = Rankings | NDArray[np.float64]


class Trained(NamedTuple):
    """The result of training: classifiers, and the scores of each document without its fold.

    A score is NaN where a class could not be held out.
    """

    scores: NDArray[np.float32]
    batches: tuple[Rankings, ...]


@dataclass(frozen=True, eq=False)
class Training:
    """All that training needs: vectors, the documents of each class, folds and weights.

    `weights` None counts each document once.
    """

    vectors: TrainingVectors
    members: Sequence[NDArray[np.int64]]
    folds: DealtFolds | Periods
    weights: NDArray[np.float64] | None

    def run(
        self, workers: "int | Pool", advance: Callable[[int], object] = lambda _: None
    ) -> "Trained":
        """Score every document by rankings trained without its fold, and train on all documents.

        `workers` is a number of threads, or a pool that runs tasks elsewhere; the result does not
        depend on it. `advance` is called with how many classes were just trained on a fold, or on
        all.
        """
        folds = self.folds.numbers
        scores = np.full((len(folds), len(self.members)), np.nan, np.float32)
        rankings: dict[int, Rankings] = {}

        def take(fold: int, first: int, result: BatchResult) -> None:
            if isinstance(result, Rankings):
                rankings[first] = result
            else:
                scores[folds == fold, first : first + MOST_CLASSES] = result
            advance(min(MOST_CLASSES, len(self.members) - first))

        if isinstance(workers, int):
            self._run_threads(workers, take)
        else:
            tasks = [(fold, first) for fold in self._folds for first in self.firsts]
            for (fold, first), result in workers.completed(_train_batch, tasks, self):
                take(fold, first, result)
        return Trained(scores, tuple(rankings[first] for first in self.firsts))

    def _run_threads(self, n_jobs: int, take: Callable[[int, int, BatchResult], None]) -> None:
        def train_fold(fold: int) -> None:
            weighed = self.weighed_without(fold)
            _in_threads(
                lambda first: take(fold, first, self.train_batch(fold, first, weighed)),
                self.firsts,
                inner,
            )

        # Threads go where there is most to share out: classes, or the folds of a few classes.
        outer, inner = (n_jobs, 1) if len(self.firsts) < n_jobs else (1, n_jobs)
        _in_threads(train_fold, self._folds, outer)

    @property
    def _folds(self) -> list[int]:
        """The folds that can be held out, and the training on all documents."""
        return [*self.held_out_folds, ALL_DOCUMENTS]

    @property
    def held_out_folds(self) -> list[int]:
        """The folds that can be held out, because other documents are left to learn from."""
        return [fold for fold in self.folds.tested if self.folds.trained_on(fold).any()]

    @property
    def firsts(self) -> range:
        """The first class of each batch that is trained side by side."""
        return range(0, len(self.members), MOST_CLASSES)

    def is_trained_on(self, fold: int) -> NDArray[np.bool_]:
        """Return which documents are learnt from while a fold is held out."""
        if fold == ALL_DOCUMENTS:
            return np.ones(len(self.folds.numbers), bool)
        return self.folds.trained_on(fold)

    def weighed_without(self, fold: int) -> WeighedVectors:
        """Return the vectors of all documents, weighed as if a fold had not been seen."""
        if fold == ALL_DOCUMENTS:
            return self.vectors.seen_by()
        return self.vectors.seen_by(np.flatnonzero(self.is_trained_on(fold)))

    def train_batch(self, fold: int, first: int, weighed: WeighedVectors) -> BatchResult:
        """Train a batch of classes without a fold, and return the scores of its documents.

        Trained on all documents, the rankings themselves are returned.
        """
        rankings = self.fit_batch(fold, first, weighed)
        if fold == ALL_DOCUMENTS:
            return rankings
        return self.score_fold(fold, first, rankings, weighed.vectors)

    def fit_batch(
        self, fold: int, first: int, weighed: WeighedVectors, svm_c: float = SVM_C
    ) -> Rankings:
        """Train a batch of classes without a fold; `first` is the first class of the batch."""
        return fit_rankings(
            weighed.vectors,
            np.flatnonzero(self.is_trained_on(fold)),
            self.members[first : first + MOST_CLASSES],
            frequencies=weighed.frequencies,
            weights=self.weights,
            svm_c=svm_c,
        )

    def score_fold(
        self, fold: int, first: int, rankings: Rankings, vectors: Vectors
    ) -> NDArray[np.float64]:
        """Return the scores of a fold's documents by rankings that were trained without it.

        A class that the other folds lack, or that is all they have, gets no scores.
        """
        trained_on = self.is_trained_on(fold)
        scores = rankings.scores(vectors, np.flatnonzero(self.folds.numbers == fold))
        members = self.members[first : first + MOST_CLASSES]
        n_class = np.array([trained_on[of_class].sum() for of_class in members])
        scores[:, (n_class == 0) | (n_class == trained_on.sum())] = np.nan
        return scores


def _train_batch(training: Training, task: tuple[int, int]) -> BatchResult:
    fold, first = task
    return training.train_batch(fold, first, training.weighed_without(fold))


def _in_threads(function: Callable[[int], None], tasks: Sequence[int], n_jobs: int) -> None:
    # Threads, because the compiled loops let go of the interpreter's lock.
    Parallel(n_jobs, backend="threading")(delayed(function)(task) for task in tasks)
