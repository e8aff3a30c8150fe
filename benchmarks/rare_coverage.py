"""Whether RareTextClassifier keeps its word: its expectation against new documents, over splits.

Headlines of HuffPost are drawn anew for every split, 1,500 to learn from and 12,000 to judge by.
Printed is how often the interval of 95 % of recall and of precision held what the new documents
gave, how far the mean was off, and how wide the interval was. Coverage is also a test, on drawn
scores: tests/classification/test_expectation.py.

    python benchmarks/rare_coverage.py [splits] [documents]
"""

import sys
from collections import defaultdict

import numpy as np

from imbtext import RareTextClassifier
from imbtext.datasets import load_huffpost

CLASSES = ("PARENTING", "WOMEN", "LATINO VOICES")
METRICS = ("f2", "f1", "balanced_accuracy")
N_JUDGED, LEAST_ALARMS = 12_000, 20


def main() -> None:
    n_splits = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 1500
    data = load_huffpost("titles")
    texts = np.array(data.texts, dtype=object)
    generator = np.random.default_rng(0)
    held = defaultdict(list)
    for split in range(n_splits):
        order = generator.permutation(len(texts))
        train, new = order[:n], order[n : n + N_JUDGED]
        for name in CLASSES:
            y = data.in_class(name)
            if y[train].sum() < 3:
                continue
            model = RareTextClassifier(random_state=split).fit(list(texts[train]), y[train])
            scores = model.decision_function(list(texts[new])) + model.thresholds_[0]
            for metric in METRICS:
                at = model.at(metric)
                put, found = scores > at.thresholds_[0], at.expectation_[0]
                right = (put & y[new]).sum()
                shares = [("recall", found.recall, right / y[new].sum())]
                if put.sum() >= LEAST_ALARMS:
                    shares.append(("precision", found.precision, right / put.sum()))
                for what, interval, truth in shares:
                    inside = interval.lower <= truth <= interval.upper
                    width = interval.upper - interval.lower
                    held[name, metric, what].append((inside, truth - interval.mean, width))
    print(f"{'class, metric, share':48}{'splits':>8}{'covered':>9}{'off':>8}{'width':>8}")
    for key, rows in held.items():
        covered, off, width = np.mean(np.array(rows, float), axis=0)
        print(f"{', '.join(key):48}{len(rows):>8}{covered:>9.2f}{off:>+8.3f}{width:>8.2f}")


if __name__ == "__main__":
    main()
