"""The compiled loops of surface forms: choosing what to write, and writing it.

They do not check their input: ids must lie within the vocabulary, and tables must come from
`SurfaceCounts`.
"""

import numpy as np
from numpy.typing import NDArray

from imbtext._compilation import compiled
from imbtext._counters import STEP, document_key, mix
from imbtext._typing import Array

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


@compiled
def hashed(
    pairs: NDArray[np.int64],
    forms: NDArray[np.int32],
    form_entries: NDArray[np.int64],
    gaps: NDArray[np.int32],
    gap_entries: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return a hash table from pairs to what to write; at least half of its slots are empty (-1).

    A slot holds the pair and, in the two halves of one number, its gap and its form. Most pairs
    have one of each, so this one place in memory says everything. If a pair has several, the half
    is ``-1 - number`` of the pair instead, and the choice is made from its entries.
    """
    size = 2
    while size < 2 * len(pairs):
        size *= 2
    slots = np.full((size, 2), -1, np.int64)
    for number in range(len(pairs)):
        at = np.int64(mix(np.uint64(pairs[number])) & np.uint64(size - 1))
        while slots[at, 0] >= 0:
            at = (at + 1) & (size - 1)
        form = np.int64(-1 - number)
        if forms[number + 1] - forms[number] == 1:
            form = form_entries[forms[number], 1]
        gap = np.int64(-1 - number)
        if gaps[number + 1] - gaps[number] == 1:
            gap = gap_entries[gaps[number], 1]
        slots[at, 0] = pairs[number]
        slots[at, 1] = (gap << 32) | (form & 0xFFFFFFFF)
    return slots


@compiled
def _slot(slots: NDArray[np.int64], pair: np.int64) -> np.int64:
    """Return the slot of a pair, -1 if the two words never stand together."""
    last = len(slots) - 1
    at = np.int64(mix(np.uint64(pair)) & np.uint64(last))
    while slots[at, 0] != pair:
        if slots[at, 0] < 0:
            return np.int64(-1)
        at = (at + 1) & last
    return at


@compiled
def _text(
    u: np.uint64, starts: NDArray[np.int32], of: int | np.int64, entries: NDArray[np.int64]
) -> np.int64:
    """Choose one of the entries of `of` by their counts, -1 if there is none.

    `u` has 32 random bits; an entry is a cumulative count and a text.
    """
    first = starts[of]
    last = starts[of + 1] - 1
    if first > last:
        return np.int64(-1)
    target = np.int64((u * np.uint64(entries[last, 0])) >> _HALF)
    while first < last:
        middle = (first + last) // 2
        if entries[middle, 0] > target:
            last = middle
        else:
            first = middle + 1
    return np.int64(entries[first, 1])


@compiled
def choose(
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    begin: int,
    seed: np.uint64,
    stream: np.uint64,
    n_words: int,
    tables: tuple[Array, ...],
    n_forms: int,
    n_gaps: int,
) -> NDArray[np.int64]:
    """Return what to write: gap, word, gap, ..., word, gap of each document.

    Numbers below `n_forms` are forms, then come gaps, nothing, the usual gap, and the words.
    """
    slots, forms, form_entries, any_form, any_form_entries = tables[:5]
    gaps, gap_entries, any_gap, any_gap_entries = tables[5:]
    n = len(offsets) - 1
    codes = np.empty(2 * len(ids) + n, np.int64)
    nothing = n_forms + n_gaps
    at = 0
    for d in range(n):
        # The chain draws from the document's own numbers; these are others of it.
        counter = mix(document_key(seed, stream, np.uint64(begin + d)) ^ np.uint64(1))
        left = np.int64(n_words)
        for t in range(offsets[d], offsets[d + 1] + 1):
            inside = t < offsets[d + 1]
            right = np.int64(ids[t]) if inside else np.int64(n_words)
            counter += STEP
            u = mix(counter)
            slot = _slot(slots, left * (n_words + 1) + right)
            gap = np.int64(-1)
            form = np.int64(-1)
            if slot >= 0:
                gap = slots[slot, 1] >> 32
                form = np.int64(np.int32(slots[slot, 1] & 0xFFFFFFFF))
                if gap < 0:
                    gap = _text(u >> _HALF, gaps, -1 - gap, gap_entries)
                if form < 0 and inside:
                    form = _text(u & _LOW, forms, -1 - form, form_entries)
            elif inside and left != n_words:
                gap = _text(u >> _HALF, any_gap, left, any_gap_entries)
                gap = np.int64(n_gaps + 1) if gap < 0 else gap
            codes[at] = n_forms + gap if gap >= 0 else nothing
            at += 1
            if inside:
                if form < 0:
                    form = _text(u & _LOW, any_form, right, any_form_entries)
                codes[at] = form if form >= 0 else nothing + 2 + right
                at += 1
            left = right
    return codes


@compiled
def write(
    codes: NDArray[np.int64],
    strings: NDArray[np.uint8],
    ends: NDArray[np.int64],
    out: NDArray[np.uint8],
) -> None:
    """Copy the string of each code, ``strings[ends[code]:ends[code + 1]]``, one after another."""
    at = 0
    for code in codes:
        for i in range(ends[code], ends[code + 1]):
            out[at] = strings[i]
            at += 1
