"""What a report shows of a class: scores, documents and their words.

`inspect_class` takes the scores that each fold gave to documents its model had not seen. From them
it makes the curve of thresholds, the calibration and the effect of length, and a sample of
documents with the words for and against each.

A score is how strongly a document is put into the class, less the threshold of the model that
scored it. A document is flagged if its score exceeds the reader's threshold, and 0 is the threshold
that the method chose itself.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.stats import binomtest
from sklearn.metrics import average_precision_score

from imbtext.comparison._plan import Plan
from imbtext.comparison._scores import ScoredFold
from imbtext.comparison._words import Contributions, TopWord, at_even_distances

# Scores: at each threshold, in bins, and by length ------------------------------------------------

# Scores keep five decimals, so that a page counts the same numbers as it shows.
_STEP: Final = 1e-5
_MOST_THRESHOLDS: Final = 120
_MOST_BINS: Final = 8
_MEMBERS_PER_BIN: Final = 5


def rounded(scores: NDArray[np.floating]) -> NDArray[np.float64]:
    """Round scores, without moving any across 0.

    Examples
    --------
    >>> rounded(np.array([0.123456, 1e-9, -1e-9, 0.0])).tolist()
    [0.12346, 1e-05, 0.0, 0.0]
    """
    values = np.round(np.asarray(scores, dtype=np.float64), 5)
    return np.where((scores > 0) & (values == 0), _STEP, values) + 0.0


@dataclass(frozen=True, eq=False)
class OperatingCurve:
    """How many documents of the class, and how many others, lie above ascending thresholds.

    0, the method's own threshold, is among them. If several passes through the folds scored the
    documents, the numbers are averages over the passes.
    """

    thresholds: NDArray[np.float64]
    found: NDArray[np.floating | np.integer]
    wrong: NDArray[np.floating | np.integer]

    def shares(self, n_class: int) -> list[tuple[float, float]]:
        """Return recall and precision at each threshold that raises an alarm, the lowest first."""
        return [
            (float(found / n_class), float(found / (found + wrong)))
            for found, wrong in zip(self.found, self.wrong, strict=True)
            if found + wrong
        ]

    def own_share(self, n_class: int) -> tuple[float, float]:
        """Return recall and precision at the method's own threshold; 0 without an alarm."""
        place = int(np.flatnonzero(self.thresholds == 0)[0])
        found, wrong = float(self.found[place]), float(self.wrong[place])
        return found / n_class, found / (found + wrong) if found + wrong else 0.0

    @classmethod
    def of(
        cls,
        scores: NDArray[np.float64],
        is_class: NDArray[np.bool_],
        most: int = _MOST_THRESHOLDS,
        n_passes: int = 1,
    ) -> "OperatingCurve":
        """Put a threshold below each document of the class, or below `most` of them.

        Between two of these thresholds nothing is gained: only other documents are added.

        Examples
        --------
        >>> curve = OperatingCurve.of(np.array([0.5, 0.2, -0.4]), np.array([True, False, True]))
        >>> curve.thresholds.tolist(), curve.found.tolist(), curve.wrong.tolist()
        ([-0.5, 0.0, 0.35], [2, 1, 1], [1, 1, 0])
        """
        distinct = np.unique(scores)
        class_scores = at_even_distances(np.unique(scores[is_class]), most)
        place = np.searchsorted(distinct, class_scores)
        below = distinct[np.maximum(place - 1, 0)]
        # Half way to the next lower score, and never at the score itself.
        half = np.floor((below + class_scores) / 2 / _STEP + 0.5) * _STEP
        between = np.where(half < class_scores - _STEP / 2, half, below)
        cuts = np.where(place > 0, between, class_scores - 0.1)
        thresholds = np.unique(np.round(np.append(cuts, 0.0), 5) + 0.0)
        curve = cls.at(thresholds, scores, is_class)
        if n_passes == 1:
            return curve
        return cls(thresholds, curve.found / n_passes, curve.wrong / n_passes)

    @classmethod
    def at(
        cls,
        thresholds: NDArray[np.float64],
        scores: NDArray[np.float64],
        is_class: NDArray[np.bool_],
    ) -> "OperatingCurve":
        """Count at given thresholds."""
        found, wrong = (_above(scores[side], thresholds) for side in (is_class, ~is_class))
        return cls(thresholds, found, wrong)


def _above(scores: NDArray[np.float64], thresholds: NDArray[np.float64]) -> NDArray[np.int64]:
    return len(scores) - np.searchsorted(np.sort(scores), thresholds, side="right")


class ScoreBin(NamedTuple):
    """Documents of similar score, with the 95% limits (Wilson) of the share in the class."""

    low: float
    high: float
    n: int
    n_class: int
    lower: float
    upper: float


def calibration(scores: NDArray[np.float64], is_class: NDArray[np.bool_]) -> list[ScoreBin]:
    """Return which share of the documents of similar score belongs to the class.

    Each bin holds about the same number of documents of the class. Cut any other way, a rare class
    would be in the last bin only. A class too small for that is cut at the threshold.

    Examples
    --------
    >>> scores = np.arange(20) / 10
    >>> [(b.n, b.n_class) for b in calibration(scores, scores >= 1.0)]
    [(10, 0), (5, 5), (5, 5)]
    """
    class_scores = np.sort(scores[is_class])
    n_members = len(class_scores)
    n_bins = max(1, min(_MOST_BINS, n_members // _MEMBERS_PER_BIN))
    starts = class_scores[(np.arange(n_bins) * n_members) // n_bins] if n_members else class_scores
    if n_bins == 1 and scores.min() <= 0 < scores.max():
        starts = scores[scores > 0].min(keepdims=True)
    edges = np.unique(np.concatenate([[scores.min()], starts, [np.inf]]))
    bins = []
    for low, high in pairwise(edges.tolist()):
        inside = (scores >= low) & (scores < high)
        n, n_class = int(inside.sum()), int((inside & is_class).sum())
        highest = float(scores[inside].max())
        limits = binomtest(n_class, n).proportion_ci(method="wilson")
        bins.append(ScoreBin(low, highest, n, n_class, limits.low, limits.high))
    return bins


class LengthGroup(NamedTuple):
    """Documents of similar length: quartiles of the scores, of the class and of the rest."""

    shortest: int
    longest: int
    n_class: int
    n_rest: int
    of_class: tuple[float, ...]
    of_rest: tuple[float, ...]


def by_length(
    scores: NDArray[np.float64], is_class: NDArray[np.bool_], lengths: NDArray[np.int64]
) -> list[LengthGroup]:
    """Return the quartiles of scores in four groups of about equally many documents.

    Examples
    --------
    >>> lengths = np.array([1, 1, 5, 9])
    >>> groups = by_length(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0, 1, 0, 1], bool), lengths)
    >>> [(group.shortest, group.longest, group.n_class) for group in groups]
    [(1, 1, 1), (5, 5, 0), (9, 9, 1)]
    """
    cuts = np.unique(np.quantile(lengths, [0.25, 0.5, 0.75], method="higher"))
    which = np.searchsorted(cuts, lengths, side="left")
    return [
        LengthGroup(
            int(lengths[inside].min()),
            int(lengths[inside].max()),
            int(is_class[inside].sum()),
            int((~is_class[inside]).sum()),
            _quartiles(scores[inside & is_class]),
            _quartiles(scores[inside & ~is_class]),
        )
        for inside in (which == group for group in np.unique(which))
    ]


def _quartiles(scores: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(np.quantile(scores, [0.25, 0.5, 0.75]).tolist()) if len(scores) else ()


# Documents, cut around their weightiest words -----------------------------------------------------

# Characters of a document that an excerpt is chosen from.
_READ: Final = 8000
# Characters of the excerpt.
_LONGEST_EXCERPT: Final = 420
_LONGEST_LABEL: Final = 80
# Enough to find the right place, however long the document.
_EXCERPT_WORDS: Final = 4
_PLACES_PER_WORD: Final = 5


class ShownDocument(NamedTuple):
    """A document of the sample: an excerpt, its labels, and whether it is of the class.

    `name` is its id, or else its row.
    """

    text: str
    labels: str
    n_words: int
    of_class: bool
    name: str


def sample(members: NDArray[np.int64], rest: NDArray[np.int64], n_shown: int) -> NDArray[np.int64]:
    """Take documents of the class at even distances, and the first of the rest.

    Three of five are of the class; if the class has fewer, the rest fills the list.

    Examples
    --------
    >>> sample(np.arange(9), np.array([20, 11, 15, 12]), 5).tolist()
    [0, 4, 8, 11, 20]
    """
    n_members = min(len(members), max(n_shown * 3 // 5, n_shown - len(rest)))
    members = at_even_distances(members, n_members)
    return np.sort(np.concatenate([members, rest[: n_shown - n_members]]))


def shown_document(
    plan: Plan,
    i: int,
    contributions: Sequence[tuple[str, float]],
    *,
    of_class: bool,
) -> ShownDocument:
    """Cut a document to an excerpt that fits on a page and has its weightiest words."""
    document = plan.documents[i]
    text = document if isinstance(document, str) else " ".join(document[:_READ])
    labels = ", ".join(sorted(map(str, plan.labels_of(i))))
    return ShownDocument(
        excerpt(" ".join(text[:_READ].split()), contributions),
        cut(labels, _LONGEST_LABEL),
        int(plan.prepared.corpus.lengths[i]),
        of_class,
        cut(plan.names[i], _LONGEST_LABEL),
    )


def excerpt(
    text: str, contributions: Sequence[tuple[str, float]], most: int = _LONGEST_EXCERPT
) -> str:
    """Return the part of a text that has its weightiest words, or its start if that will do.

    `contributions` are words with what they added to the score of the document, and `most` is the
    number of characters to return.

    Examples
    --------
    >>> excerpt("one two three four five oil price up and so on", [("oil", 0.5)], most=16)
    '…five oil price…'
    """
    if len(text) <= most:
        return text
    lowered = text.lower()
    weightiest = sorted(contributions, key=lambda pair: -abs(pair[1]))[:_EXCERPT_WORDS]
    places = [
        (match.start(), word, abs(value))
        for word, value in weightiest
        for match in islice(
            re.finditer(rf"(?<!\w){re.escape(word.lower())}(?!\w)", lowered), _PLACES_PER_WORD
        )
    ]

    def weight(start: int) -> float:
        inside = {word: value for at, word, value in places if start <= at < start + most}
        return sum(inside.values())

    starts = [max(0, text.rfind(" ", 0, max(0, at - most // 6)) + 1) for at, _, _ in places]
    best = max(starts, key=weight, default=0)
    # The beginning says what a document is about, unless it has few of the words that counted.
    if weight(0) >= 0.7 * weight(best):
        best = 0
    return ("\u2026" if best else "") + cut(text[best:], most)


def cut(text: str, most: int) -> str:
    """Cut a text after a word, if it is too long.

    Examples
    --------
    >>> cut("crude oil price", 12)
    'crude oil…'
    """
    if len(text) <= most:
        return text
    kept = text[: most - 1]
    return (kept[: kept.rfind(" ")] if " " in kept else kept).rstrip() + "\u2026"


# A class, method by method ------------------------------------------------------------------------

_TOP_WORDS: Final = 15


@dataclass(frozen=True, eq=False)
class MethodInspection:
    """How one method did on documents it had not seen.

    `scores`, `words` and `constants` are of the shown documents. A document has no words, and its
    constant is NaN, if the model is not linear in words or its words were not recorded. `curve`
    counts all passes through the folds, and everything else only the first; `first_pass` has the
    counts of the first at the thresholds of the curve.
    """

    curve: OperatingCurve
    first_pass: OperatingCurve
    average_precision: float
    scores: NDArray[np.float64]
    words: tuple[Contributions, ...]
    constants: tuple[float, ...]
    calibration: list[ScoreBin]
    lengths: list[LengthGroup]
    speak_for: list[TopWord]
    speak_against: list[TopWord]


@dataclass(frozen=True, eq=False)
class ClassInspection:
    """What a report shows of a class, and of how many documents of the class and of the rest.

    `documents` are a sample: of the class at even distances, of the rest those with the highest
    scores. `methods` are those that scored all documents.
    """

    n_class: int
    n_rest: int
    documents: tuple[ShownDocument, ...]
    methods: dict[str, MethodInspection]


def inspect_class(
    folds: Mapping[str, Sequence[ScoredFold]],
    name: str,
    plan: Plan,
    n_shown: int,
) -> ClassInspection | None:
    """Combine the folds of every method into what a report shows of a class.

    Parameters
    ----------
    folds : mapping of method to folds
        Those of the first pass, and of other passes that tested every document. The first method is
        one that did not fail.
    name : str
        The class.
    plan : Plan
        The documents, and which of them belong to the class.
    n_shown : int
        The number of documents to show.

    Returns
    -------
    ClassInspection or None
        None if no fold was scored, or if the scored documents are all of one kind.
    """
    corpus = plan.prepared.corpus
    first_pass = {
        method: [fold for fold in of_method if not fold.fit.repeat]
        for method, of_method in folds.items()
    }
    folds_of_first_method = next(iter(first_pass.values()), ())
    if not folds_of_first_method:
        return None
    tested = np.sort(np.concatenate([fold.indices for fold in folds_of_first_method]))
    is_class = plan.is_class[name][tested]
    if not is_class.any() or is_class.all():
        return None
    scores = _scores_by_method(first_pass, len(tested))
    words = {method: _words_of_documents(first_pass[method]) for method in scores}
    constants = {method: _constants_of_documents(first_pass[method]) for method in scores}
    places = _choose_documents(tested, is_class, scores, words, n_shown)
    shown = tested[places].tolist()
    lengths = corpus.lengths[tested]
    curves = {method: _curve_of_passes(folds[method], len(tested)) for method in scores}

    def top_words(method: str, speaks_for: bool) -> list[TopWord]:
        best = _top_words(first_pass[method], speaks_for)
        of_class_and_rest = tested[is_class], tested[~is_class]
        return _counted(best, corpus.vocabulary, plan.prepared.counts, of_class_and_rest)

    return ClassInspection(
        n_class=int(is_class.sum()),
        n_rest=int((~is_class).sum()),
        documents=tuple(
            shown_document(
                plan,
                i,
                next((of_method[i] for of_method in words.values() if i in of_method), ()),
                of_class=bool(plan.is_class[name][i]),
            )
            for i in shown
        ),
        methods={
            method: MethodInspection(
                curve=curves[method],
                first_pass=OperatingCurve.at(curves[method].thresholds, values, is_class),
                average_precision=float(average_precision_score(is_class, values)),
                scores=values[places],
                words=tuple(words[method].get(i, []) for i in shown),
                constants=tuple(constants[method].get(i, np.nan) for i in shown),
                calibration=calibration(values, is_class),
                lengths=by_length(values, is_class, lengths),
                speak_for=top_words(method, speaks_for=True),
                speak_against=top_words(method, speaks_for=False),
            )
            for method, values in scores.items()
        },
    )


def _curve_of_passes(folds: Sequence[ScoredFold], n_documents: int) -> OperatingCurve:
    """Count over the passes in which the method scored every document."""
    n_scored = Counter[int]()
    for fold in folds:
        n_scored[fold.fit.repeat] += len(fold.indices)
    complete = [fold for fold in folds if n_scored[fold.fit.repeat] == n_documents]
    scores = rounded(np.concatenate([fold.fit.decisions for fold in complete]))
    is_class = np.concatenate([fold.is_class for fold in complete])
    n_passes = len({fold.fit.repeat for fold in complete})
    return OperatingCurve.of(scores, is_class, n_passes=n_passes)


def _scores_by_method(
    folds: Mapping[str, Sequence[ScoredFold]], n_documents: int
) -> dict[str, NDArray[np.float64]]:
    """Return the scores of all tested documents, in order, for methods that have them."""
    scores = {}
    for method, of_method in folds.items():
        # A method that failed on a fold has no score for its documents.
        if sum(len(fold.indices) for fold in of_method) == n_documents:
            order = np.argsort(np.concatenate([fold.indices for fold in of_method]), kind="stable")
            scores[method] = rounded(
                np.concatenate([fold.fit.decisions for fold in of_method])[order]
            )
    return scores


def _words_of_documents(folds: Sequence[ScoredFold]) -> dict[int, Contributions]:
    """Return the words that were recorded, by the index of their document."""
    return {
        int(fold.indices[place]): contributions
        for fold in folds
        if fold.fit.words is not None
        for place, contributions in fold.fit.words.by_document().items()
    }


def _constants_of_documents(folds: Sequence[ScoredFold]) -> dict[int, float]:
    """Return the constants that were recorded, by the index of their document."""
    return {
        int(fold.indices[place]): constant
        for fold in folds
        if fold.fit.words is not None
        for place, constant in fold.fit.words.constant_of_document().items()
    }


def _choose_documents(
    tested: NDArray[np.int64],
    is_class: NDArray[np.bool_],
    scores: Mapping[str, NDArray[np.float64]],
    words: Mapping[str, Mapping[int, Contributions]],
    n_shown: int,
) -> NDArray[np.int64]:
    """Choose documents of the class, and those of the rest that some method scores highest.

    Returns their places among the tested ones.
    """
    has_words = np.isin(tested, [i for of_method in words.values() for i in of_method])
    # Of the class, only documents whose words were recorded, if there are any.
    candidates = is_class & has_words if (is_class & has_words).any() else is_class
    rest = _highest_first(np.flatnonzero(~is_class), scores.values())
    return sample(np.flatnonzero(candidates), rest, n_shown)


def _top_words(folds: Sequence[ScoredFold], speaks_for: bool) -> list[TopWord]:
    """Average the words of one direction over the folds, the weightiest first."""
    by_name: dict[str, list[TopWord]] = {}
    for fold in folds:
        for word in () if fold.fit.words is None else fold.fit.words.top:
            if word.speaks_for == speaks_for:
                by_name.setdefault(word.word, []).append(word)
    averaged = [
        TopWord(
            name,
            of_folds[0].speaks_for,
            # A fold that does not have the word among its first adds nothing.
            sum(word.apart for word in of_folds) / len(folds),
            *(sum(counts) for counts in zip(*(word[3:] for word in of_folds), strict=True)),
        )
        for name, of_folds in by_name.items()
    ]
    return sorted(averaged, key=_weight)


def _weight(word: TopWord) -> tuple[float, str]:
    return -word.apart, word.word


def _counted(
    words: Sequence[TopWord],
    vocabulary: NDArray[np.object_],
    counts: sparse.csr_array,
    of_class_and_rest: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> list[TopWord]:
    """Count in how many of all documents each word occurs, if it is in the vocabulary.

    A fold counts only its own documents, and only its first words. The vocabulary may be in lower
    case where a model shows words as documents write them; such spellings become one word.
    """
    columns: dict[str, int] = {}
    for spelled in (str, str.lower):
        spellings = np.array([spelled(word.word) for word in words], dtype=object)
        places = np.searchsorted(vocabulary, spellings).tolist()
        for word, spelling, place in zip(words, spellings, places, strict=True):
            if place < len(vocabulary) and vocabulary[place] == spelling:
                columns.setdefault(word.word, place)
    occurring = counts[:, list(columns.values())].astype(bool)
    sums = [np.asarray(occurring[side].sum(axis=0)).ravel().tolist() for side in of_class_and_rest]
    n_with_word = dict(zip(columns, zip(*sums, strict=True), strict=True))
    counted: dict[str | int, TopWord] = {}
    for word in words:
        if word.word not in columns:
            counted[word.word] = word
            continue
        first = counted.get(columns[word.word], word)
        apart = word.apart if first is word else first.apart + word.apart
        n_documents = *n_with_word[word.word], *map(len, of_class_and_rest)
        counted[columns[word.word]] = TopWord(first.word, word.speaks_for, apart, *n_documents)
    return sorted(counted.values(), key=_weight)[:_TOP_WORDS]


def _highest_first(
    rest: NDArray[np.int64], scores_of_methods: Iterable[NDArray[np.float64]]
) -> NDArray[np.int64]:
    """Order documents by the best place that any method gives them."""
    best = np.full(len(rest), len(rest))
    for scores in scores_of_methods:
        places = np.empty(len(rest), dtype=int)
        places[np.argsort(-scores[rest], kind="stable")] = np.arange(len(rest))
        best = np.minimum(best, places)
    return rest[np.argsort(best, kind="stable")]
