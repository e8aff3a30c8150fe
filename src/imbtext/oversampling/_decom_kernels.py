"""The compiled loops of DECOM's topic model: the E-step, nothing else."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from imbtext._compilation import compiled

_EPS = float(np.finfo(np.float64).eps)
# How scikit-learn stops the update of a document.
_MAX_UPDATES = 100
_TOLERANCE = 1e-3


# Sums may be reordered, which lets them use vector instructions.
_compiled = partial(compiled, fastmath={"reassoc", "contract", "nsz", "arcp"})


@_compiled
def exp_digamma(x: float) -> float:
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
    return float((z + r * tail) * np.exp(-steps))


@_compiled
def expected_weights(
    components: NDArray[np.float64], unseen_mass: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return exp(E[log of topic-word probability]) on the class's words, words by topics."""
    n_words, n_topics = components.shape
    scale = unseen_mass.copy()
    for w in range(n_words):
        for k in range(n_topics):
            scale[k] += components[w, k]
    for k in range(n_topics):
        scale[k] = 1.0 / exp_digamma(scale[k])
    weights = np.empty_like(components)
    for w in range(n_words):
        for k in range(n_topics):
            weights[w, k] = exp_digamma(components[w, k]) * scale[k]
    return weights


@_compiled
def e_step(  # noqa: PLR0912  one loop nest, kept whole for the compiler
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
            theta[k] = exp_digamma(topics[k])
            total += topics[k]
        scale = 1.0 / exp_digamma(total)
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
                theta[k] = exp_digamma(value)
            scale = 1.0 / exp_digamma(total)
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
