"""Several sources of vectors side by side, in one vector.

Sources of terms (the text, a vectorizer, the columns beside the text) join their blocks, which
together have unit length. A source's share is the length of its blocks relative to the first
source. Dense sources (a sentence encoder, ``"meaning"``) follow all terms, as they are:

>>> from imbtext.features import get_features
>>> features = get_features(["words", lambda texts: np.array([[len(t), 1.0] for t in texts])])
>>> features.fit_transform(["oil", "rain", "a longer text"]).shape
(3, 6)
>>> features.names().tolist()
['longer', 'oil', 'rain', 'text', '(<lambda>) 0', '(<lambda>) 1']
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from imbtext._typing import Document
from imbtext.documents._documents import Documents
from imbtext.features._columns import ColumnFeatures
from imbtext.features._features import NO_TERM, Features, TrainingVectors, WeighedVectors
from imbtext.features._own_features import OwnFeatures, OwnRecord
from imbtext.features._terms import TermInWords, Terms, Vectors
from imbtext.features._text_features import TextFeatures
from imbtext.records import StoredAs

# What a file says of a callable is its name.
StoredFeatures = Annotated[OwnFeatures, StoredAs(OwnRecord)]


@dataclass(eq=False, repr=False)
class SideBySide(Features):
    """The vectors of several sources, side by side.

    Parameters
    ----------
    sources : tuple of Features
        The sources. The text comes first, if it is among them.
    shares : tuple of float, default=()
        The lengths of the blocks of each source of terms; by default all are equal.
    """

    sources: tuple[TextFeatures | ColumnFeatures | StoredFeatures, ...]
    shares: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        self.shares = self.shares or (1.0,) * len(self.sources)
        if not self.sources or len(self.shares) != len(self.sources) or min(self.shares) <= 0:
            raise ValueError("there is not one length of a block for each source")

    @classmethod
    def of(cls, first: Features, second: ColumnFeatures, share: float) -> "SideBySide":
        """Put a source beside another, or after several."""
        if isinstance(first, SideBySide):
            return cls((*first.sources, second), (*first.shares, share))
        assert isinstance(first, TextFeatures | OwnFeatures)
        return cls((first, second), (1.0, share))

    @property
    def named(self) -> bool:  # type: ignore[override]
        return all(source.named for source in self.sources)

    @property
    def text_terms(self) -> TextFeatures | None:
        return self.sources[0].text_terms

    @property
    def vectors_beside(self) -> dict[str, int]:
        return {name: n for source in self.sources for name, n in source.vectors_beside.items()}

    @property
    def about(self) -> str:
        return "; beside them, ".join(source.about for source in self.sources)

    def fresh(self) -> "SideBySide":
        return SideBySide(tuple(source.fresh() for source in self.sources), self.shares)

    def learn(self, documents: Documents) -> "TrainingSideBySide":
        parts = [source.learn(documents) for source in self.sources]
        return TrainingSideBySide(parts, self.shares)

    def read(self, documents: Documents) -> Vectors:
        return _joined([source.read(documents) for source in self.sources], self.shares)

    def names(self, *, spelt: bool = False) -> NDArray[np.object_]:
        names = [source.names(spelt=spelt) for source in self.sources]
        return np.concatenate([names[k] for k in self._terms_first()])

    def find(self, documents: Documents) -> list[list[TermInWords]] | None:
        terms: list[list[TermInWords]] = [[] for _ in range(len(documents))]
        first = 0
        for k in self._terms_first():
            source = self.sources[k]
            for row, occurrences in enumerate(source.find(documents) or []):
                terms[row] += [(first + term, words) for term, words in occurrences]
            first += len(source.names())
        return terms

    def ask_once(self, documents: Sequence[Document]) -> "SideBySide":
        for source in self.sources:
            source.ask_once(documents)
        return self

    def without_documents(self) -> "SideBySide":
        light = tuple(source.without_documents() for source in self.sources)
        return SideBySide(light, self.shares)

    def _terms_first(self) -> list[int]:
        """Return the places of the sources in the order of their columns: dense ones last."""
        return sorted(range(len(self.sources)), key=lambda k: bool(self.sources[k].vectors_beside))


@dataclass(frozen=True, eq=False)
class TrainingSideBySide:
    """The training documents of `SideBySide`."""

    parts: Sequence[TrainingVectors]
    shares: Sequence[float]

    @classmethod
    def of(
        cls, first: TrainingVectors, second: TrainingVectors, share: float
    ) -> "TrainingSideBySide":
        """Put vectors beside others, or after several."""
        if isinstance(first, TrainingSideBySide):
            return cls([*first.parts, second], [*first.shares, share])
        return cls([first, second], [1.0, share])

    @property
    def terms(self) -> Terms | None:
        """The terms of the text, None if the first source has none."""
        return getattr(self.parts[0], "terms", None)

    def seen_by(self, indices: NDArray[np.int64] | None = None) -> WeighedVectors:
        seen = [part.seen_by(indices) for part in self.parts]
        frequencies = None
        if any(weighed.frequencies is not None for weighed in seen):
            frequencies = np.concatenate(
                [
                    np.full(weighed.vectors.terms.n_terms, NO_TERM)
                    if weighed.frequencies is None
                    else weighed.frequencies
                    for weighed in seen
                ]
            )
        return WeighedVectors(
            _joined([weighed.vectors for weighed in seen], self.shares), frequencies
        )

    def known_shares(
        self, folds: NDArray[np.integer], *, in_time: bool = False
    ) -> NDArray[np.float64] | None:
        return self.parts[0].known_shares(folds, in_time=in_time)


def _joined(parts: Sequence[Vectors], shares: Sequence[float]) -> Vectors:
    """Join the vectors of the same documents: the terms of all at unit length, then dense ones."""
    with_terms = [
        (part, share) for part, share in zip(parts, shares, strict=True) if part.weights.size
    ]
    with_terms = with_terms or [(parts[0], 1.0)]
    terms = Terms.side_by_side([part.terms for part, _ in with_terms])
    scales = [
        part.scales.reshape(part.terms.n_documents, part.terms.n_blocks)
        * (np.sqrt(part.terms.n_blocks) * share)
        for part, share in with_terms
    ]
    length = np.sqrt(sum(part.terms.n_blocks * share**2 for part, share in with_terms))
    return Vectors(
        terms,
        np.concatenate([part.weights for part, _ in with_terms]),
        np.hstack(scales).ravel() / length,
        parts[0].known_shares,
        np.hstack([part.dense for part in parts]),
    )
