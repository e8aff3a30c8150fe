"""The vocabulary that a chain is expected to use, without drawing a single document."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from imbtext.markov import MarkovChain

# Once the distribution over states moves less than this from word to word, it is taken as settled
# for the rest of the document: chains of text settle within a few dozen words.
_SETTLED = 1e-4


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
