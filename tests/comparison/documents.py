"""Documents of a rare class that shares most of its words with the rest."""

import numpy as np

RARE = ["crude", "barrel", "opec", "refinery", "tanker", "pipeline", "drilling", "brent"]
COMMON = ["rain", "sun", "goal", "match", "film", "actor", "bank", "vote", "law", "game", "song"]


def drawn(own_words, noise, noisy_words, n_words=8, seed=0):
    """A document for each list of words of its own; a word is a noisy one with that probability."""
    random = np.random.default_rng(seed)
    texts = []
    for own in own_words:
        pools = [own if random.random() > noise else noisy_words for _ in range(n_words)]
        texts.append(" ".join(str(random.choice(pool)) for pool in pools))
    return texts


def documents(n_rare=15, n_common=85, seed=0, noise=0.6):
    own_words = [RARE] * n_rare + [COMMON] * n_common
    texts = drawn(own_words, noise, COMMON + RARE[:4], seed=seed)
    return texts, ["oil"] * n_rare + ["other"] * n_common
