"""Where data files are: a folder the user names, or a cache filled once.

The layout is the same in both::

    nltk_data/corpora/reuters.zip               as nltk.download("reuters") leaves it
    nltk_data/corpora/stopwords.zip
    huffpost/News_Category_Dataset_v3.json      or .json.gz, or .zip as Kaggle gives it
    scikit_learn_data/20news-bydate_py3.pkz     as scikit-learn caches it

A file is moved into the cache after its checksum was checked, under a lock that other processes
respect. The next download removes whatever a killed one left behind.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout
from rich.progress import Progress

from imbtext._data_folders import CACHE_VARIABLE, DATA_VARIABLE, cache_folder, named_folder
from imbtext._extras import require
from imbtext.datasets._dataset import DamagedDataError
from imbtext.progress import progress_bar

# Seconds to wait for another process that downloads, and between two attempts.
_PATIENCE = 24 * 3600.0
_ATTEMPT = 0.5


@dataclass(frozen=True)
class RemoteFile:
    """A file to fetch once: its place in the cache, its address, and its checksum."""

    path: str
    url: str
    checksum: str  # "sha256:..." or "md5:...", as pooch writes it


def obtain(
    remote: RemoteFile, *, data_home: str | os.PathLike[str] | None = None, quiet: bool = False
) -> Path:
    """Return the local copy of `remote`, or the folder it unpacks to, fetching it if need be.

    A copy in the cache that does not match its checksum is fetched again.
    """
    candidates = (remote.path, remote.path.removesuffix(".zip"))
    if copy := _users_copy(candidates, data_home):
        return copy
    cached = _first_existing(cache_folder(), candidates)
    packed = cached == cache_folder() / remote.path
    if cached is None or (packed and not matches(cached, remote.checksum)):
        return fetch(remote, quiet=quiet)
    return cached


def find(
    candidates: tuple[str, ...], data_home: str | os.PathLike[str] | None = None
) -> Path | None:
    """Return the first of `candidates` in the user's folder or the cache, None if not there."""
    return _users_copy(candidates, data_home) or _first_existing(cache_folder(), candidates)


def _users_copy(
    candidates: tuple[str, ...], data_home: str | os.PathLike[str] | None
) -> Path | None:
    """Return the first of `candidates` in the folder that the user names.

    The folder `data_home` must hold the data. ``IMBTEXT_DATA`` is only the first place to look.
    """
    if data_home is None:
        folder = named_folder()
        return None if folder is None else _first_existing(folder, candidates)
    copy = _first_existing(Path(data_home).expanduser(), candidates)
    if not copy:
        raise FileNotFoundError(
            f"data_home={str(data_home)!r} does not hold {' or '.join(candidates)}; put the file "
            f"there, or leave data_home out to use the cache"
        )
    return copy


def _first_existing(folder: Path, candidates: tuple[str, ...]) -> Path | None:
    return next((folder / name for name in candidates if (folder / name).exists()), None)


def fetch(remote: RemoteFile, *, quiet: bool = False) -> Path:
    """Download `remote` into the cache unless a whole copy is already there."""
    return enter(
        cache_folder() / remote.path,
        lambda folder: _download(remote, folder, quiet=quiet),
        lambda cached: matches(cached, remote.checksum),
    )


def enter(
    target: Path, make: Callable[[Path], Path], is_whole: Callable[[Path], bool] = Path.is_file
) -> Path:
    """Let `make` write a file into a folder of its own, then move that file into the cache.

    A whole file that is there already stays; another process may have fetched it meanwhile.
    """
    with locked(target):
        if target.is_file() and is_whole(target):
            return target
        prefix = f".partial-{target.name}-"
        for leftover in target.parent.glob(f"{prefix}*"):
            shutil.rmtree(leftover, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=prefix, dir=target.parent) as folder:
            make(Path(folder)).replace(target)
    return target


@contextmanager
def evicted_if_damaged(source: Path) -> Iterator[None]:
    """If `source` is in the cache and damaged, remove it, so that it is fetched the next time."""
    try:
        yield
    except DamagedDataError:
        if source.is_relative_to(cache_folder()):
            source.unlink(missing_ok=True)
        raise


def _download(remote: RemoteFile, folder: Path, *, quiet: bool) -> Path:
    pooch = require("pooch")
    name = Path(remote.path).name
    advice = (
        f"download it yourself, put it at {remote.path} in a folder of your choice and name that "
        f"folder with data_home or {DATA_VARIABLE}"
    )
    pooch.get_logger().setLevel("WARNING")
    with progress_bar(quiet=quiet) as bar:
        downloader = pooch.HTTPDownloader(progressbar=_PoochBar(bar, name), timeout=30)
        try:
            path = pooch.retrieve(
                remote.url,
                known_hash=remote.checksum,
                fname=name,
                path=folder,
                downloader=downloader,
            )
        except ValueError as error:
            raise DamagedDataError(
                f"{remote.url} sent something other than {name} (the checksum is not "
                f"{remote.checksum}), so nothing was kept; try again, or {advice}"
            ) from error
        except OSError as error:
            raise OSError(f"cannot download {remote.url} ({error}); {advice}") from error
    return Path(path)


class _PoochBar:
    """What pooch asks of a progress bar, passed to ours; it sets `total` before it begins."""

    total = 0

    def __init__(self, bar: Progress, name: str) -> None:
        self._bar, self._task = bar, bar.add_task(f"downloading {name}", total=None)

    def update(self, n: int) -> None:
        self._bar.update(self._task, total=self.total or None, advance=n)

    def reset(self) -> None:
        """Do nothing: pooch resets only to count the bytes a second time."""

    def close(self) -> None:
        """Do nothing: the context manager closes the bar."""


def matches(path: Path, checksum: str) -> bool:
    """Return whether the file has the checksum, written as ``"algorithm:hex"``.

    Examples
    --------
    >>> matches(Path(__file__), "sha256:0")
    False
    """
    algorithm, expected = checksum.split(":")
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, algorithm).hexdigest() == expected


@contextmanager
def locked(target: Path) -> Iterator[None]:
    """Hold the lock of a cache file: one process fetches, the others wait and find it there.

    The system lets go of the lock when its holder dies, so no lock can be stale. The lock file
    itself stays, because removing it would let two processes hold it at once.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    path = target.parent / f".{target.name}.lock"
    lock = FileLock(path, timeout=_PATIENCE, poll_interval=_ATTEMPT)
    try:
        lock.acquire()
    except (OSError, Timeout) as error:
        raise _no_lock(path, error) from error
    try:
        yield
    finally:
        lock.release()


def _no_lock(lock: Path, error: OSError) -> OSError:
    return OSError(
        f"cannot lock {lock} ({error}); name a folder that you can write to with {CACHE_VARIABLE}"
    )
