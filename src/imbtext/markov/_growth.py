"""How many distinct words a text has when so many of its tokens are read, and Heaps' law.

A `GrowthCurve` counts what a text does; Heaps' law says that a text of A tokens has about
``k * A ** theta`` distinct words, and `fit_heaps` finds the two constants of a curve.
"""

from dataclasses import dataclass
from numbers import Integral
from statistics import NormalDist
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln
from sklearn.utils import check_random_state

from imbtext._typing import DocumentsLike, RandomState
from imbtext.documents import Corpus, Documents, Tokenizer


@dataclass(frozen=True, eq=False)
class GrowthCurve:
    """Distinct words against tokens read.

    Attributes
    ----------
    tokens : ndarray of float64
        Tokens read, never decreasing; an average where documents were shuffled.
    words : ndarray of float64
        Distinct words among them, averaged over the shuffles.
    spread : ndarray of float64
        Standard deviation of `words` over the shuffles; 0 for a single order.
    shuffles : int
        How many orders were averaged; 0 is the order given.
    """

    tokens: NDArray[np.float64]
    words: NDArray[np.float64]
    spread: NDArray[np.float64]
    shuffles: int

    def __len__(self) -> int:
        return len(self.tokens)

    def thin(self, n: int = 200) -> Self:
        """Return at most `n` points of the curve, the last among them: enough for a chart."""
        if n < 2:
            raise ValueError(f"n is {n}; a thinned curve keeps 2 points or more")
        if len(self) <= n:
            return self
        kept = np.unique(np.linspace(0, len(self) - 1, n).round().astype(np.int64))
        return type(self)(self.tokens[kept], self.words[kept], self.spread[kept], self.shuffles)


def growth_curve(
    documents: DocumentsLike | Corpus,
    *,
    tokenizer: Tokenizer | None = None,
    shuffles: int = 10,
    at: Literal["documents", "tokens"] | ArrayLike = "documents",
    random_state: RandomState = 0,
) -> GrowthCurve:
    """Count the distinct words as documents are read one after the other.

    Parameters
    ----------
    documents : Corpus or container of documents
        Strings or token lists in any container, or documents already encoded.
    tokenizer : callable, optional
        Splits strings; by default scikit-learn's token pattern, lower-cased.
    shuffles : int, default=10
        Orders of the documents to average over. 0 reads them once, in the order given.
    at : {"documents", "tokens"} or array of int, default="documents"
        Where to take the points: after each document, after each token, or after the given
        numbers of tokens (at most as many as there are). Documents are shuffled whole, so the
        number of tokens after so many documents is an average too.
    random_state : int, RandomState instance or None, default=0
        Controls the shuffles. Fixed by default, so that a corpus has one curve.

    Returns
    -------
    GrowthCurve
        The curve; both of its coordinates never decrease.

    Examples
    --------
    >>> curve = growth_curve(["oil up", "oil down", "oil up and down"], shuffles=0)
    >>> curve.tokens.tolist(), curve.words.tolist()
    ([2.0, 4.0, 8.0], [2.0, 3.0, 4.0])
    """
    corpus = as_corpus(documents, tokenizer)
    if not isinstance(shuffles, Integral) or shuffles < 0:
        raise ValueError(
            f"shuffles is {shuffles}; give 0 to keep their order, or how many orders to average"
        )
    if not corpus.n_tokens:
        raise ValueError(
            f"the {corpus.n_documents} documents have no word, so there is no vocabulary to grow; "
            "check the documents and the tokenizer"
        )
    fixed = None if isinstance(at, str) and at == "documents" else _token_counts(at, corpus)
    random = check_random_state(random_state)
    n_points = corpus.n_documents if fixed is None else len(fixed)
    tokens, words, squares = np.zeros((3, n_points))
    for shuffle in range(max(1, shuffles)):
        ordered = corpus.select(random.permutation(corpus.n_documents)) if shuffles else corpus
        ends = ordered.offsets[1:] if fixed is None else fixed
        seen = np.searchsorted(_first_positions(ordered), ends)
        tokens += ends
        # Welford's update: sums of squares of large counts would cancel.
        step = seen - words
        words += step / (shuffle + 1)
        squares += step * (seen - words)
    n_orders = max(1, shuffles)
    return GrowthCurve(tokens / n_orders, words, np.sqrt(squares / n_orders), shuffles)


def rarefied_words(word_counts: ArrayLike, tokens: ArrayLike) -> NDArray[np.float64]:
    """Return the expected number of distinct words among tokens drawn from a bag of words.

    The exact average over all orders of the single tokens. It needs no documents but only how often
    each word occurs, which adds up over pieces of a corpus. As words come in clumps within a
    document, it grows a little faster than :func:`growth_curve` does.

    Parameters
    ----------
    word_counts : array of int
        Occurrences of each word.
    tokens : array of float
        Sizes between 0 and the number of occurrences in all.

    Examples
    --------
    >>> rarefied_words([2, 1, 1], [0, 1, 4]).round(6).tolist()
    [0.0, 1.0, 3.0]
    """
    counts = np.asarray(word_counts)
    occurrences, n_words = np.unique(counts[counts > 0], return_counts=True)
    total = float(occurrences @ n_words)
    drawn = np.atleast_1d(np.asarray(tokens, dtype=np.float64))
    if not ((drawn >= 0) & (drawn <= total)).all():
        raise ValueError(
            f"tokens range from {drawn.min():g} to {drawn.max():g}; expected numbers from 0 to "
            f"{total:g}, the occurrences of all words"
        )
    # A word is missed with probability C(total - occurrences, drawn) / C(total, drawn).
    rest = (total - occurrences)[:, None]
    possible = np.maximum(rest - drawn, 0.0)
    log_missed = (
        gammaln(rest + 1) - gammaln(possible + 1) - gammaln(total + 1) + gammaln(total - drawn + 1)
    )
    missed = np.where(rest >= drawn, np.exp(log_missed), 0.0)
    return n_words @ (1.0 - missed)


def as_corpus(documents: DocumentsLike | Corpus, tokenizer: Tokenizer | None = None) -> Corpus:
    """Take a corpus as it is and encode documents from any other container."""
    if isinstance(documents, Corpus):
        return documents
    return Documents.of(documents, "documents").corpus(tokenizer)


def _first_positions(corpus: Corpus) -> NDArray[np.int64]:
    """Return where each word occurs for the first time, in increasing order."""
    first = np.full(corpus.n_words, -1, dtype=np.int64)
    # Of several assignments to one place the last one stays: read backwards, that is the first.
    first[corpus.ids[::-1]] = np.arange(corpus.n_tokens - 1, -1, -1)
    return np.sort(first[first >= 0])


def _token_counts(at: ArrayLike, corpus: Corpus) -> NDArray[np.int64]:
    if isinstance(at, str) and at == "tokens":
        return np.arange(1, corpus.n_tokens + 1)
    counts = np.asarray(at)
    if counts.ndim != 1 or not np.issubdtype(counts.dtype, np.integer) or not counts.size:
        raise ValueError(
            f"at is {at!r:.60}; give 'documents', 'tokens' or a list of whole numbers of tokens"
        )
    if counts.min() < 0 or counts.max() > corpus.n_tokens or np.any(np.diff(counts) < 0):
        raise ValueError(
            f"at ranges from {counts.min()} to {counts.max()}; give numbers of tokens in "
            f"increasing order, from 0 to {corpus.n_tokens}, the tokens that there are"
        )
    return counts.astype(np.int64)


@dataclass(frozen=True)
class HeapsLaw:
    """Heaps' law with its two constants.

    Examples
    --------
    >>> law = HeapsLaw(k=2.0, theta=0.5)
    >>> law.words([100, 400]).tolist()
    [20.0, 40.0]
    >>> law.through(tokens=100, words=10)
    HeapsLaw(k=1.0, theta=0.5)
    """

    k: float
    theta: float

    def words(self, tokens: ArrayLike) -> NDArray[np.float64]:
        """Return the distinct words that the law expects among this many tokens."""
        return self.k * np.asarray(tokens, dtype=np.float64) ** self.theta

    def through(self, tokens: float, words: float) -> Self:
        """Return the law with the same theta that passes through a point."""
        if tokens <= 0 or words <= 0:
            raise ValueError(
                f"no law passes through {words:g} words among {tokens:g} tokens; "
                "both must be above 0"
            )
        return type(self)(words / tokens**self.theta, self.theta)


@dataclass(frozen=True, eq=False)
class HeapsFit:
    """Heaps' law fitted to a growth curve.

    Attributes
    ----------
    law : HeapsLaw
        The fitted law.
    k_interval, theta_interval : tuple of float
        Confidence intervals.
    confidence : float
        Their level.
    tokens, residuals : ndarray of float64
        The points that were fitted and ``log(words) - log(law)`` at each: a trend in them says that
        the text does not follow the law.
    """

    law: HeapsLaw
    k_interval: tuple[float, float]
    theta_interval: tuple[float, float]
    confidence: float
    tokens: NDArray[np.float64]
    residuals: NDArray[np.float64]

    @property
    def k(self) -> float:
        """The law's factor."""
        return self.law.k

    @property
    def theta(self) -> float:
        """The law's exponent."""
        return self.law.theta

    @property
    def rmse(self) -> float:
        """Root mean square of the residuals; 0.05 is about five percent of the words."""
        return float(np.sqrt(np.mean(self.residuals**2)))


def fit_heaps(
    curve: GrowthCurve | DocumentsLike,
    *,
    confidence: float = 0.95,
    tokenizer: Tokenizer | None = None,
) -> HeapsFit:
    """Fit Heaps' law by least squares of ``log(words)`` on ``log(tokens)``.

    This is the fit that gives the paper's figures for Reuters (k about 63, theta about 0.378): a
    curve with a point after each document of the full training articles, in the order given.

    Parameters
    ----------
    curve : GrowthCurve or documents
        What to fit; :func:`growth_curve` reads documents with its defaults. Where the
        points lie matters, as no text follows the law exactly: points after every document, as
        there, weigh large sizes more than small ones.
    confidence : float, default=0.95
        Level of the intervals.
    tokenizer : callable, optional
        Splits documents that are strings.

    Returns
    -------
    HeapsFit
        The law, its intervals and residuals.

    Notes
    -----
    Points of a growth curve are far from independent: each counts the words of all before it. The
    intervals take that into account. They treat new words as a Poisson process with the fitted law
    as its mean. The count at one size contains the counts at all smaller sizes, and that covariance
    goes through the least squares. The intervals say how well a text of this size determines the
    two constants if it follows the law. The residuals say whether it does.

    Examples
    --------
    >>> tokens = np.array([10.0, 100.0, 1000.0])
    >>> fit = fit_heaps(GrowthCurve(tokens, 2 * tokens**0.5, np.zeros(3), 0))
    >>> round(fit.k, 6), round(fit.theta, 6)
    (2.0, 0.5)
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}; give a number between 0 and 1, such as 0.95")
    if not isinstance(curve, GrowthCurve):
        curve = growth_curve(curve, tokenizer=tokenizer)
    counted = curve.tokens > 0
    tokens, words = curve.tokens[counted], curve.words[counted]
    n_sizes = len(np.unique(tokens))
    if n_sizes < 3:
        raise ValueError(
            f"the curve has {n_sizes} different size{'s' * (n_sizes != 1)}, and Heaps' law needs 3 "
            "or more to be fitted; use more documents, or growth_curve(..., at='tokens')"
        )
    x, y = np.log(tokens), np.log(words)
    design = np.column_stack([np.ones_like(x), x])
    weights = np.linalg.pinv(design)
    log_k, theta = (float(value) for value in weights @ y)
    law = HeapsLaw(float(np.exp(log_k)), theta)
    # A vocabulary that does not grow leaves theta without variance, up to rounding.
    errors = np.sqrt(np.maximum(np.diag(_covariance(weights, law.words(tokens))), 0.0))
    half = NormalDist().inv_cdf(0.5 + confidence / 2) * errors
    return HeapsFit(
        law=law,
        k_interval=(float(np.exp(log_k - half[0])), float(np.exp(log_k + half[0]))),
        theta_interval=(float(theta - half[1]), float(theta + half[1])),
        confidence=confidence,
        tokens=tokens,
        residuals=y - design @ np.array([log_k, theta]),
    )


def _covariance(weights: NDArray[np.float64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``weights @ omega @ weights.T`` with ``omega[i, j] = 1 / mean[max(i, j)]``.

    That is the covariance of the logarithms of a Poisson process at points in increasing order. The
    sums over pairs are cumulative ones, so no matrix of points by points is made.
    """
    before = np.cumsum(weights, axis=1) - weights
    scaled = weights / mean
    cross = scaled @ before.T
    return cross + cross.T + scaled @ weights.T
