"""Latent Dirichlet allocation of one class, and documents drawn from it.

The algorithm is scikit-learn's batch variational Bayes, step for step and draw for draw: with the
same random state it ends at the same topics as ``LatentDirichletAllocation`` fitted over the whole
vocabulary (the tests hold it to that). It is written again because of two things that save almost
all of the time. Words that the class never uses keep exactly the prior in every topic, so only
the class's own words are carried, with the others as one number a topic; and the E-step, which is
a Python loop over documents there, is compiled.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

_F = TypeVar("_F", bound=Callable[..., Any])

_EPS = float(np.finfo(np.float64).eps)
# How scikit-learn stops the update of a document.
_MAX_UPDATES = 100
_TOLERANCE = 1e-3


@dataclass(frozen=True, eq=False)
class TopicModel:
    """Topics of a class, with what is needed to write documents of it.

    Attributes
    ----------
    words : ndarray of int64
        The words that the class uses, as columns of the counts it was fitted on.
    components : ndarray of shape (n_topics, len(words))
        Topic-word weights on those words; every other word weighs `topic_word_prior`.
    topic_shares : ndarray of shape (n_topics,)
        Share of each topic in the class: the documents' topic weights, summed.
    lengths : ndarray of int64
        Number of distinct words of each document that has any.
    n_words : int
        Size of the whole vocabulary.
    topic_word_prior : float
        Weight of a word that the class never uses.
    """

    words: NDArray[np.int64]
    components: NDArray[np.float64]
    topic_shares: NDArray[np.float64]
    lengths: NDArray[np.int64]
    n_words: int
    topic_word_prior: float

    @classmethod
    def fit(
        cls,
        counts: sparse.csr_array,
        random_state: np.random.RandomState,
        *,
        n_topics: int = 30,
        doc_topic_prior: float | None = None,
        topic_word_prior: float = 0.01,
        max_iter: int = 300,
    ) -> Self:
        """Fit the topics of a class's documents, given as counts over the whole vocabulary.

        Parameters
        ----------
        counts : csr_array of shape (n_documents, n_words)
            Word counts of the documents of the class.
        random_state : RandomState
            Source of the random starting points.
        n_topics : int, default=30
            Number of topics.
        doc_topic_prior : float, default=None
            alpha; None is 50 / `n_topics`.
        topic_word_prior : float, default=0.01
            beta.
        max_iter : int, default=300
            Number of EM steps.
        """
        counts = sparse.csr_array(counts.astype(np.float64))
        counts.sum_duplicates()
        counts.eliminate_zeros()
        if not counts.nnz:
            raise ValueError(
                f"none of the {counts.shape[0]} documents of the class has a known word, so there "
                "is no topic to learn; drop such documents or widen the vocabulary"
            )
        alpha = 50.0 / n_topics if doc_topic_prior is None else doc_topic_prior
        n_documents, n_words = counts.shape
        words, columns = np.unique(counts.indices, return_inverse=True)
        n_unseen = n_words - len(words)
        bags = (counts.indptr.astype(np.int64), columns.astype(np.int64), counts.data)

        start = random_state.gamma(100.0, 0.01, (n_topics, n_words))
        unseen_mass = start.sum(axis=1) - start[:, words].sum(axis=1)
        components = np.ascontiguousarray(start[:, words].T)
        for _ in range(max_iter):
            weights = _expected_weights(components, unseen_mass)
            first = random_state.gamma(100.0, 0.01, (n_documents, n_topics))
            components = _e_step(*bags, weights, first, alpha)
            components *= weights
            components += topic_word_prior
            unseen_mass = np.full(n_topics, n_unseen * topic_word_prior)
        weights = _expected_weights(components, unseen_mass)
        document_topics = np.ones((n_documents, n_topics))
        _e_step(*bags, weights, document_topics, alpha)
        document_topics /= document_topics.sum(axis=1, keepdims=True)
        shares = document_topics.sum(axis=0)
        lengths = np.diff(counts.indptr).astype(np.int64)
        return cls(
            words=words.astype(np.int64),
            components=np.ascontiguousarray(components.T),
            topic_shares=shares / shares.sum(),
            lengths=lengths[lengths > 0],
            n_words=n_words,
            topic_word_prior=topic_word_prior,
        )

    @cached_property
    def word_probabilities(self) -> NDArray[np.float64]:
        """Probability of each word of the vocabulary at any position of a document.

        The topic is drawn anew for every position from the same shares, so word and topic need no
        two draws: the word's distribution is the mixture of the topics'.
        """
        n_unseen = self.n_words - len(self.words)
        mass = self.components.sum(axis=1) + n_unseen * self.topic_word_prior
        topic_weights = self.topic_shares / mass
        probabilities = np.full(self.n_words, topic_weights.sum() * self.topic_word_prior)
        probabilities[self.words] = topic_weights @ self.components
        return probabilities

    def draw(self, n: int, rng: np.random.Generator) -> sparse.csr_array:
        """Draw the word counts of `n` documents.

        A length is drawn from the class's numbers of distinct words, then a topic and a word for
        every position.
        """
        lengths = rng.choice(self.lengths, size=n)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        cumulative = np.cumsum(self.word_probabilities)
        # Rounding leaves the total a little off 1; scaling the draws keeps them in range.
        drawn = rng.random(offsets[-1]) * cumulative[-1]
        ids = np.searchsorted(cumulative, drawn, side="right")
        counts = sparse.csr_array(
            (np.ones(len(ids), dtype=np.int64), ids.astype(np.int32), offsets),
            shape=(n, self.n_words),
        )
        counts.sum_duplicates()
        return counts


def _compiled(function: _F) -> _F:
    """Compile with numba; sums may be reordered, which lets them use vector instructions."""
    options: Any = {"nogil": True, "fastmath": {"reassoc", "contract", "nsz", "arcp"}}
    try:
        return numba.njit(cache=True, **options)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache is writable
        return numba.njit(**options)(function)


@_compiled
def _exp_digamma(x: float) -> float:
    """Return exp(digamma(x)) for x > 0, to a relative error of about 1e-11.

    Six steps of digamma(x) = digamma(x + 1) - 1 / x, their fractions added up in pairs, lead to
    where exp(digamma(z + 1/2)) = z + 1/(24 z) - 37/(5760 z^3) + ... is exact enough.
    """
    q = x * (x + 5.0)
    a = q + 4.0
    b = q + 6.0
    steps = (2.0 * x + 5.0) * (a * b + q * b + q * a) / (q * a * b)
    z = x + 5.5
    r = 1.0 / z
    s = r * r
    tail = 1 / 24 - s * (37 / 5760 - s * (10313 / 2903040 - s * (5509121 / 1393459200)))
    return (z + r * tail) * np.exp(-steps)


@_compiled
def _expected_weights(
    components: NDArray[np.float64], unseen_mass: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return exp(E[log of topic-word probability]) on the class's words, words by topics."""
    n_words, n_topics = components.shape
    scale = unseen_mass.copy()
    for w in range(n_words):
        for k in range(n_topics):
            scale[k] += components[w, k]
    for k in range(n_topics):
        scale[k] = 1.0 / _exp_digamma(scale[k])
    weights = np.empty_like(components)
    for w in range(n_words):
        for k in range(n_topics):
            weights[w, k] = _exp_digamma(components[w, k]) * scale[k]
    return weights


@_compiled
def _e_step(  # noqa: PLR0912  one loop nest, kept whole for the compiler
    indptr: NDArray[np.int64],
    words: NDArray[np.int64],
    counts: NDArray[np.float64],
    weights: NDArray[np.float64],
    document_topics: NDArray[np.float64],
    alpha: float,
) -> NDArray[np.float64]:
    """Update the topics of each document in place and return the sufficient statistics."""
    n_topics = weights.shape[1]
    statistics = np.zeros_like(weights)
    theta = np.empty(n_topics)
    update = np.empty(n_topics)
    for d in range(len(indptr) - 1):
        topics = document_topics[d]
        total = 0.0
        for k in range(n_topics):
            theta[k] = _exp_digamma(topics[k])
            total += topics[k]
        scale = 1.0 / _exp_digamma(total)
        for k in range(n_topics):
            theta[k] *= scale
        for _ in range(_MAX_UPDATES):
            for k in range(n_topics):
                update[k] = 0.0
            for t in range(indptr[d], indptr[d + 1]):
                row = weights[words[t]]
                norm = _EPS
                for k in range(n_topics):
                    norm += theta[k] * row[k]
                ratio = counts[t] / norm
                for k in range(n_topics):
                    update[k] += ratio * row[k]
            change = 0.0
            total = 0.0
            for k in range(n_topics):
                value = theta[k] * update[k] + alpha
                change += abs(value - topics[k])
                total += value
                topics[k] = value
                theta[k] = _exp_digamma(value)
            scale = 1.0 / _exp_digamma(total)
            for k in range(n_topics):
                theta[k] *= scale
            if change < _TOLERANCE * n_topics:
                break
        for t in range(indptr[d], indptr[d + 1]):
            row = weights[words[t]]
            norm = _EPS
            for k in range(n_topics):
                norm += theta[k] * row[k]
            ratio = counts[t] / norm
            for k in range(n_topics):
                statistics[words[t], k] += theta[k] * ratio
    return statistics
