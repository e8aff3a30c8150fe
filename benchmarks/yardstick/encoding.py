"""Vectors of the encoder that contestants share: each text is encoded once, before the clock."""

import time
from collections.abc import Iterable
from functools import cache

import numpy as np

from imbtext.features.encoders import Encoder, get_encoder

TOKENS = 128  # what imbtext reads of texts of up to 1,000 characters
TIMED = 200


@cache
def opened(name: str) -> Encoder:
    """Return an encoder; its vectors are kept in the folder that IMBTEXT_CACHE names."""
    return get_encoder(name).reading(TOKENS)


def vectors(name: str, texts: list[str]) -> np.ndarray:
    """Return the vectors of texts."""
    return opened(name).encode(texts)


def seconds_per_text(name: str, texts: Iterable[str]) -> float:
    """Encode texts, so that their vectors are kept; return the processor time of one.

    The time is that of some of them anew: vectors of an earlier run may be kept already.
    """
    distinct = sorted(set(texts))
    vectors(name, distinct)
    some = np.random.default_rng(0).permutation(distinct)[:TIMED].tolist()
    fresh = get_encoder(name, cache=False).reading(TOKENS)
    fresh.encode(some[:1])
    start = time.process_time()
    fresh.encode(some)
    return (time.process_time() - start) / len(some)
