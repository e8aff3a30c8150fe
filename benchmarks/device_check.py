"""The neural samplers on CUDA and on the CPU: whether they agree, and how fast.

Needs all of imbtext (torch, scikit-learn, imbalanced-learn, Polars, narwhals, PyStemmer, rich)::

    python3 benchmarks/device_check.py report.json
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch

from imbtext.neural import LanguageModelSampler, SeqGAN

WORDS = [f"word{i}" for i in range(400)]


def documents(n: int, seed: int) -> tuple[list[str], list[str]]:
    """Made-up documents of three classes, the smallest one in twenty."""
    source = np.random.default_rng(seed)
    labels = source.choice(["rare", "middle", "common"], p=[0.05, 0.25, 0.7], size=n)
    start = {"rare": 0, "middle": 60, "common": 120}
    texts = [
        " ".join(WORDS[start[label] + int(source.zipf(1.4)) % 200] for _ in range(8))
        for label in labels
    ]
    return texts, labels.tolist()


def sampler_report(sampler: type, **parameters: object) -> dict[str, object]:
    texts, y = documents(2000, seed=0)
    written, seconds, losses = {}, {}, {}
    for device in ("cpu", "cuda", "cuda"):
        start = time.perf_counter()
        chosen = sampler(
            sampling_strategy={"rare": 400}, device=device, random_state=0, **parameters
        )
        X, _ = chosen.fit_resample(texts, y)
        name = device if device not in written else "cuda again"
        written[name] = X[len(texts) :]
        seconds[name] = time.perf_counter() - start
        losses[name] = chosen.history_[-1]
    pairs = {"cpu and cuda": ("cpu", "cuda"), "cuda twice": ("cuda", "cuda again")}
    same = {
        name: float(np.mean([a == b for a, b in zip(written[one], written[two], strict=True)]))
        for name, (one, two) in pairs.items()
    }
    return {"seconds": seconds, "share of equal documents": same, "last losses": losses}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", type=Path)
    given = parser.parse_args()
    report = {
        "torch": torch.__version__,
        "device": torch.cuda.get_device_name(),
        "LanguageModelSampler": sampler_report(LanguageModelSampler, epochs=5),
        "SeqGAN": sampler_report(SeqGAN, epochs=5, steps=5, batch_size=32, roll_outs=8),
    }
    given.report.write_text(json.dumps(report, indent=1))
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
