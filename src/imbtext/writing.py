"""Files and folders are written whole or not at all.

A file gets its name when it is complete. A pipe, a device or standard output cannot be replaced
like that, so it gets all bytes at once when the last one is known.
"""

import errno
import os
import re
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

__all__ = [
    "STANDARD_STREAM",
    "FolderExistsError",
    "check_outputs",
    "folder_written_whole",
    "output_file",
    "write_text",
    "written_whole",
]

STANDARD_STREAM = Path("-")
_DESCRIPTOR = re.compile(r"/(?:dev|proc/(?:self|thread-self|\d+))/fd/(\d+)")
_NAMED_DESCRIPTORS = {"/dev/stdout": 1, "/dev/stderr": 2}


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path; what is written there becomes `path` only if the block succeeds.

    The temporary file lies in the folder of `path`, so the final move is atomic; an exception, an
    interrupt or a full disk leaves `path` as it was and removes the temporary file. A symbolic
    link stays a link: the file it points to is the one that is written. Devices, pipes and
    descriptors (``/dev/stdout``) are never replaced; they get the bytes when all are there.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "out.txt"
    >>> with written_whole(target) as partial:
    ...     _ = partial.write_text("done")
    >>> target.read_text()
    'done'
    """
    name = Path(path)
    target = _followed(name)
    if _descriptor(target) == 1 and sys.stdout is None:
        raise OSError("cannot write to standard output: it is closed; name a file")
    try:
        if _descriptor(target) is not None or (target.exists() and not target.is_file()):
            _refuse_folder(name, target)
            with _spooled(target) as spool:
                yield spool
        else:
            with _beside(name, target) as partial:
                yield partial
    except OSError as error:
        explained = _explained(error, name)
        if explained is error:  # an error that is its own cause sends Dask round in circles
            raise
        raise explained from error


@contextmanager
def output_file(path: Path) -> Iterator[Path]:
    """Give a path to write to, as :func:`written_whole`; ``-`` is standard output."""
    standard = Path("/dev/stdout") if path == STANDARD_STREAM else path
    with written_whole(standard) as partial:
        yield partial


def write_text(text: str, path: str | os.PathLike[str]) -> None:
    """Write text as UTF-8 with the same bytes on every system, whole or not at all.

    The path ``-`` is standard output.
    """
    with output_file(Path(path)) as partial:
        partial.write_text(text, encoding="utf-8", newline="")


def check_outputs(outputs: Iterable[Path | None], inputs: Iterable[Path | None]) -> None:
    """Refuse outputs before the work begins that would fail when it is done.

    Such an output lies in a folder that does not exist or cannot be written to, is the input
    itself, or is named twice. Paths that are None or ``-`` are skipped.
    """
    named = [path for path in outputs if path is not None and path != STANDARD_STREAM]
    sources = [path for path in inputs if path is not None and path != STANDARD_STREAM]
    for path in named:
        target = _followed(path)
        _refuse_folder(path, target)
        if target.is_file() and any(
            source.exists() and target.samefile(source) for source in sources
        ):
            raise ValueError(f"{path} is the input itself; name another file for the output")
        if _descriptor(target) is None and not target.exists():
            _check_parent(path, target)
            if not os.access(target.parent, os.W_OK):
                raise PermissionError(f"cannot write {path}: no permission to write in its folder")
    if len({_followed(path).resolve() for path in named}) < len(named):
        listed = ", ".join(map(str, named))
        raise ValueError(f"two outputs are the same file ({listed}); name different ones")


def _followed(path: Path) -> Path:
    """Follow symbolic links, but not beyond a name that stands for an open descriptor."""
    for _ in range(40):
        if _descriptor(path) is not None or not path.is_symlink():
            return path
        path = Path(os.path.normpath(path.parent / path.readlink()))
    raise OSError(f"cannot write {path}: its symbolic links form a loop")


def _descriptor(path: Path) -> int | None:
    name = path.as_posix()
    if name in _NAMED_DESCRIPTORS:
        return _NAMED_DESCRIPTORS[name]
    match = _DESCRIPTOR.fullmatch(name)
    return int(match[1]) if match else None


def _refuse_folder(name: Path, target: Path) -> None:
    if target.is_dir():
        raise IsADirectoryError(f"cannot write {name}: it is a folder; name a file")


def _check_parent(name: Path, target: Path) -> None:
    """Refuse a path whose folder does not exist."""
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"cannot write {name}: the folder {target.parent} does not exist; create it first"
        )


@contextmanager
def _beside(name: Path, target: Path) -> Iterator[Path]:
    _check_parent(name, target)
    # The suffixes stay at the end so that writers which look at them (".gz") see the right one.
    suffix = "".join(name.suffixes[-2:])
    partial = target.with_name(f".partial-{secrets.token_hex(4)}{suffix}")
    mode = target.stat().st_mode if target.exists() else None
    # A new file gets the permissions that the user's umask gives; what replaces a file gets its
    # permissions, and until then nobody else may read it.
    partial.touch(0o666 if mode is None else 0o600, exist_ok=False)
    try:
        yield partial
        if mode is not None:
            partial.chmod(mode)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def _spooled(target: Path) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="imbtext-output-") as folder:
        spool = Path(folder) / ("spool" + "".join(target.suffixes[-2:]))
        yield spool
        try:
            with spool.open("rb") as finished, _stream(target) as stream:
                shutil.copyfileobj(finished, stream)
                stream.flush()
        except BrokenPipeError:
            # The reader has seen enough (as in "| head"), which is not an error. Python would
            # complain once more when it flushes standard output on exit.
            if _descriptor(target) == 1:
                with Path(os.devnull).open("wb") as nowhere:
                    os.dup2(nowhere.fileno(), sys.stdout.fileno())


@contextmanager
def _stream(target: Path) -> Iterator[IO[bytes]]:
    descriptor = _descriptor(target)
    if descriptor == 1:
        sys.stdout.flush()
        yield sys.stdout.buffer
    elif descriptor is not None:
        with os.fdopen(os.dup(descriptor), "wb") as stream:
            yield stream
    else:
        with target.open("wb") as stream:
            yield stream


def _explained(error: OSError, path: Path) -> OSError:
    if error.errno is None or not error.strerror:
        return error
    hint = {
        errno.ENOSPC: "; free some space or write elsewhere",
        errno.EACCES: "; choose a folder you may write to",
    }.get(error.errno, "")
    return OSError(f"cannot write {path}: {error.strerror}{hint}; nothing was written")


class FolderExistsError(FileExistsError):
    """The folder to write exists and is not empty; callers can ask to overwrite it."""


@contextmanager
def folder_written_whole(
    path: str | os.PathLike[str], *, overwrite: bool = False
) -> Iterator[Path]:
    """Give the folder ``<path>.partial``; it becomes `path` only if the block succeeds.

    An exception removes it. What a killed run left behind is never mistaken for its result: the
    next run stops and says what to do. `overwrite` replaces both the leftover and what `path`
    holds.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "parts"
    >>> with folder_written_whole(target) as partial:
    ...     _ = (partial / "one.txt").write_text("done")
    >>> [file.name for file in target.iterdir()]
    ['one.txt']
    """
    target = Path(os.path.abspath(path))  # noqa: PTH100  "." has no name to put something behind
    if target.is_symlink():  # which stays: the folder it points to is the one that is written
        target = target.resolve()
    partial = target.with_name(f"{target.name}.partial")
    if target.exists() and not target.is_dir():
        raise NotADirectoryError(f"cannot write to {target}: it is a file; name a folder")
    _check_parent(target, target)
    if not overwrite:
        if partial.exists():
            raise FolderExistsError(
                f"{partial} was left by a run to {target} that did not finish; if that run is no "
                "longer at work, remove the folder, or overwrite it"
            )
        if target.exists() and any(target.iterdir()):
            raise FolderExistsError(
                f"{target} already holds {len(list(target.iterdir()))} files; name another folder, "
                "or overwrite it"
            )
    _remove_folder(partial)
    partial.mkdir()
    try:
        yield partial
        if target.exists():
            replaced = Path(tempfile.mkdtemp(prefix=".replaced-", dir=target.parent))
            target.replace(replaced / target.name)
            partial.replace(target)
            shutil.rmtree(replaced)
        else:
            partial.replace(target)
    finally:
        _remove_folder(partial)


def _remove_folder(folder: Path) -> None:
    """Remove a folder, even while workers that have not heard of a failure write to it."""
    for _ in range(100):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.05)
