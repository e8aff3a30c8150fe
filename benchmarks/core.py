"""The core's speed, as ratios measured side by side in one run.

Run in the clone, as it needs the paper's preprocessing: ``PYTHONPATH=. python benchmarks/core.py``.

Reuters is read from ``IMBTEXT_DATA`` or from shared/data beside the repository. Every row says what
is compared with what a user would otherwise use; times are the best of several alternating rounds.
"""

import argparse
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import markovify
import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.feature_extraction.text import TfidfVectorizer

from imbtext import EMCO, minority_share
from imbtext.datasets import load_reuters, load_stopwords
from imbtext.documents import Corpus
from imbtext.markov import MarkovChain, TransitionCounts
from paper.preprocessing import PaperPreprocessor
from plain_emco import PlainEMCO, plain_oversample

SHARE = 0.2


def best(*functions, rounds=3):
    """Return the shortest time of each function, run in turns."""
    times = [[] for _ in functions]
    for _ in range(rounds):
        for function, collected in zip(functions, times, strict=True):
            start = time.perf_counter()
            function()
            collected.append(time.perf_counter() - start)
    return [min(collected) for collected in times]


def data_home():
    named = os.environ.get("IMBTEXT_DATA")
    return Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"


def reuters(home):
    data = load_reuters("full", data_home=home)
    texts = [data.texts[i] for i in data.train]
    corpus = PaperPreprocessor(load_stopwords(data_home=home)).fit_transform(texts)
    positive = {name: data.in_class(name)[data.train] for name in data.classes}
    return texts, corpus, positive


def n_new(positive):
    return max(1, int((SHARE * len(positive) - positive.sum()) / (1 - SHARE)))


def one_category(add, corpus, positive):
    documents = corpus.tokens()
    strategy = minority_share(SHARE, label=True)

    def ours():
        EMCO(1.0, sampling_strategy=strategy, random_state=0).fit_resample(documents, positive)

    def plain():
        return plain_oversample(documents, positive, 1.0, n_new(positive), 0)

    ours()
    ours_time, plain_time = best(ours, plain)
    add("ipi, token lists to documents", "plain Python EMCO", plain_time, ours_time, 4)


def generation(add, corpus, positive):
    rows = np.flatnonzero(positive)
    minority = corpus.select(rows).tokens()
    majority = corpus.select(~positive).tokens()
    chain = MarkovChain.extrapolate(
        TransitionCounts.of(corpus), TransitionCounts.of(corpus.select(rows)), 1.0
    )
    plain = PlainEMCO(minority, majority, 1.0)
    # markovify ends a document where the chain does; tokens a second is what is compared.
    peer = markovify.Chain([document for document in minority if document], 1)
    chain.draw(corpus.vocabulary, 10, 0)
    rng = random.Random(0)
    counted = {}

    def ours():
        counted["ours"] = chain.draw(corpus.vocabulary, 20_000, 0).n_tokens

    def by_dictionaries():
        counted["plain"] = sum(len(plain.document(rng)) for _ in range(300))

    def by_markovify():
        counted["markovify"] = sum(len(peer.walk()) for _ in range(300))

    times = best(ours, by_dictionaries, by_markovify, rounds=5)
    per_token = [t / counted[k] for t, k in zip(times, ("ours", "plain", "markovify"), strict=True)]
    add("a token generated, one core", "plain Python EMCO", per_token[1], per_token[0], 20)
    add("a token generated, one core", "markovify.Chain", per_token[2], per_token[0], 100)
    return per_token[0]


def all_categories(add, corpus, positives, n_plain=6):
    documents = corpus.tokens()
    # Plain Python counts the corpus anew for each category; some categories stand for all.
    some = list(positives.values())[:: max(1, len(positives) // n_plain)]

    def ours():
        total = TransitionCounts.of(corpus)
        for stream, positive in enumerate(positives.values()):
            own = TransitionCounts.of(corpus.select(positive))
            chain = MarkovChain.extrapolate(total, own, 1.0)
            chain.draw(corpus.vocabulary, n_new(positive), 0, stream)

    def plain():
        for positive in some:
            plain_oversample(documents, positive, 1.0, n_new(positive), 0)

    ours()
    ours_time, plain_time = best(ours, plain, rounds=2)
    plain_time *= len(positives) / len(some)
    add(
        f"{len(positives)} categories, one counted corpus",
        "plain Python EMCO",
        plain_time,
        ours_time,
        25,
    )


def raw_strings(add, texts, positive):
    def ours():
        EMCO(sampling_strategy=minority_share(SHARE, label=True), random_state=0).fit_resample(
            texts, positive
        )

    ours()
    ours_time, theirs = best(ours, lambda: TfidfVectorizer().fit_transform(texts))
    add("fit_resample on raw strings", "TfidfVectorizer().fit_transform", theirs, ours_time, 1)


def growth(console):
    """Time and peak memory for 100,000 and 1,000,000 documents, each in a process of its own."""
    results = {}
    for n in (100_000, 1_000_000):
        output = subprocess.run(
            [sys.executable, __file__, "--documents", str(n)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        seconds, before, after = map(float, output.split())
        results[n] = (seconds, after - before)
        console.print(
            f"{n:>9,} documents: {seconds:.2f} s, {after - before:,.0f} MiB above imports"
        )
    small, large = results.values()
    console.print(
        f"ten times the documents: {large[0] / small[0]:.1f} times the time, "
        f"{large[1] / small[1]:.1f} times the memory (wanted: at most 11)"
    )


def documents_run(n):
    rng = np.random.default_rng(0)
    vocabulary = np.array([f"word{i}" for i in range(50_000)], dtype=object)
    lengths = rng.integers(5, 15, n)
    ids = np.minimum(rng.zipf(1.3, lengths.sum()), len(vocabulary)) - 1
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    texts = Corpus(ids.astype(np.int32), offsets, vocabulary).texts()
    y = np.arange(n) % 100 == 0
    del ids, lengths, offsets, vocabulary
    sampler = EMCO(sampling_strategy=minority_share(SHARE, label=True), random_state=0)
    sampler.fit_resample(texts[:200], y[:200])
    # The peak so far belongs to the making of the texts: let the kernel forget it.
    Path("/proc/self/clear_refs").write_text("5")
    before = memory("VmRSS")
    (seconds,) = best(lambda: sampler.fit_resample(texts, y))
    print(seconds, before, memory("VmHWM"))


def memory(field):
    """Return a field of the process's status (Linux), in MiB."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in status if line.startswith(field))


def imports(console):
    def seconds(statement):
        code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        return float(run.stdout)

    # A package of ours loads a name when it is used, so each statement names a sampler.
    statements = (
        "from imbtext.oversampling import EMCO",
        "from imblearn.over_sampling import SMOTE",
    )
    rounds = [[seconds(statement) for statement in statements] for _ in range(5)]
    ours, theirs = map(min, zip(*rounds, strict=True))
    console.print(
        f"{statements[0]}: {ours / theirs:.2f} times the time of {statements[1]} "
        "(wanted: under 1.5)"
    )


def main():
    console = Console(width=110)
    texts, corpus, positives = reuters(data_home())
    table = Table(title="Reuters full, gamma 1, share 0.2")
    for name in ("what", "against", "theirs", "ours", "ratio", "wanted"):
        table.add_column(name, justify="left" if name in ("what", "against") else "right")

    def add(what, against, theirs, ours, wanted):
        shown = [f"{t:.3g} s" if t > 1e-3 else f"{t * 1e9:,.0f} ns" for t in (theirs, ours)]
        table.add_row(what, against, *shown, f"{theirs / ours:.1f}", f"{wanted}")

    one_category(add, corpus, positives["ipi"])
    per_token = generation(add, corpus, positives["ipi"])
    all_categories(add, corpus, positives)
    raw_strings(add, texts, positives["ipi"])
    console.print(table)
    console.print(f"{per_token * 1e9:.1f} ns a token on one core (wanted: at most 40)")
    imports(console)
    growth(console)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.documents:
        documents_run(arguments.documents)
    else:
        main()
