"""The words that spoke for and against, of documents that a model had not seen.

What a word adds to the score of a document under a linear classifier is its weight times its value
in the document. It is taken down where the model is at hand, in the fold that tests it, for the
documents worth looking at, and packed into a string that goes wherever the scores go.
"""

import base64
import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext.methods import FittedMethod

_OF_CLASS: Final = 60
_OF_REST: Final = 40
_WORDS_PER_SIDE: Final = 6
_TOP_WORDS: Final = 40
# What a page with two decimals would show as nothing.
_LEAST: Final = 0.005


@dataclass(frozen=True)
class TopWord:
    """A word that matters for a class.

    Attributes
    ----------
    word : str
        As the classifier knows it.
    speaks_for : bool
        Whether it raises the score of a document, or lowers it.
    apart : float
        How far it moves the average scores of the class and of the rest apart.
    in_class, in_rest : int
        Documents with the word.
    n_class, n_rest : int
        Documents looked at.
    """

    word: str
    speaks_for: bool
    apart: float
    in_class: int
    in_rest: int
    n_class: int
    n_rest: int


@dataclass(frozen=True)
class FoldWords:
    """The words of one method on one fold.

    Attributes
    ----------
    documents : dict of int to list of (word, contribution)
        For the documents worth looking at, by their place among the tested ones.
    top : tuple of TopWord
        The words that matter, in either direction.
    """

    documents: dict[int, list[tuple[str, float]]]
    top: tuple[TopWord, ...]

    @classmethod
    def of(
        cls,
        fitted: FittedMethod,
        vectors: sparse.csr_array,
        names: NDArray[np.object_],
        members: NDArray[np.bool_],
        decision: NDArray[np.float64],
    ) -> "FoldWords | None":
        """Take down the words of a fitted method; None where it is no linear model of words."""
        if fitted.transform_test is not None:
            vectors = fitted.transform_test(vectors)
        weights = linear_weights(fitted.classifier)
        if weights is None or not sparse.issparse(vectors):
            return None
        if vectors.shape[1] != len(names) or len(weights) != len(names):
            return None
        vectors = sparse.csr_array(vectors)
        return cls(
            {
                row: _strongest(vectors, row, weights, names)
                for row in worth_looking_at(members, decision)
            },
            tuple(_top(weights, vectors, names, members)),
        )

    @classmethod
    def of_documents(
        cls,
        model: Any,
        documents: Sequence[Any],
        members: NDArray[np.bool_],
        decision: NDArray[np.float64],
    ) -> "FoldWords":
        """Take down the words of a classifier of documents that explains itself."""
        looked_at = worth_looking_at(members, decision)
        # What is loud says little of the rest as a whole: that takes documents at even distances.
        usual = _evenly(np.flatnonzero(~members), _OF_CLASS).tolist()
        rows = list(dict.fromkeys([*looked_at, *usual]))
        said = model.explanations([documents[row] for row in rows])
        explained = {row: list(found.parts) for row, found in zip(rows, said, strict=True)}
        return cls(
            {row: _both_sides(explained[row]) for row in looked_at},
            tuple(
                _top_of(
                    [explained[row] for row in looked_at if members[row]],
                    [explained[row] for row in usual],
                )
            ),
        )

    def pack(self) -> str:
        """Return everything as a short string."""
        content = {
            "documents": {
                str(row): [[word, round(value, 4)] for word, value in words]
                for row, words in self.documents.items()
            },
            "top": [list(vars(word).values()) for word in self.top],
        }
        raw = json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")
        return base64.b64encode(zlib.compress(raw, 1)).decode("ascii")

    @classmethod
    def unpack(cls, packed: str) -> "FoldWords":
        """Return what was packed."""
        raw = zlib.decompress(base64.b64decode(packed)).decode("utf-8", "surrogatepass")
        content = json.loads(raw)
        return cls(
            {
                int(row): [(word, value) for word, value in words]
                for row, words in content["documents"].items()
            },
            tuple(TopWord(*values) for values in content["top"]),
        )


def linear_weights(classifier: Any) -> NDArray[np.float64] | None:
    """Return what one unit of each word adds to the score of the class, or None.

    Examples
    --------
    >>> from sklearn.naive_bayes import MultinomialNB
    >>> from sklearn.svm import LinearSVC
    >>> X, y = np.eye(2), np.array([False, True])
    >>> [bool(w) for w in linear_weights(LinearSVC().fit(X, y)) > 0]
    [False, True]
    >>> [bool(w) for w in linear_weights(MultinomialNB().fit(X, y)) > 0]
    [False, True]
    """
    weights: Any = getattr(classifier, "coef_", None)
    if weights is not None:
        # Sparse after `sparsify`.
        weights = np.asarray(weights.todense() if hasattr(weights, "todense") else weights)
        return weights.ravel() if weights.size == weights.shape[-1] else None
    logarithms = getattr(classifier, "feature_log_prob_", None)
    if logarithms is not None and len(logarithms) == 2:
        return np.asarray(logarithms[1] - logarithms[0])
    return None


def worth_looking_at(members: NDArray[np.bool_], decision: NDArray[np.float64]) -> list[int]:
    """Return documents of the class at even distances, and the others with the highest scores."""
    own, rest = _evenly(np.flatnonzero(members), _OF_CLASS), np.flatnonzero(~members)
    highest = rest[np.argsort(-decision[rest], kind="stable")[:_OF_REST]]
    return [*own.tolist(), *highest.tolist()]


def _strongest(
    vectors: sparse.csr_array, row: int, weights: NDArray[np.float64], names: NDArray[np.object_]
) -> list[tuple[str, float]]:
    """Return the words of a document that added or took away most, the largest first."""
    start, end = vectors.indptr[row], vectors.indptr[row + 1]
    columns = vectors.indices[start:end]
    values = vectors.data[start:end] * weights[columns]
    order = np.argsort(-values, kind="stable").tolist()
    ends = dict.fromkeys([*order[:_WORDS_PER_SIDE], *order[-_WORDS_PER_SIDE:]])
    return _both_sides([(str(names[columns[i]]), float(values[i])) for i in ends])


def _both_sides(parts: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """Return the weightiest words of either side, the largest first."""
    ordered = sorted(parts, key=lambda part: -part[1])
    for_class = [part for part in ordered[:_WORDS_PER_SIDE] if part[1] >= _LEAST]
    against = [part for part in ordered[-_WORDS_PER_SIDE:] if part[1] <= -_LEAST]
    return for_class + against


def _top(
    weights: NDArray[np.float64],
    vectors: sparse.csr_array,
    names: NDArray[np.object_],
    members: NDArray[np.bool_],
) -> list[TopWord]:
    """Return the words that set the class apart most, in either direction."""
    # Sums over the entries by hand: several times faster than cutting the matrix in two.
    of_class = np.repeat(members, np.diff(vectors.indptr))
    columns, values, n = vectors.indices, vectors.data, len(names)
    n_class, n_rest = int(members.sum()), int((~members).sum())
    total = np.bincount(columns, values, n)
    in_class = np.bincount(columns[of_class], values[of_class], n)
    apart = weights * (in_class / max(n_class, 1) - (total - in_class) / max(n_rest, 1))
    documents = np.bincount(columns, minlength=n)
    documents_of_class = np.bincount(columns[of_class], minlength=n)
    found = []
    for side in (weights > 0, weights < 0):
        best = np.flatnonzero(side & (apart > 0))
        best = best[np.argsort(-apart[best], kind="stable")[:_TOP_WORDS]]
        found += [
            TopWord(
                str(names[i]),
                bool(weights[i] > 0),
                round(float(apart[i]), 5),
                int(documents_of_class[i]),
                int(documents[i] - documents_of_class[i]),
                n_class,
                n_rest,
            )
            for i in best.tolist()
        ]
    return found


def _top_of(
    of_class: Sequence[Sequence[tuple[str, float]]], of_rest: Sequence[Sequence[tuple[str, float]]]
) -> list[TopWord]:
    """Return the words that set apart documents of the class and others, each explained."""
    n_class, n_rest = len(of_class), len(of_rest)
    found: dict[str, list[float]] = {}
    for side, explained in enumerate((of_class, of_rest)):
        for parts in explained:
            for word, value in parts:
                sums = found.setdefault(word, [0.0, 0.0, 0, 0])
                sums[side] += value
                sums[2 + side] += 1
    words = [
        TopWord(
            word,
            in_class + in_rest > 0,
            round(in_class / max(n_class, 1) - in_rest / max(n_rest, 1), 5),
            int(documents_of_class),
            int(documents_of_rest),
            n_class,
            n_rest,
        )
        for word, (in_class, in_rest, documents_of_class, documents_of_rest) in found.items()
    ]
    words.sort(key=lambda word: (-word.apart, word.word))
    return [
        word
        for speaks_for in (True, False)
        for word in [w for w in words if w.speaks_for == speaks_for and w.apart > 0][:_TOP_WORDS]
    ]


def _evenly(rows: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).round().astype(int)]
