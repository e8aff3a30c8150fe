"""The inspection: single documents, their scores and their words.

`inspect_class` takes the scores that each fold gave to documents its model had not seen. From them
it makes the curve of thresholds, the calibration and the effect of length (``_score_views.py``),
and a sample of documents (``_shown_documents.py``) with the words for and against each.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import average_precision_score

from imbtext.comparison._documents import ComparedDocuments
from imbtext.comparison._score_views import (
    LengthGroup,
    OperatingCurve,
    ScoreBin,
    by_length,
    calibration,
    rounded,
)
from imbtext.comparison._shown_documents import ShownDocument, sample, shown_document
from imbtext.comparison._words import Contributions, FoldWords, TopWord

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


@dataclass(frozen=True, eq=False)
class ScoredFold:
    """The tested documents of a fold by their rows, their scores, and the words that mattered."""

    rows: NDArray[np.int64]
    scores: NDArray[np.floating]
    words: FoldWords | None = None
    repeat: int = 0


def inspect_class(
    folds: Mapping[str, Sequence[ScoredFold]],
    members: NDArray[np.bool_],
    documents: ComparedDocuments,
    counts: sparse.csr_array,
    n_shown: int,
) -> ClassInspection | None:
    """Combine the folds of every method into what a report shows of a class.

    Parameters
    ----------
    folds : mapping of method to folds
        Those of the first pass, and of other passes that tested every document. The first method is
        one that did not fail.
    members : array of bool
        Which of all documents belong to the class.
    documents : ComparedDocuments
        All documents.
    counts : sparse array
        The words of all documents.
    n_shown : int
        The number of documents to show.

    Returns
    -------
    ClassInspection or None
        None if no fold was scored, or if the scored documents are all of one kind.
    """
    first_pass = {
        method: [fold for fold in of_method if not fold.repeat]
        for method, of_method in folds.items()
    }
    folds_of_first_method = next(iter(first_pass.values()), ())
    if not folds_of_first_method:
        return None
    rows = np.sort(np.concatenate([fold.rows for fold in folds_of_first_method]))
    is_member = members[rows]
    if not is_member.any() or is_member.all():
        return None
    scores = _scores_by_method(first_pass, len(rows))
    words = {method: _words_by_row(first_pass[method]) for method in scores}
    constants = {method: _constants_by_row(first_pass[method]) for method in scores}
    shown = _choose_documents(rows, is_member, scores, words, n_shown)
    shown_rows = rows[shown].tolist()
    lengths = documents.corpus.lengths[rows]
    curves = {method: _curve_of_passes(folds[method], members, len(rows)) for method in scores}

    def top_words(method: str, speaks_for: bool) -> list[TopWord]:
        best = _top_words(first_pass[method], speaks_for)
        of_class_and_rest = rows[is_member], rows[~is_member]
        return _counted(best, documents.corpus.vocabulary, counts, of_class_and_rest)

    return ClassInspection(
        n_class=int(is_member.sum()),
        n_rest=int((~is_member).sum()),
        documents=tuple(
            shown_document(
                documents,
                row,
                next((by_row[row] for by_row in words.values() if row in by_row), ()),
                of_class=bool(members[row]),
            )
            for row in shown_rows
        ),
        methods={
            method: MethodInspection(
                curve=curves[method],
                first_pass=OperatingCurve.at(curves[method].thresholds, values, is_member),
                average_precision=float(average_precision_score(is_member, values)),
                scores=values[shown],
                words=tuple(words[method].get(row, []) for row in shown_rows),
                constants=tuple(constants[method].get(row, np.nan) for row in shown_rows),
                calibration=calibration(values, is_member),
                lengths=by_length(values, is_member, lengths),
                speak_for=top_words(method, speaks_for=True),
                speak_against=top_words(method, speaks_for=False),
            )
            for method, values in scores.items()
        },
    )


def _curve_of_passes(
    folds: Sequence[ScoredFold], members: NDArray[np.bool_], n_documents: int
) -> OperatingCurve:
    """Count over the passes in which the method scored every document."""
    n_scored = Counter[int]()
    for fold in folds:
        n_scored[fold.repeat] += len(fold.rows)
    complete = [fold for fold in folds if n_scored[fold.repeat] == n_documents]
    scores = rounded(np.concatenate([fold.scores for fold in complete]))
    is_member = members[np.concatenate([fold.rows for fold in complete])]
    n_passes = len({fold.repeat for fold in complete})
    return OperatingCurve.of(scores, is_member, n_passes=n_passes)


def _scores_by_method(
    folds: Mapping[str, Sequence[ScoredFold]], n_documents: int
) -> dict[str, NDArray[np.float64]]:
    """Return the scores of all documents in the order of their rows, for methods that have them."""
    scores = {}
    for method, of_method in folds.items():
        # A method that failed on a fold has no score for its documents.
        if sum(len(fold.rows) for fold in of_method) == n_documents:
            order = np.argsort(np.concatenate([fold.rows for fold in of_method]), kind="stable")
            scores[method] = rounded(np.concatenate([fold.scores for fold in of_method])[order])
    return scores


def _words_by_row(folds: Sequence[ScoredFold]) -> dict[int, Contributions]:
    """Return the words that were recorded, by the row of their document."""
    return {
        int(fold.rows[place]): contributions
        for fold in folds
        if fold.words is not None
        for place, contributions in fold.words.by_document().items()
    }


def _constants_by_row(folds: Sequence[ScoredFold]) -> dict[int, float]:
    """Return the constants that were recorded, by the row of their document."""
    return {
        int(fold.rows[place]): constant
        for fold in folds
        if fold.words is not None
        for place, constant in fold.words.constant_of_document().items()
    }


def _choose_documents(
    rows: NDArray[np.int64],
    is_member: NDArray[np.bool_],
    scores: Mapping[str, NDArray[np.float64]],
    words: Mapping[str, Mapping[int, Contributions]],
    n_shown: int,
) -> NDArray[np.int64]:
    """Choose documents of the class, and those of the rest that some method scores highest."""
    has_words = np.isin(rows, [row for by_row in words.values() for row in by_row])
    # Of the class, only documents whose words were recorded, if there are any.
    candidates = is_member & has_words if (is_member & has_words).any() else is_member
    rest = _highest_first(np.flatnonzero(~is_member), scores.values())
    return sample(np.flatnonzero(candidates), rest, n_shown)


def _top_words(folds: Sequence[ScoredFold], speaks_for: bool) -> list[TopWord]:
    """Average the words of one direction over the folds, the weightiest first."""
    by_name: dict[str, list[TopWord]] = {}
    for fold in folds:
        for word in () if fold.words is None else fold.words.top:
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
    sums = [np.asarray(occurring[rows].sum(axis=0)).ravel().tolist() for rows in of_class_and_rest]
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
