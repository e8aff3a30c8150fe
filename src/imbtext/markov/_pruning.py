"""Dropping what is rare: smaller counts, at an error that is measured and reported.

Rare transitions are most of what is stored and little of what is drawn. Only classes that are not
to be oversampled lose any; a class to oversample keeps every transition of its own.
"""

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from imbtext._messages import listed
from imbtext.markov._accumulation import CorpusCounts
from imbtext.markov._counts import ClassCounts, TransitionCounts
from imbtext.markov._grams import NGramCounts


@dataclass(frozen=True)
class Pruned:
    """What was forgotten, and what it changes.

    Attributes
    ----------
    n_words, n_transitions : tuple of int
        What was stored before and after.
    lost_mass : float
        The share of all transitions in the documents, repetitions counted, that is forgotten.
    drift : mapping of labels to float
        For each class that was kept whole, the probability that one step of its chain with gamma 1
        would have been a forgotten transition: the mean over the words of the class.
    """

    n_words: tuple[int, int]
    n_transitions: tuple[int, int]
    lost_mass: float
    drift: Mapping[Hashable, float]

    def __str__(self) -> str:
        worst = max(self.drift.values(), default=0.0)
        return (
            f"kept {self.n_transitions[1]:,} of {self.n_transitions[0]:,} transitions and "
            f"{self.n_words[1]:,} of {self.n_words[0]:,} words; it forgot {self.lost_mass:.2%} "
            f"of all occurrences, which one step of a chain with gamma 1 would have taken with "
            f"probability {worst:.2%} at most"
        )


def prune(
    counts: CorpusCounts,
    *,
    min_count: int = 1,
    max_words: int | None = None,
    keep: Collection[Hashable] | None = None,
) -> tuple[CorpusCounts, Pruned]:
    """Forget rare transitions and words.

    Parameters
    ----------
    counts : CorpusCounts
        Of all documents.
    min_count : int, default=1
        Forget the transitions that a class has less often than this, unless a word would be left
        with nothing to follow it.
    max_words : int, optional
        Keep only this many words, the most frequent ones; forget the others with their transitions.
    keep : label or collection of labels, optional
        The classes that stay whole, with all their words; by default all but the largest.

    Examples
    --------
    >>> from imbtext.markov import CountsAccumulator
    >>> accumulator = CountsAccumulator()
    >>> accumulator.add(["oil up", "oil up gold", "oil up oil", "gold up"], ["b", "b", "b", "a"])
    >>> _, pruned = prune(accumulator.result(), min_count=2)
    >>> pruned.n_transitions, f"{pruned.lost_mass:.3f}"
    ((4, 2), '0.333')
    """
    if min_count < 1 or (max_words is not None and max_words < 1):
        raise ValueError(
            f"min_count is {min_count} and max_words is {max_words}; expected numbers from 1 up"
        )
    labels = counts.sorted_labels()
    if isinstance(keep, str):
        keep = [keep]
    if keep is None:
        largest = max(labels, key=lambda label: counts.sizes[label], default=None)
        keep = [label for label in labels if label != largest]
    unknown = [label for label in keep if label not in counts.sizes]
    if unknown:
        raise ValueError(f"there is no class {unknown[0]!r}; the classes are {listed(labels)}")
    total = counts.total()
    kept_words = np.zeros(total.n_words, dtype=bool)
    # Of equally frequent words the first in sorted order.
    kept_words[np.argsort(-total.words, kind="stable")[:max_words]] = True
    for label in keep:
        kept_words[counts.classes[label].word_ids] = True
    new_ids = np.cumsum(kept_words) - 1
    classes = {
        label: ClassCounts(new_ids[class_counts.word_ids], class_counts.counts)
        if label in keep
        else _pruned(class_counts, kept_words, new_ids, min_count)
        for label, class_counts in counts.classes.items()
    }
    surface = counts.surface
    if surface is not None:
        surface = surface.relabel(np.where(kept_words, new_ids, -1), int(kept_words.sum()))
    pruned_counts = replace(
        counts,
        vocabulary=counts.vocabulary.filter(pl.Series(kept_words)),
        classes=classes,
        surface=surface,
    )
    after = pruned_counts.total().relabel(np.flatnonzero(kept_words), len(counts.vocabulary))
    mass = int(total.pairs.sum())
    report = Pruned(
        n_words=(len(counts.vocabulary), len(pruned_counts.vocabulary)),
        n_transitions=(counts.n_transitions, pruned_counts.n_transitions),
        lost_mass=(mass - int(after.pairs.sum())) / max(mass, 1),
        drift={label: _drift(counts.classes[label], total, after) for label in keep},
    )
    return pruned_counts, report


def _pruned(
    class_counts: ClassCounts,
    kept_words: NDArray[np.bool_],
    new_ids: NDArray[np.int64],
    min_count: int,
) -> ClassCounts:
    """Return the counts of a class on the words that are kept, without its rare transitions."""
    is_kept = kept_words[class_counts.word_ids]
    with_stop, longer = np.append(is_kept, True), []
    for level in class_counts.counts.longer:
        kept = (level.counts >= min_count) & with_stop[level.grams].all(axis=1)
        longer.append(NGramCounts(level.grams[kept], level.counts[kept]))
    counts = replace(class_counts.counts, longer=tuple(longer)).restrict(np.flatnonzero(is_kept))
    counts = replace(counts, pairs=_frequent_pairs(counts.pairs, counts.ending, min_count))
    return ClassCounts(new_ids[class_counts.word_ids[is_kept]], counts)


def _frequent_pairs(
    pairs: sparse.csr_array, ending: NDArray[np.int64], min_count: int
) -> sparse.csr_array:
    """Drop rare pairs; a word that only rare pairs lead away from keeps all of its pairs."""
    rows = np.repeat(np.arange(pairs.shape[0]), np.diff(pairs.indptr))
    is_frequent = pairs.data >= min_count
    has_way_out = ending > 0
    has_way_out[rows[is_frequent & (pairs.indices != rows)]] = True
    kept = pairs.copy()
    kept.data[~is_frequent & has_way_out[rows]] = 0
    kept.eliminate_zeros()
    return kept


def _drift(class_counts: ClassCounts, before: TransitionCounts, after: TransitionCounts) -> float:
    """Return how much of a step's probability is lost, with gamma 1, on average over the words."""
    # The transitions from each word to others: a chain never repeats a word.
    n_after, n_before = (
        counts.pairs.sum(axis=1)[class_counts.word_ids]
        - counts.pairs.diagonal()[class_counts.word_ids]
        for counts in (after, before)
    )
    n_steps = n_before + class_counts.counts.ending
    share = np.divide(n_before - n_after, n_steps, out=np.zeros(len(n_steps)), where=n_steps > 0)
    words = class_counts.counts.words
    return float(share @ words / max(words.sum(), 1))
