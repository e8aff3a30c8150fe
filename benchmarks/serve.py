"""Requests per second and latencies of a served model, against a plain FastAPI function.

    python benchmarks/serve.py [--seconds 8] [--text full]

Ours is ``imbtext serve`` with a `RareTextClassifier` that finds *crude* in Reuters. The other is
what one writes first: scikit-learn's tf-idf and logistic regression behind a FastAPI function. Both
run on uvicorn with httptools and one worker, and are asked by the same client (httpx, kept-alive
connections) for one document per request, at 1, 10 and 50 connections, in turns. Needs fastapi.
"""

import argparse
import asyncio
import itertools
import pickle
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from imbtext import RareTextClassifier
from imbtext.datasets import load_reuters

CONNECTIONS = (1, 10, 50)
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
            yield
        finally:
            process.terminate()


async def ask(url, documents, n_connections, seconds):
    """Return the seconds of each request that was answered."""
    latencies = []
    waiting = itertools.cycle(documents)
    limits = httpx.Limits(max_connections=n_connections, max_keepalive_connections=n_connections)
    async with httpx.AsyncClient(timeout=60, limits=limits, verify=False) as client:
        end = time.perf_counter() + seconds

        async def one():
            while (begin := time.perf_counter()) < end:
                answer = await client.post(f"{url}/predict", json={"documents": [next(waiting)]})
                assert answer.status_code == 200, answer.text
                latencies.append(time.perf_counter() - begin)

        await asyncio.gather(*(one() for _ in range(n_connections)))
    return np.array(latencies)


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
    with running([*serve, "8811"], ours), running(other, theirs):
        print("connections  server    requests/s  median ms  99 % ms")
        for n in CONNECTIONS:
            rates = {}
            for name, url in (("imbtext", ours), ("FastAPI", theirs)):
                asyncio.run(ask(url, new, n, 0.5))  # warm
                latencies = asyncio.run(ask(url, new, n, seconds))
                rates[name] = len(latencies) / seconds
                median, slow = np.quantile(latencies, [0.5, 0.99]) * 1e3
                print(f"{n:11}  {name:8}  {rates[name]:10.0f}  {median:9.1f}  {slow:7.1f}")
            print(f"{'':11}  ratio of requests/s: {rates['imbtext'] / rates['FastAPI']:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--text", choices=["titles", "full"], default="titles")
    arguments = parser.parse_args()
    main(arguments.seconds, arguments.text)
