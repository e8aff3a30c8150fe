"""Vocabulary growth: how many distinct words a number of tokens has.

A `GrowthCurve` counts what a text does; Heaps' law says that a text of A tokens has about
``k * A ** theta`` distinct words.
"""

from dataclasses import dataclass
from numbers import Integral
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln
from sklearn.utils import check_random_state

from imbtext._typing import DocumentsLike, RandomState
from imbtext.documents._corpus import Corpus
from imbtext.documents._documents import Documents
from imbtext.documents._tokenization import Tokenizer


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
        number of tokens after a number of documents is an average too.
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
    if isinstance(documents, Corpus):
        corpus = documents
    else:
        corpus = Documents.of(documents, name="documents").corpus(tokenizer)
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
