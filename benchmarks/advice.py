"""How often the advice of a comparison is wrong, on simulated documents with a known answer.

Three worlds, many data sets each:

* nothing helps: ten oversamplers that are the plain classifier in the population (they hand a
  classifier that depends on the order of its documents the same documents in another order). Advice
  to oversample is wrong; it is promised for at most 5% of data sets.
* a threshold helps: a rare class that the plain classifier hardly dares to name. Advice to keep the
  plain classifier is wrong, and so is oversampling; class weights do what a threshold does.
* oversampling helps: a class of many words of which its few documents show a part, and one
  oversampler that adds true documents. Any other advice misses it.

    python benchmarks/advice.py [data sets per world]
"""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.linear_model import SGDClassifier

from imbtext.comparison import Comparison, compare
from imbtext.comparison._choice import Effort, Evidence, choose
from imbtext.methods import Method, Problem, register_method, unregister_method
from imbtext.methods._method import Resampled
from imbtext.oversampling import ROS, New, Request

METRICS = ("f1", "f2", "balanced_accuracy", "average_precision", "roc_auc")
N_WORDS = 300


@dataclass(frozen=True)
class Order(Method):
    """No oversampling at all: the documents in another order."""

    number: int = 0

    def resample(self, problem: Problem) -> Resampled:
        """Return the documents in an order of this method's own."""
        n = problem.data.n_documents
        order = np.random.default_rng([problem.seed, self.number]).permutation(n)
        return Resampled(problem.data.vectors[order], problem.is_class[order], order)


@dataclass(frozen=True)
class Truth:
    """The oversampler that one would wish for: new true documents of the class."""

    world: "World"
    space = "text"
    title = "the truth"

    def draw(self, request: Request) -> New:
        """Draw documents from where the class's own were drawn."""
        random = np.random.default_rng([request.seed, 1])
        return New.without_parents(self.world.draw(request.n, random, of_class=True))


@dataclass(frozen=True)
class World:
    """Documents of one length whose words are drawn from two distributions.

    The class prefers some of the words that all use, by `tilt`, and draws each word from `own`
    words that are rare elsewhere with probability 0.4 (elsewhere 0.04).
    """

    n_class: int
    n_rest: int
    length: int
    tilt: float
    own: int = 0

    def words(self, of_class: bool) -> NDArray[np.float64]:
        """Return the word distribution of a side."""
        weights = 1 / np.arange(1, N_WORDS + 1) ** 0.7
        if of_class:
            weights = weights * np.exp(self.tilt * np.sin(np.arange(N_WORDS)))
        share = 0.0 if not self.own else 0.4 if of_class else 0.04
        common = (1 - share) * weights / weights.sum()
        return np.append(common, np.full(self.own, share / max(self.own, 1)))

    def draw(self, n: int, random: np.random.Generator, *, of_class: bool) -> list[str]:
        """Draw documents."""
        known = self.words(of_class)
        words = random.choice(len(known), (n, self.length), p=known)
        return [" ".join(f"w{word}" for word in row) for row in words]

    def data(self, seed: int) -> tuple[list[str], list[str]]:
        """Draw a data set."""
        random = np.random.default_rng(seed)
        texts = self.draw(self.n_class, random, of_class=True)
        texts += self.draw(self.n_rest, random, of_class=False)
        return texts, ["rare"] * self.n_class + ["rest"] * self.n_rest


@contextmanager
def registered(methods: dict[str, Any]) -> Iterator[list[str]]:
    """Make methods known by name for a while."""
    for name, method in methods.items():
        register_method(name, lambda method=method: method)
    try:
        yield list(methods)
    finally:
        for name in methods:
            unregister_method(name)


def choices(found: Comparison, metric: str) -> str:
    """Return the method that is advised by a metric."""
    return choose(Evidence(found.overall, found.summary, found.tests), metric)


def nothing_helps(n_sets: int, *, world: World, first: int = 0) -> dict[str, int]:
    """Count by metric how often oversampling is advised where it is worth nothing."""
    wrong = dict.fromkeys(METRICS, 0)
    noisy = SGDClassifier(max_iter=3, tol=None, alpha=1e-4)
    with registered({f"order{k}": Order(f"order{k}", ROS(), number=k) for k in range(10)}) as names:
        for seed in range(first, first + n_sets):
            found = compare(
                *world.data(seed), methods=names, classifier=noisy, metric="f1", random_state=seed
            )
            for metric in METRICS:
                wrong[metric] += Effort.of(choices(found, metric)).oversamples
    return wrong


def something_helps(n_sets: int, methods: list[str], *, world: World) -> Counter[str]:
    """Count what is advised by F1."""
    advised: Counter[str] = Counter()
    with registered({"truth": Truth(world)}):
        for seed in range(n_sets):
            found = compare(*world.data(seed), methods=methods, metric="f1", random_state=seed)
            advised[choices(found, "f1")] += 1
    return advised


def share(count: int, n: int) -> str:
    """Return a share with its 95% interval (Wilson)."""
    limits = binomtest(count, n).proportion_ci(method="wilson")
    return f"{count / n:.1%} ({limits.low:.1%} to {limits.high:.1%})"


def main() -> None:
    """Print the share of wrong advice in each world."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    for n_class in (15, 40):
        wrong = nothing_helps(n, world=World(n_class, 360, 12, 0.6))
        print(f"nothing helps, {n_class} of {n_class + 360} documents, {n} sets; oversample:")
        for metric, count in wrong.items():
            print(f"  by {metric}: {share(count, n)}", flush=True)
    usual, with_truth = ["smote", "emco(0.1)"], ["truth"]
    for title, methods, world in (
        ("a threshold helps", usual, World(30, 570, 20, 0.6)),
        ("oversampling helps", with_truth, World(40, 1160, 15, 0.0, own=600)),
        ("oversampling helps", with_truth, World(100, 2900, 15, 0.0, own=1500)),
    ):
        names = ["class-weight", "threshold(f1)", "ros", *methods]
        advised = something_helps(max(1, n // 2), names, world=world)
        print(f"{title}, {world.n_class} documents of the class, {advised.total()} sets; advised:")
        for method, count in advised.most_common():
            print(f"  {method}: {share(count, advised.total())}", flush=True)


if __name__ == "__main__":
    main()
