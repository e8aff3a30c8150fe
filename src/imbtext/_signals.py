"""SIGTERM and a closed terminal end a run as cleanly as Ctrl-C does.

By default these signals end a process at once: temporary files stay, and workers continue.
"""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def terminated_cleanly() -> Iterator[None]:
    """Turn SIGTERM and a closed terminal into an exit that passes through every ``finally``.

    A signal that already has a handler, or is ignored as under nohup, keeps its meaning.
    """

    def leave(number: int, _frame: object) -> None:
        sys.exit(128 + number)

    is_main = threading.current_thread() is threading.main_thread()
    names = ("SIGTERM", "SIGHUP") if is_main else ()
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    ours = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]
    for number in ours:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
