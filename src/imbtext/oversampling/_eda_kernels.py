"""The compiled loops of EDA, nothing else. Imported on first use: numba takes a while to load.

A document in the making is an array of elements: a word as its id, a synonym ``s`` as ``-1 - s``,
so that a synonym of several words counts as one until :func:`spell_out` writes its tokens. Every
new document draws from a stream of its own, keyed by (seed, stream, document, copy).
"""

import numpy as np
from numpy.typing import NDArray

from imbtext._compilation import compiled
from imbtext._counters import STEP, document_key, mix, unit

REPLACE, INSERT, SWAP, DELETE = range(4)

# Both retry loops of the authors' code count first and look afterwards, so that of ten words tried
# for an insertion nine can serve, and of four second positions for a swap three.
_INSERT_TRIES = 9
_SWAP_TRIES = 3


@compiled
def _uniform(state: NDArray[np.uint64]) -> float:
    state[0] += STEP
    return unit(state[0])


@compiled
def _below(state: NDArray[np.uint64], n: int) -> int:
    return int(_uniform(state) * n)


@compiled
def _replace(
    state: NDArray[np.uint64],
    doc: NDArray[np.int32],
    out: NDArray[np.int32],
    n: int,
    replaceable: NDArray[np.bool_],
    first: NDArray[np.int64],
    distinct: NDArray[np.int64],
    mark: NDArray[np.int64],
    stamp: int,
) -> int:
    """Synonym replacement: up to `n` distinct words, each at all its occurrences."""
    n_distinct = 0
    for word in doc:
        if replaceable[word] and mark[word, 0] != stamp:
            mark[word, 0] = stamp
            mark[word, 1] = 0
            distinct[n_distinct] = word
            n_distinct += 1
    for i in range(min(n, n_distinct)):
        j = i + _below(state, n_distinct - i)
        distinct[i], distinct[j] = distinct[j], distinct[i]
        word = distinct[i]
        mark[word, 1] = -1 - (first[word] + _below(state, first[word + 1] - first[word]))
    for i in range(len(doc)):
        word = doc[i]
        chosen = replaceable[word] and mark[word, 1] < 0
        out[i] = mark[word, 1] if chosen else word
    return len(doc)


@compiled
def _insert(
    state: NDArray[np.uint64],
    doc: NDArray[np.int32],
    out: NDArray[np.int32],
    n: int,
    first: NDArray[np.int64],
    fixed: NDArray[np.int64],
) -> int:
    """Random insertion: `n` times a synonym of one of the document's words, never at the end.

    With `fixed` not empty, the synonym of a word is always ``fixed[word]``.
    """
    length = len(doc)
    out[:length] = doc
    for _ in range(n):
        for _ in range(_INSERT_TRIES):
            word = doc[_below(state, len(doc))]
            n_synonyms = first[word + 1] - first[word]
            if n_synonyms:
                synonym = fixed[word] if len(fixed) else first[word] + _below(state, n_synonyms)
                position = _below(state, length)
                for i in range(length, position, -1):
                    out[i] = out[i - 1]
                out[position] = -1 - synonym
                length += 1
                break
    return length


@compiled
def _swap(state: NDArray[np.uint64], doc: NDArray[np.int32], out: NDArray[np.int32], n: int) -> int:
    """Random swap: `n` times two positions change places."""
    out[: len(doc)] = doc
    for _ in range(n):
        i = _below(state, len(doc))
        for _ in range(_SWAP_TRIES):
            j = _below(state, len(doc))
            if i != j:
                out[i], out[j] = out[j], out[i]
                break
    return len(doc)


@compiled
def _delete(
    state: NDArray[np.uint64], doc: NDArray[np.int32], out: NDArray[np.int32], p: float
) -> int:
    """Random deletion: each word with probability `p`; one word always stays."""
    if len(doc) == 1:
        out[0] = doc[0]
        return 1
    length = 0
    for word in doc:
        if _uniform(state) >= p:
            out[length] = word
            length += 1
    if length == 0:
        out[0] = doc[_below(state, len(doc))]
        length = 1
    return length


@compiled
def make_documents(
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    copies: NDArray[np.int64],
    start: int,
    stop: int,
    new_first: NDArray[np.int64],
    starts: NDArray[np.int64],
    operations: NDArray[np.int64],
    n_changes: NDArray[np.int64],
    p_delete: float,
    replaceable: NDArray[np.bool_],
    first: NDArray[np.int64],
    fixed: NDArray[np.int64],
    seed: np.uint64,
    stream: np.uint64,
    elements: NDArray[np.int32],
    n_elements: NDArray[np.int64],
) -> None:
    """Write the elements of the new documents of documents `start` to `stop`.

    New document ``k`` may use ``elements[starts[k]:starts[k + 1]]``; it uses the first
    ``n_elements[k]`` of them.
    """
    state = np.empty(1, dtype=np.uint64)
    longest = 1
    most = 1
    for d in range(start, stop):
        longest = max(longest, offsets[d + 1] - offsets[d])
        most = max(most, copies[d])
    distinct = np.empty(longest, dtype=np.int64)
    mark = np.zeros((len(replaceable), 2), dtype=np.int64)
    slots = np.empty(most + len(operations), dtype=np.int64)
    stamp = 0
    for d in range(start, stop):
        doc = ids[offsets[d] : offsets[d + 1]]
        # An equal share for each operation, shuffled and cut: only what is left is made.
        share = copies[d] // len(operations) + 1
        n_slots = share * len(operations)
        for i in range(n_slots):
            slots[i] = operations[i // share]
        key = document_key(seed, stream, np.uint64(d))
        state[0] = key
        for i in range(copies[d]):
            j = i + _below(state, n_slots - i)
            slots[i], slots[j] = slots[j], slots[i]
        for i in range(copies[d]):
            k = new_first[d] + i
            out = elements[starts[k] : starts[k + 1]]
            if len(doc) == 0:
                n_elements[k] = 0
                continue
            state[0] = mix(key ^ mix(np.uint64(i + 1)))
            if slots[i] == REPLACE:
                stamp += 1
                n = n_changes[REPLACE, d]
                n_elements[k] = _replace(
                    state, doc, out, n, replaceable, first, distinct, mark, stamp
                )
            elif slots[i] == INSERT:
                n_elements[k] = _insert(state, doc, out, n_changes[INSERT, d], first, fixed)
            elif slots[i] == SWAP:
                n_elements[k] = _swap(state, doc, out, n_changes[SWAP, d])
            else:
                n_elements[k] = _delete(state, doc, out, p_delete)


@compiled
def spell_out(
    starts: NDArray[np.int64],
    elements: NDArray[np.int32],
    n_elements: NDArray[np.int64],
    bounds: NDArray[np.int64],
    tokens: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the new documents as word ids, synonyms token by token, and their offsets."""
    offsets = np.zeros(len(n_elements) + 1, np.int64)
    for k in range(len(n_elements)):
        total = 0
        for e in elements[starts[k] : starts[k] + n_elements[k]]:
            total += 1 if e >= 0 else bounds[-e] - bounds[-1 - e]
        offsets[k + 1] = offsets[k] + total
    ids = np.empty(offsets[-1], np.int32)
    at = 0
    for k in range(len(n_elements)):
        for e in elements[starts[k] : starts[k] + n_elements[k]]:
            if e >= 0:
                ids[at] = e
                at += 1
            else:
                for token in tokens[bounds[-1 - e] : bounds[-e]]:
                    ids[at] = token
                    at += 1
    return ids, offsets
