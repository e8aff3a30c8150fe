"""The report of 100,000 documents and ten classes: how large, and how long it takes to write.

Run: python benchmarks/report_size.py [number of documents]
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from imbtext.comparison import compare

METHODS = ["class-weight", "threshold(f1)", "ros", "mco", "emco(0.1)"]
WORDS = 30_000
N_CLASSES = 10


def documents(n: int) -> tuple[list[str], list[str]]:
    """Draw documents of Zipf's words; each class prefers some words of its own."""
    random = np.random.default_rng(0)
    names = np.array([f"word{i}" for i in range(WORDS)], dtype=object)
    shares = 1 / np.arange(1, WORDS + 1)
    shares /= shares.sum()
    labels = np.where(random.random(n) < 0.1, random.integers(1, N_CLASSES + 1, n), 0)
    texts = []
    for label in labels.tolist():
        words = random.choice(names, random.integers(8, 60), p=shares)
        if label:
            own = names[1000 + 40 * label : 1040 + 40 * label]
            words[:3] = random.choice(own, 3)
        texts.append(" ".join(words))
    return texts, [f"class {label}" if label else "rest" for label in labels.tolist()]


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    texts, labels = documents(n)
    classes = [f"class {i}" for i in range(1, N_CLASSES + 1)]
    start = time.perf_counter()
    found = compare(texts, labels, classes=classes, methods=METHODS, folds=2, repeats=1)
    compared = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        found.report(path)
        size = path.stat().st_size
    written = time.perf_counter()
    shown = sum(len(each.documents) for each in found.inspection.values())
    print(f"{n:,} documents, {len(classes)} classes, {len(found.settings.methods)} methods")
    print(f"report: {size / 1e6:.2f} MB with {shown:,} documents to look at")
    print(f"compared in {compared - start:.0f} s, written in {written - compared:.1f} s")


if __name__ == "__main__":
    main()
