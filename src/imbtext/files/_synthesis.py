"""From counts to synthetic rows: the chains of the classes, and any run of the rows they give."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from imbtext.documents import Tokenizer
from imbtext.markov import CorpusCounts, MarkovChain, Pruned
from imbtext.oversampling import CountedClass
from imbtext.surface import SurfaceCounts

_ROWS_AT_ONCE = 20_000
_TOKENS_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False)
class ClassChain:
    """The chain of a class, its stream of random numbers, and how many documents to draw."""

    label: Hashable
    stream: int
    n: int
    chain: MarkovChain

    @property
    def mean_length(self) -> float:
        """The mean number of words of a document."""
        return float(np.average(self.chain.lengths, weights=self.chain.length_counts))


@dataclass(frozen=True, eq=False)
class Synthesis:
    """All synthetic rows, in the order of :meth:`imbtext.EMCO.fit_resample`, none drawn yet.

    Examples
    --------
    >>> from imbtext.markov import CountsAccumulator
    >>> accumulator = CountsAccumulator()
    >>> accumulator.add(["oil up", "oil price up", "gold up"], ["a", "a", "b"])
    >>> synthesis = Synthesis.of(accumulator.result(), {"a": 3, "b": 2}, gamma=0.0, seed=1)
    >>> len(synthesis), synthesis.rows(2, 4)[1]
    (5, ['a', 'b'])
    """

    vocabulary: NDArray[np.object_]
    classes: tuple[ClassChain, ...]
    seed: int
    surface: SurfaceCounts | None = None
    tokenizer: Tokenizer | None = None
    pruned: Pruned | None = None

    @classmethod
    def of(
        cls,
        counts: CorpusCounts,
        missing: Mapping[Hashable, int],
        gamma: float | str,
        seed: int,
        tokenizer: Tokenizer | None = None,
    ) -> "Synthesis":
        """Learn the chains of the classes that miss documents, from the counts of all documents.

        With surface forms, documents are written in them; only these need the `tokenizer` that the
        documents were counted with.
        """
        streams = {label: i for i, label in enumerate(sorted(counts.sizes))}  # type: ignore[type-var]
        whole = counts.total()
        chains = [
            ClassChain(
                label,
                streams[label],
                n,
                CountedClass(whole, counts.classes[label], label=label).chain(gamma, n),
            )
            for label, n in missing.items()
            if n > 0
        ]
        return cls(counts.vocabulary.to_numpy(), tuple(chains), seed, counts.surface, tokenizer)

    def __len__(self) -> int:
        return sum(own.n for own in self.classes)

    def rows(self, start: int, end: int, n_jobs: int = 1) -> tuple[list[str], list[Hashable]]:
        """Draw the rows from `start` to before `end`: texts, and their labels."""
        texts: list[str] = []
        labels: list[Hashable] = []
        before = accumulate((own.n for own in self.classes), initial=0)
        for own, offset in zip(self.classes, before, strict=False):
            first, last = max(start - offset, 0), min(end - offset, own.n)
            if first < last:
                drawn = own.chain.draw(
                    self.vocabulary, last - first, self.seed, own.stream, first, n_jobs=n_jobs
                )
                texts += (
                    drawn.texts()
                    if self.surface is None
                    else self.surface.write(drawn, self.seed, own.stream, first, self.tokenizer)
                )
                labels += [own.label] * (last - first)
        return texts, labels

    def pieces(
        self, start: int, end: int, n_jobs: int = 1
    ) -> Iterator[tuple[list[str], list[Hashable]]]:
        """Draw the same rows some at a time, in bounded memory however long the documents are."""
        longest = max((own.mean_length for own in self.classes), default=1.0)
        at_once = min(max(int(_TOKENS_AT_ONCE / longest), 1), _ROWS_AT_ONCE)
        for first in range(start, end, at_once):
            yield self.rows(first, min(first + at_once, end), n_jobs)
