"""A real server on a real socket: it starts, answers, is asked to stop, and stops."""

import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from imbtext import RareTextClassifier
from imbtext.web import _server, serve
from imbtext.web._application import Limits, guarded_application
from imbtext.web._server import Server

TEXTS = ["oil price up", "crude oil price"] * 5 + ["rain today", "sun and rain", "sun"] * 9


def application(limits=None):
    async def size(request):
        return PlainTextResponse(str(len(await request.body())))

    return guarded_application([Route("/", size, methods=["GET", "POST"])], limits=limits)


def test_runs_in_the_background_and_stops():
    with Server(application) as server:
        assert server.url.startswith("http://127.0.0.1:")
        assert httpx.post(server.url, content=b"12345").text == "5"
    with pytest.raises(httpx.ConnectError):
        httpx.get(server.url)


def test_it_listens_as_soon_as_it_is_made():
    server = Server(application)
    port = int(server.url.rsplit(":", 1)[1].strip("/"))
    socket.create_connection(("127.0.0.1", port)).close()
    server.stop()


def test_a_port_in_use_is_one_line():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="another program uses the port; choose another"):
            Server(application, port=taken.getsockname()[1])


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_there_is_not_is_one_line(port):
    with pytest.raises(ValueError, match="from 0 to 65535"):
        Server(application, port=port)


@pytest.mark.parametrize(
    "sent",
    [b"", b"POST / HTTP/1.1\r\nHost: localhost\r\nX-", b"GET / HTTP/1.1\r\nHost: x\r\n\r\nG"],
)
def test_who_opens_a_connection_and_says_too_little_is_cut_off(monkeypatch, sent):
    monkeypatch.setattr(_server, "_HEADER_SECONDS", 0.1)
    monkeypatch.setattr(_server, "_LOOK_SECONDS", 0.05)
    with Server(application) as server:
        port = int(server.url.rsplit(":", 1)[1].strip("/"))
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(sent)
            while connection.recv(1000):
                pass  # until it is closed


HEADS = {
    "an endless address": (b"GET /", b"a" * 50_000, 431),
    "endless lines": (b"GET / HTTP/1.1\r\n", b"a:\r\n" * 10_000, 431),
    "an endless line": (b"GET / HTTP/1.1\r\nX-Long: ", b"a" * 50_000, 431),
    "an endless name": (b"GET / HTTP/1.1\r\n", b"a" * 50_000, 431),
    "endless requests": (b"", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000, 429),
    "an endless line after the body": (
        b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: ",
        b"a" * 50_000,
        431,
    ),
    "an endless extension of a chunk": (
        b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1;",
        b"a" * 50_000,
        431,
    ),
}


@pytest.mark.parametrize("name", HEADS)
def test_the_head_of_a_request_is_limited_before_anything_looks_at_it(name):
    begin, more, status = HEADS[name]
    with Server(lambda: guarded_application([], token="secret")) as server:
        port = int(server.url.rsplit(":", 1)[1].strip("/"))
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            sent, answer = 0, b""
            with suppress(ConnectionError):
                connection.sendall(begin)
                while sent < 2_000_000:
                    connection.sendall(more)
                    sent += len(more)
            with suppress(ConnectionError):
                while received := connection.recv(100_000):
                    answer += received
    assert sent < 2_000_000 or b"HTTP/1.1 %d" % status in answer
    assert not answer or b"HTTP/1.1 %d" % status in answer


def test_a_body_may_come_in_small_chunks():
    def chunks():
        for _ in range(30_000):
            yield b"0123456789"

    with Server(application) as server:
        assert httpx.post(server.url, content=chunks()).text == "300000"


IDLE = """
import resource, socket, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from imbtext.web._application import guarded_application
from imbtext.web._server import Server

async def answer(request):
    return PlainTextResponse("here")

server = Server(lambda: guarded_application([Route("/", answer)]))
print(server.url, flush=True)
server.run()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of descriptors on Windows")
def test_idle_connections_leave_descriptors_for_those_who_ask():
    with (
        subprocess.Popen(
            [sys.executable, "-c", IDLE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process,
        ExitStack() as idle,
    ):
        try:
            url = process.stdout.readline().strip()
            port = int(url.rsplit(":", 1)[1].strip("/"))
            for _ in range(300):
                connection = socket.create_connection(("127.0.0.1", port), timeout=10)
                idle.enter_context(connection)
            assert httpx.get(url, timeout=5).text == "here"
        finally:
            process.terminate()
        assert process.communicate(timeout=30)[1] == ""


def test_a_body_that_trickles_is_given_up():
    with Server(lambda: application(Limits(seconds=0.2))) as server:
        port = int(server.url.rsplit(":", 1)[1].strip("/"))
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n1")
            assert connection.recv(1000).startswith(b"HTTP/1.1 408")


def test_wrong_settings_are_refused(tmp_path):
    path = tmp_path / "oil.model"
    RareTextClassifier(random_state=0).fit(TEXTS, [1] * 10 + [0] * 27).save(path)
    for settings, words in [
        ({"workers": 0}, "workers is 0"),
        ({"seconds": 0}, "seconds is 0"),
        ({"body_megabytes": -1}, "body_megabytes is -1"),
        ({"token": "é"}, "ASCII"),
    ]:
        with pytest.raises(ValueError, match=words):
            serve(path, port=0, **settings)
    (tmp_path / "no.model").write_text("nothing")
    with pytest.raises(ValueError, match=r"no\.model"):
        serve(tmp_path / "no.model", port=0)


@pytest.mark.slow
def test_the_command_serves_until_it_is_told_to_stop(tmp_path):
    path = tmp_path / "oil.model"
    RareTextClassifier(random_state=0).fit(TEXTS, [1] * 10 + [0] * 27).save(path)
    command = [sys.executable, "-m", "imbtext", "serve", str(path), "--port", "0"]
    command += ["--token", "secret", "--workers", "2"]
    with _started(command, stderr=subprocess.PIPE) as process:
        url = process.stderr.readline().split(" at ")[1].split(". ")[0]
        token = {"authorization": "Bearer secret"}

        def ask(_):
            body = {"documents": ["oil price"]}
            answer = httpx.post(f"{url}predict", json=body, headers=token, timeout=60)
            return answer.json()["predictions"][0]["decision"]

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(ask, range(40))) == [1] * 40
        assert httpx.get(url, timeout=60).status_code == 401
        metrics = httpx.get(f"{url}metrics", headers=token, timeout=60).text
        assert "imbtext_documents_total 40.0" in metrics  # of all workers together
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
        assert process.stderr.read() == ""


@pytest.mark.slow
def test_a_stop_lets_requests_finish(tmp_path):
    script = tmp_path / "server.py"
    script.write_text(
        "import asyncio\n"
        "from starlette.responses import PlainTextResponse\n"
        "from starlette.routing import Route\n"
        "from imbtext.web._application import guarded_application\n"
        "from imbtext.web._server import Server\n"
        "async def slow(request):\n"
        "    await asyncio.sleep(2)\n"
        "    return PlainTextResponse('done')\n"
        "server = Server(lambda: guarded_application([Route('/', slow)]))\n"
        "print(server.url, flush=True)\n"
        "server.run()\n"
        "print('stopped', flush=True)\n"
    )
    with _started([sys.executable, str(script)], stdout=subprocess.PIPE) as process:
        url = process.stdout.readline().strip()
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(httpx.get, url, timeout=60)
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            assert answer.result().text == "done"
        assert process.wait(timeout=60) == 0
        assert process.stdout.read() == "stopped\n"


@pytest.mark.slow
def test_ctrl_c_while_polars_works_reaches_a_server_of_the_users_own(tmp_path):
    """The server has taken Ctrl-C before it imports the application, and with it Polars."""
    RareTextClassifier(random_state=0).fit(TEXTS, [1] * 10 + [0] * 27).save(tmp_path / "oil.model")
    (tmp_path / "own.py").write_text(
        "import os, signal, time\n"
        "import polars as pl\n"
        "from imbtext import RareTextClassifier\n"
        "from imbtext.web import model_application\n"
        "def interrupted(column):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(0.5)\n"
        "    return column\n"
        "class Model(RareTextClassifier):\n"
        "    def predictions(self, documents):\n"
        "        if len(documents[0]) > 1:\n"
        "            once = pl.col('a').map_batches(interrupted, return_dtype=pl.Int64)\n"
        "            pl.LazyFrame({'a': [1]}).select(once).collect()\n"
        "        return super().predictions(documents)\n"
        "model = RareTextClassifier.load('oil.model')\n"
        "model.__class__ = Model\n"
        "app = model_application(model)\n"
    )
    (tmp_path / "main.py").write_text(
        "import socket, uvicorn\n"
        "listener = socket.create_server(('127.0.0.1', 0))\n"
        "print(listener.getsockname()[1], flush=True)\n"
        "uvicorn.Server(uvicorn.Config('own:app', log_level='error')).run([listener])\n"
    )
    command = [sys.executable, "main.py"]
    with _started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        url = f"http://127.0.0.1:{process.stdout.readline().strip()}/predict"
        answer = httpx.post(url, json={"documents": ["oil price " * 2_000]}, timeout=60)
        assert answer.status_code == 200
        assert answer.json()["predictions"][0]["decision"] == 1
        process.wait(timeout=60)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no process groups to signal")
def test_ctrl_c_while_workers_start_ends_them_quietly(tmp_path):
    path = tmp_path / "oil.model"
    RareTextClassifier(random_state=0).fit(TEXTS, [1] * 10 + [0] * 27).save(path)
    command = [sys.executable, "-m", "imbtext", "serve", str(path), "--port", "0"]
    command += ["--workers", "2"]
    with _started(command, stderr=subprocess.PIPE, process_group=0) as process:
        process.stderr.readline()
        time.sleep(0.6)  # they are importing
        os.killpg(process.pid, signal.SIGINT)  # what a terminal does at Ctrl-C
        assert process.wait(timeout=60) == 0
        assert process.stderr.read() == ""


@contextmanager
def _started(command, **pipes):
    with subprocess.Popen(command, text=True, **pipes) as process:
        try:
            yield process
        finally:
            process.kill()
