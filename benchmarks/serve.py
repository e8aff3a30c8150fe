"""Requests per second and latencies of a served model, against a plain FastAPI function.

    python benchmarks/serve.py [--seconds 8] [--text full]

Ours is ``imbtext serve`` with a `RareTextClassifier` that finds *crude* in Reuters. The other is
what one writes first: scikit-learn's tf-idf and logistic regression behind a FastAPI function. Both
run on uvicorn with httptools and one worker. wrk asks both for one document per request, at 1, 10
and 50 connections, in turns, and the best of five turns counts, as other programs use the machine
too; on a busy one, what a request costs the server in processor time says more. A client in Python
is slower than either server: httpx makes about 900 requests per second with 10 connections and 180
with 50, whatever the server. Needs fastapi, and wrk (Debian: apt-get install wrk).
"""

import argparse
import json
import pickle
import re
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from imbtext import RareTextClassifier
from imbtext.datasets import load_reuters

CONNECTIONS = (1, 10, 50)
ASKING = """
local bodies, n = {}, 0
for line in io.lines("BODIES") do bodies[#bodies + 1] = line end
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
request = function()
    n = n + 1
    return wrk.format(nil, "/predict", nil, bodies[n % #bodies + 1])
end
"""
PLAIN = """
import pickle, sys
from fastapi import FastAPI
from pydantic import BaseModel
import uvicorn

model = pickle.load(open(sys.argv[1], "rb"))
app = FastAPI()

class Documents(BaseModel):
    documents: list[str]

@app.get("/health")
def health():
    return {"status": "ok"}

@app.post("/predict")
def predict(body: Documents):
    shares = model.predict_proba(body.documents)[:, 1]
    return {"predictions": [{"decision": bool(s > 0.5), "probability": float(s)} for s in shares]}

uvicorn.run(app, port=int(sys.argv[2]), log_level="error", access_log=False, http="httptools")
"""


@contextmanager
def running(command, url):
    with subprocess.Popen(command) as process:
        try:
            for _ in range(600):
                try:
                    httpx.get(f"{url}/health")
                    break
                except httpx.TransportError:
                    time.sleep(0.1)
            yield psutil.Process(process.pid)
        finally:
            process.terminate()


def ask(url, script, n_connections, seconds):
    """Return requests per second, and the median and the slowest per cent of latencies in ms."""
    command = ["wrk", "-t1", f"-c{n_connections}", f"-d{seconds:g}s", "--latency", "-s", script]
    printed = subprocess.run([*command, url], check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in printed or "Socket errors" in printed:
        raise RuntimeError(printed)
    rate = float(re.search(r"Requests/sec: +([\d.]+)", printed)[1])
    median, slow = (
        float(number) * {"us": 1e-3, "ms": 1.0, "s": 1e3}[unit]
        for number, unit in re.findall(r"(?:50|99)% +([\d.]+)(us|ms|s)\b", printed)
    )
    return rate, median, slow


def main(seconds, text):
    data = load_reuters(text=text)
    documents = [data.texts[row] for row in data.train]
    new = [data.texts[row] for row in data.test]
    y = data.in_class("crude")[data.train]
    folder = Path(tempfile.mkdtemp())
    RareTextClassifier(random_state=0).fit(documents, y).save(folder / "crude.model")
    plain = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1_000)).fit(documents, y)
    (folder / "plain.pickle").write_bytes(pickle.dumps(plain))
    (folder / "plain.py").write_text(PLAIN)
    ours, theirs = "http://127.0.0.1:8811", "http://127.0.0.1:8812"
    serve = [sys.executable, "-m", "imbtext", "serve", str(folder / "crude.model"), "--port"]
    other = [sys.executable, str(folder / "plain.py"), str(folder / "plain.pickle"), "8812"]
    bodies, script = folder / "bodies", folder / "ask.lua"
    bodies.write_text("".join(json.dumps({"documents": [text]}) + "\n" for text in new))
    script.write_text(ASKING.replace("BODIES", str(bodies)))
    with running([*serve, "8811"], ours) as our_process, running(other, theirs) as other_process:
        servers = {"imbtext": (ours, our_process), "FastAPI": (theirs, other_process)}
        print("connections  server    requests/s  median ms  99% ms  processor ms per request")
        for n in CONNECTIONS:
            turns = {name: [] for name in servers}
            for _ in range(5):
                for name, (url, process) in servers.items():
                    before = sum(process.cpu_times()[:2])
                    rate, *latencies = ask(url, script, n, seconds)
                    cost = 1e3 * (sum(process.cpu_times()[:2]) - before) / (rate * seconds)
                    turns[name].append((rate, *latencies, cost))
            for name, measured in turns.items():
                rate, median, slow, cost = max(measured)
                print(f"{n:11}  {name:8}  {rate:10.0f}  {median:9.1f}  {slow:7.1f}  {cost:24.2f}")
            ratio = max(turns["imbtext"])[0] / max(turns["FastAPI"])[0]
            print(f"{'':11}  ratio of requests/s: {ratio:.2f}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--text", choices=["titles", "full"], default="titles")
    arguments = parser.parse_args()
    main(arguments.seconds, arguments.text)
