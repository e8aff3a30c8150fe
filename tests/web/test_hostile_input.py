"""A served model under hostile input answers 4xx, stays up, and its memory stays bounded."""

import asyncio
import contextlib
import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from imbtext import RareTextClassifier

pytestmark = pytest.mark.slow

TEXTS = ["oil price up", "crude oil price"] * 5 + ["rain today", "sun and rain", "sun"] * 9
MEBIBYTE = 2**20
# What all of it together may add to the memory of the process.
MOST_MEBIBYTES = 500
N_CONNECTIONS = 3_000

BODIES = {
    "nothing": b"",
    "half": b'{"documents": ["a',
    "deep arrays": b"[" * 2_000_000,
    "deep objects": b'{"a":' * 500_000,
    "deep document": b'{"documents": [' + b"[" * 900_000 + b"]" * 900_000 + b"]}",
    "huge": b'{"documents": ["' + b"a" * (6 * MEBIBYTE) + b'"]}',
    "many": b'{"documents": [' + b'"a",' * 900_000 + b'"a"]}',
    "many empty lists": b'{"documents": [' + b"[]," * 1_200_000 + b"[]]}",
    "huge number": b'{"documents": [' + b"9" * 1_000_000 + b"]}",
    "no number": b'{"documents": [NaN]}',
    "no UTF-8": b'{"documents": ["\xff\xfe\x00"]}',
    "half a character": b'{"documents": ["\\ud800"]}',
    "wrong type": b'{"documents": 5}',
    "wrong types": json.dumps({"documents": [None, 1, True, {}, []]}).encode(),
    "rows of anything": json.dumps({"rows": [1, None, [], "x"]}).encode(),
    "same key": b'{"documents": ["a"], "documents": 1}',
    "form": b"documents=a&documents=b",
}
REQUESTS = {
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00" * 50,
    "endless line": b"GET /" + b"a" * (2 * MEBIBYTE),
    "endless headers": b"GET / HTTP/1.1\r\n" + b"X-Header: aaaaaaaaaaaaaa\r\n" * 100_000,
    "two lengths": b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
    b"Content-Length: 6\r\n\r\n{}{}{}",
    "negative length": b"POST /predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n{}",
    "bad chunks": b"POST /predict HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"ZZ\r\nhello\r\n",
    "upgrade": b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\n"
    b"Upgrade: websocket\r\n\r\n",
    "odd path": b"GET /../../etc/passwd%00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    path = tmp_path_factory.mktemp("served") / "oil.model"
    RareTextClassifier(random_state=0).fit(TEXTS, [1] * 10 + [0] * 27).save(path)
    command = [sys.executable, "-m", "imbtext", "serve", str(path), "--port", "0"]
    command += ["--seconds", "20"]  # a busy machine is slow to refuse
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            url = process.stderr.readline().split(" at ")[1].split(". ")[0]
            assert _is_up(url)
            before = _mebibytes(process.pid)
            yield url
            assert _is_up(url)
            if before is not None:
                more = _mebibytes(process.pid) - before
                print(f"{before:.0f} MiB at first, at most {more:.0f} more")
                assert more < MOST_MEBIBYTES
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=60) == 0
            assert "Traceback" not in process.stderr.read()
        finally:
            process.kill()


@pytest.mark.parametrize("name", BODIES)
def test_a_hostile_body_is_refused_in_words(served, name):
    answer = httpx.post(f"{served}predict", content=BODIES[name], timeout=60)
    assert 400 <= answer.status_code < 500
    assert answer.json()["error"]
    assert _is_up(served)


@pytest.mark.parametrize("name", REQUESTS)
def test_a_hostile_request_ends_in_4xx_or_a_closed_connection(served, name):
    with socket.create_connection(_address(served), timeout=30) as connection:
        answer = b""
        with contextlib.suppress(OSError):  # it may be closed before all is sent
            connection.sendall(REQUESTS[name])
            connection.shutdown(socket.SHUT_WR)
            answer = connection.recv(4_000)
    assert answer == b"" or answer.split(b" ")[1].startswith(b"4") or name == "upgrade"
    assert _is_up(served)


def test_many_large_documents_at_once_are_answered_or_put_off(served):
    body = json.dumps({"documents": ["oil price " * 100_000] * 3}).encode()

    async def ask_all():
        async with httpx.AsyncClient(timeout=120) as client:
            asked = [client.post(f"{served}predict", content=body) for _ in range(60)]
            return await asyncio.gather(*asked)

    codes = [answer.status_code for answer in asyncio.run(ask_all())]
    assert set(codes) <= {200, 408, 503}
    assert _is_up(served)


def test_thousands_of_connections_that_say_little_or_nothing(served):
    host, port = _address(served)

    async def open_all():
        kept = []
        for i in range(N_CONNECTIONS):
            with contextlib.suppress(OSError, TimeoutError):
                connection = await asyncio.wait_for(asyncio.open_connection(host, port), 1)
                if i % 2:
                    connection[1].write(b"POST /predict HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
                kept.append(connection)
                if len(kept) >= 900:  # what this process may hold open is limited, too
                    kept.pop(0)[1].close()
        return kept

    async def attack():
        kept = await open_all()
        # They are cut off after some seconds, and others are answered all the while or after.
        for _ in range(60):
            if await asyncio.to_thread(_is_up, served):
                break
            await asyncio.sleep(1)
        else:
            pytest.fail("it did not come back")
        for _, writer in kept:
            writer.close()

    asyncio.run(attack())


def _is_up(url):
    try:
        answer = httpx.post(f"{url}predict", json={"documents": ["oil price"]}, timeout=60)
    except httpx.TransportError:
        return False
    return answer.status_code == 200


def _address(url):
    host, port = url.removeprefix("http://").strip("/").split(":")
    return host, int(port)


def _mebibytes(pid):
    """Return the largest memory a process had, None where the system does not tell."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return None
    (line,) = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024
