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
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext.comparison.inspection._curves import at_even_distances
from imbtext.methods import FittedMethod

_OF_CLASS: Final = 60
_OF_REST: Final = 40
_WORDS_PER_SIDE: Final = 6
_TOP_WORDS: Final = 40
# What a page with two decimals would show as nothing.
_LEAST: Final = 0.005


class TopWord(NamedTuple):
    """A word that matters for a class: it raises the scores of documents, or lowers them.

    `apart` is how far it moves the average scores of the class and of the rest apart. Then follow
    the documents with the word, and all that were looked at.
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

    Words with their contributions, of the documents worth looking at by their place among the
    tested ones; and the words that matter, in either direction.
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
            _top(weights, vectors, names, members),
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
        usual = at_even_distances(np.flatnonzero(~members), _OF_CLASS).tolist()
        rows = list(dict.fromkeys([*looked_at, *usual]))
        said = model.explanations([documents[row] for row in rows])
        explained = {row: list(found.parts) for row, found in zip(rows, said, strict=True)}
        return cls(
            {row: _both_sides(explained[row]) for row in looked_at},
            _top_explained(
                [explained[row] for row in looked_at if members[row]],
                [explained[row] for row in usual],
            ),
        )

    def pack(self) -> str:
        """Return everything as a short string."""
        content = {
            "documents": {
                row: [(word, round(value, 4)) for word, value in words]
                for row, words in self.documents.items()
            },
            "top": self.top,
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
    """Return what one unit of each word adds to the score of the class, or None."""
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
    own, rest = at_even_distances(np.flatnonzero(members), _OF_CLASS), np.flatnonzero(~members)
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
) -> tuple[TopWord, ...]:
    """Return the words that set the class apart most, under a linear classifier."""
    # Sums over the entries by hand: several times faster than cutting the matrix in two.
    of_class = np.repeat(members, np.diff(vectors.indptr))
    columns, values, n = vectors.indices, vectors.data, len(names)
    sides = int(members.sum()), int((~members).sum())
    total = np.bincount(columns, values, n)
    in_class = np.bincount(columns[of_class], values[of_class], n)
    apart = weights * (in_class / max(sides[0], 1) - (total - in_class) / max(sides[1], 1))
    documents = np.bincount(columns, minlength=n)
    found = np.bincount(columns[of_class], minlength=n)
    return _ranked(names, weights > 0, apart, (found, documents - found), sides)


def _top_explained(
    of_class: Sequence[Sequence[tuple[str, float]]], of_rest: Sequence[Sequence[tuple[str, float]]]
) -> tuple[TopWord, ...]:
    """Return the words that set apart documents of the class and others, each explained."""
    found: dict[str, list[float]] = {}
    for side, explained in enumerate((of_class, of_rest)):
        for parts in explained:
            for word, value in parts:
                sums = found.setdefault(word, [0.0, 0.0, 0, 0])
                sums[side] += value
                sums[side + 2] += 1
    names = np.array(sorted(found), dtype=object)
    own, rest, n_own, n_rest = np.array([found[name] for name in names]).reshape(-1, 4).T
    sides = len(of_class), len(of_rest)
    apart = np.round(own / max(sides[0], 1) - rest / max(sides[1], 1), 5)
    return _ranked(names, own + rest > 0, apart, (n_own, n_rest), sides)


def _ranked(
    names: NDArray[np.object_],
    raises: NDArray[np.bool_],
    apart: NDArray[np.float64],
    documents: tuple[NDArray[Any], NDArray[Any]],
    looked_at: tuple[int, int],
) -> tuple[TopWord, ...]:
    """Return the weightiest words of either side; documents are of the class, and of the rest."""
    found = []
    for side in (raises, ~raises):
        best = np.flatnonzero(side & (apart > 0))
        found += best[np.argsort(-apart[best], kind="stable")[:_TOP_WORDS]].tolist()
    in_class, in_rest = documents
    return tuple(
        TopWord(
            str(names[i]),
            bool(raises[i]),
            round(float(apart[i]), 5),
            int(in_class[i]),
            int(in_rest[i]),
            *looked_at,
        )
        for i in found
    )
