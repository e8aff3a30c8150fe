"""What surface forms cost: documents written as the corpus writes them, against plain words.

``python benchmarks/surface.py`` prints the ratio of the times for the same documents, drawn and
written, best of some rounds measured side by side.
"""

import time

import numpy as np

from imbtext import EMCO
from imbtext.datasets import load_docstrings


def main(n=20_000, rounds=7):
    data = load_docstrings()
    texts, y = list(data.texts), data.in_class(data.classes[0])
    samplers = {
        surface: EMCO(0.1, surface=surface, random_state=0).fit(texts, y)
        for surface in (False, True)
    }
    times = {False: [], True: []}
    for sampler in samplers.values():
        sampler.sample(10, label=True)
    for _ in range(rounds):
        for surface, sampler in samplers.items():
            start = time.perf_counter()
            sampler.sample(n, label=True)
            times[surface].append(time.perf_counter() - start)
    plain, written = (min(times[surface]) for surface in (False, True))
    print(
        f"{n} documents: plain {plain:.2f} s, surface {written:.2f} s, {written / plain:.2f} times"
    )
    ratios = np.array(times[True]) / np.array(times[False])
    print(f"round by round: {ratios.min():.2f} to {ratios.max():.2f}")


if __name__ == "__main__":
    main()
