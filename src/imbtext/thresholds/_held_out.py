"""Held-out scores: the scores of documents by rankings that have not seen them.

Thresholds, probabilities and expectations are chosen on them, and none of these knows how the
scores were made. :class:`HeldOut` has the scores of all classes; :class:`ClassScores` is the view
of one class, sorted by score. There is one form of them: the model that was fitted, its file and
the model that is loaded hold the same rows (:meth:`HeldOut.kept`), so all three give the same
answers. Of more than 200,000 documents, those with the lowest scores are counted: one row for many.

>>> scores = np.array([[2.0], [1.0], [-1.0], [0.5]])
>>> held_out = HeldOut.of_scores(scores, np.array([True, True, False, False]), np.arange(4) % 2)
>>> held_out.of_class(0).scores.tolist()
[2.0, 1.0, 0.5, -1.0]
"""

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Annotated, Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import average_precision_score

from imbtext._typing import MAY_BE_NAN, Array
from imbtext.documents._corpus import offsets_of
from imbtext.randomness import keyed_generator
from imbtext.records import Rank
from imbtext.thresholds._calibration import Calibration, calibrate, log_odds
from imbtext.thresholds._exclusive import ExclusiveRule

# Shares of the best other class's score that are tried, and what a share must gain.
SHARES_OF_BEST_OTHER: Final = (0.0, 0.1, 0.2, 0.3)
_LEAST_GAIN: Final = 0.001
_ALONE: Final = -1
# Larger numbers are no longer exact as floats.
_MOST_DOCUMENTS: Final = 2**53
_N_RESAMPLES: Final = 40
_STREAM: Final = 0xE59EC7
# Of more rows than this, the documents of the classes stay, and this many of the highest others.
# The rest, which no useful threshold reaches, is counted in this many rows.
_MOST_ROWS: Final = 200_000
_HIGHEST_OTHERS: Final = 100_000
_COUNTED_ROWS: Final = 10_000


@dataclass(frozen=True, eq=False)
class ClassScores:
    """The held-out scores of one class, one entry for each document that could be held out.

    Attributes
    ----------
    scores : ndarray of float64
        The score of each document.
    is_class : ndarray of bool
        Whether the document belongs to the class.
    weights : ndarray of float64 or None
        How much each document counts; None counts each once.
    folds : ndarray of int64
        The fold that held the document out, numbered from 0 over all documents.
    groups : ndarray of int64
        The group of each document, numbered from 0 over all documents.
    rows : ndarray of int64
        The row of each document in the scores of all classes.
    counts : ndarray of int64 or None
        How many documents each entry stands for; None is one each.
    n_class, n_documents : int
        Documents of the class and of all that were given, held out or not.
    in_time : bool
        Whether the folds are periods that follow one another, each scored by what came before it.
    """

    scores: NDArray[np.float64]
    is_class: NDArray[np.bool_]
    weights: NDArray[np.float64] | None
    folds: NDArray[np.int64]
    groups: NDArray[np.int64]
    rows: NDArray[np.int64]
    counts: NDArray[np.int64] | None
    n_class: int
    n_documents: int
    in_time: bool = False

    def n(self, some: NDArray[np.bool_]) -> int:
        """Return how many documents some of the entries stand for."""
        return int(np.count_nonzero(some) if self.counts is None else self.counts[some].sum())

    def sorted(self) -> "ClassScores":
        """Return the same documents, the highest score first."""
        if (self.scores[:-1] >= self.scores[1:]).all():
            return self
        return self.taken(np.argsort(-self.scores, kind="stable"))

    def taken(self, rows: Array | slice) -> "ClassScores":
        """Return the documents at `rows`: numbers, a mask or a slice."""
        return replace(
            self,
            scores=self.scores[rows],
            is_class=self.is_class[rows],
            weights=None if self.weights is None else self.weights[rows],
            folds=self.folds[rows],
            groups=self.groups[rows],
            rows=self.rows[rows],
            counts=None if self.counts is None else self.counts[rows],
        )


def relative_weights(held: ClassScores) -> NDArray[np.float64]:
    """Return the weights as shares of the largest, which no sum or square can overflow."""
    if held.weights is None or not held.weights.any():
        return np.ones(len(held.scores))
    return held.weights / float(held.weights.max())


def ranking_precision(held: ClassScores) -> float:
    """Return the average precision of held-out scores; not a number without documents to find."""
    weights = relative_weights(held)
    if not (held.is_class & (weights > 0)).any():
        return np.nan
    return float(average_precision_score(held.is_class, held.scores, sample_weight=weights))


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Scores of documents by rankings that have not seen them, for any ranking.

    Attributes
    ----------
    scores : ndarray of float, one row per document and one column per class
        Higher where a class is likelier; NaN where a class could not be held out.
    is_class : ndarray of bool, one row per document and one column per class
        Whether the document belongs to the class.
    folds : ndarray of int32
        The fold that held the document out, or the number of its period.
    groups : ndarray of int64
        Documents that belong together share a number; -1 is a document on its own.
    weights : ndarray of float64 or None
        How much each document counts; None counts each once.
    class_sizes : tuple of int
        How many documents of each class there were, held out or not.
    n_documents : int
        How many documents there were.
    in_time : bool
        Whether the folds are periods that follow one another, each scored by what came before it.
    exclusive : bool
        Whether a document is put into exactly one of several classes.
    rule : ExclusiveRule or None
        What decides between exclusive classes; None takes the class whose threshold is exceeded
        most.
    seed : int
        What resamples documents, see `copies`.
    counts : ndarray of int64 or None
        How many documents each row stands for; None is one each. Where it is more, the weight is
        that of all of them.
    """

    scores: Annotated[NDArray[np.floating[Any]], Rank(2), MAY_BE_NAN]
    is_class: Annotated[NDArray[np.bool_], Rank(2)]
    folds: NDArray[np.int32]
    groups: NDArray[np.int64]
    weights: NDArray[np.float64] | None
    class_sizes: tuple[int, ...]
    n_documents: int
    in_time: bool = False
    exclusive: bool = False
    rule: ExclusiveRule | None = None
    seed: int = 0
    counts: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        n, k = self.scores.shape
        lengths = {len(self.is_class), len(self.folds), len(self.groups)}
        if lengths != {n} or self.is_class.shape != (n, k) or len(self.class_sizes) != k or not k:
            raise ValueError("held-out scores, classes, folds and groups differ in number")
        if self.weights is not None and (len(self.weights) != n or (self.weights < 0).any()):
            raise ValueError("there is not one weight from 0 up for each held-out score")
        if np.isinf(self.scores).any() or (self.folds < 0).any():
            raise ValueError("a held-out score is infinite, or a fold has a number below 0")
        if (self.groups < _ALONE).any() or (self.groups >= n).any():
            raise ValueError("a held-out document has a group that does not exist")
        if not self.seed >= 0 or self.n_documents > _MOST_DOCUMENTS:
            raise ValueError("its seed is below 0, or it has more documents than can be counted")
        if self.rule is not None and (not self.exclusive or len(self.rule.sizes) != k):
            raise ValueError("a rule for exclusive classes is of other classes")
        counts = self.counts
        if counts is not None and (
            len(counts) != n
            or not ((counts > 0) & (counts <= self.n_documents)).all()
            or (self.is_class.any(axis=1) & (counts > 1)).any()
            or self.weights is None
        ):
            raise ValueError("held-out rows stand for other numbers of documents than there are")
        n_held_out = n if counts is None else int(counts.sum())
        if n_held_out > self.n_documents or not all(
            held <= size <= self.n_documents
            for held, size in zip(self.is_class.sum(axis=0), self.class_sizes, strict=True)
        ):
            raise ValueError("there are more held-out documents than documents")

    @classmethod
    def of_scores(
        cls,
        scores: ArrayLike,
        y: ArrayLike,
        folds: ArrayLike,
        groups: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        *,
        in_time: bool = False,
        exclusive: bool = False,
        seed: int = 0,
    ) -> Self:
        """Take scores that somebody has, with the truth and the fold of each document.

        Parameters
        ----------
        scores : array-like of shape (n_documents,) or (n_documents, n_classes)
            Scores by models that have not seen the document; NaN where there is none.
        y : array-like of bool, of the same shape
            Whether each document belongs to the class.
        folds : array-like of int
            The fold that held each document out, from 0 up.
        groups : array-like, default=None
            Documents that belong together share a value. None leaves every document on its own.
        weights : array-like, default=None
            How much each document counts.
        in_time : bool, default=False
            Whether the folds are periods that follow one another.
        exclusive : bool, default=False
            Whether a document is put into exactly one of the classes.
        seed : int, default=0
            What resamples documents for the intervals.
        """
        table = np.asarray(scores)
        if table.dtype.kind != "f":
            table = table.astype(np.float64)
        is_class = np.asarray(y, bool)
        table, is_class = (a[:, None] if a.ndim == 1 else a for a in (table, is_class))
        n = len(table)
        codes = np.full(n, _ALONE)
        if groups is not None:
            codes = np.unique(np.asarray(groups), return_inverse=True)[1].astype(np.int64)
        return cls(
            scores=table,
            is_class=is_class,
            folds=np.asarray(folds).astype(np.int32),
            groups=codes,
            weights=None if weights is None else np.asarray(weights, np.float64),
            class_sizes=tuple(is_class.sum(axis=0).tolist()),
            n_documents=n,
            in_time=in_time,
            exclusive=exclusive,
            seed=seed,
        )

    def __getstate__(self) -> dict[str, object]:
        # What is computed from the fields is not pickled.
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.class_sizes)

    @cached_property
    def group_codes(self) -> NDArray[np.int64]:
        """The number of each document's group, from 0 up without a gap."""
        codes, alone = self.groups.copy(), self.groups == _ALONE
        codes[alone] = int(self.groups.max(initial=_ALONE)) + 1 + np.arange(alone.sum())
        return codes

    @cached_property
    def fold_codes(self) -> NDArray[np.int64]:
        """The number of each document's fold, from 0 up without a gap, in the same order."""
        return np.unique(self.folds, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def copies(self) -> NDArray[np.uint8]:
        """How often each resample, one a row, takes each group: Poisson's bootstrap."""
        return self.draw_copies(_N_RESAMPLES)

    def draw_copies(self, n: int) -> NDArray[np.uint8]:
        """Return how often each of `n` resamples takes each group."""
        n_groups = int(self.group_codes.max(initial=0)) + 1
        generator = keyed_generator(self.seed, _STREAM)
        return generator.poisson(1.0, (n, n_groups)).astype(np.uint8)

    def of_class(self, c: int) -> ClassScores:
        """Return the documents that could be held out for a class, the highest score first."""
        return self.in_order(c).sorted()

    def in_order(self, c: int) -> ClassScores:
        """Return the documents that could be held out for a class, in the order of the rows."""
        return self._of_class(c, self.scores[:, c].astype(np.float64))

    def among_others(self, c: int, thresholds: NDArray[np.float64]) -> ClassScores:
        """Return the scores of a class by which documents go to it, the others staying put.

        Where classes are exclusive, this is the score above the best margin of the others.
        """
        scores = self.scores[:, c].astype(np.float64)
        if self.exclusive and self.rule is not None:
            scores = self.rule.among_others(self.scores, thresholds, c)
        elif self.exclusive:
            best_other = np.delete(self.margins(thresholds), c, axis=1).max(axis=1)
            # Where no other class could score a document, the threshold alone decides.
            scores -= np.where(np.isfinite(best_other), best_other, 0.0)
        return self._of_class(c, scores).sorted()

    def margins(self, thresholds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the margins that decide at thresholds, of all documents or a row each.

        A document that a class could not score has a margin of -infinity.
        """
        margins = self.margins_of(self.scores, thresholds)
        return np.where(np.isnan(margins) | np.isnan(thresholds), -np.inf, margins)

    def margins_of(
        self, scores: NDArray[np.floating[Any]], thresholds: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the margins of other documents, from their scores."""
        if self.rule is not None:
            return self.rule.margins(scores, thresholds)
        return np.asarray(scores - thresholds)

    def decide(self, margins: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return into which classes each document is put, by its margins."""
        return are_alarms(margins, exclusive=self.exclusive) & np.isfinite(margins)

    def _of_class(self, c: int, scores: NDArray[np.float64]) -> ClassScores:
        rows = np.flatnonzero(~np.isnan(scores))
        return ClassScores(
            scores=scores,
            is_class=self.is_class[:, c],
            weights=self.weights,
            folds=self.fold_codes,
            groups=self.group_codes,
            rows=np.arange(len(scores)),
            counts=self.counts,
            n_class=self.class_sizes[c],
            n_documents=self.n_documents,
            in_time=self.in_time,
        ).taken(slice(None) if len(rows) == len(scores) else rows)

    def kept(self) -> Self:
        """Return what a model keeps: sorted, and of very many documents the lowest are counted."""
        return self._counted().sorted()

    def sorted(self) -> Self:
        """Return the same scores in an order that says nothing of the documents' own.

        Rows are sorted by score, and documents that belong together are numbered anew. Documents
        that could not be held out are left out; they still count in `n_documents`.
        """
        together = np.bincount(self.group_codes)[self.group_codes] > 1
        keys = (together, *self.is_class.T[::-1], self.folds, *-self.scores.T[::-1])
        order = np.lexsort(keys if self.weights is None else (self.weights, *keys))
        order = order[~np.isnan(self.scores[order]).all(axis=1)]
        return replace(
            self,
            scores=self.scores[order],
            is_class=self.is_class[order],
            folds=self.folds[order],
            groups=_codes(self.group_codes[order]),
            weights=None if self.weights is None else self.weights[order],
            counts=None if self.counts is None else self.counts[order],
        )

    def _counted(self) -> Self:
        """Return the scores with one row for many documents where there are too many.

        Documents of a class stay, and so do the highest others: their thresholds and intervals are
        what they were. Of the rest, neighbours by score in the same fold become one row with their
        mean score and all of their weight.
        """
        n_rows, n_classes = self.scores.shape
        others = np.flatnonzero(~self.is_class.any(axis=1) & ~np.isnan(self.scores).any(axis=1))
        if n_rows <= _MOST_ROWS or len(others) <= _HIGHEST_OTHERS + _COUNTED_ROWS:
            return self
        # The best rank in any class decides which of them are the highest.
        ranks = np.argsort(np.argsort(-self.scores[others], axis=0, kind="stable"), axis=0)
        others = others[np.argsort(ranks.min(axis=1), kind="stable")]
        rest = others[_HIGHEST_OTHERS:]
        rest = rest[np.argsort(self.folds[rest], kind="stable")]
        folds, first, sizes = np.unique(self.folds[rest], return_index=True, return_counts=True)
        n_bins = np.maximum(_COUNTED_ROWS * sizes // len(rest), 1)
        of_fold = np.repeat(np.arange(len(folds)), sizes)
        place = np.arange(len(rest)) - first[of_fold]
        bins = offsets_of(n_bins)[of_fold] + place * n_bins[of_fold] // sizes[of_fold]
        counts = np.bincount(bins)
        means = [np.bincount(bins, self.scores[rest, c]) / counts for c in range(n_classes)]
        stay = np.setdiff1d(np.arange(n_rows), rest)
        weights = np.ones(n_rows) if self.weights is None else self.weights
        n_counted = len(counts)
        return replace(
            self,
            scores=np.vstack([self.scores[stay], np.transpose(means).astype(self.scores.dtype)]),
            is_class=np.vstack([self.is_class[stay], np.zeros((n_counted, n_classes), bool)]),
            folds=np.append(self.folds[stay], np.repeat(folds, n_bins)).astype(self.folds.dtype),
            groups=np.append(_codes(self.group_codes[stay]), np.full(n_counted, _ALONE)),
            weights=np.append(weights[stay], np.bincount(bins, weights[rest])),
            counts=np.append(np.ones(len(stay), np.int64), counts),
        )

    def calibration(self, *, of_probabilities: bool = False) -> Calibration:
        """Fit a curve from scores to probabilities for each class.

        With `of_probabilities`, scores are probabilities, and the curve takes their log odds.
        """
        slopes, constants = [], []
        for c in range(self.n_classes):
            held = self.in_order(c)
            numbers = log_odds(held.scores) if of_probabilities else held.scores
            curve = calibrate(numbers, held.is_class, held.weights, held.groups)
            slopes.append(curve.slope)
            constants.append(curve.constant)
        return Calibration(np.concatenate(slopes), np.concatenate(constants), of_probabilities)

    def best_share(self) -> float:
        """Return which share of the best other class's score to subtract.

        It is the share with the largest mean average precision over all classes, on held-out
        documents; 0 unless another share gains enough.
        """
        precisions = {
            share: self.less_best_other(share)._precision() for share in SHARES_OF_BEST_OTHER
        }
        best = max(precisions, key=lambda share: precisions[share])
        return best if precisions[best] > precisions[0.0] + _LEAST_GAIN else 0.0

    def less_best_other(self, share: float) -> Self:
        """Return the scores less a share of the best other class's."""
        return replace(self, scores=less_best_other(self.scores, share))

    def _precision(self) -> float:
        precisions = []
        counted = np.ones(len(self.folds)) if self.weights is None else self.weights
        for scores, is_class in zip(self.scores.T, self.is_class.T, strict=True):
            known = ~np.isnan(scores)
            if counted[is_class].any() and is_class[known].any():
                weights = counted[known]
                precisions.append(
                    average_precision_score(is_class[known], scores[known], sample_weight=weights)
                )
        return float(np.mean(precisions)) if precisions else 0.0


def _codes(groups: Array) -> NDArray[np.int64]:
    """Number the groups of several documents by first appearance; -1 is a document on its own.

    Examples
    --------
    >>> _codes(np.array(["b", "a", "c", "b", "a"])).tolist()
    [0, 1, -1, 0, 1]
    """
    _, first, codes, sizes = np.unique(
        groups, return_index=True, return_inverse=True, return_counts=True
    )
    several = np.flatnonzero(sizes > 1)
    numbers = np.full(len(sizes), _ALONE)
    numbers[several[np.argsort(first[several])]] = np.arange(len(several))
    return np.asarray(numbers[codes], np.int64)


def are_alarms(margins: NDArray[np.float64], *, exclusive: bool) -> NDArray[np.bool_]:
    """Return whether each document is put into each class, from its margins."""
    if not exclusive:
        return margins > 0
    return np.asarray(np.arange(margins.shape[1]) == np.argmax(margins, axis=1)[:, None])


def less_best_other(scores: Array, share: float) -> Array:
    """Subtract a share of the best other class's score from the score of each class.

    Where a document has one class only, resembling another class is evidence against this one.

    Examples
    --------
    >>> less_best_other(np.array([[3.0, 1.0, 0.0]]), 0.1).round(2).tolist()
    [[2.9, 0.7, -0.3]]
    """
    if share == 0 or scores.shape[1] < 2:
        return scores
    known = np.where(np.isnan(scores), -np.inf, scores)
    rows, first = np.arange(len(scores)), known.argmax(axis=1)
    best = known[rows, first]
    known[rows, first] = -np.inf
    second = known.max(axis=1)
    is_first = first[:, None] == np.arange(scores.shape[1])
    others = np.where(is_first, second[:, None], best[:, None])
    taken = np.asarray(share * np.where(np.isfinite(others), others, 0.0), scores.dtype)
    return np.asarray(scores - taken)
