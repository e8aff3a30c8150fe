"""The compiled loops of near-duplicates and of folds."""

import numpy as np
from numpy.typing import NDArray

from imbtext._compilation import compiled


@compiled
def linked_groups(
    starts: NDArray[np.int64], words: NDArray[np.int64], n_words: int, overlap: float
) -> NDArray[np.int64]:
    """Return for every document the representative of its group; documents by ascending size."""
    n = len(starts) - 1
    group = np.arange(n)
    # An index from each word to the documents that have it in their prefix, as linked lists.
    n_entries = 0
    for i in range(n):
        size = starts[i + 1] - starts[i]
        n_entries += size - np.int64(np.ceil(overlap * size - 1e-9)) + 1 if size else 0
    head = np.full(n_words, -1, dtype=np.int64)
    following = np.empty(n_entries, dtype=np.int64)
    holder = np.empty(n_entries, dtype=np.int64)
    seen = np.full(n, -1, dtype=np.int64)
    entry = 0
    for i in range(n):
        size = starts[i + 1] - starts[i]
        if size == 0:
            continue
        prefix = size - np.int64(np.ceil(overlap * size - 1e-9)) + 1
        shortest = overlap * size - 1e-9
        for k in range(starts[i], starts[i] + prefix):
            before = -1
            at = head[words[k]]
            while at >= 0:
                j = holder[at]
                if starts[j + 1] - starts[j] < shortest:
                    # Newer entries are larger: this one and all behind it are too short for good.
                    if before >= 0:
                        following[before] = -1
                    else:
                        head[words[k]] = -1
                    break
                if seen[j] != i:
                    seen[j] = i
                    if _root(group, i) != _root(group, j) and _alike(starts, words, i, j, overlap):
                        group[_root(group, i)] = _root(group, j)
                before = at
                at = following[at]
        for k in range(starts[i], starts[i] + prefix):
            holder[entry] = i
            following[entry] = head[words[k]]
            head[words[k]] = entry
            entry += 1
    for i in range(n):
        group[i] = _root(group, i)
    return group


@compiled
def _root(group: NDArray[np.int64], i: int) -> int:
    while group[i] != i:
        group[i] = group[group[i]]
        i = group[i]
    return i


@compiled
def _alike(
    starts: NDArray[np.int64], words: NDArray[np.int64], i: int, j: int, overlap: float
) -> bool:
    """Return whether shared words over all words of two documents reach `overlap`."""
    a, b = starts[i], starts[j]
    end_a, end_b = starts[i + 1], starts[j + 1]
    total = (end_a - a) + (end_b - b)
    # shared / (total - shared) >= overlap, solved for the number of shared words.
    needed = overlap * total / (1 + overlap) - 1e-9
    shared = 0
    while a < end_a and b < end_b:
        if shared + min(end_a - a, end_b - b) < needed:
            return False
        if words[a] == words[b]:
            shared += 1
            a += 1
            b += 1
        elif words[a] < words[b]:
            a += 1
        else:
            b += 1
    return bool(shared >= needed)


@compiled
def deal(
    groups: NDArray[np.int64],
    n_here: NDArray[np.int64],
    sizes: NDArray[np.int64],
    fold_of: NDArray[np.int8],
    totals: NDArray[np.int64],
) -> None:
    """Give each group without a fold to the fold with the fewest documents of a class.

    ``n_here`` counts a group's documents of the class, ``sizes`` all its documents. `fold_of` and
    `totals` are filled in place.
    """
    here = np.zeros(len(totals), np.int64)
    for g in range(len(groups)):
        if fold_of[groups[g]] >= 0:
            here[fold_of[groups[g]]] += n_here[g]
    for g in range(len(groups)):
        if fold_of[groups[g]] < 0:
            best = 0
            for fold in range(1, len(totals)):
                if here[fold] < here[best] or (
                    here[fold] == here[best] and totals[fold] < totals[best]
                ):
                    best = fold
            fold_of[groups[g]] = best
            here[best] += n_here[g]
            totals[best] += sizes[groups[g]]


@compiled
def deal_evenly(
    counts: NDArray[np.float64], totals: NDArray[np.int64], n_folds: int
) -> NDArray[np.int64]:
    """Give each group to the fold in which it keeps the shares of the classes most alike.

    `counts` has the documents of each group and class, in the order in which groups are dealt, and
    `totals` those of each class.
    """
    n_groups, n_classes = counts.shape
    of_folds = np.zeros((n_folds, n_classes))
    spreads = np.empty(n_classes)
    fold_of = np.zeros(n_groups, np.int64)
    for g in range(n_groups):
        best, least, smallest = 0, np.inf, np.inf
        for fold in range(n_folds):
            size = 0.0
            for c in range(n_classes):
                size += of_folds[fold, c]
                mean = 0.0
                for i in range(n_folds):
                    mean += (of_folds[i, c] + (counts[g, c] if i == fold else 0.0)) / totals[c]
                mean /= n_folds
                squares = 0.0
                for i in range(n_folds):
                    share = (of_folds[i, c] + (counts[g, c] if i == fold else 0.0)) / totals[c]
                    squares += (share - mean) * (share - mean)
                spreads[c] = np.sqrt(squares / n_folds)
            value = _pairwise_sum(spreads) / n_classes
            is_close = least < np.inf and abs(value - least) <= 1e-8 + 1e-5 * abs(least)
            if value < least or (is_close and size < smallest):
                best, least, smallest = fold, value, size
        fold_of[g] = best
        of_folds[best] += counts[g]
    return fold_of


@compiled
def _pairwise_sum(values: NDArray[np.float64]) -> float:
    """Return the sum of some values, up to 128 of them added in NumPy's order."""
    n = len(values)
    if n < 8:
        total = 0.0
        for i in range(n):
            total += values[i]
        return total
    sums = values[:8].copy()
    whole = n - n % 8
    for i in range(8, whole, 8):
        for k in range(8):
            sums[k] += values[i + k]
    total = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + (
        (sums[4] + sums[5]) + (sums[6] + sums[7])
    )
    for i in range(whole, n):
        total += values[i]
    return float(total)
