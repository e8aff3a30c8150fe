"""A real HTTP server on the loopback interface that fails in the ways such servers do.

The real ``openai`` client talks to it.
"""

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def completion(documents, **more):
    """A response in the form of the chat protocol."""
    text = documents if isinstance(documents, str) else json.dumps(documents)
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    choice["message"].update(more.pop("message", {}))
    choice.update(more.pop("choice", {}))
    return {
        "choices": [choice],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20},
        **more,
    }


class Script:
    """What the server does with the k-th request: a response, or a failure by name.

    After the last entry it goes on with the last one.
    """

    def __init__(self, *steps):
        self.steps = steps
        self.requests = []
        self.ended = threading.Event()
        self.lock = threading.Lock()

    def take(self, request):
        with self.lock:
            self.requests.append(request)
            return self.steps[min(len(self.requests), len(self.steps)) - 1]


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = {"path": self.path, "body": body}
        request["headers"] = {name.lower(): value for name, value in self.headers.items()}
        request["at"] = time.monotonic()
        step = self.server.script.take(request)
        if callable(step):
            step = step(request)
        if isinstance(step, dict) and "status" in step:
            self.reply(step["status"], step.get("body", ""), step.get("headers", {}))
        elif step == "drop":
            self.connection.close()
        elif step == "slow":
            time.sleep(1.0)
            self.close_connection = True
        elif step == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "5000")
            self.end_headers()
            self.wfile.write(b'{"choices": [')
            self.close_connection = True
        elif step == "drip":
            # Always a sign of life, never an answer.
            self.send_response(200)
            self.end_headers()
            while not self.server.script.ended.wait(0.02):
                self.wfile.write(b" ")
        else:
            self.reply(200, step if isinstance(step, str) else json.dumps(step), {})

    def reply(self, status, body, headers):
        content = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # a client that gave up is part of the test


@contextmanager
def serving(*steps):
    script = Script(*steps)
    server = Server(("127.0.0.1", 0), Handler)
    server.script = script
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", script
    finally:
        script.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()
