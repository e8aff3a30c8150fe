"""From counts to synthetic rows: the chains of the classes, and any run of the rows they give."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from imbtext.markov import CorpusCounts, MarkovChain
from imbtext.oversampling._chains import class_chain


@dataclass(frozen=True, eq=False)
class ClassChain:
    """The chain of a class, its stream of random numbers, and how many documents to draw."""

    label: Hashable
    stream: int
    n: int
    chain: MarkovChain


@dataclass(frozen=True, eq=False)
class Synthesis:
    """All synthetic rows, in the order of :meth:`imbtext.EMCO.fit_resample`, none drawn yet."""

    vocabulary: NDArray[np.object_]
    classes: tuple[ClassChain, ...]
    sizes: Mapping[Hashable, int]
    seed: int

    @classmethod
    def of(
        cls,
        counts: CorpusCounts,
        targets: Callable[[Mapping[Hashable, int]], Mapping[Hashable, int]],
        gamma: float | str,
        seed: int,
    ) -> "Synthesis":
        """Learn the chains of the classes that `targets` asks more documents of.

        Parameters
        ----------
        counts : CorpusCounts
            Of all documents.
        targets : callable
            From the sizes of the classes, sorted by label, to the sizes that they shall have.
        gamma : float or "heaps"
            As in :class:`imbtext.EMCO`.
        seed : int
            Owns all randomness.
        """
        if len(counts.sizes) < 2:
            raise ValueError(
                f"the documents have the {len(counts.sizes) and 'single class' or 'classes'} "
                f"{', '.join(map(repr, counts.sizes)) or '(none)'}; at least two are needed"
            )
        sizes = {label: counts.sizes[label] for label in sorted(counts.sizes)}  # type: ignore[type-var]
        streams = {label: i for i, label in enumerate(sizes)}
        missing = {label: n - sizes[label] for label, n in targets(sizes).items()}
        whole = counts.total()
        chains = [
            ClassChain(
                label,
                streams[label],
                n,
                class_chain(whole, counts.classes[label], gamma, n, label),
            )
            for label, n in missing.items()
            if n > 0
        ]
        return cls(counts.vocabulary.to_numpy(), tuple(chains), sizes, seed)

    def __len__(self) -> int:
        return sum(own.n for own in self.classes)

    def bounds(self, part: int, n_parts: int) -> tuple[int, int]:
        """Return the first row of a part, of so many even ones, and the first behind it."""
        return len(self) * part // n_parts, len(self) * (part + 1) // n_parts

    def rows(self, start: int, end: int) -> tuple[list[str], list[Hashable]]:
        """Draw the rows from `start` to before `end`: texts, and their labels."""
        texts: list[str] = []
        labels: list[Hashable] = []
        before = accumulate((own.n for own in self.classes), initial=0)
        for own, offset in zip(self.classes, before, strict=False):
            first, last = max(start - offset, 0), min(end - offset, own.n)
            if first < last:
                drawn = own.chain.draw(
                    self.vocabulary, last - first, self.seed, own.stream, first=first
                )
                texts += drawn.texts()
                labels += [own.label] * (last - first)
        return texts, labels
