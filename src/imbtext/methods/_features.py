"""Vectors other than tf-idf of words: this package's features, or whatever the user brings.

What learns from documents is fitted anew on every set of training documents. A callable learns
nothing, so it is asked once for each document, however many folds the document is in.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from joblib import wrap_non_picklable_objects
from numpy.typing import NDArray
from sklearn.base import clone

from imbtext.features import TextFeatures
from imbtext.features._given import check_features, checked_rows

Matrix = Any


class OwnFeatures:
    """Vectors of documents by a vectorizer, a pipeline on text, a callable or a kind of features.

    Parameters
    ----------
    given : str, estimator or callable
        ``"words+pairs"`` or ``"characters"``; a scikit-learn vectorizer or pipeline on text; or a
        callable from a list of documents to one row of numbers per document.

    Examples
    --------
    >>> features = OwnFeatures(lambda texts: np.array([[len(t), 1.0] for t in texts]))
    >>> features.fit_transform(["oil", "rain"]).tolist()
    [[3.0, 1.0], [4.0, 1.0]]
    """

    def __init__(self, given: Any) -> None:
        self.given = given
        self.fitted: Any = None
        # Of a callable: the rows it returned, by document.
        self._known: dict[Any, int] = {}
        self._rows: Matrix = None

    @property
    def learns(self) -> bool:
        """Whether the vectors depend on the documents that were learnt from."""
        return isinstance(self.given, str) or hasattr(self.given, "fit")

    def fresh(self) -> "OwnFeatures":
        """Return the same features, not fitted; a callable keeps what it was asked."""
        return OwnFeatures(self.given) if self.learns else self

    def without_documents(self) -> "OwnFeatures":
        """Return the same features, fitted, without the documents that a callable was asked for."""
        light = OwnFeatures(self.given)
        light.fitted = self.fitted
        return light

    def fit_transform(self, documents: Sequence[Any]) -> Matrix:
        """Learn from documents and return their vectors."""
        if not self.learns:
            return self.transform(documents)
        if isinstance(self.given, str):
            self.fitted = TextFeatures(self.given)  # type: ignore[arg-type]
        else:
            self.fitted = clone(self.given)
        return checked_rows(self.given, self.fitted.fit_transform(list(documents)), len(documents))

    def transform(self, documents: Sequence[Any]) -> Matrix:
        """Return the vectors of documents."""
        if self.learns:
            return checked_rows(self.given, self.fitted.transform(list(documents)), len(documents))
        known = [self._known.get(_key(document), -1) for document in documents]
        if known and min(known) >= 0:
            return self._rows[np.array(known)]
        return checked_rows(self.given, self.given(list(documents)), len(documents))

    def ask_once(self, documents: Sequence[Any]) -> Self:
        """Ask a callable for all documents that it will be asked for again and again."""
        if not self.learns:
            unique = list({_key(document): document for document in documents}.values())
            self._rows = checked_rows(self.given, self.given(unique), len(unique))
            self._known = {_key(document): row for row, document in enumerate(unique)}
        return self

    def __getstate__(self) -> dict[str, Any]:
        # A function defined on the spot reaches other processes too.
        given = wrap_non_picklable_objects(self.given, keep_wrapper=False)
        return {**self.__dict__, "given": given}

    def names(self) -> NDArray[np.object_] | None:
        """Return what the columns are called, where they have names."""
        if not hasattr(self.fitted, "get_feature_names_out"):
            return None
        return np.asarray(self.fitted.get_feature_names_out(), dtype=object)


def own_features(features: Any) -> OwnFeatures | None:
    """Return the features that a user asked for; None is tf-idf of words, the default.

    Examples
    --------
    >>> own_features("words") is None, own_features("characters").given
    (True, 'characters')
    """
    if features is None:
        return None
    check_features(features)
    plain = isinstance(features, str) and features in ("words", "auto")
    return None if plain else OwnFeatures(features)


def _key(document: Any) -> Any:
    return document if isinstance(document, str) else tuple(document)
