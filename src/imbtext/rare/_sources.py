"""Where the vectors come from: the features of this package, or whatever the user brings.

A source learns from the training documents once. It then gives the vectors of all of them as
somebody would make them who has seen only some, which is what cross-validation needs, and the
vectors of new documents.
"""

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from imbtext.documents import Documents
from imbtext.features import Terms, TextFeatures, Vectors
from imbtext.features._given import check_features, checked_rows, is_vectorizer
from imbtext.features._terms import idf_weights
from imbtext.rare._explanation import shared_out, weightiest
from imbtext.rare._ranking import BLEND

Parts = tuple[tuple[str, float], ...]
# What the columns of a document add to its score.
Added = Mapping[int, float]
# Vectors, and in how many of the documents that were seen each term occurs (None: no terms).
Seen = tuple[Vectors, NDArray[np.int64] | None]


class BuiltInFeatures:
    """tf-idf of words, pairs and character grams; folds share one set of counts."""

    # How a class stretches the terms, in words.
    stretch: Final = f"terms keep {BLEND:.0%} and share the rest by how much they tell the class"

    def __init__(self, features: TextFeatures) -> None:
        self.features = features

    @property
    def about(self) -> str:
        """What the vectors are, in words."""
        what = {
            "auto": "words and pairs of words, and grams of four characters",
            "words+pairs": "words and pairs of words",
            "characters": "grams of four characters",
        }.get(self.features.kind, "words")
        language = self.features.language
        form = "words as they are written" if language is None else f"{language} stems"
        if self.features.reads_tokens:
            form = "tokens as they were given"
        return f"{what}, {form}: {len(self.features.weights):,} terms"

    def learn(self, documents: Documents) -> None:
        """Read the training documents."""
        self._terms = self.features.learn(documents)

    def training(self, rows: NDArray[np.int64] | None = None) -> Seen:
        """Return the vectors of all training documents for one who has seen `rows` (None: all)."""
        if rows is None:
            return self._terms.vectors(self.features.weights), self.features.frequencies
        frequencies = self._terms.frequencies(rows)
        weights = idf_weights(frequencies, len(rows), self.features.least)
        return self._terms.vectors(weights), frequencies

    def new(self, documents: Documents) -> Vectors:
        """Return the vectors of new documents for one who has seen all training documents."""
        return self.features.read(documents).vectors(self.features.weights)

    def forget(self) -> None:
        """Let go of the training documents."""
        del self._terms

    def names(self, *, spelt: bool = False) -> NDArray[np.object_]:
        """Return the name of each column; `spelt`, words as training documents write them."""
        return self.features.get_feature_names_out(spelt=spelt)

    def words_behind(self, added: Sequence[Added], documents: Sequence[Any]) -> list[Parts]:
        """Return the words of each document behind what its columns add to a score."""
        return list(map(shared_out, added, self.features.find(documents)))


class GivenFeatures:
    """A scikit-learn vectorizer, fitted anew in each fold, or a callable that returns vectors.

    The methods are those of `BuiltInFeatures`.
    """

    stretch: Final = "columns as they are, since they need not be terms"

    def __init__(self, given: Any) -> None:
        self.given = given

    @property
    def about(self) -> str:
        return f"{self._n_columns:,} columns of {self.given!r:.60}"

    def learn(self, documents: Documents) -> None:
        self._rows: list[Any] | None = list(documents.rows)
        self.fitted = self._fit(self._rows)
        self._vectors = self._call(self.fitted, self._rows)
        self._n_columns = self._vectors.terms.n_terms

    def training(self, rows: NDArray[np.int64] | None = None) -> Seen:
        if rows is None or not is_vectorizer(self.given) or self._rows is None:
            return self._vectors, None
        return self._call(self._fit([self._rows[i] for i in rows.tolist()]), self._rows), None

    def new(self, documents: Documents) -> Vectors:
        return self._call(self.fitted, list(documents.rows))

    def forget(self) -> None:
        self._rows = None
        del self._vectors

    def names(self, *, spelt: bool = False) -> NDArray[np.object_]:  # noqa: ARG002  as they are
        if hasattr(self.fitted, "get_feature_names_out"):
            return np.asarray(self.fitted.get_feature_names_out(), dtype=object)
        return np.array([f"column {j}" for j in range(self._n_columns)], dtype=object)

    def words_behind(self, added: Sequence[Added], documents: Sequence[Any]) -> list[Parts]:  # noqa: ARG002
        names = self.names().tolist()
        return [weightiest((str(names[j]), add) for j, add in each.items()) for each in added]

    def _fit(self, rows: list[Any]) -> Any:
        return clone(self.given).fit(rows) if is_vectorizer(self.given) else self.given

    def _call(self, fitted: Any, rows: list[Any]) -> Vectors:
        made = fitted.transform(rows) if is_vectorizer(fitted) else fitted(rows)
        terms = Terms.of_matrix(checked_rows(self.given, made, len(rows), np.float32))
        return terms.vectors(np.ones(terms.n_terms))


Source = BuiltInFeatures | GivenFeatures


def get_source(features: Any, language: str | None) -> Source:
    """Return the source that a user asked for."""
    check_features(features)
    if isinstance(features, str):
        return BuiltInFeatures(TextFeatures(features, language))  # type: ignore[arg-type]
    return GivenFeatures(features)


def learn_source(documents: Documents, features: Any, language: str | None) -> Source:
    """Return the source a user asked for, having learnt from documents; a copy of one's own."""

    def learn() -> Source:
        source = get_source(features, language)
        source.learn(documents)
        return source

    return copy.copy(documents.derived("source", (features, language), learn))


def vectors_by(source: Source, documents: Documents) -> Vectors:
    """Return the vectors of documents by a source that learnt from others."""
    if not isinstance(source, BuiltInFeatures):
        return source.new(documents)
    # Copies of a source share their features: that is what it is known by.
    return documents.derived("vectors", source.features, lambda: source.new(documents))
