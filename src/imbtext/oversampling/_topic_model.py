"""DECOM's topic model: latent Dirichlet allocation of one class.

The algorithm is scikit-learn's batch variational Bayes, step for step and draw for draw: with the
same random state it ends at the same topics as ``LatentDirichletAllocation`` fitted over the whole
vocabulary (the tests hold it to that). It is written again because two things save almost all of
the time. Words that the class never uses keep exactly the prior in every topic, so only the words
of the class are carried, and one number a topic stands for all others. And the E-step, a Python
loop over documents in scikit-learn, is compiled.

Only DECOM uses this. It stands alone because it knows nothing of samplers.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext._svm import for_liblinear
from imbtext.documents._corpus import offsets_of


@dataclass(frozen=True, eq=False)
class TopicModel:
    """The topics of a class, and everything needed to draw documents from them.

    Attributes
    ----------
    words : ndarray of int64
        The words that the class uses, as columns of the counts.
    components : ndarray of float64, shape (n_topics, len(words))
        The weight of each of these words in each topic; every other word has `topic_word_prior`.
    topic_shares : ndarray of float64
        The share of each topic in all documents.
    lengths : ndarray of int64
        The number of distinct words of each document that has words.
    n_words : int
        Size of the whole vocabulary.
    topic_word_prior : float
        The published beta.
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

        The priors are alpha (None is 50 / `n_topics`) and beta; `max_iter` is the number of EM
        steps.
        """
        counts = sparse.csr_array(counts.astype(np.float64))
        counts.sum_duplicates()
        counts.eliminate_zeros()
        if not counts.nnz:
            raise ValueError(
                f"none of the {counts.shape[0]} documents of the class has a known word, so there "
                "is no topic to learn; drop such documents or widen the vocabulary"
            )
        # numba takes a third of a second to import: only when a model is fitted.
        from imbtext.oversampling import _topic_kernels as kernels

        alpha = 50.0 / n_topics if doc_topic_prior is None else doc_topic_prior
        n_documents, n_words = counts.shape
        words, columns = np.unique(counts.indices, return_inverse=True)
        n_unseen = n_words - len(words)
        bags = (counts.indptr.astype(np.int64), columns.astype(np.int64), counts.data)

        start = random_state.gamma(100.0, 0.01, (n_topics, n_words))
        unseen_mass = start.sum(axis=1) - start[:, words].sum(axis=1)
        components = np.ascontiguousarray(start[:, words].T)
        for _ in range(max_iter):
            weights = kernels.expected_weights(components, unseen_mass)
            first = random_state.gamma(100.0, 0.01, (n_documents, n_topics))
            components = kernels.e_step(*bags, weights, first, alpha)
            components *= weights
            components += topic_word_prior
            unseen_mass = np.full(n_topics, n_unseen * topic_word_prior)
        weights = kernels.expected_weights(components, unseen_mass)
        document_topics = np.ones((n_documents, n_topics))
        kernels.e_step(*bags, weights, document_topics, alpha)
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

        Every position draws its topic anew from the same shares, so one draw is enough: the word's
        distribution is the mixture of the topics.
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
        offsets = offsets_of(lengths)
        cumulative = np.cumsum(self.word_probabilities)
        # Rounding leaves the total a little off 1; scaling the draws keeps them in range.
        drawn = rng.random(offsets[-1]) * cumulative[-1]
        ids = np.searchsorted(cumulative, drawn, side="right")
        ones = np.ones(len(ids), dtype=np.int64)
        counts = for_liblinear(sparse.csr_array((ones, ids, offsets), shape=(n, self.n_words)))
        counts.sum_duplicates()
        return counts
