"""Where terms occur: documents as tokens, and the terms that each token stands for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from imbtext.features._terms import Terms


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Tokens of documents, with a table of the terms that a token stands for.

    Attributes
    ----------
    tokens, offsets : ndarray
        Document ``i`` is ``tokens[offsets[i]:offsets[i + 1]]``; -1 stands for nothing.
    starts, members : ndarray
        Token ``t`` stands for the terms ``members[starts[t]:starts[t + 1]]``.
    n_terms : int
        Number of terms.
    columns : ndarray of int32
        The column of each term, -1 for one that is left out.
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    starts: NDArray[np.int64]
    members: NDArray[np.int32]
    n_terms: int
    columns: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))

    def __post_init__(self) -> None:
        if not len(self.columns):
            object.__setattr__(self, "columns", np.arange(self.n_terms, dtype=np.int32))

    @classmethod
    def of_terms(cls, terms: NDArray[np.int32], offsets: NDArray[np.int64], n_terms: int) -> Self:
        """Take tokens that are terms themselves."""
        own = np.arange(n_terms, dtype=np.int32)
        return cls(terms, offsets, np.arange(n_terms + 1), own, n_terms)

    def frequencies(self) -> NDArray[np.int64]:
        """Return in how many documents each term occurs."""
        from imbtext.features._kernels import document_frequencies

        return document_frequencies(
            self.tokens, self.offsets, self.starts, self.members, self.n_terms
        )

    def keep(self, kept: NDArray[np.bool_]) -> Self:
        """Leave out the terms outside `kept`; the others are numbered anew."""
        columns = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        return type(self)(
            self.tokens, self.offsets, self.starts, self.members, self.n_terms, columns
        )


def join_blocks(blocks: Sequence[Occurrences], sizes: Sequence[int]) -> Terms:
    """Count the terms of each block and lay the blocks of a document side by side."""
    from imbtext.features._kernels import distinct_terms, fill_rows

    n_documents = len(blocks[0].offsets) - 1
    n_distinct = np.zeros((n_documents, len(blocks)), np.int64)
    for b, block in enumerate(blocks):
        n_distinct[:, b] = distinct_terms(
            block.tokens, block.offsets, block.starts, block.members, block.columns
        )
    indptr = np.concatenate([[0], np.cumsum(n_distinct.ravel())])
    indices = np.empty(indptr[-1], np.int32)
    values = np.empty(indptr[-1], np.float32)
    first = 0
    for b, (block, size) in enumerate(zip(blocks, sizes, strict=True)):
        fill_rows(
            block.tokens,
            block.offsets,
            block.starts,
            block.members,
            np.where(block.columns >= 0, block.columns + np.int32(first), np.int32(-1)),
            indptr[b : -1 : len(blocks)],
            n_distinct[:, b].copy(),
            indices,
            values,
        )
        first += size
    return Terms(indptr, indices, values, first, len(blocks))
