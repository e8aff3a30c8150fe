"""Folders are written whole or not at all."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from imbtext._files import check_parent


class FolderExistsError(FileExistsError):
    """A folder to write holds something already; it may be overwritten on request."""


@contextmanager
def folder_written_whole(
    path: str | os.PathLike[str], *, overwrite: bool = False
) -> Iterator[Path]:
    """Give the folder ``<path>.partial``; it becomes `path` only if the block succeeds.

    An exception removes it. What a killed run left behind is never taken for its result: the next
    run refuses to go on, and says what to do. With `overwrite` such a rest, and what `path` holds,
    are replaced.

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
    partial = target.with_name(f"{target.name}.partial")
    if target.exists() and not target.is_dir():
        raise NotADirectoryError(f"cannot write to {target}: it is a file; name a folder")
    check_parent(target, target)
    if not overwrite:
        if partial.exists():
            raise FolderExistsError(
                f"{partial} was left by a run to {target} that did not finish; unless that is "
                "still going on, remove the folder, or overwrite it"
            )
        if target.exists() and any(target.iterdir()):
            raise FolderExistsError(
                f"{target} already holds {len(list(target.iterdir()))} files; name another folder, "
                "or overwrite it"
            )
    _remove(partial)
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
        _remove(partial)


def _remove(folder: Path) -> None:
    """Remove a folder, though others who have not heard of a failure yet still write to it."""
    for _ in range(100):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            return
        time.sleep(0.05)
