"""What is written beside each pair of neighbours, and how often."""

from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from imbtext.documents import offsets_of


@dataclass(frozen=True, eq=False)
class Writings:
    """What is written beside each pair of neighbours, and how often."""

    pairs: NDArray[np.int64]  # left * (n_words + 1) + right, sorted; n_words stands for <stop>
    texts: NDArray[np.int64]  # the number of what is written, increasing within a pair
    counts: NDArray[np.int64]
    strings: NDArray[np.object_]  # what each number stands for, sorted

    @classmethod
    def of(cls, pairs: NDArray[np.int64], written: pl.Series) -> Self:
        """Count equal pairs with equal texts."""
        strings = written.unique().sort()
        texts = written.cast(pl.Enum(strings)).to_physical().to_numpy().astype(np.int64)
        return cls.summed(pairs, texts, np.ones(len(pairs), dtype=np.int64), strings.to_numpy())

    @classmethod
    def summed(
        cls,
        pairs: NDArray[np.int64],
        texts: NDArray[np.int64],
        counts: NDArray[np.int64],
        strings: NDArray[np.object_],
    ) -> Self:
        """Add up equal entries and put them in order."""
        order = np.lexsort((texts, pairs))
        pairs, texts = pairs[order], texts[order]
        new = np.ones(len(pairs), dtype=bool)
        new[1:] = (pairs[1:] != pairs[:-1]) | (texts[1:] != texts[:-1])
        starts = np.flatnonzero(new)
        sums = np.add.reduceat(counts[order], starts) if len(starts) else counts
        return cls(pairs[starts], texts[starts], sums, strings)

    def merge(self, other: "Writings") -> Self:
        """Return both together, over the same words."""
        mine, theirs = (pl.Series(values=part.strings, dtype=pl.String) for part in (self, other))
        strings = pl.concat([mine, theirs]).unique().sort()
        texts = [
            strings.search_sorted(mine).to_numpy()[self.texts],
            strings.search_sorted(theirs).to_numpy()[other.texts],
        ]
        return self.summed(
            np.concatenate([self.pairs, other.pairs]),
            np.concatenate(texts).astype(np.int64),
            np.concatenate([self.counts, other.counts]),
            strings.to_numpy(),
        )

    def relabel(self, new_ids: NDArray[np.integer], n_words: int) -> Self:
        """Give word i the id ``new_ids[i]``, all increasing, among `n_words`; -1 drops the word."""
        ids = np.append(new_ids, n_words).astype(np.int64)
        left, right = (ids[side] for side in np.divmod(self.pairs, len(ids)))
        kept = (left >= 0) & (right >= 0)
        used, texts = np.unique(self.texts[kept], return_inverse=True)
        # Increasing ids leave the entries in order.
        pairs = left[kept] * (n_words + 1) + right[kept]
        return type(self)(pairs, texts, self.counts[kept], self.strings[used])

    def by_pair(self, pairs: NDArray[np.int64]) -> tuple[NDArray[np.integer], ...]:
        """Return where the entries of each of `pairs` start, which include all of these.

        An entry is a count, those before it of the same pair included, and a text.
        """
        starts = np.append(np.searchsorted(self.pairs, pairs), len(self.pairs))
        return starts.astype(np.int32), self._entries(starts)

    def by_word(self, words: NDArray[np.int64], n_words: int) -> tuple[NDArray[np.integer], ...]:
        """Return where the entries of each word start, given the word of every entry.

        The entries of ``n_words``, which stands for no word, are left out.
        """
        kept = words < n_words
        whole = self.summed(words[kept], self.texts[kept], self.counts[kept], self.strings)
        starts = np.searchsorted(whole.pairs, np.arange(n_words + 1))
        return starts.astype(np.int32), whole._entries(starts)

    def _entries(self, starts: NDArray[np.int64]) -> NDArray[np.int64]:
        sums = offsets_of(self.counts)
        before = np.repeat(sums[starts[:-1]], np.diff(starts))
        return np.column_stack([sums[1:] - before, self.texts])
