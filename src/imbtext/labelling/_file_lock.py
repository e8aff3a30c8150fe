"""A lock on the file of the labels: two processes that write it would lose decisions.

It stands apart from the file, because it is about processes and differs between systems.
"""

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import TextIO


class FileLock:
    """Keeps a second process from writing the same file; a kill lets go of it."""

    def __init__(self, path: Path) -> None:
        # Two names of one file share a lock.
        target = path.resolve()
        self._path = target.with_name(f".{target.name}.lock")
        self._stream: TextIO | None = self._locked(path)
        while not self._is_current():
            self._stream.close()
            self._stream = self._locked(path)

    def _locked(self, path: Path) -> TextIO:
        stream = self._path.open("w")
        try:
            _lock(stream)
        except OSError as error:
            stream.close()
            if error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK):
                raise ValueError(
                    f"another imbtext label is using {path}; open its page in a second browser to "
                    "label together, or stop it first"
                ) from None
            raise OSError(
                f"cannot lock {self._path}: {error.strerror}; keep the labels on a disk of this "
                "machine"
            ) from error
        return stream

    def _is_current(self) -> bool:
        """Return whether the lock counts: its last owner may have just removed the file."""
        assert self._stream is not None
        try:
            return os.path.samestat(os.fstat(self._stream.fileno()), self._path.stat())
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Let go of the file."""
        if self._stream is None:
            return
        if os.name == "nt":  # where an open file cannot be removed
            self._stream.close()
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
        else:
            self._path.unlink(missing_ok=True)
            self._stream.close()
        self._stream = None


def _lock(stream: TextIO) -> None:
    if os.name == "nt":
        import msvcrt

        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        import fcntl

        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
