"""Documents as terms, and the weights that make vectors of them.

What costs time (reading words, counting terms) is done once and does not depend on which documents
a model may look at. What does depend on them (which terms are known, their idf, the length of a
vector) is one number per term, so every fold of a cross-validation shares one set of counts, and
its held-out documents are weighed exactly as new documents are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


class Occurrences(NamedTuple):
    """Where terms occur: tokens of documents, with a table of the terms each token stands for.

    Document ``i`` is ``tokens[offsets[i]:offsets[i + 1]]``, where -1 stands for nothing, and token
    ``t`` stands for ``members[starts[t]:starts[t + 1]]``. `columns` has the column of each term, -1
    for one that is left out.
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    starts: NDArray[np.int64]
    members: NDArray[np.int32]
    columns: NDArray[np.int32]

    @classmethod
    def of_terms(cls, terms: NDArray[np.int32], offsets: NDArray[np.int64], n_terms: int) -> Self:
        """Take tokens that are terms themselves."""
        own = np.arange(n_terms, dtype=np.int32)
        return cls(terms, offsets, np.arange(n_terms + 1), own, own)

    def frequencies(self) -> NDArray[np.int64]:
        """Return in how many documents each term occurs."""
        from imbtext.features._kernels import distinct_terms

        return distinct_terms(*self)[0]

    def keep(self, kept: NDArray[np.bool_]) -> Self:
        """Leave out the terms outside `kept`; the others are numbered anew."""
        return self._replace(columns=np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32))


@dataclass(frozen=True, eq=False)
class Terms:
    """The terms of documents, in blocks: 1 + log of how often each occurs.

    Block ``b`` of document ``i`` is the segment ``s = i * n_blocks + b`` and holds the entries
    ``indptr[s]`` to ``indptr[s + 1]``; a block's terms are numbers of its own.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[np.float32]
    n_terms: int
    n_blocks: int

    @classmethod
    def of_blocks(cls, blocks: Sequence[Occurrences]) -> Self:
        """Count the terms of each block and lay the blocks of a document side by side."""
        from imbtext.features._kernels import distinct_terms, fill_rows

        n_distinct = np.column_stack([distinct_terms(*block)[1] for block in blocks])
        indptr = np.concatenate([[0], np.cumsum(n_distinct.ravel())])
        indices = np.empty(indptr[-1], np.int32)
        values = np.empty(indptr[-1], np.float32)
        first = 0
        for b, block in enumerate(blocks):
            columns = np.where(block.columns >= 0, block.columns + np.int32(first), np.int32(-1))
            begins = indptr[b : -1 : len(blocks)]
            fill_rows(*block._replace(columns=columns), begins, indices, values)
            first += int(block.columns.max(initial=-1)) + 1
        return cls(indptr, indices, values, first, len(blocks))

    @classmethod
    def of_matrix(cls, X: sparse.csr_array | NDArray[np.floating]) -> Self:
        """Take vectors that somebody else made, as one block."""
        matrix = sparse.csr_array(X)
        matrix.sort_indices()
        return cls(
            matrix.indptr.astype(np.int64),
            matrix.indices.astype(np.int32),
            matrix.data.astype(np.float32),
            matrix.shape[1],
            1,
        )

    @property
    def n_documents(self) -> int:
        return (len(self.indptr) - 1) // self.n_blocks

    @property
    def entries(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
        """The three arrays that compiled loops read."""
        return self.indptr, self.indices, self.values

    def frequencies(self, rows: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Return in how many documents, all or some, each term occurs."""
        from imbtext.features._kernels import frequencies_of_rows

        if rows is None:
            return np.bincount(self.indices, minlength=self.n_terms)
        return frequencies_of_rows(self.indptr, self.indices, self.n_blocks, rows, self.n_terms)

    def vectors(self, weights: NDArray[np.float64]) -> "Vectors":
        """Multiply each term by its weight and give all blocks of a document one length.

        Blocks of unit length are joined and scaled so that the whole has unit length too.
        """
        from imbtext.features._kernels import squared_lengths

        lengths = np.sqrt(squared_lengths(*self.entries, weights))
        lengths *= np.sqrt(self.n_blocks)
        scales = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        return Vectors(self, weights, scales)


@dataclass(frozen=True, eq=False)
class Vectors:
    """Terms with a weight each, and a factor for every block of every document.

    The entry of document ``i`` for term ``j`` in block ``b`` is
    ``values * weights[j] * scales[i * n_blocks + b]``. A weight of 0 is a term that is not known.
    """

    terms: Terms
    weights: NDArray[np.float64]
    scales: NDArray[np.float64]

    def matrix(self) -> sparse.csr_array:
        """Return the vectors as scikit-learn takes them; terms that are not known are zeros."""
        terms = self.terms
        data = terms.values * self.weights[terms.indices]
        data *= np.repeat(self.scales, np.diff(terms.indptr))
        indptr = terms.indptr[:: terms.n_blocks]
        return sparse.csr_array(
            (data, terms.indices, indptr), shape=(terms.n_documents, terms.n_terms)
        )


def idf_weights(
    frequencies: NDArray[np.int64], n_documents: int, least: NDArray[np.int64] | int = 1
) -> NDArray[np.float64]:
    """Return scikit-learn's smoothed idf of each term, 0 for one in fewer documents than `least`.

    Examples
    --------
    >>> idf_weights(np.array([1, 2, 5]), n_documents=5, least=2).round(3).tolist()
    [0.0, 1.693, 1.0]
    """
    idf = np.log((1 + n_documents) / (1 + frequencies)) + 1
    return np.where(frequencies >= least, idf, 0.0)
