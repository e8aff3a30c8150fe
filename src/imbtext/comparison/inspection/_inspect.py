"""From the scores of every fold to what a report shows of a class."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import average_precision_score

from imbtext.comparison._documents import ComparedDocuments
from imbtext.comparison.inspection._curves import (
    LengthGroup,
    OperatingCurve,
    ScoreBin,
    by_length,
    calibration,
    rounded,
)
from imbtext.comparison.inspection._excerpts import cut, excerpt
from imbtext.comparison.inspection._words import FoldWords, TopWord
from imbtext.corpus import Corpus

# Documents of all classes together, so that a report of many classes is no larger than one of few.
_MOST_DOCUMENTS: Final = 1200
_MOST_PER_CLASS: Final = 300
_LEAST_PER_CLASS: Final = 40
# Characters of a document that an excerpt is chosen from.
_READ: Final = 8000
_LONGEST_LABEL: Final = 80
_TOP_WORDS: Final = 15


@dataclass(frozen=True)
class ShownDocument:
    """A document of the sample: how it begins, its labels, and whether it is of the class."""

    text: str
    labels: str
    n_words: int
    of_class: bool


@dataclass(frozen=True, eq=False)
class MethodInspection:
    """How one method did on documents it had not seen.

    Attributes
    ----------
    curve : OperatingCurve
        What each threshold brings, over all scored documents.
    average_precision : float
        Of all scored documents, ranked together.
    scores : ndarray of float
        Of the shown documents.
    words : tuple of list of (word, contribution)
        Of the shown documents, for the class first; empty where the model is not linear in words,
        or the document was not among those it looked at most.
    calibration : list of ScoreBin
        The share of the class among documents of similar score.
    lengths : list of LengthGroup
        Scores by document length.
    speak_for, speak_against : list of TopWord
        The words that matter most.
    """

    curve: OperatingCurve
    average_precision: float
    scores: NDArray[np.float64]
    words: tuple[list[tuple[str, float]], ...]
    calibration: list[ScoreBin]
    lengths: list[LengthGroup]
    speak_for: list[TopWord]
    speak_against: list[TopWord]


@dataclass(frozen=True, eq=False)
class ClassInspection:
    """What a report shows of a class.

    Attributes
    ----------
    n_class, n_rest : int
        Documents that were scored: of the class, and all others.
    documents : tuple of ShownDocument
        A sample: of the class at even distances, of the rest those with the highest scores.
    methods : dict of str to MethodInspection
        Methods that scored all these documents.
    """

    n_class: int
    n_rest: int
    documents: tuple[ShownDocument, ...]
    methods: dict[str, MethodInspection]


@dataclass(frozen=True, eq=False)
class ScoredFold:
    """The tested documents of a fold by their rows, their scores, and the packed words."""

    rows: NDArray[np.int64]
    scores: NDArray[np.floating]
    words: str = ""


@dataclass(frozen=True, eq=False)
class Texts:
    """The documents that a sample is taken from: as given, their labels, and encoded."""

    rows: Sequence[Any]
    labels: Sequence[Iterable[Any]]
    corpus: Corpus

    @classmethod
    def of(cls, documents: ComparedDocuments) -> "Texts":
        """Take the documents of a comparison, those of a test set included."""
        sets = [*documents.labelling.sets]
        if documents.test_labelling is not None:
            sets += documents.test_labelling.sets
        return cls(documents.rows, sets, documents.corpus)

    @cached_property
    def occurring(self) -> sparse.csr_array:
        """Which words occur in which documents."""
        return self.corpus.counts().astype(bool)

    def count(
        self, words: Sequence[TopWord], own: NDArray[Any], rest: NDArray[Any]
    ) -> list[TopWord]:
        """Count in how many of all documents each word occurs, where it is a word of theirs.

        A fold counts its own documents, and only words that are among its first.
        """
        vocabulary = self.corpus.vocabulary
        places = np.searchsorted(vocabulary, np.array([w.word for w in words], dtype=object))
        known = [
            (place, word)
            for place, word in zip(places.tolist(), words, strict=True)
            if place < len(vocabulary) and vocabulary[place] == word.word
        ]
        columns = self.occurring[:, [place for place, _ in known]]
        sums = [np.asarray(columns[rows].sum(axis=0)).ravel().tolist() for rows in (own, rest)]
        counted = {
            word.word: replace(
                word, in_class=of_class, in_rest=of_rest, n_class=len(own), n_rest=len(rest)
            )
            for (_, word), of_class, of_rest in zip(known, *sums, strict=True)
        }
        return [counted.get(word.word, word) for word in words]

    def show(self, row: int, said: Sequence[tuple[str, float]], *, of_class: bool) -> ShownDocument:
        """Cut a document to what fits on a page, where the words are that spoke loudest."""
        document = self.rows[row]
        text = document if isinstance(document, str) else " ".join(document[:_READ])
        labels = ", ".join(sorted(map(str, self.labels[row])))
        return ShownDocument(
            excerpt(" ".join(text[:_READ].split()), said),
            cut(labels, _LONGEST_LABEL),
            int(self.corpus.lengths[row]),
            of_class,
        )


def documents_per_class(n_classes: int) -> int:
    """Return how many documents are shown of each of so many classes.

    Examples
    --------
    >>> documents_per_class(1), documents_per_class(10), documents_per_class(100)
    (300, 120, 40)
    """
    return max(_LEAST_PER_CLASS, min(_MOST_PER_CLASS, _MOST_DOCUMENTS // max(1, n_classes)))


def inspect_class(
    folds: Mapping[str, Sequence[ScoredFold]],
    members: NDArray[np.bool_],
    texts: Texts,
    n_shown: int,
) -> ClassInspection | None:
    """Put the folds of every method together and look at them.

    Parameters
    ----------
    folds : mapping of str to sequence of ScoredFold
        Of each method, the folds in which it was tested; each document once.
    members : ndarray of bool
        The documents of the class, among all.
    texts : Texts
        All documents.
    n_shown : int
        Documents of the sample.
    """
    scored: dict[str, NDArray[np.float64]] = {}
    everything = next(iter(folds.values()), ())
    rows = np.sort(np.concatenate([fold.rows for fold in everything])) if everything else None
    if rows is None or not members[rows].any() or members[rows].all():
        return None
    for method, parts in folds.items():
        order = np.argsort(np.concatenate([fold.rows for fold in parts]), kind="stable")
        # A method that failed on a fold has no score for its documents.
        if len(order) == len(rows):
            scored[method] = rounded(np.concatenate([fold.scores for fold in parts])[order])
    own = members[rows]
    said = {method: _Said.of(folds[method]) for method in scored}
    looked_at = np.isin(rows, [row for found in said.values() for row in found.words])
    # Of the class, those come into question for which words were taken down, if there are any.
    known = own & looked_at if (own & looked_at).any() else own
    loudest = _loudest_first(np.flatnonzero(~own), scored.values())
    shown = sample(np.flatnonzero(known), loudest, n_shown)
    lengths = texts.corpus.lengths[rows]
    sides = rows[own], rows[~own]
    return ClassInspection(
        n_class=int(own.sum()),
        n_rest=int((~own).sum()),
        documents=tuple(
            texts.show(
                row,
                next((found.words[row] for found in said.values() if row in found.words), ()),
                of_class=bool(members[row]),
            )
            for row in rows[shown].tolist()
        ),
        methods={
            method: MethodInspection(
                curve=OperatingCurve.of(values, own),
                average_precision=float(average_precision_score(own, values)),
                scores=values[shown],
                words=tuple(said[method].words.get(row, []) for row in rows[shown].tolist()),
                calibration=calibration(values, own),
                lengths=by_length(values, own, lengths),
                speak_for=texts.count(said[method].top(speaks_for=True), *sides),
                speak_against=texts.count(said[method].top(speaks_for=False), *sides),
            )
            for method, values in scored.items()
        },
    )


@dataclass(frozen=True, eq=False)
class _Said:
    """The words of one method in all folds: of documents by their rows, and those that matter."""

    words: dict[int, list[tuple[str, float]]]
    matter: list[TopWord]
    n_folds: int

    @classmethod
    def of(cls, folds: Sequence[ScoredFold]) -> "_Said":
        found = [(fold.rows, FoldWords.unpack(fold.words)) for fold in folds if fold.words]
        return cls(
            {
                int(rows[place]): words
                for rows, said in found
                for place, words in said.documents.items()
            },
            [word for _, said in found for word in said.top],
            len(folds),
        )

    def top(self, *, speaks_for: bool) -> list[TopWord]:
        """Average what the folds say of each word, the weightiest words first."""
        found: dict[str, list[TopWord]] = {}
        for word in self.matter:
            if word.speaks_for == speaks_for:
                found.setdefault(word.word, []).append(word)
        added = [
            TopWord(
                name,
                speaks_for,
                # A fold in which it is not among the first counts as nothing.
                sum(word.apart for word in words) / self.n_folds,
                sum(word.in_class for word in words),
                sum(word.in_rest for word in words),
                sum(word.n_class for word in words),
                sum(word.n_rest for word in words),
            )
            for name, words in found.items()
        ]
        return sorted(added, key=lambda word: (-word.apart, word.word))[:_TOP_WORDS]


def _loudest_first(
    rest: NDArray[np.int64], scored: Iterable[NDArray[np.float64]]
) -> NDArray[np.int64]:
    """Order documents by the best place that any method gives them."""
    best = np.full(len(rest), len(rest))
    for scores in scored:
        places = np.empty(len(rest), dtype=int)
        places[np.argsort(-scores[rest], kind="stable")] = np.arange(len(rest))
        best = np.minimum(best, places)
    return rest[np.argsort(best, kind="stable")]


def sample(own: NDArray[np.int64], rest: NDArray[np.int64], n_shown: int) -> NDArray[np.int64]:
    """Take documents of the class at even distances, and the first of the rest.

    Three of five are of the class; where there are fewer, the rest has the room.

    Examples
    --------
    >>> sample(np.arange(9), np.array([20, 11, 15, 12]), 5).tolist()
    [0, 4, 8, 11, 20]
    """
    n_own = min(len(own), max(n_shown * 3 // 5, n_shown - len(rest)))
    places = np.linspace(0, len(own) - 1, n_own).round().astype(int)
    return np.sort(np.concatenate([own[places], rest[: n_shown - n_own]]))
