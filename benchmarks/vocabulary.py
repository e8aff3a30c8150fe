"""Growth curves against a plain loop over a set, and the price of choosing gamma by Heaps' law.

Run: ``python benchmarks/vocabulary.py [--tokens 1000000]``. Prints one line a measurement; a ratio
above 1 says how many times faster the vectorised curve is.
"""

import argparse
import time
from collections.abc import Callable

import numpy as np

from imbtext.documents import Corpus
from imbtext.markov import TransitionCounts, gamma_by_heaps, growth_curve

LENGTH = 100
VOCABULARY = 50_000


def zipf_corpus(n_tokens: int) -> Corpus:
    """Documents of a hundred words each, drawn from Zipf's law."""
    rng = np.random.default_rng(0)
    cumulative = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    ids = np.searchsorted(cumulative, rng.random(n_tokens) * cumulative[-1])
    words = np.array([f"w{i:05d}" for i in range(VOCABULARY)], dtype=object)
    return Corpus(ids.astype(np.int32), np.arange(0, n_tokens + 1, LENGTH), words)


def plain_curve(documents: list[list[str]], orders: list[np.ndarray]) -> np.ndarray:
    """Average the curve over the orders with a set, a word at a time."""
    words = np.zeros(len(documents))
    for order in orders:
        seen: set[str] = set()
        for i, document in enumerate(order.tolist()):
            for word in documents[document]:
                seen.add(word)
            words[i] += len(seen)
    return words / len(orders)


def best_of(n: int, function: Callable[[], object]) -> float:
    """Return the CPU seconds of the fastest of `n` calls."""
    taken = []
    for _ in range(n):
        start = time.process_time()
        function()
        taken.append(time.process_time() - start)
    return min(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=1_000_000)
    n_tokens = parser.parse_args().tokens // LENGTH * LENGTH
    corpus = zipf_corpus(n_tokens)
    documents = corpus.tokens()
    random = np.random.RandomState(0)
    orders = [random.permutation(corpus.n_documents) for _ in range(10)]

    curve = growth_curve(corpus, random_state=0)
    assert np.allclose(curve.words, plain_curve(documents, orders))
    ours = best_of(5, lambda: growth_curve(corpus, random_state=0))
    plain = best_of(2, lambda: plain_curve(documents, orders))
    print(f"growth_curve, {n_tokens:,} tokens, 10 shuffles: {ours:.3f} s")
    print(f"the same with a set in a Python loop:          {plain:.3f} s")
    print(f"ratio: {plain / ours:.1f}")

    total = TransitionCounts.of(corpus)
    minority = TransitionCounts.of(corpus.select(np.arange(corpus.n_documents // 100)))
    n_new = corpus.n_documents // 5
    gamma_by_heaps(total, minority, n_new)
    taken = best_of(3, lambda: gamma_by_heaps(total, minority, n_new))
    print(f"gamma_by_heaps, class of {minority.n_documents} of these documents: {taken:.3f} s")


if __name__ == "__main__":
    main()
