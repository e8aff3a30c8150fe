"""How much memory there is, on a machine or in a container.

In a container, the machine's memory is that of its host. Linux ends a process that takes more than
the limit of its control group, and no error is raised. So whoever knows in advance that something
cannot fit refuses it with :func:`check_memory`.
"""

import os
from contextlib import suppress
from pathlib import Path, PurePosixPath

_UNKNOWN = 2**62
# This many bytes fit anywhere: reading the limits would take longer.
FITS_ANYWHERE = 2**26
# No machine has more, and up to here sums of sizes do not overflow.
_MOST = 2**53


def check_memory(n_bytes: float, content: str, advice: str) -> None:
    """Raise if something is certain not to fit into memory.

    For the message, `content` says what needs `n_bytes` or more, and `advice` what to do about it.
    """
    memory = min(memory_size(), _MOST)
    if n_bytes > memory:
        raise ValueError(
            f"{content} take at least {n_bytes / 2**30:,.1f} GiB and do not fit into the memory of "
            f"this machine ({memory / 2**30:,.1f} GiB); {advice}"
        )


def memory_size(root: Path = Path("/")) -> int:
    """Return the bytes of memory that this process may use; a huge number if nothing says it.

    `root` is the folder in which Linux shows the control groups.
    """
    limits = [_UNKNOWN]
    with suppress(AttributeError, ValueError, OSError):  # Windows does not say
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for file in _limit_files(root):
        with suppress(ValueError, OSError):  # "max" is no limit
            limits.append(int(file.read_text()))
    return min(limit for limit in limits if limit > 0)


def _limit_files(root: Path) -> list[Path]:
    """Return the files that may hold a limit: of the control group and of those around it."""
    try:
        lines = (root / "proc/self/cgroup").read_text().splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    files = []
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, name = rest.partition(":")
        group = PurePosixPath(name.lstrip("/"))
        around = [group, *group.parents]
        if not controllers:  # version 2
            files += [root / "sys/fs/cgroup" / g / "memory.max" for g in around]
        elif "memory" in controllers.split(","):
            folder = root / "sys/fs/cgroup/memory"
            files += [folder / g / "memory.limit_in_bytes" for g in around]
    return files
