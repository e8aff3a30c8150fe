"""Finished units of work, kept so that neither a kill nor a second run can harm them.

A unit is one training and scoring: an experiment's fold, category, ratio, method and repetition
under one seed and one set of settings. Each is written in a transaction of its own the moment it is
finished. A unit that is there already is never written again, so two runs on one store cannot
duplicate a result; the first one stands.

The file is SQLite with a write-ahead log: after ``kill -9`` or a power cut it holds every unit that
was committed and no half of one.
"""

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any, Final

import polars as pl

_FORMAT: Final = 1
# Seconds to wait for a lock; another process holds it for milliseconds at most.
_PATIENCE: Final = 60.0


@dataclass(frozen=True, order=True)
class UnitKey:
    """What identifies a unit of work.

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
_SCHEMA: Final = f"""
CREATE TABLE IF NOT EXISTS units (
    experiment TEXT NOT NULL, fold INTEGER NOT NULL, category TEXT NOT NULL, ratio REAL NOT NULL,
    method TEXT NOT NULL, repetition INTEGER NOT NULL, seed INTEGER NOT NULL,
    settings TEXT NOT NULL,
    scores TEXT, error TEXT, seconds REAL NOT NULL,
    PRIMARY KEY ({", ".join(_KEY)}),
    CHECK ((scores IS NULL) <> (error IS NULL))
) WITHOUT ROWID
"""


class Store:
    """The units in one file; safe to open from many processes at once.

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
        """Say in our words what SQLite met: a disk that is full, a file that is no store."""
        try:
            yield
        except sqlite3.OperationalError as error:
            # "no such table" and the like are the file's fault, not the machine's.
            if "no such" not in str(error):
                raise OSError(f"cannot use the store {self.path}: {error}") from error
            raise self._refused(str(error)) from error
        except (sqlite3.DatabaseError, MemoryError) as error:
            # A damaged size makes SQLite ask for more memory than there is.
            raise self._refused(str(error) or "a size in it is impossible") from error

    def _refused(self, reason: str) -> ValueError:
        return ValueError(
            f"{self.path} is damaged or no store of results ({reason}); move it away to begin "
            "anew, or name another folder"
        )

    def _open(self) -> None:
        self._connection.execute("PRAGMA synchronous = FULL")
        version = self._connection.execute("PRAGMA user_version").fetchone()[0]
        tables = {row[0] for row in self._connection.execute("SELECT name FROM sqlite_master")}
        if version == 0 and not tables - {"units"}:
            # New, or being created by another run at this moment.
            self._create()
        elif version == 0:
            raise self._refused(f"it is a database of another program, with {min(tables)!r:.40}")
        elif version != _FORMAT:
            raise ValueError(
                f"the store {self.path} has the format {version}, this version reads {_FORMAT};"
                " use another folder or the version of imbtext that wrote it"
            )
        columns = [row[1] for row in self._connection.execute("PRAGMA table_info(units)")]
        if columns != [*_KEY, "scores", "error", "seconds"]:
            raise self._refused("its columns are others")

    def _create(self) -> None:
        # SQLite does not wait for its lock when it switches to the log, so two runs that begin at
        # the same moment have to take turns here.
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError:
                if time.monotonic() > deadline:
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

    def add(self, key: UnitKey, scores: Mapping[str, float | str], seconds: float) -> bool:
        """Store a finished unit; return False where it was finished before.

        A recorded failure of the same unit is replaced.
        """
        text = json.dumps(scores, sort_keys=True)
        return self._write(key, text, None, seconds)

    def add_failure(self, key: UnitKey, traceback: str, seconds: float) -> bool:
        """Record that a unit failed; a result that exists already is kept."""
        return self._write(key, None, traceback, seconds)

    def _write(self, key: UnitKey, scores: str | None, error: str | None, seconds: float) -> bool:
        marks = ", ".join("?" * (len(_KEY) + 3))
        with self._clear_errors():
            cursor = self._connection.execute(
                f"INSERT INTO units VALUES ({marks}) ON CONFLICT DO UPDATE SET"
                " scores = excluded.scores, error = excluded.error, seconds = excluded.seconds"
                " WHERE units.scores IS NULL",
                (*astuple(key), scores, error, seconds),
            )
        return cursor.rowcount > 0

    def finished(self, keys: Iterable[UnitKey] | None = None) -> set[UnitKey]:
        """Return the units with a result: all of them, or those among `keys`."""
        if keys is None:
            return {UnitKey(*row) for row in self._rows(_KEY, "error IS NULL")}
        match = "error IS NULL AND " + " AND ".join(f"{name} = ?" for name in _KEY)
        return {key for key in keys if self._rows(("1",), match, astuple(key))}

    def failures(self) -> list[tuple[UnitKey, str]]:
        """Return the failed units with their tracebacks."""
        rows = self._rows((*_KEY, "error"), f"error IS NOT NULL ORDER BY {', '.join(_KEY)}")
        return [(UnitKey(*row[:-1]), row[-1]) for row in rows]

    def frame(self) -> pl.DataFrame:
        """Return every finished unit as a row: its key, its seconds and one column per score."""
        names = (*_KEY, "seconds")
        found = self._rows((*names, "scores"), f"error IS NULL ORDER BY {', '.join(_KEY)}")
        try:
            rows = [dict(zip(names, row[:-1], strict=True)) | json.loads(row[-1]) for row in found]
            return pl.DataFrame(rows, infer_schema_length=None)
        except (ValueError, TypeError, pl.exceptions.PolarsError) as error:
            raise self._refused(str(error)) from error

    def _rows(
        self, columns: Sequence[str], where: str, values: tuple[object, ...] = ()
    ) -> list[tuple[Any, ...]]:
        query = f"SELECT {', '.join(columns)} FROM units WHERE {where}"
        with self._clear_errors():
            return self._connection.execute(query, values).fetchall()
