"""A server that speaks the OpenAI-compatible chat protocol, and the ways in which it can fail.

One call of :meth:`ChatServer.ask` is one request. What may pass by itself (too many requests, an
error of the server, a lost connection, an answer cut short) is a `PassingFailureError` for the
caller to wait and try again; what will not is a `PromptingError`.
"""

import http.client
import ipaddress
import json
import os
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from imbtext.oversampling._prompt_answers import Answer, PromptingError

Messages = list[dict[str, str]]

_PASSING = {408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529}
_LARGEST_ANSWER = 32 * 2**20
_SHOWN = 300


class PassingFailureError(Exception):
    """A failure that may pass.

    `wait` is the seconds after which the server wants to be asked again; `was_sent` says whether
    the question may have reached the model, and so have been charged.
    """

    def __init__(self, reason: str, wait: float | None = None, *, was_sent: bool = False) -> None:
        super().__init__(reason)
        self.wait = wait
        self.was_sent = was_sent


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirection would carry the key to another host."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


@dataclass(frozen=True)
class ChatServer:
    """Where to ask, and for which model.

    `key_variable` names the environment variable that holds the key. The key itself is never kept.
    """

    base_url: str
    model: str
    key_variable: str | None
    temperature: float
    max_tokens: int
    timeout: float

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(
                "base_url must be the address of a server, such as https://api.openai.com/v1"
            )
        if parts.username or parts.password or parts.query:
            raise ValueError(
                "base_url holds a name, a password or a query; give the plain address and put the "
                "key into the environment variable that api_key_variable names"
            )

    def _settings(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
        }

    def identity(self) -> dict[str, Any]:
        """Return what determines an answer besides the messages."""
        return {"base_url": self.base_url.rstrip("/"), **self._settings()}

    def ask(self, messages: Messages) -> Answer:
        """Send one request and return the answer."""
        key = self._key()
        body = {**self._settings(), "messages": messages}
        request = urllib.request.Request(
            self.base_url.rstrip("/") + "/chat/completions",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json", "Accept": "application/json"},
            method="POST",
        )
        if key:
            # Unredirected headers also stay out of what urllib shows of a request.
            request.add_unredirected_header("Authorization", f"Bearer {key}")
        try:
            content = self._send(request)
        except urllib.error.HTTPError as error:
            with error:
                raise self._failure(error, key) from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _lost(error, key) from None
        return _answer(content, key)

    def _key(self) -> str:
        if self.key_variable is None:
            return ""
        key = os.environ.get(self.key_variable, "").strip()
        if not key:
            raise PromptingError(
                f"the environment variable {self.key_variable} holds no key; set it, or pass "
                "api_key_variable=None for a server that needs none"
            )
        if not (key.isascii() and key.isprintable()):
            raise PromptingError(
                f"the environment variable {self.key_variable} holds characters that no key has; "
                "set it to the key alone"
            )
        parts = urlsplit(self.base_url)
        if parts.scheme == "http" and not _is_here(parts.hostname or ""):
            raise PromptingError(
                f"the key in {self.key_variable} would travel to {parts.hostname} unencrypted; "
                "use an https address, or api_key_variable=None if the server needs no key"
            )
        return key

    def _send(self, request: urllib.request.Request) -> bytes:
        opener = urllib.request.build_opener(_NoRedirect)
        with opener.open(request, timeout=self.timeout) as response:
            content: bytes = response.read(_LARGEST_ANSWER)
            expected = response.headers.get("Content-Length")
            if expected is not None and len(content) < int(expected):
                raise http.client.IncompleteRead(content)
        return content

    def _failure(self, error: urllib.error.HTTPError, key: str) -> Exception:
        try:
            body = error.read(2**16)
        except (OSError, http.client.HTTPException):
            body = b""
        reason = f"the server answered {error.code}: {_redacted(_message(body), key)}"
        if error.code == 429 and b"insufficient_quota" in body:
            return PromptingError(f"{reason}; the account has no credit left")
        if error.code in _PASSING:
            return PassingFailureError(reason, _retry_after(error.headers.get("Retry-After")))
        return PromptingError(f"{reason}; {_advice(error.code, self)}")


def _advice(code: int, server: ChatServer) -> str:
    if code in (401, 403):
        return f"look at the key in the environment variable {server.key_variable}"
    if code == 404:
        return f"look at base_url ({server.base_url}) and model ({server.model!r})"
    if 300 <= code < 400:
        return "give the address that it moved to as base_url"
    return "the request will not do better if it is repeated"


def _lost(error: Exception, key: str) -> PassingFailureError:
    """Name what happened to a connection."""
    reason = getattr(error, "reason", error)
    refused = isinstance(reason, ConnectionRefusedError)
    if isinstance(reason, TimeoutError):
        text = "no answer came in time"
    else:
        text = f"the connection failed ({_redacted(f'{type(reason).__name__}: {reason}', key)})"
    return PassingFailureError(text, was_sent=not refused)


def _answer(content: bytes, key: str) -> Answer:
    """Read the answer out of a response."""
    try:
        body = json.loads(content)
        choice = body["choices"][0]
        message = choice["message"]
        text = message.get("content") or ""
        if isinstance(text, list):  # parts of a message
            text = "".join(part.get("text", "") for part in text)
        refused = bool(message.get("refusal")) or choice.get("finish_reason") == "content_filter"
        usage = body.get("usage") or {}
        tokens = usage.get("prompt_tokens"), usage.get("completion_tokens")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        shown = _redacted(content.decode(errors="replace"), key)
        raise PassingFailureError(
            f"the server's response is no chat completion: {shown!r}", was_sent=True
        ) from None
    prompt, completion = (n if isinstance(n, int) and n >= 0 else None for n in tokens)
    return Answer(_without(str(text), key), prompt, completion, refused)


def _message(body: bytes) -> str:
    try:
        error = json.loads(body)["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (ValueError, KeyError, TypeError):
        return body.decode(errors="replace")


def _redacted(text: str, key: str) -> str:
    """Shorten a text and cut the key out of it, whole or in part."""
    return " ".join(_without(text, key).split())[:_SHOWN]


def _without(text: str, key: str) -> str:
    # Servers like to quote the beginning or the end of a key that they refuse.
    pieces = (key, key[:8], key[-8:]) if len(key) > 16 else (key,)
    for piece in filter(None, pieces):
        text = text.replace(piece, "[key]")
    return text


def _retry_after(value: str | None) -> float | None:
    """Read a Retry-After: seconds, or a date."""
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


def _is_here(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
