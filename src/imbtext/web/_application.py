"""The guards of every application: who may ask, how much, for how long.

An application is a list of Starlette routes. :func:`guarded_application` puts the guards around
them, so a new page or endpoint is its routes and nothing else::

    async def save_answer(request):
        answer = await json_object(request)      # a dict, or a clear 400
        if "label" not in answer:
            raise RequestError(422, "the answer has no label")
        return JSONResponse({"saved": True})

    routes = [Route("/answers", save_answer, methods=["POST"])]
    app = guarded_application(routes, token=new_token())

and :class:`imbtext.web._server.Server` runs it. The guards, from the outside in:

* *Headers.* The page runs only its own scripts, nobody can frame it, and no cache keeps it. A
  response that sets one of these headers itself keeps its own.
* *Admission.* The name in the ``Host`` header must be one of ours, so that a page elsewhere cannot
  reach this machine by a name that it controls (DNS rebinding). A browser's request from another
  site is refused. If there is a token, a request must carry it: as ``Authorization: Bearer TOKEN``,
  or, for a person, once as ``?token=TOKEN`` in the address, which becomes a cookie.
* *Limits.* A body is read whole before the application sees it. It is refused if it is too large,
  too slow or one too many (:class:`Limits`). An answer that takes too long is given up.

Every error is JSON, ``{"error": "what was given, what was expected, what to do"}``.
"""

import asyncio
import hashlib
import hmac
import ipaddress
import json
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from anyio import to_thread
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Lifespan, Message, Receive, Scope, Send

from imbtext._typing import Record

LOOPBACK_HOSTS: Final = ("localhost", "127.0.0.1", "::1")
_HEADERS: Final = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Limits:
    """How much a request may ask of the server.

    Attributes
    ----------
    body_bytes : int
        The size of a body; a larger one is answered with 413.
    held_bytes : int
        The size of all bodies that are held at a time; one more is answered with 503.
    seconds : float
        How long a body may take to arrive (408), and then how long the answer may take (503).
    """

    body_bytes: int = 4 * 2**20
    held_bytes: int = 64 * 2**20
    seconds: float = 30.0


class RequestError(HTTPException):
    """A request that cannot be answered: its status, and in words what to do."""

    def __init__(self, status_code: int, detail: str, **headers: str) -> None:
        super().__init__(status_code, detail, {k.replace("_", "-"): v for k, v in headers.items()})


def guarded_application(
    routes: Sequence[BaseRoute],
    *,
    token: str | None = None,
    hosts: Iterable[str] | None = LOOPBACK_HOSTS,
    limits: Limits | None = None,
    open_paths: Sequence[str] = (),
    watch: Callable[[str, int], None] = lambda _path, _status: None,
    lifespan: Lifespan[Starlette] | None = None,
) -> Starlette:
    """Return an application with the guards around its routes.

    Parameters
    ----------
    routes : sequence of Starlette routes
        What the application answers.
    token : str, optional
        What a request must carry; None lets everyone in.
    hosts : iterable of str, optional
        The names and addresses that requests may use for this machine; None allows all. See
        :func:`hosts_of`.
    limits : Limits, optional
        How much a request may ask of the server.
    open_paths : sequence of str
        Paths that need no token, such as ``"/health"``.
    watch : callable
        Called with the path and the status of every answer, refusals included.
    lifespan : Starlette lifespan, optional
        What to start and stop with the application.
    """
    return Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[
            Middleware(_Headers, watch=watch),
            Middleware(_Admission, token=token, hosts=hosts, open_paths=open_paths),
            Middleware(_BodyLimits, limits=limits or Limits()),
        ],
        exception_handlers={HTTPException: _answer_error, Exception: _answer_failure},
    )


def hosts_of(host: str) -> tuple[str, ...] | None:
    """Return the names that requests may use for a server at this address; None allows any.

    Examples
    --------
    >>> hosts_of("127.0.0.1")
    ('localhost', '127.0.0.1', '::1')
    >>> hosts_of("0.0.0.0") is None
    True
    """
    return LOOPBACK_HOSTS if is_loopback(host) else None


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    """Return a token that nobody guesses."""
    return secrets.token_urlsafe(24)


def check_token(token: str | None) -> None:
    """Raise if a token cannot be sent in a header."""
    if token is not None and not (token.isascii() and token.isprintable() and token.strip()):
        raise ValueError(
            "the token has characters that a header cannot carry; give letters, digits and other "
            "printable ASCII characters"
        )


async def answered_in_thread(work: Callable[..., Record], *arguments: object) -> Record:
    """Call what waits for a disk or a lock; its errors say in words what was not done."""
    try:
        return await to_thread.run_sync(partial(work, *arguments))
    except ValueError as error:
        raise RequestError(422, str(error)) from None
    except OSError as error:  # such as a full disk: nothing was saved
        raise RequestError(507, str(error)) from None


async def json_object(request: Request) -> Record:
    """Return the JSON object in the body of a request; anything else is a 400."""
    return read_object(await request.body())


def read_object(body: bytes, example: str = "{...}") -> Record:
    """Return the JSON object in a body; anything else is a 400 that says what to send.

    `example` is a body that the endpoint takes.

    Examples
    --------
    >>> read_object(b'{"label": "oil"}')
    {'label': 'oil'}
    """
    send = f"send a JSON object such as {example}"
    if not body.strip():
        raise RequestError(400, f"the body is empty, not JSON; {send}")
    try:
        value = json.loads(body, parse_constant=_refuse_constant)
    except RecursionError:
        raise RequestError(400, f"the body is nested too deeply; {send}") from None
    except UnicodeDecodeError as error:
        raise RequestError(400, f"the body is not UTF-8 (byte {error.start:,}); {send}") from None
    except ValueError as error:
        raise RequestError(400, f"the body is not JSON ({str(error)[:200]}); {send}") from None
    if not isinstance(value, dict):
        raise RequestError(400, f"the body is {json_kind(value)}; {send}")
    return value


def json_kind(value: object) -> str:
    """Return what a value is called in JSON, with its article.

    Examples
    --------
    >>> json_kind([1]), json_kind(True), json_kind(None)
    ('an array', 'true or false', 'null')
    """
    if isinstance(value, bool):
        return "true or false"
    kinds = {dict: "an object", list: "an array", str: "a string", type(None): "null"}
    return kinds.get(type(value), "a number")


def _refuse_constant(name: str) -> float:
    raise ValueError(f"JSON has no number {name}; write null")


def _error_response(
    status: int, message: str, headers: Mapping[str, str] | None = None
) -> Response:
    return JSONResponse({"error": message}, status, headers)


def _answer_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _error_response(error.status_code, error.detail, error.headers)


def _answer_failure(_request: Request, _error: Exception) -> Response:
    # Starlette logs the traceback; the asker gets nothing of it.
    return _error_response(500, "the server failed; its log says why")


class _Headers:
    """Adds the headers, and reports what was answered."""

    def __init__(self, app: ASGIApp, watch: Callable[[str, int], None]) -> None:
        self.app = app
        self.watch = watch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                self.watch(scope["path"], message["status"])
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class _Admission:
    """Lets in requests that use our name, come from no other site's page and carry the token."""

    def __init__(
        self,
        app: ASGIApp,
        token: str | None,
        hosts: Iterable[str] | None,
        open_paths: Sequence[str],
    ) -> None:
        self.app = app
        self.token = token
        self.hosts = None if hosts is None else frozenset(hosts)
        self.open_paths = frozenset(open_paths)
        # All ports of a machine share cookies, so each server has a cookie name of its own.
        self.cookie = "imbtext_" + hashlib.sha256((token or "").encode()).hexdigest()[:12]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        response = self._refusal(scope)
        await (response or self.app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.hosts is not None and _host_name(host) not in self.hosts:
            return _error_response(
                421, f"this server is not called {host[:100]!r}; use its own name or address"
            )
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != host:
            return _error_response(
                403,
                f"requests from pages of {origin[:100]!r} are refused. If a proxy stands before "
                "this server, let it pass the Host header on",
            )
        if self.token is None or scope["path"] in self.open_paths:
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        in_address = dict(query).get("token")
        if scope["method"] == "GET" and self._is_token(in_address):
            return self._with_cookie(scope, headers, query)
        if self._is_token(_bearer(headers)) or self._is_token(self._cookie(headers)):
            return None
        return _error_response(
            401,
            "the token is missing or wrong. In a browser, open the address that has ?token=... in "
            "it; in a program, send the header Authorization: Bearer TOKEN",
            {"www-authenticate": "Bearer"},
        )

    def _is_token(self, candidate: str | None) -> bool:
        return candidate is not None and hmac.compare_digest(
            candidate.encode("utf-8", "replace"), str(self.token).encode()
        )

    def _cookie(self, headers: Headers) -> str | None:
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return None
        return None if morsel is None else morsel.value

    def _with_cookie(
        self, scope: Scope, headers: Headers, query: list[tuple[str, str]]
    ) -> Response:
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        # A path of two slashes would name another host.
        address = quote("/" + scope["path"].lstrip("/")) + (f"?{rest}" if rest else "")
        response: Response = RedirectResponse(address, 303)
        if headers.get("sec-fetch-site") == "cross-site":
            # Somebody followed a link in a web mail, say. A browser would not send the cookie after
            # a redirect then, but it does when our own answer leads on.
            response = Response(headers={"refresh": f"0; url={address}"})
        response.set_cookie(self.cookie, str(self.token), httponly=True, samesite="strict")
        return response


def _bearer(headers: Headers) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _host_name(host: str) -> str:
    """Return the name in a Host header, without the port and the brackets of IPv6."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


class _BodyLimits:
    """Reads the body within the limits, and cuts off an application that takes too long."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self.app = app
        self.limits = limits
        self.n_held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        body = bytearray()
        is_read = started = False

        async def receive_body() -> Message:
            nonlocal is_read
            if is_read:
                return await receive()  # a disconnection, sooner or later
            is_read = True
            return {"type": "http.request", "body": bytes(body), "more_body": False}

        async def send_started(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            try:
                async with asyncio.timeout(self.limits.seconds):
                    if not await self._read(scope, receive, body):
                        return
            except TimeoutError:
                raise RequestError(
                    408, f"the body did not arrive within {self.limits.seconds:g} seconds"
                ) from None
            async with asyncio.timeout(self.limits.seconds):
                await self.app(scope, receive_body, send_started)
        except TimeoutError:
            if not started:
                message = f"the answer took more than {self.limits.seconds:g} seconds; ask for less"
                await _closing(503, message)(scope, receive, send)
        except RequestError as error:
            if error.status_code == 413 and "expect" not in Headers(scope=scope):
                await _discard_rest(receive)
            await _closing(error.status_code, error.detail)(scope, receive, send)
        finally:
            self.n_held -= len(body)

    async def _read(self, scope: Scope, receive: Receive, body: bytearray) -> bool:
        """Read a body; return whether the sender is still there."""
        announced = Headers(scope=scope).get("content-length", "0")
        self._check(int(announced) if announced.isdecimal() else 0)
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return False
            chunk = message.get("body", b"")
            self._check(len(body) + len(chunk))
            if self.n_held + len(chunk) > self.limits.held_bytes:
                raise RequestError(503, "the server is busy with other requests; try again")
            self.n_held += len(chunk)
            body += chunk
            more = message.get("more_body", False)
        return True

    def _check(self, n_bytes: int) -> None:
        if n_bytes > self.limits.body_bytes:
            raise RequestError(
                413,
                f"the body has more than {self.limits.body_bytes:,} bytes; send fewer documents "
                "at a time",
            )


async def _discard_rest(receive: Receive) -> None:
    """Read on for a second: a sender whose connection closes too early misses the answer."""
    with suppress(TimeoutError):
        async with asyncio.timeout(1):
            while (await receive()).get("more_body", False):
                pass


def _closing(status: int, message: str) -> Response:
    """Return a refusal that closes the connection, because the body was not read."""
    headers = {"connection": "close"} | ({"retry-after": "1"} if status == 503 else {})
    return _error_response(status, message, headers)
