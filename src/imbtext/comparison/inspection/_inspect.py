"""From the scores of every fold to what a report shows of a class."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import average_precision_score

from imbtext.comparison._documents import ComparedDocuments
from imbtext.comparison.inspection._curves import (
    LengthGroup,
    OperatingCurve,
    ScoreBin,
    at_even_distances,
    by_length,
    calibration,
    rounded,
)
from imbtext.comparison.inspection._excerpts import cut, excerpt
from imbtext.comparison.inspection._reasons import FoldWords, TopWord

# Characters of a document that an excerpt is chosen from.
_READ: Final = 8000
_LONGEST_LABEL: Final = 80
_TOP_WORDS: Final = 15


class ShownDocument(NamedTuple):
    """A document of the sample: how it begins, its labels, and whether it is of the class."""

    text: str
    labels: str
    n_words: int
    of_class: bool


@dataclass(frozen=True, eq=False)
class MethodInspection:
    """How one method did on documents it had not seen.

    `scores` and `words` are of the shown documents; a document has no words where the model is not
    linear in words, or where it was not among those the model looked at most.
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
    """The tested documents of a fold by their rows, their scores, and the packed words."""

    rows: NDArray[np.int64]
    scores: NDArray[np.floating]
    words: str = ""


def inspect_class(
    folds: Mapping[str, Sequence[ScoredFold]],
    members: NDArray[np.bool_],
    documents: ComparedDocuments,
    counts: sparse.csr_array,
    n_shown: int,
) -> ClassInspection | None:
    """Put the folds of every method together and look at them; None where there is nothing to see.

    The first method is one that did not fail; `counts` are of the words of all documents.
    """
    scored: dict[str, NDArray[np.float64]] = {}
    everything = next(iter(folds.values()), ())
    rows = np.sort(np.concatenate([fold.rows for fold in everything])) if everything else None
    if rows is None or not members[rows].any() or members[rows].all():
        return None
    for method, parts in folds.items():
        # A method that failed on a fold has no score for its documents.
        if sum(len(fold.rows) for fold in parts) == len(rows):
            order = np.argsort(np.concatenate([fold.rows for fold in parts]), kind="stable")
            scored[method] = rounded(np.concatenate([fold.scores for fold in parts])[order])
    own = members[rows]
    unpacked = {
        method: [(fold.rows, FoldWords.unpack(fold.words)) for fold in folds[method] if fold.words]
        for method in scored
    }
    said = {
        method: {int(at[i]): words for at, found in parts for i, words in found.documents.items()}
        for method, parts in unpacked.items()
    }
    looked_at = np.isin(rows, [row for words in said.values() for row in words])
    # Of the class, those come into question for which words were taken down, if there are any.
    known = own & looked_at if (own & looked_at).any() else own
    loudest = _loudest_first(np.flatnonzero(~own), scored.values())
    shown = sample(np.flatnonzero(known), loudest, n_shown)
    lengths = documents.corpus.lengths[rows]

    def top(method: str, speaks_for: bool) -> list[TopWord]:
        words = [
            w for _, found in unpacked[method] for w in found.top if w.speaks_for == speaks_for
        ]
        best = _averaged(words, len(folds[method]))
        return _counted(best, documents.corpus.vocabulary, counts, (rows[own], rows[~own]))

    return ClassInspection(
        n_class=int(own.sum()),
        n_rest=int((~own).sum()),
        documents=tuple(
            _shown(
                documents,
                row,
                next((words[row] for words in said.values() if row in words), ()),
                of_class=bool(members[row]),
            )
            for row in rows[shown].tolist()
        ),
        methods={
            method: MethodInspection(
                curve=OperatingCurve.of(values, own),
                average_precision=float(average_precision_score(own, values)),
                scores=values[shown],
                words=tuple(said[method].get(row, []) for row in rows[shown].tolist()),
                calibration=calibration(values, own),
                lengths=by_length(values, own, lengths),
                speak_for=top(method, speaks_for=True),
                speak_against=top(method, speaks_for=False),
            )
            for method, values in scored.items()
        },
    )


def _averaged(words: Sequence[TopWord], n_folds: int) -> list[TopWord]:
    """Average what the folds say of each word of one side, the weightiest words first."""
    found: dict[str, list[TopWord]] = {}
    for word in words:
        found.setdefault(word.word, []).append(word)
    averaged = [
        TopWord(
            name,
            each[0].speaks_for,
            # A fold in which it is not among the first counts as nothing.
            sum(word.apart for word in each) / n_folds,
            *(sum(counts) for counts in zip(*(word[3:] for word in each), strict=True)),
        )
        for name, each in found.items()
    ]
    return sorted(averaged, key=lambda word: (-word.apart, word.word))[:_TOP_WORDS]


def _counted(
    words: Sequence[TopWord],
    vocabulary: NDArray[np.object_],
    counts: sparse.csr_array,
    sides: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> list[TopWord]:
    """Count in how many of all documents each word occurs, where it is a word of theirs.

    A fold counts its own documents, and only words that are among its first.
    """
    places = np.searchsorted(vocabulary, np.array([word.word for word in words], dtype=object))
    known = {
        word.word: place
        for place, word in zip(places.tolist(), words, strict=True)
        if place < len(vocabulary) and vocabulary[place] == word.word
    }
    occurring = counts[:, list(known.values())].astype(bool)
    sums = [np.asarray(occurring[rows].sum(axis=0)).ravel().tolist() for rows in sides]
    of_word = dict(zip(known, zip(*sums, strict=True), strict=True))
    return [
        TopWord(*word[:3], *of_word[word.word], *map(len, sides)) if word.word in known else word
        for word in words
    ]


def _shown(
    documents: ComparedDocuments, row: int, said: Sequence[tuple[str, float]], *, of_class: bool
) -> ShownDocument:
    """Cut a document to what fits on a page, where the words are that spoke loudest."""
    document = documents.rows[row]
    text = document if isinstance(document, str) else " ".join(document[:_READ])
    labels = ", ".join(sorted(map(str, documents.label_sets[row])))
    return ShownDocument(
        excerpt(" ".join(text[:_READ].split()), said),
        cut(labels, _LONGEST_LABEL),
        int(documents.corpus.lengths[row]),
        of_class,
    )


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
    return np.sort(np.concatenate([at_even_distances(own, n_own), rest[: n_shown - n_own]]))
