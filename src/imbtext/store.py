"""A file of finished work that survives a kill and a second run.

Long experiments consist of units: one training and scoring for a fold, category, ratio, method and
repetition, under one seed and one set of settings. Each unit is written in a transaction of its own
the moment it is finished, so a run that was stopped resumes where it left off. A unit with a result
is never written again: two runs on one store cannot duplicate a result, and the first one stands.

The file is SQLite with a write-ahead log. After ``kill -9`` or a power cut it holds every unit that
was committed and no half of one. Scores are JSON, arrays are a BLOB in NumPy's own ``.npz`` format,
without pickles.
"""

import io
import json
import sqlite3
import time
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

from imbtext._typing import Array

__all__ = ["Store", "UnitKey"]

# Raised when the columns change. Format 1 had no arrays.
_FORMAT: Final = 2
# Seconds to wait for a lock; another process holds it for milliseconds at most.
_PATIENCE: Final = 60.0
# SQLite's codes for a file that another connection has locked.
_TAKEN: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


@dataclass(frozen=True, order=True)
class UnitKey:
    """The key of a unit of work.

    ``ratio`` is 0 for methods that do not oversample: one unit serves every ratio. ``settings`` is
    a digest of everything else the result depends on (data, protocol, the method's revision), so
    that a change of one method leaves the finished units of the others valid.
    """

    experiment: str
    fold: int
    category: str
    ratio: float
    method: str
    repetition: int
    seed: int
    settings: str


_KEY: Final = tuple(field.name for field in fields(UnitKey))
_HAS_RESULT: Final = "error IS NULL AND " + " AND ".join(f"{name} = ?" for name in _KEY)
_SCHEMA: Final = f"""
CREATE TABLE IF NOT EXISTS units (
    experiment TEXT NOT NULL, fold INTEGER NOT NULL, category TEXT NOT NULL, ratio REAL NOT NULL,
    method TEXT NOT NULL, repetition INTEGER NOT NULL, seed INTEGER NOT NULL,
    settings TEXT NOT NULL,
    scores TEXT, error TEXT, seconds REAL NOT NULL, arrays BLOB,
    PRIMARY KEY ({", ".join(_KEY)}),
    CHECK ((scores IS NULL) <> (error IS NULL))
)
"""


class Store:
    """The units in one file; safe to open from many processes at once.

    Parameters
    ----------
    path : path
        The file; it is created if it does not exist. A file that is damaged, that belongs to
        another program or that has another format is refused and left as it is.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "units.sqlite"
    >>> key = UnitKey("reuters-titles", 0, "tin", 0.1, "ros", 0, 42, "abc")
    >>> with Store(path) as store:
    ...     store.add(key, {"recall": 0.5}, seconds=0.1)
    ...     store.add(key, {"recall": 0.9}, seconds=0.1)
    ...     len(store.finished()), store.frame()["recall"].to_list()
    True
    False
    (1, [0.5])

    Arrays are stored beside the scores and read one unit at a time:

    >>> with Store(path) as store:
    ...     new = store.add(
    ...         UnitKey("reuters-titles", 0, "tin", 0.1, "ros", 1, 42, "abc"),
    ...         {"recall": 0.5},
    ...         seconds=0.1,
    ...         arrays={"decision": np.array([0.25, -1.5])},
    ...     )
    ...     store.arrays(UnitKey("reuters-titles", 0, "tin", 0.1, "ros", 1, 42, "abc"))
    {'decision': array([ 0.25, -1.5 ])}
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise IsADirectoryError(f"cannot open the store {self.path}: it is a folder")
        with self._clear_errors():
            self._connection = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)
            try:
                self._open()
            except BaseException:
                self._connection.close()
                raise

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        """Explain what SQLite ran into: a full disk, or a file that is not a store."""
        try:
            yield
        except sqlite3.ProgrammingError:  # the caller's mistake, such as using a closed store
            raise
        except sqlite3.OperationalError as error:
            # "no such table" and the like are the file's fault, not the machine's.
            if "no such" not in str(error):
                raise OSError(f"cannot use the store {self.path}: {error}") from error
            raise self._refused(str(error)) from error
        except (sqlite3.DatabaseError, UnicodeDecodeError, MemoryError) as error:
            # A damaged size makes SQLite ask for more memory than there is.
            raise self._refused(str(error) or "a size in it is impossible") from error

    def _refused(self, reason: str) -> ValueError:
        return ValueError(
            f"{self.path} is damaged or is not a store of results ({reason}); move it away to "
            "start again, or name another folder"
        )

    def _open(self) -> None:
        self._connection.execute("PRAGMA synchronous = FULL")
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        query = "SELECT name FROM sqlite_master WHERE type = 'table'"
        tables = {row[0] for row in self._connection.execute(query)}
        if version == 0 and not tables - {"units"}:
            # New, or being created by another run at this moment.
            self._create()
        elif version == 0:
            raise self._refused(
                f"it is a database of another program, with the table {min(tables)!r:.40}"
            )
        elif version != _FORMAT:
            raise ValueError(
                f"the store {self.path} has the format {version}, but this version of imbtext "
                f"reads {_FORMAT}; use another folder, or the version that wrote it"
            )
        columns = [row[1] for row in self._connection.execute("PRAGMA table_info(units)")]
        if columns != [*_KEY, "scores", "error", "seconds", "arrays"]:
            raise self._refused("its columns are not those of a store")

    def _create(self) -> None:
        # SQLite does not wait for its lock when it switches to the log, so two runs that begin at
        # the same moment have to take turns here.
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError as error:
                # The lower byte is the error, the others its details.
                is_busy = error.sqlite_errorcode & 0xFF in _TAKEN
                if not is_busy or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute(_SCHEMA)
        self._connection.execute(f"PRAGMA user_version = {_FORMAT}")
        self._connection.execute("COMMIT")

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; what was added is already on disk."""
        self._connection.close()

    def add(
        self,
        key: UnitKey,
        scores: Mapping[str, float | str],
        seconds: float,
        arrays: Mapping[str, Array] | None = None,
    ) -> bool:
        """Store a finished unit; return False if it was finished before.

        A recorded failure of the same unit is replaced.

        Parameters
        ----------
        key : UnitKey
            The unit.
        scores : mapping
            Its scores by name; each becomes a column of :meth:`frame`.
        seconds : float
            How long it took.
        arrays : mapping, optional
            Arrays of numbers or bytes by name, for :meth:`arrays`.
        """
        blob = None
        if arrays is not None:
            # Before version 2.2, NumPy takes allow_pickle=False for one more array, and pickles.
            if objects := [name for name, values in arrays.items() if values.dtype.hasobject]:
                raise ValueError(f"the array {objects[0]!r} holds objects; store numbers or bytes")
            buffer = io.BytesIO()
            named: dict[str, Any] = {**arrays}  # for NumPy's types, allow_pickle could be a name
            np.savez_compressed(buffer, **named)
            blob = buffer.getvalue()
        return self._write(key, json.dumps(scores, sort_keys=True), None, seconds, blob)

    def add_failure(self, key: UnitKey, traceback: str, seconds: float) -> bool:
        """Record that a unit failed; a result that exists already is kept."""
        return self._write(key, None, traceback, seconds, None)

    def _write(
        self,
        key: UnitKey,
        scores: str | None,
        error: str | None,
        seconds: float,
        arrays: bytes | None,
    ) -> bool:
        marks = ", ".join("?" * (len(_KEY) + 4))
        with self._clear_errors():
            cursor = self._connection.execute(
                f"INSERT INTO units VALUES ({marks}) ON CONFLICT DO UPDATE SET"
                " scores = excluded.scores, error = excluded.error, seconds = excluded.seconds,"
                " arrays = excluded.arrays WHERE units.scores IS NULL",
                (*astuple(key), scores, error, seconds, arrays),
            )
        return cursor.rowcount > 0

    def arrays(self, key: UnitKey) -> dict[str, Array]:
        """Return the arrays of a finished unit, an empty dictionary if it has none.

        Raises
        ------
        KeyError
            If the unit has no result.
        """
        blobs = self._rows(("arrays",), _HAS_RESULT, astuple(key))
        if not blobs:
            with self._clear_errors():
                # A damaged index does not find what the table holds.
                verdict = self._connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
            if verdict != "ok":
                raise self._refused(verdict)
            raise KeyError(key)
        if blobs[0][0] is None:
            return {}
        try:
            with np.load(io.BytesIO(blobs[0][0]), allow_pickle=False) as archive:
                return dict(archive)
        except (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            raise self._refused(str(error)) from error

    def finished(self, keys: Iterable[UnitKey] | None = None) -> set[UnitKey]:
        """Return the units with a result: all of them, or those among `keys`."""
        if keys is None:
            return {UnitKey(*row) for row in self._rows(_KEY, "error IS NULL")}
        return {key for key in keys if self._rows(("1",), _HAS_RESULT, astuple(key))}

    def failures(self) -> list[tuple[UnitKey, str]]:
        """Return the failed units with their tracebacks."""
        rows = self._rows((*_KEY, "error"), f"error IS NOT NULL ORDER BY {', '.join(_KEY)}")
        return [(UnitKey(*row[:-1]), row[-1]) for row in rows]

    def frame(self) -> pl.DataFrame:
        """Return every finished unit as a row: its key, its seconds and one column per score."""
        names = (*_KEY, "seconds")
        units = self._rows((*names, "scores"), f"error IS NULL ORDER BY {', '.join(_KEY)}")
        try:
            rows = [
                dict(zip(names, values, strict=True)) | json.loads(scores)
                for *values, scores in units
            ]
            return pl.DataFrame(rows, infer_schema_length=None)
        except (ValueError, TypeError, pl.exceptions.PolarsError) as error:
            raise self._refused(str(error)) from error

    def _rows(
        self, columns: Sequence[str], where: str, values: tuple[object, ...] = ()
    ) -> list[tuple[Any, ...]]:
        query = f"SELECT {', '.join(columns)} FROM units WHERE {where}"
        with self._clear_errors():
            return self._connection.execute(query, values).fetchall()
