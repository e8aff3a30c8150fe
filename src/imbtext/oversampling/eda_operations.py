"""The four operations of EDA on an encoded corpus.

:func:`augment` plans in NumPy and runs the compiled loops of ``_eda_kernels.py`` in as many threads
as asked for. A new document depends on (seed, stream, document, copy) alone, so the number of
threads changes the time and nothing else.
"""

import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, astuple, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from imbtext.documents._corpus import Corpus, offsets_of
from imbtext.oversampling.synonyms import (
    SynonymTable,
)

_MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Rates:
    """How much each operation changes; 0 switches an operation off.

    Parameters
    ----------
    alpha_sr, alpha_ri, alpha_rs : float, default=0.1
        Synonym replacement, random insertion and random swap do ``max(1, int(alpha * length))``
        changes to a document.
    p_rd : float, default=0.1
        Random deletion removes each word with this probability.

    Examples
    --------
    >>> Rates(alpha_ri=0.5).changes(np.array([5, 40])).tolist()
    [[1, 4], [2, 20], [1, 4]]
    """

    alpha_sr: float = 0.1
    alpha_ri: float = 0.1
    alpha_rs: float = 0.1
    p_rd: float = 0.1

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not 0 <= value <= 1:
                raise ValueError(f"{name} is {value!r}; expected a number from 0 to 1")
        if not any(astuple(self)):
            raise ValueError(
                "all four rates of EDA are 0, so nothing would change; set one above 0, or use "
                "ROS for plain copies"
            )

    def operations(self) -> NDArray[np.int64]:
        """Return the numbers of the operations in use, as the kernels know them."""
        return np.flatnonzero(astuple(self))

    def changes(self, lengths: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many changes each of the first three does to documents of `lengths`."""
        return np.maximum(1, np.outer(astuple(self)[:3], lengths).astype(np.int64))


def augment(
    corpus: Corpus,
    table: SynonymTable,
    copies: ArrayLike,
    rates: Rates,
    *,
    seed: int,
    stream: int = 0,
    n_jobs: int = 1,
    fixed_insertions: bool = False,
) -> tuple[Corpus, NDArray[np.int64]]:
    """Make ``copies[i]`` new documents of each document ``i``.

    Every new document is the work of one operation. The copies of a document are an equal share
    of each, shuffled and cut to their number, as in the authors' code.

    Parameters
    ----------
    corpus : Corpus
        The documents.
    table : SynonymTable
        The synonyms of the corpus's vocabulary.
    copies : array-like of int
        New documents of each document, or one number for all of them.
    rates : Rates
        The four rates.
    seed, stream : int
        The randomness; streams of one seed are independent.
    n_jobs : int, default=1
        Threads.
    fixed_insertions : bool, default=False
        Insert the same synonym of a word each time, an arbitrary one, instead of any of them.

    Returns
    -------
    corpus : Corpus
        The new documents, those of the first document first, on the vocabulary of `table`.
    parents : ndarray of int
        The document that each was made of.

    Examples
    --------
    >>> from imbtext.oversampling import synonym_lookup
    >>> corpus = Corpus.from_tokens([["oil", "up"], []])
    >>> table = SynonymTable.of(corpus.vocabulary, synonym_lookup({"oil": ["crude oil"]}))
    >>> new, parents = augment(corpus, table, 2, Rates(0.1, 0, 0, 0), seed=0)
    >>> new.texts(), parents.tolist()
    (['crude oil up', 'crude oil up', '', ''], [0, 0, 1, 1])
    """
    from imbtext.oversampling import _eda_kernels as kernels

    n_copies = np.broadcast_to(np.asarray(copies, dtype=np.int64), (corpus.n_documents,)).copy()
    if len(table.replaceable) != corpus.n_words or (n_copies < 0).any():
        raise ValueError(
            f"the synonym table has {len(table.replaceable)} words and the corpus "
            f"{corpus.n_words}, or a number of copies is below 0; make the table from the "
            "vocabulary of the corpus, and give numbers from 0 up"
        )
    lengths = corpus.lengths
    n_changes = rates.changes(lengths)
    fixed = _one_synonym_each(table, f"{seed}|{stream}") if fixed_insertions else np.empty(0, int)
    parents = np.repeat(np.arange(corpus.n_documents), n_copies)
    new_first = offsets_of(n_copies)
    # Only insertion makes a document longer, by one element a time.
    starts = offsets_of((lengths + n_changes[kernels.INSERT])[parents])
    elements = np.empty(starts[-1], dtype=np.int32)
    n_elements = np.empty(len(parents), dtype=np.int64)

    def make(start: int, stop: int) -> None:
        kernels.make_documents(
            corpus.ids,
            corpus.offsets,
            n_copies,
            start,
            stop,
            new_first,
            starts,
            rates.operations(),
            n_changes,
            float(rates.p_rd),
            table.replaceable,
            table.first,
            fixed,
            np.uint64(seed & _MASK),
            np.uint64(stream & _MASK),
            elements,
            n_elements,
        )

    _in_pieces(make, new_first, n_jobs)
    ids, offsets = kernels.spell_out(starts, elements, n_elements, table.bounds, table.tokens)
    return Corpus(ids, offsets, table.vocabulary), parents


def _one_synonym_each(table: SynonymTable, key: str) -> NDArray[np.int64]:
    """Choose a synonym of each word by the key and the word alone."""
    n_synonyms = np.diff(table.first)
    words = table.vocabulary[: len(n_synonyms)]
    hashes = [zlib.crc32(f"{key}|{word}".encode()) for word in words]
    return table.first[:-1] + np.array(hashes, dtype=np.int64) % np.maximum(n_synonyms, 1)


def _in_pieces(work: Callable[[int, int], None], new_first: NDArray[np.int64], n_jobs: int) -> None:
    """Call `work` on ranges of documents with about equally many new documents each."""
    if n_jobs == 1:
        work(0, len(new_first) - 1)
        return
    cuts = np.searchsorted(new_first, np.linspace(0, new_first[-1], n_jobs + 1))
    cuts[0], cuts[-1] = 0, len(new_first) - 1
    with ThreadPoolExecutor(n_jobs) as pool:
        # list() so that an exception of a piece is raised here
        list(pool.map(work, cuts[:-1].tolist(), cuts[1:].tolist()))
