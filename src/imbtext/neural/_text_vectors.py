"""Word vectors in the text form of fastText, GloVe and word2vec, read in one fast pass.

The file is read in large blocks of bytes. Of each line only the word is looked at; a line becomes
numbers when its word is needed, and is checked then.
"""

import codecs
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

_BLOCK = 1 << 18


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
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
            f"{path} is damaged or cut short, or not what its ending says ({error}); fetch it again"
        ) from error
    except (RuntimeError, NotImplementedError) as error:
        # Encrypted, or packed in a way that Python does not know.
        raise ValueError(f"{path} cannot be unpacked ({error}); unpack it yourself") from error


class TextVectors:
    """One pass over a text file: ``word number number ...`` per line, with or without a header.

    Kept are the vectors of the `needed` words, and of the first `extra_words` lines; `path` is for
    messages.

    Examples
    --------
    >>> import io
    >>> reader = TextVectors(Path("tiny.vec"), frozenset({"oil"}), extra_words=0)
    >>> reader.read(io.BytesIO(b"the 0.1 0.2" + bytes([10]) + b"oil 0.5 1"))
    >>> reader.found
    {'oil': array([0.5, 1. ], dtype=float32)}
    """

    def __init__(self, path: Path, needed: Collection[str], extra_words: int) -> None:
        self.path = path
        self.needed = frozenset(word.encode() for word in needed)
        self.extra_words = extra_words
        self.separator = b" "
        self.found: dict[str, NDArray[np.float32]] = {}
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
                f"{n_vectors:,} follow; the file is cut short, so fetch it again"
            )

    def _begin(self, line: bytes) -> int:
        """Learn the dimension from the first line; return the number of header lines."""
        if b"\0" in line:
            raise ValueError(f"{self.path} is a binary file; name one in the text form (.vec)")
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
        if word in self.found:
            self.n_duplicates += 1
            self.first_duplicate = self.first_duplicate or number
        else:
            self.found[word] = vector

    def _refused(self, number: int, reason: str) -> ValueError:
        return ValueError(
            f"{self.path}, line {number}: {reason}; repair or remove the line, or fetch the file "
            "again"
        )


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
