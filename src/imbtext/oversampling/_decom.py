"""DECOM and DECODER: word counts drawn from a topic model of the class."""

import numbers

import numpy as np
from scipy import sparse
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_non_negative

from imbtext._typing import Array, Label, LabelsLike, Matrix, RandomState, SamplingStrategy
from imbtext.oversampling._sampler import New, Replaced, Request, Sampler
from imbtext.oversampling._topic_model import TopicModel
from imbtext.randomness import keyed_generator, keyed_random_state


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
    ``LatentDirichletAllocation``, see `imbtext.oversampling._topic_model`.

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
    of_words = True

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
