"""What a text means, beside its words: a second ranking, and how much it counts.

The words are ranked as they always are (``_ranking.py``). The vectors of a sentence encoder are
ranked by logistic regression in which the class counts as much as the rest. Both rank the held-out
documents of the same folds. Each score is centred and scaled by its mean and deviation over these
documents, and then mixed: ``(1 - w) words + w meaning``.

Of several encoders, each ranks alone. The mean of their scores, centred and scaled, stands in the
place of the one. This is again one linear ranking, of their vectors side by side.

The share w that ranks held-out documents best is known badly where the class has few documents, so
it is drawn towards 0.7, as if 20 more documents of the class had said so:
``w = (k v + 20 * 0.7) / (k + 20)``. Meaning leads with few labels; words catch up with many.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score

from imbtext.documents._documents import Documents
from imbtext.documents._labels import members_table
from imbtext.features.encoders import Encoder, EncoderRecord
from imbtext.progress import progress_bar
from imbtext.rare._familiarity import KnownMeaning
from imbtext.rare._ranking import ALL_DOCUMENTS, Trained, Training
from imbtext.records import Rank, StoredAs

# The share of the meaning before any document speaks, and how many documents of the class it
# weighs as much as. On the data at hand a fixed share was .004 to .017 average precision behind.
_USUAL_SHARE: Final = 0.7
_USUAL_DOCUMENTS: Final = 20.0
_SHARES: Final = np.linspace(0.0, 1.0, 11)
_C: Final = 1.0


@dataclass(frozen=True, eq=False)
class MeaningRanking:
    """Logistic regressions on vectors of meaning, one class per column.

    Attributes
    ----------
    weights : ndarray of float32
        A row per number of a vector.
    constants : ndarray of float64
        The part of each class's score that every document has.
    """

    weights: Annotated[NDArray[np.float32], Rank(2)]
    constants: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.weights.shape[1] != len(self.constants):
            raise ValueError("its weights of meaning are of another number of classes")

    @classmethod
    def fit(
        cls,
        vectors: NDArray[np.float32],
        indices: NDArray[np.int64],
        members: Sequence[NDArray[np.int64]],
        weights: NDArray[np.float64] | None = None,
    ) -> Self:
        """Learn each class from the documents at `indices`; zeros if all or none are of it."""
        learnt = np.zeros((vectors.shape[1], len(members)), np.float32)
        constants = np.zeros(len(members))
        counts = np.ones(len(vectors)) if weights is None else weights
        indices = indices[counts[indices] > 0]
        for c, is_class in enumerate(members_table(members, len(vectors)).T):
            inside, here = is_class[indices], counts[indices]
            n_inside = float(here[inside].sum())
            if 0 < inside.sum() < len(indices):
                of_side = np.where(inside, n_inside, float(here.sum()) - n_inside)
                balanced = here * float(here.sum()) / (2 * of_side)
                model = LogisticRegression(C=_C, max_iter=1000)
                model.fit(vectors[indices], inside, balanced)
                learnt[:, c], constants[c] = model.coef_[0], model.intercept_[0]
        return cls(learnt, constants)

    def scores(self, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the scores of documents, higher where a class is likelier.

        A document without a vector, such as one that says nothing, gets what all have in common.
        """
        if not len(vectors):
            return np.zeros((0, len(self.constants)))
        if vectors.shape[1] != len(self.weights):
            raise ValueError(
                f"the encoder returned {vectors.shape[1]:,} numbers per text, and "
                f"{len(self.weights):,} when the model was trained"
            )
        # Row by row: how a product of matrices is summed depends on the number of rows, and the
        # score of a document must not depend on the batch that it comes in.
        products = np.vecdot(vectors[:, np.newaxis], self.weights.T[np.newaxis])
        return np.asarray(products + self.constants, np.float64)

    @classmethod
    def mean_of(
        cls,
        rankings: Sequence[Self],
        centres: Sequence[NDArray[np.float64]],
        scales: Sequence[NDArray[np.float64]],
    ) -> Self:
        """Return the ranking of vectors side by side, by the mean of centred and scaled scores."""
        n = len(rankings)
        weights = [one.weights / scale / n for one, scale in zip(rankings, scales, strict=True)]
        constants = [
            (one.constants - centre) / scale
            for one, centre, scale in zip(rankings, centres, scales, strict=True)
        ]
        return cls(np.concatenate(weights).astype(np.float32), np.mean(constants, axis=0))


def vectors_of_meaning(
    encoders: Sequence[Encoder], documents: Documents, *, verbose: bool
) -> list[NDArray[np.float32]]:
    """Return the vectors of documents, of each encoder; `verbose` shows how many were encoded."""
    with progress_bar(quiet=not verbose, lines=True) as bar:
        task = bar.add_task("Encoding texts", total=len(encoders) * len(documents))
        return [
            encoder.of_documents(documents, lambda n: bar.update(task, advance=n))
            for encoder in encoders
        ]


def rank_by_meaning(
    training: Training, vectors: Sequence[NDArray[np.float32]], n_jobs: int
) -> tuple[NDArray[np.float32], MeaningRanking]:
    """Score every document by rankings that have not seen it, and train on all documents.

    `vectors` has those of each encoder.
    """
    ranked = [_ranked(training, of_encoder, n_jobs) for of_encoder in vectors]
    if len(ranked) == 1:
        return ranked[0]
    centred = [_centred(scores, training.weights) for scores, _ in ranked]
    centres, scales = ([one[k] for one in centred] for k in (0, 1))
    scaled = [
        (scores - centre) / scale
        for (scores, _), centre, scale in zip(ranked, centres, scales, strict=True)
    ]
    mean = np.mean(scaled, axis=0).astype(np.float32)
    return mean, MeaningRanking.mean_of([ranking for _, ranking in ranked], centres, scales)


def _ranked(
    training: Training, vectors: NDArray[np.float32], n_jobs: int
) -> tuple[NDArray[np.float32], MeaningRanking]:
    """Rank by the vectors of one encoder."""
    members, weights = training.members, training.weights
    scores = np.full((len(vectors), len(members)), np.nan, np.float32)

    def fit(fold: int) -> tuple[int, MeaningRanking]:
        indices = np.flatnonzero(training.is_trained_on(fold))
        return fold, MeaningRanking.fit(vectors, indices, members, weights)

    folds = [*training.held_out_folds, ALL_DOCUMENTS]
    fitted = dict(Parallel(n_jobs, backend="threading")(delayed(fit)(fold) for fold in folds))
    for fold in training.held_out_folds:
        held_out = training.folds.numbers == fold
        scores[held_out] = fitted[fold].scores(vectors[held_out])
    return scores, fitted[ALL_DOCUMENTS]


def _centred(
    scores: NDArray[np.floating], weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the mean and the deviation of the held-out scores of each class.

    They are 0 and 1 where there are none, and the deviation is 1 where it would be 0.
    """
    counts = np.ones(len(scores)) if weights is None else weights
    centres, scales = np.zeros(scores.shape[1]), np.ones(scores.shape[1])
    for c in range(scores.shape[1]):
        known = ~np.isnan(scores[:, c]) & (counts > 0)
        if known.any():
            of_class = scores[known, c].astype(np.float64)
            centres[c] = np.average(of_class, weights=counts[known])
            deviation = np.sqrt(np.average((of_class - centres[c]) ** 2, weights=counts[known]))
            scales[c] = deviation or 1.0
    return centres, scales


@dataclass(frozen=True, eq=False)
class Mixture:
    """How scores of words and of meaning become one; each array has an entry per class.

    Attributes
    ----------
    shares : ndarray of float64
        The share of the meaning.
    centres, scales : ndarray of float64
        What is subtracted from each score, and what it is divided by: words first, then meaning.
    """

    shares: NDArray[np.float64]
    centres: Annotated[NDArray[np.float64], Rank(2)]
    scales: Annotated[NDArray[np.float64], Rank(2)]

    def __post_init__(self) -> None:
        if not self.centres.shape == self.scales.shape == (2, len(self.shares)):
            raise ValueError("its words and its meaning are mixed for other classes")
        if ((self.shares < 0) | (self.shares > 1)).any() or (self.scales <= 0).any():
            raise ValueError("its words and its meaning are mixed in shares that are none")

    @classmethod
    def of_held_out(
        cls,
        words: NDArray[np.floating],
        meaning: NDArray[np.floating],
        members: Sequence[NDArray[np.int64]],
        weights: NDArray[np.float64] | None = None,
    ) -> Self:
        """Choose the shares on held-out scores; NaN where a document has none.

        Examples
        --------
        >>> words = np.array([[3.0], [1.0], [2.0], [0.0]])
        >>> meaning = np.array([[2.0], [9.0], [1.0], [0.0]])
        >>> Mixture.of_held_out(words, meaning, [np.array([0, 1])]).shares.round(2)
        array([0.66])
        """
        n_classes = len(members)
        shares, centres, scales = (
            np.zeros(n_classes),
            np.zeros((2, n_classes)),
            np.ones((2, n_classes)),
        )
        counts = np.ones(len(words)) if weights is None else weights
        for c, is_class in enumerate(members_table(members, len(words)).T):
            known = ~np.isnan(words[:, c]) & ~np.isnan(meaning[:, c]) & (counts > 0)
            both = np.stack([words[known, c], meaning[known, c]]).astype(np.float64)
            if both.shape[1]:
                centres[:, c] = np.average(both, axis=1, weights=counts[known])
                deviations = both - centres[:, c, None]
                scales[:, c] = np.sqrt(np.average(deviations**2, axis=1, weights=counts[known]))
            scales[scales[:, c] == 0, c] = 1.0
            scaled = (both - centres[:, c, None]) / scales[:, c, None]
            shares[c] = _share(scaled, is_class[known], counts[known])
        return cls(shares, centres, scales)

    def mixed(
        self, words: NDArray[np.floating], meaning: NDArray[np.floating]
    ) -> NDArray[np.float64]:
        """Return the scores of both together."""
        of_words, of_meaning = self.factors
        return np.asarray(of_words * words + of_meaning * meaning + self.constants, np.float64)

    @property
    def factors(self) -> NDArray[np.float64]:
        """The factor of each score: a row for words and one for meaning."""
        return np.stack([1 - self.shares, self.shares]) / self.scales

    @property
    def constants(self) -> NDArray[np.float64]:
        """The constant that is added to the score of each class."""
        return np.asarray(-(self.factors * self.centres).sum(axis=0), np.float64)


@dataclass(frozen=True, eq=False)
class MeaningPart:
    """The part of a fitted model that reads what a text means.

    Attributes
    ----------
    encoders : tuple of Encoder
        What makes vectors of a text, which stand side by side.
    ranking : MeaningRanking
        What gives them a score for each class.
    mixture : Mixture
        How that score and the score of the words become one.
    known : KnownMeaning
        What the training documents mean, to compare new ones with.
    """

    encoders: tuple[Annotated[Encoder, StoredAs(EncoderRecord)], ...]
    ranking: MeaningRanking
    mixture: Mixture
    known: KnownMeaning

    def __post_init__(self) -> None:
        if len(self.known.mean) != len(self.ranking.weights):
            raise ValueError("its meaning and its ranking are of different length")
        if len(self.mixture.shares) != len(self.ranking.constants):
            raise ValueError("its words and its meaning are of different classes")

    @classmethod
    def fit(
        cls,
        encoders: Sequence[Encoder],
        documents: Documents,
        training: Training,
        words: Trained,
        n_jobs: int,
        *,
        verbose: bool = False,
    ) -> tuple[Self, NDArray[np.float32]]:
        """Return what was learnt, and the held-out scores of words and meaning together."""
        encoders = tuple(encoder.suited_to(documents) for encoder in encoders)
        vectors = vectors_of_meaning(encoders, documents, verbose=verbose)
        meaning, ranking = rank_by_meaning(training, vectors, n_jobs)
        mixture = Mixture.of_held_out(words.scores, meaning, training.members, training.weights)
        mixed = mixture.mixed(words.scores, meaning).astype(np.float32)
        known = KnownMeaning.of(np.hstack(vectors), training.weights)
        return cls(encoders, ranking, mixture, known), mixed

    def scores(self, documents: Documents) -> NDArray[np.float64]:
        """Return the score of the meaning of each document, for each class."""
        return self.ranking.scores(self.vectors(documents))

    def vectors(self, documents: Documents) -> NDArray[np.float32]:
        """Return the vectors of each document, those of all encoders side by side."""
        return np.hstack([encoder.of_documents(documents) for encoder in self.encoders])

    def mixed(
        self,
        words: NDArray[np.float64],
        documents: Documents,
        without_words: NDArray[np.bool_],  # noqa: ARG002 - asked where meaning is read less often
    ) -> NDArray[np.float64]:
        """Return the scores of documents by their words and their meaning.

        `without_words` says of which documents no word is known.
        """
        return self.mixture.mixed(words, self.scores(documents))

    def contributions(self, documents: Documents, c: int) -> NDArray[np.float64]:
        """Return what the meaning of each document adds to its score for a class.

        A document like the average one adds nothing.
        """
        centre = self.mixture.centres[1, c]
        return np.asarray(self.mixture.factors[1, c] * (self.scores(documents)[:, c] - centre))

    def shrunk(self, contributions: list[dict[int, float]], c: int) -> list[dict[int, float]]:
        """Return what terms add to the mixed score of a class, from what they add to the words'."""
        factor = float(self.mixture.factors[0, c])
        return [{term: factor * added for term, added in row.items()} for row in contributions]

    def nearest(
        self, documents: Documents, words: Sequence[str], n: int = 3
    ) -> list[tuple[str, ...]]:
        """Return the words that are nearest to each document in meaning, the nearest first."""
        if not words or not len(documents):
            return [()] * len(documents)
        of_words = np.hstack([encoder.encode(list(words)) for encoder in self.encoders])
        alike = self.vectors(documents) @ of_words.T
        order = np.argsort(-alike, axis=1, kind="stable")[:, :n]
        return [tuple(words[j] for j in row) for row in order.tolist()]

    @property
    def about(self) -> str:
        """A description for the report of a model."""
        shares = self.mixture.shares
        share = f"{shares.min():.0%}"
        if shares.max() - shares.min() >= 0.005:
            share += f" to {shares.max():.0%}"
        read = " and ".join(
            f"{encoder!r}" + f", {encoder.n_tokens} tokens of each text" * bool(encoder.n_tokens)
            for encoder in self.encoders
        )
        of = "encoders" if len(self.encoders) > 1 else "encoder"
        return (
            f"the {of} {read}: {len(self.ranking.weights):,} numbers, ranked by "
            f"balanced logistic regression (C {_C:g}); {share} of the score, words the rest"
        )


def _share(
    scaled: NDArray[np.float64], is_class: NDArray[np.bool_], weights: NDArray[np.float64]
) -> float:
    """Return the share of the meaning that ranks held-out documents best, drawn to the usual."""
    n_class = int(is_class.sum())
    if n_class == 0:
        return _USUAL_SHARE
    words, meaning = scaled
    precisions = [
        average_precision_score(
            is_class, (1 - share) * words + share * meaning, sample_weight=weights
        )
        for share in _SHARES
    ]
    best = float(_SHARES[int(np.argmax(precisions))])
    return (n_class * best + _USUAL_DOCUMENTS * _USUAL_SHARE) / (n_class + _USUAL_DOCUMENTS)
