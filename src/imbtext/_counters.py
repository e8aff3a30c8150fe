"""Compiled random numbers: SplitMix64 used as a counter.

The k-th number of a document is a hash of (seed, stream, document, k). No state is shared, so any
document can be drawn alone, in any order, on any thread, and comes out the same.

It is not part of :mod:`imbtext.randomness`, and only kernels import it, because numba takes a while
to load.
"""

from typing import Final

import numpy as np

from imbtext._compilation import compiled

STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_UNIT: Final = 2.0**-53


@compiled
def mix(z: np.uint64) -> np.uint64:
    """Return SplitMix64's finaliser of z, a bijection on 64 bits."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@compiled
def document_key(seed: np.uint64, stream: np.uint64, document: np.uint64) -> np.uint64:
    """Return where the random numbers of a document begin."""
    key = mix(seed + STEP)
    key = mix(key ^ mix(stream + np.uint64(2) * STEP))
    return mix(key ^ mix(document + np.uint64(3) * STEP))


@compiled
def unit(counter: np.uint64) -> float:
    """Return the number of a counter in [0, 1)."""
    return np.float64(mix(counter) >> np.uint64(11)) * _UNIT
