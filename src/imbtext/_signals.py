"""Signals: SIGTERM and a closed terminal end a run as cleanly as Ctrl-C.

By default SIGTERM and SIGHUP end a process at once: temporary files stay, and workers continue.
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


def take_ctrl_c_from_polars() -> None:
    """Give Ctrl-C back to the handler that Python has for it.

    Importing Polars puts a handler of its own in front. A Ctrl-C that comes while Polars works in
    any thread then becomes a KeyboardInterrupt of that thread, and the main thread, which waits for
    a line or a request, hears nothing. Call this after the import, in the main thread; uvicorn does
    the same when it takes the signal itself.
    """
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is threading.main_thread() and handler is not None:
        signal.signal(signal.SIGINT, handler)
