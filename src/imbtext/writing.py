"""Files and folders are written whole or not at all, and never over an input.

A file gets its name when it is complete. A pipe, a device or standard output cannot be replaced
like that, so it gets all bytes at once when the last one is known.

The rule for every command: an output, a file beside it or a folder of work is never an input
(`check_outputs`, `check_output_folder`), and only what this program wrote is removed. Unfinished
files have a name of our own and a lock while somebody writes them; folders of work and finished
folders hold a mark, and files with names of ours and nothing else.
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
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final

__all__ = [
    "STANDARD_STREAM",
    "FolderExistsError",
    "check_output_folder",
    "check_outputs",
    "folder_written_whole",
    "output_file",
    "write_text",
    "written_whole",
]

STANDARD_STREAM = Path("-")
# The name of an unfinished file: nobody else's file has it.
_UNFINISHED: Final = re.compile(r"\.partial-imbtext-[0-9a-f]{8}(\..*)?")
# The file that marks a folder as ours; readers of folders skip names that begin with a dot.
_MARK: Final = ".imbtext"
# The files of a finished folder, such as "part-00003.parquet". Somebody's "scan-00001.pdf" is not.
_PART_OF_OURS: Final = re.compile(
    r"(part|synthetic)-\d{5,}\.(csv|tsv|jsonl|parquet|xlsx)(\.(gz|bz2|xz|zst))?"
)
# Folders where this process has looked for what killed processes left behind.
_tidied: set[Path] = set()
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
            with _partial_file(name, target) as partial:
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
    """Refuse outputs before the work begins that would fail when it is done, or remove an input.

    Such an output lies in a folder that does not exist or cannot be written to, is the input
    itself, or is named twice. `outputs` has the files that are written beside the outputs, too.
    Paths that are None or ``-`` are skipped.
    """
    named = [path for path in outputs if path is not None and path != STANDARD_STREAM]
    sources = _checked_inputs(inputs)
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


def check_output_folder(folder: Path, inputs: Iterable[Path | None]) -> None:
    """Refuse a folder to write that is or holds an input, or whose folder of work is or does."""
    for place in (folder.absolute(), _work_folder(folder)):
        for source in _checked_inputs(inputs):
            if place.resolve() in (source.resolve(), *source.resolve().parents):
                raise ValueError(
                    f"writing {folder} would replace {place}, which holds the input {source}; name "
                    "another folder for the output"
                )


def _checked_inputs(inputs: Iterable[Path | None]) -> list[Path]:
    """Return the inputs that are files, and refuse what the next run would tidy away."""
    sources = [path for path in inputs if path is not None and path != STANDARD_STREAM]
    for path in sources:
        if _UNFINISHED.fullmatch(path.name):
            raise ValueError(
                f"{path} is what a stopped run left of its output, and a later run removes it; "
                "give it another name to read it"
            )
    return sources


def _work_folder(folder: Path) -> Path:
    target = Path(os.path.abspath(folder))  # noqa: PTH100  "." has no name to put something behind
    if target.is_symlink():  # which stays: the folder it points to is the one that is written
        target = target.resolve()
    return target.with_name(f"{target.name}.partial")


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
def _partial_file(name: Path, target: Path) -> Iterator[Path]:
    """Give a file in the folder of `target`, which takes its place once it is whole."""
    _check_parent(name, target)
    _tidy(target.parent)
    mode = target.stat().st_mode if target.exists() else None
    # A new file gets the permissions that the user's umask gives; what replaces a file gets its
    # permissions, and until then nobody else may read it.
    partial, descriptor = _unfinished(name, target, 0o666 if mode is None else 0o600)
    try:
        yield partial
        if mode is not None:
            partial.chmod(mode)
        if os.name == "nt":  # where an open file can be neither moved nor removed
            os.close(descriptor)
        partial.replace(target)
    finally:
        with suppress(OSError):
            os.close(descriptor)
        partial.unlink(missing_ok=True)


def _unfinished(name: Path, target: Path, mode: int) -> tuple[Path, int]:
    """Create an unfinished file beside `target`, open and locked as long as this process lives."""
    # The suffixes stay at the end so that writers which look at them (".gz") see the right one.
    suffix = "".join(name.suffixes[-2:])
    while True:
        partial = target.with_name(f".partial-imbtext-{secrets.token_hex(4)}{suffix}")
        descriptor = os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)
        _locked(descriptor)
        # Another process may have tidied it away between the two calls.
        if partial.exists():
            return partial, descriptor
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    """Lock an open file for this process; return whether nobody else has."""
    if os.name == "nt":
        return True
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _tidy(folder: Path) -> None:
    """Remove the unfinished files of processes that died; this process looks once a folder."""
    if folder in _tidied:
        return
    _tidied.add(folder)
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if _UNFINISHED.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                _remove_if_unlocked(entry.path)


def _remove_if_unlocked(path: str) -> None:
    with suppress(OSError):
        if os.name == "nt":
            Path(path).unlink()  # which fails while somebody has it open
            return
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        try:
            if _locked(descriptor):
                Path(path).unlink()
        finally:
            os.close(descriptor)


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
    holds, if this program wrote them; anything else is refused.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "parts"
    >>> with folder_written_whole(target) as partial:
    ...     _ = (partial / "one.txt").write_text("done")
    >>> sorted(file.name for file in target.iterdir())  # the first marks the folder as ours
    ['.imbtext', 'one.txt']
    """
    partial = _work_folder(Path(path))
    target = partial.with_suffix("")
    if target.exists() and not target.is_dir():
        raise NotADirectoryError(f"cannot write to {target}: it is a file; name a folder")
    _check_parent(target, target)
    if partial.exists() and not partial.is_dir():
        raise NotADirectoryError(
            f"cannot write to {target}: its folder of work, {partial}, is a file; move it away"
        )
    _refuse_strangers(partial, [] if _is_ours(partial) else _names_in(partial))
    names = _names_in(target)
    if _is_ours(target):
        names = [name for name in names if not _is_part(target / name)]
    _refuse_strangers(target, names)
    if not overwrite:
        if partial.exists():
            raise FolderExistsError(
                f"{partial} was left by a run to {target} that did not finish; if that run is no "
                "longer at work, remove the folder, or overwrite it"
            )
        if n_files := len(_names_in(target)):
            raise FolderExistsError(
                f"{target} already holds {n_files} files; name another folder, or overwrite it"
            )
    _remove_folder(partial)
    partial.mkdir()
    (partial / _MARK).touch()
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


def _is_ours(folder: Path) -> bool:
    return not folder.is_symlink() and (folder / _MARK).is_file()


def _is_part(path: Path) -> bool:
    return path.is_file() and _PART_OF_OURS.fullmatch(path.name) is not None


def _names_in(folder: Path) -> list[str]:
    """Return the names of what a folder holds, without our mark."""
    paths = folder.iterdir() if folder.exists() else ()
    return sorted(path.name for path in paths if path.name != _MARK)


def _refuse_strangers(folder: Path, names: list[str]) -> None:
    """Refuse to replace a folder with files that this program did not write."""
    if names:
        raise FileExistsError(
            f"{folder} holds {names[0]}, which imbtext did not write, so it is not replaced; move "
            "the folder away, or name another one for the output"
        )


def _remove_folder(folder: Path) -> None:
    """Remove a folder, even while workers that have not heard of a failure write to it."""
    for _ in range(100):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.05)
