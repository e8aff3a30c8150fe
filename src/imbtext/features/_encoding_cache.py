"""Vectors of texts that an encoder read before, in this run or an earlier one.

A vector is kept under a checksum of its text, in one SQLite file per encoder (its digest is the
file's name) in the folder ``encodings`` of the cache, see ``_data_folders.py``. SQLite lets several
processes read and write at once and survives one that is killed. The texts themselves are not kept;
whoever reads the vectors can still guess at them, so only the user may read the folder.

The cache is bounded: the oldest vectors of an encoder leave first, and then whole files of encoders
that were not used for long.
"""

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from imbtext._data_folders import cache_folder
from imbtext._messages import warn_user

# What the vectors of one encoder and of all may take, in bytes.
_MOST_OF_ONE: Final = 512 * 2**20
_MOST_OF_ALL: Final = 1024 * 2**20
# What a row takes beside its vector.
_OVERHEAD: Final = 64
_ASKED_AT_ONCE: Final = 500
# Seconds to wait for another process that writes.
_PATIENCE: Final = 30.0


class EncodingCache:
    """Vectors by text; `digest` None keeps them in memory, for this run alone.

    Examples
    --------
    >>> cache = EncodingCache(None)
    >>> cache.put(["oil"], np.ones((1, 2), np.float32))
    >>> sorted(cache.get(["oil", "rain"]))
    [0]
    """

    def __init__(self, digest: str | None) -> None:
        self._lock = Lock()
        self._digest = digest
        self._connection = self._opened(digest)

    def get(self, texts: Sequence[str]) -> dict[int, NDArray[np.float32]]:
        """Return the vectors of those texts that were read before, by their places."""
        places = {key_of(text): place for place, text in enumerate(texts)}
        keys, found = list(places), {}
        for start in range(0, len(keys), _ASKED_AT_ONCE):
            some = keys[start : start + _ASKED_AT_ONCE]
            marks = ",".join("?" * len(some))
            query = f"SELECT text, vector FROM vectors WHERE text IN ({marks})"
            for key, vector in self._asked(query, some):
                found[places[key]] = np.frombuffer(vector, np.float32)
        return found

    def put(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Keep the vectors of texts; the oldest leave if there are too many."""
        rows = [
            (key_of(text), vector.tobytes()) for text, vector in zip(texts, vectors, strict=True)
        ]
        most = max(_MOST_OF_ONE // (vectors.itemsize * vectors.shape[1] + _OVERHEAD), 1)
        with self._lock, self._forgiven(), self._connection as connection:  # one transaction
            connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
            connection.execute(
                "DELETE FROM vectors WHERE rowid <= (SELECT max(rowid) FROM vectors) - ?", (most,)
            )

    def _asked(self, query: str, keys: list[bytes]) -> list[tuple[bytes, bytes]]:
        with self._lock, self._forgiven():
            return self._connection.execute(query, keys).fetchall()
        return []

    @contextmanager
    def _forgiven(self) -> Iterator[None]:
        """Go on in memory if the file fails: a full disk costs time, not the user's work."""
        try:
            yield
        except sqlite3.Error as error:
            if self._digest is not None:
                warn_user(
                    f"the vectors of texts cannot be kept in {cache_folder() / 'encodings'} "
                    f"({error}); texts are encoded again in the next run"
                )
            self._digest, self._connection = None, self._opened(None)

    @staticmethod
    def _opened(digest: str | None) -> sqlite3.Connection:
        place = ":memory:"
        if digest is not None:
            folder = cache_folder() / "encodings"
            with suppress(OSError):  # a cache that cannot be made is none
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                _evict_unused(folder, digest)
                path = folder / f"{digest}.sqlite"
                path.touch(mode=0o600)
                place = str(path)
        try:
            return _connected(place)
        except sqlite3.DatabaseError:  # damaged: begin anew
            with suppress(OSError):
                Path(place).unlink()
            return _connected(":memory:")


def key_of(text: str) -> bytes:
    """Return the key of a text: 16 bytes, by which no two texts are ever likely to meet."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _connected(place: str) -> sqlite3.Connection:
    connection = sqlite3.connect(place, timeout=_PATIENCE, check_same_thread=False)
    with connection:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB NOT NULL)"
        )
    return connection


def _evict_unused(folder: Path, digest: str) -> None:
    """Remove files of other encoders, the longest unused first, until all fit."""
    files = sorted(folder.glob("*.sqlite"), key=lambda path: path.stat().st_mtime)
    sizes = {path: path.stat().st_size for path in files}
    for path in files:
        if sum(sizes.values()) + _MOST_OF_ONE <= _MOST_OF_ALL:
            return
        if path.stem != digest:
            path.unlink(missing_ok=True)
            sizes.pop(path)
