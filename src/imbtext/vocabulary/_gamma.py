"""The gamma with which the vocabulary of a class grows as Heaps' law predicts."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from imbtext.markov import MarkovChain, TransitionCounts
from imbtext.vocabulary._expected import expected_vocabulary
from imbtext.vocabulary._growth import rarefied_words
from imbtext.vocabulary._heaps import HeapsLaw

# Below this, extrapolated words are too rare to matter, and gamma is 0.
_SMALLEST_GAMMA = 1e-5
# Vocabularies hardly differ between gammas this close (in orders of magnitude).
_PRECISION = 0.01
_FITTED_POINTS = 20


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

    The law passes through the class's own point (its tokens, its words), as a class has fewer
    words than a mixture of all classes of that size. Its theta comes from the whole corpus, fitted
    by least squares over the sizes in question: from the size of the class as it is to the size it
    will have. No text follows one power law from ten tokens to a million, and a theta fitted at
    the wrong end is wrong by factors. On classes of Reuters that were cut down to a few documents,
    this prediction of their true vocabulary was closer than that of one law for the whole corpus,
    anchored or not, and than that of a law fitted on the class itself.

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
        raise ValueError("the class has no document with a word in it; no law can start from it")
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
