"""Several sources of vectors side by side: words and embeddings, words and columns.

What is sparse (terms, the rows of a vectorizer) joins the blocks of a document, each of one length.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imbtext.features._sources import TrainingVectors, WeighedVectors
from imbtext.features._terms import Terms, Vectors


def vectors_side_by_side(parts: Sequence[Vectors], shares: Sequence[float]) -> Vectors:
    """Join the vectors of the same documents; `shares` is how long the blocks of each part are."""
    terms = Terms.side_by_side([part.terms for part in parts])
    scales = np.hstack(
        [
            part.scales.reshape(part.terms.n_documents, part.terms.n_blocks)
            * (share * np.sqrt(part.terms.n_blocks))
            for part, share in zip(parts, shares, strict=True)
        ]
    )
    weights = np.concatenate([part.weights for part in parts])
    return Vectors(terms, weights, scales.ravel(), parts[0].known_shares)


@dataclass(frozen=True, eq=False)
class TrainingSideBySide:
    """The training documents of several sources."""

    parts: Sequence[TrainingVectors]
    shares: Sequence[float]

    def seen_by(self, rows: NDArray[np.int64] | None = None) -> WeighedVectors:
        seen = [part.seen_by(rows) for part in self.parts]
        return WeighedVectors(
            vectors_side_by_side([one.vectors for one in seen], self.shares),
            np.concatenate([one.frequencies for one in seen]),
        )

    def known_shares(self, folds, **kw):
        return self.parts[0].known_shares(folds, **kw)
