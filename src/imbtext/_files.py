"""Files are written whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside `path`; move it over `path` only if the block succeeds.

    The temporary file lies in the same folder, so the final move is atomic; an exception, an
    interrupt or a full disk leaves `path` as it was and removes the temporary file.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "out.txt"
    >>> with written_whole(target) as partial:
    ...     _ = partial.write_text("done")
    >>> target.read_text()
    'done'
    """
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(f"cannot write {target}: it is a folder; name a file")
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"cannot write {target}: the folder {target.parent} does not exist; create it first"
        )
    # The suffixes stay at the end so that writers which look at them (".gz") see the right one.
    handle, name = tempfile.mkstemp(
        prefix=".partial-", suffix="".join(target.suffixes[-2:]), dir=target.parent
    )
    os.close(handle)
    partial = Path(name)
    try:
        yield partial
        if target.exists():
            partial.chmod(target.stat().st_mode)
        else:
            umask = os.umask(0)
            os.umask(umask)
            partial.chmod(0o666 & ~umask)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
