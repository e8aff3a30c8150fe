"""Heaps' law, and what oversampling would do to a vocabulary.

A chain gives how often each word will occur (`expected_visits`), and so how many distinct words
the class will use (`expected_vocabulary`). Heaps' law gives how many it should use at that size
(`words_by_heaps`). `gamma_by_heaps` chooses the gamma at which the two agree.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext.markov._chain import MarkovChain
from imbtext.markov._counts import TransitionCounts
from imbtext.markov._growth import HeapsLaw, rarefied_words

# Once the distribution over states moves less than this from word to word, it is taken as settled
# for the rest of the document: chains of text settle within a few dozen words.
_SETTLED = 1e-4
# Below this, extrapolated words are too rare to matter, and gamma is 0.
_SMALLEST_GAMMA = 1e-5
# Vocabularies hardly differ between gammas this close (in orders of magnitude).
_PRECISION = 0.01
_FITTED_POINTS = 20


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
