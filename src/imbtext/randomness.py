"""The one home of randomness: seeds, streams, and the generators keyed by them.

This package has no global seed. What a user passes as ``random_state`` becomes one seed here, and a
class, a document or a solver draws from a stream of that seed. Compiled counters draw documents
(:mod:`imbtext._counters`, a separate module because numba takes a while to load). NumPy and
scikit-learn draw from a Philox generator with the key (seed, stream).
"""

import hashlib

import numpy as np

from imbtext._typing import RandomState

__all__ = [
    "draw_estimator_seed",
    "draw_seed",
    "keyed_generator",
    "keyed_random_state",
    "seed_of_names",
]


def draw_seed(random_state: RandomState) -> int:
    """Return a 63-bit seed from whatever scikit-learn accepts as `random_state`.

    Examples
    --------
    >>> draw_seed(0) == draw_seed(0) != draw_seed(1)
    True
    """
    return int(_random_state(random_state).randint(0, 2**63 - 1, dtype=np.int64))


def draw_estimator_seed(random_state: RandomState) -> int:
    """Return a seed of 31 bits, the width that estimators of other packages take."""
    return int(_random_state(random_state).randint(2**31 - 1))


def keyed_generator(seed: int, stream: int, block: int = 0) -> np.random.Generator:
    """Return NumPy's generator for a stream of a seed, both of up to 64 bits.

    Generators of one key that must not overlap start in different blocks.

    Examples
    --------
    >>> keyed_generator(1, 2).integers(10, size=3).tolist()
    [7, 3, 1]
    """
    return np.random.Generator(_philox(seed, stream, block))


def keyed_random_state(seed: int, stream: int) -> np.random.RandomState:
    """Return scikit-learn's kind of generator for a stream of a seed."""
    return np.random.RandomState(_philox(seed, stream))


def _random_state(random_state: RandomState) -> np.random.RandomState:
    # Imported here: networks draw their weights on machines that have NumPy and torch alone.
    from sklearn.utils import check_random_state

    state: np.random.RandomState = check_random_state(random_state)
    return state


def _philox(seed: int, stream: int, block: int = 0) -> np.random.Philox:
    return np.random.Philox(key=np.array([seed, stream], dtype=np.uint64), counter=block * 2**64)


def seed_of_names(*names: object) -> int:
    """Return a seed of 31 bits from the names that identify a piece of work.

    Examples
    --------
    >>> seed_of_names(42, "reuters", 0) == seed_of_names(42, "reuters", 0)
    True
    """
    raw = "|".join(map(str, names)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(raw, digest_size=4).digest()) >> 1
