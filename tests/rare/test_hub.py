"""Models on the Hugging Face hub: pushed to and fetched from a server that keeps its contract."""

import base64
import hashlib
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from imbtext import RareTextClassifier

hub = pytest.importorskip("huggingface_hub", reason="install the extra hub")

TEXTS = ["oil price", "crude oil"] * 3 + ["rain today", "sun and rain", "sun"] * 9
LABELS = ["oil"] * 6 + ["rain"] * 27
COMMIT = "1" * 40
PUSH = """
from imbtext import RareTextClassifier
print(RareTextClassifier.load({path!r}).push_to_hub("acme/oil", token="hf_secret"))
"""
FETCH = """
from imbtext import RareTextClassifier
model = RareTextClassifier.from_hub({name!r}, revision={revision!r}, token="hf_secret")
print(*model.predictions(["crude oil", "sun"]).score.tolist())
"""


class Hub(BaseHTTPRequestHandler):
    """The parts of the hub's API that a push and a fetch use; files are kept in memory."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        asked, server = self.path, self.server
        server.asked.append(("POST", asked, self.headers.get("Authorization")))
        if asked == "/api/repos/create":
            server.made = json.loads(body)
            self.answer({"url": f"{server.address}/acme/oil"})
        elif asked == "/api/validate-yaml":
            self.answer({"errors": [], "warnings": []})
        elif asked == "/api/models/acme/oil/preupload/main":
            # The hub keeps what looks like text itself, and all else in its large storage.
            files = json.loads(body)["files"]
            modes = {f["path"]: "regular" if f["path"].endswith(".md") else "lfs" for f in files}
            kept = [{"path": p, "uploadMode": m, "shouldIgnore": False} for p, m in modes.items()]
            self.answer({"files": kept})
        elif asked == "/acme/oil.git/info/lfs/objects/batch":
            objects = [
                {**one, "actions": {"upload": {"href": f"{server.address}/put/{one['oid']}"}}}
                for one in json.loads(body)["objects"]
            ]
            self.answer({"transfer": "basic", "objects": objects}, "application/vnd.git-lfs+json")
        elif asked == "/api/models/acme/oil/commit/main":
            for line in map(json.loads, body.splitlines()):
                value = line["value"]
                if line["key"] == "file":
                    server.files[value["path"]] = base64.b64decode(value["content"])
                elif line["key"] == "lfsFile":
                    server.files[value["path"]] = server.stored[value["oid"]]
                else:
                    server.message = value["summary"]
            url = f"{server.address}/acme/oil/commit/{COMMIT}"
            self.answer({"success": True, "commitUrl": url, "commitOid": COMMIT})
        else:
            self.answer({"error": f"no {asked}"}, status=404)

    def do_PUT(self):
        content = self.rfile.read(int(self.headers["Content-Length"]))
        oid = self.path.rpartition("/")[2]
        assert hashlib.sha256(content).hexdigest() == oid
        self.server.stored[oid] = content
        self.answer({})

    def do_HEAD(self):
        self.give(body=False)

    def do_GET(self):
        self.give(body=True)

    def give(self, body):
        self.server.asked.append((self.command, self.path, self.headers.get("Authorization")))
        name = self.path.partition("/resolve/")[2].partition("/")[2]
        found = self.server.files.get(name) if self.path.startswith("/acme/oil/") else None
        self.send_response(404 if found is None else 200)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("Content-Length", str(len(found or b"")))
        if found is None:
            self.send_header("X-Error-Code", "EntryNotFound")
        else:
            self.send_header("ETag", f'"{hashlib.sha256(found).hexdigest()}"')
        self.end_headers()
        if body and found is not None:
            self.wfile.write(found)

    def answer(self, content, kind="application/json", status=200):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def served():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    server.address = f"http://127.0.0.1:{server.server_port}"
    server.asked, server.files, server.stored = [], {}, {}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def run(served, tmp_path):
    def run_code(code):
        return subprocess.run(
            [sys.executable, "-c", code],
            env={
                **os.environ,
                "HF_ENDPOINT": served.address,
                "HF_HOME": str(tmp_path / "hub"),
                "HF_HUB_DISABLE_XET": "1",
                "HF_HUB_OFFLINE": "0",
                "NO_PROXY": "127.0.0.1",
            },
            capture_output=True,
            text=True,
            check=False,
        )

    return run_code


@pytest.mark.slow
def test_a_model_is_pushed_with_its_card_and_fetched_again(served, run, tmp_path):
    model = RareTextClassifier(random_state=0).fit(TEXTS, LABELS)
    path = tmp_path / "oil.model"
    model.save(path)
    ran = run(PUSH.format(path=str(path)))
    assert ran.stdout == f"{served.address}/acme/oil/commit/{COMMIT}\n", ran.stderr
    assert served.made["name"] == "oil"
    assert served.made.get("visibility", "private" if served.made.get("private") else "") == (
        "private"
    )
    assert served.message == "A model of imbalanced-text"
    assert served.files["model.imbtext"] == path.read_bytes()
    assert {token for _, asked, token in served.asked if "commit" in asked} == {"Bearer hf_secret"}
    card = hub.ModelCard(served.files["README.md"].decode())
    data = card.data.to_dict()
    assert (data["language"], data["library_name"]) == ("en", "imbalanced-text")
    expected = model.expectation_[0]
    results = {one.metric_type: one for one in card.data.eval_results}
    assert results["recall"].metric_value == round(expected.recall.mean, 4)
    assert results["precision"].metric_value == round(expected.precision.mean, 4)
    assert results["average_precision"].metric_value == round(expected.average_precision, 4)
    assert f"{expected.recall.lower:.3f} to {expected.recall.upper:.3f}" in (
        results["recall"].metric_name
    )
    assert "# A model that finds" in card.text
    assert "RareTextClassifier.from_hub('acme/oil')" in card.text

    ran = run(FETCH.format(name="acme/oil", revision=COMMIT))
    scores = np.array(ran.stdout.split(), float)
    assert scores.tolist() == model.predictions(["crude oil", "sun"]).score.tolist(), ran.stderr
    assert any(f"/acme/oil/resolve/{COMMIT}/model.imbtext" in asked for _, asked, _ in served.asked)


@pytest.mark.slow
def test_a_repository_without_a_model_is_one_sentence(served, run):
    ran = run(FETCH.format(name="acme/oil", revision=None))
    assert "ValueError: acme/oil has no model.imbtext, which push_to_hub writes" in ran.stderr
