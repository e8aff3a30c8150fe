"""How often `predict` calls a file unfamiliar: files of the same source, and files of another.

    python benchmarks/rare_familiarity.py [MODELS]

MODELS models (60) are trained on each of two sources, HuffPost headlines and Reuters titles: a rare
class, a metric, the features and 500, 1,500 or 4,000 documents by chance. Each then looks at files
of 50, 200, 1,000 and 6,000 other documents of its source, where every warning is a false one, and
of the other source, where every warning is right. Files without warning are the rest. At most 1%
of the files of the same source may be warned of.
"""

import sys
from collections import Counter

import numpy as np

from imbtext import RareTextClassifier
from imbtext.rare._familiarity import NewDocuments
from rare_check import sources

SIZES = (50, 200, 1_000, 6_000)
METRICS = ("f1", "f2", "balanced_accuracy", "cost(10, 1)", "alarms_per_thousand(5)")


def doubts(model, texts):
    """Return what the model says of a file of these documents."""
    new_documents = NewDocuments(model.alarm_rates_, model.known_words_)
    predictions = model.predictions(texts)
    new_documents.add(len(texts), predictions.n_alarms, predictions.known_shares)
    return new_documents.doubts()


def main(n_models):
    every = {name: (texts, labels) for name, texts, labels in sources()}
    for name, (texts, labels) in every.items():
        ((other_texts, _),) = (data for other, data in every.items() if other != name)
        n_warned = Counter()
        for seed in range(n_models):
            generator = np.random.default_rng(seed)
            order = generator.permutation(len(texts))
            n = int(generator.choice([500, 1_500, 4_000]))
            training, others = order[:n], order[n:]
            sizes = Counter(label for i in training for label in labels[i])
            rare = sorted(label for label, size in sizes.items() if 8 <= size <= 0.3 * n)
            label = str(generator.choice(rare))
            model = RareTextClassifier(
                str(generator.choice(METRICS)),
                features=str(generator.choice(["words", "auto"])),
                random_state=seed,
            ).fit(texts[training].tolist(), [label in labels[i] for i in training])
            for size in SIZES:
                n_warned["same", size] += bool(doubts(model, texts[others[:size]].tolist()))
                drawn = generator.choice(len(other_texts), size, replace=False)
                n_warned["other", size] += bool(doubts(model, other_texts[drawn].tolist()))
        for which in ("same", "other"):
            shares = "  ".join(
                f"{size:,} documents {n_warned[which, size] / n_models:6.1%}" for size in SIZES
            )
            print(f"{name}, {n_models} models, files of {which:5} source warned of: {shares}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
