"""Two sources of vectors side by side: the text and the columns beside it, in one vector.

The block of the columns joins the blocks of the text. Its share says how long it is beside a block
of the text; 1 is as long. This module stands alone: text without columns never passes here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imbtext._svm import for_liblinear
from imbtext._typing import DocumentsLike, Matrix
from imbtext.documents import Documents
from imbtext.features._columns import ColumnFeatures
from imbtext.features._sources import Features, TrainingVectors, WeighedVectors
from imbtext.features._terms import TermInWords, Terms, Vectors


class TextAndColumns(Features):
    """The vectors of a text, and what stands beside it, side by side.

    Parameters
    ----------
    text : Features
        What makes vectors of the text.
    columns : ColumnFeatures
        What makes terms of the columns.
    share : float
        How long the block of the columns is beside a block of the text.
    """

    def __init__(self, text: Features, columns: ColumnFeatures, share: float) -> None:
        self.text, self.columns, self.share = text, columns, share

    @property
    def named(self) -> bool:  # type: ignore[override]
        return self.text.named

    @property
    def about(self) -> str:
        return f"{self.text.about}; beside the text, {self.columns.about}"

    def fresh(self) -> "TextAndColumns":
        return TextAndColumns(self.text.fresh(), self.columns.fresh(), self.share)

    def learn(self, documents: Documents) -> "TrainingSideBySide":
        return TrainingSideBySide(
            self.text.learn(documents), self.columns.learn(documents), self.share
        )

    def read(self, documents: Documents) -> Vectors:
        return _joined([self.text.read(documents), self.columns.read(documents)], self.share)

    def fit_transform(self, X: DocumentsLike) -> Matrix:
        return for_liblinear(self.learn(Documents.of(X)).seen_by().vectors.matrix())

    def transform(self, X: DocumentsLike) -> Matrix:
        return for_liblinear(self.read(Documents.of(X)).matrix())

    def names(self, *, spelt: bool = False) -> NDArray[np.object_]:
        return np.concatenate([self.text.names(spelt=spelt), self.columns.names()])

    def find(self, documents: Documents) -> list[list[TermInWords]] | None:
        found = self.text.find(documents)
        if found is None:
            return None
        first, names = len(self.text.names()), self.columns.names()
        terms = self.columns.read(documents).terms
        for row, occurrences in enumerate(found):
            here = terms.indices[terms.indptr[row] : terms.indptr[row + 1]].tolist()
            occurrences += [(first + term, str(names[term])) for term in here]
        return found

    def without_documents(self) -> "TextAndColumns":
        return TextAndColumns(self.text.without_documents(), self.columns, self.share)


@dataclass(frozen=True, eq=False)
class TrainingSideBySide:
    """The training documents of `TextAndColumns`."""

    text: TrainingVectors
    columns: TrainingVectors
    share: float

    def seen_by(self, rows: NDArray[np.int64] | None = None) -> WeighedVectors:
        seen = [self.text.seen_by(rows), self.columns.seen_by(rows)]
        counts = [one.frequencies for one in seen if one.frequencies is not None]
        return WeighedVectors(
            _joined([one.vectors for one in seen], self.share),
            np.concatenate(counts) if len(counts) == 2 else None,
        )

    def known_shares(
        self, folds: NDArray[np.integer], *, in_time: bool = False
    ) -> NDArray[np.float64] | None:
        return self.text.known_shares(folds, in_time=in_time)


def _joined(parts: Sequence[Vectors], share: float) -> Vectors:
    """Join the vectors of the same documents, the blocks of the last `share` as long."""
    terms = Terms.side_by_side([part.terms for part in parts])
    scales = [
        part.scales.reshape(part.terms.n_documents, part.terms.n_blocks)
        * np.sqrt(part.terms.n_blocks)
        for part in parts
    ]
    scales[-1] *= share
    weights = np.concatenate([part.weights for part in parts])
    return Vectors(terms, weights, np.hstack(scales).ravel(), parts[0].known_shares)
