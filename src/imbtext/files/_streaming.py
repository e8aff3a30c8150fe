"""Synthetic documents from documents that come in batches, in memory that does not grow with them.

Counts add, so the transitions are counted batch by batch: the documents drawn are those that
:meth:`imbtext.EMCO.fit_resample` draws from the same rows at once.
"""

import warnings
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from imbtext.files._sizes import ClassSizes
from imbtext.files._synthesis import Synthesis
from imbtext.markov import CorpusCounts, CountsAccumulator, Pruned, prune
from imbtext.randomness import draw_seed

# Texts and labels of some rows.
Rows = tuple[Sequence[str], Sequence[Hashable]]
Batches = Callable[[], Iterable[Rows]]

_METHODS = ("emco", "mco", "ros", "eda")
_DRAWN_AT_ONCE = 20_000


@dataclass(frozen=True)
class Oversampling:
    """What to generate: how many documents, by which method, with which settings of its sampler."""

    sizes: ClassSizes = field(default_factory=ClassSizes)
    method: str = "emco"
    gamma: float | str = 1.0
    order: int = 1
    surface: bool = False
    min_count: int = 1
    max_words: int | None = None
    seed: int | None = 0
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        if self.method not in _METHODS:
            raise ValueError(
                f"the method {self.method!r} is not known; the methods that make documents are "
                f"{', '.join(_METHODS)}"
            )

    def missing(self, present: Mapping[Hashable, int]) -> dict[Hashable, int]:
        """Return how many documents to generate of each class, where there are any."""
        targets = self.sizes.targets(present)
        new = {label: n - present[label] for label, n in targets.items()}
        return {label: n for label, n in new.items() if n > 0}


def learn(counts: CorpusCounts, oversampling: Oversampling) -> Synthesis:
    """Learn the chains that are asked for, from counts of all documents."""
    missing, pruned = oversampling.missing(counts.sorted_sizes()), None
    if oversampling.min_count > 1 or oversampling.max_words is not None:
        counts, pruned = prune(
            counts, min_count=oversampling.min_count, max_words=oversampling.max_words
        )
    gamma = 0.0 if oversampling.method == "mco" else oversampling.gamma
    learned = Synthesis.of(counts, missing, gamma, draw_seed(oversampling.seed))
    return replace(learned, pruned=pruned)


def generate(
    batches: Batches, present: Mapping[Hashable, int], oversampling: Oversampling
) -> tuple[Iterable[Rows], Pruned | None]:
    """Learn from documents, and make ready to draw others; return them, and what was forgotten.

    `batches` starts a pass over all rows; it is called once, or never where nothing is to be added.
    `present` has all classes and their sizes in sorted order, which numbers the random streams.
    """
    if not oversampling.missing(present):
        return (), None
    if oversampling.method not in ("emco", "mco"):
        return _from_class_documents(batches, present, oversampling), None
    accumulator = CountsAccumulator(oversampling.order, surface=oversampling.surface)
    for texts, labels in batches():
        accumulator.add(texts, labels)
    learned = learn(accumulator.result(), oversampling)
    n_jobs = effective_n_jobs(oversampling.n_jobs)
    return learned.pieces(0, len(learned), n_jobs), learned.pruned


def _from_class_documents(
    batches: Batches, present: Mapping[Hashable, int], request: Oversampling
) -> Iterator[Rows]:
    """Generate from the documents of the classes to oversample, the only ones kept in memory."""
    from imbtext.oversampling._eda import EDA
    from imbtext.oversampling._ros import ROS

    missing = request.missing(present)
    codes = {label: i for i, label in enumerate(present)}
    texts: list[str] = []
    y: list[NDArray[np.int32]] = []
    for batch, labels in batches():
        texts += [
            text if label in missing else "" for text, label in zip(batch, labels, strict=True)
        ]
        y.append(np.fromiter((codes[label] for label in labels), np.int32, len(labels)))
    strategy = {codes[label]: present[label] + n for label, n in missing.items()}
    settings: dict[str, Any] = {"sampling_strategy": strategy, "random_state": request.seed}
    sampler = ROS(**settings) if request.method == "ros" else EDA(**settings, n_jobs=request.n_jobs)
    with warnings.catch_warnings():
        # imbalanced-learn wonders at a class that outgrows the majority; it was asked for.
        warnings.filterwarnings("ignore", "After over-sampling", UserWarning)
        resampled, _ = sampler.fit_resample(texts, np.concatenate(y))
    at = len(texts)
    del texts
    for label, n in missing.items():
        for first in range(at, at + n, _DRAWN_AT_ONCE):
            drawn = resampled[first : min(first + _DRAWN_AT_ONCE, at + n)]
            yield drawn, [label] * len(drawn)
        at += n
