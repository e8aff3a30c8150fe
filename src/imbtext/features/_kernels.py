"""The compiled loops of the features: terms, their counts, and lengths.

A token stands for any number of terms (a word for its character grams), given as a table: token
``t`` stands for ``terms[starts[t]:starts[t + 1]]``. A negative token stands for none.
"""

import numpy as np
from numpy.typing import NDArray

from imbtext._compilation import compiled


@compiled
def distinct_terms(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    starts: NDArray[np.int64],
    terms: NDArray[np.int32],
    columns: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return in how many documents each term is, and how many with a column each document has."""
    frequency = np.zeros(len(columns), np.int64)
    sizes = np.zeros(len(offsets) - 1, np.int64)
    seen_in = np.full(len(columns), -1, np.int64)
    for i in range(len(sizes)):
        for t in tokens[offsets[i] : offsets[i + 1]]:
            if t < 0:
                continue
            for term in terms[starts[t] : starts[t + 1]]:
                if seen_in[term] != i:
                    seen_in[term] = i
                    frequency[term] += 1
                    if columns[term] >= 0:
                        sizes[i] += 1
    return frequency, sizes


@compiled
def fill_rows(
    tokens: NDArray[np.int32],
    offsets: NDArray[np.int64],
    starts: NDArray[np.int64],
    terms: NDArray[np.int32],
    columns: NDArray[np.int32],
    begins: NDArray[np.int64],
    indices: NDArray[np.int32],
    values: NDArray[np.float32],
) -> None:
    """Write each document's columns, in order, with 1 + log of how often the term occurs."""
    count = np.zeros(columns.max() + 1 if len(columns) else 0, np.int64)
    for i in range(len(begins)):
        begin = begins[i]
        end = begin
        for t in tokens[offsets[i] : offsets[i + 1]]:
            if t < 0:
                continue
            for term in terms[starts[t] : starts[t + 1]]:
                column = columns[term]
                if column >= 0:
                    if count[column] == 0:
                        indices[end] = column
                        end += 1
                    count[column] += 1
        # Columns in order: neighbours in memory are then read one after the other.
        indices[begin:end].sort()
        for k in range(begin, end):
            values[k] = 1.0 + np.log(count[indices[k]])
            count[indices[k]] = 0


@compiled
def frequencies_of_rows(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    n_blocks: int,
    rows: NDArray[np.int64],
    n_terms: int,
) -> NDArray[np.int64]:
    """Return in how many of the `rows` each term occurs."""
    frequency = np.zeros(n_terms, np.int64)
    for i in rows:
        for k in range(indptr[i * n_blocks], indptr[(i + 1) * n_blocks]):
            frequency[indices[k]] += 1
    return frequency


@compiled
def squared_lengths(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    values: NDArray[np.float32],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the squared length of every block of every row, its terms multiplied by `weights`."""
    lengths = np.zeros(len(indptr) - 1)
    for segment in range(len(lengths)):
        total = 0.0
        for k in range(indptr[segment], indptr[segment + 1]):
            x = values[k] * weights[indices[k]]
            total += x * x
        lengths[segment] = total
    return lengths
