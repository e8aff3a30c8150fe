"""Vocabulary growth, Heaps' law, and the gamma that the law asks for.

A `GrowthCurve` counts the distinct words of a text as it is read; Heaps' law says that a text of A
tokens has about ``k * A ** theta`` of them. A chain gives how often each word will occur
(`expected_visits`), and so how many distinct words a class will use after oversampling
(`expected_vocabulary`). Heaps' law gives how many it should use at that size (`words_by_heaps`).
`gamma_by_heaps` chooses the gamma at which the two agree.
"""

import math
from dataclasses import dataclass
from numbers import Integral
from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import gammaln
from sklearn.utils import check_random_state

from imbtext._typing import DocumentsLike, RandomState
from imbtext.documents._corpus import Corpus
from imbtext.documents._documents import Documents
from imbtext.documents._tokenization import Tokenizer
from imbtext.markov._chain import MarkovChain
from imbtext.markov._counts import TransitionCounts

# Once the distribution over states moves less than this from word to word, it is taken as settled
# for the rest of the document: chains of text settle within a few dozen words.
_SETTLED = 1e-4
# Below this, extrapolated words are too rare to matter, and gamma is 0.
_SMALLEST_GAMMA = 1e-5
# Vocabularies hardly differ between gammas this close (in orders of magnitude).
_PRECISION = 0.01
_FITTED_POINTS = 20


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


def expected_visits(chain: MarkovChain) -> NDArray[np.float64]:
    """Return how often each word is expected to occur in one synthetic document.

    The distribution over the chain's states is carried from position to position; position t counts
    with the probability that a document is that long. Passing through ``<stop>`` writes no word and
    takes no position.

    Returns
    -------
    ndarray of float64, shape (n_words,)
        The sum is the mean length of the documents.

    Examples
    --------
    >>> from imbtext.documents import Corpus
    >>> from imbtext.markov import TransitionCounts
    >>> corpus = Corpus.from_tokens([["oil", "up"], ["oil", "price", "up"]])
    >>> counts = TransitionCounts.of(corpus)
    >>> chain = MarkovChain.extrapolate(counts, TransitionCounts.of(corpus.select([0])), gamma=1.0)
    >>> expected_visits(chain).tolist()  # oil, then price or up
    [1.0, 0.5, 0.5]
    """
    n_states = len(chain.indptr) - 1
    sources = np.repeat(np.arange(n_states), np.diff(chain.indptr))
    totals = np.bincount(sources, weights=chain.weights, minlength=n_states)
    probabilities = chain.weights / totals[sources]
    step = sparse.csr_array((probabilities, (chain.following, sources)), shape=(n_states, n_states))
    stop = chain.stop_state
    begin = np.zeros(n_states)
    begin[stop] = 1.0
    initial = np.asarray(step @ begin)
    # P(length >= t) for t = 1, 2, ...
    by_length = np.bincount(chain.lengths, weights=chain.length_counts)
    still_there = by_length[:0:-1].cumsum()[::-1] / by_length.sum()

    left = np.zeros(n_states)  # expected draws from each state
    state: NDArray[np.float64] = begin
    for t, share in enumerate(still_there):
        after = np.asarray(step @ state)
        leaving = state.copy()
        if t:
            leaving[stop] += after[stop]
            after += after[stop] * initial
            after[stop] = 0.0
        left += share * leaving
        if t and np.abs(after - state).sum() < _SETTLED:
            left += still_there[t + 1 :].sum() * leaving
            break
        state = after
    occurrences = np.bincount(
        chain.words, weights=probabilities * left[sources], minlength=chain.n_words + 1
    )
    return occurrences[: chain.n_words].astype(np.float64)


def expected_vocabulary(chain: MarkovChain, n_documents: int) -> float:
    """Return the expected number of distinct words in the class's and `n_documents` new documents.

    All words of the class, and each other word with the probability that the new documents use it:
    ``1 - exp(-expected occurrences)``. The chain never goes from one such word to another, so they
    occur apart from each other, close to a Poisson process.
    """
    occurrences = n_documents * expected_visits(chain)
    occurrences[chain.minority] = 0.0
    return len(chain.minority) + float(-np.expm1(-occurrences).sum())


def gamma_by_heaps(
    total: TransitionCounts,
    minority: TransitionCounts,
    n_new: int,
    *,
    word_ids: NDArray[np.int64] | None = None,
    law: HeapsLaw | None = None,
) -> float:
    """Choose gamma so that a class's vocabulary grows as Heaps' law predicts.

    The vocabulary of the class with its synthetic documents is expected from the chain
    (:func:`expected_vocabulary`); it grows with gamma. The gamma where it equals the prediction
    (:func:`words_by_heaps`) is found by root finding on a logarithmic scale: a few milliseconds, no
    trial runs, no randomness.

    Parameters
    ----------
    total, minority : TransitionCounts
        Counts of all documents and of those of the class.
    n_new : int
        Number of synthetic documents.
    word_ids : ndarray of int64, optional
        As for :meth:`MarkovChain.extrapolate`.
    law : HeapsLaw, optional
        As for :func:`words_by_heaps`.

    Returns
    -------
    float
        From 0 (the law predicts no new words) to 1 (it predicts as many as gamma 1 can bring, or
        more).
    """
    # scipy's optimisers take a while to import: only where a gamma is to be chosen.
    from scipy.optimize import brentq

    if n_new < 0:
        raise ValueError(f"n_new is {n_new}; ask for 0 or more synthetic documents")
    n_words = np.count_nonzero(minority.words)
    target = words_by_heaps(total, minority, n_new, law=law)
    if target <= n_words:
        return 0.0

    def excess(log_gamma: float) -> float:
        chain = MarkovChain.extrapolate(total, minority, 10.0**log_gamma, word_ids)
        return expected_vocabulary(chain, n_new) - target

    if excess(0.0) <= 0:
        return 1.0
    smallest = math.log10(_SMALLEST_GAMMA)
    if excess(smallest) >= 0:
        return 0.0
    return float(10.0 ** brentq(excess, smallest, 0.0, xtol=_PRECISION))


def words_by_heaps(
    total: TransitionCounts,
    minority: TransitionCounts,
    n_new: int,
    *,
    law: HeapsLaw | None = None,
) -> float:
    """Return how many words Heaps' law expects of a class grown by `n_new` documents.

    The law passes through the class's own point (its tokens, its words), as a class has fewer words
    than a mixture of all classes of that size. Its theta comes from the whole corpus, fitted by
    least squares over the sizes in question: from the size of the class as it is to the size it
    will have. No text follows one power law from ten tokens to a million, and a theta fitted at the
    wrong end is wrong by factors. We cut classes of Reuters down to a few documents and predicted
    their true vocabulary. This prediction was closer than one law for the whole corpus, anchored or
    not, and closer than a law fitted on the class itself.

    Parameters
    ----------
    total, minority : TransitionCounts
        Counts of all documents and of those of the class.
    n_new : int
        Number of documents to be added, as long as those of the class are on average.
    law : HeapsLaw, optional
        Take the theta of this law instead of fitting one.
    """
    tokens, words = int(minority.words.sum()), int(np.count_nonzero(minority.words))
    if not tokens:
        raise ValueError(
            "the class has no document with a word in it, so there is no vocabulary to grow"
        )
    grown = tokens + n_new * tokens / minority.n_documents
    if law is None:
        law = _law_between(total.words, tokens, grown)
    return float(law.through(tokens, words).words(grown))


def _law_between(word_counts: NDArray[np.int64], low: float, high: float) -> HeapsLaw:
    """Fit the law of a corpus between two sizes, as far as the corpus reaches."""
    n_tokens = float(word_counts.sum())
    # A class that outgrows the corpus goes on as the corpus ends.
    high = min(high, n_tokens)
    low = min(low, high / 2)
    tokens = np.geomspace(low, high, _FITTED_POINTS)
    theta, log_k = np.polyfit(np.log(tokens), np.log(rarefied_words(word_counts, tokens)), 1)
    return HeapsLaw(float(np.exp(log_k)), float(theta))
