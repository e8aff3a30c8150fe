"""The words for and against a class, in documents a model had not seen.

In a linear classifier each word adds its weight times its value to the score of a document. The
model exists only while its fold is being tested, so the words are recorded then, for the documents
worth showing. `FoldWords` keeps them as arrays: a comparison has hundreds of these.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext._typing import Array, Document
from imbtext.methods._fitting import FittedMethod
from imbtext.rare._explanation import Explanation

_OF_CLASS: Final = 60
_OF_REST: Final = 40
_WORDS_PER_DIRECTION: Final = 6
_TOP_WORDS: Final = 40
# A page shows less than this as 0.00.
_LEAST: Final = 0.005


class TopWord(NamedTuple):
    """A word that matters for a class: it raises the scores of documents, or lowers them.

    `apart` is how far it moves the average scores of the class and of the rest apart. The numbers
    after it count documents, of the class and of the rest: those with the word, and all.
    """

    word: str
    speaks_for: bool
    apart: float
    in_class: int
    in_rest: int
    n_class: int
    n_rest: int


Contributions = list[tuple[str, float]]


class ExplainingClassifier(Protocol):
    """A classifier of documents that says what each word adds to a score."""

    def explanations(self, X: Sequence[Document]) -> Sequence[Explanation]:
        """Return the words behind the score of each document."""


@dataclass(frozen=True, eq=False)
class FoldWords:
    """The words that mattered to one method on one fold.

    Attributes
    ----------
    words : tuple of str
        Every word that some document shows, once.
    indices : array of shape (n_documents,)
        The documents worth showing, by their indices among the tested ones.
    n_words : array of shape (n_documents,)
        How many words of each are shown.
    word_ids, values : arrays
        The shown words, by their places in `words`, and what each added to the score, of all
        documents one after the other.
    constants : array of shape (n_documents,)
        The score without any word. With all words of a document, shown or not, it adds up to the
        score. It is NaN if the score is not such a sum.
    top : tuple of TopWord
        The words that set the class apart most, in either direction.
    """

    words: tuple[str, ...]
    indices: NDArray[np.int64]
    n_words: NDArray[np.int64]
    word_ids: NDArray[np.int64]
    values: NDArray[np.float64]
    constants: NDArray[np.float64]
    top: tuple[TopWord, ...]

    @classmethod
    def from_contributions(
        cls,
        contributions: Mapping[int, Contributions],
        constants: Sequence[float],
        top: tuple[TopWord, ...],
    ) -> Self:
        """Arrange the words of each document as arrays; contributions keep four decimals."""
        pairs = [pair for document in contributions.values() for pair in document]
        ids = {word: i for i, word in enumerate(dict.fromkeys(word for word, _ in pairs))}
        return cls(
            tuple(ids),
            np.array(list(contributions), dtype=np.int64),
            np.array([len(document) for document in contributions.values()], dtype=np.int64),
            np.array([ids[word] for word, _ in pairs], dtype=np.int64),
            np.array([round(value, 4) for _, value in pairs], dtype=np.float64),
            np.array([round(constant, 4) for constant in constants], dtype=np.float64),
            top,
        )

    @classmethod
    def of_vectors(
        cls,
        fitted: FittedMethod,
        vectors: sparse.csr_array,
        names: NDArray[np.object_],
        is_class: NDArray[np.bool_],
        decision: NDArray[np.float64],
    ) -> Self | None:
        """Record the words of a fitted method; None if it is not a linear model of words."""
        if fitted.transform_test is not None:
            vectors = fitted.transform_test(vectors)
        weights = linear_weights(fitted.classifier)
        if weights is None or not sparse.issparse(vectors):
            return None
        if vectors.shape[1] != len(names) or len(weights) != len(names):
            return None
        vectors = sparse.csr_array(vectors)
        shown = worth_showing(is_class, decision)
        # If a score is a sum over words and a constant, the constant is the same for all documents.
        # If the score is something else, such as a probability, it is not.
        constants = decision - vectors @ weights
        is_sum = np.ptp(constants) <= 1e-6 * max(1.0, float(np.abs(decision).max()))
        return cls.from_contributions(
            {i: _strongest(vectors, i, weights, names) for i in shown},
            [float(constants[i]) if is_sum else np.nan for i in shown],
            _top_of_vectors(weights, vectors, names, is_class),
        )

    @classmethod
    def of_documents(
        cls,
        model: ExplainingClassifier,
        documents: Sequence[Document],
        is_class: NDArray[np.bool_],
        decision: NDArray[np.float64],
    ) -> Self:
        """Record the words of a classifier of documents that explains itself."""
        shown = worth_showing(is_class, decision)
        # The highest scores are not typical of the rest; documents at even distances are.
        typical = at_even_distances(np.flatnonzero(~is_class), _OF_CLASS).tolist()
        explained = list(dict.fromkeys([*shown, *typical]))
        explanations = model.explanations([documents[i] for i in explained])
        parts = {i: list(one.parts) for i, one in zip(explained, explanations, strict=True)}
        return cls.from_contributions(
            {i: _both_directions(parts[i]) for i in shown},
            [float(decision[i]) - sum(value for _, value in parts[i]) for i in shown],
            _top_of_explanations(
                [parts[i] for i in shown if is_class[i]],
                [parts[i] for i in typical],
            ),
        )

    def constant_of_document(self) -> dict[int, float]:
        """Return the constant of each shown document, by the document's index."""
        return dict(zip(self.indices.tolist(), self.constants.tolist(), strict=True))

    def by_document(self) -> dict[int, Contributions]:
        """Return the shown words of each document and what they added, by the document's index."""
        words = [self.words[i] for i in self.word_ids.tolist()]
        pairs = list(zip(words, self.values.tolist(), strict=True))
        ends = np.cumsum(self.n_words).tolist()
        return {
            i: pairs[end - n : end]
            for i, n, end in zip(self.indices.tolist(), self.n_words.tolist(), ends, strict=True)
        }


def at_even_distances(values: Array, most: int) -> Array:
    """Return `most` of the values at even distances, or all of them if there are fewer."""
    if len(values) <= most:
        return values
    places = np.linspace(0, len(values) - 1, most).round().astype(int)
    return np.asarray(values[places])


def linear_weights(classifier: object) -> NDArray[np.float64] | None:
    """Return what one unit of each word adds to the score of the class, or None."""
    coefficients = getattr(classifier, "coef_", None)
    if coefficients is not None:
        # Sparse after `sparsify`.
        is_sparse = hasattr(coefficients, "todense")
        weights = np.asarray(coefficients.todense() if is_sparse else coefficients)
        return weights.ravel() if weights.size == weights.shape[-1] else None
    logarithms = getattr(classifier, "feature_log_prob_", None)
    if logarithms is not None and len(logarithms) == 2:
        return np.asarray(logarithms[1] - logarithms[0])
    return None


def worth_showing(is_class: NDArray[np.bool_], decision: NDArray[np.float64]) -> list[int]:
    """Return documents of the class at even distances, and the others with the highest scores."""
    of_class = at_even_distances(np.flatnonzero(is_class), _OF_CLASS)
    rest = np.flatnonzero(~is_class)
    highest = rest[np.argsort(-decision[rest], kind="stable")[:_OF_REST]]
    return [*of_class.tolist(), *highest.tolist()]


def _strongest(
    vectors: sparse.csr_array, i: int, weights: NDArray[np.float64], names: NDArray[np.object_]
) -> Contributions:
    """Return the words of a document that added or took away most, the largest first."""
    start, end = vectors.indptr[i], vectors.indptr[i + 1]
    columns = vectors.indices[start:end]
    values = vectors.data[start:end] * weights[columns]
    order = np.argsort(-values, kind="stable").tolist()
    ends = dict.fromkeys([*order[:_WORDS_PER_DIRECTION], *order[-_WORDS_PER_DIRECTION:]])
    return _both_directions([(str(names[columns[i]]), float(values[i])) for i in ends])


def _both_directions(parts: Contributions) -> Contributions:
    """Return the words that added most, then those that took away most, the largest first."""
    ordered = sorted(parts, key=lambda part: -part[1])
    for_class = [part for part in ordered[:_WORDS_PER_DIRECTION] if part[1] >= _LEAST]
    against = [part for part in ordered[-_WORDS_PER_DIRECTION:] if part[1] <= -_LEAST]
    return for_class + against


def _top_of_vectors(
    weights: NDArray[np.float64],
    vectors: sparse.csr_array,
    names: NDArray[np.object_],
    is_class: NDArray[np.bool_],
) -> tuple[TopWord, ...]:
    """Return the words that set the class apart most, under a linear classifier."""
    # Sums over the entries by hand: several times faster than cutting the matrix in two.
    of_class = np.repeat(is_class, np.diff(vectors.indptr))
    columns, values, n = vectors.indices, vectors.data, len(names)
    n_class, n_rest = int(is_class.sum()), int((~is_class).sum())
    total = np.bincount(columns, values, n)
    in_class = np.bincount(columns[of_class], values[of_class], n)
    apart = weights * (in_class / max(n_class, 1) - (total - in_class) / max(n_rest, 1))
    n_with_word = np.bincount(columns, minlength=n)
    n_of_class = np.bincount(columns[of_class], minlength=n)
    return _ranked(
        names, weights > 0, apart, (n_of_class, n_with_word - n_of_class), (n_class, n_rest)
    )


def _top_of_explanations(
    of_class: Sequence[Contributions], of_rest: Sequence[Contributions]
) -> tuple[TopWord, ...]:
    """Return the words that set the class apart most, in documents that were explained."""
    # For each word: what it added in the class and in the rest, and in how many documents.
    sums_by_word: dict[str, list[float]] = {}
    for column, explanations in enumerate((of_class, of_rest)):
        for parts in explanations:
            for word, value in parts:
                sums = sums_by_word.setdefault(word, [0.0, 0.0, 0, 0])
                sums[column] += value
                sums[column + 2] += 1
    names = np.array(sorted(sums_by_word), dtype=object)
    sums_in_class, sums_in_rest, in_class, in_rest = (
        np.array([sums_by_word[name] for name in names]).reshape(-1, 4).T
    )
    n_class, n_rest = len(of_class), len(of_rest)
    apart = np.round(sums_in_class / max(n_class, 1) - sums_in_rest / max(n_rest, 1), 5)
    raises = sums_in_class + sums_in_rest > 0
    return _ranked(names, raises, apart, (in_class, in_rest), (n_class, n_rest))


def _ranked(
    names: NDArray[np.object_],
    raises: NDArray[np.bool_],
    apart: NDArray[np.float64],
    n_with_word: tuple[Array, Array],
    n_documents: tuple[int, int],
) -> tuple[TopWord, ...]:
    """Return the weightiest words that raise scores, then those that lower them.

    Both pairs count documents, first of the class and then of the rest.
    """
    places: list[int] = []
    for direction in (raises, ~raises):
        best = np.flatnonzero(direction & (apart > 0))
        places += best[np.argsort(-apart[best], kind="stable")[:_TOP_WORDS]].tolist()
    in_class, in_rest = n_with_word
    return tuple(
        TopWord(
            str(names[i]),
            bool(raises[i]),
            round(float(apart[i]), 5),
            int(in_class[i]),
            int(in_rest[i]),
            *n_documents,
        )
        for i in places
    )
