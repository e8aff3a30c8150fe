"""Running an application: a socket, uvicorn, and an orderly stop.

Use a :class:`Server` in the foreground (``Server(app).run()``, until Ctrl-C or SIGTERM) or in the
background, as notebooks and tests do (``with Server(app) as server: server.url``). It listens as
soon as it is made, so a browser that is opened then waits instead of failing.

uvicorn closes a connection that is idle between two requests. But it waits forever for one that
opens and sends nothing, sends its header byte by byte, or never reads its answer. It also keeps
all lines that somebody sends before the first line of the body, and it accepts connections until
the system has no file descriptors left. :class:`TimedProtocol` does none of this: everything before
the token is looked at is limited in lines, bytes and time, and so is the number of connections.
"""

import asyncio
import errno
import json
import os
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http import HTTPStatus
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Final, Self

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.supervisors import Multiprocess

# How often we look at a connection, and how long it may take to send the header of a request.
_LOOK_SECONDS: Final = 2.0
_HEADER_SECONDS: Final = 10.0
# How long sending an answer may take, besides the time to compute it.
_SENDING_SECONDS: Final = 10
# The head of a request: its lines, and its bytes. What surrounds a body counts, too: the bytes
# between its chunks may be as many as those of the body.
_HEAD_LINES: Final = 100
_HEAD_BYTES: Final = 64 * 2**10
# Requests that a connection may send before the first is answered.
_MOST_WAITING: Final = 16
_MOST_CONNECTIONS: Final = 2_000
# Connections that are accepted at a time, and what else needs descriptors: files, the event loop.
_MOST_ACCEPTED: Final = 256
_OTHER_DESCRIPTORS: Final = 16
_BACKLOG: Final = 1024


class Server:
    """A server that listens, and runs in the foreground or in the background.

    Parameters
    ----------
    make_application : callable
        Makes the application; each worker calls it. If there are several workers, it must be
        picklable, such as a function of a module or a :func:`functools.partial` of one.
    host, port : str and int
        Where to listen; port 0 takes a free one.
    workers : int, default=1
        How many processes answer.
    seconds : float, default=30
        How long a request may take; a stop waits that long for requests under way.

    Attributes
    ----------
    url : str
        The address to open.
    """

    def __init__(
        self,
        make_application: Callable[[], ASGIApp],
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        workers: int = 1,
        seconds: float = 30.0,
    ) -> None:
        self._socket = _listen(host, port)
        port = self._socket.getsockname()[1]
        name = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)
        self.url = f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"
        self._config = uvicorn.Config(
            make_application,
            factory=True,
            http=TimedProtocol,
            ws="none",
            lifespan="on",
            interface="asgi3",
            log_level="error",  # malformed requests are warnings there, one line each
            access_log=False,
            proxy_headers=False,
            server_header=False,
            workers=workers,
            limit_concurrency=_MOST_CONNECTIONS + 1,
            backlog=_accepted_at_a_time(),
            timeout_graceful_shutdown=max(1, round(seconds)),
            timeout_worker_healthcheck=max(30, round(seconds)),
        )
        self._server = uvicorn.Server(self._config)
        self._thread: threading.Thread | None = None

    def run(self) -> None:
        """Answer until Ctrl-C or SIGTERM; requests under way are finished first."""
        try:
            with _signals_taken():
                if self._config.workers > 1:
                    _Workers(self._config, [self._socket]).run()
                else:
                    self._server.run([self._socket])
        except KeyboardInterrupt:
            pass  # this is how one stops it
        finally:
            self._socket.close()

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop a server that runs in the background."""
        self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._socket.close()


class _Workers(Multiprocess):
    """Processes that leave Ctrl-C to the one that started them.

    A terminal sends it to all of them. A worker that still loads would print a traceback and end,
    and uvicorn would wait half a minute for its answer.
    """

    def init_processes(self) -> None:
        """Start the workers. They inherit which signals are blocked."""
        if os.name == "nt":
            super().init_processes()
            return
        resource_tracker.ensure_running()  # starting it later would let Ctrl-C through again
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            super().init_processes()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def open_page(url: str) -> bool:
    """Open an address in the user's browser; return whether there is one."""
    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False


class TimedProtocol(HttpToolsProtocol):
    """A connection that is cut if it stalls, or sends more than a request needs.

    A connection either waits for a request or has one under way. It is cut if either lasts too
    long. This class does not limit the time of the application itself. If there are too many
    connections, the one that has waited longest for a request makes room.
    """

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to watch a connection."""
        super().connection_made(transport)  # type: ignore[arg-type]
        self._state: tuple[object, bool] | None = None  # the request, and whether it is awaited
        self._since = 0.0
        self._n_lines = self._n_beyond = self._n_body = 0
        self._begins = False  # whether a request began in the bytes that were just received
        self._refusal: tuple[HTTPStatus, str] | None = None
        self._look()
        if len(self.connections) > _most_connections():
            waiting = [
                other
                for other in self.connections
                if isinstance(other, TimedProtocol)
                and other._is_waiting()
                and not other.transport.is_closing()
            ]
            min(waiting, key=lambda other: other._since, default=self).transport.abort()

    def _is_waiting(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop watching."""
        self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read bytes, and refuse a request with too many of them around its body."""
        self._begins, self._n_body = False, 0
        super().data_received(data)
        if self._begins:
            self._n_beyond = 0
        else:
            self._n_beyond = max(0, self._n_beyond + len(data) - 2 * self._n_body)
        if self._n_beyond > _HEAD_BYTES and not self.transport.is_closing():
            self._refuse_head()
            self.send_400_response("")

    def on_message_begin(self) -> None:
        """Begin to count."""
        self._begins, self._n_lines = True, 0
        if len(self.pipeline) >= _MOST_WAITING:
            self._refusal = (HTTPStatus.TOO_MANY_REQUESTS, "wait for answers before asking more")
            raise ValueError
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """Keep the address, if it is short enough."""
        super().on_url(url)
        if len(self.url) > _HEAD_BYTES:
            self._refuse_head()
            raise ValueError

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a line, if there are not too many."""
        self._n_lines += 1
        if self._n_lines > _HEAD_LINES:
            self._refuse_head()
            raise ValueError
        super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        """Count what belongs to the body, which the application limits."""
        self._n_body += len(body)
        super().on_body(body)

    def _refuse_head(self) -> None:
        self._refusal = (
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
            f"the head of a request may have {_HEAD_LINES} lines and {_HEAD_BYTES:,} bytes",
        )

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request, or too much of one, and close the connection."""
        status, words = self._refusal or (HTTPStatus.BAD_REQUEST, f"{msg} Send HTTP/1.1.")
        body = json.dumps({"error": words}).encode()
        head = f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\n"
        head += f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        self.transport.write(head.encode() + body)
        self.transport.close()

    def _look(self) -> None:
        loop: asyncio.AbstractEventLoop = self.loop
        state = (self.cycle, self._is_waiting())
        if state != self._state:
            self._state, self._since = state, loop.time()
        most = _HEADER_SECONDS
        if not self._is_waiting():  # reading the body, making the answer, sending it
            most = 2 * (self.config.timeout_graceful_shutdown or 0) + _SENDING_SECONDS
        if loop.time() - self._since > most:
            self.transport.abort()
            return
        self._timer = loop.call_later(_LOOK_SECONDS, self._look)


def _descriptors() -> int | None:
    """Return how many files and sockets this process may have open; None if nothing says so."""
    if os.name == "nt":
        return None
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else soft


def _accepted_at_a_time() -> int:
    most = _descriptors()
    return _MOST_ACCEPTED if most is None else max(1, min(_MOST_ACCEPTED, most // 16))


@cache
def _most_connections() -> int:
    """Return how many connections this process keeps, so that descriptors are left."""
    most = _descriptors()
    if most is None:
        return _MOST_CONNECTIONS
    try:
        used = sum(1 for _ in Path("/dev/fd").iterdir())
    except OSError:
        used = 64
    # Those that were just accepted, and those that are being closed, come on top.
    left = most - used - _OTHER_DESCRIPTORS - 4 * _accepted_at_a_time()
    return max(4, min(_MOST_CONNECTIONS, left))


def _listen(host: str, port: int) -> socket.socket:
    if not 0 <= port <= 65535:
        raise ValueError(f"port is {port}; expected a number from 0 to 65535")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    try:
        if os.name != "nt":  # where it would let two programs share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        reason = {
            errno.EADDRINUSE: "another program uses the port; choose another, or 0 for a free one",
            errno.EACCES: "ports below 1024 are reserved; choose a higher one",
            errno.EADDRNOTAVAIL: "this machine has no such address; 0.0.0.0 means all it has",
        }.get(error.errno or 0, str(error))
        raise OSError(f"cannot listen at {host}:{port}: {reason}") from error
    listener.set_inheritable(True)
    return listener


@contextmanager
def _signals_taken() -> Iterator[None]:
    """Take the signal that uvicorn raises again once it has stopped."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda *_: None) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
