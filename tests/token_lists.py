"""Documents for tests of growth: small lists of tokens, and text that grows by Heaps' law."""

import numpy as np
from hypothesis import strategies as st

from imbtext.documents import Corpus
from imbtext.markov import HeapsLaw

TOKEN_LISTS = st.lists(
    st.lists(st.sampled_from(list("abcdefghij")), max_size=8), min_size=1, max_size=12
).filter(any)


def heaps_text(k, theta, n_tokens, rng, document_length=20):
    """Text in which token A is a new word with the probability by which the law grows there.

    Where the law asks for more words than there are tokens, every token is a new word.
    """
    sizes = np.arange(n_tokens + 1)
    law = np.minimum(sizes, HeapsLaw(k, theta).words(sizes))
    is_new = rng.random(n_tokens) < np.diff(law)
    n_seen = np.cumsum(is_new)
    ids = np.where(is_new, n_seen - 1, (rng.random(n_tokens) * n_seen).astype(np.int64))
    words = np.array([f"w{i}" for i in range(n_seen[-1])], dtype=object)
    offsets = np.arange(0, n_tokens + 1, document_length)
    return Corpus(ids.astype(np.int32), offsets, words)
