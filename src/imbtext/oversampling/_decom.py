"""DECOM and DECODER: word counts drawn from a topic model of the class.

The topics are those of latent Dirichlet allocation. The algorithm is scikit-learn's batch
variational Bayes, step for step and draw for draw: with the same random state it ends at the same
topics as ``LatentDirichletAllocation`` fitted over the whole vocabulary (the tests hold it to
that). It is written again because two things save almost all of the time. Words that the class
never uses keep exactly the prior in every topic, so only the words of the class are carried, and
one number a topic stands for all others. And the E-step, a Python loop over documents in
scikit-learn, is compiled.
"""

import numbers
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_non_negative

from imbtext._svm import for_liblinear
from imbtext._typing import Array, Label, LabelsLike, Matrix, RandomState, SamplingStrategy
from imbtext.documents._corpus import offsets_of
from imbtext.oversampling._sampler import New, Replaced, Request, Sampler
from imbtext.randomness import keyed_generator, keyed_random_state


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
        from imbtext.oversampling import _decom_kernels as kernels

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


class DECOM(Sampler):
    """Oversample count vectors with a topic model of each class.

    Latent Dirichlet allocation is fitted to the documents of the class. A synthetic document
    draws its length from the class's numbers of distinct words, then a topic and a word for each
    position. The prior of the topics covers the whole vocabulary, so words that the class never
    used turn up, all with the same small probability.

    Parameters
    ----------
    n_topics : int, default=30
        Number of topics.
    doc_topic_prior : float, default=None
        alpha of the documents' topic weights; None is 50 / `n_topics`, as published.
    topic_word_prior : float, default=0.01
        beta of the topics' word weights.
    max_iter : int, default=300
        Number of EM steps.
    smooth : bool, default=False
        True is DECODER: the original documents of an oversampled class are replaced by draws from
        the model, too.
    sampling_strategy : float, str, dict or callable, default="auto"
        As in imbalanced-learn.
    random_state : int, RandomState instance or None, default=None
        The same integer gives the same rows.

    Attributes
    ----------
    topic_models_ : dict
        The `TopicModel` of each oversampled class.
    is_synthetic_ : ndarray of bool
        Whether a row was drawn.
    sample_indices_ : ndarray of int64
        The input row that each row is; -1 for rows that were drawn.
    n_generated_ : dict
        Number of rows added to each class.

    See Also
    --------
    imbtext.EMCO : Draws documents as word sequences, with words of the majority where they fit.

    Notes
    -----
    `X` holds word counts, so the sampler stands between ``CountVectorizer`` and
    ``TfidfTransformer`` in a pipeline. The topics are those of scikit-learn's
    ``LatentDirichletAllocation`` with the same random state.

    References
    ----------
    E. Chen, Y. Lin, H. Xiong, Q. Luo and H. Ma, "Exploiting probabilistic topic models to improve
    text categorization under class imbalance", Information Processing and Management, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 1, 1], [0, 0, 2, 1], [0, 1, 1, 1]])
    >>> y = np.array([1, 1, 0, 0, 0])
    >>> X_resampled, y_resampled = DECOM(random_state=0).fit_resample(X, y)
    >>> X_resampled.shape, y_resampled.tolist()
    ((6, 4), [1, 1, 0, 0, 0, 1])
    >>> int(X_resampled[5].sum())
    2
    """

    space = "counts"
    title = "DECOM"
    in_names = ("n_topics",)

    _parameter_constraints = {
        **Sampler._parameter_constraints,
        "n_topics": [Interval(numbers.Integral, 1, None, closed="left")],
        "doc_topic_prior": [None, Interval(numbers.Real, 0, None, closed="neither")],
        "topic_word_prior": [Interval(numbers.Real, 0, None, closed="neither")],
        "max_iter": [Interval(numbers.Integral, 1, None, closed="left")],
        "smooth": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        n_topics: int = 30,
        doc_topic_prior: float | None = None,
        topic_word_prior: float = 0.01,
        max_iter: int = 300,
        smooth: bool = False,
        sampling_strategy: SamplingStrategy = "auto",
        random_state: RandomState = None,
    ) -> None:
        self.n_topics = n_topics
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.max_iter = max_iter
        self.smooth = smooth
        self.sampling_strategy = sampling_strategy
        self.random_state = random_state

    def _check_X_y(  # noqa: N802
        self, X: Matrix, y: LabelsLike, accept_sparse: object = None
    ) -> tuple[Matrix, Array, bool]:
        checked = super()._check_X_y(X, y, accept_sparse)
        check_non_negative(checked[0], "DECOM, which works on word counts")
        return checked

    def _fit_resample(self, X: Matrix, y: Array, **params: object) -> tuple[Matrix, Array]:
        self.topic_models_: dict[Label, TopicModel] = {}
        result, labels = super()._fit_resample(_checked_counts(X), y, **params)
        dense = not sparse.issparse(X)
        result = result.astype(X.dtype)
        return result.toarray() if dense else type(X)(result), labels

    def _draw_class(self, request: Request) -> New:
        self.topic_models_[request.label] = self._topic_model(request)
        return self.draw(request)

    def draw(self, request: Request) -> New:
        """Draw counts from the topic model of the class; with `smooth`, its own documents, too."""
        model, rows = self._topic_model(request), request.rows
        generator = keyed_generator(request.seed, request.stream, block=1)
        new = model.draw(request.n, generator)
        redrawn = None
        if self.smooth:
            redrawn = Replaced(rows, model.draw(len(rows), generator), is_drawn=True)
        return New(np.full(request.n, -1), new, redrawn)

    def _topic_model(self, request: Request) -> TopicModel:
        settings = (self.n_topics, self.doc_topic_prior, self.topic_word_prior, self.max_iter)
        seed, stream = request.seed, request.stream
        return request.cache.of_class(
            request.rows,
            # Fitting takes nearly all the time, so a second share with the same seed shares it.
            ("topic model", settings, seed, stream),
            lambda: TopicModel.fit(
                request.documents[request.rows],
                keyed_random_state(seed, stream),
                n_topics=self.n_topics,
                doc_topic_prior=self.doc_topic_prior,
                topic_word_prior=self.topic_word_prior,
                max_iter=self.max_iter,
            ),
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def _checked_counts(X: Matrix) -> sparse.csr_array:
    counts = sparse.csr_array(X)
    if counts.nnz and np.any(counts.data != np.rint(counts.data)):
        raise ValueError(
            "X has fractional values, but DECOM works on word counts; "
            "put it right after CountVectorizer, before any weighting such as tf-idf"
        )
    return counts
